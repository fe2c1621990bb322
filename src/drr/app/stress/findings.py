"""Computes each change's effect on each outcome of the answers, corrected for the number of tests, as one document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict, cast

from drr.app.stress.outcomes import OUTCOMES, ReadAnswer, paired_outcomes
from drr.app.stress.runs import FOLDER
from drr.app.stress.stress_plan import CHANGES
from drr.env.errors import Misuse
from drr.env.overlay import Stress
from drr.env.query import Query, read_queries
from drr.eval.stats.effects import EffectRow, Pair, effects
from drr.eval.stats.intervals import SHARE
from drr.eval.stats.repeated import sameness
from drr.study.study import Study


class StressPair(TypedDict):
    """One answer compared with the same answer under a change."""

    variant: str
    query_id: str
    trial: int
    key: str
    stress: Stress
    outcomes: dict[str, list[list[float | None]]]
    """Values without and with the change, by outcome: one pair, or one for each listing."""
    has_report: bool
    same_picks: float | None
    """Share of picks that are the same with the change and without it."""


class MovedRow(EffectRow):
    variant: str
    of: int
    """Number of effects of the variant for which the p-value is corrected."""


class StressDocument(TypedDict):
    """The document of `drr report --stress --json`."""

    schema: int
    study: str
    answers: int
    rule_written: int
    """Number of answers that rules wrote in place of a model."""
    compared: int
    """Number of answers that were repeated under at least one change."""
    outdated: int
    """Number of answers under a change whose unchanged answer is no longer in the study."""
    effects: list[MovedRow]
    outcomes: dict[str, str]
    changes: dict[str, str]
    pairs: list[StressPair]


def findings(folder: Path) -> StressDocument:
    """Return the comparison of a study's answers with its answers under changes. Raises `Misuse` where there are none."""
    if not Study.exists(folder / FOLDER):
        raise Misuse(
            f"{folder}: nothing was asked under a change; `drr study stress {folder} --with all` does"
        )
    rows, outdated, compared = list[StressPair](), 0, set[str]()
    pairs: dict[str, list[Pair]] = defaultdict(list)
    with Study.read(folder) as study, Study.read(folder / FOLDER) as under:
        questions = {query.id: query for query in read_queries(folder / "queries.jsonl")}
        bases = {one.record.key: one for one in _answers(study, questions) if one.record.done}
        trials: dict[tuple[str, str], list[ReadAnswer]] = defaultdict(list)
        for one in bases.values():
            trials[one.question.id, one.variant].append(one)
        for after in _answers(under, questions):
            stress = cast(Stress, after.record.spec["stress"])
            if (before := bases.get(stress["base"])) is None:
                outdated += 1
                continue
            others = [one for one in trials[after.question.id, after.variant] if one is not before]
            compared.add(before.record.key)
            own = list(paired_outcomes(stress, before, after, others))
            pairs[after.variant] += own
            rows.append(_row(stress, before, after, own))
    rows.sort(key=lambda row: (row["variant"], _order(row["stress"]["change"])))
    return {
        "schema": 2,
        "study": folder.name,
        "answers": len(bases),
        "rule_written": sum(bool(one.record.result.get("rule_written")) for one in bases.values()),
        "compared": len(compared),
        "outdated": outdated,
        "effects": list(_moved(pairs)),
        "outcomes": OUTCOMES,
        "changes": {name: row.about for name, row in CHANGES.items()},
        "pairs": rows,
    }


def _order(change: str) -> int:
    return [*CHANGES].index(change)


def _answers(study: Study, questions: Mapping[str, Query]) -> Iterator[ReadAnswer]:
    """Yield the finished answers; a failed answer that may succeed when run again is left out."""
    for record in sorted(study.records("answer", None), key=lambda one: (one.label, one.key)):
        question = questions.get(str(record.spec.get("query_id")))
        if question is not None and not study.lost(record) and (record.done or not record.transient):
            yield ReadAnswer(study, record, question)


def _row(stress: Stress, before: ReadAnswer, after: ReadAnswer, pairs: Sequence[Pair]) -> StressPair:
    outcomes: dict[str, list[list[float | None]]] = defaultdict(list)
    for pair in pairs:
        outcomes[pair.outcome].append([pair.before, pair.after])
    return {
        "variant": after.variant,
        "query_id": after.question.id,
        "trial": int(after.record.spec["trial"]),
        "key": after.record.key,
        "stress": stress,
        "outcomes": dict(outcomes),
        "has_report": after.record.done,
        "same_picks": sameness([before.picks, after.picks]),
    }


def _moved(pairs: Mapping[str, Sequence[Pair]]) -> Iterator[MovedRow]:
    """Yield the effects by variant, each corrected for the number of effects of the variant."""
    for variant, own in sorted(pairs.items()):
        moved = effects(sorted(own, key=lambda pair: _order(pair.change)), dict.fromkeys(OUTCOMES, SHARE))
        for one in moved:
            yield {**one.document(), "variant": variant, "of": len(moved)}
