"""The judgements of a study, task by task, for one judge, one protocol and one set of prompts."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from drr.eval.asking.rules import outdated, rules_banner
from drr.eval.checks.reading import FiguresRow
from drr.eval.evidence.answers import Answer
from drr.eval.labels import DIMENSIONS, content_id
from drr.eval.stats.citations import CitationVerdict
from drr.eval.stats.faithfulness import JudgedClaim, JudgedClaims, Status
from drr.eval.stats.intervals import V, mean
from drr.eval.stats.question import Asked, Comparison, Winner, cluster_of, grouped
from drr.eval.tasks.citation_rows import (
    AddressVerdict,
    CheckRow,
    ClaimRow,
    FailuresResult,
    JudgedCitations,
    VerdictRow,
)
from drr.eval.tasks.protocol import OURS, PROTOCOLS, JudgingProtocol
from drr.llm.names import OFFLINE

if TYPE_CHECKING:
    from drr.eval.stats.ratings import LengthRow


LENGTH_WARNING = 0.5


@dataclass(frozen=True, slots=True)
class RatedReport:
    query: Asked
    trial: int
    ratings: Mapping[str, int | None]
    """Ratings by dimension; `None` where the judge failed or has not judged."""
    words: int | None


def report_values(report: RatedReport) -> dict[str, float | None]:
    found: dict[str, float | None] = {
        name: None if (value := report.ratings.get(name)) is None else float(value) for name in DIMENSIONS
    }
    scores = [value for value in found.values() if value is not None]
    found["quality_average"] = sum(scores) / len(scores) if len(scores) == len(DIMENSIONS) else None
    return found


def corpus_values(reports: Sequence[RatedReport]) -> dict[str, V]:
    """Means per dimension, and their plain average over reports that have all seven (the paper's "Avg")."""
    per_report = [(report.query, report_values(report)) for report in reports]
    methods: dict[str, str] = {**dict.fromkeys(DIMENSIONS, "rating 0-10")}
    methods["quality_average"] = "mean of the seven dimensions"
    return {
        name: mean(
            grouped((query, values[name]) for query, values in per_report), f"{method}, mean over queries"
        )
        for name, method in methods.items()
    }


def length_correlations(reports: Sequence[RatedReport]) -> dict[str, LengthRow]:
    """Spearman of each dimension with the report's words; above 0.5 the grade may measure length."""
    from drr.eval.stats.correlation import spearman

    words: list[float | None] = [None if r.words is None else float(r.words) for r in reports]
    found: dict[str, LengthRow] = {}
    for name in DIMENSIONS:
        scores: list[float | None] = [report_values(report)[name] for report in reports]
        v = spearman(scores, words, unit="report", clusters=[cluster_of(report.query) for report in reports])
        warn = v.value is not None and v.value > LENGTH_WARNING
        found[name] = {**v.document(), "warning": warn}
    return found


ValueT = TypeVar("ValueT")


@dataclass(frozen=True)
class Judging:
    """A judging: which judgements belong together. A new judge, protocol or prompt is another judging beside the old one."""

    judge: str
    extractor: str
    protocol: str
    versions: Mapping[str, str]
    """Versions by task, and by task and dimension."""
    rule_written: bool
    refetch: bool = False
    repeat: int = 0
    banner: str | None = field(default=None, compare=False)
    """Banner over its figures where no model judged."""

    @cached_property
    def id(self) -> str:
        named = {name: value for name, value in asdict(self).items() if name != "banner"}
        return content_id(json.dumps(named, sort_keys=True))[:8]

    @property
    def prompts(self) -> str:
        """A short name of all its prompts together."""
        return content_id(json.dumps(dict(self.versions), sort_keys=True))[:8]

    @property
    def way(self) -> JudgingProtocol:
        return PROTOCOLS[self.protocol]

    def agrees(self, other: Judging) -> bool:
        """Tell whether they are one judging, of which each may have judged kinds that the other has not."""
        shared = self.versions.keys() & other.versions.keys()
        same = all(self.versions[name] == other.versions[name] for name in shared)
        return same and replace(self, versions={}) == replace(other, versions={})

    @property
    def is_first(self) -> bool:
        """Neither a repetition nor held against pages that were read anew."""
        return not (self.refetch or self.repeat)

    def is_by(self, name: str) -> bool:
        """Tell whether people may call it so: by its judge, by its id, or `offline` where rules judged."""
        return name in (self.judge, self.id) or (name == OFFLINE and self.rule_written)

    @property
    def warning(self) -> str | None:
        """Say what people must read over every figure; `None` where a model judged."""
        if not self.rule_written:
            return None
        lines = [self.banner or rules_banner(self.judge), outdated(self.judge, self.versions.values())]
        return " ".join(line for line in lines if line)


@dataclass(frozen=True)
class Verdict(Generic[ValueT]):
    """A rating or a preference; `value` is `None` where the judge failed, and `reason` says how."""

    value: ValueT | None
    justification: str | None
    reason: str | None = None


@dataclass(frozen=True)
class Claims:
    """The claims of one report; `claims` is `None` where they could not be extracted."""

    key: str
    claims: Sequence[ClaimRow] | None
    rejects: Mapping[str, int]
    reason: str | None = None
    silent: Sequence[str] = ()
    """Headings of sections of which no claim came."""


@dataclass(eq=False)
class Judged:
    """One judging over all answers. A task writes what it reads here; one of a new kind under its name in `others`."""

    judging: Judging | None
    answers: list[Answer]
    claims: dict[str, dict[str, Claims]] = field(default_factory=dict)
    """Keyed by mode, then by answer."""
    support: dict[str, dict[str, VerdictRow]] = field(default_factory=dict)
    """Keyed by answer, then by item."""
    addresses: dict[str, dict[tuple[str, str], AddressVerdict]] = field(default_factory=dict)
    """Keyed by answer, then by claim and address: where a claim cites several sources of a type."""
    ratings: dict[str, dict[str, Verdict[int]]] = field(default_factory=dict)
    pairs: dict[tuple[str, str, str], Verdict[str]] = field(default_factory=dict)
    """Winner by place, for each (first, second, dimension)."""
    rules: dict[str, Mapping[str, CheckRow]] = field(default_factory=dict)
    figures: dict[str, FiguresRow | None] = field(default_factory=dict)
    """Figures of an answer that rules could read; `None` where nobody counted."""
    unchecked: set[str] = field(default_factory=set)
    """Answers whose check by rules failed, `too_slow` for one."""
    by_other_rules: set[str] = field(default_factory=set)
    """Answers that rules of another version checked."""
    failures: dict[str, FailuresResult] = field(default_factory=dict)
    """Labels that a judge proposed, by answer."""
    others: dict[str, dict[str, object]] = field(default_factory=dict)
    """Keyed by task, then by subject."""
    units: Counter[str] = field(default_factory=Counter)
    """Finished judgements by task."""
    failed: Counter[str] = field(default_factory=Counter)
    """Judgements without a usable answer, by task."""
    awaited: Counter[str] = field(default_factory=Counter)
    """Failed for a reason that may pass, such as an outage: to be judged again, and missing from the figures until then."""
    units_of: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Judgements of each answer, alone or beside another, by task."""
    failed_of: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Units without a usable answer, for good or until they are judged again."""

    @cached_property
    def by_key(self) -> dict[str, Answer]:
        return {answer.key: answer for answer in self.answers}

    @property
    def way(self) -> JudgingProtocol:
        return OURS if self.judging is None else self.judging.way

    def checked_claims(self, answer: Answer) -> Claims | None:
        """The claims that are held against their sources; `None` where nothing was extracted yet."""
        return self.claims.get(self.way.checked, {}).get(answer.key)

    def judged_claims(self, answer: Answer, mode: str = "all") -> JudgedClaims | None:
        """`None` where nothing was extracted yet."""
        found = self.claims.get(mode, {}).get(answer.key)
        if found is None:
            return None
        if found.claims is None:
            return JudgedClaims(answer.asked, answer.trial, None)
        by_claim = grouped((one["claim_id"], one) for one in self.support.get(answer.key, {}).values())
        claims = [
            _judged(claim, by_claim.get(claim["id"], ()), seen_known=not answer.imported)
            for claim in found.claims
        ]
        return JudgedClaims(answer.asked, answer.trial, claims)

    @cached_property
    def citations(self) -> Mapping[str, Sequence[CitationVerdict] | None]:
        """Map answers whose claims were looked for to every address that a claim cites; `None` where that failed."""
        return {
            answer.key: None if claims.claims is None else self._cited(answer, claims.claims)
            for answer in self.answers
            if (claims := self.checked_claims(answer)) is not None
        }

    @cached_property
    def citations_wait(self) -> bool:
        """Tell whether nobody was asked yet about the citations of claims that have several: the others are no fair sample."""
        asked = self.units["citations"] + self.awaited["citations"]
        return not asked and any(one.status is None for rows in self.citations.values() for one in rows or ())

    def _cited(self, answer: Answer, claims: Sequence[ClaimRow]) -> Sequence[CitationVerdict]:
        support, addresses = self.support.get(answer.key, {}), self.addresses.get(answer.key, {})
        judge = self.judging.judge if self.judging else ""
        return JudgedCitations(answer, list(support.values()), addresses, judge, self.way.name).rows(claims)

    def rated(self, answer: Answer) -> RatedReport | None:
        found = self.ratings.get(answer.key)
        if found is None:
            return None
        ratings = {name: verdict.value for name, verdict in found.items()}
        return RatedReport(answer.asked, answer.trial, ratings, answer.words)

    def all_claims(self, answers: Sequence[Answer], mode: str = "all") -> list[JudgedClaims]:
        """List every one of these answers as soon as one was judged: those that wait are unscored, not left out."""
        found = [(answer, self.judged_claims(answer, mode)) for answer in answers]
        if all(claims is None for _, claims in found):
            return []
        return [claims or JudgedClaims(answer.asked, answer.trial, None) for answer, claims in found]

    def all_rated(self, answers: Sequence[Answer]) -> list[RatedReport]:
        """List the grades as `all_claims` does the claims."""
        if not any(answer.key in self.ratings for answer in answers):
            return []
        return [
            self.rated(answer) or RatedReport(answer.asked, answer.trial, {}, answer.words)
            for answer in answers
        ]

    def comparisons(self) -> list[Comparison]:
        """An order that waits has no winner; where one order was drawn by lot, what it says stands for both."""
        found: dict[tuple[str, str, str], Comparison] = {}
        for first, second, dimension in self.pairs:
            a, b = sorted((self.by_key[first], self.by_key[second]), key=lambda answer: answer.variant)
            if (a.key, b.key, dimension) not in found:
                found[a.key, b.key, dimension] = self._comparison(a, b, dimension)
        return sorted(
            found.values(), key=lambda c: (DIMENSIONS.index(c.dimension), c.a, c.b, c.query, c.trial)
        )

    def _comparison(self, a: Answer, b: Answer, dimension: str) -> Comparison:
        a_first = _winner(self.pairs.get((a.key, b.key, dimension)), first=True)
        b_first = _winner(self.pairs.get((b.key, a.key, dimension)), first=False)
        if not self.way.both_orders:
            a_first = b_first = b_first if (a.key, b.key, dimension) not in self.pairs else a_first
        return Comparison(
            *(a.query_id, dimension, a.variant, b.variant, a_first, b_first, a.words, b.words, a.trial),
            task=a.asked.task,
        )


def _winner(verdict: Verdict[str] | None, *, first: bool) -> Winner | None:
    """`first` says whether `a` stood first."""
    if verdict is None or verdict.value is None:
        return None
    if verdict.value == "tie":
        return "tie"
    return "a" if (verdict.value == "first") == first else "b"


def _judged(claim: ClaimRow, verdicts: Iterable[VerdictRow], *, seen_known: bool) -> JudgedClaim:
    """Evidence that came with an imported report is a page; what its agent read of that page nobody told."""
    page: dict[str, Status | None] = {}
    seen: dict[str, Status | None] = {}
    for verdict in verdicts:
        (page if verdict["against"] == "page" else seen)[verdict["type"]] = verdict["status"]
    for source_type in claim.get("types") or (["web"] if claim["urls"] and not page else []):
        page.setdefault(source_type, None)
    read = {**page, **seen} if seen_known else dict.fromkeys(page)
    return JudgedClaim(claim["id"], page, read, claim["resolved"])
