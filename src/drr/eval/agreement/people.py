"""Reads the things that people labelled, and compares a judge with the people's consensus and people with each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from drr.env.errors import Misuse
from drr.eval.agreement.rows import AgreementRow, Statistics, ThresholdRow, row_of, statistics_in
from drr.eval.agreement.statistics import (
    PAIRWISE,
    SUPPORT,
    SUPPORT_SCORE,
    pairwise_statistics,
    rating_statistics,
)
from drr.eval.labels import (
    DIMENSIONS,
    UNNAMED,
    Dimension,
    Label,
    PairwiseLabel,
    RatingLabel,
    SupportLabel,
    Task,
    content_id,
    task_of,
)
from drr.eval.stats import agreement as ag
from drr.eval.stats.pairs import positions
from drr.eval.stats.question import Comparison, Winner


@dataclass(frozen=True)
class Case:
    """A thing that people judged, with all their labels."""

    id: str
    example: Label
    labels: tuple[Label, ...]

    @property
    def dimension(self) -> Dimension:
        named = getattr(self.example, "dimension", None) or "overall"
        for dimension in DIMENSIONS:
            if dimension == named:
                return dimension
        raise Misuse(f"label {self.example.id}: no dimension {named!r}; it is one of {', '.join(DIMENSIONS)}")

    @property
    def question(self) -> str:
        """Return the question, over which intervals are drawn. A thing without a known question counts as its own."""
        return self.example.query or f"{self.id}, of no known question"

    def consensus(self) -> str | float:
        """Return the people's consensus: the median class, the majority (a tie where there is none) or the mean grade. Each person counts once."""
        return _joint_label(list(self.by_person().values()))

    def mean_support(self) -> float:
        """Return the mean support score, which may lie between two classes. Each person counts once."""
        words = [str(word) for word in self.by_person().values()]
        return sum(SUPPORT_SCORE[word] for word in words) / len(words)

    def by_person(self) -> dict[str, str | float]:
        """Map each person to a verdict. Several labels under one name are joined; each label without a name is another person."""
        labels: dict[str, list[str | float]] = {}
        for number, label in enumerate(self.labels):
            who = f"{UNNAMED} {number}" if label.judge == UNNAMED else label.judge
            value = label.three_class if isinstance(label, PairwiseLabel) else label.label
            labels.setdefault(who, []).append(value)
        return {who: _joint_label(own) for who, own in labels.items()}

    @property
    def repeated(self) -> int:
        """Return the number of labels beyond the first under each name."""
        return len(self.labels) - len(self.by_person())


def _joint_label(values: Sequence[str | float]) -> str | float:
    words = [value for value in values if isinstance(value, str)]
    if not words:
        return sum(float(value) for value in values) / len(values)
    if SUPPORT_SCORE.keys() >= set(words):
        middle = median(SUPPORT_SCORE[word] for word in words)
        return "full" if middle > 0.5 else "partial" if middle > 0.0 else "none"
    (best, most), *rest = Counter(words).most_common()
    return ag.TIE if rest and rest[0][1] == most else best


def labelled_cases(labels: Sequence[Label], task: Task) -> list[Case]:
    """Group the labels by thing. A pair labelled in the opposite order is the same pair, and its label is turned.

    No label is dropped: one name may stand for several people, and then all its labels count.
    """
    groups: dict[str, list[Label]] = {}
    for label in labels:
        if task_of(label) != task:
            continue
        if isinstance(label, SupportLabel):
            key = content_id(label.claim, label.evidence)
        elif isinstance(label, PairwiseLabel):
            key = _pair_key(label)
            turned = label.turned()
            if key not in groups and _pair_key(turned) in groups:
                key, label = _pair_key(turned), turned
        else:
            key = content_id(label.query, label.answer, label.dimension or "")
        groups.setdefault(key, []).append(label)
    return [Case(key, group[0], tuple(group)) for key, group in groups.items()]


def _pair_key(label: PairwiseLabel) -> str:
    return content_id(label.query, label.answer_a, label.answer_b, label.dimension or "")


Results = Mapping[tuple[str, str], Mapping[str, Any] | None]
"""The judge's results by case and order; `None` where the judge failed."""


def support_status(result: Mapping[str, Any] | None) -> str | None:
    status = None if result is None else result.get("status")
    return status if status in SUPPORT else None


