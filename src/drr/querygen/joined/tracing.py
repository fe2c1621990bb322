"""Proves figures of orders through the tools alone, and counts the calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from drr.env.json_object import JsonObject
from drr.env.points import PointTruth
from drr.querygen.joined.specification import OrderCondition, OrderFigure

_PAGE = 100
_OPENED = ("kind", "maker")


@dataclass
class OrderTrace:
    """A search of a shopper's orders. Filters and words narrow it, and what is left is opened where a kind or a maker decides."""

    call: Callable[[str, JsonObject], Any]

    def left(self, chain: Sequence[OrderCondition]) -> list[Mapping[str, Any]]:
        """Return the orders that meet all conditions. One that does shares all the words, so words leave none out."""
        asked: JsonObject = {"limit": _PAGE}
        if words := " ".join(one.value for one in chain if one.what in _OPENED):
            asked["words"] = words
        for one in chain:
            if one.what == "year":
                asked |= {"since": f"{one.value}-01-01", "before": f"{int(one.value) + 1}-01-01"}
            elif one.what == "status":
                asked["status"] = one.value
        left, total = list[Mapping[str, Any]](), 1
        while len(left) < total:
            page = self.call("get_user_orders", {**asked, **({"offset": len(left)} if left else {})})
            left, total = [*left, *page["items"]], page["total"]
        for one in sorted(chain, key=lambda one: one.what in _OPENED):
            left = [row for row in left if self._value(row, one.what) == one.value]
        return left

    def _value(self, row: Mapping[str, Any], what: str) -> object:
        if what in _OPENED:
            listing = self.call("get_product_details", {"product_id": row["product_id"]})
            return listing["categories"][-1] if what == "kind" else listing["store"]
        sent = row.get("sent_to")
        if what == "former_home":
            return "" if sent and not sent["recipient"] else None
        if what == "recipient":
            return sent and sent["recipient"]
        return row["order_date"][:4] if what == "year" else row["order_status"]

    def point(self, of: OrderFigure) -> PointTruth | None:
        """Return the answer to a figure; `None` where conditions leave more than one order."""
        left = [self.left(chain) for chain in of.orders]
        if [] in left:
            return PointTruth(status="nothing_fits")
        if any(len(rows) > 1 for rows in left):
            return None
        rows = [one[0] for one in left]
        sources = [row["url"] for row in rows]
        if of.what == "total":
            price, pieces = rows[0]["price"], rows[0]["quantity"]
            known = {"figure": round(price * pieces, 2), "sources": sources} if price is not None else None
            return PointTruth.model_validate(known or {"status": "cannot_be_told"})
        first, last = (date.fromisoformat(row["order_date"][:10]) for row in (rows[0], rows[-1]))
        figure = float(abs((last - first).days)) if of.what == "days" else first.isoformat()
        return PointTruth(figure=figure, sources=sources)
