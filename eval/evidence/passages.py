"""What a claim is held against: frozen text of its sources, and of long texts the passages that concern this claim.

Products and the user's facts come from the store, web pages from what was frozen when the answer was made. Nothing here
reads the network. Offsets always count characters of the frozen text, so that a viewer can mark what a judge was shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Any, Literal, NamedTuple

from drr.env.entities import Order, Product, User
from drr.env.source import SourceType, text_hash
from drr.env.statistics import UserStatistics
from drr.env.text import tokens

WHOLE = 6000
"""A text shorter than this is shown whole."""
PASSAGE = 1000
PASSAGES = 5
TextStatus = Literal["ok", "unreachable", "blocked", "empty", "not_frozen"]


@dataclass(frozen=True, slots=True)
class Frozen:
    """One source as it was frozen. `text` is set only where `status` is `ok`."""

    url: str
    type: SourceType
    status: TextStatus
    text: str | None = None
    title: str | None = None
    reason: str | None = None

    @property
    def sha256(self) -> str | None:
        return None if self.text is None else text_hash(self.text)


class Span(NamedTuple):
    start: int
    end: int


class _Index(NamedTuple):
    spans: tuple[Span, ...]
    words: tuple[Counter[str], ...]
    lengths: tuple[int, ...]
    idf: Mapping[str, float]


_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=[#\-*|])")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")


def passages(text: str) -> list[Span]:
    """The text cut at paragraphs, then sentences, then anywhere, into pieces of at most `PASSAGE` characters."""
    pieces: list[Span] = []
    for start, end in _cut(text, 0, len(text), _PARAGRAPH):
        if end - start <= PASSAGE:
            pieces.append(Span(start, end))
            continue
        for low, high in _cut(text, start, end, _SENTENCE_END):
            pieces += [Span(at, min(at + PASSAGE, high)) for at in range(low, high, PASSAGE)]
    joined: list[Span] = []
    for piece in pieces:
        if joined and piece.end - joined[-1].start <= PASSAGE:
            joined[-1] = Span(joined[-1].start, piece.end)
        else:
            joined.append(piece)
    return [span for span in joined if text[span.start : span.end].strip()]


def _cut(text: str, start: int, end: int, border: re.Pattern[str]) -> Iterable[tuple[int, int]]:
    at = start
    for match in border.finditer(text, start, end):
        if match.end() > at:
            yield at, match.end()
            at = match.end()
    if at < end:
        yield at, end


@lru_cache(maxsize=256)
def _index(text: str) -> _Index:
    spans = tuple(passages(text))
    words = tuple(Counter(tokens(text[span.start : span.end])) for span in spans)
    holding = Counter(word for bag in words for word in bag)
    n = len(spans)
    idf = {word: log(1 + (n - count + 0.5) / (count + 0.5)) for word, count in holding.items()}
    return _Index(spans, words, tuple(sum(bag.values()) for bag in words), idf)


def select(claim: str, text: str) -> list[Span]:
    """A short text whole; of a long one its head and the five passages that BM25 ranks first for this claim, in order."""
    if len(text) < WHOLE:
        return [Span(0, len(text))]
    index = _index(text)
    asked = set(tokens(claim))
    mean = sum(index.lengths) / max(1, len(index.lengths))

    def score(i: int) -> float:
        norm = 1.2 * (0.25 + 0.75 * index.lengths[i] / mean)
        bag = index.words[i]
        return sum(index.idf[w] * bag[w] * 2.2 / (bag[w] + norm) for w in asked if w in bag)

    ranked = sorted((-score(i), i) for i in range(len(index.spans)))
    best = [i for s, i in ranked[:PASSAGES] if s < 0]
    return [index.spans[i] for i in sorted({0, *best})]


def locate(quote: str, text: str) -> Span | None:
    """Where a judge's quotation stands, white space and case aside; `None` if it was not quoted from there."""
    words = quote.split()
    if not words:
        return None
    match = re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE)
    return Span(match.start(), match.end()) if match else None


def _fact(name: str, value: Any) -> Iterable[str]:
    if value is None or value == [] or value == {} or value == "":
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _fact(f"{name}, {key}" if name else str(key), inner)
    elif isinstance(value, (list, tuple)):
        if all(isinstance(item, (str, int, float)) for item in value):
            yield f"{name}: {'; '.join(str(item) for item in value)}"
        else:
            for item in value:
                yield from _fact(name, item)
    else:
        yield f"{name}: {value}"


def record_text(record: Mapping[str, Any]) -> str:
    """Any record as one fact a line; unknown fields are left out."""
    return "\n".join(
        line for name, value in record.items() for line in _fact(str(name).replace("_", " "), value)
    )


def product_text(product: Product) -> str:
    """The whole listing: nothing is shortened, because the claim may concern any of it."""
    price = "Price: unknown" if product.price is None else f"Price: ${product.price:,.2f}"
    rating = (
        None
        if product.average_rating is None
        else f"Average rating: {product.average_rating:g} out of 5 stars"
    )
    count = None if product.rating_number is None else f"Number of ratings: {product.rating_number:,}"
    lines = [
        f"Product: {product.title}",
        f"Product id: {product.product_id}",
        price,
        rating,
        count,
        f"Brand or store: {product.store}" if product.store else None,
        f"Categories: {' > '.join(product.categories)}" if product.categories else None,
        *(f"Feature: {feature}" for feature in product.features),
        *(f"Description: {part}" for part in product.description if part.strip()),
        *(line for name, value in product.details.items() for line in _fact(str(name), value)),
        f"Often bought together with: {', '.join(product.bought_together)}"
        if product.bought_together
        else None,
    ]
    return "\n".join(line for line in lines if line)


def profile_text(user: User) -> str:
    address = user.address
    return "\n".join(
        (
            f"Customer: {user.first_name} {user.last_name}",
            f"E-mail: {user.email}",
            f"Phone: {user.phone_number}",
            f"Address: {address.address1}, {address.city}, {address.state} {address.zip}, {address.country}",
            f"Account: {user.account_status}",
        )
    )


def order_text(order: Order, product: Product | None) -> str:
    title = product.title if product else "a product that is no longer listed"
    price = "price unknown" if product is None or product.price is None else f"${product.price:,.2f} each"
    return (
        f"Order {order.order_id}: {order.quantity} x {title} ({order.product_id}), {price}, "
        f"placed {order.order_date[:10]}, {order.order_status}"
    )


def orders_text(orders: Sequence[Order], products: Mapping[str, Product]) -> str:
    return "\n".join(order_text(order, products.get(order.product_id)) for order in orders) or "No orders."


def statistics_text(statistics: UserStatistics) -> str:
    return record_text(statistics.model_dump(exclude={"user_id"}))
