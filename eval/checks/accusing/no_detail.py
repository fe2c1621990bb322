"""Whether a figure with its unit is no detail of the thing that it is held against: it names another thing (`drop the 25-foot`), says what the reader uses
(`60 loads in 525 days`), repeats what was asked for (`clears your 15 pounds`), or tells how many are bought (`five packs at today's price $84.95`)."""

from __future__ import annotations

import re
from collections.abc import Collection
from weakref import WeakKeyDictionary

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.said import MONEY
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.makers import linked_by, makers_of
from drr.eval.checks.measures import ADDED, MeasureSaid, measures, measures_by_kind
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import folded_words
from drr.eval.checks.person.history import history_of
from drr.eval.checks.records import numbers_said, record_text
from drr.eval.checks.taken_together import alike, made
from drr.wording.dates import dates
from drr.wording.numbers import DIGITS, SPOKEN, number_said

_POINTED = re.compile(
    r"(?P<be>\b(?:is|are|was|were|as|it['’]s)\s(?:also\s)?)?\b(?P<which>the|that|this|those|these|both|your|my|our|his|her|their|another|a\ssecond)\s(?:(?-i:[a-z-]{2,14})\s){0,2}[*_]{0,3}$",
    re.I,
)
"""Before a figure by which something is called; not behind a verb, which says it of what is named."""
_CALLED = re.compile(
    r"[*_]{0,3}(?:$|[.,;:)!?]|\s(?:ones?|can|could|may|is|are|was|were|has|have|had|will|would|costs?|cost|goes|go|stays?|leaks?|lasts?|and|or|but|for|at|on|in|to|from|if|when|while|as|instead|now|away|too|with)\b)"
)
"""Behind it: no noun of its own."""
_NEXT = re.compile(r"[*_]{0,3}\s(?P<noun>[a-z][a-z-]{2,20})")
_NAMED_NEXT = re.compile(r"[*_]{0,3}\s[*_\[]{0,3}(?P<name>[A-Z][\w’'&-]{1,24})")
_APPOSED = re.compile(r"[*_\])\"”]{0,6}(?:\s?[,(:–—-])?\s?[*_]{0,3}")
"""Between a name and what is said of it right behind: `the Fielder's, the 25-foot one`."""
_PACE = re.compile(
    rf"[\s*_]{{1,4}}(?:in|every|per|over|within|each|an?)\s(?:(?:about|some|around|roughly|nearly)\s)?(?:(?:{SPOKEN}|{DIGITS})\s)?(?:days?|weeks?|months?|years?)\b",
    re.I,
)
_USED = re.compile(
    r"\b(?:you|we|i)(?:['’]ve|\shave)?\s(?:use|used|need|needed|(?:go|went|gone|get|got)\sthrough|took|finish|finished)\s(?:up\s)?(?:(?:about|some|only|just)\s)?[*_]{0,3}$",
    re.I,
)
"""Behind and before what somebody uses of a thing."""
_OWN = re.compile(r"\b(?:your|my|our)\s(?:(?-i:[a-z-]{2,14})\s){0,2}[*_]{0,3}$", re.I)
_ASKED = re.compile(
    r"[*_]{0,3}\s(?:[a-z]{2,14}\s){0,2}(?:(?:that\s)?(?:you|we|i)(?:['’](?:ve|d|re)|\shave|\shad|\sare|\swere)?\s)?"
    r"(?:asked|ask|wants?|wanted|needs?|needed|named|set|said|gave|mentioned|after|require[ds]?|called|requested)\b",
    re.I,
)
_MET = re.compile(
    r"\b(?:clears?|meets?|reach(?:es)?|exceeds?|beats?|passes|satisf(?:y|ies)|miss(?:es)?|short\sof|fails?|over|above|below|under|beyond|past|least|within|tops|undercuts)"
    r"\s(?:the\s|those\s|these\s)(?:[a-z-]{2,14}\s)?[*_]{0,3}$",
    re.I,
)
"""Beside what the question asks for: whose it is, who asked for it, and what comes up to it."""
_PACKS = re.compile(
    rf"(?P<n>{SPOKEN}|\d{{1,2}})\s(?:more\s|such\s)?(?:packs?|boxes|bags|bottles|sets|rolls|tubs|jars|cans|packets|tubes|cartons|pouches|jugs|pairs)\b",
    re.I,
)
_HELD = re.compile(
    r"\b(?:of|in|with|into|holds?|contains?|has|have|had|comes\sin|includes?)\s[*_]{0,3}$", re.I
)
"""Before what a thing holds."""
_IN_ALL = re.compile(
    r"\b(?:in\s(?:all|total|sum)|altogether|together|totals?|so\sfar|since|between|to\sdate|comes?\sto|came\sto|makes?|made|adds?\sup|ordered|bought)\b",
    re.I,
)
"""In a sentence that tells of all that was ordered."""
_A_YEAR = re.compile(
    r"(?:19[5-9]|20[0-4])\d\s(?:sets?|packs?|boxe?s?|bags?|pairs?|pieces?|items?|orders?)\b", re.I
)
"""`The 2014 set` is no set of so many."""
_BEFORE, _UNIT, _CENT, _OTHERS = 48, 24, 0.005, 40


