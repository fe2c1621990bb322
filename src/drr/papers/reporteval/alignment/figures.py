"""Measures the distance of a judge from experts: deviation, bias and agreement on order, the latter with its chance level."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from math import factorial, prod
from typing import Any, NamedTuple, TypedDict

import numpy as np
from drr.env.json_object import JsonObject
from drr.eval.asking.forms import SCHEMA
from drr.eval.asking.judge import Judge, KeptAnswers
from drr.eval.stats import correlation
from drr.eval.stats.intervals import SHARE, Statistic, VRow, from_sums, ratio
from drr.eval.stats.question import grouped
from drr.eval.tasks.desk import JudgingContext
from drr.papers.reporteval.alignment.tasks import AlignedTask, AlignItem, JudgeWord
from drr.study.study import Study
from drr.study.unit import Outcome, Record, Unit
from drr.study.worker import Context


@dataclass(frozen=True)
class AlignmentWork:
    task: AlignedTask
    desk: JudgingContext
    items: Sequence[AlignItem]
    kept: KeptAnswers

    def units(self) -> list[Unit]:
        return [self._unit(item, part) for item in self.items for part in self.task.parts(item)]

    def _unit(self, item: AlignItem, part: str) -> Unit:
        fields = {
            "task": f"align-{self.task.name}", "judge": self.desk.judge.shown, "schema": SCHEMA, "item": item.id, "part": part,
            "version": self.desk.version(1, "judge", *self.task.prompts),
            "prompt": self.task.asking(self.desk, item, part).fingerprint,
        }  # fmt: skip
        label = f"{self.task.name} {part}".strip()
        return Unit("judgement", fields, {"item": item.id, "part": part}, f"align {label} \u00b7 {item.name}")

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        (item,) = (one for one in self.items if one.id == spec["item"])
        judge = Judge("judge", context, self.kept, self.desk.stand_in)
        answer = await self.task.ask(self.desk, item, spec["part"], judge)
        return judge.with_raw_answers(
            Outcome({"said": {side: word._asdict() for side, word in answer.items()}})
        )

    def things(self, study: Study) -> list[JudgedThing]:
        """Return each side of each labelled item, with the judge's value and the key of its unit."""
        found = []
        for item in self.items:
            units = {part: self._unit(item, part).key for part in self.task.parts(item)}
            words = dict[str, JudgeWord]()
            for part, key in units.items():
                words |= _judge_words(study.record(key), [part] if part else item.words)
            first = next(iter(units.values()), "")
            found += [JudgedThing(item, side, words.get(side), units.get(side, first)) for side in item.words]
        return found


class JudgedThing(NamedTuple):
    """A side of a labelled item, with the judge's value and the experts' values."""

    item: AlignItem
    side: str
    word: JudgeWord | None
    """Value and reason of the judge; `None` before the item is judged."""
    unit: str = ""
    """Key of the unit, which `drr study trace` shows."""

    @property
    def judge(self) -> float | None:
        return None if self.word is None else self.word.value

    @property
    def people(self) -> float:
        return self.item.people(self.side)

    @property
    def apart(self) -> float | None:
        return None if self.judge is None else round(abs(self.judge - self.people), 9)

    def _values(self) -> JsonObject:
        says = "" if self.word is None else self.word.reason
        return {"judge": self.judge, "judge_says": says, "people": self.people}

    def row(self) -> JsonObject:
        """Return the row for documents, under the id of the label."""
        names = {"id": self.item.name, "text": self.item.id, "query": self.item.query, "side": self.side}
        return {**names, **self._values(), "apart": self.apart, "unit": self.unit}

    def disagreement(self) -> JsonObject:
        """Return the values with the words of judge and experts, and the texts."""
        experts = self.item.words[self.side]
        words = [f"{one.who}: {one.value:g}{f', {one.comment}' if one.comment else ''}" for one in experts]
        named, texts = {"item": self.item.name, "side": self.side}, dict(self.item.texts)
        return {**named, **self._values(), "people_say": words, "texts": texts}


def _judge_words(record: Record | None, sides: Iterable[str]) -> Mapping[str, JudgeWord]:
    """Return the judge's values of a unit by side: empty before judging; a reason alone if the unit failed."""
    if record is not None and record.done:
        return {side: JudgeWord(**word) for side, word in record.result["said"].items()}
    if record is None or record.transient or record.status == "over_budget":
        return {}
    return dict.fromkeys(sides, JudgeWord(None, f"{record.reason}: {record.message}"))


def farthest_first(rows: Iterable[JudgedThing]) -> list[JudgedThing]:
    """Sort by distance between judge and experts, largest first; unjudged items come last."""
    return sorted(rows, key=lambda one: (one.apart is None, -(one.apart or 0), one.item.name, one.side))


WORST = 10


