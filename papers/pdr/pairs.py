"""Pairs each task with a few persons, as the questions of one study under several settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from drr.env.query import Query
from drr.env.text import tokens
from drr.papers.pdr.person import Person
from drr.querygen.files import ResearchTask

_SPREAD = ("themes", "price_level", "place")
"""Respects in which the persons of one task should differ: main themes, spending, home."""
_TOUCHED, _USED = 1.5, 0.75
"""Value of a word in common with the task, and cost of each earlier task. A respect in which a person differs counts 1."""
_HOUSEHOLD = frozenset({"pets", "children", "care", "needs", "themes"})


class _Traits(NamedTuple):
    """The traits of a person that pairing uses."""

    words: frozenset[str]
    """Words of all attributes, which a task may have in common."""
    spread: tuple[str | None, ...]


def pairs(
    tasks: Sequence[ResearchTask], persons: Mapping[str, Person], *, per_task: int, seed: int
) -> Iterator[Query]:
    """Yield the questions; the same seed gives the same ones. Persons whom the task concerns and who had few tasks come first."""
    traits = {person_id: _traits(person) for person_id, person in persons.items()}
    used: Counter[str] = Counter()
    for task in tasks:
        wanted = frozenset(tokens(" ".join([*task.needs, task.category.replace("_", " ")])))
        for person_id in _chosen(task, wanted, traits, used, per_task, seed):
            used[person_id] += 1
            yield _query(task, persons[person_id])


def _traits(person: Person) -> _Traits:
    blocks: dict[str, str] = {}
    for attribute in person.attributes:
        block = "themes" if attribute.block in _HOUSEHOLD else attribute.block
        blocks.setdefault(block, attribute.statement)
    words = tokens(" ".join(" ".join([a.statement, *a.names]) for a in person.attributes))
    return _Traits(frozenset(words), tuple(blocks.get(block) for block in _SPREAD))


def _chosen(
    task: ResearchTask,
    wanted: frozenset[str],
    traits: Mapping[str, _Traits],
    used: Mapping[str, int],
    count: int,
    seed: int,
) -> list[str]:
    """Choose persons one by one: concerned by the task, different from those chosen, rarely used; ties by lot."""
    chosen: list[str] = []

    def worth(person_id: str) -> tuple[float, bytes]:
        own = traits[person_id]
        others = [traits[one].spread for one in chosen]
        new = sum(
            value is not None and all(value != o[k] for o in others) for k, value in enumerate(own.spread)
        )
        lot = blake2b(f"{seed}\0{task.task_id}\0{person_id}".encode(), digest_size=8).digest()
        touched = min(2, len(own.words & wanted))
        return (new + _TOUCHED * touched - _USED * used.get(person_id, 0), lot)

    while len(chosen) < min(count, len(traits)):
        chosen.append(max((one for one in traits if one not in chosen), key=worth))
    return chosen


def _query(task: ResearchTask, person: Person) -> Query:
    """Return the question. For an imported person the person's id replaces the user's, so no records can be looked up."""
    about = {"task_id": task.task_id, "person_id": person.person_id, "mode": "manual", "intent": task.intent}
    made = {name: getattr(task, name) for name in ("needs", "model", "rule_written", "review")}
    user_id = person.user_id or person.person_id
    return Query.model_validate({"query": task.task, "user_id": user_id, **about, **made})
