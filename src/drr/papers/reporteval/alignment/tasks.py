"""The judging tasks that can be aligned with experts: the parts of a label, a request, a scale.

Each task is a class here and an entry in `ALIGNED`. Each uses the same prompts and forms as the judging task.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, cast

from drr.env.errors import Misuse
from drr.env.source import FrozenText, text_hash
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
from drr.eval.stats.question import grouped
from drr.eval.tasks.desk import JudgingContext
from drr.eval.tasks.grading import Graded, comparison_asking, criterion_name, prefer, rate, rating_asking
from drr.eval.tasks.support_items import SupportItem
from drr.eval.tasks.support_requests import judge_support, support_asking
from drr.papers.reporteval.judging.grades import SIDES, grades_asking
from drr.papers.reporteval.judging.repetition import PassagePair, judge_pair, pair_asking
from drr.study.unit import canonical_json

WHOLE = "score"
"""Name of the only side of a task without sides."""


class ExpertWord(NamedTuple):
    who: str
    value: float
    comment: str


class AlignItem(NamedTuple):
    """An item to judge, with the labels of all experts."""

    id: str
    """Hash of the item's texts."""
    name: str
    """Id of the item's first label."""
    query: str
    """Hash of the question; all items of a question are in the same half."""
    texts: Mapping[str, str]
    words: Mapping[str, Sequence[ExpertWord]]
    """Values of the experts, by side."""
    labels: Sequence[AlignLabel]

    def people(self, side: str) -> float:
        """Return the mean over experts, each counting once; each unnamed one counts as a different expert."""
        named = enumerate(self.words[side])
        by_person = grouped((f"{one.who} {n if one.who == UNNAMED else ''}", one.value) for n, one in named)
        return sum(sum(own) / len(own) for own in by_person.values()) / len(by_person)


class LabelParts(NamedTuple):
    """The parts of a label as the judging task uses them."""

    texts: Mapping[str, str]
    value: float
    query: str
    side: str = WHOLE


def items_of(labels: Iterable[tuple[AlignLabel, LabelParts]]) -> list[AlignItem]:
    """Return the items of labels, in order of first appearance."""
    groups = grouped((content_id(*parts.texts.values()), (label, parts)) for label, parts in labels)
    found = []
    for name, group in groups.items():
        words = grouped((p.side, ExpertWord(one.judge, p.value, one.comment or "")) for one, p in group)
        first, parts = group[0]
        own, query = tuple(label for label, _ in group), content_id(parts.query)
        found.append(AlignItem(name, first.id, query, parts.texts, words, own))
    return found


def split_dev_test(items: Sequence[AlignItem], seed: int) -> tuple[list[AlignItem], list[AlignItem]]:
    """Split items by question into dev and test, in an order drawn by seed. Each half has at least one question."""
    queries = sorted({item.query for item in items}, key=lambda query: text_hash(f"{seed} {query}"))
    dev = set(queries[: round(len(queries) / 2)])
    return [one for one in items if one.query in dev], [one for one in items if one.query not in dev]


def labels_hash(items: Iterable[AlignItem]) -> str:
    """Return the hash of all labels, whatever their order in a file."""
    lines = sorted(canonical_json(label.model_dump(mode="json")) for item in items for label in item.labels)
    return text_hash("\n".join(lines))


class JudgeWord(NamedTuple):
    value: float | None
    reason: str


BySide = Mapping[str, JudgeWord]
"""The judge's values by side of the item."""