class NoDetail:
    """Of one report."""

    def __init__(self, held: HeldAgainst, mentions: Mentions) -> None:
        self._held, self._text, self._history = held, mentions.plain, history_of(mentions)
        query = mentions.subject.query or ""
        self._asked, self._numbers = measures_by_kind(query), numbers_said(query)

    def why(self, one: Accusation) -> str | None:
        """What a figure says instead; `None` where it may well be a detail."""
        return self.instead(one.span, one.why)

    def instead(self, place: Span, against: str) -> str | None:
        """The same of a place, and of words that tell by its id what the figure is held against."""
        known = self._held.known.products
        close, _ = self._held.around(place[0])
        owners = {key for key in known if key in against} or {*self._held.named(close)}
        if _A_YEAR.match(self._text, place[0]) or any(
            when.month and when.start <= place[0] < when.end for when in dates(self._text, *close)
        ):
            return "it is part of a date"
        if self._is_bought(place, owners, close):
            return "so many of a thing are bought"
        said = [one for one in measures(self._text, place[0], place[1] + _UNIT) if one.start == place[0]]
        line = self._held.prose.line_at(place[0])
        if not said or line is None or line.is_row:
            return None
        before = self._text[max(line.start, place[0] - _BEFORE) : place[0]]
        if self._is_asked_for(said[-1], before):
            return "it is what the question asks for"
        if self._is_all_of_it(said[-1], owners, close):
            return "all that were ordered come to it"
        is_used = _PACE.match(self._text, said[-1].end) or _USED.search(before)
        if not is_used and not self._is_a_name(said[-1], owners, before):
            return None
        others = self._others(owners)
        return next((f"{key} has it, and is meant" for key in others if self._has(key, said[-1])), None)

    def _has(self, key: str, said: MeasureSaid) -> bool:
        return measures_by_kind(record_text(self._held.known.products[key])).has(said)

    def _others(self, owners: Collection[str]) -> list[str]:
        """What else the text links."""
        linked = linked_by(self._held.cast.named)
        known = self._held.known.products
        return sorted((linked & known.keys()) - {*owners})[:_OTHERS]

    def _is_a_name(self, said: MeasureSaid, owners: Collection[str], before: str) -> bool:
        """Whether something is called by it: `the 25-foot`, `those old 25-foot hoses`."""
        pointed = _POINTED.search(before)
        if pointed is None or pointed["be"]:
            return False
        named = [
            one
            for one in self._held.cast.within(said.start - _BEFORE, said.start)
            if one.products & {*owners}
        ]
        start = said.start - len(before) + pointed.start("which")
        if named and named[-1].end <= start and _APPOSED.fullmatch(self._text, named[-1].end, start):
            return False
        name = _NAMED_NEXT.match(self._text, said.end)
        products = self._held.known.products
        if name is not None and any(
            maker.startswith(name["name"].removesuffix("'s").removesuffix("’s"))
            for key in owners
            for maker in makers_of(products[key])
        ):
            return False
        noun = _NEXT.match(self._text, said.end)
        if _CALLED.match(self._text, said.end) or name is not None:
            return True
        words = {*folded_words(noun["noun"])} if noun is not None else set()
        titles = ({*folded_words(products[key].title)} for key in self._others(owners))
        return bool(words) and any(words <= title for title in titles)

    def _is_asked_for(self, said: MeasureSaid, before: str) -> bool:
        """`Clears your 15 pounds`, `over the 15 pounds that you named`: it stands in the question."""
        if not (self._asked.has(said) or (said.value in self._numbers and _OWN.search(before))):
            return False
        if _OWN.search(before) or _MET.search(before):
            return True
        return _ASKED.match(self._text, said.end) is not None

    def _is_all_of_it(self, said: MeasureSaid, owners: Collection[str], close: Span) -> bool:
        """`80 ounces since 2016`: what all orders of a thing come to."""
        if said.kind not in ADDED | {said.unit} or _IN_ALL.search(self._text, *close) is None:
            return False
        if self._history is None:
            return False
        for key in owners:
            many = len(self._history.of_products((key,)))
            if many > 1 and any(said.same(made(said, many * base)) for base in alike(self._held, key, said)):
                return True
        return False

    def _is_bought(self, place: Span, owners: Collection[str], close: Span) -> bool:
        """`Five packs at $84.95`: as many as were ordered, or as cost an amount of its sentence."""
        said = _PACKS.match(self._text, place[0])
        if said is None or _HELD.search(self._text, max(0, place[0] - 16), place[0]):
            return False
        many = number_said(said["n"])
        money = [one for one in self._held.said.within(close) if one.kind in MONEY]
        for key in owners:
            prices = self._held.known.of((key,)).prices
            if any(abs(many * price - one.value) < _CENT for price in prices for one in money):
                return True
            if self._history is not None and len(self._history.of_products((key,))) == many:
                return True
        return False


_read: WeakKeyDictionary[Mentions, NoDetail] = WeakKeyDictionary()


def no_detail_of(mentions: Mentions) -> NoDetail:
    """Of a report, read once for all that ask."""
    if mentions not in _read:
        _read[mentions] = NoDetail(sight_of(mentions).held, mentions)
    return _read[mentions]
