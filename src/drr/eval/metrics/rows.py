"""The types of the documents about a judged study, which `drr report --json` and `drr study compare --json` print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict

from drr.env.json_object import JsonObject
from drr.env.plugins import papers
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
    """Answers whose research stopped early because the model failed, by reason. Each has a report from what was known then."""
    claims_extracted: int
    extract_error: int
    extraction_rejects: dict[str, int]
    silent_sections: dict[str, int]
    """Headings of sections in which no claim was found, each with its number of reports. Only the most frequent."""
    without_claims: int
    without_citations: int
    verdicts: dict[str, dict[str, int]]
    reading: dict[str, int]
    citations: dict[str, int]
    """Number of citations judged one by one, by verdict."""
    rated: int
    figures: FiguresRow | None
    """Counts of the figures that rules could read in the reports; `None` where nothing was counted."""


class PaperCoverage(TypedDict):
    tasks: dict[str, TaskRow]
    invalid: bool
    invalid_because: list[str]


class CoverageRow(PaperCoverage):
    answers: int
    unjudged: NotRequired[int]
    """Number of answers of which this run has judged nothing; absent where there are none."""
    failed: NotRequired[dict[str, dict[str, int]]]
    """Number of failed answers, by variant and kind of failure (`empty`, `no_research`, ...); they count in no figure."""
    lost: NotRequired[list[str]]
    """Labels of the answers whose texts are lost, and which count in no figure; absent where there are none."""
    marks: NotRequired[MarksRow]
    """Counts of reviewers' marks, right and wrong; absent where there are none."""
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
    """Number of reports with the failure, also of those where a method could only have found its presence."""
    unfounded: int
    """Number of reports that a judge charged with words that they lack. They count as unknown, in no share."""
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
    """The variant, or `a : b` for a win rate, from the side of `a`."""
    biased: str | None
    """Reason why the labels are no random sample; `None` where they are."""


class CorrectedDocument(TypedDict):
    figures: list[CorrectedFigure]
    labels: int
    unmatched: int
    """Number of labels on things that this judge did not judge."""


class AlignmentRun(TypedDict):
    """The result of one version of a prompt on one half of the labels."""

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
    """Number of things in the development half."""
    test: int
    test_read: int
    """Number of readings of the test half."""
    ended: str | None
    """Reason why the alignment ended; `None` while it goes on."""
    runs: list[AlignmentRun]


class GroupRow(TypedDict):
    """A figure of a system on the questions of a group, against that on all others."""

    system: str
    metric: str
    group: str
    mean: VRow
    difference: DifferenceRow
    """The group minus the rest; `value` is `None` where either is too small to be judged."""
    weak: bool
    """True where the group is shown to be worse than the rest."""


class GroupDocument(TypedDict):
    field: str
    groups: dict[str, int]
    """Number of questions of each group."""
    rows: list[GroupRow]


class StudyDocument(TypedDict):
    """The document of a judged study. Papers' plug-ins add further parts, each under its own key."""

    schema: int
    judge: JudgeRow | None
    banner: str | None
    provenance: Provenance
    metrics: dict[str, dict[str, VRow]]
    """Figures, by variant and metric."""
    pairwise: list[PairRow]
    pairwise_detail: PairDetail | None
    length_correlation: dict[str, LengthRow] | None
    coverage: CoverageRow
    failures: FailureDocument | None
    as_printed: NotRequired[PaperDocument]
    corrected: NotRequired[CorrectedDocument]
    """Figures corrected by people's labels; present with `--labels`."""
    alignment: NotRequired[list[AlignmentRow]]
    """Present where a judge was aligned with experts in this study."""
    standing: NotRequired[StandingRow]
    """The leader; in what `drr report` prints and bundles hold."""
    by: NotRequired[GroupDocument]
    """Figures by a field of the question."""
    foreign: NotRequired[list[ForeignTableRow]]
    """Scores that other benchmarks gave the same reports, as imported."""


class StandingRow(TypedDict):
    """The row that says who leads, as every page and command has it."""

    leads: str | None
    """The system that leads beyond chance; `None` where none does."""
    by: str | None
    """Metric that decides; `None` where none does."""
    test: str | None
    """The test with its level."""
    text: str


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


class JoinedRow(TypedDict):
    """The questions that variants of two studies share, and the other ones of each."""

    other: str
    """Folder of the second study."""
    questions: int
    only_a: list[str]
    only_b: list[str]


class CompareDocument(TypedDict):
    schema: int
    a: str
    b: str
    judge: str | None
    banner: str | None
    figures: dict[str, FiguresRow]
    """Counts of the figures that rules could read in each side's reports; empty where nothing was counted."""
    same_reports: int
    """Number of reports of both sides that are equal byte for byte."""
    reports: int
    """Number of questions and trials that both sides answered."""
    metrics: dict[str, DifferenceRow]
    noise: dict[str, JsonObject]
    """Noise floors by metric, each a `RepetitionFloor` by its fields: smaller differences are no more than repetition. Metrics without repetition are absent."""
    about: dict[str, MetricRow]
    pairwise: list[PairRow]
    standing: NotRequired[StandingRow]
    """The leader among all systems of the study."""
    by: NotRequired[GroupDocument]
    """The differences by a field of the question."""
    joined: NotRequired[JoinedRow]
    """The questions, where `b` is of another study."""


class SpentRow(TypedDict):
    """Means of cost. A figure that is unknown of one part is unknown as a whole."""

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
    """Cost per answer."""
    recall: NotRequired[SpentRow]
    """Cost of the memory per question of a person."""
    build: NotRequired[SpentRow]
    """Cost of building the memory per person, once for all questions and budgets."""
    judge: NotRequired[SpentRow]
    """Cost of judging per answer, without judgements that concern several answers."""
    failed: int
    """Number of failed answers, which count in none of these means."""
    failed_usd: float | None
    """Cost of the failed answers."""


class CostDocument(TypedDict):
    """The cost of each system, and of judging its answers."""

    systems: dict[str, SystemCost]
    shared: dict[str, SpentInAll]
    """Cost of judgements that concern no single answer (criteria, pairs, key points), by task."""


def cost_part(document: Mapping[str, object]) -> CostDocument | None:
    """Return the costs in a study's document, from whichever paper's part has them; `None` where none has."""
    parts = (document.get(paper.figures.document) for paper in papers())
    return next((part["cost"] for part in parts if isinstance(part, dict) and part.get("cost")), None)
