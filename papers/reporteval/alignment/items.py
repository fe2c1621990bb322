"""The experts' labels, as things that a judge judges: each with what every expert found of each side of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from drr.eval.labels import UNNAMED, AlignLabel, content_id
from drr.study.unit import canonical_json


class ExpertWord(NamedTuple):
    who: str
    value: float
    comment: str


@dataclass(frozen=True)
class AlignItem:
    """One thing, whoever labelled it."""

    id: str
    """Of its texts."""
    name: str
    """The id that its first label has."""
    query: str
    """What it is of: things of one question lie on one side of the split."""
    texts: Mapping[str, str]
    said: Mapping[str, Sequence[ExpertWord]]
    """By side."""
    labels: Sequence[AlignLabel]

    def people(self, side: str) -> float:
        """The mean over people, each counting once; who has no name is somebody else."""
        by_person: dict[str, list[float]] = {}
        for number, word in enumerate(self.said[side]):
            who = f"{UNNAMED} {number}" if word.who == UNNAMED else word.who
            by_person.setdefault(who, []).append(word.value)
        means = [sum(values) / len(values) for values in by_person.values()]
        return sum(means) / len(means)


class LabelParts(NamedTuple):
    """A label as a task of judging takes it apart."""

    query: str
    texts: Mapping[str, str]
    side: str
    value: float


def items_of(labels: Iterable[tuple[AlignLabel, LabelParts]]) -> list[AlignItem]:
    """List the items in order of first appearance."""
    groups: dict[str, list[tuple[AlignLabel, LabelParts]]] = {}
    for label, parts in labels:
        groups.setdefault(content_id(*parts.texts.values()), []).append((label, parts))
    return [_item(name, group) for name, group in groups.items()]


def _item(name: str, group: Sequence[tuple[AlignLabel, LabelParts]]) -> AlignItem:
    words_by_side: dict[str, list[ExpertWord]] = {}
    for label, parts in group:
        words_by_side.setdefault(parts.side, []).append(
            ExpertWord(label.judge, parts.value, label.comment or "")
        )
    first, parts = group[0]
    return AlignItem(
        name,
        first.id,
        content_id(parts.query),
        parts.texts,
        words_by_side,
        tuple(label for label, _ in group),
    )


class Split(NamedTuple):
    dev: Sequence[AlignItem]
    test: Sequence[AlignItem]


def split(items: Sequence[AlignItem], seed: int, dev_share: float) -> Split:
    """Split by question, in an order that the seed draws; either side has one question at least."""
    queries = sorted({item.query for item in items}, key=lambda query: _hash(f"{seed} {query}"))
    many = min(max(1, round(len(queries) * dev_share)), len(queries) - 1)
    dev = set(queries[:many])
    return Split(
        [item for item in items if item.query in dev], [item for item in items if item.query not in dev]
    )


def labels_hash(items: Iterable[AlignItem]) -> str:
    """Hash all labels, in whatever order they stand in a file."""
    lines = sorted(canonical_json(label.model_dump(mode="json")) for item in items for label in item.labels)
    return _hash("\n".join(lines))


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
