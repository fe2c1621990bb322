"""Which of two has more: `the Movewell is cheaper than the Sparrow`, `the Kindpaw is the quieter one`, `a dollar fifty dearer`, held against every two that may be meant.

One side is named: by its own name right before (or behind) what is said, or by the name behind `than`. The other may be anything near it, and of a price also any amount that is said there; prices may be
costs per unit where the text speaks of such. Only what is the wrong way round for all of them is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.by_measure import is_turned, much_said
from drr.eval.checks.cast import cast_of, names_within
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.makers import PlaceNamed, linked_by
from drr.eval.checks.measures import MeasureSaid
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.ledger import ledger_of
from drr.eval.checks.money.packs import record_divisors
from drr.eval.checks.naming import folded_words
from drr.eval.checks.residue import residue_of
from drr.eval.checks.side_forms import (
    AN_ARTICLE,
    DEGREES,
    SO_MUCH,
    closed,
    is_held_by_figures,
    is_label,
    other_of_two,
)
from drr.eval.checks.spoken_of import one_spoken_of, taken_for_the_last
from drr.eval.checks.superlatives import measured
from drr.wording.comparisons import COMPARISONS, SIDES
from drr.wording.cues import CUES
from drr.wording.vocabulary import either

_MEASURED = re.compile(rf"\b(?:{either(SIDES.measured)})\b", re.I)
_FIELDS = {"price": "price", "stars": "stars", "count": "raters"}
_FILLER = r"(?:\s(?!(?:and|or|than|that|which|who|other|others|one|ones|but|with|for|to|at|in|of|on|from|over|by|beside|versus|like|is|are|was|has|costs?)\b)[a-z0-9][\w-]{0,20}){0,4}"
"""The rest of what a thing is called: `'s own zippered pair`."""
_LEAD = re.compile(
    rf"(?P<owned>['’]s?)?[\s*_)\]]*(?P<fill>{_FILLER})[\s*_]*(?:\([^()\n]{{0,160}}\)[\s*_]*)?(?:,\s[^,.;:()\n]{{1,40}},\s|,\s)?"
    r"(?:\b(?:is|are|was|comes\sout|works\sout|comes\sin|looks|stays|remains|runs|has|gets|holds|earns|carries|costs)\b)?[\s*_]*"
    r"(?:(?:also|still|clearly|easily|slightly|much|far|a\s(?:bit|little|touch|shade)|a\s(?:full|good|whole)|rather|even|actually|indeed|then|again|therefore|thus|by\sfar|the|plainly|of\scourse|in\sfact|simply|just|well)\b[\s*_,]*){0,4}",
    re.I,
)
_BE = re.compile(
    r"\b(?:is|are|was|comes|works|looks|stays|remains|runs|has|gets|holds|earns|carries|costs?)\b|['’]s\s(?:the|also|still|\w+er)\b",
    re.I,
)
_THAN = re.compile(
    r"(?:\sby\s(?:(?:about|just|only|a|some)\s)?[*_]{0,2}\$?[\w.]{1,12}[*_]{0,2}(?:\s(?:cents|dollars|percent|stars?|ounces?|pounds?|inch(?:es)?|of\sa\sstar))?)?[\s*_]{1,4}(?:to\sbuy\s|overall\s|here\s)?than\s(?:(?:the|its|your|that|this)\s)?[\s*_\[(]{0,4}",
    re.I,
)
_THAN_ELSE = re.compile(r"[^.;]{0,40}?\b(?:than|as)\b", re.I)
_BEHIND = re.compile(
    r"(?:\s(?:one|ones|model|option|choice|of\s(?:the|these|those)\s(?:two|pair|three|four|lot)))?[\s*_]{0,3}(?:\s(?:is|was|goes\sto|remains)|:)[\s*_]{0,3}\s?(?:the\s|your\s)?[*_\[(]{0,4}$",
    re.I,
)
_NOT = re.compile(
    r"\b(?:not|no|never|neither|nor|hardly|barely|if|unless|would|could|might|(?-i:may)|should|whether|(?<!,\s)which|who|why|how|when|once|until|was|were|used\sto|had|both|each|either|equally|as|elsewhere|online|today|now|"
    r"usually|often|typically|(?<!of the )(?:two|pair)|three|four|five|six|pairs|together|combined|set|sets|bundle|pack|box|used|last\syear|before|than\sit|sum|total|making|makes|only|or|every|whole|list|basket|plan|without|with|less\s(?:than|for))\b|n['’]t\b|\?",
    re.I,
)
_PREDICATE = re.compile(
    r"(?:\b(?:is|are|remains|stays|has|also|and|but|yet|costs?|with|at)|['’]s|[,;(]|\s[—–-])\s(?:(?:also|still|even|easily|clearly|actually|again|then|too|thus|therefore|by\sfar|slightly|a\s(?:bit|little|touch|shade|full\sstar)|much|far|the)\s){0,3}[*_]{0,3}$",
    re.I,
)
"""Right before it, where no name stands there."""
_AND_MORE = re.compile(
    r"[\s*_]{0,3}(?:,\s(?:and\s|but\s|yet\s)?|\s(?:and|but|yet)\s)(?:(?:also|slightly|far|much|still|even|clearly|a\s(?:bit|little|touch|shade|tad|full\sstar|whole\sstar)|half\sa\sstar|[\d.]{1,4}\sstars?|is|it\sis|has|the)\s){0,4}[*_]{0,3}",
    re.I,
)
"""Between two comparisons of one thing."""
_SHORT = 60
_NEAR = 700
_MANY = 60
_FEW = 40
_BACK = 900
_CLOSE = 5
_LEAST = 0.25
_AND = re.compile(r"[\s*_)\]]{0,4}(?:\([^()\n]{0,90}\))?,?\s(?:and|or|plus)\s(?:the\s)?[*_\[]{0,3}")
"""Between two names of one list."""
_BESIDE = re.compile(
    r"\b(?:as|than|like|over|above|against|versus|vs\.?|beside|(?:compared|next)\s(?:to|with))\s(?:(?:the|its|your|that)\s)?[\s*_\[(]{0,4}$",
    re.I,
)
_ARTICLE = re.compile(r"\b(?:the|an?)\s[*_]{0,3}$", re.I)
_NOUN = re.compile(
    r"[\s*_]{1,4}(?!(?:ones?|of|and|but|yet|by|at|with|than|in|on|to|here|overall|though|while|so|too|even|as|for|model|option|choice|version|product|thing|item|pick|buy)\b)(?P<word>[a-z]{3,20})\b"
)
_ITSELF = frozenset(["price", "cost", "rating", "score", "average", "one", "pair", "set", "model", "version"])
_LESS = {"price": 0.005, "stars": 0.05, "raters": 0.5, "measure": 1e-6}
"""By how much two values must differ."""


_SIGNS = {
    "more": 1,
    "dearer": 1,
    "pricier": 1,
    "costlier": 1,
    "higher": 1,
    "more expensive": 1,
    "less": -1,
    "cheaper": -1,
    "lower": -1,
    "less expensive": -1,
}
_BY = re.compile(
    r"[\s*_]{1,4}(?P<word>more\sexpensive|less\sexpensive|more|less|dearer|pricier|costlier|cheaper|higher|lower)\b(?!\s(?:per|a\b|each|for\sthe\s(?:two|three|pair|lot)|to\s|in\s))",
    re.I,
)
"""Behind an amount: by so much."""


class _Said(NamedTuple):
    of: str
    sign: int
    start: int
    end: int
    kinds: tuple[str, ...] = ()
    by: Figure | None = None
    """By how much."""
    much: MeasureSaid | None = None


def wrong_sides(mentions: Mentions) -> Iterator[Accusation]:
    """Comparisons that are the other way round whatever is compared."""
    yield from islice(_Sides(mentions).found(), _MANY)


class _Sides:
    def __init__(self, mentions: Mentions) -> None:
        self._mentions, self._plain = mentions, mentions.plain
        self._cast = cast_of(mentions.subject, mentions)
        self._ledger = ledger_of(mentions)
        self._residue = residue_of(mentions)
        self._known = self._cast.products.keys() - self._cast.unlinked
        self._linked = linked_by(self._cast.named)
        self._told: tuple[int, frozenset[str]] | None = None
        """Where the last comparison ended, and what it was said of."""

    def found(self) -> Iterator[Accusation]:
        if len(self._cast.products) < 2:
            return
        for line in self._mentions.layout.lines:
            if line.is_row or line.kind in ("elision", "heading"):
                continue
            for span in self._cast.prose.sentences(line):
                self._told = None
                for said in sorted(self._said(span), key=lambda one: one.start):
                    told = self._wrong(said, span)
                    if told is not None:
                        shown = self._plain[said.start : said.end].strip()
                        why = f"said {shown!r} of {told[0]}, and beside nothing that may be meant, as {told[1]}, is it so"
                        yield Accusation("side", (said.start, said.end), why, Certainty.SENTENCE)

    def _said(self, span: Span) -> Iterator[_Said]:
        text, at = self._plain[slice(*span)], span[0]
        by = list(self._by_so_much(span))
        yield from by
        taken = {one.end for one in by}
        for one in COMPARISONS.comparisons(text):
            if not one.best and one.of in _FIELDS and at + one.end not in taken:
                yield _Said(_FIELDS[one.of], one.sign, at + one.start, at + one.end)
        for match in _MEASURED.finditer(text):
            word, much = SIDES.measured[match[0].casefold()], SO_MUCH.search(text, 0, match.start())
            start = match.start() if much is None else much.start()
            yield _Said(
                "measure",
                word.sign,
                at + start,
                at + match.end(),
                word.kinds,
                much=much and much_said(much[0]),
            )

    def _by_so_much(self, span: Span) -> Iterator[_Said]:
        for figure in self._ledger.within(*span):
            match = _BY.match(self._plain, figure.end, span[1])
            if match is not None and not figure.elsewhere and not figure.void and figure.value >= _LEAST:
                sign = _SIGNS[" ".join(match["word"].casefold().split())]
                yield _Said("price", sign, figure.start, match.end(), by=figure)

    def _wrong(self, said: _Said, span: Span) -> tuple[str, str] | None:
        places = names_within(self._cast, span)
        mine, theirs = self._subject(said, span, places), self._other(said, span, places)
        theirs = theirs or self._paired(said, span, mine)
        self._told = (said.end, mine) if mine else None
        if mine is None and theirs is None:
            return None
        if said.of == "measure" and self._begins_another(said, mine or theirs or frozenset()):
            return None
        if theirs is None and _THAN_ELSE.match(self._plain, said.end, span[1]):
            return None  # than what has no name
        if not (mine or theirs or frozenset()) <= self._known or not self._is_read(said, span):
            return None
        near = {key for one in self._cast.within(max(0, span[0] - _NEAR), span[1]) for key in one.products}
        near |= {key for one in places for key in one.products}
        if (mine is None or theirs is None) and not near <= self._known:
            return None
        left = mine or frozenset(near) - (theirs or frozenset())
        right = theirs or frozenset(near) - (mine or frozenset())
        if not (left and right):
            return None
        if said.by is not None:
            prices = {key: one.price for key, one in self._cast.products.items() if one.price is not None}
            beside = None if theirs is not None else self._amounts()
            return _turned(said, said.by, (left, right), prices, beside)
        return self._other_way_round(said, span, left, right, bound=theirs is not None)

    def _subject(self, said: _Said, span: Span, places: Sequence[PlaceNamed]) -> frozenset[str] | None:
        """What is named right before it, or led to behind it."""
        before = [one for one in places if one.end <= said.start]
        if self._told and _AND_MORE.fullmatch(self._plain, self._told[0], said.start):
            return self._told[1]
        if len(before) == 1 and is_label(self._cast, before[0], said.start, span):
            return self._meant(before[0])
        if before:
            between = self._plain[closed(self._plain, before[-1], said.start) : said.start]
            verb = _BE.search(between) or self._plain[said.start : said.end].casefold().startswith("cost")
            lead = _LEAD.fullmatch(between) if verb else None
            if lead is not None and _BESIDE.search(
                self._plain, max(0, before[-1].start - 24), before[-1].start
            ):
                return None  # what something else is set beside
            taken = taken_for_the_last(self._plain, span[0], before)
            if lead is not None and taken is not None:
                return self._meant(taken)
            if lead is not None:
                whom = self._meant(before[-1])
                is_part = lead["owned"] and not self._is_of(whom, lead["fill"])
                return None if is_part or self._begins_another(said, whom) else whom
        behind = [one for one in places if one.start >= said.end]
        led = behind and said.by is None and _ARTICLE.search(self._plain, max(0, said.start - 5), said.start)
        if led and _BEHIND.fullmatch(self._plain[said.end : behind[0].start]):
            return self._meant(behind[0])
        costs = said.of == "price" and _tells_costs(self._ledger.within(*span))
        if not costs and _PREDICATE.search(self._plain, max(0, said.start - _SHORT), said.start):
            keys = one_spoken_of(self._cast, self._plain, said.start)
            return (keys & self._linked) or keys or None
        return None

    def _other(self, said: _Said, span: Span, places: Sequence[PlaceNamed]) -> frozenset[str] | None:
        match = _THAN.match(self._plain, said.end, span[1])
        if match is None:
            return None
        behind = [one for one in places if one.start >= match.start()]
        if not behind or behind[0].start > match.end() + _CLOSE:
            return None
        if len(behind) > 1 and _AND.fullmatch(self._plain, behind[0].end, behind[1].start):
            return None
        if said.of == "measure" and self._plain.startswith(("'s", "’s"), behind[0].end):
            return None  # a part of it
        return self._meant(behind[0])

    def _paired(self, said: _Said, span: Span, mine: frozenset[str] | None) -> frozenset[str] | None:
        line = self._cast.prose.line_at(span[0])
        if mine is None or line is None:
            return None
        whole = [self._meant(one) for one in names_within(self._cast, (line.start, line.end))]
        return other_of_two(said.end, self._plain, mine, frozenset[str]().union(*whole))

    def _is_of(self, whom: frozenset[str], words: str) -> bool:
        """Whether a noun behind `the Ashwell's` is the thing itself, or what it costs."""
        last = folded_words(words)[-1:]
        return bool(last) and (last[0] in _ITSELF or self._has_in_title(whom, last[0]))

    def _begins_another(self, said: _Said, whom: frozenset[str]) -> bool:
        """`the cheaper way`: it is said of something else than the thing."""
        if not AN_ARTICLE.search(self._plain, max(0, said.start - DEGREES), said.start):
            return False
        noun = _NOUN.match(self._plain, said.end)
        word = folded_words(noun["word"])[0] if noun is not None else ""
        return (
            bool(word)
            and not self._has_in_title(whom, word)
            and not _is_on_a_shelf((self._cast.products[key] for key in whom & self._known), word)
        )

    def _has_in_title(self, whom: frozenset[str], word: str) -> bool:
        return any(word in folded_words(self._cast.products[key].title) for key in whom & self._known)

    def _meant(self, one: PlaceNamed) -> frozenset[str]:
        """Those that a name may mean: of a maker's things those that the text links, if any."""
        return (one.products & self._linked) or one.products

    def _is_read(self, said: _Said, span: Span) -> bool:
        clause = self._cast.prose.clause_at(said.start)
        if said.of == "measure" and is_held_by_figures(said.end, self._plain, span[1]):
            return False
        low = max(span[0], clause[0] - 6)
        start = said.start - len("with ") * (
            said.of == "raters" and self._plain.endswith("with ", low, said.start)
        )
        if _NOT.search(self._plain, low, start) or _NOT.search(
            self._plain, said.end, max(said.end, clause[1])
        ):
            return False
        if self._residue.is_of_the_unseen(clause, span):
            return False
        return not self._cast.names_a_stranger(span) and "?" not in self._plain[slice(*span)]

    def _other_way_round(
        self, said: _Said, span: Span, left: Iterable[str], right: frozenset[str], *, bound: bool
    ) -> tuple[str, str] | None:
        units = CUES.units_in(self._plain[max(0, span[0] - _BACK) : span[1]])
        told = None
        for a in sorted(left):
            mine = self._cast.products[a]
            if not bound and self._is_so_beside_an_amount(said, span, mine):
                return None
            for b in sorted(right - {a}):
                held = _is_the_other_way_round(said, mine, self._cast.products[b], units)
                if held is False:
                    return None
                told = (a, b) if held else told
        return told

    def _is_so_beside_an_amount(self, said: _Said, span: Span, mine: Product) -> bool:
        if said.of != "price" or mine.price is None:
            return False
        near = self._ledger.within(max(0, span[0] - _NEAR), span[1])
        return any(
            said.sign * (mine.price - one.value) > _LESS["price"]
            for one in near
            if one.value > 1 and one.cue.kind not in ("gap", "limit", "rest")
        )

    def _amounts(self) -> list[float]:
        return [one.value for one in self._ledger.figures if one.cue.kind not in ("gap", "unit", "rest")]


