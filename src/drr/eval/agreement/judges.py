"""Compares all pairs of judges that judged the same things, task by task, and computes each judge's win rates."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Generic, NamedTuple, TypeVar

from drr.eval.agreement.rows import (
    AgreementRow,
    ClassesRow,
    LabelsDocument,
    Pair,
    PairwisePair,
    RankingRow,
    RatingPair,
    Statistics,
    SupportPair,
    TaskAgreement,
    WinRateRow,
    row_of,
)
from drr.eval.agreement.statistics import (
    PAIRWISE,
    SUPPORT,
    alpha,
    crossed_classes,
    pairwise_statistics,
    rating_statistics,
    support_statistics,
)
from drr.eval.labels import (
    DIMENSIONS,
    CriterionLabel,
    Label,
    PairwiseLabel,
    RatingLabel,
    SupportLabel,
    content_id,
)
from drr.eval.stats import correlation
from drr.eval.stats.pairs import win_rate
from drr.eval.stats.question import grouped

OVERALL = "overall"
Item = TypeVar("Item", str, tuple[str, str])
Verdict = TypeVar("Verdict")


class Items:
    """Assigns labels to items: by id and texts, else by texts alone, else by id and question or claim.

    A judge judges a thing once: two labels of one judge with different ids are on two things even if their texts are equal,
    as when two variants wrote the same report. Only an equal id with equal texts replaces the earlier label (`repeated`).
    """

    def __init__(self) -> None:
        self._exact: dict[tuple[str, ...], int] = {}
        self._alike: dict[tuple[str, ...], list[int]] = {}
        self._taken: set[tuple[int, str, str]] = set()
        self.first: list[Label] = []
        self.repeated = 0

    def place(self, label: Label) -> int:
        by_id, by_text = _names(label)
        aspect = getattr(label, "dimension", None) or OVERALL
        dimension = label.criterion if isinstance(label, CriterionLabel) else aspect
        item = self._exact.get(by_id + by_text)
        if item is None:
            alike = [*self._alike.get(by_text, ()), *self._alike.get(by_id, ())]
            item = next((one for one in alike if (one, label.judge, dimension) not in self._taken), None)
        elif (item, label.judge, dimension) in self._taken:
            self.repeated += 1
        if item is None:
            item = len(self.first)
            self.first.append(label)
        self._exact[by_id + by_text] = item
        for name in (by_id, by_text):
            known = self._alike.setdefault(name, [])
            if item not in known:
                known.append(item)
        self._taken.add((item, label.judge, dimension))
        return item


def _names(label: Label) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if isinstance(label, SupportLabel):
        claim = content_id(label.claim)
        return ("id", label.id, claim), ("text", claim, content_id(label.evidence))
    question = content_id(label.query)
    if isinstance(label, RatingLabel | CriterionLabel):
        return ("id", label.id, question), ("text", question, content_id(label.answer))
    answers = sorted((content_id(label.answer_a), content_id(label.answer_b)))
    return ("id", label.id, question), ("text", question, *answers)


def is_turned(label: PairwiseLabel, first: PairwiseLabel) -> bool:
    """Tell whether this label has its sides in the opposite order of the first label on the same thing."""
    a, b = content_id(label.answer_a), content_id(label.answer_b)
    return a != b and content_id(first.answer_a) == b and content_id(first.answer_b) == a


class Preference(NamedTuple):
    """A label of a pair, in the pair's own order."""

    value: str
    question: str
    systems: tuple[str, str]
    """The pair's systems in the same order; empty names where they are unknown."""


ByItem = dict[tuple[str, str], Preference]
"""Preferences keyed by item and dimension."""


