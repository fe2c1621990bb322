"""Proves a specification through the tools alone, as a careful shopper would, and counts the calls that it takes.

It reads neither the store nor the solver. Each listing is opened only where the best set so far leans on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product as every_choice
from typing import Any, NamedTuple

from drr.env.checkable import Constraint, PlanStep
from drr.env.json_object import JsonObject
from drr.env.points import JointRule, PointTruth, RightPick, Status
from drr.env.text import category_key
from drr.querygen.joined.specification import JoinedNeed, Specification
from drr.querygen.joined.tracing import OrderTrace
from drr.tools.base import ToolContext, ToolError
from drr.tools.registry import call_sync

_PAGE = 50
_MOST_CALLS = 100
_MOST_CHOICES = 60_000


class Unproven(Exception):
    """No plan of a reasonable length proves one answer."""


class _Row(NamedTuple):
    """A row of a search for one point."""

    id: str
    stars: int
    cost: int


_Front = Mapping[int, tuple[int, tuple[tuple[_Row, ...], ...]]]
"""The least cost by stars, with the sets of rows that have it."""


@dataclass
class Proof:
    """A proof of one specification; its calls are the plan."""

    of: Specification
    ctx: ToolContext
    plan: list[PlanStep] = field(default_factory=list)
    _answers: dict[str, Any] = field(default_factory=dict)
    _opened: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _makers: dict[str, str] = field(default_factory=dict)
    _fronts: dict[str, _Front] = field(default_factory=dict)

    def points(self) -> list[PointTruth]:
        """Return the answer to each point, needs first. Raises `Unproven`."""
        trace = OrderTrace(self._call)
        figures = [trace.point(one) for one in self.of.figures]
        if None in figures:
            raise Unproven("conditions leave two orders")
        return [*(self._need_points() if self.of.needs else ()), *filter(None, figures)]

    def _need_points(self) -> list[PointTruth]:
        all_up = len(self.of.concessions)
        refused: dict[int, Status] = {}
        while True:
            wanted = [at for at in range(1, len(self.of.needs) + 1) if at not in refused]
            empty = [at for at in wanted if not self._rows(at, all_up)]
            chosen = None
            if not empty:
                chosen = next(filter(None, (self._chosen(wanted, up) for up in range(all_up + 1))), None)
                empty = [] if chosen else [at for at in wanted if not self._rows(at, all_up)]
            if chosen or not empty:
                break
            refused |= {at: self._refused(at) for at in empty}
        if not chosen:
            raise Unproven("no set keeps the rules")
        picks = dict(zip(wanted, chosen, strict=True))
        return [
            PointTruth(picks=[RightPick(product=picks[at].id, pieces=need.pieces)])
            if at in picks
            else PointTruth(status=refused[at])
            for at, need in enumerate(self.of.needs, 1)
        ]

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
        asked: JsonObject = {
            "query": words or need.category[-1],
            "match": "all" if words else "any",
            "limit": _PAGE,
        }
        asked["category"] = " > ".join(need.category[-2:])
        for one in stated:
            name = {"price_max": "max_price", "rating_min": "min_rating", "brand_is": "brand"}.get(one.kind)
            if name:
                asked[name] = one.value
        offset = 0
        while True:
            page = self._call("product_catalog_search", {**asked, **({"offset": offset} if offset else {})})
            self._makers |= {row["product_id"]: category_key(row["store"] or "") for row in page["items"]}
            yield from page["items"]
            offset += _PAGE
            if offset >= page["total"]:
                return

    # -- single points

    def _rows(self, at: int, given_up: int) -> list[_Row]:
        """Return the rows of all that may surely fit a point, by what is known of them so far."""
        found, need, demands = (
            dict[str, Mapping[str, Any]](),
            self.of.needs[at - 1],
            self.of.wanted(at, given_up),
        )
        for stated in every_choice(*demands):
            for row in self._search(need, stated):
                if row["price"] is not None and row["average_rating"] is not None:
                    found[row["product_id"]] = row
        return [
            _Row(one, round(10 * row["average_rating"]), round(100 * row["price"]) * need.pieces)
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
        rows = list(self._search(need, [one for one in need.constraints if one.kind == "brand_is"]))
        if not rows and not self._call("product_catalog_search", _kind(need))["total"]:
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
            lists = [self._rows(at, given_up) for at in wanted]
            best = self._best(lists, wanted, given_up)
            closed = dict.fromkeys(row.id for rows in best for row in rows if row.id not in self._opened)
            if not closed:
                if len(best) > 1:
                    raise Unproven("a tie")
                return best[0] if best else None
            self._listing(next(iter(closed)))

    def _best(
        self, lists: Sequence[Sequence[_Row]], wanted: Sequence[int], given_up: int
    ) -> Sequence[tuple[_Row, ...]]:
        """Return the best sets by the least cost for each sum of stars, part by part."""
        front: _Front = {0: (0, ((),))}
        order: list[int] = []
        for part in _parts(self.of.rules, wanted):
            order += part
            rows = [lists[place] for place in part]
            key = str(
                (part, given_up, rows, [row.id for one in rows for row in one if row.id in self._opened])
            )
            if key not in self._fronts:
                self._fronts[key] = self._front(rows, part, wanted)
            front = _joined(front, self._fronts[key])
        limit = None if self.of.budget is None else round(100 * self.of.budget)
        kept = [stars for stars, (cost, _) in front.items() if limit is None or cost <= limit]
        found = front[max(kept)][1] if kept else ()
        back = sorted(range(len(order)), key=order.__getitem__)
        return [tuple(rows[place] for place in back) for rows in found]

    def _front(self, lists: Sequence[Sequence[_Row]], part: Sequence[int], wanted: Sequence[int]) -> _Front:
        sets: list[tuple[_Row, ...]] = [()]
        for place, rows in enumerate(lists, 1):
            at = [wanted[one] for one in part[:place]]
            sets = [(*one, row) for one in sets for row in rows if self._keeps((*one, row), at)]
            if len(sets) > _MOST_CHOICES:
                raise Unproven("the choice is too wide")
        front: dict[int, tuple[int, tuple[tuple[_Row, ...], ...]]] = {}
        for one in sets:
            _enter(front, sum(row.stars for row in one), sum(row.cost for row in one), (one,))
        return front

    def _keeps(self, rows: Sequence[_Row], at: Sequence[int]) -> bool:
        """Tell whether the last row may stand beside the others. What no row tells may be anything until its listing is opened."""
        for rule in self.of.rules:
            for name, same in ((rule.same, True), (rule.differ, False)):
                if name and at[-1] in rule.points:
                    own = self._value(rows[-1], name)
                    others = [
                        self._value(row, name)
                        for row, one in zip(rows, at, strict=True)
                        if one in rule.points
                    ]
                    if own == "" or any(
                        other == "" or (None not in (own, other) and (own == other) != same)
                        for other in others[:-1]
                    ):
                        return False
        return True

    def _value(self, row: _Row, name: str) -> str | None:
        """Return the value that a rule compares: `None` while the listing is closed, empty where it does not tell."""
        if row.id in self._opened:
            listing = self._opened[row.id]
            return category_key(listing["store"] or "") if name == "Brand" else _detail(listing, name) or ""
        return self._makers.get(row.id, "") if name == "Brand" else None


def _parts(rules: Sequence[JointRule], wanted: Sequence[int]) -> list[list[int]]:
    """Return the places of points that rules bind together."""
    parts = [{place} for place in range(len(wanted))]
    for rule in rules:
        bound = {place for place, at in enumerate(wanted) if at in rule.points}
        touched = [part for part in parts if part & bound]
        parts = [part for part in parts if not part & bound] + [set().union(*touched)] * bool(touched)
    return [sorted(part) for part in parts]


def _kind(need: JoinedNeed) -> dict[str, Any]:
    return {
        "query": need.category[-1],
        "match": "any",
        "limit": 1,
        "category": " > ".join(need.category[-2:]),
    }


def _joined(one: _Front, other: _Front) -> _Front:
    front: dict[int, tuple[int, tuple[tuple[_Row, ...], ...]]] = {}
    for (stars, (cost, sets)), (more, (added, rest)) in every_choice(one.items(), other.items()):
        _enter(front, stars + more, cost + added, tuple((*a, *b) for a in sets[:2] for b in rest[:2]))
    return front


def _enter(
    front: dict[int, tuple[int, tuple[tuple[_Row, ...], ...]]],
    stars: int,
    cost: int,
    sets: tuple[tuple[_Row, ...], ...],
) -> None:
    known = front.get(stars)
    if known is None or cost < known[0]:
        front[stars] = (cost, sets[:2])
    elif cost == known[0]:
        front[stars] = (cost, (*known[1], *sets)[:2])


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
