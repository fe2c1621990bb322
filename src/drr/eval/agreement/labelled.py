"""One table of what people and models said of the same things. Each row is a thing under one dimension or criterion."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from drr.eval.labels import CriterionLabel, Label, PairwiseLabel, SupportLabel, content_id
from drr.eval.stats.question import grouped

OVERALL = "overall"
PEOPLE = "all people"
PAIR_SCORE = {"A": 1.0, "tie": 0.5, "B": 0.0}
Key = tuple[str, str]
"""An item, and one of its dimensions or criteria; labels of support have none."""
ValuesOfJudge = Mapping[Key, str | float]
"""The values that one judge gave."""


class LabelledRow(NamedTuple):
    item: str
    dimension: str
    question: str
    """The draw that the row belongs to; a claim of no known question is its own."""
    systems: tuple[str, ...] = ()
    """Systems that wrote the answers; those of a pair in the order of its values `A` and `B`."""


@dataclass
class Labelled:
    """Labels of one task by row and judge.

    Labels are of one item by id and texts, else by texts alone, else by id and question or claim. A judge judges a thing once: two
    labels of one judge with different ids are on two things even if their texts are equal, as when two variants wrote the same
    report. Only an equal id with equal texts replaces the earlier label (`repeated`).
    """

    labels: Sequence[Label]
    system_of: Mapping[str, str] = field(default_factory=dict)
    """System of a report, by the id of its labels."""
    rows: dict[Key, LabelledRow] = field(default_factory=dict)
    by_judge: dict[str, dict[Key, str | float]] = field(default_factory=dict)
    first: list[Label] = field(default_factory=list)
    """First label of each item."""
    repeated: int = 0

    def __post_init__(self) -> None:
        placed = [*zip(self._items(), self.labels, strict=True)]
        systems: dict[int, tuple[str, ...]] = {}
        for item, label in placed:
            if isinstance(label, PairwiseLabel):
                if label.system_a and label.system_b:
                    named = (label.system_a, label.system_b)
                    systems.setdefault(item, named[::-1] if self._is_turned(item, label) else named)
            elif system := self.system_of.get(label.id):
                systems[item] = (system,)
        for item, label in placed:
            of, dimension = systems.get(item, ()), _dimension(label)
            value: str | float = label.label
            key = (str(item), _aspect(label))
            if isinstance(label, SupportLabel):
                known = self.rows.get(key)
                question = label.query or (known.question if known else f"{key[0]}, of no known question")
            else:
                question = content_id(label.query)
            if isinstance(label, PairwiseLabel):
                value = label.three_class
                if self._is_turned(item, label) != self._is_backwards(item, of):
                    value = {"A": "B", "B": "A"}.get(value, value)
                of = tuple(sorted(of))
            self.rows[key] = LabelledRow(key[0], dimension, question, of)
            self.by_judge.setdefault(label.judge, {})[key] = value

    def _items(self) -> Iterator[int]:
        exact: dict[tuple[str, ...], int] = {}
        alike: dict[tuple[str, ...], dict[int, None]] = {}
        taken: set[tuple[int, str, str]] = set()
        for label in self.labels:
            by_id, by_text = _names(label)
            who = label.judge, _aspect(label)
            item = exact.get(by_id + by_text)
            if item is None:
                near = [*alike.get(by_text, ()), *alike.get(by_id, ())]
                item = next((one for one in near if (one, *who) not in taken), len(self.first))
            elif (item, *who) in taken:
                self.repeated += 1
            if item == len(self.first):
                self.first.append(label)
            exact[by_id + by_text] = item
            for name in (by_id, by_text):
                alike.setdefault(name, {})[item] = None
            taken.add((item, *who))
            yield item

    def _is_turned(self, item: int, label: PairwiseLabel) -> bool:
        """Tell whether this label has its sides in the opposite order of the first label on the same thing."""
        first, a, b = self.first[item], content_id(label.answer_a), content_id(label.answer_b)
        assert isinstance(first, PairwiseLabel)
        return a != b and content_id(first.answer_a) == b and content_id(first.answer_b) == a

    def _is_backwards(self, item: int, systems: Sequence[str]) -> bool:
        """Tell whether the item's first label is not in the order of its row.

        That is the order of the systems' names, else of the texts. Kappa depends on which side is called A, and must not depend on which label comes first.
        """
        first = self.first[item]
        assert isinstance(first, PairwiseLabel)
        return systems[0] > systems[1] if systems else first.answer_a.split() > first.answer_b.split()

    def couples(
        self, people: Collection[str], given: Mapping[str, ValuesOfJudge] | None = None
    ) -> Iterator[tuple[list[str], list[Key]]]:
        """Yield every two judges with the rows that both judged; people come second."""
        given = self.by_judge if given is None else given
        for a, b in combinations(sorted(given, key=lambda name: (name in people, name)), 2):
            if keys := sorted(given[a].keys() & given[b].keys()):
                yield [a, b], keys

    def with_people(self, people: Collection[str]) -> dict[str, ValuesOfJudge]:
        """Return the values by judge. Several people also count together, under one name, by the mean of their scores."""
        own = [found for judge, found in self.by_judge.items() if judge in people]
        every: dict[str, ValuesOfJudge] = {**self.by_judge}
        if len(own) > 1:
            scores = grouped((key, score_of(value)) for found in own for key, value in found.items())
            every[PEOPLE] = {key: sum(values) / len(values) for key, values in scores.items()}
        return every


def score_of(value: str | float) -> float:
    return PAIR_SCORE[value] if isinstance(value, str) else value


def _dimension(label: Label) -> str:
    return "" if isinstance(label, SupportLabel) else label.dimension or OVERALL


def _aspect(label: Label) -> str:
    return label.criterion if isinstance(label, CriterionLabel) else _dimension(label)


def _names(label: Label) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the name of the labelled thing by its id, and that by its texts."""
    if isinstance(label, SupportLabel):
        about, texts = content_id(label.claim), [label.evidence]
    else:
        about = content_id(label.query)
        texts = [label.answer_a, label.answer_b] if isinstance(label, PairwiseLabel) else [label.answer]
    return ("id", label.id, about), ("text", about, *sorted(map(content_id, texts)))
