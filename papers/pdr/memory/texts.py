"""Items and notes as lines of text, and as many of them as a budget holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from drr.papers.pdr.context import ContextItem

Counter = Callable[[str], int]


def lines_of(items: Iterable[ContextItem]) -> str:
    return "\n".join(item.shown() for item in items)


def as_many(texts: Iterable[str], budget: int, count: Counter) -> list[int]:
    """The places of those that fit, taken in their order; one that is too long is passed over."""
    taken, left = [], budget
    for place, text in enumerate(texts):
        needed = count(text + "\n")
        if needed <= left:
            taken.append(place)
            left -= needed
    return taken


def items_within(ranked: Sequence[ContextItem], budget: int, count: Counter) -> str:
    """The first of these that fit, told in the order of their days."""
    chosen = [ranked[place] for place in as_many([item.shown() for item in ranked], budget, count)]
    return lines_of(sorted(chosen, key=lambda item: (item.date, item.id)))


def lines_within(ranked: Sequence[str], budget: int, count: Counter) -> str:
    return "\n".join(ranked[place] for place in as_many(ranked, budget, count))


def batches(items: Sequence[ContextItem], size: int, count: Counter) -> Iterator[list[ContextItem]]:
    """Neighbours of about so many tokens; an item is never torn."""
    batch: list[ContextItem] = []
    held = 0
    for item in items:
        needed = count(item.shown())
        if batch and held + needed > size:
            yield batch
            batch, held = [], 0
        batch.append(item)
        held += needed
    if batch:
        yield batch
