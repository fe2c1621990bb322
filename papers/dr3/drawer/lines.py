"""Lines of people's own files beside what a task is about. They are dealt without replacement: two users of a
set share none until all were used."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from random import Random
from zlib import crc32

from drr.papers.dr3.corpus.template import template
from drr.papers.dr3.drawer.brief import FileBrief


def dealt(brief: FileBrief, deck: str, count: int, most: int) -> list[str]:
    """Deal so many lines of a deck, of which no task takes more than `most`. As they have choices, they read
    otherwise when they come again."""
    cards = _decks()[deck]
    case = brief.case
    order = Random(f"{case.seed}/{deck}").sample(cards, len(cards))
    number = int(case.task_id) - 1 if case.task_id.isdigit() else crc32(case.task_id.encode())
    rng = Random(f"{case.seed}/{deck}/{number}")
    start = number * most
    said = (order[(start + at) % len(order)] for at in range(min(count, len(order))))
    return [template(one).words(rng, lambda slot: slot) for one in said]


def priced(brief: FileBrief, deck: str, count: int) -> list[tuple[str, str]]:
    """Things with what was paid for them."""
    rows = (line.rpartition(":") for line in dealt(brief, deck, count, count))
    return [(text, f"${float(amount) * brief.rng.uniform(0.8, 1.25):.2f}") for text, _, amount in rows]


@cache
def _decks() -> dict[str, list[str]]:
    with (Path(__file__).parent / "lines.toml").open("rb") as file:
        return tomllib.load(file)
