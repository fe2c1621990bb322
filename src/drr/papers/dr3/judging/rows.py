"""The rows of judgements of one report on a task with files: facts, documents, checklist points and depth.

`fact_labels` is the way to read them, for tables of the report, pages of the viewer and other judgements.
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
"""Names of the judging tasks: the first goes by rule, the other three ask a judge."""
Modality = Literal["text", "table", "picture"]
Role = Literal["file", "page", "distractor"]


class PlaceRow(TypedDict):
    address: str
    quote: str | None


class RepeatedRow(TypedDict):
    """A false statement of a distractor that the report repeats about the same subject."""

    kind: ChangeKind
    value: str
    pages: list[str]
    """Addresses of the pages that make the statement."""
    start: int
    end: int
    """End of the sentence, which is `report[start:end]`."""


class RequiredFactRow(TypedDict):
    """A required fact of a task, with the rule's finding in one report."""

    id: str
    source: Literal["file", "page"]
    subject: str
    attribute: str
    value: str
    text: str
    modality: Modality
    places: list[PlaceRow]
    """Places of the fact in the task's files and pages."""
    score: float | None
    """1: stated in full, 0.5: in part, 0: not stated; `None`: code cannot look for the fact."""
    reason: str
    spans: list[list[int]]
    """Spans of the sentences of the report that state the fact, best first."""
    repeated: list[RepeatedRow]
    met: bool | None
    """True if the run's tools returned the fact; `None`: unknown."""


class DocumentRow(TypedDict):
    """A document that the task needs, or a distractor that the report cites."""

    id: str
    """`file://NAME`, or the address of a page."""
    role: Role
    cited: bool


class PointRuleRow(TypedDict):
    """A point of the checklist; a point that lists facts is decided by the scores of those facts."""

    id: str
    requirement: str
    category: str
    facts: list[str]


class KnownRow(TypedDict):
    """All findings of the rules on one report on a task with files."""

    facts: list[RequiredFactRow]
    documents: list[DocumentRow]
    points: list[PointRuleRow]


class ThingRow(TypedDict):
    """A judge's verdict on one fact or point."""

    reason: str
    span: NotRequired[list[int]]
    """Span of the words that the judge quoted, if the report contains them."""


class InsightRow(ThingRow):
    score: float | None


class PointMetRow(ThingRow):
    met: bool | None


class DepthRow(TypedDict):
    grade: int | None
    """Grade from 1 to 10; `None` if unknown."""
    reason: str


@dataclass(frozen=True, slots=True)
class FactLabel:
    """A required fact in one report: the finding of the rule and the verdict of a judge."""

    row: RequiredFactRow
    verdict: InsightRow | None = None
    asked: bool = False
    """True if a judge was asked, who then decides on all that the rule did not find in full."""

    @property
    def by_rule(self) -> bool:
        """Tell whether the rule decides: it does if it found the fact in full, or if no judge was asked."""
        return self.row["score"] == 1 or not self.asked

    @property
    def judge(self) -> float | None:
        return None if self.verdict is None else self.verdict["score"]

    @property
    def score(self) -> float | None:
        """Return the score that counts: the rule's or the judge's."""
        return self.row["score"] if self.by_rule else self.judge

    @property
    def reason(self) -> str:
        return self.row["reason"] if self.by_rule else "" if self.verdict is None else self.verdict["reason"]

    @property
    def met(self) -> bool | None:
        return self.row.get("met")

    def words(self, report: str) -> str:
        """Return the words of the report that state the fact; empty if no place is known."""
        spans = self.row["spans"]
        return words_of(report, (spans[0] if spans else None) if self.by_rule else span_of(self.verdict))


@dataclass(frozen=True, slots=True)
class PointLabel:
    """A point of the checklist in one report."""

    row: PointRuleRow
    met: bool | None
    verdict: PointMetRow | None = None
    """The judge's verdict; `None` if facts decide the point, or no judge was asked."""


def span_of(verdict: ThingRow | None) -> list[int] | None:
    return None if verdict is None else verdict.get("span")


def words_of(report: str, span: list[int] | None) -> str:
    return "" if span is None else report[slice(*span)].strip()


def known_row(judged: Judged, answer: str) -> KnownRow | None:
    """Return the findings of the rules on an answer. `None`: the answer was not looked at yet, or looking failed."""
    return cast("KnownRow | None", judged.others.get(FACTS, {}).get(answer))


def fact_labels(judged: Judged, answer: str) -> tuple[FactLabel, ...] | None:
    """Return the labels of every required fact of an answer's task. `None`: the report was not looked at yet, or looking failed."""
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
    """Return the labels of the checklist's points, in order. `None`: the report was not looked at yet, or looking failed."""
    known = known_row(judged, answer)
    if known is None:
        return None
    scores = {label.row["id"]: label.score for label in fact_labels(judged, answer) or ()}
    verdicts = cast("Mapping[str, PointMetRow]", judged.others.get(FOLLOWING, {}).get(answer) or {})
    return tuple(_point(row, scores, verdicts.get(row["id"])) for row in known["points"])


def _point(row: PointRuleRow, scores: Mapping[str, float | None], verdict: PointMetRow | None) -> PointLabel:
    """Label one point. A point that lists facts is met if the report states all of them, whatever a judge says."""
    if not row["facts"]:
        return PointLabel(row, None if verdict is None else verdict["met"], verdict)
    own = [scores[name] for name in row["facts"]]
    if any(score is not None and score < 1 for score in own):
        return PointLabel(row, met=False)
    return PointLabel(row, None if None in own else True)


def depth_of(judged: Judged, answer: str) -> DepthRow | None:
    """Return the depth grade of an answer; `None` if the answer was not graded yet."""
    return cast("DepthRow | None", judged.others.get(DEPTH, {}).get(answer))


def document_rows(
    report: str, facts: Iterable[TaskFact], files: Iterable[str], pages: Iterable[KnownPage]
) -> list[DocumentRow]:
    """List the required documents of a task, then the distractors that the report cites."""
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
    """Return the address of the whole document that an address points into."""
    place = file_place(canonical_url(address))
    return file_address(place.name) if place is not None else urldefrag(canonical_url(address)).url
