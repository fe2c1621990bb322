"""A figure said of one product where the table of details of its record states that very property with another figure.

Other readers let whatever is in sight explain a figure. Here it is so firmly bound that nothing else can be meant: the one product is certain, the record's details
state a figure of that kind once, and the words beside the figure say the property: they are the name of the detail (`a 40-hour run time`), those of a statement of the
record (`runs 30 minutes before it must cool`), or a verb of having right behind the name (`is rated for 15 amps`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, takewhile
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import Cast, Meant, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.measures import A_RATE, MeasureSaid, measures, measures_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import folded_words
from drr.eval.checks.records import record_numbers, record_text
from drr.eval.checks.residue import residue_of
from drr.wording.numbers import DIGITS, NUMBER, SPOKEN, number, spoken

_MANY = 40
"""Accusations of a report."""
_MOST = 300
"""Figures of a report that are looked into."""
_RANGE = re.compile(r"(?<=\d)-(?=\d)")
"""`8-15`: the hyphen of a range, which else begins a code."""
_FROM = re.compile(rf"(?<![\w.,$€£/#])(?P<n>{DIGITS})\s?(?:–|to)\s?$", re.I)
"""The other end of a range."""
_UP_TO = re.compile(r"\b(?:up\sto|at\smost|as\smuch\sas|maximum\sof)\s[*_]{0,3}$", re.I)
"""A bound that a record states, and no rounding."""
_SAID = re.compile(
    r"(?:\b(?:is|are|was|has|have|had|holds?|runs?|lasts?|weighs?|measures?|carries|carry|takes?|gives?|offers?|delivers?|draws?|uses?|moves?|covers?|reaches|reach|spins?|turns?"
    r"|stands|handles?|supports?|states?|lists?|claims?|listed|rated|stated|specified|comes?|does|goes|manages?|stops?|stays?|bears?|feeds?|pumps?|cleans?|plays?)"
    r"(?:\s(?:rated|listed|stated|specified|given|sold))?(?:\s(?:for|at|with|as|of|in|by))?(?:\s(?:up\sto|at\smost))?(?:\s(?:an?|the))?)[\s*_]{1,3}$",
    re.I,
)
"""Before a figure: the thing has it."""
_LISTED = re.compile(
    r"(?:[,;:(–—|]|\s(?:and|with|at))[\s*_]{1,4}(?:(?:an?|up\sto|rated|runs|holds)\s)?[*_]{0,3}$|\A[\s*_•>-]{0,6}(?:up\sto\s)?$",
    re.I,
)
"""It stands in a list of what the thing is like."""
_CLOSED = re.compile(r"[*_\s\"”]{0,4}(?:$|[,.;:)\]|/–—\n]|\s?(?:and|with|but|or)\b)", re.I)
_LED = re.compile(
    r"\b(?:by|lose[sd]?|losing|gain(?:s|ed|ing)?|add(?:s|ed|ing)?|save[sd]?|saving|extra|another|instead\sof|rather\sthan|than|against|versus|vs\.?|more|less|fewer|over|above|under|below|your|every|per|each|between|other|if|not|no|never|until|after|before|only|within)"
    r"[\s*_]{1,3}(?:(?:an?|the|any)\s)?[*_]{0,3}$",
    re.I,
)
_LEFT = re.compile(
    r"[\s*_]{0,3}(?:(?:ounces?|oz|feet|foot|ft|inch|inches|yards?)\s(?:(?:an?|per)\s[a-z]{3,7}\s)?)?(?:more|less|fewer|extra|longer|shorter|wider|taller|heavier|lighter|bigger|smaller|larger|apart|together|total|later|ago|old|away|left|over|off|to\sspare|per|an?|each|every|further|behind|ahead|below|above|under|flat)\b"
    r"|[\s*_]{0,2}[=×x+/–-]",
    re.I,
)
_OTHERWISE = re.compile(
    r"\b(?:not|never|no|nor|neither|without|would|could|might|should|if|unless|need(?:s|ed)?|want(?:s|ed)?|asked|together|both|each|either|difference|twice|double|half|total|limit|guides?|says?|said|claim(?:ed)?"
    r"|usually|typical(?:ly)?|elsewhere|some|any|most|than|versus|rather|per|every|yours|mine|his|hers|ours|theirs|instead|cousins?|siblings?|other|another)\b|n['’]t\b|\?|[×=+]",
    re.I,
)
"""Its clause may be of a need, a use or another thing."""


class _Field(NamedTuple):
    """A detail of a record with one figure, or the two of a range."""

    key: str
    words: frozenset[str]
    figures: frozenset[float]
    shown: str
    unit: str


class _Statement(NamedTuple):
    """What a record says with one figure, by the words before and behind it."""

    figures: frozenset[float]
    kind: str
    before: tuple[str, ...]
    behind: tuple[str, ...]
    shown: str


class _Said(NamedTuple):
    """A figure or a range that a text says, by base values."""

    one: MeasureSaid
    figures: frozenset[float]
    start: int
    end: int


def _ranged(text: str) -> str:
    return _RANGE.sub("–", text)


def _said_in(text: str, start: int, end: int) -> Iterator[_Said]:
    """Figures with a unit, those of a range together."""
    by_place: dict[Span, list[MeasureSaid]] = {}
    for one in measures(text, start, end):
        by_place.setdefault((one.start, one.end), []).append(one)
    for some in by_place.values():
        one, figures, begins = some[-1], {each.base for each in some}, some[-1].start
        if one.value and (low := _FROM.search(text[max(start, one.start - 16) : one.start])) is not None:
            figures.add(number(low["n"]) * one.base / one.value)
            begins = max(start, one.start - 16) + low.start()
        yield _Said(one, frozenset(figures), begins, one.end)


@lru_cache(maxsize=512)
def _fields(product: Product) -> dict[str, list[_Field]]:
    """The details with figures by their kind."""
    found: dict[str, list[_Field]] = {}
    for key, value in product.details.items():
        if not isinstance(value, str):
            continue
        text = _ranged(value)
        for one in _said_in(text, 0, len(text)):
            words = frozenset(folded_words(key)) - _DULL
            found.setdefault(_kind(one.one), []).append(_Field(key, words, one.figures, value, one.one.unit))
    return found


@lru_cache(maxsize=512)
def _statements(product: Product) -> list[_Statement]:
    """The sentences and details of a record that state one figure."""
    details = [value for value in product.details.values() if isinstance(value, str)]
    texts = [part for one in (*product.features, *product.description) for part in _END.split(one)]
    found = []
    for text in (*texts, *details):
        said = list(_said_in(ranged := _ranged(text), 0, len(text)))
        if len(said) == 1:
            one = said[0]
            before, behind = folded_words(ranged[: one.start]), folded_words(ranged[one.end :])
            found.append(_Statement(one.figures, _kind(one.one), before, behind, text.strip()))
    return found


def _kind(one: MeasureSaid) -> str:
    """Things that are counted are no kind of a unit's, though they may have its name (`20 lights`)."""
    return f"{one.kind} counted" if one.unit == one.kind else one.kind


