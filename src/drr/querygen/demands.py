"""Reads the demands of a question from English. In other languages a writer states them, and they are found in the text."""

from __future__ import annotations

from drr.env.constraints import parse_constraints
from drr.env.query import Constraints, Query
from drr.wording.currency import DOLLARS, Currency
from drr.wording.money import amounts


def demands_of(query: Query, currency: Currency | None = None) -> Constraints:
    """Return the demands of a question, by default in the currency that it names.

    In another language than English they are those stated limits whose amounts stand in the text; where none are stated,
    the limit that the text sets to the whole.
    """
    currency = currency or Currency(query.currency or DOLLARS.code)
    if query.language is None:
        return parse_constraints(query.query, currency)
    if query.constraints is None:
        read = parse_constraints(query.query, Currency(currency.code, query.language))
        return Constraints(total_max=read.total_max, total_min=read.total_min)
    known = {one.value for one in amounts(currency.as_dollars(query.query))}
    stated = query.constraints.model_dump(exclude_defaults=True)
    return Constraints(**{name: value for name, value in stated.items() if value in known})