def _turned(
    said: _Said,
    by: Figure,
    both: tuple[frozenset[str], frozenset[str]],
    prices: dict[str, float],
    amounts: list[float] | None,
) -> tuple[str, str] | None:
    """By so much it is the other way round, and nothing in the report makes it right; no amounts where the other is named."""
    left, right = both
    ours = {key: prices[key] for key in left if key in prices}
    if not ours:
        return None
    named = [prices[key] for key in right if key in prices]
    theirs = list(dict.fromkeys(named if amounts is None else [*prices.values(), *amounts]))[:_FEW]
    beside = [*theirs, *(2 * one for one in theirs), *(3 * one for one in theirs)]
    if amounts is not None:
        beside += [a + b for a, b in combinations(theirs, 2)]
    if any(by.holds(said.sign * (a * n - b)) for a in ours.values() for n in (1, 2, 3) for b in beside):
        return None
    for a, price in sorted(ours.items()):
        for b in sorted(right - {a}):
            if b in prices and by.holds(said.sign * (prices[b] - price)):
                return a, b
    return None


def _is_the_other_way_round(said: _Said, a: Product, b: Product, units: Iterable[str]) -> bool | None:
    """Whether the first has less in every sense; `None` where the records do not say."""
    if said.much is not None and said.much.kind in said.kinds:
        return is_turned(said.much, said.sign, a, b)
    pairs = list(_values(said, a, b, units))
    return None if not pairs else all(said.sign * (x - y) <= -_LESS[said.of] for x, y in pairs)


def _values(said: _Said, a: Product, b: Product, units: Iterable[str]) -> Iterator[tuple[float, float]]:
    if said.of == "measure":
        for kind in said.kinds:
            yield from ((x, y) for x in measured(a, kind) for y in measured(b, kind))
        return
    name = {"price": "price", "stars": "average_rating", "raters": "rating_number"}[said.of]
    x, y = getattr(a, name), getattr(b, name)
    if x is None or y is None:
        return
    yield x, y
    if said.of == "price":
        none = frozenset[float]()
        for unit in sorted(units):
            for m in record_divisors(a, unit, none):
                yield from ((x / m, y / n) for n in record_divisors(b, unit, none) if m and n)


def _tells_costs(here: Iterable[Figure]) -> bool:
    """Whether a sentence speaks of costs of a piece."""
    return any(one.cue.kind == "unit" or one.value < 1 for one in here)


def _is_on_a_shelf(some: Iterable[Product], word: str) -> bool:
    """Whether a shelf that a thing stands on is called so: `tool` of shears."""
    return any(word in folded_words(shelf) for one in some for shelf in one.categories)
