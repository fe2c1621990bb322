"""Proves points on which records disagree through the tools alone: listings, orders, and searches of the web by model number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from drr.env.json_object import JsonObject
from drr.env.points import PointTruth, RightPick
from drr.env.text import category_key
from drr.querygen.joined.specification import StatedPoint
from drr.querygen.joined.tracing import OrderTrace

_WORDS = {
    "tested": "on the bench laboratory",
    "newest": "data sheet laboratory",
    "offers": "outlet price list Price Shipping Pieces in stock",
}
_Row = Mapping[str, Any]


@dataclass
class StatedTrace:
    """A search for the record that counts."""

    call: Callable[[str, JsonObject], Any]

    def point(self, of: StatedPoint) -> PointTruth | None:
        """Return the answer to a point; `None` where its conditions leave more than one."""
        if of.category:
            return self._pick(of)
        rows = OrderTrace(self.call).left(of.order)
        if len(rows) != 1:
            return None if rows else PointTruth(status="nothing_fits")
        if of.by == "offers":
            return self._offer(rows[0], of)
        value, source = self._value(rows[0], of)
        if value is None:
            return PointTruth(status="cannot_be_told")
        return PointTruth(figure=float(value.split()[0].replace(",", "")), sources=[source])

    def _pick(self, of: StatedPoint) -> PointTruth | None:
        """Open the products with the most stars first, until one surely fits and its equals do not."""
        best, may = list[_Row](), False
        for row in sorted((row for one in of.makers for row in self._shelf(of, one)), key=_rank):
            if best and _rank(row) > _rank(best[0]):
                break
            value, _ = self._value(row, of)
            fits = None if value is None else value.casefold() == str(of.value).casefold()
            if fits is not False:
                sure = fits and None not in (row["price"], row["average_rating"])
                best, may = [*best, *([row] if sure else [])], may or not sure
        if best:
            pick = RightPick(product=best[0]["product_id"])
            return None if len(best) > 1 else PointTruth(picks=[pick])
        return PointTruth(status="cannot_be_told" if may else "nothing_fits")

    def _shelf(self, of: StatedPoint, maker: str) -> list[_Row]:
        asked: JsonObject = {"query": of.category[-1], "match": "any", "limit": 50, "brand": maker}
        found = self.call("product_catalog_search", {**asked, "category": " > ".join(of.category)})
        return [row for row in found["items"] if category_key(row["store"] or "") == category_key(maker)]

    def _value(self, row: _Row, of: StatedPoint) -> tuple[str | None, str]:
        """Return the value that counts, of a product or an order, and its address."""
        if of.by == "sold":
            name = self.call("get_order_details", {"order_id": row["order_id"]}).get("sold_as") or ""
            if f"({of.name}: " in name:
                return name.split(f"({of.name}: ")[1].rstrip(")"), row["url"]
        listing = self.call("get_product_details", {"product_id": row["product_id"]})
        marks = {"tested": ("on the bench",), "newest": ("data sheet", "on the bench")}.get(
            of.by, ("data sheet",)
        )
        found = [
            (hit["date"], cell.removeprefix(f"{of.name} "), hit["url"])
            for hit, cells in self._pages(listing, of)
            for cell in cells
            if cell.startswith(f"{of.name} ") and any(mark in hit["title"] for mark in marks)
        ]
        found = [one for one in found if one[1] not in ("-", "not stated")]
        if of.by == "then":
            found = [one for one in found if one[0] <= row["order_date"][:10]]
        if found or of.by in ("tested", "then"):
            return max(found)[1:] if found else (None, "")
        return listing["details"].get(of.name), listing["product_url"]

    def _pages(self, listing: _Row, of: StatedPoint) -> Iterator[tuple[_Row, list[str]]]:
        """Yield the pages that name the model, each with the cells that it shows of it."""
        model = listing["details"].get("Item model number")
        words = f"{listing['title'][:200]} model {model} {_WORDS.get(of.by, 'data sheet')} {of.name}"
        for hit in self.call("web_search", {"query": words})["items"] if model else ():
            for row in hit["rows"]:
                name, _, cells = row.partition(": ")
                if name.endswith(f"model {model}"):
                    yield hit, cells.split(", ")

    def _offer(self, row: _Row, of: StatedPoint) -> PointTruth:
        listing = self.call("get_product_details", {"product_id": row["product_id"]})
        newest = dict[str, tuple[str, str, list[float]]]()
        for hit, cells in self._pages(listing, of):
            if (
                "price list" in hit["title"]
                and hit["date"] > newest.get(urlsplit(hit["url"]).netloc, ("",))[0]
            ):
                newest[urlsplit(hit["url"]).netloc] = (
                    hit["date"],
                    hit["url"],
                    [float(x.split()[-1]) for x in cells],
                )
        costs = {url: round(price + sent, 2) for _, url, (price, sent, left) in newest.values() if left}
        if not costs:
            return PointTruth(status="nothing_fits")
        least = min(costs.values())
        return PointTruth(figure=least, sources=sorted(url for url, cost in costs.items() if cost == least))


def _rank(row: _Row) -> tuple[bool, float, float]:
    """Return the place in the order of stars and price; what lacks either comes last."""
    unknown = None in (row["price"], row["average_rating"])
    return unknown, -(row["average_rating"] or 0), row["price"] or 0
