"""Holds the results of one judging run, by task. A judging run has one judge, one protocol and one set of prompts."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Generic, Literal, NotRequired, TypedDict, TypeVar, cast

from drr.env.plugins import AnyPaper, papers
from drr.eval.asking.rules import CODE, outdated_rules_notice, rules_banner
from drr.eval.checks.reading import FiguresRow
from drr.eval.checks.results import CheckRow
from drr.eval.evidence.answers import Answer
from drr.eval.labels import DIMENSIONS, Dimension, content_id
from drr.eval.stats.citations import CitationVerdict
from drr.eval.stats.faithfulness import (
    AddressVerdict,
    JudgedClaims,
    VerdictRow,
)
from drr.eval.stats.intervals import Statistic, mean
from drr.eval.stats.question import Asked, Comparison, Winner, cluster_of, grouped
from drr.eval.tasks.citation_rows import ClaimRow, FailuresResult, JudgedCitations
from drr.eval.tasks.judged_claims import judged_claim
from drr.eval.tasks.protocol import OURS, PROTOCOLS, JudgingProtocol
from drr.llm.names import OFFLINE

if TYPE_CHECKING:
    from drr.eval.stats.ratings import LengthRow


LENGTH_WARNING = 0.5


MISTAKES = "mistakes"
"""Name of the task, and key under which its results are stored."""
RELATIVE_GRADES = "relative"
GRADED: tuple[Dimension, ...] = tuple(one for one in DIMENSIONS if one != "overall")
"""Dimensions that are graded. A report's quality here is their plain mean; nobody grades the report as a whole."""
PromptPlace = Literal["first", "second"]
"""The place of the target in the prompt."""


class MistakeRow(TypedDict):
    """A mistake: `words` is `report[start:end]`."""

    start: int
    end: int
    words: str
    why: str
    instead: NotRequired[str]
    """The correct wording."""
    defence: str
    """The reading that comes nearest to making the words true."""


class MistakesResult(TypedDict):
    mistakes: list[MistakeRow]
    acquitted: list[MistakeRow]
    """Statements that were charged and then found not to be wrong."""
    open: NotRequired[list[MistakeRow]]
    """Statements that were charged, and of which the second reading could not tell. Before version 4 they were acquitted."""
    statements: int
    unread: int
    unweighed: int
    """Number of charges without a verdict; they count as no mistakes."""
    unshown: int
    """Number of products that the report mentions and no judge was shown."""


class GradesRow(TypedDict):
    """The grades of target and reference on one dimension."""

    target: int
    reference: int
    justification: str


Grades = Mapping[Dimension, GradesRow]


@dataclass(frozen=True, slots=True)
class RatedReport:
    query: Asked
    trial: int
    ratings: Mapping[str, int | None]
    """Ratings by dimension; `None` where the judge failed or has not judged yet."""
    words: int | None


def report_values(report: RatedReport) -> dict[str, float | None]:
    found: dict[str, float | None] = {
        name: None if (value := report.ratings.get(name)) is None else float(value) for name in DIMENSIONS
    }
    scores = [value for value in found.values() if value is not None]
    found["quality_average"] = sum(scores) / len(scores) if len(scores) == len(DIMENSIONS) else None
    return found


