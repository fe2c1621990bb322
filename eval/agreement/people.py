"""A judge beside the consensus of people, and the people beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drr.eval.agreement.cases import Case
from drr.eval.agreement.rows import (
    AgreementRow,
    CalibratedPairs,
    RatingRow,
    ThresholdRow,
    row_of,
    statistics_in,
)
from drr.eval.agreement.statistics import PAIRWISE, SUPPORT, pairwise_statistics, rating_statistics
from drr.eval.labels import RatingLabel, Task, content_id
from drr.eval.stats import agreement as ag
from drr.eval.stats.comparisons import Comparison, Winner
from drr.eval.stats.positions import positions

Results = Mapping[tuple[str, str], Mapping[str, Any] | None]
"""What the judge said, by case and order; `None` where it failed."""


def support_status(result: Mapping[str, Any] | None) -> str | None:
    status = None if result is None else result.get("status")
    return status if status in SUPPORT else None


def _winner(result: Mapping[str, Any] | None, first: Winner, second: Winner) -> Winner | None:
    if result is None:
        return None
    places: Mapping[str, Winner] = {"first": first, "second": second, "tie": "tie"}
    return places[result["winner"]]


def comparisons_of(cases: Sequence[Case], found: Results) -> list[Comparison]:
    return [
        Comparison(
            content_id(getattr(case.example, "query", "")),
            case.dimension,
            "A",
            "B",
            _winner(found.get((case.id, "ab")), "a", "b"),
            _winner(found.get((case.id, "ba")), "b", "a"),
        )
        for case in cases
    ]


_LETTERS: Mapping[str, str | None] = {"a": "A", "b": "B", "tie": "tie", "inconsistent": "tie", "error": None}


def verdicts_of(task: Task, cases: Sequence[Case], found: Results) -> list[str | float | None]:
    """List the judge's verdict on each item, in the words of the labels; `None` where it failed."""
    if task == "support":
        return [support_status(found.get((case.id, ""))) for case in cases]
    if task == "pairwise":
        return [_LETTERS[comparison.outcome] for comparison in comparisons_of(cases, found)]
    return [
        None if (result := found.get((case.id, ""))) is None else float(result["rating"]) for case in cases
    ]


def pair_statistics(cases: Sequence[Case], found: Results, people: Sequence[str]) -> CalibratedPairs:
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
) -> RatingRow:
    """Distances are in points of 0-10 and need the people's scale, given or plain; without it only orders are compared."""
    judged: list[float | None] = [
        None if (result := found.get((case.id, ""))) is None else float(result["rating"]) for case in cases
    ]
    low, high = scale or (0.0, 10.0)
    mapped: list[float | None] = [10 * (value - low) / (high - low) for value in people]
    clusters = [content_id(getattr(case.example, "query", "")) for case in cases]
    statistics = rating_statistics(judged, mapped, clusters, [case.dimension for case in cases])
    if scale is None:
        given = [label.label for case in cases for label in case.labels if isinstance(label, RatingLabel)]
        of_ten = bool(given) and 5 < max(given) <= 10 and min(given) >= 0
        for row in (statistics["mard"], statistics["bias"]):
            _without_scale(row, of_ten=of_ten)
    return statistics


def _without_scale(row: AgreementRow, *, of_ten: bool) -> None:
    if of_ten:
        row["method"] += "; the people's grades taken as 0-10, no other scale was given"
    else:
        row["value"] = row["ci_low"] = row["ci_high"] = None
        row["method"] = "needs the people's scale: --scale LOW HIGH"


def among_people(cases: Sequence[Case], task: Task) -> dict[str, AgreementRow] | None:
    """`None` where nobody stands beside another. Alpha asks how many agree on an item, not which of them: the nameless take turns."""
    by_person = [case.by_person() for case in cases]
    names = sorted({name for own in by_person for name in own})
    if len(names) < 2:
        return None
    raters = [[own.get(name) for own in by_person] for name in names]
    levels: Mapping[Task, ag.Level] = {"support": "ordinal", "pairwise": "nominal", "rating": "interval"}
    order = {"support": SUPPORT, "pairwise": PAIRWISE, "rating": None}[task]
    return {"alpha": row_of(ag.krippendorff_alpha(raters, level=levels[task], categories=order))}


def thresholds_met(
    statistics: Mapping[str, object], thresholds: Mapping[str, float]
) -> dict[str, ThresholdRow]:
    known = statistics_in(statistics)
    rows: dict[str, ThresholdRow] = {}
    for name, least in thresholds.items():
        value = known[name]["value"] if name in known else None
        rows[name] = {"value": value, "at_least": least, "met": None if value is None else value >= least}
    return rows
