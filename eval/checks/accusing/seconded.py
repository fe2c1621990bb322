"""Accusations of kinds that were wrong where the rules met a writer first: they are made only where another reader accuses the same words.

What such a kind finds on texts that the rules were mended on says little: of those its wrong ones are gone. So each stands here with what it did at
first contact (`python -m benchmarks.accusations`), and is taken out again when that is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from drr.eval.checks.base import Accusation

VERSION = 4


class MetFirst(NamedTuple):
    """Texts of writers unseen that a kind of statement was accused in: rounds 31 to 52, each by the rules that met it."""

    right: int
    wrong: int


UNSURE: Mapping[str, MetFirst] = {
    "own_times_short": MetFirst(1, 5),
    "attribute": MetFirst(4, 4),
    "nowhere_amount": MetFirst(10, 11),
}
"""Of `nowhere_amount` all figures that were said to be nowhere and might have been sums, shares or products; since then those are told from the others. Greetings by another first name were here, too: all five wrong ones were letters to somebody else, which are told
from letters to the reader since (`person/letters.py`)."""


def unseconded(some: Iterable[Accusation]) -> Iterator[tuple[Accusation, str]]:
    """Those of such a kind at whose words no other kind of statement is accused, and why they are not made."""
    every = list(some)
    for one in every:
        met = UNSURE.get(one.kind or "")
        if met is not None and not any(_seconds(other, one) for other in every):
            yield (
                one,
                f"on texts of writers unseen such accusations were right {met.right} times and wrong {met.wrong} times, and no other reader makes this one",
            )


def _seconds(other: Accusation, one: Accusation) -> bool:
    meets = other.span[0] < one.span[1] and one.span[0] < other.span[1]
    return meets and other.kind not in UNSURE and other.doubt is None