def corpus_values(reports: Sequence[RatedReport]) -> dict[str, Statistic]:
    """Return the mean rating of each dimension and the mean of all seven (the paper's "Avg"). The latter counts only reports that have all seven ratings."""
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
    """Return Spearman's correlation of each dimension's ratings with the number of words. Above 0.5 a warning is set: the rating may measure length."""
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
class JudgingRun:
    """The identity of one judging run: its judge, protocol and prompts. Another judge, protocol or prompt makes another judging run."""

    judge: str
    extractor: str
    protocol: str
    versions: Mapping[str, str]
    """Version of each task, keyed by task, or by `task/dimension`."""
    rule_written: bool
    refetch: bool = False
    repeat: int = 0
    banner: str | None = field(default=None, compare=False)
    """Notice shown above every figure of the run: rules judged instead of a model, or a model that its scorecard calls weak."""

    @cached_property
    def id(self) -> str:
        # A scorecard may call the judge weak later on; that makes no other judging.
        named = {name: value for name, value in asdict(self).items() if name != "banner"}
        return content_id(json.dumps(named, sort_keys=True))[:8]

    @property
    def prompts(self) -> str:
        """Return a short id of all prompt versions together."""
        return content_id(json.dumps(dict(self.versions), sort_keys=True))[:8]

    @property
    def way(self) -> JudgingProtocol:
        return PROTOCOLS[self.protocol]

    def agrees(self, other: JudgingRun) -> bool:
        """Tell whether two judgings are the same run. Each may have judged tasks that the other has not."""
        shared = self.versions.keys() & other.versions.keys()
        same = all(self.versions[name] == other.versions[name] for name in shared)
        return same and replace(self, versions={}) == replace(other, versions={})

    @property
    def is_first(self) -> bool:
        """Tell whether the run is neither a repetition nor a comparison with web pages that were fetched again."""
        return not (self.refetch or self.repeat)

    def is_by(self, name: str) -> bool:
        """Tell whether a user may call the judging by this name: its judge, its id, or `offline` where rules judged."""
        return name in (self.judge, self.id) or (name == OFFLINE and self.rule_written)

    @property
    def called_weak(self) -> str:
        """Return the beginning of the sentence that calls this judge weak."""
        return f"{self.judge} is a weak judge: "

    @property
    def weak(self) -> str | None:
        """Return the sentence that calls the model a weak judge; `None` where no scorecard does."""
        return None if self.rule_written else self.banner

    @property
    def warning(self) -> str | None:
        """Return the notice that must stand above every figure; `None` where a model judged that nothing is known of."""
        if not self.rule_written:
            return self.banner
        lines = [
            self.banner or rules_banner(self.judge),
            outdated_rules_notice(self.judge, self.versions.values()),
        ]
        return " ".join(line for line in lines if line)


@dataclass(frozen=True)
class Verdict(Generic[ValueT]):
    """A rating or a preference. `value` is `None` where the judge failed, and `reason` then says how."""

    value: ValueT | None
    justification: str | None
    reason: str | None = None


@dataclass(frozen=True)
class Claims:
    """The claims of one report. `claims` is `None` where extraction failed."""

    key: str
    claims: Sequence[ClaimRow] | None
    rejects: Mapping[str, int]
    reason: str | None = None
    silent: Sequence[str] = ()
    """Headings of the sections in which no claim was found."""


