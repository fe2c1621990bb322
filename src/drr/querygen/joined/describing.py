"""Prints a specification in plain numbered words, without ids and without answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drr.env.checkable import Constraint
from drr.env.records.lines import priced
from drr.querygen.joined.specification import OrderCondition, Specification, StatedPoint
from drr.wording.currency import DOLLARS, Currency

_MAKER = "The maker of a product is the store that its listing names."
_OPEN = (
    "What has no known price or no stars is not surely right.",
    "If nothing surely fits a point but something may, it cannot be told.",
    "If nothing can be found for a point, the other points stand.",
)
_NEEDS = (
    "A product has the values that the details of its listing state. Where a listing states none, the value is unknown."
    " A value that is asked for is met by that value alone, not by a larger or a smaller one.",
    _MAKER,
    *_OPEN,
    "Prices and stars are today's. A budget counts all pieces. Several pieces of a thing are pieces of one product.",
    "What may be given up is given up in the stated order, and no more of it than it takes.",
    "Of all products or sets that surely keep the rules then, that whose stars add up highest is right, each product counted once."
    " Of equals, that which costs least in all is right.",
)
_ORDERS = (
    "The kind of a product is the last step of its category.",
    _MAKER,
    "An order counts whatever became of it, and for whomever it was. First and last are by the day of the order. A total is that of all pieces of the order at today's price; without a known price it cannot be told.",
    "If no order is of that sort, nothing fits the point, and the other points stand.",
)
_RECORDS = {
    "sheet": "Of several data sheets of the maker, the newest that states the value counts. Where none does, the details of the listing count.",
    "newest": "What was published last is the latest data sheet of the maker, or measurement of a laboratory, that states the value. Without one the details of the listing count.",
    "tested": "Only a laboratory on the web measures. A value that none measured cannot be told.",
}
_STATED = (
    "If several products fit a point about a record, that with the most stars is right; of equals, the cheapest.",
    "Where sheets, laboratories or what was published last are asked about, a listing without a store is of none of the makers.",
    'A page that says "not stated", or has a dash, states no value.',
)
_RULES = (*_NEEDS, *_ORDERS, *_RECORDS.values(), *_STATED)
FRAME_HEAD = "House rules, the same for every question:"
FRAME = "\n".join([FRAME_HEAD, *(f"- {one}" for one in dict.fromkeys(_RULES))])
"""The rules of the house, which stand under the words of every worded question."""
_ASKED = {
    "date": "The order day of the {}",
    "total": "What the {} would come to today",
    "days_again": "The days between the two orders of the {}",
}
_COUNTS = {
    "sheet": "going by the maker's own data sheet",
    "newest": "going by whatever was published last",
    "tested": "as a laboratory measured it",
}
_WHICH = {
    "kind": "{} that I ordered",
    "year": "in {}",
    "status": "(its status: {})",
    "recipient": "for {} as a gift",
    "former_home": "to my former home",
    "again": "twice",
    "first": "(the first of those)",
    "last": "(the last of those)",
}


def described(of: Specification, money: Currency = DOLLARS) -> str:
    """Return the text of a specification. It says that no model worded it."""
    rules = [*(_NEEDS if of.needs else ()), *(_ORDERS if of.figures or of.taken else ())]
    if of.stated:
        rules += [_MAKER, *_OPEN, *(_RECORDS[one.by] for one in of.stated), *_STATED]
    banner = "I want to know the following. (Printed from a specification; no model worded it.)"
    return "\n".join([banner, *asked(of, money), *dict.fromkeys(rules)])


def asked(of: Specification, money: Currency = DOLLARS) -> list[str]:
    """Return the numbered points of a specification and what binds them, without the rules of the house."""
    points = [_need(of, at, money) for at in range(1, len(of.needs) + 1)]
    points += [f"{_ASKED[one.what].format(_which(one.order))}." for one in of.figures]
    points += map(_stated, of.stated)
    numbered = [f"{at}. {point}" for at, point in enumerate(points, 1)]
    return [*numbered, *(_joint(of, money) if of.needs else ())]


def framed(text: str) -> str:
    """Return the words of a question with the rules of the house under them."""
    return f"{text}\n\n{FRAME}"


def unframed(text: str) -> str:
    """Return a question's own words, without the rules of the house."""
    return text.partition(FRAME_HEAD)[0].rstrip()


def _stated(of: StatedPoint) -> str:
    if not of.category:
        return f"The {of.name}, in {of.unit}, of the {_which(of.order)}, {_COUNTS[of.by]}."
    return f"One {of.category[-1]} made by {' or '.join(of.makers)}: {of.name} {of.value}, {_COUNTS[of.by]}."


def _which(chain: Sequence[OrderCondition]) -> str:
    """Return conditions in words, ranks last."""
    found = sorted(chain, key=lambda one: list(_WHICH).index(one.what))
    return " ".join(_WHICH[one.what].format(one.value) for one in found)


def _need(of: Specification, at: int, money: Currency) -> str:
    need, taken = of.needs[at - 1], [one for one in of.taken if one.point == at]
    demands = [_demand(one, money) for one in need.constraints]
    demands += [f"{_detail(one.name)} as of the {_which(one.order)}" for one in taken]
    pieces = f"{need.pieces} pieces of one" if need.pieces > 1 else "One"
    return f"{pieces} {need.category[-1]}{': ' if demands else ''}{', '.join(demands)}."


def _detail(name: str | None) -> str:
    return "maker" if name == "Brand" else str(name)


def _demand(one: Constraint, money: Currency) -> str:
    if one.kind == "attribute":
        return f"{one.name} {one.value}"
    if one.kind == "price_max":
        return f"at most {priced(float(one.value or 0), money)} apiece"
    if one.kind == "brand_is":
        return f"made by {one.value}"
    return f"{one.value:g} {'stars' if one.kind == 'rating_min' else 'ratings'} or more"


def _joint(of: Specification, money: Currency) -> Iterator[str]:
    for rule in of.rules:
        yield f"Points {_listed(rule.points)} must share one {_detail(rule.same)}."
    if of.budget is not None:
        bought = _listed(range(1, len(of.needs) + 1))
        yield f"All pieces of point{'s' * (len(of.needs) > 1)} {bought} together may cost at most {priced(of.budget, money)}."
    for place, one in enumerate(of.concessions):
        first = (
            "If that cannot be had, give up first" if place == 0 else "If that is not enough, give up also"
        )
        instead = f"{_demand(one.instead, money)} will do too" if one.instead else "any will do"
        yield f"{first} {_demand(one.constraint, money)} of point {one.point}: {instead}."


def _listed(points: Sequence[int]) -> str:
    return " and ".join(filter(None, (", ".join(map(str, points[:-1])), str(points[-1]))))
