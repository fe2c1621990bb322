"""Defines how much of a task's frozen pages an agent may read (its reach), as written after a system's name.

`whole` is all pages of a size, searched as the settings say; a system under it keeps its own name. Any other reach follows
the name: `agent@supportive`, `agent@dense:openai:NAME`, `agent@no-distractors+turns:3`. At each size the pages of none are among those
of supportive, these among those of no-distractors, and these among those of whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from drr.env.errors import Misuse

PagesReached = Literal["whole", "no-distractors", "supportive", "none"]
FORMS = "whole, no-distractors, supportive, none, bm25, dense, dense:EMBEDDER, long-context, turns:N, and several of these joined by +"
_PAGES: tuple[PagesReached, ...] = ("whole", "no-distractors", "supportive", "none")
_SEARCHES = re.compile(r"bm25|dense(?::(.+))?")
_TURNS = re.compile(r"turns:([1-9]\d?)")


@dataclass(frozen=True)
class Reach:
    pages: PagesReached = "whole"
    search: str | None = None
    """The search: `bm25`, `dense`, or `dense:` and an embedder other than that of the settings. `None`: as the settings say."""
    long_context: bool = False
    """True if the pages are put into the context of an agent that would otherwise search them."""
    turns: int | None = None
    """The most turns of the agent's search agent; `None`: the search agent's own limit."""

    @property
    def name(self) -> str:
        """Return the canonical name of the reach."""
        pages = None if self.pages == "whole" else self.pages
        long = "long-context" if self.long_context else None
        turns = None if self.turns is None else f"turns:{self.turns}"
        return "+".join(part for part in (pages, self.search, long, turns) if part is not None) or "whole"

    @property
    def embedder(self) -> str | None:
        """Return the embedder that the search names, or `None`."""
        searched = _SEARCHES.fullmatch(self.search or "")
        return None if searched is None else searched[1]

    @property
    def needs_search_agent(self) -> bool:
        return self.long_context or self.turns is not None


WHOLE = Reach()


def reach_of(text: str) -> Reach:
    """Parse the name of a reach. Raises `Misuse` for any other text."""
    found = WHOLE
    for part in (part.strip() for part in text.split("+")):
        one = _part(part, text)
        for name in ("pages", "search", "long_context", "turns"):
            value, plain = getattr(one, name), getattr(WHOLE, name)
            if value != plain and getattr(found, name) != plain:
                raise Misuse(f"--reach {text.strip()!r}: says twice what is reached; there are {FORMS}")
        found = Reach(
            one.pages if one.pages != "whole" else found.pages,
            one.search or found.search,
            one.long_context or found.long_context,
            one.turns or found.turns,
        )
    if found.long_context and (found.search or found.turns):
        raise Misuse(f"--reach {text.strip()!r}: under long-context nothing is searched; leave the rest out")
    return found


def _part(word: str, text: str) -> Reach:
    for pages in _PAGES:
        if word == pages:
            return Reach(pages)
    if _SEARCHES.fullmatch(word):
        return Reach(search=word)
    if word == "long-context":
        return Reach(long_context=True)
    if (turns := _TURNS.fullmatch(word)) is not None:
        return Reach(turns=int(turns[1]))
    raise Misuse(f"--reach {text.strip()!r}: {word!r} is none; there are {FORMS}")


def reaches_of(text: str) -> tuple[Reach, ...]:
    """Parse a comma-separated list of reaches, each kept once."""
    found = tuple(dict.fromkeys(reach_of(part) for part in text.split(",") if part.strip()))
    if not found:
        raise Misuse(f"--reach: names none; there are {FORMS}")
    return found


def words_of(reaches: Iterable[Reach]) -> str:
    return ",".join(reach.name for reach in reaches)


def joined_reaches(before: str | None, named: str | None) -> str:
    """Return the words of a study's reaches followed by those named now, each once; `whole` if there are none."""
    return words_of(reaches_of(",".join(filter(None, (before, named))) or WHOLE.name))


def system_with_reach(system: str, reach: Reach) -> str:
    return system if reach == WHOLE else f"{system}@{reach.name}"


@dataclass(frozen=True)
class KnownKinds:
    """The pages of one task by address: pages that hold needed facts, and distractors."""

    supportive: frozenset[str]
    distractors: frozenset[str]

    def has(self, pages: PagesReached, url: str) -> bool:
        if pages == "no-distractors":
            return url not in self.distractors
        return pages == "whole" or (pages == "supportive" and url in self.supportive)