def preferences(labels: Sequence[PairwiseLabel]) -> tuple[dict[str, ByItem], int]:
    """Collect the preferences by judge, and count how many labels replaced an earlier one.

    The order within an item is that of its systems' names, else of its texts: kappa depends on which side is called A, and must not
    depend on which label comes first.
    """
    items = Items()
    placed = [(items.place(label), label) for label in labels]
    turned = [is_turned(label, _first(items, item)) for item, label in placed]
    systems: dict[int, tuple[str, str]] = {}
    for (item, label), other_way in zip(placed, turned, strict=True):
        if label.system_a and label.system_b:
            pair = (label.system_a, label.system_b)
            systems.setdefault(item, pair[::-1] if other_way else pair)
    found: dict[str, ByItem] = {}
    for (item, label), other_way in zip(placed, turned, strict=True):
        first = _first(items, item)
        named = systems.get(item, ("", ""))
        value: str = label.three_class
        if other_way != _is_backwards(first, named):
            value = {"A": "B", "B": "A", "tie": "tie"}[value]
        a, b = sorted(named)
        key = (str(item), label.dimension or OVERALL)
        found.setdefault(label.judge, {})[key] = Preference(value, content_id(first.query), (a, b))
    return found, items.repeated


def _first(items: Items, item: int) -> PairwiseLabel:
    first = items.first[item]
    assert isinstance(first, PairwiseLabel)
    return first


def _is_backwards(first: PairwiseLabel, named: tuple[str, str]) -> bool:
    """Tell whether the first label of an item has its sides in the opposite order of the item."""
    return named[0] > named[1] if any(named) else first.answer_a.split() > first.answer_b.split()


SCORE = {"A": 1.0, "tie": 0.5, "B": 0.0}
PEOPLE = "all people"
Place = tuple[str, str, str]
"""Dimension and the two systems."""


def win_rates(labels: Sequence[PairwiseLabel], people: Collection[str]) -> list[WinRateRow]:
    """Compute the win rates of pairs whose systems are named. Several people also count together, by the mean of their scores on each pair."""
    by_judge, _ = preferences(labels)
    own = {judge: grouped(found.items()) for judge, found in by_judge.items()}
    several = [found for judge, found in by_judge.items() if judge in people]
    if len(several) > 1:
        own[PEOPLE] = grouped(pair for found in several for pair in found.items())
    return [row for judge, found in sorted(own.items()) for row in _rows(judge, found)]


def _rows(judge: str, found: Mapping[tuple[str, str], Sequence[Preference]]) -> list[WinRateRow]:
    groups: dict[Place, dict[str, list[float | None]]] = {}
    outcomes: dict[Place, Counter[str]] = defaultdict(Counter)
    for (_, dimension), label in found.items():
        a, b = label[0].systems
        if a and b:
            place = (dimension, a, b)
            score = sum(SCORE[one.value] for one in label) / len(label)
            groups.setdefault(place, {}).setdefault(label[0].question, []).append(score)
            outcomes[place]["wins" if score > 0.5 else "losses" if score < 0.5 else "ties"] += 1
    order = [*DIMENSIONS, *sorted({place[0] for place in groups} - set(DIMENSIONS))]
    return [
        {
            "judge": judge,
            "dimension": place[0],
            "a": place[1],
            "b": place[2],
            "wins": outcomes[place]["wins"],
            "ties": outcomes[place]["ties"],
            "losses": outcomes[place]["losses"],
            "win_rate": win_rate(groups[place], "(W + T/2)/n, mean over questions").rate.document(),
        }
        for place in sorted(groups, key=lambda place: (order.index(place[0]), place[1:]))
    ]


Key = tuple[str, str]
"""Item and dimension."""


def pairwise_agreement(labels: Sequence[Label], people: Collection[str] = ()) -> LabelsDocument:
    """Compare all pairs of judges. In a pair of a machine and one of `people`, the machine comes first, so that bias is machine minus human."""
    return {
        "schema": 1,
        "support": _support([label for label in labels if isinstance(label, SupportLabel)], people),
        "pairwise": _pairwise([label for label in labels if isinstance(label, PairwiseLabel)], people),
        "rating": _rating([label for label in labels if isinstance(label, RatingLabel)], people),
        "win_rates": win_rates([label for label in labels if isinstance(label, PairwiseLabel)], people),
    }


def _by_dimension(shared: Sequence[Key], dimensions: Iterable[str]) -> dict[str, list[Key]]:
    """Group the shared items: all together, then by dimension."""
    found = {"all": list(shared)}
    for dimension in dimensions:
        found[dimension] = [key for key in shared if key[1] == dimension]
    return {dimension: keys for dimension, keys in found.items() if keys}


