"""Whom a place of running text speaks of, where only one product can be meant."""

from __future__ import annotations

import re
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Span
from drr.eval.checks.cast import Cast, Meant
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.mentions import Mentions, is_in_name

_BY_NAME = re.compile(r"\[?[*_\s]{0,4}(?!https?:)[A-Za-z]")
"""A link by words, and no mark or address."""


class OneMeant(NamedTuple):
    product: Product
    meant: Meant


class OnesMeant:
    """Of one report."""

    def __init__(self, mentions: Mentions, cast: Cast) -> None:
        self._mentions, self._cast = mentions, cast

    def at(self, start: int, end: int, sentence: Span) -> OneMeant | None:
        """The one product of a place; none of a place inside a name."""
        meant = self._cast.meant_at(start, end)
        product = self._cast.products.get(meant.only or "")
        if product is None or not meant.certain or is_in_name(self._mentions, start):
            return None
        return OneMeant(product, meant) if self._is_bound(meant, start, sentence) else None

    def _is_bound(self, meant: Meant, start: int, sentence: Span) -> bool:
        """To the one product that its sentence names, or to that of the heading or item above it."""
        if not self._is_named_first(start, sentence):
            return False
        if meant.bound >= Certainty.CLAUSE:
            return True
        whom = {one.products for one in self._cast.referents.groups(sentence) if one.form != "pronoun"}
        return not meant.contrast and whom <= {meant.products}

    def _is_named_first(self, start: int, sentence: Span) -> bool:
        """Whether what a sentence names stands before a place of it, or only cites the product behind it (`13 amps is too much for the Watchlight` is not said of it)."""
        named = self._cast.within(*sentence)
        if not named or named[0].start < start:
            return True
        return all(one.linked and _BY_NAME.match(self._cast.body, one.start) is None for one in named)
