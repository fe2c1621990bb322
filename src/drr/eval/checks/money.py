"""Rules on money: totals are sums of their lines, and keep the limit of the whole."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from drr.env.shop import money_of
from drr.eval.checks.base import Subject
from drr.eval.checks.bills import SCOPE, SENTENCE, StatedBill, StatedTotal, bills_of, has_scope, totals_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.paid import is_of_order
from drr.eval.checks.results import Check, Tally, unverifiable
from drr.wording.budgets import StatedLimit, stated_limit
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
    asked = _limit(subject)
    if asked is None or asked.most is None:
        given = subject.query is not None or subject.constraints is not None
        return unverifiable("limit_not_understood" if asked else "absent" if given else "question")
    totals = [one for one in totals_of(mentions) if not is_of_order(mentions, one.amount.start)]
    only = totals[0] if len({round(one.amount.value, 2) for one in totals}) == 1 else None
    tally = Tally()
    if only is not None:
        _compare_plan(tally, mentions, only, asked.most)
    return tally.check("prose", total=None if only is None else only.amount.value, limit=asked.most)


def _limit(subject: Subject) -> StatedLimit | None:
    """Return the limit that a person set. Without a question it is that of the demands."""
    wanted, asked = subject.constraints, subject.query if subject.asked is None else subject.asked
    if subject.budget is not None:
        return StatedLimit(subject.budget)
    if asked is not None or wanted is None:
        money = money_of(subject.shop)
        return stated_limit(asked or "", replace(money, language=subject.language or money.language))
    if wanted.total_max is None and wanted.month_max is not None and wanted.months:
        return StatedLimit(round(wanted.month_max * wanted.months, 2))
    return None if wanted.total_max is None else StatedLimit(wanted.total_max)


def _compare_plan(tally: Tally, mentions: Mentions, only: StatedTotal, limit: float) -> None:
    """Enter a total above the limit as wrong, unless the report denies the total or says that it is above."""
    place, over = (only.amount.start, only.amount.end), only.amount.value - limit
    if over <= _CENT:
        tally.ok(place)
    elif not _is_admitted(mentions, only, limit):
        tally.fail(place, f"Total: ${only.amount.value:,.2f}; limit: ${limit:,.2f}")


_ADMITS = {
    one.split()[0] for group in ("negations", "beyond", "surpassing") for one in vocabulary("limits")[group]
}
"""First words of what says `not` or `above`. A sentence with the limit and one of them is open."""


def _is_admitted(mentions: Mentions, only: StatedTotal, limit: float) -> bool:
    """Tell whether a report denies its total, or says that it is above the limit.

    A sentence says so that names the difference, the total beside the limit, or the limit beside a word for `not` or `above`.
    """
    total = only.amount.value
    start, end = only.line
    if only.is_text and _has(mentions.body[start : only.amount.start]):
        return True
    if SCOPE.search(mentions.body, only.amount.end, end):
        return True
    for line in mentions.lines:
        for sentence in SENTENCE.split(mentions.body[line.start : line.end]):
            named = [one.value for one in amounts(sentence)]
            if min((abs(one - total + limit) for one in named), default=1) < _CENT:
                return True
            if limit in named and (total in named or _has(sentence)):
                return True
    return False


def _has(text: str) -> bool:
    words = text.casefold().replace("\u2019", "'").split()
    return any(one.strip("*_.,:;()") in _ADMITS or "n't" in one for one in words)
