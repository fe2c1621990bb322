"""Does P see the person: each report under the criteria of every person of its task.

`delta` of a person: P of his own report under his criteria minus the mean of the other persons' reports under the same. `CFA_min` is
the smallest of a task's deltas, `A_min` its smallest P of a report under its own person's criteria.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import fsum
from typing import NamedTuple

from drr.eval.stats.intervals import V, mean


class SwapScore(NamedTuple):
    task: str
    criteria_of: str
    report_of: str
    p: float | None


class TaskSwap(NamedTuple):
    """The swap of one task."""

    delta: Mapping[str, float | None]
    """By whose criteria; unknown where nobody else's report, or not his own, was scored under them."""
    cfa_min: float | None
    a_min: float | None
    matched: Mapping[str, float | None]
    """P of each person's report under his own criteria."""


def swapped(scores: Iterable[SwapScore]) -> dict[str, TaskSwap]:
    """Several scores of one report's person under one person's criteria are averaged first."""
    known: dict[str, dict[str, dict[str, list[float]]]] = {}
    for score in scores:
        under = known.setdefault(score.task, {}).setdefault(score.criteria_of, {})
        if score.p is not None:
            under.setdefault(score.report_of, []).append(score.p)
    return {task: _of_task(by_person) for task, by_person in known.items()}


def _of_task(by_person: Mapping[str, Mapping[str, list[float]]]) -> TaskSwap:
    means = {
        person: {of: fsum(values) / len(values) for of, values in under.items()}
        for person, under in by_person.items()
    }
    delta = {person: _delta(person, under) for person, under in means.items()}
    matched = {person: under.get(person) for person, under in means.items()}
    return TaskSwap(delta, _least(delta), _least(matched), matched)


def _delta(person: str, under: Mapping[str, float]) -> float | None:
    others = [value for of, value in under.items() if of != person]
    if person not in under or not others:
        return None
    return under[person] - fsum(others) / len(others)


def _least(values: Mapping[str, float | None]) -> float | None:
    return min((value for value in values.values() if value is not None), default=None)


class SwapMeans(NamedTuple):
    """The means of swaps over tasks."""

    delta: V
    cfa_min: V
    a_min: V


def over_tasks(tasks: Mapping[str, TaskSwap]) -> SwapMeans:
    return SwapMeans(
        mean({task: list(one.delta.values()) for task, one in tasks.items()}, "mean swap delta over tasks"),
        mean({task: [one.cfa_min] for task, one in tasks.items()}, "mean CFA_min over tasks"),
        mean({task: [one.a_min] for task, one in tasks.items()}, "mean A_min over tasks"),
    )
