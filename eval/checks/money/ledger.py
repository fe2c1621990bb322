"""The ledger of a report's figures: of each amount whose it is, whether a reading explains it, and if not, whether that is certain."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from drr.eval.checks.base import Accusation, CheckTally, Span
from drr.eval.checks.cast import cast_of
from drr.eval.checks.certainty import Certainty, held_back
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.adjustments import adjustments_of
from drr.eval.checks.money.figures import Figure, Figures
from drr.eval.checks.money.owners import Owner, Owners
from drr.eval.checks.money.packs import divisors
from drr.eval.checks.money.play import InPlay, stranger_beside, unlinked_prices
from drr.eval.checks.money.readings import Readings
from drr.eval.checks.money.together import together
from drr.eval.checks.money.unread import UnreadParts
from drr.wording.cues import CUES, CueKind
from drr.wording.purchases import PURCHASES
from drr.wording.vocabulary import either

_MOST = 300
"""Figures of a report that are looked into one by one."""
_UNIT = 16
"""Characters behind an amount in which its unit stands."""
_LISTED = re.compile(r",?\s(?:and\s)?")
_MANY = 3
"""Amounts without an explanation that are more than slips."""
_CHANGE = "in change"
"""What comes back of a note that is handed over; else what is left may be kept by taking the one thing and not the other."""
_ROUNDS = 3
"""How often an explained amount may explain another."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """What was found of one figure."""

    figure: Figure
    owner: Owner | None
    status: Literal["explained", "wrong", "unclear"]
    why: str
    worked_out: bool = False
    """It comes from amounts of which not all are known."""
    bound: Certainty = Certainty.INFERRED
    doubted: Accusation | None = None
    """What it would be accused of, but for one doubt."""

    @property
    def kind(self) -> str:
        """The kind of statement it makes."""
        return "price" if self.owner is not None else _STATEMENTS[self.figure.cue.kind]

    @property
    def span(self) -> Span:
        return self.figure.start, self.figure.end

    @property
    def about_price(self) -> bool:
        """Of one product's price or its cost per unit, not of several things together."""
        return self.owner is not None or self.figure.cue.kind in ("price", "none", "unit")

    def enter(self, tally: CheckTally) -> None:
        """Among what a rule finds."""
        if self.status == "explained":
            tally.ok()
        elif self.status == "wrong":
            tally.fail(self.span, self.why, self.bound, self.kind)
        elif self.doubted is not None:
            tally.doubt(self.doubted, self.why)
        else:
            tally.unclear(self.why)


