"""Persons with ten attributes each and a context whose items show them without saying them, for the tests of memories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from drr.papers.pdr.context import (
    BuiltContext,
    ContextItem,
    ContextManifest,
    ItemTruth,
    PersonContext,
    write_made,
    write_person,
)
from drr.papers.pdr.person import Attribute, Person

from tests.cases import cases

STATEMENTS = cases("persons", "STATEMENTS")
OTHERS = (("pets", "keeps goldfish"), ("place", "lives in Texas"), ("themes", "sails dinghies"))
CLUES = cases("persons", "CLUES")

LETTER = """
class Letter:
    # A memory that asks its model for a line on every ten items.

    version, asks_model, embeds = "1", True, False

    def __init__(self, desk):
        self.desk, self.lines = desk, []

    async def observe(self, items):
        from langchain_core.messages import HumanMessage

        for at in range(0, len(items), 10):
            text = " / ".join(item.text for item in items[at : at + 10])
            self.lines.append((await self.desk.model.reply([HumanMessage(text)])).text)

    def recall(self, task, budget):
        return "x" * 4 * (budget + 1) if "too much" in task else " ".join(self.lines)
"""


def write_contexts(
    folder: Path,
    built: Iterable[BuiltContext],
    *,
    sizes: Mapping[str, int],
    seed: int = 7,
) -> ContextManifest:
    every = list(built)

    def made(part: Path) -> Iterator[tuple[str, PersonContext]]:
        for one in every:
            yield one.person.person_id, write_person(part, one)

    return write_made(folder, [one.person for one in every], made, sizes=sizes, seed=seed)


def person(number: int, statements: tuple[tuple[str, str], ...]) -> Person:
    return Person(
        person_id=f"p-{number}",
        attributes=tuple(
            Attribute(id=f"{block}-{place}", block=block, statement=statement, basis="records")
            for place, (block, statement) in enumerate(statements)
        ),
    )


FIRST, SECOND = person(1, STATEMENTS), person(2, OTHERS)


def built(one: Person, each: int = 3) -> BuiltContext:
    """`each` items for an attribute, and as many of noise, day by day."""
    items, truths = [], []
    for k in range(each * len(one.attributes) * 2):
        place, is_noise = (k // 2) % len(one.attributes), k % 2 == 1
        text = f"Talk of the weather, part {k}." if is_noise else f"{CLUES[place]} ({k})"
        items.append(
            ContextItem(id=f"i{k:03}", date=f"2022-{1 + k // 28:02}-{1 + k % 28:02}", kind="note", text=text)
        )
        truths.append(
            ItemTruth(
                id=f"i{k:03}", expresses=() if is_noise else (one.attributes[place].id,), noise=is_noise
            )
        )
    return BuiltContext(one, items, truths, {"2k": len(items)})


def folder(at: Path) -> Path:
    write_contexts(at / "contexts", [built(FIRST), built(SECOND)], sizes={"2k": 2000})
    return at / "contexts"