def ten_largest_distances(rows: Iterable[JudgedThing]) -> list[JudgedThing]:
    """Return the ten with the largest distance, largest first."""
    apart = (row for row in rows if row.apart)
    return sorted(apart, key=lambda row: (-(row.apart or 0), row.item.id, row.side))[:WORST]


class Chanced(VRow):
    chance: float | None


class AlignFigures(TypedDict):
    mad: VRow
    mad_of_range: float | None
    bias: VRow
    pca: Chanced
    rank: Chanced
    spearman: VRow


class Run(TypedDict):
    """The result of judging one half (dev or test) with one version of the prompt."""

    version: int
    hash: str
    judge: str
    half: str
    at: str
    items: int
    figures: AlignFigures


def align_figures(rows: Sequence[JudgedThing], ends: tuple[float, float]) -> AlignFigures:
    """Return the figures of a half; intervals are over questions."""
    judge, people = [row.judge for row in rows], [row.people for row in rows]
    queries, width = [row.item.query for row in rows], ends[1] - ends[0]
    known = [(abs(row.judge - row.people), row.item.query) for row in rows if row.judge is not None]
    sums = np.array([[apart, 1.0] for apart, _ in known]).reshape(-1, 2)
    lost, named = len(rows) - len(known), "MAD: mean absolute difference"
    mad = from_sums(sums, [query for _, query in known], ratio, named, n_unscored=lost, ends=(0.0, width))
    (pca, pca_chance), (rank, chance) = _preferences(rows), rank_agreement(rows)
    order = correlation.spearman(judge, people, unit="thing", clusters=queries)
    return {
        "mad": mad.document(),
        "mad_of_range": None if mad.value is None else mad.value / width,
        "bias": correlation.bias(judge, people, clusters=queries, width=width).document(),
        "pca": {**pca.document(), "chance": pca_chance},
        "rank": {**rank.document(), "chance": chance},
        "spearman": order.document(),
    }


def by_side(rows: Sequence[JudgedThing], ends: tuple[float, float]) -> dict[str, AlignFigures]:
    return {side: align_figures(own, ends) for side, own in grouped((row.side, row) for row in rows).items()}


def _by_question_and_side(rows: Iterable[JudgedThing]) -> list[list[JudgedThing]]:
    """Group the rows by question and side."""
    return list(grouped(((row.item.query, row.side), row) for row in rows).values())


def _preferences(rows: Sequence[JudgedThing]) -> tuple[Statistic, float | None]:
    """Return the agreement on which of two items of a question and side is better, and its chance level. A tie matches only a tie."""
    pairs = [pair for group in _by_question_and_side(rows) for pair in combinations(group, 2)]
    return correlation.preference_agreement(
        [None if a.judge is None or b.judge is None else round(a.judge - b.judge, 9) for a, b in pairs],
        [round(a.people - b.people, 9) for a, b in pairs],
        clusters=[a.item.query for a, _ in pairs],
    )


def rank_agreement(rows: Sequence[JudgedThing]) -> tuple[Statistic, float | None]:
    """Return the share of questions with the same order, and the share expected by chance (the judge's values shuffled)."""
    same, chances, clusters = list[tuple[float, float]](), list[float](), list[str]()
    for group in _by_question_and_side(row for row in rows if row.judge is not None):
        if len(group) > 1:
            one, other = [row.judge or 0.0 for row in group], [row.people for row in group]
            same.append((float(_signs(one) == _signs(other)), 1.0))
            chances.append(_chance(one, other))
            clusters.append(group[0].item.query)
    table = np.array(same).reshape(-1, 2)
    v = from_sums(table, clusters, ratio, "share of questions with the same order", ends=SHARE)
    return v, sum(chances) / len(chances) if chances else None


def _signs(values: Sequence[float]) -> list[int]:
    return [int(np.sign(round(a - b, 9))) for a in values for b in values]


def _chance(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the chance that shuffled values get the same order; 0 if the ties differ in size or place."""
    rounded = ([round(value, 9) for value in sorted(values)] for values in (one, other))
    ties, others = ([len(list(group)) for _, group in groupby(values)] for values in rounded)
    return prod(map(factorial, ties)) / factorial(len(one)) if ties == others else 0.0


PATIENCE = 3
"""Number of versions without improvement after which the alignment stops."""


def reason_to_end(runs: Sequence[Run], target: float) -> str | None:
    """Return why the alignment has ended; `None` while it goes on. `runs` are one judge's results on dev, by version."""
    values = [run["figures"]["mad"]["value"] for run in runs]
    high = runs[-1]["figures"]["mad"]["ci_high"] if runs else None
    if high is not None and high < target:
        return f"reached: the interval of v{runs[-1]['version']}'s MAD lies under {target:g}"
    known = [value for value in values if value is not None]
    if len(known) == len(values) and len(known) > PATIENCE:
        before = min(known[:-PATIENCE])
        if min(known[-PATIENCE:]) >= before:
            best = runs[known.index(before)]["version"]
            return f"stopped: the last {PATIENCE} versions bring nothing over v{best}"
    return None
