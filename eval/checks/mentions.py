"""Where a report speaks of a product: the stretch of text whose figures are that product's."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

from drr.citations.hidden import blank
from drr.citations.parse import Marker
from drr.env.entities import Product
from drr.eval.checks.base import PRODUCT_ID, Span, Subject
from drr.eval.checks.grid import ProductTables
from drr.eval.checks.layout import Layout, TextLine, layout, pieces
from drr.eval.checks.naming import names_in
from drr.wording.pages import PAGES

_TOKEN = re.compile(r"[a-z0-9]+(?:\.\d+)?")
_STOP = frozenset(
    ["the", "a", "an", "and", "with", "for", "of", "in", "to", "by", "from", "on", "at", "or", "this", "its"]
)
_SENTENCE_END = re.compile(r"[.!?][\"'”’)*_]*(?:\s?(?:\[\^?[\d, ]+\]|【[\d, ]+】))*(?=\s+[\"'“(*\[]*[A-Z$])")
_ABBREVIATION = re.compile(r"\b(?:vs|approx|oz|lb|lbs|ft|in|no|inc|etc|e\.g|i\.e|mr|mrs|dr|st)\.$", re.I)
_TIED = 80
_NAME_BEFORE = re.compile(r"(?<![\w.'’&-])(?P<name>[A-Z][\w&'’-]{2,24})[\s*_]{1,3}$")
_DETERMINERS = frozenset(
    ["the", "this", "that", "our", "your", "each", "both", "another", "any", "get", "buy", "best"]
)
"""Characters between a name and the link that shows what is named."""


@dataclass(frozen=True, slots=True)
class Mention:
    """`own` is the line or sentence that names or cites the product; `start`-`end` may also be a line under it."""

    product_id: str
    start: int
    end: int
    own: bool
    row: TextLine | None = None
    cell: bool = False
    """A cell in a table whose columns are products."""


@dataclass(frozen=True, slots=True)
class ProductReference:
    """One pointer to a product inside the body."""

    product_id: str
    start: int
    end: int
    leads: bool
    """A link whose text is the product's name: its facts follow. A marker stands behind them."""


@dataclass(frozen=True, slots=True)
class Named:
    """A name that the report gives to an id."""

    product_id: str
    name: str
    span: Span
    source: Literal["link", "list", "bold"]


