"""The brief for the writer of one file, and what that writer gives back. Lines of people's own files are dealt without replacement."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

from drr.citations.files import file_address
from drr.papers.dr3.case import FileEntry, NamedThing, PlannedFile, TaskCase
from drr.papers.dr3.corpus.template import template
from drr.papers.dr3.truth import FactPlace


@dataclass(frozen=True, kw_only=True)
class FileBrief:
    case: TaskCase
    file: PlannedFile
    rng: Random
    places: dict[str, FactPlace] = field(default_factory=dict)
    """Places of the file's facts, once they are written."""

    def put(self, fact: str, quote: str, fragment: str = "") -> None:
        self.places[fact] = FactPlace(address=file_address(self.file.name, fragment), quote=quote)

    def entry(self, attribute: str) -> FileEntry | None:
        return next((one for one in self.file.entries if one.attribute == attribute), None)

    def hides(self, attribute: str) -> bool:
        """Tell whether another file is the one that says it: then this one must not."""
        return self.entry(attribute) is None and any(
            fact.attribute == attribute for fact in self.case.of("file")
        )

    @property
    def rest(self) -> list[FileEntry]:
        """All but what a paper of a purchase says by its form."""
        return [one for one in self.file.entries if one.attribute not in PURCHASE]

    @property
    def subject(self) -> str:
        return self.subject_of(self.file.entries[0])

    def subject_of(self, entry: FileEntry) -> str:
        return next(fact.subject for fact in self.case.facts if fact.id == entry.fact)

    @property
    def thing(self) -> NamedThing:
        """Return the product that the file is about."""
        rival = self.case.rival
        return rival if rival is not None and self.subject == rival.name else self.case.thing

    def saved(self, newest: date | None = None) -> tuple[str, str]:
        """Choose when a file of one's own was begun and last kept. That is shortly before the question, and
        not before the `newest` day that it mentions."""
        rng = Random(f"{self.case.seed}/{self.case.task_id}/{self.file.name}/saved")
        begun = rng.randint(1, _KEPT)
        kept = rng.randint(1, begun)
        age = kept if newest is None else max(1, (self.case.today - newest).days)
        days = (begun, min(kept, age))
        clocks = (rng.randint(6, 11), rng.randint(15, 22))
        first, last = (
            f"{self.case.today - timedelta(days=ago)}T{hour:02d}:{rng.randint(0, 59):02d}:{rng.randint(0, 59):02d}Z"
            for ago, hour in zip(days, clocks, strict=True)
        )
        return first, last

    def digits(self, count: int) -> str:
        return "".join(self.rng.choice("0123456789") for _ in range(count))


_KEPT = 25
"""Days before the question, at most, on which a file of one's own was begun."""

PURCHASE = ("purchase date", "price paid", "day of delivery")


def dealt(brief: FileBrief, deck: str, count: int, most: int) -> list[str]:
    """Deal so many lines of a deck, of which no task takes more than `most`. As they have choices, they read
    otherwise when they come again."""
    cards = _table("lines")[deck]
    case = brief.case
    order = Random(f"{case.seed}/{deck}").sample(cards, len(cards))
    number = int(case.task_id) - 1 if case.task_id.isdigit() else crc32(case.task_id.encode())
    rng = Random(f"{case.seed}/{deck}/{number}")
    start = number * most
    lines = (order[(start + at) % len(order)] for at in range(min(count, len(order))))
    return [template(one).words(rng, lambda slot: slot) for one in lines]


def priced(brief: FileBrief, deck: str, count: int) -> list[tuple[str, str]]:
    """Things with what was paid for them."""
    rows = (line.rpartition(":") for line in dealt(brief, deck, count, count))
    return [(text, f"${float(amount) * brief.rng.uniform(0.8, 1.25):.2f}") for text, _, amount in rows]


def phrases(group: str) -> list[Any]:
    """Return what any drawer may hold, of one group."""
    return _table("phrases")[group]


@cache
def _table(name: str) -> dict[str, list[Any]]:
    with (Path(__file__).parent / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)
