"""Solves points on which records disagree: listings, data sheets of makers, measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

from drr.env.checkable import detail, parse_figure
from drr.env.entities import Product
from drr.env.points import PointTruth, RightPick
from drr.env.statistics import cents
from drr.env.text import category_key
from drr.env.web.base import WebSearch
from drr.env.web.open import sandbox_of
from drr.env.web.sandbox import table_rows
from drr.querygen.joined.references import ReferenceDraw
from drr.querygen.joined.solving import Undecided
from drr.querygen.joined.specification import Record, StatedPoint
from drr.querygen.shelves import Shelves

Outcome = Literal["against", "along", "cannot_be_told", "nothing_fits"]
"""The sort of an answer: another than the listing's, the listing's though another record differs, or a refusal."""
RECORDS: tuple[Record, ...] = get_args(Record)
MODEL = "Item model number"
UNTOLD = "not stated"
_SHAPES = {"data sheet": "sheet", "on the bench": "test"}
_COUNTING = {
    "details": (), "measured": ("test",), "older": ("sheet",), "sheet": ("sheet",), "newest": ("sheet", "test"), "tested": ("test",),
}  # fmt: skip
"""The pages that count by each rule, and in each reading of the hasty. Nobody is asked by the first three."""
_READINGS = ("details", "measured", "older", "sheet", "newest")


class StatingRow(NamedTuple):
    """A row of a page about one product, or its listing."""

    shape: str
    writer: str
    day: str
    url: str
    cells: Mapping[str, str]


@dataclass
class StatedTruth:
    """A solver of such points, over the records of one shop and the pages of its web."""

    shelves: Shelves
    web: WebSearch
    references: ReferenceDraw

    @cached_property
    def pages(self) -> dict[str, list[StatingRow]]:
        """Return the rows of all tables whose names end with a model number, by that number."""
        found: dict[str, list[StatingRow]] = {}
        sandbox = sandbox_of(self.web)
        for page in sandbox.documents if sandbox else ():
            shape = next((shape for mark, shape in _SHAPES.items() if mark in page.title), None)
            head, *rows = (table_rows(page) if shape and page.date else []) or [[]]
            for name, *cells in rows:
                stating = {key: one for key, one in zip(head[1:], cells, strict=False) if one != "-"}
                writer = page.title.partition(":")[0]
                row = StatingRow(str(shape), writer, str(page.date), page.url, stating)
                found.setdefault(name.rpartition(", model ")[2], []).append(row)
        return found

    def rows(self, product: Product) -> Sequence[StatingRow]:
        """Return the rows of pages about a product; none where its data sheet is of another maker than its listing."""
        found = self.pages.get(detail(product, MODEL) or "", ())
        return () if any(one.shape == "sheet" and one.writer != product.store for one in found) else found

    def point(self, of: StatedPoint, user: str) -> PointTruth:
        """Return the answer to a point. Raises `Undecided` for a tie, or where conditions leave two orders."""
        if of.category:
            return self._pick(of)
        order = self.references.history(user).one(of.order)
        if not order:
            return PointTruth(status="nothing_fits")
        found = self._counting(self.shelves.products[order.product_id], of)
        if found is None:
            return PointTruth(status="cannot_be_told")
        number, _, unit = found.cells[of.name].partition(" ")
        if unit != of.unit:
            raise Undecided("another unit")
        return PointTruth(figure=parse_figure(number), sources=[found.url])

    def outcome(self, of: StatedPoint, user: str) -> Outcome | None:
        """Return the sort of a point's answer; `None` where all records agree."""
        status = self.point(of, user).status
        if status in ("cannot_be_told", "nothing_fits"):
            return status
        if self._differs(of, user, by="details"):
            return "against"
        return "along" if self.decides(of, user)[0] else None

    def decides(self, of: StatedPoint, user: str) -> list[bool]:
        """Tell of each condition, the rule first, whether it decides. A rule does if another reading that falls back on the listing gives another answer."""
        lighter: list[dict[str, Any]] = [{"order": [x for x in of.order if x != one]} for one in of.order]
        lighter += [{"makers": []}, {"value": None}] if of.category else []
        rule = any(self._differs(of, user, by=one) for one in _READINGS)
        return [rule, *(self._differs(of, user, **one) for one in lighter)]

    def _differs(self, of: StatedPoint, user: str, **changes: Any) -> bool:
        with suppress(Undecided):
            both = [self.point(one, user) for one in (of, of.model_copy(update=changes))]
            right, other = (one.model_copy(update={"sources": []}) for one in both)
            return right != other
        return True

    def _pick(self, of: StatedPoint) -> PointTruth:
        makers = set(map(category_key, of.makers))
        shelf = self.shelves.of(of.category)
        made = [one for one in shelf if category_key(one.store or "") in makers] if makers else shelf
        found = [(one, self._fits(one, of)) for one in made]
        best = sorted(
            (-round(10 * one.average_rating), cents(one.price), one.product_id)
            for one, fits in found
            if fits and one.price is not None and one.average_rating is not None
        )
        if len({one[:2] for one in best[:2]}) < len(best[:2]):
            raise Undecided("a tie")
        if best:
            return PointTruth(picks=[RightPick(product=best[0][2])])
        may = any(fits is not False for _, fits in found)
        return PointTruth(status="cannot_be_told" if may else "nothing_fits")

    def _fits(self, product: Product, of: StatedPoint) -> bool | None:
        if of.value is None:
            return True
        found = self._counting(product, of)
        return found.cells[of.name].casefold() == of.value.casefold() if found else None

    def _counting(self, product: Product, of: StatedPoint) -> StatingRow | None:
        """Return the record of a value that counts; `None` where none states it."""
        shapes, by = _COUNTING[of.by], str(of.by)
        stating = [one for one in self.rows(product) if one.cells.get(of.name, UNTOLD) != UNTOLD]
        stating = sorted((one for one in stating if one.shape in shapes), key=lambda one: one.day)
        chosen = [one for one in stating if one.day == stating[0 if by == "older" else -1].day]
        if len({one.cells[of.name] for one in chosen}) > 1:
            raise Undecided("two records of one day")
        listed = detail(product, of.name)
        if not chosen and listed and by != "tested":
            return StatingRow("listing", "", "", product.product_url, {of.name: listed})
        return chosen[0] if chosen else None
