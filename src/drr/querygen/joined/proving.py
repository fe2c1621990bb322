"""Proves a specification through the tools alone, as a careful shopper would, and counts the calls that it takes.

It reads neither the store nor the solver. Each listing is opened only where the best set so far leans on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product as every_choice
from typing import Any, NamedTuple

from drr.env.checkable import Constraint, PlanStep
from drr.env.json_object import JsonObject
from drr.env.points import PointTruth, RightPick, Status
from drr.env.text import category_key
from drr.querygen.joined.specification import JoinedNeed, Specification
from drr.querygen.joined.tracing import OrderTrace
from drr.tools.base import ToolContext, ToolError
from drr.tools.registry import call_sync

_PAGE = 50
_MOST_CALLS = 80
_MOST_CHOICES = 60_000
_FILTERS = {"price_max": "max_price", "rating_min": "min_rating", "brand_is": "brand"}
_ROW_FILTERS = ("brand_is", "rating_min")
"""Demands that narrow a search for what may fit. It leaves out what has no stars: where that matters, the proof differs and fails."""


class Unproven(Exception):
    """No plan of a reasonable length proves one answer."""


class _Row(NamedTuple):
    """A row of a search for one point."""

    at: int
    id: str
    stars: int
    cost: int
    maker: str


class _Lot(NamedTuple):
    """Rows of several points together."""

    stars: int
    cost: int
    rows: tuple[_Row, ...]


@dataclass
class Proof:
    """A proof of one specification; its calls are the plan."""

    of: Specification
    ctx: ToolContext
    plan: list[PlanStep] = field(default_factory=list)
    _answers: dict[str, Any] = field(default_factory=dict)
    _opened: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _fronts: dict[str, list[_Lot]] = field(default_factory=dict)

    def points(self) -> list[PointTruth]:
        """Return the answer to each point, needs first. Raises `Unproven`."""
        trace = OrderTrace(self._call)
        figures = [*map(trace.point, self.of.figures), *map(trace.point, self.of.stated)]
        resolved = trace.resolved(self.of)
        if None in figures or not resolved:
            raise Unproven("conditions leave two orders")
        self.of = resolved
        return [*(self._need_points() if self.of.needs else ()), *filter(None, figures)]

    def _need_points(self) -> list[PointTruth]:
        ways, points = range(len(self.of.concessions) + 1), range(1, len(self.of.needs) + 1)
        refused, chosen = dict[int, Status](), None
        while not chosen:
            empty = [at for at in points if at not in refused and not self._rows(at, ways[-1])]
            refused |= {at: self._refused(at) for at in empty}
            wanted = [at for at in points if at not in refused]
            chosen = next(filter(None, (self._chosen(wanted, given_up) for given_up in ways)), None)
            if not chosen and all(self._rows(at, ways[-1]) for at in wanted):
                raise Unproven("no set keeps the rules")
        pieces = [one.pieces for one in self.of.needs]
        found = {at: PointTruth(status=why) for at, why in refused.items()}
        found |= {x.at: PointTruth(picks=[RightPick(product=x.id, pieces=pieces[x.at - 1])]) for x in chosen}
        return [found[at] for at in points]

    # -- calls

    def _call(self, tool: str, arguments: dict[str, Any]) -> Any:
        key = f"{tool}{arguments}"
        if key not in self._answers:
            if len(self.plan) >= _MOST_CALLS:
                raise Unproven("too many calls")
            self.plan.append(PlanStep(tool=tool, arguments=arguments))
            try:
                self._answers[key] = call_sync(tool, arguments, self.ctx).data
            except ToolError as error:
                raise Unproven(error.kind) from error
        return self._answers[key]

    def _listing(self, product_id: str) -> Mapping[str, Any]:
        if product_id not in self._opened:
            self._opened[product_id] = self._call("get_product_details", {"product_id": product_id})
        return self._opened[product_id]

    def _search(self, need: JoinedNeed, stated: Sequence[Constraint]) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of a search for a kind, with these demands as filters and words."""
        words = " ".join(str(one.value) for one in stated if one.kind == "attribute")
        asked = _query(need, words, _PAGE)
        asked |= {_FILTERS[one.kind]: one.value for one in stated if one.kind in _FILTERS}
        offset = 0
        while True:
            page = self._call("product_catalog_search", {**asked, **({"offset": offset} if offset else {})})
            yield from page["items"]
            offset += _PAGE
            if offset >= page["total"]:
                return

    # -- single points

    def _rows(self, at: int, given_up: int) -> list[_Row]:
        """Return the rows of all that may surely fit a point, by what is known of them so far."""
        found, need = dict[str, Mapping[str, Any]](), self.of.needs[at - 1]
        demands = self.of.wanted(at, given_up)
        for stated in every_choice(*demands):
            for row in self._search(need, stated):
                if row["price"] is not None and row["average_rating"] is not None:
                    found[row["product_id"]] = row
        return [
            _Row(
                at,
                one,
                round(10 * row["average_rating"]),
                round(100 * row["price"]) * need.pieces,
                category_key(row["store"] or ""),
            )
            for one, row in found.items()
            if self._says(row, demands) is not False
            and (one not in self._opened or self._says(self._opened[one], demands) is True)
        ]

    def _says(self, row: Mapping[str, Any], demands: Sequence[Sequence[Constraint]]) -> bool | None:
        """Tell whether a row or listing meets the demands; `None` where it does not tell."""
        found = [[_tells(row, one) for one in ways] for ways in demands]
        sure = [max(one, key=(False, None, True).index) for one in found]
        return False if False in sure else None if None in sure else True

    def _refused(self, at: int) -> Status:
        """Return why a point has no answer, once all that its words find is ruled out."""
        need, demands = self.of.needs[at - 1], self.of.wanted(at, len(self.of.concessions))
        rows = list(self._search(need, [one for one in need.constraints if one.kind in _ROW_FILTERS]))
        if not rows and not self._call("product_catalog_search", _query(need, "", 1))["total"]:
            return "not_sold"
        left = [row["product_id"] for row in rows if self._says(row, demands) is not False]
        unsure = [
            None in (one["price"], one["average_rating"]) or self._says(one, demands) is None
            for one in map(self._listing, left)
            if self._says(one, demands) is not False
        ]
        return "cannot_be_told" if any(unsure) else "nothing_fits"

    # -- the joint choice

    def _chosen(self, wanted: Sequence[int], given_up: int) -> tuple[_Row, ...] | None:
        """Return the best set, every member of it opened; `None` where no set keeps rules and budget."""
        while True:
            best = self._best(wanted, given_up)
            rows = [row for one in best for row in sorted(one) if row.id not in self._opened]
            if not rows:
                if len(best) > 1:
                    raise Unproven("a tie")
                return best[0] if best else None
            self._listing(rows[0].id)

    def _best(self, wanted: Sequence[int], given_up: int) -> list[tuple[_Row, ...]]:
        """Return the best sets by the least cost for each sum of stars, part by part."""
        front = [_Lot(0, 0, ())]
        for part, name in self._parts(wanted):
            lists = [self._rows(at, given_up) for at in part]
            key = str((lists, [row.id for rows in lists for row in rows if row.id in self._opened]))
            if key not in self._fronts:
                self._fronts[key] = self._front(lists, name)
            front = _front(
                _Lot(one.stars + own.stars, one.cost + own.cost, one.rows + own.rows)
                for one in front
                for own in self._fronts[key]
            )
        limit = None if self.of.budget is None else round(100 * self.of.budget)
        paid = [one for one in front if limit is None or one.cost <= limit]
        most = max((one.stars for one in paid), default=0)
        return [one.rows for one in paid if one.stars == most]

    def _parts(self, wanted: Sequence[int]) -> list[tuple[list[int], str]]:
        """Return the points that share something, with its name, after those that stand alone."""
        bound = {at for rule in self.of.rules for at in rule.points}
        alone = [([at], "") for at in wanted if at not in bound]
        alike = [([at for at in wanted if at in one.points], one.same or "") for one in self.of.rules]
        return [*alone, *(one for one in alike if one[0])]

    def _front(self, lists: Sequence[Sequence[_Row]], name: str) -> list[_Lot]:
        sets: list[tuple[_Row, ...]] = [()]
        for rows in lists:
            sets = [(*one, row) for one in sets for row in rows if not name or self._alike([*one, row], name)]
            if len(sets) > _MOST_CHOICES:
                raise Unproven("the choice is too wide")
        return _front(_Lot(sum(row.stars for row in one), sum(row.cost for row in one), one) for one in sets)

    def _alike(self, rows: Sequence[_Row], name: str) -> bool:
        """Tell whether rows may share a value. What no row tells may be anything until its listing is opened."""
        values = {self._value(row, name) for row in rows} - {None}
        return "" not in values and len(values) < 2

    def _value(self, row: _Row, name: str) -> str | None:
        """Return the value that a rule compares: `None` while the listing is closed, empty where it does not tell."""
        if row.id in self._opened:
            listing = self._opened[row.id]
            return category_key(listing["store"] or "") if name == "Brand" else _detail(listing, name) or ""
        return row.maker if name == "Brand" else None


