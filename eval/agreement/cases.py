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
    RatingLabel,
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

    def consensus(self) -> str | float:
        """Support: the median class; pairs: the majority, a tie where there is none; grades: the mean."""
        if isinstance(self.example, SupportLabel):
            middle = median(SUPPORT_SCORE[str(label.label)] for label in self.labels)
            return "full" if middle > 0.5 else "partial" if middle > 0.0 else "none"
        if isinstance(self.example, PairwiseLabel):
            votes = Counter(label.three_class for label in self.labels if isinstance(label, PairwiseLabel))
            (best, most), *rest = votes.most_common()
            return ag.TIE if rest and rest[0][1] == most else best
        values = [float(label.label) for label in self.labels if isinstance(label, RatingLabel)]
        return sum(values) / len(values)


def cases(labels: Sequence[Label], task: Task) -> list[Case]:
    """A pair that somebody has the other way round is the same pair, and his label is turned.

    What a person says again replaces what he said before; people without a name are each somebody else.
    """
    groups: dict[str, dict[str, Label]] = {}
    for number, label in enumerate(labels):
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
        who = f"{number} {label.judge}" if label.judge == UNNAMED else label.judge
        groups.setdefault(key, {})[who] = label
    return [Case(key, next(iter(group.values())), tuple(group.values())) for key, group in groups.items()]


def _pair_key(label: PairwiseLabel) -> str:
    return content_id(label.query, label.answer_a, label.answer_b, label.dimension or "")
