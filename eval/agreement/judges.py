"""Every two judges that judged anything in common, task by task, and all of them together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

from drr.eval.agreement.classes import pair_classes, support_classes
from drr.eval.agreement.items import OVERALL, ByItem, Items, preferences
from drr.eval.agreement.rows import (
    ClassesRow,
    LabelsDocument,
    PairwisePair,
    PairwiseRow,
    RankingRow,
    RatingPair,
    SupportPair,
    TaskAgreement,
    row_of,
)
from drr.eval.agreement.statistics import (
    PAIRWISE,
    SUPPORT,
    alpha,
    pairwise_statistics,
    rating_statistics,
    support_statistics,
)
from drr.eval.agreement.win_rates import win_rates
from drr.eval.labels import DIMENSIONS, Label, PairwiseLabel, RatingLabel, SupportLabel, content_id
from drr.eval.stats import correlation

Key = tuple[str, str]
"""Item and dimension."""


def agreement(labels: Sequence[Label], people: Collection[str] = ()) -> LabelsDocument:
    """Compare judges. Of a machine and one of the `people` the machine comes first: a bias is machine minus
    human, and human ties are the human's."""
    return {
        "schema": 1,
        "support": _support([label for label in labels if isinstance(label, SupportLabel)], people),
        "pairwise": _pairwise([label for label in labels if isinstance(label, PairwiseLabel)], people),
        "rating": _rating([label for label in labels if isinstance(label, RatingLabel)], people),
        "win_rates": win_rates([label for label in labels if isinstance(label, PairwiseLabel)], people),
    }


def _pairs_of(judges: Iterable[str], people: Collection[str]) -> Iterable[tuple[str, str]]:
    return combinations(sorted(judges, key=lambda name: (name in people, name)), 2)


def _by_dimension(shared: Sequence[Key], dimensions: Iterable[str]) -> dict[str, list[Key]]:
    """The shared labels all together, then dimension by dimension."""
    found = {"all": list(shared)}
    for dimension in dimensions:
        found[dimension] = [key for key in shared if key[1] == dimension]
    return {dimension: keys for dimension, keys in found.items() if keys}


def _support(labels: Sequence[SupportLabel], people: Collection[str]) -> TaskAgreement[SupportPair]:
    by_judge: dict[str, dict[str, str]] = {}
    questions: dict[str, str] = {}
    items = Items()
    for label in labels:
        key = str(items.place(label))
        by_judge.setdefault(label.judge, {})[key] = label.label
        if label.query:
            questions[key] = label.query
    found: list[SupportPair] = []
    for a, b in _pairs_of(by_judge, people):
        shared = sorted(by_judge[a].keys() & by_judge[b].keys())
        if shared:
            x, y = [by_judge[a][k] for k in shared], [by_judge[b][k] for k in shared]
            asked = [questions.get(k, f"{k}, of no known question") for k in shared]
            crossed = support_classes(x, y, SUPPORT, asked)
            found.append({"judges": [a, b], **support_statistics(x, y, asked), "classes": crossed})
    return {
        "labels": len(labels),
        "repeated": items.repeated,
        "pairs": found,
        "alpha": alpha(by_judge, SUPPORT, "ordinal"),
    }


def _pairwise(labels: Sequence[PairwiseLabel], people: Collection[str]) -> TaskAgreement[PairwisePair]:
    by_judge, repeated = preferences(labels)
    further = sorted({label.dimension or OVERALL for label in labels} - set(DIMENSIONS))
    found: list[PairwisePair] = []
    for a, b in _pairs_of(by_judge, people):
        one, other = by_judge[a], by_judge[b]
        shared = sorted(one.keys() & other.keys())
        if shared:
            groups = _by_dimension(shared, [*DIMENSIONS, *further])
            rows: dict[str, PairwiseRow] = {}
            crossed: dict[str, ClassesRow] = {}
            for dimension, keys in groups.items():
                x, y = [one[k].value for k in keys], [other[k].value for k in keys]
                questions = [one[k].question for k in keys]
                rows[dimension] = pairwise_statistics(x, y, questions)
                crossed[dimension] = pair_classes(x, y, PAIRWISE, questions)
            rankings = _rankings(one, other, shared)
            found.append({"judges": [a, b], "dimensions": rows, "classes": crossed, "rankings": rankings})
    plain = {judge: {key: told.value for key, told in rows.items()} for judge, rows in by_judge.items()}
    return {
        "labels": len(labels),
        "repeated": repeated,
        "pairs": found,
        "alpha": alpha(plain, PAIRWISE, "nominal"),
    }


def _rankings(one: ByItem, other: ByItem, shared: Sequence[Key]) -> dict[str, RankingRow]:
    """Systems by win rate for both judges: per dimension the two orders, and how well they agree."""
    found: dict[str, RankingRow] = {}
    for dimension in sorted({key[1] for key in shared}):
        keys = [key for key in shared if key[1] == dimension]
        left, right = _win_rates(one, keys), _win_rates(other, keys)
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


def _win_rates(labels: ByItem, keys: Sequence[Key]) -> dict[str, float]:
    points: dict[str, list[float]] = {}
    for key in keys:
        a, b = labels[key].systems
        if a and b:
            score = {"A": 1.0, "tie": 0.5, "B": 0.0}[labels[key].value]
            points.setdefault(a, []).append(score)
            points.setdefault(b, []).append(1 - score)
    return {name: sum(scores) / len(scores) for name, scores in points.items()}


def _rating(labels: Sequence[RatingLabel], people: Collection[str]) -> TaskAgreement[RatingPair]:
    by_judge: dict[str, dict[Key, float]] = {}
    question: dict[Key, str] = {}
    items = Items()
    for label in labels:
        key = (str(items.place(label)), label.dimension or OVERALL)
        by_judge.setdefault(label.judge, {})[key] = label.label
        question[key] = content_id(label.query)
    found: list[RatingPair] = []
    for a, b in _pairs_of(by_judge, people):
        one, other = by_judge[a], by_judge[b]
        shared = sorted(one.keys() & other.keys())
        if shared:
            groups = _by_dimension(shared, sorted({key[1] for key in shared}))
            rows = {
                dimension: rating_statistics(
                    [one[k] for k in keys],
                    [other[k] for k in keys],
                    [question[k] for k in keys],
                    [dimension for _, dimension in keys],
                )
                for dimension, keys in groups.items()
            }
            found.append({"judges": [a, b], "dimensions": rows})
    return {
        "labels": len(labels),
        "repeated": items.repeated,
        "pairs": found,
        "alpha": alpha(by_judge, None, "interval"),
    }
