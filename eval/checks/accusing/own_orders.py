"""Whether what is said of the reader's own orders is true of things that the report links: how often one was ordered, what share of them, how long apart."""

from __future__ import annotations

import re
from itertools import combinations

from drr.eval.checks.base import Accusation
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import folded_words, head_noun
from drr.eval.checks.person.history import history_of
from drr.eval.checks.person.stretches import first_day
from drr.wording.money import every_amount
from drr.wording.numbers import DIGITS, SPOKEN, number, number_said, spoken

_NUMBER = re.compile(rf"(?<![\w.])(?P<n>{DIGITS})(?![\d%])|\b(?P<w>{SPOKEN})\b", re.I)
_SHARE = re.compile(r"said (?P<share>[\d.]+) ?(?:percent|%),? (?:for )?(?P<n>[\d,]+)")
_PERCENT = re.compile(r"said '(?P<share>[\d.]+) ?(?:%|percent)'")
_APART = re.compile(rf"said (?:about |nearly |some )?(?P<n>{DIGITS}|{SPOKEN})[\s-](?P<unit>day|week)s?", re.I)
_DAYS_BEHIND = re.compile(r"[\s*_-]{1,3}days?\b", re.I)
_NAMED_BY = 6
"""Words of a title of which one is enough for a short name."""
_WIDTH = 3
"""Letters of a word that names something."""
_THINGS, _COUNTS, _DAYS = 40, 40, 60
_YOURS = re.compile(r"\b(?:you|your|his|her|their|my)\b", re.I)
_CENT = 0.005
_HALF = 0.51
"""Of a percent: to which shares are rounded."""


class OwnOrders:
    """Of one report."""

    def __init__(self, held: HeldAgainst, mentions: Mentions) -> None:
        self._held, self._plain = held, mentions.plain
        self._history = history_of(mentions)

    def of_what_is_linked(self, one: Accusation) -> str | None:
        """`You have ordered the Hollyline 21 times`: the one that the text links, not all of that name or maker."""
        match = _NUMBER.search(self._plain[slice(*one.span)]) or _NUMBER.search(one.why)
        if match is None or self._history is None:
            return None
        many = number(match["n"]) if match["n"] else float(spoken(match["w"]))
        close, _ = self._held.around(one.span[0])
        words = {*folded_words(self._plain[slice(*self._held.with_before(close))])}
        called = [key for key in self._keys() if words & self._names(key)]
        orders = self._history.of_products
        alone = any(len(orders((key,))) == many for key in called)
        together = bool(called) and len(orders(called)) == many
        return "so often something that it links by that name was ordered" if alone or together else None

    def share_of_what_is_said(self, one: Accusation) -> str | None:
        """`25 massage-gun orders, 15 of them the Wrendell, 60 %`: of what the text itself counts."""
        match = _SHARE.search(one.why) or _PERCENT.search(one.why)
        if match is None:
            return None
        share, places = float(match["share"]), len(match["share"].partition(".")[2])
        counts = [each for each in self._held.said.all if each.kind in ("count", "orders")][:_COUNTS]
        said = {each.value for each in counts}
        close, _ = self._held.around(one.span[0])
        near = {each.value for each in counts if close[0] <= each.start < close[1]}
        own = {number(match["n"])} if "n" in match.groupdict() else near
        every = said | own | self._ordered()
        pairs = {(a, b) for a in own for b in every} | {(b, a) for a in own for b in every}
        held = any(0 < a < b and abs(100 * a / b - share) <= _HALF * 10**-places for a, b in pairs)
        return "it is that share of numbers that the text says" if held else None

    def price_of_one(self, one: Accusation) -> str | None:
        """`Your teething toys at $14.99`: what something costs today that was ordered and is called by its kind."""
        amounts = every_amount(self._plain[slice(*one.span)]) if self._history is not None else []
        if len(amounts) != 1 or self._history is None:
            return None
        close, _ = self._held.around(one.span[0])
        said = self._plain[slice(*close)]
        if not _YOURS.search(said):
            return None
        called = {*folded_words(said)}
        for placed in self._history.orders:
            known = placed.product
            if known is None or known.price is None or abs(known.price - amounts[0].value) > _CENT:
                continue
            if head_noun(known.title) in called:
                return f"{known.product_id} was ordered and costs so much"
        return None

    def _ordered(self) -> set[float]:
        """How often what the report names was ordered, each alone."""
        if self._history is None:
            return set()
        return {float(len(self._history.of_products((key,)))) for key in self._keys()}

    def lie_apart(self, one: Accusation) -> str | None:
        """Any two orders of something that the report names lie so far apart."""
        match = _APART.search(one.why)
        if match is None or self._history is None:
            return None
        days = number_said(match["n"]) * (7 if match["unit"].casefold() == "week" else 1)
        for key in self._keys():
            placed = [each.day for each in self._history.of_products((key,))][:_DAYS]
            if any(abs((a - b).days) == days for a, b in combinations(placed, 2)):
                return f"two orders of {key} lie so far apart"
        return None

    def days_said(self, one: Accusation) -> str | None:
        """`506 days, from January 15, 2014 to June 5, 2015`: between two days that stand beside it, or one of them and today."""
        unit = _DAYS_BEHIND.match(self._plain, one.span[1])
        match = _NUMBER.search(self._plain[slice(*one.span)])
        if unit is None or match is None or self._history is None:
            return None
        many = number(match["n"]) if match["n"] else float(spoken(match["w"]))
        close, wide = self._held.around(one.span[0])
        whens = self._held.prose.dates(min(close[0], wide[0]), max(close[1], wide[1]))[:_DAYS]
        days = [day for each in whens if each.day is not None and (day := first_day(each)) is not None]
        apart = {abs((a - b).days) for a, b in combinations([*days, self._history.today], 2)}
        return "two days that stand beside it lie so far apart" if many in apart else None

    def _keys(self) -> list[str]:
        return sorted(self._held.known.products)[:_THINGS]

    def _names(self, key: str) -> set[str]:
        words = list(folded_words(self._held.known.products[key].title))[:_NAMED_BY]
        return {word for word in words if len(word) > _WIDTH}
