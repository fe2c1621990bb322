"""The changes between two judgings of the same answers, verdict by verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from drr.eval.asking.rules import is_rules, rules_version
from drr.eval.tasks.judged import Judged, Judging
from drr.eval.tasks.protocol import PROTOCOLS
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
    warning: str | None
    """Why the two cannot be held against each other verdict by verdict, where they cannot."""
    tasks: dict[str, VerdictChanges]


def last_two(judgings: Sequence[Judging]) -> list[Judging]:
    """Find the last two of one protocol, ours before others, oldest first; none where no protocol has two."""
    for protocol in PROTOCOLS:
        same = [judging for judging in judgings if judging.protocol == protocol]
        if len(same) > 1:
            return same[-2:]
    return []


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
        "warning": _warning(old, new),
        "tasks": found,
    }


def _warning(old: Judged, new: Judged) -> str | None:
    by_rules = [j for j in (old.judging, new.judging) if j is not None and is_rules(j.judge)]
    names = sorted({j.judge for j in by_rules})
    versions = sorted({rules_version(j.judge, j.versions.values()) or 0 for j in by_rules})
    if len(names) > 1:
        return f"{' and '.join(names)} are other rules: a change is not the report's"
    if len(versions) > 1:
        return f"versions {' and '.join(map(str, versions))} of {names[0]} are other rules: a change is not the report's"
    if old.way == new.way:
        return None
    return (
        f"the two follow different protocols ({old.way.label}; {new.way.label}):"
        " they ask other questions of other claims, and a change is not the judge's"
    )


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
