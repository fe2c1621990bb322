"""Sums what moved: each change's effect on each outcome, corrected for all that were looked at, as one document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict, cast

from drr.app.stress.outcomes import OUTCOMES, ReadAnswer, is_kept_or_honest, pairs_of
from drr.app.stress.plan import CHANGES
from drr.app.stress.runs import FOLDER
from drr.env.errors import Misuse
from drr.env.overlay import Stress
from drr.env.query import Query, read_queries
from drr.eval.stats.effects import EffectRow, Pair, effects
from drr.eval.stats.intervals import SHARE, VRow, mean
from drr.eval.stats.repeated import sameness
from drr.study.study import Study

SAME, KEPT_OR_HONEST = "same_picks", "kept_or_honest"
STAYED = {
    SAME: "picks that are the same with the change and without it",
    KEPT_OR_HONEST: "recommends the same, or as good by its reward, or nothing",
}


class StressPair(TypedDict):
    """One answer without its change and with it."""

    variant: str
    query_id: str
    trial: int
    key: str
    stress: Stress
    outcomes: dict[str, list[list[float | None]]]
    """Values before and after, by outcome: one pair, or one for each listing."""
    same_picks: float | None
    kept_or_honest: float


class MovedRow(EffectRow):
    variant: str
    of: int
    """Effects of this variant that its p-value is corrected for."""


class StayedRow(VRow):
    variant: str
    change: str
    name: str


class ReachedRow(TypedDict):
    """Numbers of answers under one change."""

    variant: str
    change: str
    pairs: int
    failed: int
    """Pairs whose answer under the change ended without a report."""


class StressDocument(TypedDict):
    """The document of `drr report --stress --json`."""

    schema: int
    study: str
    answers: int
    outdated: int
    """Answers under a change whose answer without it is no longer in the study."""
    reached: list[ReachedRow]
    effects: list[MovedRow]
    stayed: list[StayedRow]
    outcomes: dict[str, str]
    changes: dict[str, str]
    pairs: list[StressPair]


class _Row(NamedTuple):
    shown: StressPair
    pairs: Sequence[Pair]
    has_failed: bool


def findings(folder: Path) -> StressDocument:
    """Compare the answers of a study with those under changes. `Misuse` where there are none."""
    if not Study.exists(folder / FOLDER):
        raise Misuse(
            f"{folder}: nothing was asked under a change; `drr study stress {folder} --with all` does"
        )
    with Study.read(folder) as study, Study.read(folder / FOLDER) as under:
        questions = {query.id: query for query in read_queries(folder / "queries.jsonl")}
        bases = {one.record.key: one for one in _answers(study, questions) if one.record.done}
        rows, outdated = list[_Row](), 0
        by_cell: dict[tuple[str, str], list[ReadAnswer]] = defaultdict(list)
        for one in bases.values():
            by_cell[_cell(one)].append(one)
        for after in _answers(under, questions):
            stress = cast(Stress, after.record.spec["stress"])
            if (before := bases.get(stress["base"])) is None:
                outdated += 1
            else:
                others = [one for one in by_cell[_cell(before)] if one is not before]
                rows.append(_row(stress, before, after, others))
    return {
        "schema": 1,
        "study": folder.name,
        "answers": len(bases),
        "outdated": outdated,
        "reached": list(_reached(rows)),
        "effects": _moved(rows),
        "stayed": list(_stayed(rows)),
        "outcomes": OUTCOMES | STAYED,
        "changes": {name: row.about for name, row in CHANGES.items()},
        "pairs": [row.shown for row in rows],
    }


def _answers(study: Study, questions: dict[str, Query]) -> Iterator[ReadAnswer]:
    """Yield answers that ended; one that may still pass when it is run again has not."""
    for record in sorted(study.records("answer", None), key=lambda one: (one.label, one.key)):
        question = questions.get(str(record.spec.get("query_id")))
        if question is not None and not study.lost(record) and (record.done or not record.transient):
            yield ReadAnswer(study, record, question)


def _cell(answer: ReadAnswer) -> tuple[str, str]:
    return answer.question.id, str(answer.record.spec["variant"])


def _row(stress: Stress, before: ReadAnswer, after: ReadAnswer, others: Sequence[ReadAnswer]) -> _Row:
    pairs = list(pairs_of(stress, before, after, others))
    outcomes: dict[str, list[list[float | None]]] = {}
    for pair in pairs:
        outcomes.setdefault(pair.outcome, []).append([pair.before, pair.after])
    shown: StressPair = {
        "variant": str(after.record.spec["variant"]),
        "query_id": after.question.id,
        "trial": after.trial,
        "key": after.record.key,
        "stress": stress,
        "outcomes": outcomes,
        "same_picks": sameness([before.picks, after.picks]),
        "kept_or_honest": is_kept_or_honest(before, after),
    }
    return _Row(shown, pairs, not after.record.done)


def _moved(rows: Sequence[_Row]) -> list[MovedRow]:
    """Return the effects by variant, each corrected for all that were looked at of its variant."""
    found = list[MovedRow]()
    for variant in dict.fromkeys(row.shown["variant"] for row in rows):
        own = [pair for row in rows if row.shown["variant"] == variant for pair in row.pairs]
        ordered = sorted(own, key=lambda pair: [*CHANGES].index(pair.change))
        moved = effects(ordered, dict.fromkeys(OUTCOMES, SHARE))
        found += [{**one.document(), "variant": variant, "of": len(moved)} for one in moved]
    return found


def _by_change(rows: Sequence[_Row]) -> Iterator[tuple[str, str, list[_Row]]]:
    groups: dict[tuple[str, str], list[_Row]] = defaultdict(list)
    for row in rows:
        groups[row.shown["variant"], row.shown["stress"]["change"]].append(row)
    order = [*CHANGES]
    for (variant, change), own in sorted(groups.items(), key=lambda one: (one[0][0], order.index(one[0][1]))):
        yield variant, change, own


def _reached(rows: Sequence[_Row]) -> Iterator[ReachedRow]:
    for variant, change, own in _by_change(rows):
        failed = sum(row.has_failed for row in own)
        yield {"variant": variant, "change": change, "pairs": len(own), "failed": failed}


def _stayed(rows: Sequence[_Row]) -> Iterator[StayedRow]:
    for variant, change, own in _by_change(rows):
        for name in STAYED if change == "faults" else (SAME,):
            values: dict[str, list[float | None]] = defaultdict(list)
            for row in own:
                value = row.shown["same_picks"] if name == SAME else row.shown["kept_or_honest"]
                values[row.shown["query_id"]].append(value)
            found = mean(values, ends=SHARE).document()
            yield {**found, "variant": variant, "change": change, "name": name}
