"""The distance of a judge from experts. Deviation, bias, agreement on which of two is better and on the
order, each beside its chance level."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from math import factorial, prod
from typing import Any, NamedTuple, TypedDict

import numpy as np
from drr.eval.asking.forms import SCHEMA
from drr.eval.asking.judge import Judge, KeptAnswers
from drr.eval.stats import correlation
from drr.eval.stats.differences import PairedDifference, paired
from drr.eval.stats.intervals import SHARE, V, VRow, from_sums, ratio
from drr.eval.tasks.desk import Desk
from drr.papers.reporteval.alignment.tasks import AlignedTask, AlignItem, JudgeWord
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context

Judgements = Mapping[tuple[str, str], JudgeWord]
"""Words by item and side; those that nobody has judged yet are absent."""


@dataclass(frozen=True)
class AlignmentWork:
    task: AlignedTask
    desk: Desk
    items: Sequence[AlignItem]
    kept: KeptAnswers

    def units(self) -> list[Unit]:
        return [self._unit(item, part) for item in self.items for part in self.task.parts(item)]

    def unit_keys(self) -> dict[tuple[str, str], str]:
        """Find by item and side the unit that says what the judge found of it."""
        return {
            (item.id, side): self._unit(item, side if side in parts else parts[0]).key
            for item in self.items
            for parts in (self.task.parts(item),)
            for side in item.words
        }

    def _unit(self, item: AlignItem, part: str) -> Unit:
        own = self.desk.version(1, self.desk_role, *self.task.prompts)
        fields = {
            "task": f"align-{self.task.name}",
            "judge": self.desk.judge.shown,
            "schema": SCHEMA,
            "item": item.id,
            "part": part,
            "version": own,
            "prompt": self.task.asking(self.desk, item, part).fingerprint,
        }
        label = f"{self.task.name} {part}".strip()
        return Unit("judgement", fields, {"item": item.id, "part": part}, f"align {label} \u00b7 {item.name}")

    @property
    def desk_role(self) -> str:
        return "judge"

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        (item,) = (one for one in self.items if one.id == spec["item"])
        judge = Judge(self.desk_role, context, self.kept, self.desk.stand_in)
        answer = await self.task.ask(self.desk, item, spec["part"], judge)
        return judge.sealed(Outcome({"said": {side: word._asdict() for side, word in answer.items()}}))

    def judgements(self, study: Study) -> Judgements:
        """A judgement that failed for good has no value, with the reason."""
        sides = {unit.key: unit.key_fields for unit in self.units()}
        by_id = {item.id: item for item in self.items}
        found: dict[tuple[str, str], JudgeWord] = {}
        for record in study.records("judgement", None):
            if record.key not in sides or (record.transient and not record.done):
                continue
            item, part = record.key_fields["item"], record.key_fields["part"]
            if record.done:
                stored = record.result["said"]
                found |= {(item, side): JudgeWord(**word) for side, word in stored.items()}
            elif record.status != "over_budget":
                failed = JudgeWord(None, f"{record.reason}: {record.message}")
                found |= {(item, side): failed for side in ([part] if part else by_id[item].words)}
        return found


WORST = 10
PATIENCE = 3
"""Versions that bring nothing, after which the loop has ended."""


class Chanced(VRow):
    chance: float | None


class AlignFigures(TypedDict):
    mad: VRow
    mad_of_range: float | None
    bias: VRow
    pca: Chanced
    rank: Chanced
    spearman: VRow


class Disagreement(TypedDict):
    item: str
    side: str
    judge: float
    people: float
    judge_says: str
    people_say: list[str]
    texts: dict[str, str]


class JudgedThing(NamedTuple):
    """One side of one thing."""

    item: AlignItem
    side: str
    judge: float | None
    judge_says: str
    people: float

    @property
    def apart(self) -> float | None:
        return None if self.judge is None else round(abs(self.judge - self.people), 9)


class AlignedThing(TypedDict):
    """One side of a labelled thing: its label's `id`, its `text`, and the `unit` that `drr study trace` shows."""

    id: str
    text: str
    query: str
    side: str
    judge: float | None
    judge_says: str
    people: float
    apart: float | None
    unit: str


def things(rows: Iterable[JudgedThing], units: Mapping[tuple[str, str], str]) -> list[AlignedThing]:
    """Everything that the figures of a reading are made of, the farthest apart first, what nobody judged last."""
    found: list[AlignedThing] = [
        {
            "id": row.item.name,
            "text": row.item.id,
            "query": row.item.query,
            "side": row.side,
            "judge": row.judge,
            "judge_says": row.judge_says,
            "people": row.people,
            "apart": row.apart,
            "unit": units[row.item.id, row.side],
        }
        for row in rows
    ]
    return sorted(found, key=lambda one: (one["apart"] is None, -(one["apart"] or 0), one["id"], one["side"]))


def judged_things(items: Iterable[AlignItem], judgements: Judgements) -> list[JudgedThing]:
    rows = []
    for item in items:
        for side in item.words:
            word = judgements.get((item.id, side))
            value, reason = (None, "") if word is None else word
            rows.append(JudgedThing(item, side, value, reason, item.people(side)))
    return rows


def align_figures(rows: Sequence[JudgedThing], ends: tuple[float, float]) -> AlignFigures:
    """Intervals are over questions."""
    judge, people = [row.judge for row in rows], [row.people for row in rows]
    queries = [row.item.query for row in rows]
    mad = _deviation(rows, ends[1] - ends[0])
    pca, pca_chance = _preferences(rows)
    rank, chance = rank_agreement(rows)
    order = correlation.spearman(judge, people, unit="thing", clusters=queries)
    return {
        "mad": mad.document(),
        "mad_of_range": None if mad.value is None else mad.value / (ends[1] - ends[0]),
        "bias": correlation.bias(judge, people, clusters=queries, width=ends[1] - ends[0]).document(),
        "pca": {**pca.document(), "chance": pca_chance},
        "rank": {**rank.document(), "chance": chance},
        "spearman": order.document(),
    }


