"""The kinds of judging that can be aligned with experts. How a label is taken apart, what a judge is asked,
and on what scale both speak.

One kind is one class here and one line in `ALIGNED`. Each asks by the very prompts and forms of a judging.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar, NamedTuple, cast

from drr.env.errors import Misuse
from drr.env.source import Frozen
from drr.eval.asking.conversation import Asking
from drr.eval.asking.judge import Examiner
from drr.eval.labels import (
    DIMENSIONS,
    UNNAMED,
    AlignLabel,
    Dimension,
    PairwiseLabel,
    PassageLabel,
    RatingLabel,
    SupportLabel,
    content_id,
)
from drr.eval.stats.faithfulness import SCORE
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.grading import Graded, comparison_asking, criterion_name, prefer, rate, rating_asking
from drr.eval.tasks.held import SupportItem
from drr.eval.tasks.support import judge_support, support_asking
from drr.papers.reporteval.judging.grades import SIDES, grades_asking
from drr.papers.reporteval.judging.repetition import PassagePair, judge_pair, pair_asking
from drr.study.unit import canonical_json


class ExpertWord(NamedTuple):
    who: str
    value: float
    comment: str


@dataclass(frozen=True)
class AlignItem:
    """One thing, whoever labelled it."""

    id: str
    """Hash of its texts."""
    name: str
    """The id that its first label has."""
    query: str
    """Question of the thing: things of one question lie on one side of the split."""
    texts: Mapping[str, str]
    words: Mapping[str, Sequence[ExpertWord]]
    labels: Sequence[AlignLabel]

    def people(self, side: str) -> float:
        """The mean over people, each counting once; who has no name is somebody else."""
        by_person: dict[str, list[float]] = {}
        for number, word in enumerate(self.words[side]):
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


WHOLE = "score"
"""The one side of what has no sides."""


class JudgeWord(NamedTuple):
    value: float | None
    reason: str


Words = Mapping[str, JudgeWord]
"""Keyed by side."""


class AlignedTask(ABC):
    name: ClassVar[str]
    prompts: ClassVar[tuple[str, ...]]
    """The files that a version holds; the first is the one that a model may draft."""
    ends: ClassVar[tuple[float, float]]
    target: ClassVar[float]
    """The deviation from experts that is asked for where nobody says another."""

    def parts(self, item: AlignItem) -> Sequence[str]:
        """A unit each."""
        return ("",)

    def checked(self, label: AlignLabel, value: float) -> float:
        low, high = self.ends
        if not low <= value <= high:
            raise Misuse(
                f"label {label.id}: {value:g} is not from {low:g} to {high:g}, the scale of {self.name}"
            )
        return value

    @abstractmethod
    def take(self, label: AlignLabel) -> LabelParts | None:
        """`None` for a label of another kind."""

    @abstractmethod
    def asking(self, desk: Desk, item: AlignItem, part: str) -> Asking[Any]:
        """The first question: what a unit's key holds."""

    @abstractmethod
    async def ask(self, desk: Desk, item: AlignItem, part: str, judge: Examiner) -> Words: ...


class AlignedQuality(AlignedTask):
    """ReportEval's five grades, one call."""

    name = "quality"
    prompts = ("re_quality",)
    ends = (0.0, 4.0)
    target = 0.72

    def take(self, label: AlignLabel) -> LabelParts | None:
        if not isinstance(label, RatingLabel):
            return None
        side = label.dimension or "overall"
        if side not in SIDES:
            raise Misuse(f"label {label.id}: no side {side!r}; it is one of {', '.join(SIDES)}")
        texts = {"query": label.query, "answer": label.answer}
        return LabelParts(label.query, texts, side, self.checked(label, label.label))

    def asking(self, desk: Desk, item: AlignItem, part: str) -> Asking[Any]:
        return grades_asking(
            desk.prompts, "re_quality", item.texts["query"], item.texts["answer"], (item.id,)
        )

    async def ask(self, desk: Desk, item: AlignItem, part: str, judge: Examiner) -> Words:
        answer = await judge.answer(self.asking(desk, item, part))
        return {
            side: JudgeWord(float(getattr(answer, side).grade), getattr(answer, side).reason)
            for side in item.words
        }


class AlignedRedundancy(AlignedTask):
    """Two passages held against each other."""

    name = "redundancy"
    prompts = ("re_repetition",)
    ends = (0.0, 4.0)
    target = 0.31

    def take(self, label: AlignLabel) -> LabelParts | None:
        if not isinstance(label, PassageLabel):
            return None
        texts = {"first": label.passage_a, "second": label.passage_b}
        return LabelParts(label.query, texts, WHOLE, self.checked(label, label.label))

    def _pair(self, item: AlignItem) -> PassagePair:
        return PassagePair("re_repetition", item.texts["first"], item.texts["second"], (item.id,))

    def asking(self, desk: Desk, item: AlignItem, part: str) -> Asking[Any]:
        return pair_asking(desk.prompts, self._pair(item))

    async def ask(self, desk: Desk, item: AlignItem, part: str, judge: Examiner) -> Words:
        outcome = await judge_pair(judge, desk.prompts, self._pair(item))
        value = None if outcome.score is None else float(outcome.score)
        return {WHOLE: JudgeWord(value, outcome.reason or outcome.explanation)}


