"""The match of labels by different judges: which are of the same thing, and which way round.

Turned pairs (`answer_a` of one is `answer_b` of the other) are turned back by the texts before they are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from drr.eval.labels import CriterionLabel, Label, PairwiseLabel, RatingLabel, SupportLabel, content_id

OVERALL = "overall"


class Items:
    """The items of labels: those with one id and the same texts; else with the same texts. Else with one id and one question or claim.

    One judge judges a thing once: two of his labels with different ids are of two things even if their texts are equal,
    as when two variants wrote the same report. Only the same id and texts again replace what he said before (`repeated`).
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
    """Tell whether this label has its sides the other way round than the first one of the same thing."""
    a, b = content_id(label.answer_a), content_id(label.answer_b)
    return a != b and content_id(first.answer_a) == b and content_id(first.answer_b) == a


class Preference(NamedTuple):
    """A label of a pair, in the pair's own order."""

    value: str
    question: str
    systems: tuple[str, str]
    """In that order; empty names where nobody told them."""


ByItem = dict[tuple[str, str], Preference]
"""By item and dimension."""


def preferences(labels: Sequence[PairwiseLabel]) -> tuple[dict[str, ByItem], int]:
    """Collect the preferences by judge, and count how many labels replaced an earlier one.

    An item's order is that of its systems' names, else of its texts: kappa depends on who is called A, and must not depend
    on whose label happens to stand first.
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
    """Tell whether the first label of an item has its sides against the item's order."""
    return named[0] > named[1] if any(named) else first.answer_a.split() > first.answer_b.split()