def _query(need: JoinedNeed, words: str, limit: int) -> JsonObject:
    asked: JsonObject = {"query": words or need.category[-1], "match": "all" if words else "any"}
    return {**asked, "limit": limit, "category": " > ".join(need.category[-2:])}


def _front(lots: Iterable[_Lot]) -> list[_Lot]:
    """Return the cheapest lots for each sum of stars. Of equals two are kept."""
    best: dict[int, list[_Lot]] = {}
    for one in lots:
        known = best.get(one.stars, [])
        if not known or one.cost < known[0].cost:
            best[one.stars] = [one]
        elif one.cost == known[0].cost:
            best[one.stars] = [known[0], one]
    return [one for lots in best.values() for one in lots]


def _tells(row: Mapping[str, Any], wanted: Constraint) -> bool | None:
    """Tell whether a row or listing meets a demand; `None` where it is silent."""
    if wanted.kind == "attribute":
        found = _detail(row, wanted.name or "") if "details" in row else None
        return None if found is None else found == " ".join(str(wanted.value).split()).casefold()
    if wanted.kind == "brand_is":
        return category_key(row["store"]) == category_key(str(wanted.value)) if row["store"] else None
    name = {"price_max": "price", "rating_min": "average_rating", "ratings_min": "rating_number"}[wanted.kind]
    if row[name] is None:
        return None
    limit = float(wanted.value or 0)
    return bool(row[name] <= limit if wanted.kind == "price_max" else row[name] >= limit)


def _detail(listing: Mapping[str, Any], name: str) -> str | None:
    found = [value for key, value in listing["details"].items() if key.casefold() == name.casefold()]
    return " ".join(found[0].split()).casefold() if len(found) == 1 and isinstance(found[0], str) else None