class AlignedSupport(AlignedTask):
    """A claim held against its evidence, on ReportEval's scale: 1 full, 0 in part, -1 none."""

    name = "support"
    prompts = ("support",)
    ends = (-1.0, 1.0)
    target = 0.29

    def take(self, label: AlignLabel) -> LabelParts | None:
        if not isinstance(label, SupportLabel):
            return None
        texts = {"claim": label.claim, "evidence": label.evidence}
        return LabelParts(label.query or label.evidence, texts, WHOLE, 2 * SCORE[label.label] - 1)

    def _support_item(self, desk: Desk, item: AlignItem) -> SupportItem:
        text = item.texts["evidence"]
        evidence = Frozen("evidence", "web", "ok" if text.strip() else "empty", text)
        return SupportItem("c1-web", "c1", item.texts["claim"], "web", "page", (evidence,), desk.cut(1))

    def asking(self, desk: Desk, item: AlignItem, part: str) -> Asking[Any]:
        return support_asking(desk.prompts, desk.protocol, [self._support_item(desk, item)], about=(item.id,))

    async def ask(self, desk: Desk, item: AlignItem, part: str, judge: Examiner) -> Words:
        claim = self._support_item(desk, item)
        found = await judge_support(judge, desk.prompts, desk.protocol, [claim], about=(item.id,))
        status, reason = found[claim.id]["status"], found[claim.id]["reason"]
        return {WHOLE: JudgeWord(2 * SCORE[status] - 1 if status in SCORE else None, reason)}


class _OfDimensions(AlignedTask):
    """A call for each dimension that somebody labelled."""

    def parts(self, item: AlignItem) -> Sequence[str]:
        return tuple(item.words)

    def dimension(self, label: RatingLabel | PairwiseLabel) -> Dimension:
        named = label.dimension or "overall"
        if named not in DIMENSIONS:
            raise Misuse(f"label {label.id}: no dimension {named!r}; it is one of {', '.join(DIMENSIONS)}")
        return named


class AlignedRating(_OfDimensions):
    """The seven dimensions, 0-10."""

    name = "rating"
    prompts = ("rate", "rate_personalization", *map(criterion_name, DIMENSIONS))
    ends = (0.0, 10.0)
    target = 1.0

    def take(self, label: AlignLabel) -> LabelParts | None:
        if not isinstance(label, RatingLabel):
            return None
        texts = {"query": label.query, "answer": label.answer}
        return LabelParts(label.query, texts, self.dimension(label), self.checked(label, label.label))

    def asking(self, desk: Desk, item: AlignItem, part: str) -> Asking[Any]:
        graded = Graded(item.texts["query"], "", desk.shop_url)
        dimension = cast("Dimension", part)
        return rating_asking(
            desk.prompts, desk.protocol, dimension, graded, item.texts["answer"], about=(item.id,)
        )

    async def ask(self, desk: Desk, item: AlignItem, part: str, judge: Examiner) -> Words:
        answer = await rate(judge, self.asking(desk, item, part))
        return {part: JudgeWord(float(answer["rating"]), answer["justification"])}


class AlignedPairwise(_OfDimensions):
    """Two answers compared in both orders. 1: the first is better; -1: the second; 0: a tie, which two orders that differ are too."""

    name = "pairwise"
    prompts = ("compare", *map(criterion_name, DIMENSIONS))
    ends = (-1.0, 1.0)
    target = 0.4

    def take(self, label: AlignLabel) -> LabelParts | None:
        if not isinstance(label, PairwiseLabel):
            return None
        turned = label.answer_a > label.answer_b
        one = label.turned() if turned else label
        texts = {"query": one.query, "answer_a": one.answer_a, "answer_b": one.answer_b}
        return LabelParts(
            one.query, texts, self.dimension(one), {"A": 1.0, "B": -1.0, "tie": 0.0}[one.three_class]
        )

    def asking(self, desk: Desk, item: AlignItem, part: str) -> Asking[Any]:
        return self._asking(desk, item, part, "ab")

    def _asking(self, desk: Desk, item: AlignItem, part: str, order: str) -> Asking[Any]:
        first, second = (item.texts[f"answer_{letter}"] for letter in order)
        graded, dimension = Graded(item.texts["query"], "", desk.shop_url), cast("Dimension", part)
        return comparison_asking(
            desk.prompts, desk.protocol, dimension, graded, (first, second), about=(item.id, order)
        )

    async def ask(self, desk: Desk, item: AlignItem, part: str, judge: Examiner) -> Words:
        one = await prefer(judge, self._asking(desk, item, part, "ab"))
        other = await prefer(judge, self._asking(desk, item, part, "ba"))
        won = {"first": 1.0, "second": -1.0, "tie": 0.0}
        a, b = won[one["winner"]], -won[other["winner"]]
        return {part: JudgeWord(a if a == b else 0.0, one["justification"])}


ALIGNED: Mapping[str, AlignedTask] = {
    task.name: task
    for task in (AlignedQuality(), AlignedRedundancy(), AlignedSupport(), AlignedRating(), AlignedPairwise())
}
