"""The types of a study of tasks with files: a part of what `drr report --json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired, TypedDict, cast

from drr.eval.metrics.rows import CostDocument, StudyDocument
from drr.eval.stats.intervals import DifferenceRow, VRow


class ErrorExample(TypedDict):
    answer: str
    words: str


class ErrorShare(TypedDict):
    share: VRow
    """Of a report's errors, mean over queries."""
    count: int
    examples: list[ErrorExample]


class Dr3Difference(TypedDict):
    """One minus another, paired by task: two sizes of one system, or two systems at all sizes that both answered."""

    system: str
    """Of the first."""
    a: str
    b: str
    metrics: dict[str, DifferenceRow]
    """`p_holm` is corrected over all differences of its list."""


class NoiseRow(TypedDict):
    sd: float | None
    """Of one report's figure; `None`: not measured."""
    n: int
    """Questions with several trials, or reports that were judged several times."""


class NoiseFloor(TypedDict):
    between: Literal["trials", "judgings"] | None
    metrics: dict[str, NoiseRow]


class Dr3Document(TypedDict):
    sizes: dict[str, dict[str, dict[str, VRow]]]
    """By system, size and metric; the smallest size first."""
    between_sizes: list[Dr3Difference]
    """Each size against the smallest."""
    between_options: list[Dr3Difference]
    """Each system against the one of its architecture that has most of its options and no other."""
    modalities: dict[str, dict[str, VRow]]
    """By system: recall of the facts that stand in text, in a table, in a picture."""
    errors: dict[str, dict[str, ErrorShare]]
    noise: dict[str, NoiseFloor]
    """By system."""
    cost: NotRequired[CostDocument]
    """What answering and judging took."""


def dr3_part(document: StudyDocument) -> Dr3Document | None:
    """The part of a study's document."""
    return cast(Mapping[str, Dr3Document], document).get("dr3")
