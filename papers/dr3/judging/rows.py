"""The findings on the required facts of a task in one report. By rule, by a judge, contradicted by a distractor's statement.

`fact_labels` is how anybody reads it: the report's tables, the viewer's page of a task, other judgements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NotRequired, TypedDict, cast
from urllib.parse import urldefrag

from drr.citations.addresses import canonical_url
from drr.citations.files import SCHEME, file_address, file_place
from drr.citations.parse import parse
from drr.eval.tasks.judged import Judged
from drr.papers.dr3.truth import ChangeKind, KnownPage, TaskFact

FACTS, INSIGHTS, FOLLOWING, DEPTH = "facts", "insights", "following", "depth"
"""The tasks, and where a judging keeps what they found: by rule, and three that ask a judge."""
Span = tuple[int, int]
Modality = Literal["text", "table", "picture"]


class PlaceRow(TypedDict):
    address: str
    quote: str | None


class RepeatedRow(TypedDict):
    """A statement that a recorded change made, as the report says it of the very thing."""

    kind: ChangeKind
    value: str
    pages: list[str]
    """Pages that say it."""
    start: int
    end: int
    """`report[start:end]` is the sentence."""


class RequiredFactRow(TypedDict):
    """One required fact as the rule found it in a report."""

    id: str
    source: Literal["file", "page"]
    subject: str
    attribute: str
    value: str
    text: str
    modality: Modality
    places: list[PlaceRow]
    score: float | None
    """1 wholly, 0.5 in part, 0 not; `None`: code cannot look for it."""
    reason: str
    spans: list[list[int]]
    """Sentences of the report, best first."""
    repeated: list[RepeatedRow]
    met: bool | None
    """True where the run's tools returned it; `None`: unknown."""


class DocumentRow(TypedDict):
    """A document that the task needs, or a distractor that was cited."""

    id: str
    """`file://NAME`, or the page's address."""
    role: Literal["file", "page", "distractor"]
    cited: bool


class PointRuleRow(TypedDict):
    """A point of the checklist; one that names facts is decided by what is known of them."""

    id: str
    requirement: str
    category: str
    facts: list[str]


class KnownRow(TypedDict):
    """All that code says of one report on a task with files."""

    facts: list[RequiredFactRow]
    documents: list[DocumentRow]
    points: list[PointRuleRow]


class InsightRow(TypedDict):
    """Verdict of a judge on one fact."""

    score: float | None
    reason: str
    span: NotRequired[list[int]]
    """The words that it quoted, where the report holds them."""


class PointMetRow(TypedDict):
    """Verdict of a judge on one point of the checklist."""

    met: bool | None
    reason: str
    span: NotRequired[list[int]]


class DepthRow(TypedDict):
    grade: int | None
    """1-10."""
    reason: str


@dataclass(frozen=True, slots=True)
class FactLabel:
    """One required fact in one report: both labels, with where they rest."""

    id: str
    source: Literal["file", "page"]
    subject: str
    attribute: str
    value: str
    text: str
    modality: Modality
    places: Sequence[PlaceRow]
    """Places in the task's files and pages."""
    rule: float | None
    """1 wholly, 0.5 in part, 0 not found; `None`: code cannot look for it."""
    rule_reason: str
    spans: tuple[Span, ...]
    """Sentences of the report that tell it by the rule, best first."""
    repeated: Sequence[RepeatedRow]
    """Falsified values that the report states of its subject."""
    met: bool | None
    """True where the run's tools returned it; `None`: unknown."""
    judge: float | None = None
    judge_reason: str = ""
    judge_span: Span | None = None
    by_judge: bool = False
    """A judge was asked, so that where the rule found nothing it is his to say."""

    @property
    def score(self) -> float | None:
        """Score what counts: what the rule found wholly is there; else the judge decides, where one was asked."""
        if self.rule == 1 or not self.by_judge:
            return self.rule
        return self.judge

    @property
    def contradicted(self) -> bool:
        return bool(self.repeated)

    @property
    def shown(self) -> Span | None:
        """The words of the report that show it."""
        if self.rule == 1 or not self.by_judge:
            return self.spans[0] if self.spans else None
        return self.judge_span


@dataclass(frozen=True, slots=True)
class PointLabel:
    """One point of the checklist in one report."""

    id: str
    requirement: str
    category: str
    facts: tuple[str, ...]
    """Those that decide it; empty where a judge does."""
    met: bool | None
    reason: str
    """The judge's; empty where nobody was asked."""
    span: Span | None
    """The words of the report that the judge quoted."""