class AlignedTask(ABC):
    name: ClassVar[str]
    prompts: ClassVar[tuple[str, ...]]
    """Names of the prompts that a version holds."""
    ends: ClassVar[tuple[float, float]]
    target: ClassVar[float]
    """Default of the deviation from experts to reach."""
    label: ClassVar[type]
    """Class of the task's labels."""
    sides: ClassVar[tuple[str, Sequence[str]] | None] = None
    """Word for the `dimension` of labels, and its values; `None` for a task without sides."""
    by_side: ClassVar[bool] = False
    """True if each labelled side is a unit of its own."""

    def taken(self, label: AlignLabel) -> LabelParts | None:
        """Return the parts of a label; `None` for another kind of label. Raise `Misuse` for a value outside the scale."""
        if not isinstance(label, self.label):
            return None
        parts, (low, high) = self.take(label), self.ends
        if self.sides is not None:
            (word, sides), side = self.sides, getattr(label, "dimension", None) or "overall"
            if side not in sides:
                raise Misuse(f"label {label.id}: no {word} {side!r}; it is one of {', '.join(sides)}")
            parts = parts._replace(side=str(side))
        if not low <= parts.value <= high:
            scale = f"{low:g} to {high:g}, the scale of {self.name}"
            raise Misuse(f"label {label.id}: {parts.value:g} is not from {scale}")
        return parts

    def parts(self, item: AlignItem) -> Sequence[str]:
        """Return the parts of an item, each of which is a unit."""
        return tuple(item.words) if self.by_side else ("",)

    @abstractmethod
    def take(self, label: Any) -> LabelParts: ...

    @abstractmethod
    def asking(self, desk: JudgingContext, item: AlignItem, part: str) -> Asking[Any]:
        """Build the first request, whose hash is part of the unit's key."""

    @abstractmethod
    async def ask(self, desk: JudgingContext, item: AlignItem, part: str, judge: Examiner) -> BySide: ...


class AlignedQuality(AlignedTask):
    """The alignment of ReportEval's five grades, given in one call."""

    sides = ("side", SIDES)
    name, prompts, ends, target, label = "quality", ("re_quality",), (0.0, 4.0), 0.72, RatingLabel

    def take(self, label: RatingLabel) -> LabelParts:
        return LabelParts({"query": label.query, "answer": label.answer}, label.label, label.query)

    def asking(self, desk: JudgingContext, item: AlignItem, part: str) -> Asking[Any]:
        query, answer = item.texts["query"], item.texts["answer"]
        return grades_asking(desk.prompts, "re_quality", query, answer, (item.id,))

    async def ask(self, desk: JudgingContext, item: AlignItem, part: str, judge: Examiner) -> BySide:
        answer = await judge.answer(self.asking(desk, item, part))
        grades = {side: getattr(answer, side) for side in item.words}
        return {side: JudgeWord(float(one.grade), one.reason) for side, one in grades.items()}


class AlignedRedundancy(AlignedTask):
    """The alignment of the comparison of two passages."""

    name, prompts, ends, target, label = "redundancy", ("re_repetition",), (0.0, 4.0), 0.31, PassageLabel

    def take(self, label: PassageLabel) -> LabelParts:
        return LabelParts({"first": label.passage_a, "second": label.passage_b}, label.label, label.query)

    def _pair(self, item: AlignItem) -> PassagePair:
        return PassagePair("re_repetition", item.texts["first"], item.texts["second"], (item.id,))

    def asking(self, desk: JudgingContext, item: AlignItem, part: str) -> Asking[Any]:
        return pair_asking(desk.prompts, self._pair(item))

    async def ask(self, desk: JudgingContext, item: AlignItem, part: str, judge: Examiner) -> BySide:
        verdict = await judge_pair(judge, desk.prompts, self._pair(item))
        value = None if verdict["score"] is None else float(verdict["score"])
        return {WHOLE: JudgeWord(value, verdict["reason"] or verdict["explanation"])}


