"""Cards: the products that a report cites, as their records say, and the shopper with what was bought."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drr.citations.parse import canonical_url

if TYPE_CHECKING:
    from drr.env.shop import Shop
    from drr.eval.evidence.answers import Answer


@dataclass(frozen=True)
class ProductCard:
    """Of the record that a tool returned; prices and ratings that it does not state are unknown."""

    url: str
    title: str
    price: float | None = None
    rating: float | None = None
    ratings: int | None = None
    store: str | None = None
    held: bool | None = None
    """Whether the shop has it; `None` where the shop cannot be asked."""


def product_cards(answer: Answer, shop: Shop | None) -> Iterator[ProductCard]:
    """Each product that a tool returned, once; then addresses of the shop that the report made up."""
    seen: set[str] = set()
    for source in answer.sources:
        url, record = canonical_url(source.url), source.record
        if source.type == "product" and record is not None and url not in seen:
            seen.add(url)
            name = str(record.get("_id") or record.get("product_id") or "")
            yield ProductCard(
                source.url,
                str(record.get("title") or source.title or name),
                _number(record.get("price")),
                _number(record.get("average_rating")),
                None if (count := _number(record.get("rating_number"))) is None else int(count),
                str(record["store"]) if record.get("store") else None,
                None if shop is None or not name else shop.store.product(name) is not None,
            )
    for extra in answer.extras:
        if shop is not None and extra.url.startswith(f"{shop.shop_url}/"):
            name = extra.url.rpartition("/")[2]
            yield ProductCard(extra.url, extra.url, held=shop.store.product(name) is not None)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
