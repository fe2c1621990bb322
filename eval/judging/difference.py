"""What changed between two judgings of the same answers, verdict by verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from drr.eval.tasks.judged import Judged
from drr.eval.tasks.registry import tasks

Value = str | int | None


class VerdictChange(TypedDict):
    answer: str
    item: str
    old: Value
    new: Value


class VerdictChanges(TypedDict):
    both: int
    """Judged in both."""
    changed: int
    changes: list[VerdictChange]


class JudgingDifference(TypedDict):
    schema: int
    old: str | None
    new: str | None
    tasks: dict[str, VerdictChanges]


def difference(old: Judged, new: Judged) -> JudgingDifference:
    labels = {answer.key: answer.label for answer in new.answers}
    found: dict[str, VerdictChanges] = {}
    for name, task in tasks().items():
        before, after = task.values(old), task.values(new)
        if before is not None and after is not None:
            found[name] = _changes(before, after, labels)
    return {
        "schema": 1,
        "old": old.judging.id if old.judging else None,
        "new": new.judging.id if new.judging else None,
        "tasks": found,
    }


def _changes(
    old: Mapping[tuple[str, str], Value], new: Mapping[tuple[str, str], Value], labels: Mapping[str, str]
) -> VerdictChanges:
    both = sorted(old.keys() & new.keys())
    changed: list[VerdictChange] = [
        {"answer": _named(key[0], labels), "item": key[1], "old": old[key], "new": new[key]}
        for key in both
        if old[key] != new[key]
    ]
    return {"both": len(both), "changed": len(changed), "changes": changed}


def _named(keys: str, labels: Mapping[str, str]) -> str:
    """Answers by their labels; those of a pair stand in the order in which they were shown."""
    return " then ".join(labels.get(key, key) for key in keys.split("\0"))
