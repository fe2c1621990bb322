"""What a study's judgements say, read from its ledger for one judge, one protocol and one set of prompts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from drr.env.errors import Misuse
from drr.eval import offline
from drr.eval.evidence.answers import Answer, read_answers
from drr.eval.judging.bench import Bench, Protocol
from drr.eval.labels import DIMENSIONS, content_id
from drr.eval.stats.faithfulness import JudgedClaim, JudgedClaims, Status
from drr.eval.stats.pairs import Comparison, Winner
from drr.eval.tasks.quality import RatedReport
from drr.study.study import Study
from drr.study.unit import Record

_META = "judgings"


@dataclass(frozen=True)
class Judging:
    """Which judgements belong together. A new judge, protocol or prompt is another judging beside the old one."""

    judge: str
    extractor: str
    protocol: Protocol
    versions: Mapping[str, str]
    """By task, and by task and dimension."""
    rule_written: bool
    refetch: bool = False
    repeat: int = 0

    @property
    def id(self) -> str:
        return content_id(json.dumps(asdict(self), sort_keys=True))[:8]

    @property
    def prompts(self) -> str:
        """A short name of all its prompts together."""
        return content_id(json.dumps(dict(self.versions), sort_keys=True))[:8]


def judging_of(bench: Bench) -> Judging:
    return Judging(
        bench.judge.shown,
        bench.extractor.shown,
        bench.protocol,
        bench.versions,
        bench.judge.rule_written,
        bench.refetched is not None,
        bench.repeat,
    )


def judgings(study: Study) -> list[Judging]:
    """Oldest first; one that was run again counts by its last run."""
    return [Judging(**fields) for fields in json.loads(study.ledger.meta(_META) or "[]")]


def remember(study: Study, judging: Judging) -> None:
    kept = [asdict(known) for known in judgings(study) if known != judging]
    text = json.dumps([*kept, asdict(judging)], sort_keys=True)
    if text != study.ledger.meta(_META):
        study.ledger.set_meta(_META, text)


def choose(study: Study, judge: str | None = None, protocol: Protocol = "ours") -> Judging | None:
    """The last judging by this judge; without a name the last by a model, and only failing that the one by rules."""
    found = [j for j in judgings(study) if j.protocol == protocol and not j.refetch and not j.repeat]
    if judge is not None:
        wanted = offline.JUDGE if judge == "offline" else judge
        found = [j for j in found if j.judge == wanted or j.id == judge]
        if not found and protocol == "ours":
            known = ", ".join(sorted({j.judge for j in judgings(study)})) or "nobody yet"
            raise Misuse(f"{study.folder}: {judge} has not judged it; judged by {known}")
    by_model = [j for j in found if not j.rule_written]
    ranked = by_model or found
    return ranked[-1] if ranked else None


def refetched(study: Study, judging: Judging | None) -> Judging | None:
    """The last judging by the same judge against the pages as they were read anew."""
    if judging is None:
        return None
    same = [
        j
        for j in judgings(study)
        if j.refetch and j.judge == judging.judge and j.protocol == judging.protocol
    ]
    return same[-1] if same else None


@dataclass(frozen=True)
class Verdict:
    """A rating or a preference; `value` is `None` where the judge failed, and `reason` says how."""

    value: Any
    justification: str | None
    reason: str | None = None


@dataclass(frozen=True)
class Claims:
    """Of one report; `claims` is `None` where they could not be extracted."""

    key: str
    claims: Sequence[Mapping[str, Any]] | None
    rejects: Mapping[str, int]
    reason: str | None = None


@dataclass
class Judged:
    """One judging over all answers."""

    judging: Judging | None
    answers: list[Answer]
    claims: dict[str, dict[str, Claims]] = field(default_factory=dict)
    """By mode, then by answer."""
    support: dict[str, dict[str, Mapping[str, Any]]] = field(default_factory=dict)
    """By answer, then by item."""
    ratings: dict[str, dict[str, Verdict]] = field(default_factory=dict)
    pairs: dict[tuple[str, str, str], Verdict] = field(default_factory=dict)
    """By (first, second, dimension): who won by place."""
    rules: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    failures: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    """By answer: the labels a judge proposed, each with the place that shows it."""
    units: Counter[str] = field(default_factory=Counter)
    """Finished judgements by task."""
    failed: Counter[str] = field(default_factory=Counter)
    """Of these, without a usable answer, by task."""
    awaited: Counter[str] = field(default_factory=Counter)
    """Failed for a reason that may pass, such as an outage: to be judged again, and missing from the figures until then."""

    @cached_property
    def by_key(self) -> dict[str, Answer]:
        return {answer.key: answer for answer in self.answers}

    def judged_claims(self, answer: Answer, mode: str = "all") -> JudgedClaims | None:
        """`None` where nothing was extracted yet."""
        found = self.claims.get(mode, {}).get(answer.key)
        if found is None:
            return None
        if found.claims is None:
            return JudgedClaims(answer.query_id, answer.trial, None)
        verdicts = self.support.get(answer.key, {})
        by_claim: dict[str, list[Mapping[str, Any]]] = {}
        for verdict in verdicts.values():
            by_claim.setdefault(verdict["claim_id"], []).append(verdict)
        claims = [_judged(claim, by_claim.get(claim["id"], ())) for claim in found.claims]
        return JudgedClaims(answer.query_id, answer.trial, claims)

    def rated(self, answer: Answer) -> RatedReport | None:
        found = self.ratings.get(answer.key)
        if found is None:
            return None
        ratings = {name: verdict.value for name, verdict in found.items()}
        return RatedReport(answer.query_id, answer.trial, ratings, answer.words)

    def all_claims(self, answers: Sequence[Answer], mode: str = "all") -> list[JudgedClaims]:
        """Of every one of these answers as soon as one was judged: those that wait are unscored, not left out."""
        found = [(answer, self.judged_claims(answer, mode)) for answer in answers]
        if all(claims is None for _, claims in found):
            return []
        return [claims or JudgedClaims(answer.query_id, answer.trial, None) for answer, claims in found]

    def all_rated(self, answers: Sequence[Answer]) -> list[RatedReport]:
        """As `all_claims`, of grades."""
        if not any(answer.key in self.ratings for answer in answers):
            return []
        return [
            self.rated(answer) or RatedReport(answer.query_id, answer.trial, {}, answer.words)
            for answer in answers
        ]

    def comparisons(self) -> list[Comparison]:
        """Pairs in both orders (or, under the paper's protocol, in the one that was drawn); an order that waits has no winner."""
        found: list[Comparison] = []
        seen: set[tuple[str, str, str]] = set()
        for first, second, dimension in self.pairs:
            a, b = sorted((self.by_key[first], self.by_key[second]), key=lambda answer: answer.variant)
            if (a.key, b.key, dimension) in seen:
                continue
            seen.add((a.key, b.key, dimension))
            one = self.pairs.get((a.key, b.key, dimension))
            two = self.pairs.get((b.key, a.key, dimension))
            if self.judging is not None and self.judging.protocol == "paper":
                one = two = one or two if one is None or two is None else one
                a_first = _winner(one, first=first == a.key)
                b_first = a_first
            else:
                a_first, b_first = _winner(one, first=True), _winner(two, first=False)
            found.append(
                Comparison(
                    a.query_id, dimension, a.variant, b.variant, a_first, b_first, a.words, b.words, a.trial
                )
            )
        return sorted(found, key=lambda c: (DIMENSIONS.index(c.dimension), c.a, c.b, c.query, c.trial))


def _winner(verdict: Verdict | None, *, first: bool) -> Winner | None:
    """`first` says whether `a` stood first."""
    if verdict is None or verdict.value is None:
        return None
    if verdict.value == "tie":
        return "tie"
    return "a" if (verdict.value == "first") == first else "b"


def _judged(claim: Mapping[str, Any], verdicts: Iterable[Mapping[str, Any]]) -> JudgedClaim:
    page: dict[Any, Status | None] = {}
    seen: dict[Any, Status | None] = {}
    for verdict in verdicts:
        (page if verdict["against"] == "page" else seen)[verdict["type"]] = verdict["status"]
    for source_type in claim.get("types") or (["web"] if claim["urls"] and not page else []):
        page.setdefault(source_type, None)
    return JudgedClaim(claim["id"], page, {**page, **seen}, claim["resolved"])


def read_judged(
    study: Study,
    judging: Judging | None,
    *,
    answers: list[Answer] | None = None,
    among: Iterable[Record] | None = None,
) -> Judged:
    """Over all answers and judgements of the study, or over those given."""
    judged = Judged(judging, read_answers(study) if answers is None else answers)
    if judging is None:
        return judged
    ours = [r for r in (study.records("judgement", None) if among is None else among) if _belongs(r, judging)]
    records = sorted((r for r in ours if _settled(r)), key=lambda r: (r.finished_at, r.key))
    for record in records:
        if record.key_fields["task"] == "claims":
            _read_claims(judged, record)
    chosen = {c.key for by_answer in judged.claims.values() for c in by_answer.values()}
    _count_awaited(judged, ours, records, chosen)
    for record in records:
        task = record.key_fields["task"]
        if task == "support" and record.key_fields["claims"] not in chosen:
            continue
        judged.units[task] += 1
        judged.failed[task] += not record.done
        if task == "support":
            _read_support(judged, record)
        elif task == "rating":
            value = record.result.get("rating") if record.done else None
            verdict = Verdict(value, record.result.get("justification"), record.reason)
            judged.ratings.setdefault(record.key_fields["answer"], {})[record.key_fields["dimension"]] = (
                verdict
            )
        elif task == "pairwise":
            fields = record.key_fields
            if fields["first"] in judged.by_key and fields["second"] in judged.by_key:
                value = record.result.get("winner") if record.done else None
                verdict = Verdict(value, record.result.get("justification"), record.reason)
                judged.pairs[fields["first"], fields["second"], fields["dimension"]] = verdict
        elif task == "failures" and record.done:
            judged.failures[record.key_fields["answer"]] = record.result["failures"]
        elif task == "rules" and record.done:
            judged.rules[record.key_fields["answer"]] = record.result["rules"]
    if judged.rules:
        judged.units["rules"] = len(judged.rules)  # checks by older rules are not counted again
    return judged


def _count_awaited(
    judged: Judged, ours: Sequence[Record], settled: Sequence[Record], chosen: set[str]
) -> None:
    """Only of what is judged today: another key of the same judgement may have been settled since."""
    known = {_subject(record) for record in settled}
    for record in ours:
        fields = record.key_fields
        if not record.transient or record.status != "failed" or _subject(record) in known:
            continue
        if fields["task"] != "support" or fields["claims"] in chosen:
            judged.awaited[fields["task"]] += 1


def _subject(record: Record) -> tuple[Any, ...]:
    fields = record.key_fields
    names = ("task", "mode", "answer", "first", "second", "dimension", "claims")
    return (*(fields.get(name) for name in names), *fields.get("items", ()))


def _settled(record: Record) -> bool:
    """What failed for a transient reason or for want of money is not judged yet."""
    return record.done or not (record.transient or record.status == "over_budget")


def _belongs(record: Record, judging: Judging) -> bool:
    fields = record.key_fields
    task = fields.get("task")
    if task == "rules":
        return True
    if fields.get("protocol") != judging.protocol:
        return False
    if task == "claims":
        # Repetitions hold the same claims against the same evidence.
        same = fields["judge"] == judging.extractor and not fields["repeat"]
        return bool(same and fields["version"] == judging.versions.get(f"claims/{fields['mode']}"))
    if fields["judge"] != judging.judge or fields["repeat"] != judging.repeat:
        return False
    if task == "support" and fields["refetch"] != judging.refetch:
        return False
    name = f"{task}/{fields['dimension']}" if "dimension" in fields else str(task)
    return bool(fields["version"] == judging.versions.get(name))


def _read_claims(judged: Judged, record: Record) -> None:
    fields = record.key_fields
    claims = record.result["claims"] if record.done else None
    found = Claims(record.key, claims, record.result.get("rejects", {}), record.reason)
    judged.claims.setdefault(fields["mode"], {})[fields["answer"]] = found


def _read_support(judged: Judged, record: Record) -> None:
    here = judged.support.setdefault(record.key_fields["answer"], {})
    if record.done:
        here.update(record.result["verdicts"])
        judged.failed["support"] += any(
            v["status"] == "judge_error" for v in record.result["verdicts"].values()
        )
        return
    for name in record.key_fields["items"]:
        claim_id, source_type, *rest = name.split("-")
        here[name] = {
            "claim_id": claim_id,
            "type": source_type,
            "against": rest[0] if rest else "page",
            "status": "judge_error",
            "reason": f"{record.reason}: {record.message}",
            "sources": [],
            "spans": [],
        }