@dataclass(eq=False)
class Judged:
    """All judgements of one judging run on all answers. Each task stores its results here, in a field of its own or in `others`."""

    judging: JudgingRun | None
    answers: list[Answer]
    claims: dict[str, dict[str, Claims]] = field(default_factory=dict)
    """Claims, keyed by extraction mode, then by answer."""
    support: dict[str, dict[str, VerdictRow]] = field(default_factory=dict)
    """Verdicts on claims, keyed by answer, then by item."""
    joint: dict[str, dict[str, VerdictRow]] = field(default_factory=dict)
    """Verdicts on claims by all their types of source together, keyed by answer, then by item."""
    keeps: dict[str, dict[str, Sequence[str]]] = field(default_factory=dict)
    """Types that keep their own score, of each claim of several types, keyed by answer, then by claim."""
    addresses: dict[str, dict[tuple[str, str], AddressVerdict]] = field(default_factory=dict)
    """Verdicts on single addresses of claims that cite several sources of one type, keyed by answer, then by (claim, address)."""
    rests: dict[str, dict[str, VerdictRow]] = field(default_factory=dict)
    """Verdicts on claims by all their sources but one, keyed by answer, then by item."""
    ratings: dict[str, dict[str, Verdict[int]]] = field(default_factory=dict)
    pairs: dict[tuple[str, str, str], Verdict[str]] = field(default_factory=dict)
    """Winner by place in the prompt, keyed by (first answer, second answer, dimension)."""
    rules: dict[str, Mapping[str, CheckRow]] = field(default_factory=dict)
    figures: dict[str, FiguresRow | None] = field(default_factory=dict)
    """Counts that rules read from each answer; `None` where nothing was counted."""
    unchecked: set[str] = field(default_factory=set)
    """Answers whose check by rules failed, for example because it was too slow."""
    by_other_rules: set[str] = field(default_factory=set)
    """Answers that were checked by another version of the rules."""
    given_up: str = ""
    """A sentence where the answered set was given up."""
    failures: dict[str, FailuresResult] = field(default_factory=dict)
    """Failure labels that a judge proposed, by answer."""
    others: dict[str, dict[str, object]] = field(default_factory=dict)
    """Results of tasks that have no field of their own, keyed by task, then by subject."""
    units: Counter[str] = field(default_factory=Counter)
    """Number of finished judgements, by task."""
    failed: Counter[str] = field(default_factory=Counter)
    """Number of judgements without a usable answer, by task."""
    awaited: Counter[str] = field(default_factory=Counter)
    """Number of judgements that failed for a temporary reason, such as an outage, by task. They are judged again and count in no figure until then."""
    units_of: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Number of judgements of each answer, by task; a judgement of a pair counts for both answers."""
    values: dict[tuple[object, str], Mapping[str, float | None]] = field(default_factory=dict, init=False)
    """Values of each report, keyed by family of metrics, then by answer, made when first asked for. A copy makes its own."""

    @cached_property
    def by_key(self) -> dict[str, Answer]:
        return {answer.key: answer for answer in self.answers}

    @property
    def way(self) -> JudgingProtocol:
        return OURS if self.judging is None else self.judging.way

    @property
    def is_code(self) -> bool:
        """Tell whether nobody judged what code cannot decide."""
        return self.judging is not None and self.judging.judge == CODE

    def papers(self) -> list[AnyPaper]:
        """Return the papers of whose tasks some were judged."""
        judged = {name for name, count in (self.units + self.failed).items() if count}
        return [paper for paper in papers() if paper.judges(judged)]

    def checked_claims(self, answer: Answer) -> Claims | None:
        """Return the claims that are compared with their sources; `None` where nothing was extracted yet."""
        return self.claims.get(self.way.checked, {}).get(answer.key)

    def judged_claims(self, answer: Answer, mode: str = "all") -> JudgedClaims | None:
        """Return the claims of an answer with their verdicts; `None` where nothing was extracted yet."""
        found = self.claims.get(mode, {}).get(answer.key)
        if found is None:
            return None
        if found.claims is None:
            return JudgedClaims(answer.asked, answer.trial, None)
        key = answer.key
        by_claim = grouped((one["claim_id"], (item, one)) for item, one in self.support.get(key, {}).items())
        keeps, joint = self.keeps.get(key, {}), self.joint.get(key, {})
        claims = [
            judged_claim(
                *(claim, by_claim.get(claim["id"], ()), keeps.get(claim["id"]), joint),
                seen_known=not answer.imported,
            )
            for claim in found.claims
        ]
        return JudgedClaims(answer.asked, answer.trial, claims)

    @cached_property
    def joint_waits(self) -> bool:
        """Tell whether no claim of several types was judged by all of them yet. The other claims alone would be a biased sample."""
        found = (self.judged_claims(answer, self.way.checked) for answer in self.answers)
        claims = [claim for one in found for claim in (one and one.claims) or () if len(claim.page) > 1]
        return bool(claims) and all(claim.joint is None for claim in claims)

    @cached_property
    def citations(self) -> Mapping[str, Sequence[CitationVerdict] | None]:
        """Map each answer with extracted claims to the verdicts on all its citations; `None` where extraction failed."""
        return {
            answer.key: None if claims.claims is None else self._cited_verdicts(answer, claims.claims)
            for answer in self.answers
            if (claims := self.checked_claims(answer)) is not None
        }

    @cached_property
    def citations_wait(self) -> bool:
        """Tell whether no claim with several citations was judged yet. The other citations alone would be a biased sample."""
        asked = self.units["citations"] + self.awaited["citations"]
        return not asked and any(one.status is None for rows in self.citations.values() for one in rows or ())

    def _cited_verdicts(self, answer: Answer, claims: Sequence[ClaimRow]) -> Sequence[CitationVerdict]:
        support, addresses = self.support.get(answer.key, {}), self.addresses.get(answer.key, {})
        judge = self.judging.judge if self.judging else ""
        found = self.judged_claims(answer, self.way.checked)
        by_id = {claim.id: claim for claim in (found and found.claims) or ()}
        rests = self.rests.get(answer.key, {})
        rows = JudgedCitations(answer, list(support.values()), addresses, judge, self.way.name, by_id, rests)
        return rows.rows(claims)

    def rated(self, answer: Answer) -> RatedReport | None:
        found = self.ratings.get(answer.key)
        if found is None:
            return None
        ratings = {name: verdict.value for name, verdict in found.items()}
        return RatedReport(answer.asked, answer.trial, ratings, answer.words)

    def all_claims(self, answers: Sequence[Answer], mode: str = "all") -> list[JudgedClaims]:
        """Return the judged claims of all these answers, or nothing where none was judged. Answers still to be judged count as unscored."""
        found = [(answer, self.judged_claims(answer, mode)) for answer in answers]
        if all(claims is None for _, claims in found):
            return []
        return [claims or JudgedClaims(answer.asked, answer.trial, None) for answer, claims in found]

    def all_rated(self, answers: Sequence[Answer]) -> list[RatedReport]:
        """Return the ratings of all these answers, or nothing where none was rated. Answers still to be rated count as unscored."""
        if not any(answer.key in self.ratings for answer in answers):
            return []
        return [
            self.rated(answer) or RatedReport(answer.asked, answer.trial, {}, answer.words)
            for answer in answers
        ]

    def comparisons(self) -> list[Comparison]:
        """Return all pairwise comparisons, sorted. An order still to be judged has no winner; where only one order was drawn, its winner stands for both."""
        found: dict[tuple[str, str, str], Comparison] = {}
        for first, second, dimension in self.pairs:
            a, b = sorted((self.by_key[first], self.by_key[second]), key=lambda answer: answer.variant)
            place = a.key, b.key, dimension
            a_first = _winner(self.pairs.get(place), first=True)
            b_first = _winner(self.pairs.get((b.key, a.key, dimension)), first=False)
            if not self.way.both_orders:
                a_first = b_first = a_first if place in self.pairs else b_first
            found[place] = Comparison(
                *(a.query_id, dimension, a.variant, b.variant, a_first, b_first, a.words, b.words, a.trial),
                task=a.asked.task,
            )
        return sorted(
            found.values(), key=lambda c: (DIMENSIONS.index(c.dimension), c.a, c.b, c.query, c.trial)
        )


def _winner(verdict: Verdict[str] | None, *, first: bool) -> Winner | None:
    """Return the winner of a pair; `first` says whether answer `a` was shown first."""
    if verdict is None or verdict.value is None:
        return None
    if verdict.value == "tie":
        return "tie"
    return "a" if (verdict.value == "first") == first else "b"


def mistakes_of(judged: Judged, answer: str) -> MistakesResult | None:
    """Return the mistakes found in an answer; `None` where none were looked for, or no usable answer came."""
    return cast("MistakesResult | None", judged.others.get(MISTAKES, {}).get(answer))


def relative_of(judged: Judged, answer: str) -> Mapping[PromptPlace, Grades | None] | None:
    """Map the target's place in the prompt to its grades; `None` where the report was graded against no reference."""
    return cast(
        "Mapping[PromptPlace, Grades | None] | None", judged.others.get(RELATIVE_GRADES, {}).get(answer)
    )
