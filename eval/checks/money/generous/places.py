"""Where a report gives a verdict on a limit, and which limits it may be on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from drr.eval.checks.base import Span, Subject
from drr.eval.checks.marked import marked_denials_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.generous.limits import PER, floors_told, limits_told
from drr.eval.checks.money.ledger import MoneyLedger, ledger_of
from drr.wording.money import every_amount
from drr.wording.numbers import SPOKEN, number_said
from drr.wording.verdicts import VERDICTS

_LONGEST = 1_500
"""Characters of a sentence that somebody means as one."""
_NEAR = 160
"""Characters before a sentence in which is named what it calls `that`."""
_OWN_LIMIT = re.compile(
    r"\b(?:(?P<word>[a-z]+)\s)?(?:budget|limit|cap|ceiling|allowance|maximum|max|line|bar|threshold|rule|target|range|hurdle|envelope|figure|number|mark|sum|amount|outlay|money|spend|goal)$",
    re.I,
)
_OF_MONEY = frozenset(
    ["your", "my", "our", "the", "that", "this", "its", "her", "his", "their", "a", "what", "own", "same", "stated", "overall",
     "price", "money", "dollar", "spending", "budget", "cost", "total"]
)  # fmt: skip
"""Before the noun of a limit: it is one on a cost."""
_MULTIPLE = re.compile(r"(?:double|twice|triple)\b", re.I)
_THAT = re.compile(
    r"\b(?:(?P<fits>(?:fits?\s)?(?:within|inside|under|below|beneath)|meets?|clears?|keeps? to)|(?:over|above|outside|past|beyond|exceeds?|breaks?|busts?|miss(?:es)?|overshoots?))"
    r"\s(?:it|that)\b(?=[*_]{0,3}\s?(?:[,.;:!?)(—–]|$|(?:at|with|as|too|and|but|while|though)\b|\())",
    re.I,
)
_BARE = re.compile(
    r"\b(?:(?P<fits>fits?|pass(?:es)?|qualif(?:y|ies))|fails?|overshoots?|miss(?:es)?)(?=(?:\s(?:easily|narrowly|just))?(?:\sat|:)\s[*_]{0,3}\$)",
    re.I,
)
"""Before what it costs: `pass at $1.12`."""
_NOT = re.compile(
    r"\b(?:not|never|no longer|cannot|neither|nor|hardly)\b[^.;:,]{0,24}$|n['’]t\b[^.;:,]{0,24}$", re.I
)
_NOT_BEFORE = 40
_PLACED = re.compile(
    r"(?:(?:stays?|fits?|keeps?|holds?|clears?)\s(?:[a-z’',-]{1,16}\s){0,2}?)?(?:within|inside|under|below|beneath|over|above|past|beyond|outside|exceeds?)\s(?:(?:the|your|my|our|that|a|its)\s)?\$",
    re.I,
)
"""A limit that a verdict names right behind its word."""
_SHADE = re.compile(
    r"\b(?:shade|hair|touch|bit|whisker|little|just|slightly|fraction|cents?|dollars?|by|\d)\s[*_]{0,3}$",
    re.I,
)
"""Before `under $2`: no limit but about so much."""
_BARE_END = re.compile(rf"(?<![\w$.,])(?P<n>{SPOKEN}|\d{{1,5}})$", re.I)


class VerdictTold(NamedTuple):
    """A verdict, and the limits that it may be on."""

    span: Span
    fits: bool
    denied: bool
    limits: Sequence[float]
    named: bool
    """The limit is named with it as an amount of money."""


class VerdictPlaces:
    def __init__(self, subject: Subject, mentions: Mentions, ledger: MoneyLedger) -> None:
        self._mentions, self._plain, self._ledger = mentions, mentions.plain, ledger
        self._marked = marked_denials_of(mentions)
        limits, each = limits_told(subject, ledger, mentions.plain)
        self._floors = floors_told(subject, mentions.plain) if limits or each else frozenset[float]()
        self.limits = [one for one in limits if one not in self._floors]
        self.each_limits = [one for one in each if one not in self._floors]

    @cached_property
    def every(self) -> list[tuple[VerdictTold, Span]]:
        return list(self._every())

    def _every(self) -> Iterator[tuple[VerdictTold, Span]]:
        for line in self._mentions.layout.lines:
            if not line.cells and line.kind != "heading":
                for span in self._mentions.sentences(line):
                    if span[1] - span[0] <= _LONGEST:
                        yield from ((told, span) for told in self._verdicts(span))

    def _verdicts(self, span: Span) -> Iterator[VerdictTold]:
        text = self._plain[slice(*span)]
        for place in VERDICTS.places(text, None, would_be=True, known=self.limits):
            said = text[place.start : place.end]
            if _MULTIPLE.match(said):
                continue
            where = span[0] + place.start, span[0] + place.end
            limits, named = self._limits_of(said, where)
            if limits:
                denied = place.fits and self._marked.at(where[0])
                yield VerdictTold(where, place.fits and not denied, place.denied or denied, limits, named)
        known = [*self.limits, *self.each_limits]
        for expression in (_THAT, _BARE) if known else ():
            for match in expression.finditer(self._plain, *span):
                low = max(span[0], match.start() - _NOT_BEFORE)
                denied = _NOT.search(self._plain, low, match.start()) is not None
                limits = known if expression is _BARE else self._limits_near(match.start(), span)
                yield VerdictTold(match.span(), bool(match["fits"]) is not denied, denied, limits, False)

    def _limits_near(self, place: int, span: Span) -> list[float]:
        """What `it` may be that something is within: a limit, or any amount of its sentence or right before."""
        if self.each_limits:
            return [*self.limits, *self.each_limits]
        near = self._ledger.within(max(0, span[0] - _NEAR), place)
        return list(dict.fromkeys([*self.limits, *(one.value for one in near if not one.void)]))

    def _limits_of(self, said: str, where: Span) -> tuple[list[float], bool]:
        """What a verdict may be on, and whether it names that: an amount that is no limit elsewhere must stand right behind a word of place."""
        amount = every_amount(said)
        if amount:
            value = amount[-1].value
            if len(amount) > 1 or value in self._floors or PER.match(self._plain, where[1]):
                return [], True
            placed = _PLACED.match(said) is not None
            placed = placed and not _SHADE.search(self._plain, max(0, where[0] - 24), where[0])
            return ([value] if placed or value in self.limits or value in self.each_limits else []), True
        if match := _BARE_END.search(said):
            number = number_said(match["n"])
            return ([number] if number in self.limits else []), True
        noun = _OWN_LIMIT.search(said)
        if noun is None or (noun["word"] or "the").casefold() not in _OF_MONEY:
            return [], False
        return self.limits or [one for one in self._ledger.play.limits if one not in self._floors], False


@lru_cache(maxsize=4)
def verdict_places_of(mentions: Mentions) -> VerdictPlaces:
    """Those of a report, found once for the readers that ask."""
    return VerdictPlaces(mentions.subject, mentions, ledger_of(mentions))
