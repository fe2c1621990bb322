"""What the readers of amounts share: the amounts of prose with their sentences, what else costs something in sight, and how an accusation is put."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure

_FAR = 600
"""Characters of a sentence that are read on either side of an amount."""


def amounts_in_prose(held: HeldAgainst) -> Iterator[tuple[Figure, Span]]:
    """Each that stands in no table, with its sentence."""
    for figure in held.ledger.figures:
        if held.prose.prose_line_at(figure.start) is not None:
            yield figure, near(held.prose.sentence_at(figure.start), figure, figure)


def near(span: Span, first: Figure, last: Figure) -> Span:
    """What of a sentence is near its amounts."""
    return max(span[0], first.start - _FAR), min(span[1], last.end + _FAR)


def prices_in_sight(held: HeldAgainst, keys: Collection[str] = ()) -> list[float]:
    """Of some things in play; of all of them where none of these is."""
    some = [one for key, one in held.cast.products.items() if key in keys] or held.cast.products.values()
    return [one.price for one in some if one.price is not None]


def accused(kind: str, mentions: Mentions, figure: Figure, told: str) -> Accusation:
    """Of an amount, which `told` names as `{}`."""
    span = figure.start, figure.end
    why = told.format(mentions.plain[slice(*span)].strip())
    return Accusation(kind, span, why, Certainty.SENTENCE)
