"""The objections of code to contexts. They are the future, a person's name, a trait stated outright or
denied, wrong proportions and sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypedDict

from drr.env.entities import User
from drr.env.errors import Misuse
from drr.papers.pdr.context import (
    CONVERSATIONAL,
    OFF,
    PERSONS,
    ContextItem,
    Contexts,
    ItemTruth,
    read_truth,
    text_of,
    tokens_of,
)
from drr.papers.pdr.context_writer import LEAST, persons_hash
from drr.papers.pdr.disclosure import disclosed
from drr.papers.pdr.opposed import Opposed
from drr.papers.pdr.person import Person, read_persons

TALK_FROM, TALK_TO = 0.2, 0.5


class ContextFault(NamedTuple):
    person_id: str
    check: str
    """future, private, said, contradiction, truth, conversational, tokens."""
    item_id: str | None
    told: str


class SizeShares(TypedDict):
    """Over all persons."""

    asked: int
    tokens: dict[str, int]
    """fewest and most."""
    items: int
    conversational: float | None
    noise: float | None
    few: int
    """Attributes that fewer than five items express, summed over persons."""
    attributes: int


def persons_of(contexts: Contexts) -> dict[str, Person]:
    """The persons as they were when the contexts were built."""
    persons = read_persons(contexts.folder / PERSONS)
    if persons_hash(persons.values()) != contexts.manifest.persons_hash:
        raise Misuse(f"{contexts.folder / PERSONS}: is not what the manifest names; build the contexts again")
    missing = sorted(set(contexts.persons) - set(persons))
    if missing:
        raise Misuse(f"{contexts.folder / PERSONS}: lacks {missing[0]}; build the contexts again")
    return persons


def item_faults(
    person: Person, items: Sequence[ContextItem], user: User | None = None
) -> Iterator[ContextFault]:
    """Find the faults of each item by itself. Without the user's record only what has a form of its own is found to be private."""
    opposed = Opposed(person)
    for item in items:
        found = []
        if person.as_of is not None and item.date >= person.as_of:
            found.append(("future", f"{item.date} is not before {person.as_of}"))
        found += [("private", f"holds {kind}") for kind in disclosed(item.text, user)]
        found += [("said", f"says {key} in its own words") for key in opposed.said(item.text)]
        found += [("contradiction", f"speaks against {key}") for key in opposed.contradicted(item)]
        for check, told in found:
            yield ContextFault(person.person_id, check, item.id, told)


def person_faults(contexts: Contexts, person: Person, user: User | None = None) -> Iterator[ContextFault]:
    truths = read_truth(contexts, person.person_id)
    every = contexts.items(person.person_id, contexts.sizes[-1])
    yield from item_faults(person, every, user)
    known = {one.id for one in person.attributes}
    for item in every:
        truth = truths.get(item.id)
        if truth is None:
            told = "has no line in the truth"
        elif not known.issuperset(truth.expresses):
            told = "expresses what is no attribute of the person"
        elif truth.noise == bool(truth.expresses):
            told = "is noise and expresses something, or neither"
        else:
            continue
        yield ContextFault(person.person_id, "truth", item.id, told)
    for size, asked in contexts.manifest.sizes.items():
        items = contexts.items(person.person_id, size)
        share = _talk(items)
        if items and not TALK_FROM <= share <= TALK_TO:
            told = f"{size}: {share:.0%} of the items are conversational, 20 to 50% are asked for"
            yield ContextFault(person.person_id, "conversational", None, told)
        tokens = tokens_of(text_of(items))
        if abs(tokens - asked) > OFF * asked:
            why = contexts.manifest.persons[person.person_id].short.get(size)
            told = f"{size}: {tokens:,} tokens, {asked:,} were asked for" + (f"; {why}" if why else "")
            yield ContextFault(person.person_id, "tokens", None, told)


def _talk(items: Sequence[ContextItem]) -> float:
    return sum(item.kind in CONVERSATIONAL for item in items) / max(len(items), 1)


class SharesTally:
    """The shares of all persons, size by size."""

    def __init__(self, contexts: Contexts) -> None:
        self._contexts = contexts
        self._rows: dict[str, list[tuple[int, int, int, int]]] = {size: [] for size in contexts.sizes}
        self._few: dict[str, int] = dict.fromkeys(contexts.sizes, 0)
        self._attributes = 0

    def add(self, person: Person, truths: Mapping[str, ItemTruth]) -> None:
        self._attributes += len(person.attributes)
        for size in self._contexts.sizes:
            items = self._contexts.items(person.person_id, size)
            noise = sum(truths[item.id].noise for item in items if item.id in truths)
            talk = sum(item.kind in CONVERSATIONAL for item in items)
            self._rows[size].append((tokens_of(text_of(items)), len(items), talk, noise))
            shown = dict.fromkeys((one.id for one in person.attributes), 0)
            for item in items:
                for key in truths[item.id].expresses if item.id in truths else ():
                    shown[key] = shown.get(key, 0) + 1
            self._few[size] += sum(times < LEAST for times in shown.values())

    def shares(self) -> dict[str, SizeShares]:
        found: dict[str, SizeShares] = {}
        for size, rows in self._rows.items():
            items = sum(row[1] for row in rows)
            found[size] = {
                "asked": self._contexts.manifest.sizes[size],
                "tokens": {
                    "fewest": min((row[0] for row in rows), default=0),
                    "most": max((row[0] for row in rows), default=0),
                },
                "items": items,
                "conversational": round(sum(row[2] for row in rows) / items, 3) if items else None,
                "noise": round(sum(row[3] for row in rows) / items, 3) if items else None,
                "few": self._few[size],
                "attributes": self._attributes,
            }
        return found
