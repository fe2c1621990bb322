"""What a report says of a product in a place that leaves no doubt whose it is.

A cell of the product's row or column; what stands right behind its link, id or mark (`[X](LINK), $21.99`); a labelled line under
it; the sentence behind it that begins with `It` or `This`. All else is running text and is not read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from drr.env.entities import Product
from drr.eval.checks.base import Span
from drr.eval.checks.labels import Field, field_of, may_count_ratings, plain_label
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions, ProductReference
from drr.eval.checks.naming import full_name, similarity, words
from drr.eval.checks.tables import Tables
from drr.eval.checks.values import (
    Said,
    Segment,
    bare_stars,
    cell_values,
    labelled,
    price_at_once,
    segment,
    segments,
    stated,
    values_of,
)

BULLET = re.compile(r"[\s>]*(?:[-*+•·]|\d{1,3}[.)])?[\s*_]*")
_HEAD = re.compile(
    r"[\s>#*_]*(?:[-*+•·]|\d{1,3}[.)])?[\s*_]*(?:\d{1,3}\s?[x×]\s|[^\W\d_][^\n:|\[(]{0,24}:\s)?[\s*_\[(]*"
)
"""What may stand before the product at the head of its line: a bullet, a number, how many, a label."""
_JOINED = re.compile(
    r"(?:\b(?:and|plus)(?:\s[a-z-]+){0,4}|\b(?:(?<!\bgo )(?<!start )(?<!stay )(?<!begin )(?<!stick )with|or|both|nor|than|versus|vs\.?)|[+&])"
    r"[\s*_\[(]*(?:(?:the|a|an|one|your|its)\s)?[\s*_\[(]*$",
    re.I,
)
"""Right before a reference: what stands behind it may be of both."""
_SENTENCE_END = re.compile(r"(?<=[^\s.])[.!?][*_)”\"]*(?:\s?\[\^?\d+\])*\s+(?=[A-Z*_$\[])")
_THAT_IS = re.compile(r"^[\s*_>-]*(?:That|This|It)(?:['’]s| is| was)\b")
_PRONOUN = re.compile(r"\b(?:it|its|this|that|they|them)\b", re.I)
_CAPITALS = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}")
_MONTHS = frozenset(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"])
_WORD = re.compile(r"[A-Za-z0-9][\w'’&.-]*")
_LISTED = re.compile(r"(?:,|\band)\s\$?\d+\.\d")
"""Several values behind one label."""
_BEGINS = re.compile(r"[\s*_>#-]*(?:\d{1,2}[.)]\s)?[\s*_]*(?:(?:The|Your|A|An|This)\s)?[\s*_(\[]*")
_ENDS = re.compile(r"[\s*_)\]]{0,6}(?:[,.!?:;–—-]|$)")
_IT = re.compile(r"[*_]{0,2}(?:It|Its|It's|It’s|This|This one|This (?:set|pack|pair|kit|one))\b")
_BOLD_LABEL = re.compile(r"\s*(?:[-*+]\s)?(?:\*\*|__)[^*_]{1,40}(?::(?:\*\*|__)|(?:\*\*|__)\s?[:–—-])\s?\S")
_NAME_FIRST = re.compile(r"[A-Z][\w&'’-]+\s[A-Z]|\[")
_LEADING = re.compile(r"[\s>]*(?:[-*+•·]|\d{1,3}[.)])?[\s*_]*(?:(?:and|the|a|or|[Tt]he)\s){0,2}[*_]{0,3}")
_NEXT = re.compile(r"[\s(\[:*_–—-]{1,6}")
_ABOVE = 60
_FAR = 90
"""Characters that a sentence may go on behind the product it is about."""
_NAMED = 0.75
_PAIR = 2
"""Cells of a row that is a label with its value."""
_FEW = 4
"""Words of a value behind a label."""


class Fact(NamedTuple):
    """A price, stars or a number of ratings of one product."""

    product_id: str
    said: Said
    line: Span


class Attribute(NamedTuple):
    """A detail that the record of a product has under the same label."""

    product_id: str
    label: str
    said: str
    span: Span


class Facts(NamedTuple):
    values: list[Fact]
    attributes: list[Attribute]


@lru_cache(maxsize=2)
def facts_of(mentions: Mentions) -> Facts:
    """Read them once for all rules."""
    reader = _Reader(mentions)
    for index, line in enumerate(mentions.layout.lines):
        reader.take(index, line)
    return Facts(reader.values, reader.attributes)


class _Reader:
    """The lines of a report in their order, and the product that the lines above opened."""

    def __init__(self, mentions: Mentions) -> None:
        self.values: list[Fact] = []
        self.attributes: list[Attribute] = []
        self._mentions = mentions
        self._body = mentions.body
        self._lines = mentions.layout.lines
        self._tables = Tables(mentions)
        self._owner: str | None = None

    def take(self, index: int, line: TextLine) -> None:
        references = self._mentions.within(line.start, line.end)
        ids = {one.product_id for one in references}
        if line.cells:
            self._row(line)
        elif line.kind == "elision" or not line.text.strip(" -=_*~"):
            return
        elif ids:
            self._behind(line, references)
            self._owner = next(iter(ids)) if len(ids) == 1 and self._opens(line, references) else None
        else:
            self._labelled_line(index, line)

    # Tables.

    def _row(self, line: TextLine) -> None:
        cells = list(self._tables.cells(line))
        has_stars = any(field_of(one.label) == "stars" for one in cells)
        if cells and len(line.cells) == _PAIR:
            self._owner = cells[0].product_id
        for place, cell in enumerate(cells):
            behind_stars = place > 0 and field_of(cells[place - 1].label) == "stars"
            if has_stars and may_count_ratings(cell.label, behind_stars=behind_stars):
                self._enter(cell.product_id, cell_values("count", cell.value), line)
            elif not self._under(cell.product_id, cell.label, cell.value, line):
                self._enter(
                    cell.product_id, [one for one in values_of(cell.value) if one.field != "price"], line
                )
        if (
            not cells
            and self._owner is not None
            and len(line.cells) == _PAIR
            and not self._mentions.within(line.start, line.end)
        ):
            label, value = (segment(self._body, *cell) for cell in line.cells)
            self._under(self._owner, label.text, value, line)

    def _under(self, product_id: str, label: str, value: Segment, line: TextLine) -> bool:
        """Enter what stands under a label; tell whether it was read."""
        field = field_of(label)
        if field is not None:
            if field == "stars" and "score" in plain_label(label) and value.text.isdigit():
                return False
            said = cell_values(field, value) or [one for one in values_of(value) if one.field == field]
            self._enter(product_id, said, line)
            return bool(said)
        product = self._mentions.subject.product(product_id)
        known = None if product is None else detail_of(product, label)
        if known is not None and value.text:
            self.attributes.append(Attribute(product_id, known, value.text, (value.start, value.end)))
        return known is not None

    def _enter(self, product_id: str, said: Sequence[Said], line: TextLine) -> None:
        self.values += [Fact(product_id, one, (line.start, line.end)) for one in said]

    # Lines without a reference: labels under a product.

    def _labelled_line(self, index: int, line: TextLine) -> None:
        """Read `Price: $21.99`; a line that begins otherwise, or a heading, is no longer of what stands above."""
        bullet = BULLET.match(self._body, line.start, line.end)
        whole = segment(self._body, line.start if bullet is None else bullet.end(), line.end)
        said = labelled(whole)
        known = said is not None and self._owner is not None and self._is_known(self._owner, said[0])
        if (
            line.kind == "heading" or (line.kind == "title" and not _BOLD_LABEL.match(line.text))
        ) and not known:
            self._owner = self._named_section(index, line)
        elif self._leaves(line, whole, said, known=known):
            self._owner = None
        if self._owner is None or said is None:
            return
        every = list(segments(self._body, whole.start, line.end))
        parts = [labelled(one) for one in every]
        if sum(part is not None for part in parts) < 2:
            parts = [None if _LISTED.search(said[1].text) else said]
        for place, part in enumerate(parts):
            behind = every[place + 1 : place + 2] if len(parts) > 1 else []
            listed = any(one.text[:1].isdigit() and not values_of(one) for one in behind)
            if part is not None and not listed:
                self._under(self._owner, *part, line)

    def _leaves(
        self, line: TextLine, whole: Segment, said: tuple[str, Segment] | None, *, known: bool
    ) -> bool:
        """Tell whether a line speaks of something else: text that is no label, an item that begins with a name."""
        if known:
            return False
        if line.kind == "text":
            return said is None or not (said[1].text[:1].isdigit() or len(said[1].text.split()) < _FEW)
        return (said is None and _NAME_FIRST.match(whole.text) is not None) or (
            self._body[line.start : whole.start].count("*") > 1 and said is None
        )

    def _is_known(self, product_id: str, label: str) -> bool:
        product = self._mentions.subject.product(product_id)
        return field_of(label) is not None or (product is not None and detail_of(product, label) is not None)

    def _opens(self, line: TextLine, references: Sequence[ProductReference]) -> bool:
        """Tell whether what stands below may be of the product that a line points to: nothing else was said since."""
        behind = self._body[references[-1].end : line.end]
        return line.kind != "text" or _SENTENCE_END.search(behind) is None

    def _named_section(self, index: int, line: TextLine) -> str | None:
        """Return the only product of a section that is called by its name."""
        end = index + 1
        while end < len(self._lines) and self._lines[end].kind != "heading":
            end += 1
        ids = {one.product_id for one in self._mentions.within(line.start, self._lines[end - 1].end)}
        product = self._mentions.subject.product(next(iter(ids))) if len(ids) == 1 else None
        name = line.text.strip(" #*_:0123456789.)").rpartition(": ")[2]
        if product is None or len(words(name)) < 2 or similarity(name, full_name(product)) < _NAMED:
            return None
        return product.product_id

    # Lines with references: what stands right behind them.

    def _behind(self, line: TextLine, references: Sequence[ProductReference]) -> None:
        alone = len({one.product_id for one in references}) == 1 and line.kind != "text"
        ends = [
            line.start,
            *(m.end() for m in _SENTENCE_END.finditer(self._body, line.start, line.end)),
            line.end,
        ]
        for place, one in enumerate(references):
            following = references[place + 1].start if place + 1 < len(references) else line.end
            own = place > 0 and references[place - 1].product_id == one.product_id
            name = self._name_before(line, one)
            low = max(end for end in ends if end <= one.start)
            if one.marker and name is None:
                self._before_marker(line, one, low, alone=alone)
                self._it(line, one, ends)
                continue
            if not own and self._is_joined(line, one, name):
                continue
            heads = own or name is not None or _HEAD.fullmatch(self._body, line.start, one.start) is not None
            stop = following if alone and heads else min(following, *(end for end in ends if end > one.start))
            self._run(line, one.product_id, one.end, stop, heads=heads, alone=alone and heads)
            if len({each.product_id for each in references}) == 1 and line.kind == "text":
                self._details(one.product_id, stop, line)
            self._it(line, one, ends)

    def _details(self, product_id: str, low: int, line: TextLine) -> None:
        """Read the labelled details that follow in the line of one product."""
        for one in segments(self._body, low, line.end):
            if (part := labelled(one)) is not None and field_of(part[0]) is None:
                self._under(product_id, *part, line)

    def _is_joined(self, line: TextLine, one: ProductReference, name: str | None) -> bool:
        """Tell whether another thing is named right before, so that a value behind may be of both."""
        start = one.start if name is None else self._body.rfind(name, line.start, one.start)
        low = max(line.start, start - _ABOVE)
        joined = _JOINED.search(self._body, low, start)
        if joined is None or not self._body[line.start : joined.start()].strip():
            return False
        before = self._mentions.within(line.start, start)
        return not before or not any(
            fact.product_id == before[-1].product_id and before[-1].end <= fact.said.span[0] < start
            for fact in self.values
        )

    def _name_before(self, line: TextLine, one: ProductReference) -> str | None:
        """Return the product's name, if it stands right before an id or a mark: `Acme Press [1]`, `Acme Press (B0...)`."""
        product = self._mentions.subject.product(one.product_id)
        before = self._body[max(line.start, one.start - 2 * _ABOVE) : one.start].rstrip(" *_([`]")
        parts = re.split(r"[:;|,.]\s|\n|\s[–—-]\s", before)
        name = parts[-1] if parts[-1][:1].isupper() or len(parts) < _PAIR else f"{parts[-2]}, {parts[-1]}"
        lead = _LEADING.match(name)
        name = name if lead is None else name[lead.end() :]
        if product is None or len(words(name)) < 2 or not name[:1].isupper():
            return None
        if similarity(name, full_name(product)) >= 1:
            return name
        return None

    def _run(self, line: TextLine, product_id: str, low: int, high: int, *, heads: bool, alone: bool) -> None:
        """Enter the values that follow at once; in an item of one product also those further on, if the only ones of their kind."""
        at_once = price_at_once(self._body, low, high)
        run: list[Said] = [] if at_once is None else [at_once]
        later: dict[Field, list[Said]] = {}
        follows = True
        first = _SENTENCE_END.search(self._body, low, high)
        every = list(segments(self._mentions.plain, low, high))
        for place, one in enumerate(every):
            said = values_of(one) or self._first_part(one) or bare_stars(one, every[place + 1 : place + 2])
            if said and follows:
                run += said
            elif said and alone and (first is None or one.start < first.start()):
                for each in said:
                    later.setdefault(each.field, []).append(each)
            elif (
                (part := labelled(one)) is not None
                and (alone or follows)
                and self._under(product_id, *part, line)
            ):
                continue
            elif part is not None and follows and self._is_of_the_title(product_id, Segment(0, part[0])):
                run += values_of(part[1])
            elif not self._is_of_the_title(product_id, one):
                follows = False
        if not heads and self._body[low:high].lstrip(" *_)").startswith(":"):
            return
        seen = {one.field for one in run}
        run += [some[0] for field, some in later.items() if len(some) == 1 and field not in seen]
        prices = [one for one in run if one.field == "price"]
        run = [one for one in run if one.field != "price" or len(prices) == 1]
        self._enter(product_id, [one for one in run if not self._is_of_the_next(one, product_id)], line)

    def _first_part(self, one: Segment) -> list[Said]:
        """Read `$21.99: all steel`."""
        head, colon, _ = one.text.partition(": ")
        return values_of(Segment(one.start, head)) if colon else []

    def _is_of_the_title(self, product_id: str, one: Segment) -> bool:
        """Tell whether a segment only goes on with the name: `[X](LINK), 2 Pack, $32.00`."""
        product = self._mentions.subject.product(product_id)
        return (
            product is not None and len(one.text) < _ABOVE and similarity(one.text, full_name(product)) >= 1
        )

    def _is_of_the_next(self, one: Said, product_id: str) -> bool:
        """Tell whether a value stands right before the reference to another thing."""
        end = one.span[1]
        near = self._mentions.within(end, end + 6)
        following = [each for each in near if each.product_id != product_id]
        gap = self._body[end : following[0].start] if following else "\n"
        return "\n" not in gap and _NEXT.fullmatch(gap) is not None

    def _it(self, line: TextLine, one: ProductReference, ends: Sequence[int]) -> None:
        """Read the sentences right behind that begin with `It` or `This` and point to nothing."""
        low = max(end for end in ends if end <= one.start)
        high = min(end for end in ends if end > one.start)
        several = len({each.product_id for each in self._mentions.within(low, high)}) > 1
        if (
            several
            or self._capitals(one, self._mentions.plain[one.end : high])
            or not self._is_spoken_of(one, low, high)
        ):
            return
        for start, end in pairwise([end for end in ends if end >= high]):
            told = self._body[start:end]
            if not _IT.match(told) or self._mentions.within(start, end) or self._capitals(one, told):
                return
            self._enter(one.product_id, stated(self._body, start, end), line)

    def _is_spoken_of(self, one: ProductReference, low: int, high: int) -> bool:
        """Tell whether a sentence is about the product it points to: it begins or ends with it, or goes on behind a comma."""
        before, behind = self._body[low : one.start], self._body[one.end : high]
        if _BEGINS.fullmatch(before) is not None:
            return True
        return not (self._capitals(one, before) or _PRONOUN.search(_THAT_IS.sub("", before, count=1))) and (
            len(behind) < _FAR or _ENDS.match(behind) is not None
        )

    def _capitals(self, one: ProductReference, text: str) -> bool:
        """Tell whether a part of a sentence names something that is not of the product."""
        product = self._mentions.subject.product(one.product_id)
        own = set() if product is None else set(words(full_name(product)))
        found = (word for word in _CAPITALS.findall(text) if word[:3].casefold() not in _MONTHS)
        return any(not set(words(word)) <= own for word in found)

    def _before_marker(self, line: TextLine, one: ProductReference, low: int, *, alone: bool) -> None:
        """Read `Name: $10.99, 4.9 stars [1]`: what begins with the name of the one product that its mark leads to."""
        product = self._mentions.subject.product(one.product_id)
        low = line.start if alone else low
        if product is None or len({each.product_id for each in self._mentions.within(low, one.end)}) > 1:
            return
        lead = _LEADING.match(self._body, low, one.start)
        start = low if lead is None else lead.end()
        own = set(words(full_name(product)))
        said, end = 0, start
        for match in _WORD.finditer(self._body, start, one.start):
            if not set(words(match[0])) <= own:
                break
            said, end = said + 1, match.end()
        if said > 1 and self._body[start : start + 1].isupper():
            self._run(line, one.product_id, end, one.start, heads=True, alone=alone)


def detail_of(product: Product, label: str) -> str | None:
    """Return the key of the record's details that a label names."""
    wanted = plain_label(label)
    if (
        wanted in ("brand", "store", "maker", "brand or store")
        and product.store
        and "Brand" not in product.details
    ):
        return "Store"
    keys = {plain_label(key): key for key in product.details}
    if wanted in keys or " " not in wanted:
        return keys.get(wanted)
    longer = [key for plain, key in keys.items() if plain.endswith(f" {wanted}")]
    return longer[0] if len(longer) == 1 else None
