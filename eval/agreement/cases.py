"""The things that people labelled, each with all its labels and what they say together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from drr.env.errors import Misuse
from drr.eval.agreement.statistics import SUPPORT_SCORE
from drr.eval.labels import (
    DIMENSIONS,
    UNNAMED,
    Dimension,
    Label,
    PairwiseLabel,
    SupportLabel,
    Task,
    content_id,
    task_of,
)
from drr.eval.stats import agreement as ag


@dataclass(frozen=True)
class Case:
    """One thing that people judged, with all their labels."""

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
        """The question that an interval is drawn over; where none is known, each thing is one of its own."""
        return self.example.query or f"{self.id}, of no known question"

    def consensus(self) -> str | float:
        """Support: the median class; pairs: the majority, a tie where there is none; grades: the mean. Each person counts once."""
        return _together(list(self.by_person().values()))

    def mean_support(self) -> float:
        """Average the labels between two classes where people are divided; each person counts once."""
        words = [str(word) for word in self.by_person().values()]
        return sum(SUPPORT_SCORE[word] for word in words) / len(words)

    def by_person(self) -> dict[str, str | float]:
        """List each person's verdict. Several labels under one name are joined; who has no name is somebody else."""
        labels: dict[str, list[str | float]] = {}
        for number, label in enumerate(self.labels):
            who = f"{UNNAMED} {number}" if label.judge == UNNAMED else label.judge
            labels.setdefault(who, []).append(_verdict(label))
        return {who: _together(own) for who, own in labels.items()}

    @property
    def repeated(self) -> int:
        """Labels beyond the first under one name."""
        return len(self.labels) - len(self.by_person())


def _verdict(label: Label) -> str | float:
    return label.three_class if isinstance(label, PairwiseLabel) else label.label


def _together(values: Sequence[str | float]) -> str | float:
    words = [value for value in values if isinstance(value, str)]
    if not words:
        return sum(float(value) for value in values) / len(values)
    if SUPPORT_SCORE.keys() >= set(words):
        middle = median(SUPPORT_SCORE[word] for word in words)
        return "full" if middle > 0.5 else "partial" if middle > 0.0 else "none"
    (best, most), *rest = Counter(words).most_common()
    return ag.TIE if rest and rest[0][1] == most else best


def cases(labels: Sequence[Label], task: Task) -> list[Case]:
    """A pair that somebody has the other way round is the same pair, and his label is turned.

    No label is dropped: one name may stand for several people, and then its labels are all of them.
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
