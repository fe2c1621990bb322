"""Which of two costs more, where it is said by how much: an amount that is right for the two, said the wrong way round."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.eval.checks.base import CheckTally, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.ledger import MoneyLedger
from drr.eval.checks.pairs import CLOSE, THAN
from drr.eval.checks.residue import Residue
from drr.eval.checks.spoken_of import taken_for_the_last
from drr.wording.cues import CUES
from drr.wording.doubts import DoubtKind

_SIGNS = {
    "more": 1,
    "dearer": 1,
    "pricier": 1,
    "costlier": 1,
    "higher": 1,
    "less": -1,
    "cheaper": -1,
    "lower": -1,
}
_AGAINST = re.compile(
    r"\b(?:is|are|that['’]s|comes? to|costs?|would be)\s(?:still\s|even\s|a bit\s|slightly\s|much\s|far\s|just\s)?(?P<word>more|less|cheaper|dearer|pricier)\sthan\s(?:(?:one|a|an|the|a single|just one)\s)?[\s*_\[]{0,4}",
    re.I,
)
"""Behind an amount: what it is held against."""
_PREDICATE = re.compile(
    r"(?:\b(?:is|are|was|be|costs?|runs?|comes?|asks?)|['’]s)[\s*_]{1,3}(?:(?:about|around|roughly|exactly|just|only|some|still|even|a full|nearly|almost)[\s*_]{1,3}){0,2}$",
    re.I,
)
"""Before an amount: it is said of the subject."""
_NEAR = 24
"""Characters between a subject and its predicate."""
_PER = re.compile(r"[\s*_]{1,3}(?:per|an?|each|apiece|/)\b", re.I)
_MINDED: tuple[DoubtKind, ...] = ("unreal", "owned", "others", "charged")


class Directions:
    """Goes through the sentences that say by how much one thing costs more or less."""

    def __init__(self, tally: CheckTally, cast: Cast, ledger: MoneyLedger, residue: Residue) -> None:
        self._tally, self._cast, self._ledger, self._residue = tally, cast, ledger, residue

    def sentence(self, span: Span) -> None:
        for figure in self._ledger.within(*span):
            if figure.void or figure.elsewhere or figure.amount.approx:
                continue
            sign = _SIGNS.get(figure.cue.word.casefold())
            if figure.cue.kind == "gap" and sign is not None and not figure.cue.per:
                self._hold_gap(figure, sign, span)
            elif figure.cue.kind in ("total", "price", "none"):
                self._hold_against(figure, span)

    def _hold_gap(self, figure: Figure, sign: int, span: Span) -> None:
        if CUES.units_in(self._cast.body[slice(*span)]) or _PER.match(self._cast.body, figure.end):
            return
        if self._leads_on(figure, span):
            return
        meant = self._cast.meant_at(figure.start, figure.end)
        mine = self._price(meant.only)
        if mine is None or not meant.certain or meant.bound < Certainty.SENTENCE:
            return
        others = list(self._others(figure, span, meant.only or ""))
        if any(figure.holds(sign * (mine - other)) for _, other in others):
            self._tally.ok()
            return
        turned = [(key, other) for key, other in others if figure.holds(sign * (other - mine))]
        if len(turned) == 1:
            key, other = turned[0]
            said = self._cast.body[figure.start : figure.end].strip()
            why = f"said {said} {figure.cue.word} of {meant.only}: it costs ${mine:,.2f}, {key} ${other:,.2f}"
            self._accuse((figure.start, figure.end), why, meant.bound, span)

    def _leads_on(self, figure: Figure, span: Span) -> bool:
        """`for $7 less, the Bluestem`: whether it is no predicate, or what costs so much less or more may be another thing than the one named last."""
        if _PREDICATE.search(self._cast.body, max(span[0], figure.start - CLOSE), figure.start) is None:
            return True
        groups = self._cast.referents.groups(self._cast.prose.sentence_at(figure.start))
        before = [one for one in groups if one.end <= figure.start]
        if not before or figure.start - before[-1].end > _NEAR:
            return True
        named = self._cast.within(span[0], figure.start)
        if taken_for_the_last(self._cast.body, span[0], named) is not None:
            return True
        behind = [one for one in groups if figure.end <= one.start < span[1]]
        return bool(behind) and THAN.search(self._cast.body, figure.end, behind[0].start) is None

    def _others(self, figure: Figure, span: Span, mine: str) -> Iterator[tuple[str, float]]:
        """What it may be held against: what is named behind `than`, else the only other one in play."""
        than = THAN.search(self._cast.body, figure.end, span[1])
        if than is not None:
            named = self._named_at(than.end(), span)
            if named is not None and (price := self._price(named)) is not None:
                yield named, price
                return
        others = [key for key in self._cast.products if key != mine]
        if len(others) == 1 and (price := self._price(others[0])) is not None:
            yield others[0], price

    def _hold_against(self, figure: Figure, span: Span) -> None:
        """`three of them cost $60, which is less than one Finchfield`"""
        entry = self._ledger.by_start.get(figure.start)
        match = _AGAINST.search(self._cast.body, figure.end, min(span[1], figure.end + CLOSE))
        if entry is None or entry.status != "explained" or match is None:
            return
        named = self._named_at(match.end(), span, 4)
        price = self._price(named)
        if price is None or abs(figure.value - price) < 1:
            return
        if _SIGNS[match["word"].casefold()] * (figure.value - price) > 0:
            self._tally.ok()
        else:
            why = f"said {match[0].strip()} {named}: ${figure.value:,.2f} against ${price:,.2f}"
            self._accuse(match.span(), why, Certainty.CLAUSE, span)

    def _named_at(self, place: int, span: Span, close: int = CLOSE) -> str | None:
        """The one product that is named right behind a place."""
        for one in self._cast.referents.groups(self._cast.prose.sentence_at(place)):
            if one.start >= place - 4 and one.start <= min(place + close, span[1]):
                return next(iter(one.products)) if len(one.products) == 1 and not one.together else None
        return None

    def _price(self, product_id: str | None) -> float | None:
        if product_id is None or product_id in self._cast.unlinked or product_id not in self._cast.products:
            return None
        return self._cast.products[product_id].price

    def _accuse(self, where: Span, why: str, bound: Certainty, span: Span) -> None:
        doubt = self._residue.doubt(span, _MINDED)
        self._tally.accuse("direction", where, why, bound, doubt)