def _preferences(rows: Sequence[JudgedThing]) -> tuple[V, float | None]:
    """Compare two things of one question and side, for which is better: a tie matches only a tie."""
    groups: dict[tuple[str, str], list[JudgedThing]] = {}
    for row in rows:
        groups.setdefault((row.item.query, row.side), []).append(row)
    pairs = [pair for group in groups.values() for pair in combinations(group, 2)]
    return correlation.preference_agreement(
        [None if a.judge is None or b.judge is None else round(a.judge - b.judge, 9) for a, b in pairs],
        [round(a.people - b.people, 9) for a, b in pairs],
        clusters=[a.item.query for a, _ in pairs],
    )


def _deviation(rows: Sequence[JudgedThing], most: float) -> V:
    known = [(abs(row.judge - row.people), row.item.query) for row in rows if row.judge is not None]
    sums = np.array([[apart, 1.0] for apart, _ in known]).reshape(-1, 2)
    lost = len(rows) - len(known)
    clusters = [query for _, query in known]
    return from_sums(
        sums, clusters, ratio, "MAD: mean absolute difference", n_unscored=lost, ends=(0.0, most)
    )


def by_side(rows: Sequence[JudgedThing], ends: tuple[float, float]) -> dict[str, AlignFigures]:
    sides = dict.fromkeys(row.side for row in rows)
    return {side: align_figures([row for row in rows if row.side == side], ends) for side in sides}


def rank_agreement(rows: Sequence[JudgedThing]) -> tuple[V, float | None]:
    """Return the share of questions with the very same order, and the share expected if the judge's values were shuffled."""
    groups: dict[tuple[str, str], list[JudgedThing]] = {}
    for row in rows:
        if row.judge is not None:
            groups.setdefault((row.item.query, row.side), []).append(row)
    same, chances, clusters = [], [], []
    for (query, _), group in groups.items():
        if len(group) > 1:
            one, other = [row.judge or 0.0 for row in group], [row.people for row in group]
            same.append(float(_signs(one) == _signs(other)))
            chances.append(_chance(one, other))
            clusters.append(query)
    table = np.array([[value, 1.0] for value in same]).reshape(-1, 2)
    v = from_sums(table, clusters, ratio, "share of questions with the same order", ends=SHARE)
    return v, sum(chances) / len(chances) if chances else None


def _signs(values: Sequence[float]) -> list[int]:
    return [int(np.sign(round(a - b, 9))) for a in values for b in values]


def _chance(one: Sequence[float], other: Sequence[float]) -> float:
    """Share of the ways to deal the same values that keep the other's order. None where the ties are not of one make."""
    ties, others = (
        [len(list(group)) for _, group in groupby(sorted(round(value, 9) for value in values))]
        for values in (one, other)
    )
    return prod(map(factorial, ties)) / factorial(len(one)) if ties == others else 0.0


def worst(rows: Sequence[JudgedThing], many: int = WORST) -> list[Disagreement]:
    """The farthest apart first."""
    known = [(abs(row.judge - row.people), row) for row in rows if row.judge is not None]
    apart = sorted(
        (one for one in known if one[0] > 0), key=lambda one: (-one[0], one[1].item.id, one[1].side)
    )
    return [
        {
            "item": row.item.name,
            "side": row.side,
            "judge": row.judge or 0.0,
            "people": row.people,
            "judge_says": row.judge_says,
            "people_say": [
                f"{word.who}: {word.value:g}{f', {word.comment}' if word.comment else ''}"
                for word in row.item.words[row.side]
            ],
            "texts": dict(row.item.texts),
        }
        for _, row in apart[:many]
    ]


def nearer(new: Sequence[JudgedThing], old: Sequence[JudgedThing]) -> PairedDifference:
    """Subtract the old deviation from the new, on the same things. Below 0 the new version is nearer to the experts."""
    return paired(_deviations(new), _deviations(old))


def _deviations(rows: Sequence[JudgedThing]) -> Mapping[str, Sequence[float | None]]:
    found: dict[str, list[float | None]] = {}
    for row in rows:
        deviation = None if row.judge is None else abs(row.judge - row.people)
        found.setdefault(row.item.query, []).append(deviation)
    return found


class Run(TypedDict):
    """One reading of a version: on dev, or on test."""

    version: int
    hash: str
    judge: str
    half: str
    at: str
    items: int
    figures: AlignFigures


def ending(runs: Sequence[Run], target: float) -> str | None:
    """Say why the loop has ended; `None` while it goes on. `runs` are those of one judge on dev, by version."""
    if not runs:
        return None
    last = runs[-1]["figures"]["mad"]
    if last["ci_high"] is not None and last["ci_high"] < target:
        return f"reached: the interval of v{runs[-1]['version']}'s MAD lies under {target:g}"
    values = [run["figures"]["mad"]["value"] for run in runs]
    known = [value for value in values if value is not None]
    if len(known) == len(values) and len(known) > PATIENCE:
        before = min(known[:-PATIENCE])
        if all(value >= before for value in known[-PATIENCE:]):
            best = runs[known.index(before)]["version"]
            return f"stopped: the last {PATIENCE} versions bring nothing over v{best}"
    return None
