"""What stands around a cost: the cells that say whether a limit is kept, and words of being too much."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from drr.eval.checks.base import Span
from drr.eval.checks.grid import column_at
from drr.eval.checks.layout import TextLine
from drr.eval.checks.measures import measures_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.ledger import MoneyLedger
from drr.wording.money import every_amount
from drr.wording.verdicts import VERDICTS

DENIAL = r"(?:(?:just|about|but|quite|nearly|almost|only|sadly|alas|still|barely|probably|certainly)[,\s]\s?){0,3}(?:not|no)\b(?!\s(?:counting|including|more|less|shipping))"
"""`Under $100, just about not`: right behind a verdict it denies it."""
ASKS = re.compile(r"\b(?:within|under|fits?|inside|below|affordable|in budget|ok)\b", re.I)
_FITS_IN = re.compile(r"\bfits?\s(?:(?:an?|the|your|my|our|its)\s)?[a-z]{3,}", re.I)


def asks_for_a_limit(head: str) -> bool:
    """Whether a head asks if something keeps to a limit of money: not whether it fits 40 inches, or the tank."""
    if not ASKS.search(head):
        return False
    if every_amount(head) or VERDICTS.verdict(head) is not None:
        return True
    sized = any(one.unit != one.kind for one in measures_of(head))
    return not sized and _FITS_IN.search(head) is None


def cells_asked(lines: Sequence[TextLine], plain: str, index: int, place: int) -> Iterator[Span]:
    """The cells of a cost's row, and those of its column where each row asks something else."""
    yield from lines[index].cells
    column = column_at(lines[index], place)
    for step in (-1, 1):
        at = index + step
        while column is not None and 0 <= at < len(lines) and lines[at].kind == "row":
            if column < len(lines[at].cells) and ASKS.search(plain, *lines[at].cells[0]):
                yield lines[at].cells[column]
            at += step


def is_hinted(mentions: Mentions, ledger: MoneyLedger, place: int) -> bool:
    """Whether what stands around a cost, or a heading over it, has a word of being too much."""
    layout = mentions.layout
    index = max(bisect_right(layout.starts, place) - 1, 0)
    around = [ledger.play.block(index, place)]
    while (above := layout.opened_by[index]) != index:
        around.append((layout.lines[above].start, layout.lines[above].end))
        index = above
    return any(VERDICTS.hints(mentions.plain[low:high]) for low, high in around)