def known_row(judged: Judged, answer: str) -> KnownRow | None:
    """`None` where nobody looked yet, or looking failed."""
    return cast("KnownRow | None", judged.others.get(FACTS, {}).get(answer))


def fact_labels(judged: Judged, answer: str) -> tuple[FactLabel, ...] | None:
    """Every required fact of the answer's task; `None` where nobody looked yet, or looking failed."""
    known = known_row(judged, answer)
    rows = cast("Mapping[str, InsightRow] | None", judged.others.get(INSIGHTS, {}).get(answer))
    return None if known is None else tuple(_label(row, rows) for row in known["facts"])


def documents_of(judged: Judged, answer: str) -> Sequence[DocumentRow] | None:
    known = known_row(judged, answer)
    return None if known is None else known["documents"]


def points_met(judged: Judged, answer: str) -> Mapping[str, bool | None] | None:
    """Each point of the checklist; `None` of one that nobody decided. A point that names facts is met where all of them are there."""
    labels = point_labels(judged, answer)
    return None if labels is None else {label.id: label.met for label in labels}


def point_labels(judged: Judged, answer: str) -> tuple[PointLabel, ...] | None:
    """The checklist in its order; `None` where nobody looked at the report yet, or looking failed."""
    known, labels = known_row(judged, answer), fact_labels(judged, answer)
    if known is None or labels is None:
        return None
    scores = {label.id: label.score for label in labels}
    rows = cast("Mapping[str, PointMetRow]", judged.others.get(FOLLOWING, {}).get(answer) or {})
    return tuple(_point(row, scores, rows.get(row["id"])) for row in known["points"])


def _point(row: PointRuleRow, scores: Mapping[str, float | None], judged: PointMetRow | None) -> PointLabel:
    by_facts = _all_there([scores[name] for name in row["facts"]]) if row["facts"] else None
    verdict = None if row["facts"] else judged
    span = None if verdict is None else verdict.get("span")
    return PointLabel(
        row["id"],
        row["requirement"],
        row["category"],
        tuple(row["facts"]),
        by_facts if verdict is None else verdict["met"],
        "" if verdict is None else verdict["reason"],
        None if span is None else (span[0], span[1]),
    )


def _all_there(scores: Sequence[float | None]) -> bool | None:
    if any(score is not None and score < 1 for score in scores):
        return False
    return None if None in scores else True


def depth_of(judged: Judged, answer: str) -> DepthRow | None:
    """`None` where nobody graded it yet."""
    return cast("DepthRow | None", judged.others.get(DEPTH, {}).get(answer))


def _label(row: RequiredFactRow, judged: Mapping[str, InsightRow] | None) -> FactLabel:
    one = None if judged is None else judged.get(row["id"])
    span = None if one is None else one.get("span")
    return FactLabel(
        row["id"],
        row["source"],
        row["subject"],
        row["attribute"],
        row["value"],
        row["text"],
        row["modality"],
        row["places"],
        row["score"],
        row["reason"],
        tuple((start, end) for start, end in row["spans"]),
        row["repeated"],
        row.get("met"),
        None if one is None else one["score"],
        "" if one is None else one["reason"],
        None if span is None else (span[0], span[1]),
        judged is not None,
    )


def document_rows(
    report: str, facts: Iterable[TaskFact], files: Iterable[str], pages: Iterable[KnownPage]
) -> list[DocumentRow]:
    """List the required documents, then the distractors that are cited."""
    cited = {document_id(marker.url) for marker in parse(report).markers if marker.url is not None}
    found = [
        DocumentRow(id=name, role="file", cited=name in cited)
        for name in dict.fromkeys(map(file_address, (*files, *_files_of(facts))))
    ]
    known = [(document_id(page.url), page.kind) for page in pages]
    found += [
        DocumentRow(id=name, role="page", cited=name in cited) for name, kind in known if kind == "supportive"
    ]
    found += [
        DocumentRow(id=name, role="distractor", cited=True)
        for name, kind in known
        if kind == "distractor" and name in cited
    ]
    return found


def document_id(address: str) -> str:
    """Identify the whole document that an address is in."""
    place = file_place(canonical_url(address))
    return file_address(place.name) if place is not None else urldefrag(canonical_url(address)).url


def _files_of(facts: Iterable[TaskFact]) -> Iterator[str]:
    """Yield the names of the files that facts stand in."""
    for fact in facts:
        for place in fact.places:
            if (
                place.address.startswith(SCHEME)
                and (named := file_place(canonical_url(place.address))) is not None
            ):
                yield named.name
