"""Rules on money: totals are sums of their lines, keep the limit of the whole, and are compared rightly."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drr.eval.checks.base import Subject
from drr.eval.checks.bills import StatedTotal, bills_of, has_scope, totals_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.results import Check, Span, Tally, unverifiable
from drr.wording.money import MoneyAmount, amounts, every_amount
from drr.wording.vocabulary import vocabulary

_CENT = 0.011
_AMOUNT = r"\\?\$\s?(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,7})(?:\.\d\d)?+"
_TERM = rf"(?:(?<![\w.$])\d{{1,3}}\s?[x×*]\s?)?{_AMOUNT}(?:\s?[x×*]\s?\d{{1,3}}(?![\d.]))?"
_WORDS = r"(?:(?![.!?]\s|\)\s?[,.])[^\d$=\n+–−;:|→-]){0,60}+"
_SUM = re.compile(
    rf"(?P<terms>{_TERM}(?:{_WORDS}[+–−-]{_WORDS}{_TERM}){{0,12}}+)\s?=\s?[*_]{{0,3}}(?P<right>{_AMOUNT})(?![\d,]*\d|\s?[x×/÷])"
)
_START = re.compile(r"[=;:|\n→]|[.!?]\s|\)\s?[,.]")
_TIMES = re.compile(r"\d{1,3}(?=\s?[x×*]\s?\\?\$)|(?<=[x×*])\s?\d{1,3}$")
_LIMIT = rf"(?:(?:your|the|my)\s)?(?:(?:budget|limit)\sof\s)?[*_]{{0,2}}(?P<NAME>{_AMOUNT})[*_]{{0,2}}(?:\s(?:budget|limit|cap))?"
_COMPARED = re.compile(
    rf"[ *_]{{0,4}}(?:\.\s(?:That|This|It)(?:['’]s|\sis)\b|[,(;:–—-]?(?:\s(?:which|that)\sis)?)[ *_(]{{0,4}}"
    rf"(?:(?:(?P<rest>{_AMOUNT})[*_]{{0,2}}\s)?(?P<side>within|inside|under|below|over|above)\s{_LIMIT.replace('NAME', 'limit')}"
    rf"|(?:(?:which\s)?leav(?:es|ing)\s(?:you\s)?)?[*_]{{0,2}}(?P<left>{_AMOUNT})[*_]{{0,2}}\s(?:left\s)?(?:of|from)\s{_LIMIT.replace('NAME', 'of')}(?:\sleft)?)"
    r"[*_) ]{0,4}(?:[.!](?!\d)|$)",
    re.M,
)
"""Words right behind a total, up to the end of a sentence, that compare it with a stated limit: `, $17.10 under your $60 budget.`"""
_OVER = frozenset(("over", "above"))
_NEAR = 240
"""Characters before a written sum in which it may begin."""


def total(subject: Subject, mentions: Mentions) -> Check:
    """Check that a total without further words is the sum of its lines, and that written sums are right."""
    tally = Tally()
    for bill in bills_of(mentions):
        place = bill.total.start, bill.total.end
        holds = any(abs(one - bill.total.value) <= _slack(bill.total) for one in bill.sums)
        open_ = not holds and has_scope(mentions.body, bill.total)
        why = f"Total: ${bill.total.value:,.2f}; its lines: ${bill.sums[0]:,.2f}"
        tally.compare(place, None if open_ else holds, why)
    for span, stated, comes_to in _equations(mentions.plain):
        why = f"Sum: ${stated:,.2f}; its terms: ${comes_to:,.2f}"
        tally.compare(span, abs(stated - comes_to) <= _CENT, why)
    return tally.check("prose" if totals_of(mentions) else "absent")


def _slack(amount: MoneyAmount) -> float:
    return 0.5 + 1e-6 if amount.whole else _CENT


def _equations(body: str) -> Iterator[tuple[Span, float, float]]:
    """Yield written sums, `A $19.00 + B $12.50 = $31.50`, and what each comes to. One sign stands between any two amounts."""
    for match in _SUM.finditer(body):
        near = max(0, match.start() - _NEAR)
        low = max((one.end() for one in _START.finditer(body, near, match.start())), default=near)
        terms = list(re.finditer(_TERM, match["terms"]))
        is_sum = len(terms) > 1 or _TIMES.search(match["terms"])
        hedged = any(one.approx for one in amounts(body, low, match.end("terms")))
        if hedged or not is_sum or any(char.isdigit() or char == "+" for char in body[low : match.start()]):
            continue
        signs = [1.0, *(1.0 if one == "+" else -1.0 for one in re.findall(r"[+–−-]", match["terms"]))]
        comes_to = sum(sign * _cost(one[0]) for sign, one in zip(signs, terms, strict=True))
        yield match.span(), _value(match["right"]), round(comes_to, 2)


def _cost(term: str) -> float:
    """Return what a term costs: `2 x $5.99`."""
    many = _TIMES.search(term)
    return (1 if many is None else int(many[0])) * amounts(term)[0].value


def _value(written: str) -> float:
    return float(re.sub(r"[^\d.]", "", written))


def budget(subject: Subject, mentions: Mentions) -> Check:
    """Check that a total keeps the limit of the whole, and that a limit right behind it is compared rightly."""
    totals, whole = totals_of(mentions), _whole_limit(subject)
    tally = Tally()
    for one in totals:
        if (match := _COMPARED.match(mentions.body, one.amount.end)) is not None:
            _compare_behind(tally, one.amount, match)
    values = {round(one.amount.value, 2) for one in totals}
    only = totals[0] if len(values) == 1 else None
    if only is not None and whole is not None:
        _compare_plan(tally, mentions, only, whole)
    if whole is None and not tally.passed and not tally.findings:
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
    query = subject.query or ""
    named = every_amount(query)
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
        abs(one.value - known) <= _CENT for one in every_amount(mentions.body) for known in (limit, over)
    ):
        tally.fail(place, f"Total: ${only.amount.value:,.2f}; limit: ${limit:,.2f}")


def _compare_behind(tally: Tally, total: MoneyAmount, match: re.Match[str]) -> None:
    """Compare a total with the limit that stands right behind it, and with what is over or left."""
    limit = _value(match["limit"] or match["of"])
    over = (match["side"] or "").casefold() in _OVER
    gap = total.value - limit if over else limit - total.value
    if match["side"]:
        why = f"Budget: {match['side']} ${limit:,.2f}; total: ${total.value:,.2f}"
        holds = gap > _CENT if over else gap >= -_CENT
        tally.compare((match.start("side"), match.end("limit")), holds, why)
        if not holds:
            return
    name = "rest" if match["rest"] else "left"
    if match[name]:
        rest = _value(match[name])
        slack = 0.5 if rest == int(rest) and gap != int(gap) else _CENT
        why = f"{'Over' if over else 'Left'}: ${rest:,.2f}; by total and budget: ${gap:,.2f}"
        tally.compare(match.span(name), abs(gap - rest) <= slack, why)
