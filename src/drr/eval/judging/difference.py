"""Compares two judging runs of the same answers, verdict by verdict."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypedDict

from drr.eval.asking.rules import is_rules, rules_version
from drr.eval.judging.read import judgings
from drr.eval.tasks.desk import EXTRACTOR, JudgingContext
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.eval.tasks.protocol import PROTOCOLS
from drr.eval.tasks.registry import known_task, own_groups, tasks
from drr.study.study import Study


def earlier_code(judged: Judged) -> list[str]:
    """List the tasks that were judged by another version of their code: `support 10 (today 11)`."""
    found: dict[str, str] = {}
    run = judged.judging
    for name, version in run.versions.items() if run else ():
        part, made = name.partition("/")[0], _code(name, version)
        task = known_task(part) if judged.units[part] and made is not None else None
        today = (
            task.version_by(run.extractor if task.role == EXTRACTOR else run.judge) if task and run else made
        )
        if task is not None and made != today:
            found[task.name] = f"{task.name} {made} (today {today})"
    return sorted(found.values())


RELAID = {"support": 13, "citations": 9, "rating": 2, "pairwise": 2, "mistakes": 4}
"""Versions from which on a task's requests have today's form; answers to requests of before cannot be read again."""


def judged_before(study: Study, desk: JudgingContext, named: Collection[str]) -> list[str]:
    """List the tasks, of these, that this judge last judged by requests of another form. Rules are asked anew for nothing."""
    known = [
        one.versions
        for one in judgings(study)
        if (one.judge, one.protocol, one.is_first) == (desk.judge.shown, desk.protocol.name, True)
    ]
    if not known or desk.judge.rule_written:
        return []
    made = [(name.partition("/")[0], _code(name, version) or 0) for name, version in known[-1].items()]
    return sorted({task for task, version in made if task in named and version < RELAID.get(task, 0)})


def _code(name: str, version: str) -> int | None:
    """Return the code version in a task's version string; `None` for a choice, such as a seed. Version 1 is not written."""
    mark, *behind = version.split("-")
    if len(mark) == _MARK:
        return int(behind[0]) if behind and behind[0].isdecimal() else 1
    return int(mark) if mark.isdecimal() and "/" not in name else None


_MARK = 12
"""Number of characters that identify the prompts."""
Value = str | int | None


class VerdictChange(TypedDict):
    answer: str
    item: str
    old: Value
    new: Value


class VerdictChanges(TypedDict):
    both: int
    """Number of verdicts in both runs."""
    changed: int
    changes: list[VerdictChange]


class JudgingDifference(TypedDict):
    schema: int
    old: str | None
    new: str | None
    warning: str | None
    """Reason why the verdicts of the two runs cannot be compared one by one; `None` where they can."""
    tasks: dict[str, VerdictChanges]


def last_two(judgings: Sequence[JudgingRun]) -> list[JudgingRun]:
    """Return the last two judging runs of one protocol, oldest first: the project's own protocol if it has two. Empty where none has two."""
    for protocol in PROTOCOLS:
        same = [judging for judging in judgings if judging.protocol == protocol]
        if len(same) > 1:
            return same[-2:]
    return []


def difference(old: Judged, new: Judged) -> JudgingDifference:
    labels = {answer.key: answer.label for answer in new.answers}
    found: dict[str, VerdictChanges] = {}
    for name, task in tasks(own_groups(), {*old.units, *new.units}).items():
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
        {"answer": _label_of_keys(key[0], labels), "item": key[1], "old": old[key], "new": new[key]}
        for key in both
        if old[key] != new[key]
    ]
    return {"both": len(both), "changed": len(changed), "changes": changed}


def _label_of_keys(keys: str, labels: Mapping[str, str]) -> str:
    """Name an answer by its label, and a pair by both labels in the order shown."""
    return " then ".join(labels.get(key, key) for key in keys.split("\0"))
