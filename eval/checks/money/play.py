"""What a report's figures can be about: the products near a place, their prices and counts, limits, shares and quantities."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from drr.env.entities import Product
from drr.eval.checks.base import Span, Subject
from drr.eval.checks.cast import cast_of
from drr.eval.checks.mentions import Mentions, words
from drr.eval.checks.money.adjustments import adjustments_of
from drr.eval.checks.money.own_records import OrderedSums, prices_ordered, statistics_in_money
from drr.eval.checks.money.packs import SET, SETS, WORD_NUMBER
from drr.wording.dates import CALENDAR
from drr.wording.money import every_amount
from drr.wording.numbers import DIGITS, SPOKEN, number, number_said, spoken

_FEW = 6
"""Products of a whole report that any of its figures may be about."""
_NUMBER = re.compile(rf"(?<![\w.,])(?P<n>{DIGITS})(?![\d%])")
_MANY = r"(\d{1,3}(?:,\d{3})++|\d{1,4})"
_TIMES = re.compile(
    rf"(?<![\w.,$]){_MANY}\s?[x×]\s(?!\d)|(?<![\d.])\s?[x×]\s?{_MANY}\b(?![.,]?\d|\s?(?:in|inch|inches|ft|feet|cm|mm|x|×)\b)"
    rf"|\b(?:qty|quantity)\W{{0,3}}{_MANY}\b|(?<![\w.,$])(?<!\bto\s){_MANY}\s(?:of|packs?|boxes|units?|pieces|bags|bottles|sets|pairs|months|weeks|people)\b"
    rf"|\|\s*{_MANY}\s*(?=\|)",
    re.I,
)
"""A number that is a quantity by what stands beside it."""
_PERCENT = re.compile(rf"(?P<n>{DIGITS}|{SPOKEN})\s?(?:%|percent\b|per cent\b)", re.I)
_MOST_COUNT = 24
"""Things of a kind that somebody buys at once. Where a number is said to be a quantity it may be more: that is arithmetic."""
_NO_STRANGERS = frozenset(
    word.casefold() for word in (*CALENDAR["months"], *CALENDAR["short_months"], *CALENDAR["weekdays"], "USD")
)
_STANDS_FOR_ONE = re.compile(r"\b(?:it|its|this|that|these|those|they|them|each|one|both)\b", re.I)
_LONGEST_RUN = 40
_APART = re.compile(r"[;:,!?]\s|(?<!\bvs)\.\s|\s[–—-]\s|\b(?:while|whereas|but|versus|against|than)\b")
_SELLS = re.compile(r"\s(?:wants?|asks?|charges?|sells?|offers?)\b")
"""Behind a name at the head of a sentence: who has his own prices."""
_ARTICLE = re.compile(r"^(?:The|An?)\b\s?")
"""At the head of a sentence, before a name: `The Nuthatch`."""
_CLAUSE_END = re.compile(r"[,;:–—]")
_READ_TOGETHER = 1_500
_NAME = re.compile(r"(?<![.!?:] )(?<![.!?:\n*\"“])\b[A-Z][\w&'’-]+(?:\s(?:&\s)?[A-Z][\w&'’-]+)*")


@dataclass(frozen=True, slots=True)
class Priced:
    """A product in play with its price in the catalogue."""

    product: Product
    price: float

    @property
    def product_id(self) -> str:
        return self.product.product_id


def unlinked_prices(mentions: Mentions) -> list[Priced]:
    """What a name without an address may mean: it explains an amount, and none is accused by it."""
    possible = cast_of(mentions.subject, mentions).possible
    return [Priced(one, one.price) for _, one in sorted(possible.items()) if one.price is not None]


class InPlay:
    """What stands near each place of a report."""

    def __init__(self, mentions: Mentions) -> None:
        self._mentions = mentions
        self._subject: Subject = mentions.subject
        self._lines = mentions.layout.lines
        self.taken = {line for line, one in adjustments_of(mentions).items() if one.sign < 0}
        """Lines of bills that take something off."""
        self.ordered = OrderedSums(self._subject)
        self.near = cache(self._find_near)
        self.block = cache(self._find_block)
        self.quantities = cache(self._find_quantities)
        self.text = cache(lambda span: mentions.plain[slice(*span)])

    # Products.

    @cached_property
    def all(self) -> list[Priced]:
        """Of every product that the report cites, in its body or in a list only, and of what the reader ordered where it is named."""
        called = self._priced(dict.fromkeys(one.product_id for one in self._mentions.called))
        named = (one.products for one in cast_of(self._subject, self._mentions).named)
        alone = self._priced(dict.fromkeys(next(iter(one)) for one in named if len(one) == 1))
        return list({one.product_id: one for one in (*self.cited, *called, *alone)}.values())

    @cached_property
    def cited(self) -> list[Priced]:
        urls = (source.url for source in self._subject.citations.sources)
        cited = (product_id for url in urls if (product_id := self._subject.product_id_of(url)) is not None)
        return self._priced(dict.fromkeys([*(one.product_id for one in self._mentions.references), *cited]))

    @cached_property
    def unpriced(self) -> bool:
        """Whether a product of the report has no known price: any amount may be that."""
        found = (self._subject.product(one.product_id) for one in self._mentions.references)
        return any(product is None or product.price is None for product in found)

    def _find_near(self, line: int) -> list[Priced]:
        """Those that a figure on a line may be of: all where they are few, else the section's and those named beside."""
        if len(self.cited) <= _FEW and len(self.all) <= 2 * _FEW:
            return self.all
        low, high = self._mentions.layout.section_of(line)
        block = self.block(line, self._lines[line].start)
        named = self._named(slice(*block))
        beside = self.within(*block)
        section = self.within(self._lines[low].start, self._lines[high - 1].end) if high - low < 60 else []
        return list({one.product_id: one for one in (*beside, *named, *section)}.values())

    @cached_property
    def runs(self) -> list[float]:
        """What products that the report names one after the other come to: whole lists and parts of them."""
        prices = [one.price for one in self.all[:_LONGEST_RUN]]
        return [
            sum(prices[low:high]) for low in range(len(prices)) for high in range(low + 2, len(prices) + 1)
        ]

    def within(self, start: int, end: int) -> list[Priced]:
        return self._priced(dict.fromkeys(one.product_id for one in self._mentions.within(start, end)))

    def _priced(self, ids: Iterable[str]) -> list[Priced]:
        products = (self._subject.product(product_id) for product_id in ids)
        return [Priced(one, one.price) for one in products if one is not None and one.price is not None]

    def stranger_in(self, span: Span) -> str | None:
        """A name in a sentence that no product in play has: something that is not linked."""
        text = self._mentions.plain[slice(*span)]
        first = len(text) - len(text.lstrip(" \t>*_#+•–—-"))
        for match in _NAME.finditer(text):
            name = _ARTICLE.sub("", match[0])
            said = {word for word in words(name) if len(word) > 2 and word.isalpha()}
            known = said & self._known_words or said <= _NO_STRANGERS or name.isupper()
            at_head = match.start() <= max(first, 2) and name == match[0]
            if said and not known and not (at_head and not _SELLS.match(text, match.end())):
                return name
        return None

    @cached_property
    def _known_words(self) -> frozenset[str]:
        """Of the titles in play, of the question, and of the calendar and the speaker."""
        user = self._subject.user
        found = {
            *words(self.question),
            *words(f"{user.first_name} {user.last_name}" if user is not None else ""),
        }
        unlinked = cast_of(self._subject, self._mentions).unlinked
        for one in (one for one in self.all if one.product_id not in unlinked):
            found |= {*words(one.product.title), *words(one.product.store or "")}
        return frozenset(found | {word.rstrip("s") for word in found} | {word + "s" for word in found})

    def cites_the_web(self, figure_end: int, clause_end: int, sentence: Span) -> bool:
        """Whether an amount is of a page of the web: the sentence cites nothing of the shop's or the shopper's, or what stands behind it does not."""
        markers = [
            one
            for one in self._subject.citations.markers
            if one.url is not None and sentence[0] <= one.start < sentence[1]
        ]
        if markers and all(
            _is_of_the_web(self._subject, one.url) and one.start < figure_end for one in markers
        ):
            return True
        for marker in markers:
            if marker.start < figure_end:
                continue
            if self._subject.is_shop_url(marker.url or ""):
                return False
            if _is_of_the_web(self._subject, marker.url):
                between = _CLAUSE_END.search(self._mentions.plain, figure_end, marker.start)
                return marker.start < clause_end or between is None
        return False

    def _find_block(self, line: int, place: int) -> Span:
        """The stretch around a place on a line that no blank line divides, as far as anybody reads together."""
        low = high = line
        while low and not self._lines[low].after_blank and line - low < 40:
            low -= 1
        while high + 1 < len(self._lines) and not self._lines[high + 1].after_blank and high - line < 40:
            high += 1
        place -= place % _READ_TOGETHER
        return (
            max(self._lines[low].start, place - _READ_TOGETHER),
            min(self._lines[high].end, place + 2 * _READ_TOGETHER),
        )

    def speaks_of(self, product_id: str, start: int, end: int) -> bool:
        """Whether a stretch cites a product or uses a word that only its title has."""
        if any(one.product_id == product_id for one in self._mentions.within(start, end)):
            return True
        return any(one.product_id == product_id for one in self._named(slice(start, end)))

    def _named(self, where: slice) -> list[Priced]:
        said = set(words(self._mentions.plain[where]))
        return [one for one in self.all if said & self._telling[one.product_id]]

    @cached_property
    def _telling(self) -> dict[str, set[str]]:
        """By product, the words of its title that few others in play have."""
        titles = {one.product_id: set(words(one.product.title)) for one in self.all}
        shared: dict[str, int] = {}
        for title in titles.values():
            for word in title:
                shared[word] = shared.get(word, 0) + 1
        most = max(1, len(titles) // 4)
        return {
            key: {word for word in title if shared[word] <= most and len(word) > 3 and not word.isdigit()}
            for key, title in titles.items()
        }

    def calls_one(self, span: Span) -> bool:
        """Whether a link or a name stands in a stretch."""
        called = any(span[0] <= one.start < span[1] for one in self._mentions.called)
        return called or bool(self._mentions.within(*span))

    def names_one(self, span: Span) -> bool:
        """Whether a stretch names a product in play, or stands for one by a pronoun."""
        named = self.calls_one(span) or bool(self._named(slice(*span)))
        return named or _STANDS_FOR_ONE.search(self._mentions.plain, *span) is not None

    # Figures beside them.

    @property
    def question(self) -> str:
        return self._subject.query or ""

    @cached_property
    def limits(self) -> list[float]:
        """What the question allows, and every other number of it that may be money."""
        demands = self._subject.demands
        query = self._subject.query or ""
        asked = (
            ()
            if demands is None
            else (demands.total_max, demands.item_max, demands.month_max, demands.total_min)
        )
        found = [limit for limit in asked if limit is not None]
        found += [one.value for one in every_amount(query)]
        found += [number(match["n"]) for match in _NUMBER.finditer(query)]
        found += [float(spoken(match["n"])) for match in WORD_NUMBER.finditer(query)]
        return list(dict.fromkeys(one for one in found if one >= 5))

    def _find_quantities(self, span: Span) -> frozenset[int]:
        """How many of a thing may be bought, by a stretch and by the question."""
        return frozenset(_many(self._mentions.plain[slice(*span)])) | frozenset(_many(self.question))

    def many_in(self, span: Span) -> frozenset[int]:
        """How many of a thing that one person buys a stretch speaks of."""
        return frozenset(one for one in _many(self._mentions.plain[slice(*span)]) if one <= _MOST_COUNT)

    def shares(self, span: Span) -> list[float]:
        return [number_said(match["n"]) / 100 for match in _PERCENT.finditer(self.text(span))]

    @cached_property
    def statistics(self) -> list[float]:
        """What the shopper's statistics say in money."""
        return statistics_in_money(self._subject)

    @cached_property
    def told(self) -> list[float]:
        """What the shopper's own records say in money: statistics, and the prices of what he ordered."""
        return [*self.statistics, *prices_ordered(self._subject)]


def _is_of_the_web(subject: Subject, url: str | None) -> bool:
    return url is not None and not url.startswith("user:") and not subject.is_shop_url(url)


def stranger_beside(play: InPlay, end: int, sentence: Span) -> str | None:
    """A name in a sentence that nothing in play has, up to the next break behind an amount."""
    apart = _APART.search(play.text((end, sentence[1])))
    return play.stranger_in((sentence[0], end + apart.start() if apart else sentence[1]))


def counted(text: str) -> frozenset[int]:
    """The quantities of a text: of the head of a column, as `3 x Calmgate`."""
    return frozenset(_many(text))


def _many(text: str) -> Iterable[int]:
    """Numbers in words as far as somebody buys so many, and those in digits that are a quantity by what stands beside them."""
    told = {int(next(filter(None, match.groups())).replace(",", "")) for match in _TIMES.finditer(text)}
    spelt = {spoken(match["n"]) for match in WORD_NUMBER.finditer(text)}
    spelt |= {SETS[match["n"].casefold()] for match in SET.finditer(text)}
    return (one for one in told | {one for one in spelt if one <= _MOST_COUNT} if one >= 2)