class _Shared(NamedTuple, Generic[Item, Verdict]):
    """The items that two judges both judged, with their verdicts."""

    judges: list[str]
    one: Mapping[Item, Verdict]
    other: Mapping[Item, Verdict]
    items: list[Item]

    def both(self, items: Sequence[Item]) -> tuple[list[Verdict], list[Verdict]]:
        return [self.one[item] for item in items], [self.other[item] for item in items]


def shared_items(
    by_judge: Mapping[str, Mapping[Item, Verdict]], people: Collection[str]
) -> Iterator[_Shared[Item, Verdict]]:
    """Yield every two judges that share items; people come second."""
    for a, b in combinations(sorted(by_judge, key=lambda name: (name in people, name)), 2):
        if items := sorted(by_judge[a].keys() & by_judge[b].keys()):
            yield _Shared([a, b], by_judge[a], by_judge[b], items)


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
    for two in shared_items(by_judge, people):
        x, y = two.both(two.items)
        asked = [questions.get(k, f"{k}, of no known question") for k in two.items]
        crossed = crossed_classes(x, y, SUPPORT, asked)
        found.append({"judges": two.judges, **support_statistics(x, y, asked), "classes": crossed})
    return agreement_rows(labels, items.repeated, found, alpha(by_judge, questions, SUPPORT, "ordinal"))


def agreement_rows(
    labels: Sequence[Label], repeated: int, pairs: list[Pair], of_all: AgreementRow | None
) -> TaskAgreement[Pair]:
    return {"labels": len(labels), "repeated": repeated, "pairs": pairs, "alpha": of_all}


def _pairwise(labels: Sequence[PairwiseLabel], people: Collection[str]) -> TaskAgreement[PairwisePair]:
    by_judge, repeated = preferences(labels)
    further = sorted({label.dimension or OVERALL for label in labels} - set(DIMENSIONS))
    found: list[PairwisePair] = []
    for two in shared_items(by_judge, people):
        rows: dict[str, Statistics] = {}
        crossed: dict[str, ClassesRow] = {}
        for dimension, keys in _by_dimension(two.items, [*DIMENSIONS, *further]).items():
            x, y = ([label.value for label in side] for side in two.both(keys))
            questions = [two.one[k].question for k in keys]
            rows[dimension] = pairwise_statistics(x, y, questions)
            crossed[dimension] = crossed_classes(x, y, PAIRWISE, questions)
        rankings = _rankings(two)
        found.append({"judges": two.judges, "dimensions": rows, "classes": crossed, "rankings": rankings})
    plain = {judge: {key: one.value for key, one in rows.items()} for judge, rows in by_judge.items()}
    asked = {key: one.question for rows in by_judge.values() for key, one in rows.items()}
    return agreement_rows(labels, repeated, found, alpha(plain, asked, PAIRWISE, "nominal"))


def _rankings(two: _Shared[Key, Preference]) -> dict[str, RankingRow]:
    """Rank systems by win rate for both judges, by dimension, and measure how well the two orders agree."""
    found: dict[str, RankingRow] = {}
    for dimension, keys in sorted(grouped((key[1], key) for key in two.items).items()):
        left, right = map(_win_rates, two.both(keys))
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


def _win_rates(labels: Iterable[Preference]) -> dict[str, float]:
    points = grouped(
        (name, score)
        for label in labels
        if all(label.systems)
        for name, score in zip(label.systems, (SCORE[label.value], 1 - SCORE[label.value]), strict=True)
    )
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
    for two in shared_items(by_judge, people):
        groups = _by_dimension(two.items, sorted({key[1] for key in two.items}))
        rows = {
            dimension: rating_statistics(
                *two.both(keys), [question[k] for k in keys], [dimension for _, dimension in keys]
            )
            for dimension, keys in groups.items()
        }
        found.append({"judges": two.judges, "dimensions": rows})
    return agreement_rows(labels, items.repeated, found, alpha(by_judge, question, None, "interval"))