def comparisons_of(cases: Sequence[Case], found: Results) -> list[Comparison]:
    """Return each pair's verdicts with `a` shown first and with `b` shown first."""
    orders: Mapping[str, Mapping[str, Winner]] = {
        "ab": {"first": "a", "second": "b", "tie": "tie"},
        "ba": {"first": "b", "second": "a", "tie": "tie"},
    }
    comparisons = []
    for case in cases:
        results = ((winners, found.get((case.id, order))) for order, winners in orders.items())
        both = [None if result is None else winners[result["winner"]] for winners, result in results]
        asked = content_id(case.example.query or "")
        comparisons.append(Comparison(asked, case.dimension, "A", "B", both[0], both[1]))
    return comparisons


_LETTERS: Mapping[str, str | None] = {"a": "A", "b": "B", "tie": "tie", "inconsistent": "tie", "error": None}


def verdicts_of(task: Task, cases: Sequence[Case], found: Results) -> list[str | float | None]:
    """List the judge's verdict on each item, in the terms of labels; `None` where the judge failed."""
    if task == "support":
        return [support_status(found.get((case.id, ""))) for case in cases]
    if task == "pairwise":
        return [_LETTERS[comparison.outcome] for comparison in comparisons_of(cases, found)]
    return [
        None if (result := found.get((case.id, ""))) is None else float(result["rating"]) for case in cases
    ]


def pair_statistics(cases: Sequence[Case], found: Results, people: Sequence[str]) -> Statistics:
    comparisons = comparisons_of(cases, found)
    judged = [_LETTERS[c.outcome] for c in comparisons]
    everything = [Comparison(c.query, "all", "A", "B", c.a_first, c.b_first) for c in comparisons]
    gate = positions(everything)["all"]
    return {
        **pairwise_statistics(judged, list(people), [c.query for c in comparisons]),
        "position_consistency": row_of(gate.consistency),
        "first_position_rate": row_of(gate.first_rate),
    }


def grade_statistics(
    cases: Sequence[Case],
    found: Results,
    people: Sequence[float],
    scale: tuple[float, float] | None,
) -> Statistics:
    """Compare grades. Distances are in points of 0-10 and need the people's scale; without the scale only orders are compared."""
    judged = [None if v is None else float(v) for v in verdicts_of("rating", cases, found)]
    low, high = scale or (0.0, 10.0)
    mapped: list[float | None] = [10 * (value - low) / (high - low) for value in people]
    clusters = [content_id(case.example.query or "") for case in cases]
    statistics = rating_statistics(judged, mapped, clusters, [case.dimension for case in cases])
    if scale is None:
        given = [label.label for case in cases for label in case.labels if isinstance(label, RatingLabel)]
        of_ten = bool(given) and 5 < max(given) <= 10 and min(given) >= 0
        for row in (statistics["mard"], statistics["bias"]):
            if of_ten:
                row["method"] += "; the people's grades taken as 0-10, no other scale was given"
            else:
                row["value"] = row["ci_low"] = row["ci_high"] = None
                row["method"] = "needs the people's scale: --scale LOW HIGH"
    return statistics


def agreement_among_people(cases: Sequence[Case], task: Task) -> dict[str, AgreementRow] | None:
    """Measure agreement among people; `None` where no item has two. People without a name are interchangeable, as alpha allows."""
    by_person = [case.by_person() for case in cases]
    names = sorted({name for own in by_person for name in own})
    if len(names) < 2:
        return None
    raters = [[own.get(name) for own in by_person] for name in names]
    levels: Mapping[Task, ag.Level] = {"support": "ordinal", "pairwise": "nominal", "rating": "interval"}
    order = {"support": SUPPORT, "pairwise": PAIRWISE, "rating": None}[task]
    asked = [case.question for case in cases]
    alpha = ag.krippendorff_alpha(raters, level=levels[task], clusters=asked, categories=order)
    return {"alpha": row_of(alpha)}


def thresholds_met(
    statistics: Mapping[str, object], thresholds: Mapping[str, float]
) -> dict[str, ThresholdRow]:
    known = statistics_in(statistics)
    rows: dict[str, ThresholdRow] = {}
    for name, least in thresholds.items():
        value = known[name]["value"] if name in known else None
        rows[name] = {"value": value, "at_least": least, "met": None if value is None else value >= least}
    return rows
