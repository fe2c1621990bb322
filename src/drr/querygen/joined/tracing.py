"""Proves references to orders through the tools alone, and counts the calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from drr.env.json_object import JsonObject
from drr.env.points import PointTruth
from drr.querygen.joined.specification import OrderCondition, OrderFigure, Specification

_PAGE = 100
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
        ranks = [one for one in ("first", "last") if one in named]
        for what in sorted(named.keys() - set(ranks), key=lambda what: (what == "kind", what)):
            if what == "again":
                left = [row for row in left if self._is_again(row, rows)]
            else:
                left = [row for row in left if self._value(row, what) == named[what]]
        return self._best(left, ranks[0]) if ranks else left

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

    def _is_again(self, row: _Row, rows: Sequence[_Row]) -> bool:
        same = [one["order_date"] for one in rows if one["product_id"] == row["product_id"]]
        return len(same) == 2 and row["order_date"] == max(same)

    def _best(self, left: Sequence[_Row], rank: str) -> list[_Row]:
        """Return the rows of the first rank among those left."""
        days = [_day(row) for row in left]
        return [row for row in left if _day(row) == (min(days) if rank == "first" else max(days))]

    def _gap(self, row: _Row) -> int | None:
        line = [one for one in self._found({}) if one["product_id"] == row["product_id"]]
        before = [_day(one) for one in line if one["order_date"] < row["order_date"]]
        return (_day(row) - max(before)).days if before else None

    def _value(self, row: _Row, what: str) -> object:
        if what == "kind":
            return self._listing(row)["categories"][-1]
        sent = row.get("sent_to")
        if what == "former_home":
            return "" if sent and not sent["recipient"] else None
        if what == "recipient":
            return sent and sent["recipient"]
        return row["order_date"][:4] if what == "year" else row["order_status"]

    def point(self, of: OrderFigure) -> PointTruth | None:
        """Return the answer to a figure; `None` where conditions leave more than one order."""
        left = self.left(of.order)
        if len(left) != 1:
            return None if left else PointTruth(status="nothing_fits")
        row = left[0]
        figure: float | str | None
        if of.what == "total":
            if row["price"] is None:
                return PointTruth(status="cannot_be_told")
            figure = round(row["price"] * row["quantity"], 2)
        elif of.what == "date":
            figure = _day(row).isoformat()
        else:
            figure = self._gap(row)
        return None if figure is None else PointTruth(figure=figure, sources=[row["url"]])


def _day(row: _Row) -> date:
    return date.fromisoformat(row["order_date"][:10])