def _is_copied(one: _Statement, before: tuple[str, ...], behind: tuple[str, ...]) -> bool:
    """Whether the words next to a figure are those of the statement: three at least, two of them telling, or all that it has."""
    led = _alike(before[::-1], one.before[::-1])
    followed = _alike(behind, one.behind)
    met = [*led, *followed]
    telling = {word for word in met if len(word) > 3 and word not in _WORN}
    if len(met) >= 3 and len(telling) >= 2:
        return True
    return len(met) == len(one.before) + len(one.behind) >= 2 and bool(telling)


def _is_other(said: _Said, field: _Field) -> bool:
    low, high = min(field.figures), max(field.figures)
    return not any(low * 0.9 <= one <= high * 1.1 for one in said.figures)


def _measures(product: Product, said: _Said) -> bool:
    """Whether its record has the figure with such a unit."""
    return any(
        one.kind == said.one.kind and one.base in said.figures for one in measures_of(record_text(product))
    )


def _alike(some: Sequence[str], others: Sequence[str]) -> list[str]:
    """The words with which both begin."""
    return [a for a, b in takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False))]


_END = re.compile(r"[.;!?](?=\s|$)|\n")
_LONG = frozenset(["day", "week", "month", "year"])
_WORN = frozenset(
    folded_words(
        "with from that this your have about than them each when after before more less over under into only"
    )
)
_DULL = frozenset(folded_words("of the per a maximum minimum item product number recommended recommendation"))


def figures_otherwise(mentions: Mentions) -> Iterator[Accusation]:
    """Figures that the details of the one product meant have otherwise."""
    yield from islice(_DetailFigures(mentions).found(), _MANY)


def is_named_first(cast: Cast, span: Span, start: int) -> bool:
    """Whether what a sentence names stands before a place of it, or only cites the product behind it (`13 amps is too much for the Watchlight` is not said of it)."""
    named = cast.within(*span)
    if not named or named[0].start < start:
        return True
    return all(one.linked and _BY_NAME.match(cast.body, one.start) is None for one in named)


