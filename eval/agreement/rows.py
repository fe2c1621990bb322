"""What agreement says, as types: the document of `drr judges agreement --json` and its parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypedDict, TypeVar, cast

from drr.eval.judging.marks import ReviewerRow
from drr.eval.stats.intervals import V, VRow
from drr.eval.stats.pairs import PositionRow


class AgreementRow(VRow):
    n_dropped: int
    """What agreement calls the items that a statistic leaves out."""


class PreferenceRow(AgreementRow):
    chance: float | None


class SupportRow(TypedDict):
    exact: AgreementRow
    kappa: AgreementRow
    weighted_kappa: AgreementRow
    ac1: AgreementRow
    mad: AgreementRow
    bias: AgreementRow


class ClassRow(TypedDict):
    """Of one class, from the side of the first judge."""

    precision: AgreementRow
    recall: AgreementRow


class BinaryRow(ClassRow):
    """The labels as two classes: `positive`, and all others."""

    positive: list[str]
    exact: AgreementRow
    kappa: AgreementRow


class ClassesRow(TypedDict):
    """Where two judges part."""

    confusion: dict[str, dict[str, int]]
    """By the first judge's label, then by the second's; of items that both judged."""
    classes: dict[str, ClassRow]
    binary: BinaryRow


class WinRateRow(TypedDict):
    """Of `a` against `b` by one judge's labels, or by those of `all people` together."""

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


class PairwiseRow(TypedDict):
    exact: AgreementRow
    kappa_no_ties: AgreementRow
    kappa_with_ties: AgreementRow
    weighted_kappa: AgreementRow
    ac1: AgreementRow
    soft_disagreement: AgreementRow
    ties_share: AgreementRow
    """How often one of the two said tie."""


class RankingRow(TypedDict):
    systems: dict[str, list[float]]
    """Win rates by the first and by the second judge."""
    same_order: bool
    spearman: AgreementRow
    kendall: AgreementRow


class PairwisePair(TypedDict):
    judges: list[str]
    dimensions: dict[str, PairwiseRow]
    classes: dict[str, ClassesRow]
    """By dimension."""
    rankings: dict[str, RankingRow]


class RatingRow(TypedDict):
    spearman: AgreementRow
    kendall: AgreementRow
    pearson: AgreementRow
    mard: AgreementRow
    bias: AgreementRow
    pca: PreferenceRow
    pca_no_human_ties: PreferenceRow


class RatingPair(TypedDict):
    judges: list[str]
    dimensions: dict[str, RatingRow]


Pair = TypeVar("Pair")


class TaskAgreement(TypedDict, Generic[Pair]):
    labels: int
    repeated: int
    """Labels that replaced an earlier one of the same judge."""
    pairs: list[Pair]
    alpha: AgreementRow | None


class LabelsDocument(TypedDict):
    schema: int
    support: TaskAgreement[SupportPair]
    pairwise: TaskAgreement[PairwisePair]
    rating: TaskAgreement[RatingPair]
    win_rates: list[WinRateRow]


class SystemRow(TypedDict):
    """How two judges' means of the systems go together."""

    spearman: AgreementRow
    kendall: AgreementRow
    pearson: AgreementRow


class SystemsPair(TypedDict):
    judges: list[str]
    dimensions: dict[str, SystemRow]


class MetricAgreement(TypedDict):
    """Of one metric, report by report; the difference is that of the first judge and the second."""

    spearman: AgreementRow
    pearson: AgreementRow
    mard: AgreementRow
    bias: AgreementRow


class CriterionScoresRow(TypedDict):
    """Score by score; the pairs of `pca` are reports of one question under one criterion."""

    pca: PreferenceRow
    mard: AgreementRow
    pearson: AgreementRow
    spearman: AgreementRow


class ReportTotalsRow(TypedDict):
    """Of reports, each the mean of its criteria."""

    mad: AgreementRow
    par: AgreementRow
    pearson: AgreementRow
    spearman: AgreementRow


class SystemTotalsRow(TypedDict):
    """Of systems, each the mean of its reports."""

    systems: dict[str, list[float]]
    """By the first and by the second judge."""
    mad: AgreementRow
    par: AgreementRow
    pearson: AgreementRow
    spearman: AgreementRow


class CriteriaLevels(TypedDict):
    criterion: CriterionScoresRow
    report: ReportTotalsRow
    system: SystemTotalsRow | None
    """`None` where nobody told the systems."""


class CriteriaPair(TypedDict):
    judges: list[str]
    dimensions: dict[str, CriteriaLevels]


class CriteriaAgreement(TypedDict):
    labels: int
    repeated: int
    pairs: list[CriteriaPair]
    alpha: AgreementRow | None


class JudgeCost(TypedDict):
    """What a judge's calls of this study cost; `None` where a price is unknown."""

    usd: float | None
    usd_per_query: float | None
    queries: int
    tokens: int
    by_task: dict[str, float | None]


class MetricsPair(TypedDict):
    judges: list[str]
    metrics: dict[str, MetricAgreement]


class StabilityRow(TypedDict):
    repetitions: int
    support: AgreementRow
    rating: AgreementRow
    pairwise: AgreementRow
    rating_sd: float | None


class ExtractionRow(TypedDict):
    jaccard: AgreementRow
    n_claims_cv: AgreementRow


class AgreementDocument(LabelsDocument):
    banner: str | None
    criteria: CriteriaAgreement
    cost: dict[str, JudgeCost]
    """By judge."""
    systems: list[SystemsPair]
    metrics: list[MetricsPair]
    positions: dict[str, dict[str, PositionRow]]
    stability: dict[str, StabilityRow | None]
    extraction: dict[str, ExtractionRow | None]


class CalibratedPairs(PairwiseRow):
    position_consistency: AgreementRow
    first_position_rate: AgreementRow


class ThresholdRow(TypedDict):
    value: float | None
    at_least: float
    met: bool | None


class MarkedRow(TypedDict):
    """Labels that are marks of a study's reviewers."""

    reviewers: dict[str, int]
    """Labels by reviewer."""
    without_label: int
    """Say that a verdict is wrong and not what is right, or are of what nobody can be asked again."""
    elsewhere: int
    """Of what no judge of the study says any more."""
    rules: dict[str, ReviewerRow]
    """Of rules' findings, by rule; they are code, and no judge is held against them."""


class CalibrationDocument(TypedDict):
    """Of `drr judges calibrate --json`."""

    schema: int
    task: str
    judge: str
    rule_written: bool
    banner: str | None
    items: int
    labels: int
    """All of this task; each counts in what the people say of its item."""
    repeated: int
    """Of these, further labels of one name on one item: averaged with that name's others, so that each name counts once."""
    other_labels: int
    """Of other tasks, in the same file."""
    people: list[str]
    metrics: SupportRow | CalibratedPairs | RatingRow
    classes: ClassesRow | None
    """The judge's labels beside the people's; grades have no classes."""
    among_people: dict[str, AgreementRow] | None
    thresholds: dict[str, ThresholdRow]
    marks: MarkedRow | None
    """Where the labels are marks of a study's reviewers."""


def statistics_in(row: Mapping[str, object]) -> dict[str, AgreementRow]:
    """List the statistics by name; what a row has beside its statistics is left out."""
    return {name: cast("AgreementRow", v) for name, v in row.items() if isinstance(v, dict)}


def row_of(v: V) -> AgreementRow:
    return {**v.document(), "n_dropped": v.n_unscored}
