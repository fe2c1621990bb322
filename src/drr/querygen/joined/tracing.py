"""Proves references to orders through the tools alone, and counts the calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any

from drr.env.json_object import JsonObject
from drr.env.points import PointTruth
from drr.querygen.joined.specification import OrderCondition, OrderFigure, Specification

_PAGE = 100
_OPENED = ("kind", "maker")
_RELATED = ("again", "pause")
"""Conditions that only the whole history decides."""
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
        whole = not named.keys().isdisjoint(_RELATED)
        rows = self._found({} if whole else self._asked(named))
        ranks = [one for one in ("first", "last", "pause") if one in named]
        left = rows
        for what in sorted(
            named.keys() - set(ranks), key=lambda what: (what in (*_OPENED, "given_up"), what)
        ):
            if what == "given_up":
                kept = self._given_up(rows)
                left = [row for row in left if row["order_id"] in kept]
            elif what == "again":
                left = [row for row in left if self._is_again(row, rows)]
            else:
                left = [row for row in left if self._value(row, what) == named[what]]
        return self._best(left, rows, ranks[0]) if ranks else left

    def _asked(self, named: Mapping[str, str]) -> JsonObject:
        words = [named[what] for what in _OPENED if what in named]
        asked: JsonObject = {"words": " ".join(words)} if words else {}
        if "given_up" in named:
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

    def _given_up(self, rows: Sequence[_Row]) -> set[str]:
        """Return the orders by makers who were given up, as their condition says."""
        found = dict[str, list[tuple[_Row, str | None]]]()
        for row in sorted(rows, key=lambda row: row["order_date"]):
            listing = self._listing(row)
            found.setdefault(listing["categories"][-1], []).append((row, listing["store"]))
        kept = set[str]()
        for bought in found.values():
            times = Counter(made for _, made in bought)
            gone = [made for made, count in times.items() if count > 1 and made != bought[-1][1]]
            if len(gone) == 1 and None not in times:
                kept.update(row["order_id"] for row, made in bought if made == gone[0])
        return kept

    def _is_again(self, row: _Row, rows: Sequence[_Row]) -> bool:
        same = [one for one in rows if one["product_id"] == row["product_id"]]
        others = [one for one in same if one["order_id"] != row["order_id"]]
        return len(others) == 1 and not row.get("sent_to") and self._value(others[0], "former_home") == ""

    def _best(self, left: Sequence[_Row], rows: Sequence[_Row], rank: str) -> list[_Row]:
        """Return the rows of the first rank among those left."""
        if rank in ("first", "last"):
            days = [_day(row) for row in left]
            return [row for row in left if _day(row) == (min(days) if rank == "first" else max(days))]
        gaps = [(self._gap(row, rows, of_product=False), row) for row in left]
        known = [gap for gap, _ in gaps if gap is not None]
        wanted = max(known, default=None)
        return [row for gap, row in gaps if gap is not None and gap == wanted]

    def _gap(self, row: _Row, rows: Sequence[_Row], *, of_product: bool) -> int | None:
        line = [one for one in rows if not of_product or one["product_id"] == row["product_id"]]
        line.sort(key=lambda one: one["order_date"])
        return next(
            (
                (_day(one) - _day(before)).days
                for before, one in pairwise(line)
                if one["order_id"] == row["order_id"]
            ),
            None,
        )

    def _value(self, row: _Row, what: str) -> object:
        if what in _OPENED:
            listing = self._listing(row)
            return listing["categories"][-1] if what == "kind" else listing["store"]
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
            figure = self._gap(row, self._found({}), of_product=True)
        return None if figure is None else PointTruth(figure=figure, sources=[row["url"]])


def _day(row: _Row) -> date:
    return date.fromisoformat(row["order_date"][:10])
