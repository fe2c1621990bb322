"""Compares judges and people criterion by criterion: at the level of scores, of reports and of systems."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from drr.eval.agreement.judges import OVERALL, Items, agreement_rows, shared_items
from drr.eval.agreement.rows import (
    CriteriaLevels,
    CriteriaPair,
    SystemTotalsRow,
    TaskAgreement,
    preference_row,
    row_of,
)
from drr.eval.agreement.statistics import alpha
from drr.eval.labels import CriterionLabel, content_id
from drr.eval.stats import correlation
from drr.eval.stats.correlation import Consistency, CriterionScore, ReportTotals, consistency, report_totals
from drr.eval.stats.question import grouped

PEOPLE = "all people"
Key = tuple[str, str]
"""A report and a criterion."""


class _Place(NamedTuple):
    question: str
    dimension: str
    system: str | None


class SaidUnderCriteria(NamedTuple):
    """The last score of each judge under each criterion of a report."""

    by_judge: dict[str, dict[Key, float]]
    places: dict[Key, _Place]
    repeated: int

    def with_people(self, people: Collection[str]) -> dict[str, dict[Key, float]]:
        """Return the scores by judge; several people also count together, under one name."""
        scores_of_people = [scores for judge, scores in self.by_judge.items() if judge in people]
        return {
            **self.by_judge,
            **({PEOPLE: _together(scores_of_people)} if len(scores_of_people) > 1 else {}),
        }


def criteria_agreement(
    labels: Sequence[CriterionLabel], people: Collection[str] = (), systems: Mapping[str, str] | None = None
) -> TaskAgreement[CriteriaPair]:
    """Measure agreement on criteria. `systems` maps a label's id to the report's system; several people also count together, by their mean."""
    scores = scores_under_criteria(labels, systems or {})
    last = {PEOPLE, *people}
    pairs: list[CriteriaPair] = [
        {"judges": two.judges, "dimensions": _by_dimension(two.one, two.other, two.items, scores)}
        for two in shared_items(scores.with_people(people), last)
        if PEOPLE not in two.judges or not last.issuperset(two.judges)
    ]
    questions = {key: place.question for key, place in scores.places.items()}
    of_all = alpha(scores.by_judge, questions, None, "interval")
    return agreement_rows(labels, scores.repeated, pairs, of_all)


def scores_under_criteria(labels: Sequence[CriterionLabel], systems: Mapping[str, str]) -> SaidUnderCriteria:
    items = Items()
    by_judge: dict[str, dict[Key, float]] = {}
    places: dict[Key, _Place] = {}
    for label in labels:
        key = (str(items.place(label)), label.criterion)
        by_judge.setdefault(label.judge, {})[key] = label.label
        known = places.get(key)
        system = systems.get(label.id) or (known.system if known else None)
        places[key] = _Place(content_id(label.query), label.dimension or OVERALL, system)
    return SaidUnderCriteria(by_judge, places, items.repeated)


def _together(rounds: Sequence[Mapping[Key, float]]) -> dict[Key, float]:
    scores = grouped(pair for one in rounds for pair in one.items())
    return {key: sum(values) / len(values) for key, values in scores.items()}


def _by_dimension(
    one: Mapping[Key, float], other: Mapping[Key, float], shared: Sequence[Key], placed: SaidUnderCriteria
) -> dict[str, CriteriaLevels]:
    every = [("all", key) for key in shared]
    groups = grouped([*every, *((placed.places[key].dimension, key) for key in shared)])
    return {name: _levels(one, other, keys, placed) for name, keys in groups.items()}


def _levels(
    one: Mapping[Key, float], other: Mapping[Key, float], keys: Sequence[Key], placed: SaidUnderCriteria
) -> CriteriaLevels:
    scores = []
    system_of: dict[str, str] = {}
    for key in keys:
        place = placed.places[key]
        beside = f"{place.question} {key[1]}"
        scores.append(CriterionScore(place.question, key[0], beside, one[key], other[key]))
        if place.system is not None:
            system_of[key[0]] = place.system
    return {**_levels_of(consistency(scores)), "system": _systems(report_totals(scores), system_of)}


def _levels_of(found: Consistency) -> CriteriaLevels:
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
        "system": None,
    }


def _systems(totals: Sequence[ReportTotals], system_of: Mapping[str, str]) -> SystemTotalsRow | None:
    """Measure agreement on systems. Reports of unknown systems are left out."""
    own = grouped((system_of[one.report], one) for one in totals if one.report in system_of)
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
