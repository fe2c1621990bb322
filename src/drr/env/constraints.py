"""Extracts a question's demands by rule: money, time, place, counts and exclusions.

Query generation checks its questions and judging checks the answers with these rules, so both read a budget the same way.
The parser is pure and total: any text gives a `Constraints`, and an unstated demand stays `None`.
"""

from __future__ import annotations

from drr.env.query import Constraints
from drr.wording.currency import DOLLARS, Currency
from drr.wording.dates import deadline, months
from drr.wording.limits import CostLimit, Scope, count, exclusions, limits
from drr.wording.locale import stated_limits
from drr.wording.money import without_foreign
from drr.wording.states import region

_LONGEST = 20_000
"""Longest text read, in characters. A question is a few sentences; the rest of a longer text is a pasted page."""


def parse_constraints(text: str, currency: Currency = DOLLARS) -> Constraints:
    """Return every demand in `text` that code can recognise; if one occurs twice, the stricter. Amounts are in the shop's currency."""
    text = without_foreign(text[:_LONGEST], currency.code)
    text = stated_limits(text, currency, of_whole=True).replace("’", "'")
    found = limits(text)
    return Constraints(
        total_max=_most(found, "total"),
        total_min=_least(found, "total"),
        item_max=_most(found, "item"),
        item_min=_least(found, "item"),
        month_max=_most(found, "month"),
        months=months(text),
        deadline=deadline(text),
        region=region(text),
        count=count(text),
        exclusions=exclusions(text),
    )


def _most(found: list[CostLimit], scope: Scope) -> float | None:
    return min(
        (limit.high for limit in found if limit.scope == scope and limit.high is not None), default=None
    )


def _least(found: list[CostLimit], scope: Scope) -> float | None:
    return max((limit.low for limit in found if limit.scope == scope and limit.low is not None), default=None)
