"""The sway of the figures of tasks with files. From trial to trial, else from one judging of the same report to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Values
from drr.eval.stats.asked import AskedQuestion
from drr.eval.stats.noise import pooled_sd
from drr.eval.tasks.judged import Judged
from drr.papers.dr3.judging.rows import DEPTH, FOLLOWING, INSIGHTS
from drr.papers.dr3.metrics import accuracy
from drr.papers.dr3.metrics import dr3 as family
from drr.papers.dr3.metrics.rows import NoiseFloor, NoiseRow

BEHIND: Mapping[str, tuple[str, ...]] = {
    "dr3_ir_sc": (INSIGHTS,),
    "dr3_ir_uf": (INSIGHTS,),
    "dr3_if": (INSIGHTS, FOLLOWING),
    "dr3_dq": (DEPTH,),
}
"""What a judge was asked for each figure that sways with the judge alone. CC is code's; what a claim's sources say is judged again for
a few claims of a report, which makes no figure of it."""


def noise_floor(
    judged: Judged, again: Sequence[Judged], answers: Sequence[Answer], shown: Sequence[str]
) -> NoiseFloor:
    """Compute the noise floor of one system. Trials say more, as they hold the judge's swaying too; a figure
    that was not repeated is unknown."""
    by_question: dict[AskedQuestion, list[Values]] = {}
    for answer in answers:
        by_question.setdefault(answer.asked, []).append(values_of_tasks(judged, answer))
    trials = _rows([list(own) for own in by_question.values()], shown)
    if any(row["sd"] is not None for row in trials.values()):
        return {"between": "trials", "metrics": trials}
    repeats = _rows(
        [[dict(one) for one in _judged_again(judged, again, answer)] for answer in answers], shown
    )
    measured = any(row["sd"] is not None for row in repeats.values())
    return {"between": "judgings" if measured else None, "metrics": repeats}


def values_of_tasks(judged: Judged, answer: Answer) -> Values:
    """The figures of one report that the tables of tasks with files show."""
    return {**accuracy.per_report(judged, answer), **family.per_report(judged, answer)}


def _rows(repeated: Sequence[Sequence[Values]], shown: Sequence[str]) -> dict[str, NoiseRow]:
    rows: dict[str, NoiseRow] = {}
    for name in shown:
        sd, n = pooled_sd([[values.get(name) for values in own] for own in repeated])
        rows[name] = {"sd": sd, "n": n}
    return rows


def _judged_again(judged: Judged, again: Sequence[Judged], answer: Answer) -> Iterator[Values]:
    """The figures by the first judging, and by each other one of all that the first was asked for them."""
    first = family.per_report(judged, answer)
    yield {name: first.get(name) for name in BEHIND}
    for one in again:
        anew = {task for task in (INSIGHTS, FOLLOWING, DEPTH) if _covers(one, judged, task, answer.key)}
        others = dict(judged.others)
        for task in anew:
            others[task] = {answer.key: one.others[task][answer.key]}
        values = family.per_report(replace(judged, others=others), answer)
        asked = {task for task in (INSIGHTS, FOLLOWING, DEPTH) if answer.key in judged.others.get(task, {})}
        yield {
            name: values.get(name)
            for name, tasks in BEHIND.items()
            if asked.intersection(tasks) and asked.intersection(tasks) <= anew
        }


def _covers(again: Judged, first: Judged, task: str, answer: str) -> bool:
    """Tell whether all of what was asked is there again: a part of it is a figure of something else."""
    own, other = (one.others.get(task, {}).get(answer) for one in (first, again))
    if isinstance(own, Mapping) and isinstance(other, Mapping):
        return own.keys() <= other.keys() if task != DEPTH else True
    return False
