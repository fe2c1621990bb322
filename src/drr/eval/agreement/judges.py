"""Compares all pairs of judges that judged the same things, task by task, and computes each judge's win rates."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from drr.eval.agreement.labelled import PEOPLE, Key, Labelled, ValuesOfJudge, score_of
from drr.eval.agreement.rows import (
    AgreementRow,
    CriteriaLevels,
    CriteriaPair,
    LabelsDocument,
    Pair,
    PairOfJudges,
    RankingRow,
    SupportPair,
    SystemTotalsRow,
    TaskAgreement,
    WinRateRow,
    preference_row,
    row_of,
)
from drr.eval.agreement.statistics import (
    PAIRWISE,
    SUPPORT,
    crossed_classes,
    pairwise_statistics,
    rating_statistics,
    support_statistics,
)
from drr.eval.labels import DIMENSIONS, CriterionLabel, Label, PairwiseLabel, RatingLabel, SupportLabel
from drr.eval.stats import agreement as ag
from drr.eval.stats import correlation
from drr.eval.stats.correlation import CriterionScore, ReportTotals, consistency, report_totals
from drr.eval.stats.pairs import win_rate
from drr.eval.stats.question import grouped


def pairwise_agreement(labels: Sequence[Label], people: Collection[str] = ()) -> LabelsDocument:
    """Compare all pairs of judges. In a pair of a machine and one of `people`, the machine comes first, so that bias is machine minus human."""
    support, pairwise, rating = (
        Labelled([label for label in labels if isinstance(label, form)])
        for form in (SupportLabel, PairwiseLabel, RatingLabel)
    )
    return {
        "schema": 1,
        "support": _agreement(support, _support(support, people), "ordinal", SUPPORT),
        "pairwise": _agreement(pairwise, _pairwise(pairwise, people), "nominal", PAIRWISE),
        "rating": _agreement(rating, _rating(rating, people), "interval"),
        "win_rates": win_rates(pairwise, people),
    }


def criteria_agreement(
    labels: Sequence[CriterionLabel], people: Collection[str] = (), systems: Mapping[str, str] | None = None
) -> TaskAgreement[CriteriaPair]:
    """Measure agreement on criteria. `systems` maps a label's id to the report's system; several people also count together, by their mean."""
    table = Labelled(labels, systems or {})
    given, last = table.with_people(people), {PEOPLE, *people}
    pairs: list[CriteriaPair] = []
    for judges, keys in table.couples(last, given):
        if PEOPLE not in judges or not last.issuperset(judges):
            groups = grouped(
                [*(("all", key) for key in keys), *((table.rows[key].dimension, key) for key in keys)]
            )
            x, y = (given[judge] for judge in judges)
            levels = {name: _levels(table, x, y, own) for name, own in groups.items()}
            pairs.append({"judges": judges, "dimensions": levels})
    return _agreement(table, pairs, "interval")


def _agreement(
    table: Labelled, pairs: list[Pair], level: ag.Level, categories: Sequence[str] | None = None
) -> TaskAgreement[Pair]:
    """Add Krippendorff's alpha of all judges; `None` where there is only one."""
    alpha: AgreementRow | None = None
    if len(table.by_judge) > 1:
        keys = sorted(table.rows)
        raters = [[given.get(key) for key in keys] for _, given in sorted(table.by_judge.items())]
        asked = [table.rows[key].question for key in keys]
        alpha = row_of(ag.krippendorff_alpha(raters, level=level, clusters=asked, categories=categories))
    return {"labels": len(table.labels), "repeated": table.repeated, "pairs": pairs, "alpha": alpha}


def _by_dimension(keys: Sequence[Key], order: Iterable[str]) -> dict[str, list[Key]]:
    """Group the rows: all together, then by dimension."""
    found = grouped((key[1], key) for key in keys)
    return {"all": list(keys), **{dimension: found[dimension] for dimension in order if dimension in found}}


def _both_values(
    table: Labelled, judges: Sequence[str], keys: Sequence[Key]
) -> tuple[list[Any], list[Any], list[str]]:
    """Return the values of two judges, and the question of each."""
    x, y = ([table.by_judge[judge][key] for key in keys] for judge in judges)
    return x, y, [table.rows[key].question for key in keys]


def _support(table: Labelled, people: Collection[str]) -> list[SupportPair]:
    return [
        {"judges": judges, **support_statistics(*both), "classes": crossed_classes(*both, SUPPORT)}
        for judges, keys in table.couples(people)
        for both in [_both_values(table, judges, keys)]
    ]


def _pairwise(table: Labelled, people: Collection[str]) -> list[PairOfJudges]:
    found: list[PairOfJudges] = []
    order = _order(row.dimension for row in table.rows.values())
    for judges, keys in table.couples(people):
        groups = {one: _both_values(table, judges, own) for one, own in _by_dimension(keys, order).items()}
        found.append(
            {
                "judges": judges,
                "dimensions": {one: pairwise_statistics(*both) for one, both in groups.items()},
                "classes": {one: crossed_classes(*both, PAIRWISE) for one, both in groups.items()},
                "rankings": _rankings(table, judges, keys),
            }
        )
    return found


