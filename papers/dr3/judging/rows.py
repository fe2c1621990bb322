"""The findings on the required facts of a task in one report. By rule, by a judge, contradicted by a distractor's statement.

`fact_labels` is how anybody reads it: the report's tables, the viewer's page of a task, other judgements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NotRequired, TypedDict, cast
from urllib.parse import urldefrag

from drr.citations.addresses import canonical_url
from drr.citations.files import SCHEME, file_address, file_place
from drr.citations.parse import parse
from drr.eval.tasks.judgements import Judged
from drr.papers.dr3.truth import ChangeKind, KnownPage, TaskFact

FACTS, INSIGHTS, FOLLOWING, DEPTH = "facts", "insights", "following", "depth"
"""The tasks, and where a judging keeps what they found: by rule, and three that ask a judge."""
Span = tuple[int, int]
Modality = Literal["text", "table", "picture"]
Role = Literal["file", "page", "distractor"]


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
    """Places in the task's files and pages."""
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
    role: Role
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


class ThingRow(TypedDict):
    """A judge's verdict on one thing."""

    reason: str
    span: NotRequired[list[int]]
    """The words that it quoted, where the report holds them."""


class InsightRow(ThingRow):
    score: float | None


class PointMetRow(ThingRow):
    met: bool | None


class DepthRow(TypedDict):
    grade: int | None
    """1-10."""
    reason: str


@dataclass(frozen=True, slots=True)
class FactLabel:
    """One required fact in one report: what the rule found, and what a judge says of it."""

    row: RequiredFactRow
    verdict: InsightRow | None = None
    asked: bool = False
    """A judge was asked, so that where the rule found nothing it is his to say."""

    @property
    def by_rule(self) -> bool:
        """Tell who decides: the rule on what it found wholly; else the judge, where one was asked."""
        return self.row["score"] == 1 or not self.asked

    @property
    def judge(self) -> float | None:
        return None if self.verdict is None else self.verdict["score"]

    @property
    def score(self) -> float | None:
        """Score what counts."""
        return self.row["score"] if self.by_rule else self.judge

    @property
    def reason(self) -> str:
        return self.row["reason"] if self.by_rule else "" if self.verdict is None else self.verdict["reason"]

    @property
    def met(self) -> bool | None:
        return self.row.get("met")

    def words(self, report: str) -> str:
        """The words of the report that show it; empty where there is no place."""
        spans = self.row["spans"]
        return words_of(report, (spans[0] if spans else None) if self.by_rule else span_of(self.verdict))


@dataclass(frozen=True, slots=True)
class PointLabel:
    """One point of the checklist in one report."""

    row: PointRuleRow
    met: bool | None
    verdict: PointMetRow | None = None
    """The judge's verdict; `None` where facts decide, or nobody was asked."""


def span_of(verdict: ThingRow | None) -> list[int] | None:
    return None if verdict is None else verdict.get("span")


def words_of(report: str, span: list[int] | None) -> str:
    return "" if span is None else report[slice(*span)].strip()


def known_row(judged: Judged, answer: str) -> KnownRow | None:
    """`None` where nobody looked yet, or looking failed."""
    return cast("KnownRow | None", judged.others.get(FACTS, {}).get(answer))


def fact_labels(judged: Judged, answer: str) -> tuple[FactLabel, ...] | None:
    """Every required fact of the answer's task; `None` where nobody looked yet, or looking failed."""
    known = known_row(judged, answer)
    verdicts = cast("Mapping[str, InsightRow] | None", judged.others.get(INSIGHTS, {}).get(answer))
    if known is None:
        return None
    return tuple(
        FactLabel(row, (verdicts or {}).get(row["id"]), verdicts is not None) for row in known["facts"]
    )


def documents_of(judged: Judged, answer: str) -> list[DocumentRow]:
    known = known_row(judged, answer)
    return [] if known is None else known["documents"]


def point_labels(judged: Judged, answer: str) -> tuple[PointLabel, ...] | None:
    """The checklist in its order; `None` where nobody looked at the report yet, or looking failed."""
    known = known_row(judged, answer)
    if known is None:
        return None
    scores = {label.row["id"]: label.score for label in fact_labels(judged, answer) or ()}
    verdicts = cast("Mapping[str, PointMetRow]", judged.others.get(FOLLOWING, {}).get(answer) or {})
    return tuple(_point(row, scores, verdicts.get(row["id"])) for row in known["points"])


def _point(row: PointRuleRow, scores: Mapping[str, float | None], verdict: PointMetRow | None) -> PointLabel:
    """A point that names facts is met where all of them are there, whatever a judge says."""
    if not row["facts"]:
        return PointLabel(row, None if verdict is None else verdict["met"], verdict)
    own = [scores[name] for name in row["facts"]]
    if any(score is not None and score < 1 for score in own):
        return PointLabel(row, met=False)
    return PointLabel(row, None if None in own else True)


def depth_of(judged: Judged, answer: str) -> DepthRow | None:
    """`None` where nobody graded it yet."""
    return cast("DepthRow | None", judged.others.get(DEPTH, {}).get(answer))


def document_rows(
    report: str, facts: Iterable[TaskFact], files: Iterable[str], pages: Iterable[KnownPage]
) -> list[DocumentRow]:
    """List the required documents, then the distractors that are cited."""
    cited = {document_id(marker.url) for marker in parse(report).markers if marker.url is not None}
    addresses = [place.address for fact in facts for place in fact.places if place.address.startswith(SCHEME)]
    named = [place.name for one in addresses if (place := file_place(canonical_url(one))) is not None]
    known = [(document_id(page.url), page.kind) for page in pages]
    roles: list[tuple[str, Role]] = [
        *((name, "file") for name in dict.fromkeys(map(file_address, (*files, *named)))),
        *((name, "page") for name, kind in known if kind == "supportive"),
        *((name, "distractor") for name, kind in known if kind == "distractor" and name in cited),
    ]
    return [DocumentRow(id=name, role=role, cited=name in cited) for name, role in roles]


def document_id(address: str) -> str:
    """Identify the whole document that an address is in."""
    place = file_place(canonical_url(address))
    return file_address(place.name) if place is not None else urldefrag(canonical_url(address)).url
