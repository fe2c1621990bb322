"""The shapes of ReportEval's judgements: five grades of a report, and what was said of each pair of its passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict, cast, get_args

from drr.eval.tasks.judged import Judged

GRADES, REPETITION = "grades", "repetition"
"""The two tasks, and where a judging keeps what they found."""
ReportSide = Literal["comprehensiveness", "coherence", "clarity", "insightfulness", "overall"]
SIDES: tuple[ReportSide, ...] = get_args(ReportSide)


class ReportGradeRow(TypedDict):
    grade: int | None
    reason: str
    """The judge's, or why there is no grade."""


class RepeatedWords(TypedDict):
    """What stands in both passages, as the judge quoted it and code found it."""

    first: str
    second: str


class RepetitionRow(TypedDict):
    """What is known of one pair of passages; `score` is `None` where the judge gave none that its quotations bear."""

    place: list[int]
    """Which passages of the report, from 0."""
    summary: bool
    """One of them stands in a summary, where a report repeats itself on purpose."""
    stands_for: float
    """So many pairs of the report."""
    heads: list[str]
    score: int | None
    explanation: str
    repetitions: list[RepeatedWords]
    unfounded: list[str]
    """Quotations that their passage does not hold."""
    reason: NotRequired[str]
    """Why there is no score."""


ReportGradeRows = Mapping[ReportSide, ReportGradeRow]


def report_grades_of(judged: Judged, answer: str) -> ReportGradeRows | None:
    """`None` where the report was not graded yet."""
    return cast("ReportGradeRows | None", judged.others.get(GRADES, {}).get(answer))


def repetition_of(judged: Judged, answer: str) -> Sequence[RepetitionRow] | None:
    """`None` where no pair was judged yet."""
    return cast("Sequence[RepetitionRow] | None", judged.others.get(REPETITION, {}).get(answer))
