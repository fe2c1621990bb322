"""Proves points on which records disagree through the tools alone: listings, orders, and searches of the web by model number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from drr.env.json_object import JsonObject
from drr.env.points import PointTruth, RightPick
from drr.env.text import category_key
from drr.querygen.joined.specification import StatedPoint
from drr.querygen.joined.tracing import OrderTrace

_WORDS = {
    "sheet": "data sheet",
    "newest": "data sheet laboratory",
    "tested": "on the bench laboratory",
}
_MARKS = {"sheet": ("data sheet",), "newest": ("data sheet", "on the bench"), "tested": ("on the bench",)}
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
        """Return the value that counts, of the product of a row, and its address."""
        listing = self.call("get_product_details", {"product_id": row["product_id"]})
        model, found = listing["details"].get("Item model number"), list[tuple[str, str, str]]()
        words = f"{listing['title'][:200]} model {model} {_WORDS[of.by]} {of.name}"
        for hit in self.call("web_search", {"query": words})["items"] if model else ():
            for stated in hit["rows"] if any(mark in hit["title"] for mark in _MARKS[of.by]) else ():
                name, _, cells = stated.partition(": ")
                if name.endswith(f"model {model}"):
                    own = [cell for cell in cells.split(", ") if cell.startswith(f"{of.name} ")]
                    values = [cell.removeprefix(f"{of.name} ") for cell in own]
                    found += [
                        (hit["date"], one, hit["url"]) for one in values if one not in ("-", "not stated")
                    ]
        if found or of.by == "tested":
            return max(found)[1:] if found else (None, "")
        return listing["details"].get(of.name), listing["product_url"]


def _rank(row: _Row) -> tuple[bool, float, float]:
    """Return the place in the order of stars and price; what lacks either comes last."""
    unknown = None in (row["price"], row["average_rating"])
    return unknown, -(row["average_rating"] or 0), row["price"] or 0