class Mentions:
    """All product mentions of a subject."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.body = subject.citations.body
        self.plain = blank(self.body, [(m.start, m.end) for m in subject.citations.markers])
        """The body without its citations: what link texts say is not counted as said."""
        self.layout: Layout = layout(self.body)
        self.references = self._references()
        self._starts = [reference.start for reference in self.references]
        self._aliases = self._shortest_names()
        self._sentences: dict[Span, list[Span]] = {}
        self.tables = ProductTables(self.layout, self._linked, self._named)
        self.mentions = list(self._mentions())
        self.called = list(self._called())
        """Where the report calls a product by a name that can only be its own."""

    def _linked(self, start: int, end: int) -> list[str]:
        return list(dict.fromkeys(one.product_id for one in self.within(start, end)))

    def _named(self, start: int, end: int) -> list[str]:
        return self.named_in(self.body[start:end])

    def within(self, start: int, end: int) -> list[ProductReference]:
        return self.references[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def _called(self) -> Iterator[ProductReference]:
        """Names; not one right before the link to another product, which says who is meant."""
        cited = {one.product_id for one in self.references}
        urls = (source.url for source in self.subject.citations.sources)
        cited |= {product_id for url in urls if (product_id := self.subject.product_id_of(url))}
        products = {key: one for key in sorted(cited) if (one := self.subject.product(key)) is not None}
        products |= self.subject.ordered
        hidden = sorted((one.start, one.end) for one in self.subject.citations.markers)
        starts = [one.start for one in self.references]
        for name in names_in(self.body, products, hidden):
            behind = bisect_left(starts, name.end)
            link = self.references[behind] if behind < len(starts) else None
            tied = link is not None and self._is_tied(name.end, link.start)
            own = tied and link is not None and link.product_id == name.product_id
            if own or not (tied or self._is_behind_another_name(name.start, products[name.product_id])):
                yield ProductReference(name.product_id, name.start, name.end, True)

    def _is_behind_another_name(self, start: int, product: Product) -> bool:
        """`Glossline Tinted Mineral Sunscreen`, where only the Botanary of that name is linked."""
        before = _NAME_BEFORE.search(self.body, max(0, start - _TIED), start)
        maker = (product.store or "").split()[:1]
        if before is None or (maker and self.body.startswith(maker[0], start)):
            return False
        said = set(_words(before["name"]))
        return not said & ({*_words(product.title), *_words(product.store or "")} | _DETERMINERS)

    def _is_tied(self, start: int, end: int) -> bool:
        between = self.body[start:end]
        return len(between) < _TIED and "\n" not in between and _SENTENCE_END.search(between) is None

    def _references(self) -> list[ProductReference]:
        found: list[ProductReference] = []
        linked = bytearray(len(self.body))
        """Which characters are a link's: an id inside says nothing new."""
        for marker in self.subject.citations.markers:
            if marker.url is None:
                continue
            if marker.form in ("link", "html", "numbered_link", "bare"):
                linked[marker.start : marker.end] = b"\1" * (marker.end - marker.start)
            product_id = self.subject.product_id_of(marker.url)
            if product_id is not None:
                found.append(ProductReference(product_id, marker.start, marker.end, _is_name(marker)))
        for match in PRODUCT_ID.finditer(self.body):
            if not linked[match.start()]:
                found.append(ProductReference(match[0], match.start(), match.end(), False))
        return sorted(found, key=lambda one: one.start)

    def _shortest_names(self) -> dict[str, str]:
        """The shortest beginning of each referenced product's title that no other of them shares, two words at least, between spaces."""
        products = {
            one.product_id: product
            for one in self.references
            if (product := self.subject.product(one.product_id)) is not None
        }
        titles = {key: _words(product.title) for key, product in products.items()}
        found: dict[str, str] = {}
        for product_id, said in titles.items():
            shortest = max(2, len(_words(products[product_id].store or "")) + 1)
            for length in range(shortest, shortest + 3):
                alias = said[:length]
                others = (other[:length] for key, other in titles.items() if key != product_id)
                if len(said) >= length and len(" ".join(alias)) > 7 and alias not in others:
                    found[f" {' '.join(alias)} "] = product_id
                    break
        return found

    def named_in(self, text: str) -> list[str]:
        flat = " " + " ".join(_words(text)) + " "
        return [product_id for alias, product_id in self._aliases.items() if alias in flat]

    def _mentions(self) -> Iterator[Mention]:
        scope: _Scope | None = None
        for line in self.layout.lines:
            if line.kind in ("head_row", "rule_row", "elision"):
                continue
            columns = self.tables.by_column(line)
            for column, product_id in columns.items():
                if column < len(line.cells):
                    yield Mention(product_id, *line.cells[column], True, cell=True)
            if columns:
                continue
            ids = self._products_on(line)
            if not ids:
                if scope and scope.holds(line):
                    yield Mention(scope.product_id, line.start, line.end, False)
                elif scope and scope.ends_at(line):
                    scope = None
            elif len(ids) == 1 and line.kind != "text":
                yield Mention(ids[0], line.start, line.end, True, line if line.kind == "row" else None)
                scope = _Scope(ids[0], line)
            else:
                for start, end in self.sentences(line):
                    yield from self._split(start, end, self.within(start, end))
                scope = None

    def _products_on(self, line: TextLine) -> list[str]:
        """The products that a line links or gives the id of, else those that it names."""
        ids = list(dict.fromkeys(one.product_id for one in self.within(line.start, line.end)))
        return ids or self.named_in(line.text)

    def sentences(self, line: TextLine) -> list[Span]:
        """Read once: a line may be a whole report."""
        span = line.start, line.end
        if span not in self._sentences:
            self._sentences[span] = self._sentences_of(line)
        return self._sentences[span]

    def _sentences_of(self, line: TextLine) -> list[Span]:
        spans: list[Span] = []
        start = line.start

        def is_held(place: int) -> bool:
            return any(place < one.end for one in self.within(start, place))

        for match in _SENTENCE_END.finditer(self.body, line.start, line.end):
            if _ABBREVIATION.search(self.body[max(start, match.start() - 6) : match.start() + 1]):
                continue
            if is_held(match.start()):
                continue
            spans += pieces(self.body, start, match.end(), is_held)
            start = match.end()
        spans += pieces(self.body, start, line.end, is_held)
        return spans

    def _split(self, start: int, end: int, references: list[ProductReference]) -> list[Mention]:
        """Figures of a sentence with several products go to the reference they stand beside."""
        ids = list(dict.fromkeys(one.product_id for one in references))
        if not ids:
            ids = self.named_in(self.body[start:end])
            return [Mention(ids[0], start, end, True)] if len(ids) == 1 else []
        if len(ids) == 1:
            return [Mention(ids[0], start, end, True)]
        found: list[Mention] = []
        if all(one.leads for one in references):
            bounds = [one.start for one in references[1:]] + [end]
            low = start
            for one, high in zip(references, bounds, strict=True):
                found.append(Mention(one.product_id, low if one is references[0] else one.start, high, True))
                low = high
            return found
        low = start
        for one in references:
            found.append(Mention(one.product_id, low, one.end, True))
            low = one.end
        return found

    def names(self) -> list[Named]:
        """Link texts, titles in reference lists, names at the head of a product's line."""
        return [*self._link_names(), *self._list_names(), *self._leading_names()]

    def _link_names(self) -> Iterator[Named]:
        for marker in self.subject.citations.markers:
            product_id = self.subject.product_id_of(marker.url) if marker.url else None
            if product_id and _is_name(marker):
                yield Named(product_id, marker.id, (marker.start, marker.end), "link")

    def _list_names(self) -> Iterator[Named]:
        for reference in self.subject.citations.references:
            product_id = self.subject.product_id_of(reference.urls[0]) if len(reference.urls) == 1 else None
            if product_id:
                name = _entry_title(self.subject.report[reference.start : reference.end])
                if name:
                    yield Named(product_id, name, (reference.start, reference.end), "list")

    def _leading_names(self) -> Iterator[Named]:
        for mention in self.mentions:
            if mention.own and not mention.cell:
                span = mention.start, mention.end
                name = _BOLD_NAME.match(self.body, *span) or _PLAIN_NAME.match(self.plain, *span)
                if name:
                    yield Named(mention.product_id, name["name"], name.span("name"), "bold")


