"""The mean of amounts that are listed right before it: `three show a price: $21.99, $37.49 and $51.99, $41.16 on average`.

Where three or more amounts stand one after the other in its sentence, in the one before or in the rows above, the mean is theirs: of all of them, or of all but one.
Left alone where another list of the report, or what is in sight as a whole, comes to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from statistics import median

from drr.eval.checks.base import Accusation
from drr.eval.checks.in_text.amounts import accused, prices_in_sight
from drr.eval.checks.in_text.means import MeanSaid, means_said
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure

_FEWEST, _MOST, _SUMMED = 3, 12, 41
"""Amounts of a list; means that are read; as many as a sum said right before may be of."""
_OTHERS = frozenset(("total", "gap", "rest", "limit", "unit"))
"""What words make of an amount that stands in no such list."""


def wrong_listed_means(mentions: Mentions) -> Iterator[Accusation]:
    """Means of a list right before them that are not its."""
    held = sight_of(mentions).held
    for said in islice(means_said(mentions, held), _MOST):
        listed = _listed(held, said.figure)
        if listed and not said.is_median and not _is_made(held, said, listed):
            told = f"said a mean of {{}}, and that of the {len(listed)} amounts before it is ${sum(listed) / len(listed):.2f}"
            yield accused("mean_told", mentions, said.figure, told)


def _listed(held: HeldAgainst, figure: Figure) -> list[float]:
    """The amounts of its sentence, else of the one before, else of the rows above."""
    line = held.prose.line_at(figure.start)
    if line is None or line.is_row:
        return []
    sentence = held.prose.sentence_at(figure.start)
    some: list[float] = []
    for low, high in ((sentence[0], figure.start), (held.with_before(sentence)[0], sentence[0])):
        some = [one.value for one in held.ledger.within(low, high) if _is_price(one)]
        if len(some) >= _FEWEST:
            return some
    return _in_rows(held, held.index(line)) if not some else []


def _in_rows(held: HeldAgainst, at: int) -> list[float]:
    """The one amount of each row of the table right above, where each row has one."""
    found, lines = [], held.cast.lines
    while at and lines[at - 1].is_row:
        at -= 1
        some = [one.value for one in held.ledger.within(lines[at].start, lines[at].end) if one.value >= 1]
        if lines[at].kind == "row" and len(some) != 1:
            return []
        found += some if lines[at].kind == "row" else []
    return found if len(found) >= _FEWEST else []


def _is_price(one: Figure) -> bool:
    return not one.void and one.cue.kind not in _OTHERS and one.value >= 1


def _is_made(held: HeldAgainst, said: MeanSaid, listed: Sequence[float]) -> bool:
    low, high = said.figure.low - 0.006, said.figure.high + 0.006
    prices = prices_in_sight(held)
    every = [one.value for one in held.ledger.figures if one.start != said.figure.start and _is_price(one)]
    some = [listed, list(dict.fromkeys(listed)), prices, every, list(dict.fromkeys(every))]
    some += [[*listed[:at], *listed[at + 1 :]] for at in range(len(listed))]
    some += [listed[-size:] for size in range(2, len(listed))]
    means = [sum(one) / len(one) for one in some if one] + [median(one) for one in some if one]
    before = held.prose.sentence_at(said.figure.start)[0], said.figure.start
    sums = [one.value for one in held.ledger.within(*before) if one.cue.kind == "total"]
    means += [one / many for one in sums for many in range(2, _SUMMED)]
    return any(low <= one <= high for one in (*means, *held.known.spent)) or said.many not in (
        None,
        len(listed),
    )
