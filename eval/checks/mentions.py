"""The mentions of the shop's products in a report. Its links, the ids it gives, and names that can only be one product's."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from drr.citations.hidden import blank
from drr.citations.parse import Marker
from drr.env.entities import Product
from drr.eval.checks.base import PRODUCT_ID, Subject
from drr.eval.checks.layout import Layout, layout
from drr.eval.checks.naming import names_in, words
from drr.wording.pages import PAGES

_SENTENCE_END = re.compile(r"[.!?][\"'”’)*_]*(?:\s?(?:\[\^?[\d, ]+\]|【[\d, ]+】))*(?=\s+[\"'“(*\[]*[A-Z$])")
_TIED = 80
"""Characters between a name and the link that shows what is named."""
_NAME_BEFORE = re.compile(r"(?<![\w.'’&-])(?P<name>[A-Z][\w&'’-]{2,24})[\s*_]{1,3}$")
_DETERMINERS = frozenset(
    ["the", "this", "that", "our", "your", "each", "both", "another", "any", "get", "buy", "best"]
)


@dataclass(frozen=True, slots=True)
class ProductReference:
    """One pointer to a product inside the body."""

    product_id: str
    start: int
    end: int
    named: str | None = None
    """The words of a link, where they are a name."""
    marker: bool = False
    """A citation's number, which stands behind what it is of."""


class Mentions:
    """All pointers of a subject, in the order of the body."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.body = subject.citations.body
        self.plain = blank(self.body, [(m.start, m.end) for m in subject.citations.markers])
        """The body without its citations: what link texts say is not counted as said."""
        self.layout: Layout = layout(self.body)
        self.references = self._references()
        self._starts = [reference.start for reference in self.references]
        self.called = list(self._called())
        """Where the report calls a product by a name that can only be its own."""

    def within(self, start: int, end: int) -> list[ProductReference]:
        return self.references[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def _references(self) -> list[ProductReference]:
        found: list[ProductReference] = []
        linked = bytearray(len(self.body))
        """Which characters are a link's: an id inside says nothing new."""
        for marker in self.subject.citations.markers:
            if marker.url is None:
                continue
            is_link = marker.form in ("link", "html", "numbered_link", "bare")
            if is_link:
                linked[marker.start : marker.end] = b"\1" * (marker.end - marker.start)
            product_id = self.subject.product_id_of(marker.url)
            if product_id is not None:
                name = marker.id if _is_name(marker) else None
                found.append(ProductReference(product_id, marker.start, marker.end, name, not is_link))
        for match in PRODUCT_ID.finditer(self.body):
            if not linked[match.start()]:
                found.append(ProductReference(match[0], match.start(), match.end()))
        return sorted(found, key=lambda one: one.start)

    def _called(self) -> Iterator[ProductReference]:
        """Find names; not one right before the link to another product, which says who is meant."""
        cited = {one.product_id for one in self.references}
        urls = (source.url for source in self.subject.citations.sources)
        cited |= {product_id for url in urls if (product_id := self.subject.product_id_of(url))}
        products = {key: one for key in sorted(cited) if (one := self.subject.product(key)) is not None}
        products |= self.subject.ordered
        hidden = sorted((one.start, one.end) for one in self.subject.citations.markers)
        for name in names_in(self.body, products, hidden):
            behind = bisect_left(self._starts, name.end)
            link = self.references[behind] if behind < len(self._starts) else None
            tied = link is not None and self._is_tied(name.end, link.start)
            own = tied and link is not None and link.product_id == name.product_id
            if own or not (tied or self._is_behind_another_name(name.start, products[name.product_id])):
                yield ProductReference(name.product_id, name.start, name.end)

    def _is_behind_another_name(self, start: int, product: Product) -> bool:
        """Tell whether another maker stands there: `Glossline Tinted Sunscreen`, where only the Botanary is linked."""
        before = _NAME_BEFORE.search(self.body, max(0, start - _TIED), start)
        maker = (product.store or "").split()[:1]
        if before is None or (maker and self.body.startswith(maker[0], start)):
            return False
        tokens = set(words(before["name"]))
        return not tokens & ({*words(product.title), *words(product.store or "")} | _DETERMINERS)

    def _is_tied(self, start: int, end: int) -> bool:
        between = self.body[start:end]
        return len(between) < _TIED and "\n" not in between and _SENTENCE_END.search(between) is None


def _is_name(marker: Marker) -> bool:
    tokens = words(marker.id)
    is_link = marker.form in ("link", "html") and not marker.id.startswith(("http://", "https://"))
    return is_link and len(tokens) >= 2 and not PAGES.is_of_a_page(tokens)
