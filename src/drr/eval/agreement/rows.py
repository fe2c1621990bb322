"""The types of the document of `drr judges agreement --json` and its parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, NotRequired, TypedDict, TypeVar, cast

from drr.eval.judging.marks import ReviewerRow
from drr.eval.stats.intervals import Statistic, VRow
from drr.eval.stats.pairs import PositionRow


class AgreementRow(VRow):
    n_dropped: int
    """Number of items that the statistic leaves out."""
    chance: NotRequired[float | None]
    """Share of equal preferences that two independent judges would reach."""


Statistics = dict[str, AgreementRow]


class SupportRow(TypedDict):
    exact: AgreementRow
    kappa: AgreementRow
    weighted_kappa: AgreementRow
    ac1: AgreementRow
    mad: AgreementRow
    bias: AgreementRow


class ClassRow(TypedDict):
    """The agreement on one class, from the side of the first judge."""

    precision: AgreementRow
    recall: AgreementRow


class BinaryRow(ClassRow):
    """The labels reduced to two classes: `positive`, and all others."""

    positive: list[str]
    exact: AgreementRow
    kappa: AgreementRow


class ClassesRow(TypedDict):
    """The agreement of two judges by class."""

    confusion: dict[str, dict[str, int]]
    """Number of items by the first judge's label, then by the second's, over items that both judged."""
    classes: dict[str, ClassRow]
    binary: BinaryRow


class WinRateRow(TypedDict):
    """The win rate of `a` against `b` by one judge's labels, or by those of `all people` together."""

    judge: str
    dimension: str
    a: str
    b: str
    wins: int
    ties: int
    losses: int
    win_rate: VRow


class SupportPair(SupportRow):
    judges: list[str]
    classes: ClassesRow


class RankingRow(TypedDict):
    systems: dict[str, list[float]]
    """Win rates by the first and by the second judge."""
    same_order: bool
    spearman: AgreementRow
    kendall: AgreementRow


class SystemTotalsRow(TypedDict):
    """The agreement on systems, each the mean of its reports."""

    systems: dict[str, list[float]]
    """Means by the first and by the second judge."""
    mad: AgreementRow
    par: AgreementRow
    pearson: AgreementRow
    spearman: AgreementRow


class CriteriaLevels(TypedDict):
    criterion: Statistics
    """Agreement on single scores; the pairs of `pca` are reports of one question under one criterion."""
    report: Statistics
    """Agreement on reports, each the mean of its criteria."""
    system: SystemTotalsRow | None
    """Agreement on systems; `None` where the systems are unknown."""


class CriteriaPair(TypedDict):
    judges: list[str]
    dimensions: dict[str, CriteriaLevels]


class PairOfJudges(TypedDict):
    """The agreement of two judges by dimension; differences are first judge minus second."""

    judges: list[str]
    dimensions: NotRequired[dict[str, Statistics]]
    metrics: NotRequired[dict[str, Statistics]]
    """Agreement by metric, report by report."""
    classes: NotRequired[dict[str, ClassesRow]]
    """Agreement by class, keyed by dimension."""
    rankings: NotRequired[dict[str, RankingRow]]


Pair = TypeVar("Pair")


class TaskAgreement(TypedDict, Generic[Pair]):
    labels: int
    repeated: int
    """Number of labels that replaced an earlier one of the same judge."""
    pairs: list[Pair]
    alpha: AgreementRow | None


class LabelsDocument(TypedDict):
    schema: int
    support: TaskAgreement[SupportPair]
    pairwise: TaskAgreement[PairOfJudges]
    rating: TaskAgreement[PairOfJudges]
    win_rates: list[WinRateRow]


class JudgeCost(TypedDict):
    """The cost of a judge's calls in this study; `None` where a price is unknown."""

    usd: float | None
    usd_per_query: float | None
    queries: int
    tokens: int
    by_task: dict[str, float | None]


class StabilityRow(TypedDict):
    repetitions: int
    support: AgreementRow
    rating: AgreementRow
    pairwise: AgreementRow
    rating_sd: float | None


class AgreementDocument(LabelsDocument):
    banner: str | None
    criteria: TaskAgreement[CriteriaPair]
    cost: dict[str, JudgeCost]
    systems: list[PairOfJudges]
    """Correlation of two judges' means of the systems."""
    metrics: list[PairOfJudges]
    positions: dict[str, dict[str, PositionRow]]
    stability: dict[str, StabilityRow | None]
    extraction: dict[str, Statistics | None]


class ThresholdRow(TypedDict):
    value: float | None
    at_least: float
    met: bool | None


class MarkedRow(TypedDict):
    """The labels that come from marks of a study's reviewers."""

    reviewers: dict[str, int]
    """Number of labels by reviewer."""
    without_label: int
    """Number of marks that give no label: the right verdict is missing, or the item cannot be judged again."""
    elsewhere: int
    """Number of marks on verdicts that no judge of the study gives any more."""
    rules: dict[str, ReviewerRow]
    """Marks on findings of rules, by rule. Rules are code, and no judge is compared with them."""


class CalibrationDocument(TypedDict):
    """The document of `drr judges calibrate --json`."""

    schema: int
    task: str
    judge: str
    rule_written: bool
    banner: str | None
    items: int
    labels: int
    """Number of labels of this task; each counts in the people's consensus."""
    repeated: int
    """Number of further labels under one name on one item. They are averaged, so that each name counts once."""
    other_labels: int
    """Number of labels of other tasks in the same file."""
    people: list[str]
    metrics: SupportRow | Statistics
    classes: ClassesRow | None
    """The judge's labels compared with the people's, by class; grades have no classes."""
    among_people: dict[str, AgreementRow] | None
    thresholds: dict[str, ThresholdRow]
    marks: MarkedRow | None
    """Present where the labels are marks of a study's reviewers."""


def statistics_in(row: Mapping[str, object]) -> dict[str, AgreementRow]:
    """Return the statistics in a row by name, without its other fields."""
    return {name: cast("AgreementRow", v) for name, v in row.items() if isinstance(v, dict)}


def row_of(v: Statistic) -> AgreementRow:
    return cast("AgreementRow", {**v.document(), "n_dropped": v.n_unscored})


def preference_row(v: Statistic, chance: float | None) -> AgreementRow:
    return {**row_of(v), "chance": chance}
