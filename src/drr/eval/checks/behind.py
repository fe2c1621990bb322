"""Reads facts right behind a reference to a product, and in a next sentence that begins with `It` or `This`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Subject
from drr.eval.checks.mentions import Mentions, ProductReference, TextLine
from drr.eval.checks.naming import full_name, name_words, similarity
from drr.eval.checks.results import Span
from drr.eval.checks.values import (
    SaidValue,
    Segment,
    bare_stars,
    cell_values,
    field_of,
    plain_label,
    segments,
    split_label,
    stars_and_votes,
    stated_values,
    values_of,
)
from drr.wording.locale import locale_of


class ProductFact(NamedTuple):
    """A price, stars or a number of ratings of one product."""

    product_id: str
    stated: SaidValue
    line: Span


class ProductAttribute(NamedTuple):
    """A detail under a label that the product's record also has."""

    product_id: str
    label: str
    words: str
    span: Span


class ProductFacts(NamedTuple):
    values: list[ProductFact]
    attributes: list[ProductAttribute]


class FactsEntered:
    """Collects the facts of a report."""

    def __init__(self, mentions: Mentions) -> None:
        self.values: list[ProductFact] = []
        self.attributes: list[ProductAttribute] = []
        self._mentions = mentions
        self._body = mentions.body
        self._entered = -1
        """Start of the line whose next two are known, because a long line is entered again and again."""
        self._has_scores = False
        self._in_bundles: set[str] = set()

    def _enter_under_label(self, product_id: str, label: str, value: Segment, line: TextLine) -> bool:
        """Enter the value under a label; tell whether it could be read."""
        field = field_of(label)
        if field is not None:
            values = cell_values(field, value) or [one for one in values_of(value) if one.field == field]
            if "$" in label or ("usd" in label.casefold() and self._mentions.subject.is_in_dollars):
                values = [one._replace(is_bare=False) for one in values]
            self._enter(product_id, values, line)
            return bool(values)
        product = self._mentions.subject.product(product_id)
        known = None if product is None else detail_of(product, label, self._mentions.subject)
        if known is not None and value.text:
            self.attributes.append(ProductAttribute(product_id, known, value.text, (value.start, value.end)))
        return known is not None

    def _agrees(self, product_id: str, one: SaidValue) -> bool:
        """Tell whether a value is exactly the record's."""
        product = self._mentions.subject.product(product_id)
        return product is not None and one.value == {
            "price": product.price, "stars": product.average_rating, "count": product.rating_number
        }[one.field]  # fmt: skip

    def _enter(self, product_id: str, values: Sequence[SaidValue], line: TextLine) -> None:
        if line.start != self._entered:
            self._entered = line.start
            self._has_scores = not line.cells and len(OF_FIVE.findall(line.text)) > 1
            references = self._mentions.within(line.start, line.end)
            self._in_bundles = {one.product_id for one in references if is_bundled(self._body, one.end)}
        if self._has_scores:
            values = [one for one in values if one.field != "stars"]  # one of two scores is the writer's
        if self._mentions.subject.has_other_currency:
            values = [one._replace(hedged=one.hedged or one.is_bare) for one in values]
        if product_id in self._in_bundles:
            values = [one for one in values if one.field != "price"]
        self.values += [ProductFact(product_id, one, (line.start, line.end)) for one in values]


def is_bundled(body: str, end: int) -> bool:
    """Tell whether a reference that ends here is one thing of several: `[X](LINK) + oil`."""
    return _PLUS.match(body, end) is not None


_PLUS = re.compile(r"[ *_)\]]*\+\s")


def detail_of(product: Product, label: str, subject: Subject) -> str | None:
    """Return the key of the record's details that a label names."""
    wanted = plain_label(label)
    is_maker = wanted in ("brand", "store", "maker", "brand or store")
    if is_maker and product.store and "Brand" not in product.details:
        return "Store"
    words = locale_of(subject.language or (subject.shop.manifest.language if subject.shop else None))
    english = {plain_label(words.english(key)[0]): key for key in product.details} if words else {}
    keys = english | {plain_label(key): key for key in product.details}
    if wanted in keys or " " not in wanted:
        return keys.get(wanted)
    longer = [key for plain, key in keys.items() if plain.endswith(f" {wanted}")]
    return longer[0] if len(longer) == 1 else None


