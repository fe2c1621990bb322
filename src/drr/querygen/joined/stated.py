"""Solves and draws points on which records disagree: listings, data sheets of makers, measurements. Twins differ in one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, Literal, NamedTuple, get_args

from drr.env.checkable import detail, parse_figure
from drr.env.entities import Product
from drr.env.points import PointTruth, RightPick
from drr.env.statistics import cents
from drr.env.text import category_key
from drr.env.web.base import WebSearch
from drr.env.web.open import sandbox_of
from drr.env.web.sandbox import table_rows
from drr.querygen.joined.deciding import FirstRows
from drr.querygen.joined.needs import Dropped, Kind
from drr.querygen.joined.references import JoinedDraft, ReferenceDraw
from drr.querygen.joined.solving import Solution, Undecided
from drr.querygen.joined.specification import Record, Specification, StatedPoint
from drr.querygen.shelves import Shelves
from drr.wording.figures import UNITS

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
_REDRAWS, _ROUNDS = 60, 3
_SHELF = 5
"""The most products among which a point asks for one; each may have to be opened and searched for."""
_LISTED: Record = "sheet"
"""The record that counts for what no laboratory measures, such as a material or a number of pieces."""
_AGAINST = 0.7
"""The share of answers that differ from what the listing says."""


class StatingRow(NamedTuple):
    """A row of a page about one product."""

    shape: str
    writer: str
    day: str
    url: str
    cells: Mapping[str, str]


def wanted(rng: Random, *, refused: bool) -> Outcome:
    """Return a sort of answer."""
    if refused:
        return "cannot_be_told" if rng.random() < 0.5 else "nothing_fits"
    return "against" if rng.random() < _AGAINST else "along"


def _measured(unit: str) -> bool:
    """Tell whether a laboratory would measure a value of this unit."""
    known = UNITS.named(unit)
    return known is not None and known.kind != "count"


@dataclass
class StatedTruth:
    """A solver of such points, over the records of one shop and the pages of its web."""

    web: WebSearch
    references: ReferenceDraw

    @property
    def shelves(self) -> Shelves:
        return self.references.shelves

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
        number, _, unit = found[0].partition(" ")
        if unit != of.unit:
            raise Undecided("another unit")
        return PointTruth(figure=parse_figure(number), sources=[found[1]])

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
        return found[0].casefold() == of.value.casefold() if found else None

    def _counting(self, product: Product, of: StatedPoint) -> tuple[str, str] | None:
        """Return the value that counts and the address of its record; `None` where none states it."""
        shapes, by = _COUNTING[of.by], str(of.by)
        stating = [one for one in self.rows(product) if one.cells.get(of.name, UNTOLD) != UNTOLD]
        stating = sorted((one for one in stating if one.shape in shapes), key=lambda one: one.day)
        chosen = [one for one in stating if one.day == stating[0 if by == "older" else -1].day]
        if len({one.cells[of.name] for one in chosen}) > 1:
            raise Undecided("two records of one day")
        if chosen:
            return chosen[0].cells[of.name], chosen[0].url
        listed = None if by == "tested" else detail(product, of.name)
        return (listed, product.product_url) if listed else None


@dataclass
class StatedDraw(StatedTruth):
    """A drawer of such points."""

    first: FirstRows

    @cached_property
    def contested(self) -> dict[str, list[str]]:
        """Return the names of values on which pages differ from the listing, by product that pages name."""
        found: dict[str, list[str]] = {}
        for product in self.shelves.products.values():
            if rows := self.rows(product) if product.store in self.shelves.makers else ():
                stating = {pair for row in rows for pair in row.cells.items()}
                names = {name for name, value in stating if value != detail(product, name)}
                found[product.product_id] = sorted(names)
        return found

    @cached_property
    def makers(self) -> dict[tuple[Kind, str], list[str]]:
        """Return the makers of such products by kind and name of the value. A kind with one of them has no twins."""
        found: dict[tuple[Kind, str], dict[str, None]] = {}
        for product_id, names in self.contested.items():
            product = self.shelves.products[product_id]
            for name in names:
                found.setdefault((tuple(product.categories[-2:]), name), {})[str(product.store)] = None
        return {key: list(makers) for key, makers in found.items() if len(makers) > 1}

    @cached_property
    def units(self) -> dict[tuple[Kind, str], str]:
        """Return the unit of each value for which all listings of a kind state a number of one unit."""
        found: dict[tuple[Kind, str], set[str]] = {}
        for product in self.shelves.products.values():
            for name, value in self.shelves.stated(product):
                number, _, unit = value.partition(" ")
                known = unit if parse_figure(number) is not None else ""
                found.setdefault((tuple(product.categories[-2:]), name), set()).add(known)
        return {key: units.pop() for key, units in found.items() if len(units) == 1 and "" not in units}

    def draw(
        self, draft: JoinedDraft, sorts: Sequence[Outcome], twins: Sequence[Outcome], most: tuple[int, int]
    ) -> list[list[StatedPoint]]:
        """Return points of these sorts by one rule, and one of each sort of twins: a list for each twin. Raises `Dropped`.

        Of all, no more than `most` ask for products, all of the errand's departments, and for figures.
        """
        for by in draft.rng.sample(_ROUNDS * RECORDS, _ROUNDS * len(RECORDS)):
            tried = draft._replace(used={*draft.used})
            with suppress(Dropped):
                points = [self._point(tried, by, sort) for sort in sorts]
                other = list[StatedPoint]()
                for sort in twins:
                    other.append(self._point(tried, by, sort, next(iter(other), None)))
                asked = [bool(one.category) for one in (*points, *other[:1])]
                if asked.count(True) > most[0] or asked.count(False) > most[1]:
                    continue
                at = draft.rng.randint(0, len(points))
                return [[*points[:at], one, *points[at:]] for one in other] or [points]
        raise Dropped("no points on which records disagree")

    def _point(
        self, draft: JoinedDraft, by: Record, sort: Outcome, like: StatedPoint | None = None
    ) -> StatedPoint:
        """Return a point of this sort about an unused kind or order; a given one lends its kind. Raises `Dropped`."""
        ways = [bool(like.category)] if like else draft.rng.sample((True, False), 2)
        for picks in (way for way in ways for _ in range(_REDRAWS)):
            of = self._product(draft, by, like) if picks else self._figure(draft, by)
            with suppress(Undecided):
                about = self._about(of, draft.user) if of else set()
                about -= {*like.category[-1:]} if like else set()
                if of and not about & draft.used and self._holds(of, draft.user, sort):
                    draft.used.update(about)
                    return of
        raise Dropped(f"no point of the sort {sort}")

    def _about(self, of: StatedPoint, user: str) -> set[str]:
        """Return the kind that a point is about, its order, and its right pick."""
        picks = [one.product for one in self.point(of, user).picks]
        left = [] if of.category else self.references.history(user).left(of.order)
        kinds = (self.shelves.products[one.product_id].categories[-1] for one in left)
        return {*picks, *of.category[-1:], *kinds, *(one.order_id for one in left)}

    def _holds(self, of: StatedPoint, user: str, sort: Outcome) -> bool:
        """Tell whether a point is of this sort, all conditions decide, and no plain search shows the pick first. What no record tells may need no rule."""
        if self.outcome(of, user) != sort:
            return False
        rule, *rest = self.decides(of, user)
        right = Solution([self.point(of, user)], [], 0)
        known = rule or sort == "cannot_be_told"
        return known and all(rest) and not self.first.show(Specification(stated=[of]), right)

    def _product(self, draft: JoinedDraft, by: Record, like: StatedPoint | None) -> StatedPoint | None:
        rng = draft.rng
        own = [one for one in self.makers if self.shelves.of(one[0])[0].categories[0] in draft.errand]
        if not own:
            return None
        kind, name = (tuple(like.category), like.name) if like else rng.choice(own)
        makers = rng.sample(self.makers[kind, name], rng.choice((1, 2)))
        shelf = [one for one in self.shelves.of(kind) if one.store in makers]
        stating = {row.cells.get(name) for one in shelf for row in self.rows(one)}
        values = sorted({*filter(None, stating.union(detail(one, name) for one in shelf))} - {UNTOLD})
        apt = by == _LISTED or all(_measured(one.partition(" ")[2]) for one in values)
        if len(shelf) > _SHELF or not values or not apt or any(", " in one for one in values):
            return None
        return StatedPoint(by=by, name=name, category=list(kind), makers=makers, value=rng.choice(values))

    def _figure(self, draft: JoinedDraft, by: Record) -> StatedPoint | None:
        rng, orders = draft.rng, self.references.history(draft.user).orders
        found = [one for one in orders if self.contested.get(one.product_id)]
        if not found:
            return None
        order = rng.choice(found)
        name = rng.choice(self.contested[order.product_id])
        unit = self.units.get((tuple(self.shelves.products[order.product_id].categories[-2:]), name))
        apt = unit is not None and (by == _LISTED or _measured(unit))
        chain = self.references.chain_of(rng, order) if apt else []
        return StatedPoint(by=by, name=name, unit=unit or "", order=chain) if chain else None