class MoneyLedger:
    def __init__(self, mentions: Mentions) -> None:
        self.mentions = mentions
        self.play = InPlay(mentions)
        self._cast = cast_of(mentions.subject, mentions)
        figures = Figures(mentions, [one.price for one in self.play.all], self._names())
        self.figures, self.bare = figures.all[:_MOST], figures.bare
        self._starts = [figure.start for figure in self.figures]
        self._owners = Owners(mentions, self.play, self.figures)
        self._readings = Readings(self.play, self.figures, unlinked_prices(mentions))
        self._unread = UnreadParts(mentions, self.play, self.figures, self._owners)
        self._adjustments = adjustments_of(mentions)
        self.entries = self._settle()
        self.by_start = {entry.figure.start: entry for entry in self.entries}

    def _names(self) -> list[Span]:
        """Where products and their makers are called by name: `Clasp & Tab` is no bill."""
        makers = {one.product.store for one in self.play.all if one.product.store}
        found = [(one.start, one.end) for one in self.mentions.called]
        if makers:
            named = re.compile(rf"(?<!\w)(?:{either(makers)})(?!\w)")
            found += [match.span() for match in named.finditer(self.mentions.body)]
        return found

    def within(self, start: int, end: int) -> list[Figure]:
        """The figures that begin in a stretch."""
        return self.figures[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def _settle(self) -> list[LedgerEntry]:
        """Round by round: what is explained explains others; what is left over is judged."""
        found: dict[int, LedgerEntry] = {}
        left = [one for one in self.figures if not one.void]
        for _ in range(_ROUNDS):
            still = []
            for figure in left:
                entry = self._explained(figure)
                if entry is None:
                    still.append(figure)
                else:
                    found[figure.start] = entry
            fresh = {start for start, entry in found.items() if entry.status == "explained"}
            left = still
            if fresh == self._readings.settled:
                break
            self._readings.settled = fresh
        for figure in sorted(left, key=lambda one: one.cue.kind in ("total", "rest", "gap")):
            found[figure.start] = entry = self._unexplained(figure)
            if entry.status == "unclear" and not figure.elsewhere:
                self._readings.settled.add(figure.start)
        _withdraw(found, self._shown)
        return [found[start] for start in sorted(found)]

    def _explained(self, figure: Figure) -> LedgerEntry | None:
        if figure.line in self._adjustments:
            why = None if figure.cue.kind == "gap" else self._reading(figure)
            return None if why is None else LedgerEntry(figure, None, "explained", why)
        owner = self._owners.of(figure)
        if owner is not None:
            if any(figure.holds(value) for value in owner.values):
                return LedgerEntry(figure, owner, "explained", f"the price of {owner.product_id}")
            if owner.bound < Certainty.CELL and (sum_of := together(figure, self._cast)):
                return LedgerEntry(figure, None, "explained", sum_of)
            if owner.certain:
                return LedgerEntry(
                    figure,
                    owner,
                    "wrong",
                    owner.wrongs(self._shown(figure)),
                    bound=owner.bound,
                )
        if figure.cue.kind == "limit":
            return LedgerEntry(figure, None, "explained", "a limit")
        why = self._readings.explain_price(figure) if owner is not None else self._reading(figure)
        if why is None and figure.cue.kind in ("price", "none", "total"):
            why = together(figure, self._cast)
        return None if why is None else LedgerEntry(figure, owner, "explained", why)

    def _reading(self, figure: Figure) -> str | None:
        only = self._owners.unit_of(figure) if figure.cue.kind == "unit" else None
        return self._readings.explain(figure, only)

    def _unexplained(self, figure: Figure) -> LedgerEntry:
        shown, kind = self._shown(figure), figure.cue.kind
        owner = self._owners.of(figure)
        if figure.line in self._adjustments:
            why = "it is what a bill adds or takes, and no product's price"
            return LedgerEntry(figure, None, "unclear", f"{shown}: {why}")
        owned = owner is not None
        if not owned and kind not in ("price", "limit") and self._reading(figure):
            why = "it is worked out from an amount that is not known"
            return LedgerEntry(figure, None, "unclear", f"{shown}: {why}", worked_out=True)
        placed = owner is not None and owner.bound >= Certainty.CLAUSE
        doubt = self._doubt(figure, owned=owned, placed=placed)
        if doubt is not None:
            return LedgerEntry(figure, None, "unclear", f"{shown}: {doubt}")
        bound = Certainty.INFERRED if figure.column is None else Certainty.CELL
        bound = bound if owner is None else max(bound, owner.bound)
        against = kind == "gap" and self._has_other_money(figure)
        doubt = self._unread.doubt(figure, placed=placed, against=against)
        held = held_back(_STATEMENTS[kind], bound, doubt)
        whose = owner if placed else None
        why = f"{shown}, {_SAID_OF[kind]}" if whose is None else whose.wrongs(shown)
        entry = LedgerEntry(figure, whose, "wrong", why, bound=bound)
        if held is None:
            return entry
        suspect = Accusation(entry.kind, entry.span, why, bound, doubt) if held == doubt else None
        return LedgerEntry(figure, None, "unclear", f"{shown}: {held}", doubted=suspect)

    def _doubt(self, figure: Figure, *, owned: bool, placed: bool) -> str | None:
        """Why an amount that nothing explains may be right nevertheless; one that is `placed` is of what its clause names."""
        play, kind = self.play, figure.cue.kind
        if self._readings.spent:
            return "the report has too many amounts to look into all"
        if play.unpriced and not _is_of_priced_only(self.mentions, figure):
            return "a product beside it has no known price"
        if not play.near(figure.line):
            return "no product stands beside it"
        held_against_it = kind == "gap" and not figure.elsewhere and self._has_other_money(figure)
        if not held_against_it and _is_of_others(self.play, figure):
            return "it may be other people's money"
        if not owned and _is_recorded(self.play, figure):
            return "it stands in the shopper's records"
        if not owned and not (kind == "total" and figure.exact) and _is_over_time(self.mentions, figure):
            return "it may be what is spent over a time"
        if owned and figure.start not in self.bare:
            return None if placed else self._doubt_of_name(figure)
        if owned or kind in ("price", "none", "limit"):
            return self._doubt_of_thing(figure)
        return self._doubt_of_sum(figure)

    def _doubt_of_thing(self, figure: Figure) -> str | None:
        if not figure.exact:
            return "it is rounded and may be of something else"
        if figure.start in self.bare and figure.column is None and not self._is_one_of_several(figure):
            return "it has no sign and may be no money"
        return self._doubt_of_name(figure)

    def _is_one_of_several(self, figure: Figure) -> bool:
        """Whether it is the outcome of a sum, or stands beside a price in play: `9.99, 8.99 and 15.99`."""
        plain = self.mentions.plain
        if plain[max(0, figure.start - 4) : figure.start].rstrip(" *_").endswith("="):
            return True
        at = bisect_left(self._starts, figure.start)
        before, after = self.figures[max(0, at - 1) : at], self.figures[at + 1 : at + 2]
        joined = [
            *(one for one in before if _LISTED.fullmatch(plain, one.end, figure.start)),
            *(one for one in after if _LISTED.fullmatch(plain, figure.end, one.start)),
        ]
        return any(one.holds(product.price) for one in joined for product in self.play.all)

    def _doubt_of_name(self, figure: Figure) -> str | None:
        if name := stranger_beside(self.play, figure.end, figure.sentence):
            return f"it may be of {name}, which is not linked"
        return None

    def _doubt_of_sum(self, figure: Figure) -> str | None:
        play, kind = self.play, figure.cue.kind
        differs = figure.exact and len(play.all) > 1 and figure.cue.word != _CHANGE
        if (
            kind == "unit"
            and figure.column is None
            and not figure.exact
            and self._owners.unit_of(figure) is None
            and not play.names_one((figure.sentence[0], figure.start))
        ):
            return "it may be what something else costs"
        if (
            len(play.all) == 1
            and kind in ("total", "gap")
            and (
                play.shares(play.block(figure.line, figure.start))
                if kind == "gap"
                else play.many_in(figure.sentence)
            )
        ):
            return None  # so many of the one thing, or a share of its price
        if figure.cue.word == "period" and not divisors(play.text(figure.sentence), figure.cue.per):
            return "over what time it is spread is not said"
        if kind == "gap" and (name := play.stranger_in((figure.end, figure.clause[1]))):
            return f"{name} is not linked, and what it costs is not known"
        if kind in ("gap", "rest") and len(play.all) > 1 and play.shares((figure.sentence[0], figure.start)):
            return "of what it is a share is not certain"
        if kind == "rest" and not play.limits and not self._readings.limits_said and not differs:
            return "no limit is known"
        if (
            len(play.all) < 2
            and not self._has_other_money(figure)
            and kind not in ("unit", "rest")
            and not play.limits
        ):
            return "what it is worked out from is not all there"
        return None

    def _has_other_money(self, figure: Figure) -> bool:
        """Whether other people's money is said before it on its line, which it may be held against."""
        low = self.mentions.layout.lines[figure.line].start
        return any(_is_of_others(self.play, one) for one in self.within(low, figure.start))

    def _shown(self, figure: Figure) -> str:
        return f"said {self.mentions.body[figure.start : figure.end].strip()}"


_STATEMENTS: dict[CueKind, str] = {
    "price": "price",
    "none": "price",
    "limit": "price",
    "unit": "unit_cost",
    "total": "sum",
    "rest": "rest",
    "gap": "difference",
}
"""The kind of statement that an amount makes."""
_SAID_OF = {
    "price": "which no price in play explains",
    "none": "which no price in play explains",
    "limit": "which is no limit of the question",
    "unit": "which no price in play comes to per unit",
    "total": "which nothing in play comes to",
    "rest": "which no limit leaves over any cost",
    "gap": "which no two amounts differ by",
    "free": "",
}


def _is_over_time(mentions: Mentions, figure: Figure) -> bool:
    """Whether its sentence speaks of another time than that of the amount itself."""
    behind = mentions.plain[figure.end : figure.end + _UNIT]
    own = {figure.cue.per} if figure.cue.per and figure.cue.per in behind else set()
    return bool(CUES.times_in(mentions.plain[slice(*figure.sentence)]) - own)


def _is_recorded(play: InPlay, figure: Figure) -> bool:
    """Whether the shopper's records state it, of which its line speaks: what he spent, what he bought."""
    if not figure.exact and figure.cue.kind not in ("price", "none"):
        return False  # a rounded amount meets one of theirs by chance
    several = figure.cue.kind == "total" and play.many_in(figure.sentence)
    spoken = not several or PURCHASES.speaks(play.text(figure.sentence))
    return any(figure.holds(value) for value in (play.told if spoken else play.statistics))


def _is_of_others(play: InPlay, figure: Figure) -> bool:
    """Whether its words or its page of the web make it other people's money."""
    return figure.elsewhere or play.cites_the_web(figure.end, figure.clause[1], figure.sentence)


def _is_of_priced_only(mentions: Mentions, figure: Figure) -> bool:
    """Whether it is worked out to the cent from what its sentence names, of which all prices are known."""
    if not figure.exact or figure.cue.kind not in ("total", "gap", "unit"):
        return False
    cast = cast_of(mentions.subject, mentions)
    named = [key for one in cast.within(*figure.sentence) for key in one.products]
    priced = (product for key in named if (product := cast.products.get(key)) is not None)
    return bool(named) and sum(one.price is not None for one in priced) == len(named)


def _withdraw(found: dict[int, LedgerEntry], shown: Callable[[Figure], str]) -> None:
    """Where nothing explains several amounts, more probably the text is misread: none of them is accused."""
    inferred = [one for one in found.values() if one.status == "wrong" and one.bound < Certainty.ADJOINED]
    open_in = Counter(one.figure.sentence for one in found.values() if one.status != "explained")
    for one in found.values():
        if one.doubted is not None and open_in[one.figure.sentence] > 1:
            found[one.figure.start] = replace(one, doubted=None)
    for one in inferred:
        why = None
        if len(inferred) >= _MANY:
            why = "so many amounts would be wrong that the text is more probably misread"
        elif open_in[one.figure.sentence] > 1:
            why = "another amount of its sentence is not understood either"
        if why is not None:
            told = f"{shown(one.figure)}: {why}"
            found[one.figure.start] = replace(one, status="unclear", why=told)


@lru_cache(maxsize=4)
def ledger_of(mentions: Mentions) -> MoneyLedger:
    """The ledger of a report, worked out once for the rules that ask."""
    return MoneyLedger(mentions)
