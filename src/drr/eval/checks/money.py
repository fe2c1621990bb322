"""Rules on money: totals are sums of their lines, and keep the limit of the whole."""

from __future__ import annotations

import re
from itertools import product

from drr.eval.checks.base import Subject
from drr.eval.checks.bills import StatedBill, StatedTotal, bills_of, has_scope, totals_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.paid import is_of_order
from drr.eval.checks.results import Check, Tally, unverifiable
from drr.wording.figures import Quantity
from drr.wording.money import amounts
from drr.wording.quantities import quantities
from drr.wording.vocabulary import vocabulary

_CENT = 0.011
_FEW = 8
"""Most lines of a bill for which all numbers of pieces up to three are tried."""


def total(subject: Subject, mentions: Mentions) -> Check:
    """Check that a total without further words is the sum of its lines."""
    tally = Tally()
    for bill in bills_of(mentions):
        place = bill.total.start, bill.total.end
        holds = any(abs(one - bill.total.value) <= _slack(bill.total) for one in bill.sums)
        open_ = not holds and (
            has_scope(mentions.body, bill.total)
            or is_of_order(mentions, place[0])
            or _is_explained(mentions, bill)
        )
        why = f"Total: ${bill.total.value:,.2f}; its lines: ${bill.sums[0]:,.2f}"
        tally.compare(place, None if open_ else holds, why)
    return tally.check("prose" if totals_of(mentions) else "absent")


def _is_explained(mentions: Mentions, bill: StatedBill) -> bool:
    """Tell whether pieces, another amount or a percentage told in the report's text may explain a total: `Two of each:`.

    Where a line says how many pieces it counts, the others count one.
    """
    total, slack, whole = bill.total.value, _slack(bill.total), bill.sums[0]
    prices = [one.price for one in bill.lines]
    is_counted = any(one.costs != (one.price,) for one in bill.lines)
    pieces = () if is_counted or len(prices) > _FEW else product(*((one, 2 * one, 3 * one) for one in prices))
    text = "\n".join(one.text for one in mentions.lines if one.kind in ("text", "heading", "title"))
    others = [
        one.value if one.kind == "money" else whole * one.value / 100
        for one in quantities(text)
        if one.kind in ("money", "share") and one.value != total
    ]
    readings = [*map(sum, pieces), *(whole + sign * one for one in others for sign in (1, -1))]
    return any(abs(one - total) <= slack for one in readings)


def _slack(amount: Quantity) -> float:
    return 0.5 + 1e-6 if amount.whole else _CENT


def budget(subject: Subject, mentions: Mentions) -> Check:
    """Check that a total keeps the limit of the whole."""
    totals, whole = totals_of(mentions), _whole_limit(subject)
    totals = [one for one in totals if not is_of_order(mentions, one.amount.start)]
    tally = Tally()
    values = {round(one.amount.value, 2) for one in totals}
    only = totals[0] if len(values) == 1 else None
    if only is not None and whole is not None:
        _compare_plan(tally, mentions, only, whole)
    if whole is None:
        return unverifiable("question" if subject.query is None and subject.constraints is None else "absent")
    return tally.check("prose", total=None if only is None else only.amount.value, limit=whole)


_LIMITS = vocabulary("limits").either("cap_before", "cap_fillers", "cap_nouns")
_OWN = re.compile(
    rf"(?:^|[.,;:!?(–—]\s|\b(?:I|we)\s(?:(?:can|could|want\sto|will)\s)?|\b(?=(?:my|our)\s(?:\w+\s)?budget\b))(?:(?:{_LIMITS}|in\stotal|in\sall|altogether)\s)*$",
    re.I,
)
"""Text before an amount that names no owner of it but the shopper."""
_WHOLE = re.compile(
    r"(?:\s(?:to\sspend|in\stotal|in\sall|all\sin|altogether|budget)\b)*(?:\sfor\s(?:an?|the|my|our)\s(?!each\b)[^.;:!?$]*|,?\splease)?\s*(?:[.;:!?)](?!\d)|$)",
    re.I,
)
"""Text behind an amount that leaves it the limit of the whole."""


def _whole_limit(subject: Subject) -> float | None:
    """Return the limit on the total: the question's only amount, where words make it the shopper's own for the whole.

    No other word may stand beside it. Without a question it is the limit given.
    """
    wanted = subject.constraints
    if subject.query is None and wanted is not None:
        if wanted.total_max is None and wanted.month_max is not None and wanted.months:
            return round(wanted.month_max * wanted.months, 2)
        return wanted.total_max
    query = subject.limits
    named = amounts(query)
    if len(named) != 1:
        return None
    amount = named[0]
    own, behind = _OWN.search(query[: amount.start]), _WHOLE.match(query, amount.end)
    if own is None or behind is None or not _IS_WHOLE.search(f"{own[0]}|{behind[0]}"):
        return None
    return amount.value


_IS_WHOLE = re.compile(r"\b(?:in\stotal|in\sall|all\sin|altogether|budget)\b", re.I)


def _compare_plan(tally: Tally, mentions: Mentions, only: StatedTotal, limit: float) -> None:
    """Enter a total above the limit as wrong, unless the report names the limit or the difference."""
    place, over = (only.amount.start, only.amount.end), only.amount.value - limit
    if over <= _CENT:
        tally.ok(place)
    elif not any(
        abs(one.value - known) <= _CENT for one in amounts(mentions.body) for known in (limit, over)
    ):
        tally.fail(place, f"Total: ${only.amount.value:,.2f}; limit: ${limit:,.2f}")
