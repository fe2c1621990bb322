"""Counts of own orders by the kind of thing that the words name, held against every reading of the kind: `four of your 18 orders are gooseneck kettles`.

What a kind is, a title says, or a category, or the words of its path. A count is wrong where no reading of the kind comes to it: by its last words or by all of them, in the whole
history or in the time that is named near it; of things that are counted also by pieces and by different ones. More than there are by every reading is wrong wherever the words
end there; fewer only where all orders are counted in the sentence and nothing in the clause chooses among them. A kind of which there is hardly anything may be understood otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.naming import folded_words
from drr.eval.checks.person.readings.facets import TIMES, Facet, OrderFacets
from drr.eval.checks.person.readings.joined import Joined, joined_to
from drr.eval.checks.person.readings.kinds_counted import CountedAs, KindsCounted
from drr.eval.checks.person.readings.said import COUNT, GAP, SaidCount, SaidCounts, count_value, counted
from drr.eval.checks.person.readings.sets import Mask

_SPOKEN_OF = re.compile(
    r"\b(?:orders|ordered|purchases|purchased|bought|history|reordered|on\srecord|on\sfile|owned|own|you['’]ve\shad|you\shave\shad|your\s(?:file|record|list|account|log|ledger))\b",
    re.I,
)
_LOOSE = re.compile(
    r"\b(?:would|should|could|if|not|never|without|except|other\sthan|besides|spend|spent|money|carry|carries|stock|sell|sells|listed|listings?|models?|candidates?|options?|choices|need|needs|"
    r"plan|basket|cart|take|add|get|buy|order|reorder|restock|suggest|recommend|one\smore|another|further|compar(?:e|ed|es)|looked|found|shop|shops|shelf|shelves|page|pages|catalogu?e|table|above|below)\b|n['’]t\b|\?",
    re.I,
)
"""In a sentence: a count may be of what the shop has, of what is to be bought, of money, or of what is not so."""
_AHEAD = re.compile(
    r"\b(?:next|planned|plans?|picks?|points|scores?|ratings?|stars|prices?|suggestions?|ideas|list|todo)\b",
    re.I,
)
"""In a line that leads a list: no orders are counted in it."""
_PART_OF = re.compile(rf"\bof{GAP}(?:(?:all|your|the|these|those|his|her|their|my){GAP}){{0,2}}$", re.I)
_OF_SOME = re.compile(
    r"\b(?:since|within|during|until|till|up\sto|before|after|between|from|through)\b", re.I
)
_CHOSEN = re.compile(
    r"\b(?:last|latest|newest|past|recent|first|next|previous|this|these|those|so\sfar|then|later|earlier|of\s(?:them|these|those|which)|only|priced?|prices|more|another|others?|rest)\b",
    re.I,
)
"""In a clause: a count may be of some of them only; of those of a time, which is read, or of others."""
_OF_SO_MANY = re.compile(
    rf"{GAP}(?:out{GAP})?of{GAP}(?:(?:all|your|the|these|those){GAP}){{0,3}}{counted('m')}", re.I
)
_PRICES = re.compile(r"\bpric(?:e|es|ed)\b|\$|\bunpriced\b", re.I)
_PACK = re.compile(
    r"(?<![\d.])\d{1,4}[\s-]?(?:pack|count|piece|pcs|pc|ct|set|pair|roll|sheet)s?\b|\b(?:set|pack|box|case)\sof\s\d|\b(?:pair|twin|double|duo|trio|dozen|two|three|four)\b",
    re.I,
)
"""In a title: there are several in one."""
_ORDERS_SAID = re.compile(r"\b(?:orders|purchases|parcels)\b", re.I)
_AROUND, _BEHIND, _AS_FAR = 60, 40, 40
"""Characters of a clause around a count and its kind in which something may choose among them."""
_MOST, _WAYS, _WORDS, _FEWEST, _FACTOR = 20, 24, 2, 3, 3
"""Counts of a sentence; ways in which something else is meant; words of a kind that are surely its own; orders that one word needs; how much more may be said."""


class CountsOfKinds:
    """Reads the sentences of one report that speak of its reader's orders."""

    def __init__(self, facets: OrderFacets, cast: Cast, said: SaidCounts, query: str) -> None:
        self._facets, self._sets = facets, facets.sets
        self._cast, self._body, self._said = cast, cast.body, said
        self._kinds = KindsCounted(facets, cast.body, query)
        self._led = False
        """Whether the line that leads a list counts orders."""

    def all(self) -> Iterator[Accusation]:
        """What is said of any kind, line by line: where its line or the one that leads a list speaks of orders, or the sentence before."""
        led = self._led = False
        for line in self._cast.lines:
            if line.kind in ("row", "head_row", "rule_row", "elision"):
                continue
            before = led
            for span in self._cast.prose.sentences(line):
                own = _SPOKEN_OF.search(self._body, *span) is not None
                loose = _LOOSE.search(self._body, *span) is not None
                if (own or before) and not loose and self._said.speaks_of_orders(span):
                    yield from self._sentence(span, line)
                before = led or own
            if line.kind in ("heading", "title") or line.text.rstrip(" *_").endswith(":"):
                led = _SPOKEN_OF.search(line.text) is not None
                led = led and not (_LOOSE.search(line.text) or _AHEAD.search(line.text))
                self._led = led and _ORDERS_SAID.search(line.text) is not None
            elif line.kind != "item" and line.text.strip():
                led = self._led = False

    def _sentence(self, span: Span, line: TextLine) -> Iterator[Accusation]:
        here = self._facets.in_span(span)
        for said in islice(self._said.within(span), _MOST):
            part = _PART_OF.search(self._body, max(span[0], said.start - 24), said.start)
            if said.times or said.hedged or part is not None:
                continue
            for kind, how in self._kinds.of(said, span, line):
                if (why := self._wrong(said, kind, how, span, here)) is not None:
                    yield Accusation("own_kind", (said.start, said.end), why, Certainty.CLAUSE)
                    break

    def _wrong(
        self, said: SaidCount, kind: Facet, how: CountedAs, span: Span, here: Sequence[Facet]
    ) -> str | None:
        """Why no reading comes to it."""
        orders = how == "orders"
        joined = joined_to(kind, span, here, self._facets, self._cast) if orders else Joined((kind,), False)
        joined = joined._replace(parts=tuple(map(self._as_called, joined.parts)))
        own = self._sets.orders_of if orders else self._sets.sizes
        times = [way for one in here if one.kind in TIMES for way in one.ways][:_WAYS]
        ways = {*self._as_called(kind).ways, self._in_words(kind)}
        sizes = {size for way in self._cut(ways, times, span, here) for size in own(way)}
        if len(joined.parts) > 1:
            sizes |= {size for way in joined.together() for size in own(way)}
        whole = _OF_SO_MANY.match(self._body, said.end, span[1])
        if whole is not None and count_value(whole["m"]) not in own(self._sets.all):
            return None
        if joined.is_open or said.value in sizes | own(self._sets.all):
            return None
        most = max(sizes)
        if not self._is_understood(said, kind, how, most):
            return None
        of_orders = self._is_of_orders(kind, said, how, span)
        if not of_orders and (said.value in self._sets.titled(ways) or self._comes_in_packs(ways)):
            return None
        if said.value < most and not (orders and self._is_of_all(said, kind, span, here, times=bool(times))):
            return None
        shown = "what was asked for" if how == "asked" else self._body[kind.start : kind.end]
        return f"said {said.value} orders of {' '.join(shown.split())[:60]!r}, are {max(self._sets.orders_of(kind.ways[0]))}"

    def _cut(self, ways: set[Mask], times: Sequence[Mask], span: Span, here: Sequence[Facet]) -> set[Mask]:
        """Every set of orders that may be meant: the kind, in the times and of the things that its sentence names."""
        things = [way for one in here if one.kind == "named" for way in one.ways][:_WAYS]
        cut = ways | {way & one for way in ways for one in (*times, *things)}
        if _PRICES.search(self._body, *span):
            cut |= {way & one for way in tuple(cut) for one in (self._sets.priced, ~self._sets.priced)}
        return cut

    def _is_understood(self, said: SaidCount, kind: Facet, how: CountedAs, most: int) -> bool:
        """Whether there are so many of a kind that its words are surely those of the titles."""
        words = _WORDS if how == "asked" else len(folded_words(self._body[kind.start : kind.end]))
        return most >= (_FEWEST if words < _WORDS else 2) and said.value <= _FACTOR * most

    def _is_of_orders(self, kind: Facet, said: SaidCount, how: CountedAs, span: Span) -> bool:
        """Whether orders are counted, not things of which several may come in one."""
        if how == "things":
            return False
        low = self._cast.prose.sentence_at(max(0, span[0] - 2))[0]
        high = min(span[1], max(kind.end, said.end) + _AS_FAR)
        return how == "packs" or self._led or _ORDERS_SAID.search(self._body, low, high) is not None

    def _is_of_all(
        self, said: SaidCount, kind: Facet, span: Span, here: Sequence[Facet], *, times: bool
    ) -> bool:
        """Whether all orders are counted in the sentence, and nothing in the clause chooses among them; a word alone is that of more things."""
        if len(folded_words(self._body[kind.start : kind.end])) < _WORDS:
            return False
        wholes = {
            count_value(one["n"]) for one in COUNT.finditer(self._body, *span) if one.start() != said.start
        }
        if len(self._sets.orders) not in wholes:
            return False
        low, high = min(said.start, kind.start), max(said.end, kind.end)
        before = re.split(r"[;:.]", self._body[max(span[0], low - _AROUND) : low])[-1]
        behind = re.split(r"[;:.,]", self._body[high : min(span[1], high + _BEHIND)])[0]
        around = f"{before} {behind}"
        return _CHOSEN.search(around) is None and (times or _OF_SOME.search(around) is None)

    def _comes_in_packs(self, ways: Iterable[Mask]) -> bool:
        some = 0
        for way in ways:
            some |= way
        return any(
            placed.product is not None and _PACK.search(placed.product.title) is not None
            for at, placed in enumerate(self._sets.orders)
            if some >> at & 1
        )

    def _as_called(self, kind: Facet) -> Facet:
        """A kind also as that of which titles have its words one after the other, or at the end of their first part: `erase markers`, no board with markers."""
        said = folded_words(self._body[kind.start : kind.end])
        if kind.kind != "kind" or not said:
            return kind
        called = (self._sets.called(tuple(said)), self._sets.phrased(tuple(said)))
        return kind._replace(ways=tuple(dict.fromkeys(one for one in (*called, *kind.ways) if one)))

    def _in_words(self, kind: Facet) -> Mask:
        """Orders in whose titles or categories a word has the last word of a kind in it, beside the others: `teakettle`."""
        *others, last = folded_words(self._body[kind.start : kind.end]) or [""]
        found = 0
        for word in self._sets.words if len(last) > 3 else ():
            if last in word:
                found |= self._sets.of_words([*others, word])
        return found