def _order(dimensions: Iterable[str]) -> list[str]:
    return [*DIMENSIONS, *sorted({*dimensions} - {*DIMENSIONS})]


def _rankings(table: Labelled, judges: Sequence[str], keys: Sequence[Key]) -> dict[str, RankingRow]:
    """Rank systems by win rate for both judges, by dimension, and measure how well the two orders agree."""
    found: dict[str, RankingRow] = {}
    for dimension, own in sorted(grouped((key[1], key) for key in keys).items()):
        left, right = (
            {
                name: sum(scores) / len(scores)
                for name, scores in grouped(
                    (name, score if first else 1 - score)
                    for key in own
                    for score in [score_of(table.by_judge[judge][key])]
                    for name, first in zip(table.rows[key].systems, (True, False), strict=False)
                ).items()
            }
            for judge in judges
        )
        systems = sorted(left)
        if len(systems) < 2:
            continue
        x: list[float | None] = [left[name] for name in systems]
        y: list[float | None] = [right[name] for name in systems]
        found[dimension] = {
            "systems": {name: [left[name], right[name]] for name in systems},
            "same_order": all(
                (left[s] > left[t], left[s] < left[t]) == (right[s] > right[t], right[s] < right[t])
                for s, t in combinations(systems, 2)
            ),
            "spearman": row_of(correlation.spearman(x, y, unit="system")),
            "kendall": row_of(correlation.kendall_tau_b(x, y, unit="system")),
        }
    return found


def win_rates(table: Labelled, people: Collection[str]) -> list[WinRateRow]:
    """Compute the win rates of pairs whose systems are named. Several people also count together, by the mean of their scores on each pair."""
    order = _order(row.dimension for row in table.rows.values())
    found: list[WinRateRow] = []
    for judge, given in sorted(table.with_people(people).items()):
        places = grouped(
            ((order.index(row.dimension), row.systems), (row.question, score_of(value)))
            for key, value in given.items()
            for row in [table.rows[key]]
            if row.systems
        )
        for (place, (a, b)), scores in sorted(places.items()):
            found.append(
                {
                    "judge": judge,
                    "dimension": order[place],
                    "a": a,
                    "b": b,
                    "wins": sum(score > 0.5 for _, score in scores),
                    "ties": sum(score == 0.5 for _, score in scores),
                    "losses": sum(score < 0.5 for _, score in scores),
                    "win_rate": win_rate(grouped(scores), "(W + T/2)/n, mean over questions").rate.document(),
                }
            )
    return found


def _rating(table: Labelled, people: Collection[str]) -> list[PairOfJudges]:
    return [
        {
            "judges": judges,
            "dimensions": {
                one: rating_statistics(*_both_values(table, judges, own), [dimension for _, dimension in own])
                for one, own in _by_dimension(keys, sorted({key[1] for key in keys})).items()
            },
        }
        for judges, keys in table.couples(people)
    ]


def _levels(table: Labelled, x: ValuesOfJudge, y: ValuesOfJudge, keys: Sequence[Key]) -> CriteriaLevels:
    scores = [
        CriterionScore(question, key[0], f"{question} {key[1]}", score_of(x[key]), score_of(y[key]))
        for key in keys
        for question in [table.rows[key].question]
    ]
    found = consistency(scores)
    system_of = {key[0]: name for key in keys for name in table.rows[key].systems}
    totals = [one for one in report_totals(scores) if one.report in system_of]
    return {
        "criterion": {
            "pca": preference_row(found.pca, found.pca_chance),
            "mard": row_of(found.mard),
            "pearson": row_of(found.criterion_pearson),
            "spearman": row_of(found.criterion_spearman),
        },
        "report": {
            "mad": row_of(found.mad_by_report),
            "par": row_of(found.par),
            "pearson": row_of(found.pearson),
            "spearman": row_of(found.spearman),
        },
        "system": _systems(grouped((system_of[one.report], one) for one in totals)),
    }


def _systems(own: Mapping[str, Sequence[ReportTotals]]) -> SystemTotalsRow | None:
    """Measure agreement on systems. Reports of unknown systems are left out."""
    if not own:
        return None
    x = [sum(total.judge for total in of) / len(of) for of in own.values()]
    y = [sum(total.human for total in of) / len(of) for of in own.values()]
    return {
        "systems": {name: [a, b] for name, a, b in zip(own, x, y, strict=True)},
        "mad": row_of(correlation.mean_absolute_deviation(x, y, name="MAD")),
        "par": row_of(correlation.concordant_pairs(x, y, unit="system")),
        "pearson": row_of(correlation.pearson(x, y, unit="system")),
        "spearman": row_of(correlation.spearman(x, y, unit="system")),
    }
