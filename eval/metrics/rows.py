"""The documents of a judged study as types: what `drr report --json` and `drr study compare --json` print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict, cast

from drr.env.plugins import merged
from drr.eval.checks.reading import FiguresRow
from drr.eval.foreign.summary import ForeignTableRow
from drr.eval.judging.marks import MarksRow
from drr.eval.stats.corrected import CorrectedRow
from drr.eval.stats.differences import DifferenceRow
from drr.eval.stats.intervals import VRow
from drr.eval.stats.pairs import PairDetail, PairRow
from drr.eval.stats.ratings import LengthRow


class JudgeRow(TypedDict):
    name: str
    claims_by: str
    id: str
    protocol: str
    prompts: dict[str, str]
    rule_written: bool


class Provenance(TypedDict):
    made_by: str
    shop: list[str]
    models: list[str]


class TaskRow(TypedDict):
    judged: int
    failed: int
    failed_share: float


class VariantCoverage(TypedDict):
    answers: int
    broken_off: dict[str, int]
    """Answers whose research ended in the middle because the model failed, by reason; each has a report from what was known."""
    claims_extracted: int
    extract_error: int
    extraction_rejects: dict[str, int]
    silent_sections: dict[str, int]
    """Headings of sections of which no claim came, with the reports that have one; the most frequent."""
    without_claims: int
    without_citations: int
    verdicts: dict[str, dict[str, int]]
    reading: dict[str, int]
    citations: dict[str, int]
    """Citations judged one by one, by verdict."""
    rated: int
    figures: FiguresRow | None
    """Figures of the reports that rules could read; `None` where nobody counted."""


class PaperCoverage(TypedDict):
    tasks: dict[str, TaskRow]
    invalid: bool
    invalid_because: list[str]


class CoverageRow(PaperCoverage):
    answers: int
    unjudged: NotRequired[int]
    """Answers that this judging has nothing of; not there where there are none."""
    failed: NotRequired[dict[str, dict[str, int]]]
    """Answers that there are none of, by variant and how they failed (`empty`, `no_research`, ...); they are in no figure."""
    lost: NotRequired[list[str]]
    """Answers that lack texts and are in no figure, by label; not there where there are none."""
    marks: NotRequired[MarksRow]
    """Reviewers' marks of right and wrong; absent where there are none."""
    variants: dict[str, VariantCoverage]


class PaperDocument(TypedDict):
    label: str
    note: str
    metrics: dict[str, dict[str, VRow]]
    pairwise: list[PairRow]
    coverage: PaperCoverage


class FailureExample(TypedDict):
    answer: str
    by: str | None
    text: str | None


class FailureShare(TypedDict):
    share: VRow
    found: int
    """Reports that have it, also where nobody could have said that one has not."""
    unfounded: int
    """Reports that a judge charged with it by words that they lack: unknown, and in no share."""
    examples: list[FailureExample]


class FailureDocument(TypedDict):
    labels: list[str]
    corrected: int
    corrections: list[dict[str, str | bool]]
    corrections_of_no_answer: list[str]
    variants: dict[str, dict[str, FailureShare]]


class CorrectedFigure(CorrectedRow):
    metric: str
    variant: str
    """`a : b` for a win rate, from the side of `a`."""
    biased: str | None
    """Why the labels are no random sample; `None` where they are one, whole."""


class CorrectedDocument(TypedDict):
    figures: list[CorrectedFigure]
    labels: int
    unmatched: int
    """Labels of nothing that this judge judged."""


class AlignmentRun(TypedDict):
    """One reading of a version of a prompt, on one half of the labels."""

    version: int
    hash: str
    judge: str
    half: str
    made_by: str
    items: int
    mad: VRow
    mad_of_range: float | None
    bias: VRow
    pca: VRow
    pca_chance: float | None
    rank: VRow
    rank_chance: float | None


class AlignmentRow(TypedDict):
    """The alignment of a judge with experts."""

    task: str
    seal: str
    target: float
    range: list[float]
    dev: int
    """Number of things."""
    test: int
    test_read: int
    """Number of readings."""
    ended: str | None
    """Reason of the end; `None` while it goes on."""
    runs: list[AlignmentRun]


class StudyDocument(TypedDict):
    """Parts that papers bring stand beside these, each under its own key."""

    schema: int
    judge: JudgeRow | None
    banner: str | None
    provenance: Provenance
    metrics: dict[str, dict[str, VRow]]
    """Values by variant and metric."""
    pairwise: list[PairRow]
    pairwise_detail: PairDetail | None
    length_correlation: dict[str, LengthRow] | None
    coverage: CoverageRow
    failures: FailureDocument | None
    as_printed: NotRequired[PaperDocument]
    corrected: NotRequired[CorrectedDocument]
    """Present with `--labels`."""
    alignment: NotRequired[list[AlignmentRow]]
    """Present where a judge was aligned with experts in this study."""
    foreign: NotRequired[list[ForeignTableRow]]
    """Other benchmarks' scores for the same reports, as imported."""


class MetricRow(TypedDict):
    """The declaration of a metric."""

    label: str
    explanation: str
    table: str | None
    unit: str
    range: list[float] | None
    least: float | None
    better: str | None
    digits: int


class FloorRow(TypedDict):
    """Two runs of one system lie less than `value` apart in 19 of 20 cases."""

    value: float
    by: Literal["trials", "judge repeats"]
    n: int
    """Questions or reports that were repeated."""


class CompareDocument(TypedDict):
    schema: int
    a: str
    b: str
    judge: str | None
    banner: str | None
    figures: dict[str, FiguresRow]
    """Figures of the reports of each that rules could read; empty where nobody counted."""
    same_reports: int
    """Reports of both that are equal byte for byte,"""
    reports: int
    """of so many questions and trials that both answered."""
    metrics: dict[str, DifferenceRow]
    noise: dict[str, FloorRow]
    """Least differences that are more than repetition; metrics that were not repeated are absent."""
    about: dict[str, MetricRow]
    pairwise: list[PairRow]


class SpentRow(TypedDict):
    """Means; a figure that is not known of one part is not known."""

    tokens: VRow
    calls: VRow
    seconds: VRow
    usd: VRow


class SpentInAll(TypedDict):
    tokens: int | None
    calls: int
    seconds: float
    usd: float | None


class SystemCost(TypedDict):
    agent: SpentRow
    """Cost of an answer."""
    recall: NotRequired[SpentRow]
    """Cost of the memory per question of a person."""
    build: NotRequired[SpentRow]
    """Cost of the memory per person: observing, once for all questions and budgets."""
    judge: NotRequired[SpentRow]
    """Per answer, what was judged of it alone."""
    failed: int
    """Answers that failed, and are in none of these means;"""
    failed_usd: float | None
    """cost of these."""


class CostDocument(TypedDict):
    """The cost of each system, and of judging it."""

    systems: dict[str, SystemCost]
    shared: dict[str, SpentInAll]
    """Cost of judging that belongs to no single answer (criteria, pairs, key points), by task."""


def cost_part(document: Mapping[str, object]) -> CostDocument | None:
    """The costs of a study's document, in whichever paper's part they stand."""
    parts = cast(Mapping[str, Mapping[str, Any]], document)
    return next(
        (parts[name]["cost"] for name in merged("documents") if parts.get(name, {}).get("cost")), None
    )
