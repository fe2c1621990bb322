"""Proves what orders, listings and pages tell through the tools alone: references, and points on which records disagree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from drr.env.json_object import JsonObject
from drr.env.points import PointTruth, RightPick
from drr.env.text import category_key
from drr.querygen.joined.specification import OrderCondition, OrderFigure, Specification, StatedPoint

_PAGE = 100
_WORDS = {"sheet": "data sheet", "newest": "data sheet laboratory", "tested": "on the bench laboratory"}
_MARKS = {"sheet": ("data sheet",), "newest": ("data sheet", "on the bench"), "tested": ("on the bench",)}
_Row = Mapping[str, Any]


@dataclass
class OrderTrace:
    """A search of a shopper's orders. Filters and words narrow it, and what is left is opened where a kind or a maker decides."""

    call: Callable[[str, JsonObject], Any]

    def resolved(self, of: Specification) -> Specification | None:
        """Return the specification with the values that listings of orders tell; `None` where one does not."""
        values = list[str]()
        for one in of.taken:
            left = self.left(one.order)
            if len(left) != 1:
                return None
            listing = self._listing(left[0])
            value = listing["store"] if one.name == "Brand" else listing["details"].get(one.name)
            if not isinstance(value, str):
                return None
            values.append(" ".join(value.split()))
        return of.resolved(values)

    def left(self, chain: Sequence[OrderCondition]) -> list[_Row]:
        """Return the orders that meet all conditions. One that does shares all the words, so words leave none out."""
        named: dict[str, str] = {one.what: one.value for one in chain}
        left = rows = self._found(self._asked(named))
        for what in sorted(named.keys() - {"first", "last"}, key=lambda what: (what == "kind", what)):
            left = [row for row in left if self._value(row, what, rows) == named[what]]
        best = min if "first" in named else max if "last" in named else None
        return [row for row in left if _day(row) == best(map(_day, left))] if best else left

    def _asked(self, named: Mapping[str, str]) -> JsonObject:
        """Return the filters of a search. All orders of a product share its words, but no day."""
        asked: JsonObject = {"words": named["kind"]} if "kind" in named else {}
        if "again" in named:
            return asked
        if "year" in named:
            year = named["year"]
            asked |= {"since": f"{year}-01-01", "before": f"{int(year) + 1}-01-01"}
        return asked | ({"status": named["status"]} if "status" in named else {})

    def _found(self, asked: JsonObject) -> list[_Row]:
        rows, total = list[_Row](), 1
        while len(rows) < total:
            offset: JsonObject = {"offset": len(rows)} if rows else {}
            page = self.call("get_user_orders", {"limit": _PAGE, **asked, **offset})
            rows, total = [*rows, *page["items"]], page["total"]
        return rows

    def _listing(self, row: _Row) -> Any:
        return self.call("get_product_details", {"product_id": row["product_id"]})

    def _gap(self, row: _Row) -> int | None:
        line = [one for one in self._found({}) if one["product_id"] == row["product_id"]]
        before = [_day(one) for one in line if one["order_date"] < row["order_date"]]
        return (_day(row) - max(before)).days if before else None

    def _value(self, row: _Row, what: str, rows: Sequence[_Row]) -> object:
        if what == "kind":
            return self._listing(row)["categories"][-1]
        if what == "again":
            same = [one["order_date"] for one in rows if one["product_id"] == row["product_id"]]
            return "" if len(same) == 2 and row["order_date"] == max(same) else None
        sent = row.get("sent_to")
        if what == "former_home":
            return "" if sent and not sent["recipient"] else None
        if what == "recipient":
            return sent and sent["recipient"]
        return row["order_date"][:4] if what == "year" else row["order_status"]

    def point(self, of: OrderFigure | StatedPoint) -> PointTruth | None:
        """Return the answer to a point; `None` where its conditions leave more than one."""
        if isinstance(of, StatedPoint) and of.category:
            return self._pick(of)
        left = self.left(of.order)
        if len(left) != 1:
            return None if left else PointTruth(status="nothing_fits")
        figure, source = self._figure(left[0], of)
        return (
            PointTruth(status="cannot_be_told")
            if figure is None
            else PointTruth(figure=figure, sources=[source])
        )

    def _figure(self, row: _Row, of: OrderFigure | StatedPoint) -> tuple[float | str | None, str]:
        """Return what is asked of an order, and its source; `None` where nothing tells it."""
        if isinstance(of, StatedPoint):
            value, source = self._counting(row, of)
            return float(value.split()[0].replace(",", "")) if value else None, source
        if of.what == "total":
            return row["price"] and round(row["price"] * row["quantity"], 2), row["url"]
        return _day(row).isoformat() if of.what == "date" else self._gap(row), row["url"]

    # -- points on which records disagree

    def _pick(self, of: StatedPoint) -> PointTruth | None:
        """Open the products with the most stars first, until one surely fits and its equals do not."""
        best, may = list[_Row](), False
        for row in sorted((row for one in of.makers for row in self._shelf(of, one)), key=_rank):
            if best and _rank(row) > _rank(best[0]):
                break
            value, _ = self._counting(row, of)
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

    def _counting(self, row: _Row, of: StatedPoint) -> tuple[str | None, str]:
        """Return the value that counts, of the product of a row, and its address."""
        listing, found = self._listing(row), list[tuple[str, str, str]]()
        model = listing["details"].get("Item model number")
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


def _day(row: _Row) -> date:
    return date.fromisoformat(row["order_date"][:10])


def _rank(row: _Row) -> tuple[bool, float, float]:
    """Return the place in the order of stars and price; what lacks either comes last."""
    unknown = None in (row["price"], row["average_rating"])
    return unknown, -(row["average_rating"] or 0), row["price"] or 0
