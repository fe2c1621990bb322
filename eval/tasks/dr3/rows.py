"""What is known of the required facts of a task in one report: found by rule, by a judge, contradicted by a distractor's statement.

`fact_labels` is how anybody reads it: the report's tables, the viewer's page of a task, other judgements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NotRequired, TypedDict, cast

from drr.eval.tasks.judged import Judged
from drr.filetasks.truth import ChangeKind

FACTS = "facts"
"""The task that looks by rule, and where a judging keeps what it found."""
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
    """Those that say it."""
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


class InsightRow(TypedDict):
    """What a judge says of one fact."""

    score: float | None
    reason: str
    span: NotRequired[list[int]]
    """The words that it quoted, where the report holds them."""


@dataclass(frozen=True, slots=True)
class FactPlaceLabel:
    address: str
    quote: str | None


@dataclass(frozen=True, slots=True)
class RepeatedChange:
    kind: ChangeKind
    value: str
    pages: tuple[str, ...]
    span: Span


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
    places: tuple[FactPlaceLabel, ...]
    """Where it stands in the task: files and pages."""
    rule: float | None
    """1 wholly, 0.5 in part, 0 not found; `None`: code cannot look for it."""
    rule_reason: str
    spans: tuple[Span, ...]
    """Sentences of the report that tell it by the rule, best first."""
    repeated: tuple[RepeatedChange, ...]
    """Falsified values that the report states of its subject."""
    judge: float | None = None
    judge_reason: str = ""
    judge_span: Span | None = None
    by_judge: bool = False
    """A judge was asked, so that where the rule found nothing it is his to say."""

    @property
    def score(self) -> float | None:
        """What counts: what the rule found wholly is there; else as the judge says, where one was asked."""
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


def fact_rows(judged: Judged, answer: str) -> Sequence[RequiredFactRow] | None:
    """`None` where nobody looked yet, or looking failed."""
    return cast("Sequence[RequiredFactRow] | None", judged.others.get(FACTS, {}).get(answer))


def fact_labels(judged: Judged, answer: str) -> tuple[FactLabel, ...] | None:
    """Every required fact of the answer's task; `None` where nobody looked yet, or looking failed."""
    rows = fact_rows(judged, answer)
    return None if rows is None else tuple(_label(row) for row in rows)


def _label(row: RequiredFactRow, said: Mapping[str, InsightRow] | None = None) -> FactLabel:
    one = None if said is None else said.get(row["id"])
    span = None if one is None else one.get("span")
    return FactLabel(
        row["id"],
        row["source"],
        row["subject"],
        row["attribute"],
        row["value"],
        row["text"],
        row["modality"],
        tuple(FactPlaceLabel(place["address"], place["quote"]) for place in row["places"]),
        row["score"],
        row["reason"],
        tuple((start, end) for start, end in row["spans"]),
        tuple(
            RepeatedChange(one["kind"], one["value"], tuple(one["pages"]), (one["start"], one["end"]))
            for one in row["repeated"]
        ),
        None if one is None else one["score"],
        "" if one is None else one["reason"],
        None if span is None else (span[0], span[1]),
        said is not None,
    )
