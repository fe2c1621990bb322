"""Prices in a row of things that nobody names: any of their kind in the shop may be meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from drr.eval.checks.kinds_sold import may_cost
from drr.eval.checks.leftover.said import SaidFigure
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.makers import linked_by
from drr.eval.checks.mentions import Mentions

_BESIDE = re.compile(r"[*_]{0,2}(?:,\s(?:and\s|or\s)?|\s(?:and|or)\s)[*_]{0,2}")
"""Between two prices of a list that names nothing."""
_LISTED = 3
"""So many prices are such a list."""


def is_of_things_unnamed(mentions: Mentions, said: SaidFigure) -> bool:
    """Whether it is one of several prices in a row (`six show a price: $53.99, $54.99, $60.99`) of things that its sentence does not name, and may be the
    price of one more of their kind."""
    if said.kind != "money":
        return False
    held = sight_of(mentions).held
    sentence = held.prose.sentence_at(said.start)
    if held.cast.within(*sentence):
        return False
    row = _row_of(mentions, [one for one in held.said.within(sentence) if one.kind == "money"], said)
    if len(row) < _LISTED:
        return False
    linked = linked_by(held.cast.named) & held.cast.products.keys()
    some = [held.cast.products[key] for key in sorted(linked)]
    words = mentions.plain[sentence[0] : row[0].start]
    return may_cost(mentions, some, held.said.money[said.start], words)


def _row_of(mentions: Mentions, amounts: Sequence[SaidFigure], said: SaidFigure) -> list[SaidFigure]:
    """The amounts beside it with nothing but commas between them, it among them."""
    rows = [amounts[:1]]
    for before, one in pairwise(amounts):
        if _BESIDE.fullmatch(mentions.plain, before.end, one.start) is None:
            rows.append([])
        rows[-1] = [*rows[-1], one]
    return next((list(row) for row in rows if said in row), [])