_BOLD_NAME = re.compile(
    r"[\s>|]{0,40}(?:#{1,6}\s{1,40})?(?:[-*+•]\s{1,40}|\d{1,3}[.)]\s{1,40}|\|\s{0,40}\d{0,9}\s{0,40}\|)?\s{0,40}(?:\*\*|__)(?P<name>[^*_\n|]{4,160})(?:\*\*|__)"
)
_PLAIN_NAME = re.compile(
    r"[ \t>]*+(?:[-*+•]\s++|\d{1,3}[.)]\s++|\|\s*+(?:\d{1,2}\s*+\|\s*+)?)(?:\d{1,2}\s?[x×]\s+)?(?P<name>[A-Z0-9][^|\n*_$:;!?]{3,140}?)(?:\s*+(?:\||: |,\s*+\$)|\s++(?:[-–—]\s|at \$|\(?\$|$))"
)
_ENTRY_NUMBER = re.compile(
    r"^[\s>*_-]*(?:\\?[\[【［(]?\^?[A-Za-z]{0,3}\d{1,4}\\?[\]】］)]?(?:\s*[:.)、]|\\\.)?|[-*+•])\s*"
)
_URL_PART = re.compile(r"<?\b(?:https?|user)://\S+>?|\(\s*\)|\[\s*\]")


def is_in_name(mentions: Mentions, start: int, end: int | None = None) -> bool:
    """Whether a place lies inside a name or a link, or a stretch has a part of one: that says nothing of what is named."""
    end = start + 1 if end is None else end
    return any(one.start < end and start < one.end for one in chain(mentions.called, mentions.references))


def _entry_title(text: str) -> str | None:
    inside = re.search(r"\[([^\[\]]{4,300})\]\(\s*<?https?://", text)
    if inside and not inside[1].strip().startswith("http"):
        text = re.sub(r"^\s*\d{1,4}(?:\\?\.|\))\s*", "", inside[1])
    else:
        text = _URL_PART.sub(" ", _ENTRY_NUMBER.sub("", text, count=1))
    name = text.replace("**", "").strip(" \t\n,;:-–—.|[]()<>")
    return name if len(_words(name)) >= 2 else None


def _is_name(marker: Marker) -> bool:
    return (
        marker.form in ("link", "html")
        and not marker.id.startswith(("http://", "https://"))
        and len(_words(marker.id)) >= 2
        and not PAGES.is_of_a_page(_words(marker.id))
    )


_LABELLED = re.compile(
    r"[\s*_>]*(?:(?:list |current |unit |sale )?price|cost|rating|rated|stars|reviews|material|size|weight|brand|colou?r|capacity)\b[^.]{0,12}[:=]",
    re.I,
)
_SUM = re.compile(r"\b(?:sub)?total\b|\bbudget\b", re.I)


class _Scope(NamedTuple):
    """A line that opens what is said of one product."""

    product_id: str
    line: TextLine

    def holds(self, line: TextLine) -> bool:
        """Is this line about the product that the line above opened?"""
        if line.kind in ("heading", "row", "title") or _SUM.search(line.text):
            return False
        if self.line.kind in ("title", "heading"):
            return line.kind == "item" or not line.after_blank or _LABELLED.match(line.text) is not None
        return self.line.kind == "item" and line.indent > self.line.indent

    def ends_at(self, line: TextLine) -> bool:
        """A product's heading holds until the next one, its bold line until a paragraph, its bullet until the next bullet."""
        if line.kind in ("heading", "title"):
            return True
        if self.line.kind == "heading":
            return False
        return self.line.kind != "title" or (line.kind == "text" and line.after_blank and len(line.text) > 40)


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(text.casefold().replace("'", "").replace("’", "")))


def words(text: str) -> tuple[str, ...]:
    return _words(text)


def similarity(name: str, title: str) -> float:
    """Share of the name's words that the title has: a short name for a long title is still its name."""
    said = [word for word in _words(name) if word not in _STOP]
    known = set(_words(title))
    if not said:
        return 1.0
    return sum(word in known or word.rstrip("s") in known or word + "s" in known for word in said) / len(said)


def brand_differs(name: str, product: Product) -> bool:
    """Another maker stands where the maker belongs."""
    said = _words(name)
    title = _words(product.title)
    store = _words(product.store) if product.store else title[:1]
    if not said or not title:
        return False
    known = {*title, *store}
    return (
        said[0] not in known
        and said[0].rstrip("s") not in known
        and store[0] not in said
        and said[0] not in _STOP
    )