class AlignedSupport(AlignedTask):
    """The alignment of support of a claim by its evidence, on ReportEval's scale: 1 full, 0 in part, -1 none."""

    name, prompts, ends, target, label = "support", ("support",), (-1.0, 1.0), 0.29, SupportLabel

    def take(self, label: SupportLabel) -> LabelParts:
        texts, value = {"claim": label.claim, "evidence": label.evidence}, 2 * SCORE[label.label] - 1
        return LabelParts(texts, value, label.query or label.evidence)

    def _claim(self, desk: JudgingContext, item: AlignItem) -> SupportItem:
        text = item.texts["evidence"]
        evidence = FrozenText("evidence", "web", "ok" if text.strip() else "empty", text)
        return SupportItem("c1-web", "c1", item.texts["claim"], "web", "page", (evidence,), desk.cut(1))

    def asking(self, desk: JudgingContext, item: AlignItem, part: str) -> Asking[Any]:
        return support_asking(desk.prompts, desk.protocol, [self._claim(desk, item)], about=(item.id,))

    async def ask(self, desk: JudgingContext, item: AlignItem, part: str, judge: Examiner) -> BySide:
        claim = self._claim(desk, item)
        found = await judge_support(judge, desk.prompts, desk.protocol, [claim], about=(item.id,))
        status, reason = found[claim.id]["status"], found[claim.id]["reason"]
        return {WHOLE: JudgeWord(2 * SCORE[status] - 1 if status in SCORE else None, reason)}


class AlignedRating(AlignedTask):
    """The alignment of ratings on seven dimensions, 0-10, with a call for each labelled one."""

    sides, by_side = ("dimension", DIMENSIONS), True
    name, ends, target, label = "rating", (0.0, 10.0), 1.0, RatingLabel
    prompts = ("rate", *map(criterion_name, DIMENSIONS))

    def take(self, label: RatingLabel) -> LabelParts:
        return LabelParts({"query": label.query, "answer": label.answer}, label.label, label.query)

    def asking(self, desk: JudgingContext, item: AlignItem, part: str) -> Asking[Any]:
        asked, answer = Graded(item.texts["query"], "", desk.shop_url), item.texts["answer"]
        dimension = cast("Dimension", part)
        return rating_asking(desk.prompts, desk.protocol, dimension, asked, answer, about=(item.id,))

    async def ask(self, desk: JudgingContext, item: AlignItem, part: str, judge: Examiner) -> BySide:
        answer = await rate(judge, self.asking(desk, item, part))
        return {part: JudgeWord(float(answer["rating"]), answer["justification"])}


class AlignedPairwise(AlignedTask):
    """The alignment of comparisons of two answers in both orders. 1: the first is better; -1: the second; 0: a tie, or the two orders disagree."""

    sides, by_side = ("dimension", DIMENSIONS), True
    name, ends, target, label = "pairwise", (-1.0, 1.0), 0.4, PairwiseLabel
    prompts = ("compare", *map(criterion_name, DIMENSIONS))

    def take(self, label: PairwiseLabel) -> LabelParts:
        one = label.turned() if label.answer_a > label.answer_b else label
        texts = {"query": one.query, "answer_a": one.answer_a, "answer_b": one.answer_b}
        return LabelParts(texts, {"A": 1.0, "B": -1.0, "tie": 0.0}[one.three_class], one.query)

    def asking(self, desk: JudgingContext, item: AlignItem, part: str, order: str = "ab") -> Asking[Any]:
        both = (item.texts[f"answer_{order[0]}"], item.texts[f"answer_{order[1]}"])
        shown = ([cast("Dimension", part)], Graded(item.texts["query"], "", desk.shop_url), both)
        return comparison_asking(desk.prompts, desk.protocol, *shown, about=(item.id, order))

    async def ask(self, desk: JudgingContext, item: AlignItem, part: str, judge: Examiner) -> BySide:
        one, other = [await prefer(judge, self.asking(desk, item, part, order)) for order in ("ab", "ba")]
        won = {"first": 1.0, "second": -1.0, "tie": 0.0}
        a, b = won[one["winner"]], -won[other["winner"]]
        return {part: JudgeWord(a if a == b else 0.0, one["justification"])}


ALIGNED: Mapping[str, AlignedTask] = {
    task.name: task
    for task in (AlignedQuality(), AlignedRedundancy(), AlignedSupport(), AlignedRating(), AlignedPairwise())
}