_BRACKETED = r"(?:【[^【】\n]{1,40}】[\s*_]*+)?"
"""A word in brackets at the beginning of a title."""
HEAD = re.compile(
    rf"[\s>#*_]*+(?:(?:[-+•·]|\d{{1,3}}[.)])[\s*_]*+)?(?:(?:\d{{1,3}}\s?[x×]\s|[^\W\d_][^\n:|\[(]{{0,24}}:\s)[\s*_]*+)?[\[(]*+[\s*_\[(]*+{_BRACKETED}"
)
"""Words before a product at the beginning of its line: a bullet, a number, a quantity, a label."""
_JOINED = re.compile(
    r"(?:\b(?:and|plus)(?:\s[a-z-]+){0,4}|\b(?:(?<!\bgo )(?<!start )(?<!stay )(?<!begin )(?<!stick )with|for|of|or|both|nor|than|versus|vs\.?)|[+&])"
    r"[\s*_\[(]*(?:(?:the|a|an|one|your|its)\s)?[\s*_\[(]*$",
    re.I,
)
"""Words right before a reference after which a value may be about both products."""
SENTENCE_END = re.compile(r"(?<=[^\s.])[.!?][*_)”\"]*(?:\s?\[\^?\d+\])*\s+(?=[A-Z*_$\[])")
_THAT_IS = re.compile(r"^[\s*_>-]*(?:That|This|It)(?:['’]s| is| was)\b")
_PRONOUN = re.compile(r"\b(?:it|its|this|that|they|them)\b", re.I)
_CAPITALS = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}")
_MONTHS = frozenset(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"])
_BEGINS = re.compile(r"[\s*_>#-]*+(?:\d{1,2}[.)]\s[\s*_]*+)?(?:(?:The|Your|A|An|This)\s)?[\s*_(\[]*+")
_ENDS = re.compile(r"[\s*_)\]]{0,6}(?:[,.!?:;–—-]|$)")
_IT = re.compile(r"[*_]{0,2}(?:It|Its|It's|It’s|This|This one|This (?:set|pack|pair|kit|one))\b")
_WORD = re.compile(r"[A-Za-z0-9][\w'’&.-]*")
_COLON = re.compile(r":\s[\s*_]*")
_LEADING = re.compile(
    rf"[\s>]*(?:[-*+•·]|\d{{1,3}}[.)])?[\s*_]*(?:(?:and|the|a|or|[Tt]he)\s){{0,2}}[*_]{{0,3}}{_BRACKETED}"
)
_SCOPE = re.compile(r"[ *_]{0,9}\(([^)]{0,200})")
_NEXT = re.compile(r"[\s(\[:*_–—-]{1,6}")
_ABOVE = 60
_FAR = 90  # characters that a sentence may continue behind the product that it is about
_RECENT = 50  # most facts of one reference
_LONG = 800  # most characters of a sentence before the product that it is about
OF_FIVE = re.compile(r"\d\s?/\s?5(?!\d)")
"""A score that is the shop's only where its label or a word says so."""


class FactsBehind(FactsEntered):
    """Reads the lines that refer to products."""

    def _behind(self, line: TextLine, references: Sequence[ProductReference]) -> None:
        alone = len({one.product_id for one in references}) == 1 and line.kind != "text"
        inside = (m.end() for m in SENTENCE_END.finditer(self._body, line.start, line.end))
        ends = [line.start, *inside, line.end]
        for place, one in enumerate(references):
            following = references[place + 1].start if place + 1 < len(references) else line.end
            own = place > 0 and references[place - 1].product_id == one.product_id
            name = self._name_before(line, one)
            at = bisect_right(ends, one.start)
            if one.marker and name is None:
                self._before_marker(line, one, ends[at - 1], alone=alone)
                self._next_sentences(line, one, ends)
                continue
            if not own and self._is_joined(line, one, name):
                continue
            heads = own or name is not None or HEAD.fullmatch(self._body, line.start, one.start) is not None
            stop = following if alone and heads else min(following, ends[at])
            self._run(line, one.product_id, one.end, stop, heads=heads)
            self._next_sentences(line, one, ends)

    def _is_joined(self, line: TextLine, one: ProductReference, name: str | None) -> bool:
        """Tell whether another product is named right before, so that a value behind may be about both."""
        start = one.start if name is None else self._body.rfind(name, line.start, one.start)
        low = max(line.start, start - _ABOVE)
        joined = _JOINED.search(self._body, low, start)
        if joined is None or not self._body[max(line.start, low - _ABOVE) : joined.start()].strip():
            return False
        before = self._mentions.last(line.start, start)
        return before is None or not any(
            fact.product_id == before.product_id and before.end <= fact.stated.span[0] < start
            for fact in self.values[-_RECENT:]
        )

    def _name_before(self, line: TextLine, one: ProductReference) -> str | None:
        """Return the product's name right before an id or mark: `Acme Press [1]`, `Acme Press (B0...)`."""
        product = self._mentions.subject.product(one.product_id)
        before = self._body[max(line.start, one.start - 3 * _ABOVE) : one.start].rstrip(" *_([`]")
        parts = re.split(r"[:;|,.]\s|\n|\s[–—-]\s", before)
        last = parts[-1] if parts[-1][:1].isupper() or len(parts) < 2 else f"{parts[-2]}, {parts[-1]}"
        for name in (last, before):
            lead = _LEADING.match(name)
            name = name if lead is None else name[lead.end() :]
            if product is None or len(name_words(name)) < 2 or not name[:1].isupper():
                continue
            if similarity(name, full_name(product)) >= 1:
                return name
        return None

    def _run(self, line: TextLine, product_id: str, low: int, high: int, *, heads: bool) -> None:
        """Enter the values right behind a reference. Any other word between leaves the values behind it open: they may be of another thing."""
        run: list[SaidValue] = []
        product = self._mentions.subject.product(product_id)
        votes, read = None if product is None else product.rating_number, low
        every = list(segments(self._mentions.plain, low, high))
        for place, one in enumerate(every):
            if one.start < read:
                continue
            pair = stars_and_votes(self._mentions.plain, one.start, high, votes)
            read = pair[1].span[1] if pair else read
            values = pair or values_of(one)
            values = values or bare_stars(one, every[place + 1 : place + 2])
            if values and self._is_scoped(max(read, one.start + len(one.text)), high):
                continue
            part = split_label(one)
            if values:
                run += values
            elif part is not None and self._enter_under_label(product_id, *part, line):
                continue
            elif part is not None and self._is_of_the_title(product_id, Segment(0, part[0])):
                run += values_of(part[1])
            elif not self._is_of_the_title(product_id, one):
                break
        if not heads and self._body[low:high].lstrip(" *_)").startswith(":"):
            return
        prices = [one for one in run if one.field == "price"]
        run = [one for one in run if one.field != "price" or len(prices) == 1]
        self._enter(product_id, [one for one in run if not self._is_of_the_next(one, product_id)], line)

    def _is_scoped(self, end: int, high: int) -> bool:
        """Tell whether words in brackets behind a value may say where or when it holds: `$75.00 (in another shop)`."""
        found = _SCOPE.match(self._mentions.plain, end, high)
        return found is not None and bool(found[1].strip()) and not any(map(str.isdigit, found[1]))

    def _is_of_the_title(self, product_id: str, one: Segment) -> bool:
        """Tell whether a segment only continues the name: `[X](LINK), 2 Pack, $32.00`."""
        product = self._mentions.subject.product(product_id)
        if product is None or len(one.text) >= _ABOVE:
            return False
        title, words = name_words(full_name(product)), name_words(one.text)
        return any(title[at : at + len(words)] == words for at in range(len(title)))

    def _is_of_the_next(self, one: SaidValue, product_id: str) -> bool:
        """Tell whether a value stands right before the reference to another product."""
        end = one.span[1]
        following = [each for each in self._mentions.within(end, end + 6) if each.product_id != product_id]
        gap = self._body[end : following[0].start] if following else "\n"
        return "\n" not in gap and _NEXT.fullmatch(gap) is not None

    def _next_sentences(self, line: TextLine, one: ProductReference, ends: Sequence[int]) -> None:
        """Read the next sentences that begin with `It` or `This` and refer to no product."""
        at = bisect_right(ends, one.start)
        low, high = ends[at - 1], ends[at]
        if one.start - low > _LONG:
            return
        behind = self._mentions.plain[one.end : min(high, one.end + _LONG)]
        has_others = len({each.product_id for each in self._mentions.within(low, high)}) > 1
        if has_others or self._capitals(one, behind) or not self._is_spoken_of(one, low, high):
            return
        for place in range(at, len(ends) - 1):
            start, end = ends[place], ends[place + 1]
            sentence = self._body[start:end]
            if not _IT.match(sentence) or self._mentions.within(start, end) or self._capitals(one, sentence):
                return
            self._enter(one.product_id, stated_values(self._body, start, end), line)

    def _is_spoken_of(self, one: ProductReference, low: int, high: int) -> bool:
        """Tell whether a sentence is about the product to which it refers. It begins or ends with the reference, or goes on behind a comma."""
        before, behind = self._body[low : one.start].rpartition(": ")[2], self._body[one.end : high]
        if _BEGINS.fullmatch(before) is not None:
            return True
        return not (self._capitals(one, before) or _PRONOUN.search(_THAT_IS.sub("", before, count=1))) and (
            len(behind) < _FAR or _ENDS.match(behind) is not None
        )

    def _capitals(self, one: ProductReference, text: str) -> bool:
        """Tell whether a part of a sentence has a name that is not in the product's title."""
        product = self._mentions.subject.product(one.product_id)
        own = set() if product is None else set(name_words(f"{full_name(product)} {product.details}"))
        found = (word for word in _CAPITALS.findall(text) if word[:3].casefold() not in _MONTHS)
        return any(not set(name_words(word)) <= own for word in found)

    def _before_marker(self, line: TextLine, one: ProductReference, low: int, *, alone: bool) -> None:
        """Read `Name: $10.99, 4.9 stars [1]`, which begins with the name of the product that the mark leads to."""
        product = self._mentions.subject.product(one.product_id)
        low = line.start if alone else low
        if product is None or one.start - low > _LONG:
            return
        if len({each.product_id for each in self._mentions.within(low, one.end)}) > 1:
            return
        lead = _LEADING.match(self._body, low, one.start)
        labels = (match.end() for match in _COLON.finditer(self._body, low, one.start))
        own = set(name_words(full_name(product)))
        for start in (low if lead is None else lead.end(), *labels):
            words = _WORD.finditer(self._body, start, one.start)
            named = list(takewhile(lambda match: set(name_words(match[0])) <= own, words))
            if len(named) > 1 and self._body[start : start + 1].isupper():
                self._run(line, one.product_id, named[-1].end(), one.start, heads=True)
                return