class _DetailFigures:
    def __init__(self, mentions: Mentions) -> None:
        self._mentions, self._plain = mentions, mentions.plain
        self._body = _ranged(mentions.body)
        self._cast = cast_of(mentions.subject, mentions)
        self._residue = residue_of(mentions)
        asked = mentions.subject.query or ""
        self._asked = {number(match["n"]) for match in NUMBER.finditer(asked)}
        self._asked |= {float(spoken(match[0])) for match in _WORD.finditer(asked)}
        self._called = [(one.start, one.end) for one in (*mentions.called, *mentions.references)]

    def found(self) -> Iterator[Accusation]:
        for said, line, span in islice(self._every(), _MOST):
            own = self._otherwise(said, span) or self._of_the_other(said, line, span)
            if own is not None:
                shown = self._plain[said.start : said.end].strip()
                why = f"said {shown!r}, the record has {own[1].shown!r} as its {own[1].key.casefold()} ({own[0]})"
                yield Accusation("detailed", (said.start, said.end), why, Certainty.ADJOINED)

    def _every(self) -> Iterator[tuple[_Said, TextLine, Span]]:
        for line in self._mentions.layout.lines:
            if line.kind not in ("head_row", "rule_row", "elision", "row", "heading"):
                for span in self._cast.prose.sentences(line):
                    yield from ((one, line, span) for one in _said_in(self._body, *span))

    def _otherwise(self, said: _Said, span: Span) -> tuple[str, _Field] | None:
        meant = self._cast.meant_at(said.start, said.end)
        product = self._cast.products.get(meant.only or "")
        if (
            product is None
            or not meant.certain
            or any(low <= said.start < high for low, high in self._called)
        ):
            return None
        if said.one.unit in _PACKAGES or said.one.value in self._asked:
            return None
        if self._plain[said.start : said.end].casefold().endswith("flat"):
            return None  # `nineteen flat` is no fluid ounce
        if (own := self._copied(said, product, span) or self._field(said, product, span)) is None:
            return None
        field, by = own
        if not self._is_bound(meant, span, said.start) or not _is_other(said, field):
            return None
        if by != "copied" and self._holds(product, said):
            return None
        if not self._is_alone(said, by, meant, product, span) or self._is_of_several(
            said, field, product, span
        ):
            return None
        return (product.product_id, field) if self._is_plain(said, span) else None

    def _field(self, said: _Said, product: Product, span: Span) -> tuple[_Field, str] | None:
        """The detail that the words beside a figure speak of, and how they say so."""
        fields = _fields(product).get(_kind(said.one), [])
        if not fields:
            return None
        named = [one for one in fields if one.words and self._is_named(one, said, span)]
        if len(named) == 1 and sum(one.key == named[0].key for one in fields) == 1:
            return named[0], "label"
        if len(fields) > 1 or said.one.kind == "share":
            return None
        if said.one.kind == "time" and (said.one.unit != fields[0].unit or said.one.unit in _LONG):
            return None
        before = self._body[max(span[0], said.start - 60) : said.start]
        if _SAID.search(before):
            return fields[0], "verb"
        if _LISTED.search(before) and _CLOSED.match(self._body, said.end):
            return fields[0], "list"
        return None

    def _of_the_other(self, said: _Said, line: TextLine, span: Span) -> tuple[str, _Field] | None:
        """`2 hours rather than 3 hours`: said of the one of two that its paragraph names; the second figure is the other's."""
        if _RATHER.search(self._body[max(span[0], said.start - 28) : said.start]) is None:
            return None
        first = [one for one in _said_in(self._body, span[0], said.start) if one.one.unit == said.one.unit]
        whom = {one.products for one in self._cast.within(line.start, said.start) if one.linked}
        meant = self._cast.meant_at(first[-1].start, first[-1].end) if first else None
        if meant is None or not meant.certain or len(whom) != 2 or meant.products not in whom:
            return None
        own, other = (
            self._cast.products.get(next(iter(one)))
            for one in (meant.products, *(whom - {meant.products}))
            if len(one) == 1
        )
        if own is None or other is None or not self._holds(own, first[-1]):
            return None
        fields = _fields(other).get(_kind(said.one), [])
        if (
            len(fields) != 1
            or len(_fields(own).get(_kind(said.one), [])) != 1
            or not _is_other(said, fields[0])
        ):
            return None
        known = {**self._cast.possible, **self._cast.products}
        if said.one.value in self._asked or any(_measures(one, said) for one in known.values()):
            return None
        return other.product_id, fields[0]

    def _copied(self, said: _Said, product: Product, span: Span) -> tuple[_Field, str] | None:
        """A statement of the record whose words stand around the figure."""
        some = [one for one in _statements(product) if one.kind == _kind(said.one)]
        if not some:
            return None
        before, behind = (
            folded_words(self._body[max(span[0], said.start - 80) : said.start]),
            folded_words(self._body[said.end : min(span[1], said.end + 80)]),
        )
        alike = [one for one in some if _is_copied(one, before, behind)]
        if not alike or len({one.figures for one in alike}) > 1:
            return None
        return _Field("statement", frozenset(), alike[0].figures, alike[0].shown, said.one.unit), "copied"

    def _is_named(self, field: _Field, said: _Said, span: Span) -> bool:
        """Whether the words of its label stand right behind the figure, or before it."""
        behind = _NEXT.match(self._plain, said.end)
        if behind is not None and field.words <= set(folded_words(behind[0])):
            return True
        before = _LABEL.search(self._plain[max(span[0], said.start - 60) : said.start])
        return before is not None and field.words == set(folded_words(before["label"])) - _DULL

    def _is_bound(self, meant: Meant, span: Span, start: int) -> bool:
        if not is_named_first(self._cast, span, start):
            return False
        groups = self._cast.referents.groups(span)
        whom = {one.products for one in groups if one.form != "pronoun"}
        if meant.bound >= Certainty.CLAUSE:
            return True
        if meant.bound == Certainty.SENTENCE:
            return whom == {meant.products}
        return meant.bound == Certainty.SCOPE and not whom and not meant.contrast

    def _is_alone(self, said: _Said, by: str, meant: Meant, product: Product, span: Span) -> bool:
        """Whether nothing else in sight has the figure, or its name stands right before what is said of it."""
        others = {**self._cast.possible, **self._cast.products}
        others.pop(product.product_id, None)
        if not any(self._holds(one, said) for one in list(others.values())[:_IN_PLAY]):
            return True
        groups = self._cast.referents.groups(span)
        linked = [one for one in groups if one.linked]
        if by != "list" and linked and all(one.products == meant.products for one in groups):
            return True
        before = [one for one in groups if one.end <= said.start]
        if not before or before[-1].form != "named" or before[-1].products != meant.products:
            return False
        return _ADJOINED.fullmatch(self._plain, before[-1].end, said.start) is not None

    def _holds(self, product: Product, said: _Said) -> bool:
        return bool(self._values(said) & record_numbers(product))

    def _is_of_several(self, said: _Said, field: _Field, product: Product, span: Span) -> bool:
        """Whether it is so many times the thing's own: of several things, or of what a package holds."""
        text = self._plain[slice(*span)] + " " + product.title
        many = {number(match["n"]) for match in NUMBER.finditer(text)}
        many |= {float(spoken(match[0])) for match in _WORD.finditer(text)}
        made = {own * each for own in field.figures for each in many if 1 < each <= _REACH}
        return any(abs(one - said.one.base) <= 0.02 * said.one.base for one in made)

    def _values(self, said: _Said) -> set[float]:
        scale = said.one.base / said.one.value if said.one.value else 1.0
        return {round(one / scale, 6) for one in said.figures}

    def _is_plain(self, said: _Said, span: Span) -> bool:
        clause = self._cast.prose.clause_at(said.start)
        before = self._body[max(span[0], said.start - 40) : said.start]
        if said.one.hedged and not _UP_TO.search(before):
            return False
        if _LED.search(before) or _LEFT.match(self._body, said.end) or A_RATE.match(self._body, said.end):
            return False
        if _OTHERWISE.search(self._plain, max(span[0], clause[0] - 8), clause[1]):
            return False
        return not self._residue.cites_the_web(span)


_RATHER = re.compile(
    r"\b(?:rather\sthan|instead\sof|against|compared\s(?:with|to)|versus|vs\.?)\s(?:the\s)?[*_]{0,3}$", re.I
)
_WORD = re.compile(rf"\b{SPOKEN}\b", re.I)
_BY_NAME = re.compile(r"\[?[*_\s]{0,4}(?!https?:)[A-Za-z]")
"""A link by words, and no mark or address."""
_IN_PLAY = 60
_REACH = 500
_ADJOINED = re.compile(
    r"[\s*_\])”\"]{0,6}(?:\s?(?:is|has|holds|runs|weighs|carries|takes|moves|draws|covers)(?:\s(?:listed|rated|stated))?(?:\s(?:at|for|with|up|to|dogs|cats|a|an|the)){0,3})?[\s*_:(]{0,4}"
)
_PACKAGES = frozenset(
    ["count", "pack", "packs", "set", "sets", "item", "items", "box", "boxes", "bag", "bags"]
)
_NEXT = re.compile(r"(?:[\s*_-]{1,3}(?:of\s|for\s)?[A-Za-z]{2,20}){1,3}")
_LABEL = re.compile(
    r"(?P<label>(?:[A-Za-z]{2,20}\s){0,2}[A-Za-z]{2,20})[*_]{0,3}(?:\s(?:is|of|at|runs\sto)|:|\s)[\s*_]{1,3}(?:(?:only|just|an?|up\sto)\s)?$"
)
