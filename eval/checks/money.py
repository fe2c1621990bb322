"""Rules on money: totals are the sum of their lines, and statements about the budget beside a total are right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from drr.eval.checks.base import Subject
from drr.eval.checks.bills import StatedTotal, bills_of, has_scope, totals_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.results import Check, Span, Tally, unverifiable
from drr.eval.checks.values import plain_label, segment, split_label, word_list
from drr.wording.figures import numbers
from drr.wording.money import MoneyAmount, amounts, every_amount

_CENT = 0.011
_AMOUNT = r"\\?\$\s?(?:\d{1,3}(?:,\d{3})+|\d{1,7})(?:\.\d\d)?+"
_EQUALS = re.compile(rf"\s?=\s?[*_]{{0,3}}(?P<right>{_AMOUNT})(?![\d,]*\d|\s?[x×/÷])")
_START = re.compile(r"[=;:|\n→]|[.!?]\s|\)\s?[,.]")
_GAP = re.compile(r"[^\d$]*?(?P<sign>[+–−-])[^\d$]*")
_TIMES = re.compile(r"(?<![\w.$])(?P<many>\d{1,3})\s?[x×*]\s?$")
_BEHIND_TIMES = re.compile(r"\s?[x×*]\s?(?P<many>\d{1,3})(?![\d.])")
_FILL = r"\s(?:(?:your|the|my|a|that|stated|total|full|whole|our|of|limit|budget)\s)*[*_]{0,2}"
_SIDE = re.compile(
    rf"(?<!left )\b(?P<side>within|inside|under|below|over|above|exceeds|beyond|out\sof){_FILL}(?:(?P<limit>{_AMOUNT})|budget|limit|cap)",
    re.I,
)
_LEFT = r"(?:left|to\sspare|remain(?:s|ing)?|in\shand|unspent|spare|saved|under|below|over|above|less\sthan|more\sthan)"
_REST = re.compile(
    rf"(?P<rest>{_AMOUNT})[*_]{{0,2}}\s(?:of\s(?:your\s|the\s)?(?P<of>{_AMOUNT})\s(?:is\s)?)?(?P<side>{_LEFT})\b(?:(?:\s(?:of|from|in|on))?{_FILL}(?P<limit>{_AMOUNT}))?",
    re.I,
)
_KEEPS = re.compile(
    rf"\b(?:leav(?:es|ing)|keep|left over)\s(?:you\s)?(?:with\s)?[*_]{{0,2}}(?P<rest>{_AMOUNT})", re.I
)
_CENTS = re.compile(
    rf"(?<![\w.])(?P<cents>\d{{1,2}})\scents\s(?P<side>under|below|over|above){_FILL}(?P<limit>{_AMOUNT})",
    re.I,
)
_YOUR = re.compile(r"\byou", re.I)
_NOT = re.compile(
    r"\b(?:not|no|never|without|cannot|if|would|instead|unless|adding|with the|each|per)\b|n['’]t\b", re.I
)
_OVER = frozenset(("over", "above", "exceeds", "beyond", "more than"))
_LEFT_LABELS = word_list(
    "left|left over|leftover|remaining|budget left|left in budget|remaining budget|budget remaining|headroom|to spare|money left|unspent"
)
_BUDGET_LABELS = word_list(
    "budget|your budget|budget limit|spending limit|stated budget|total budget|limit|budget cap"
)
_KEPT = re.compile(
    r"[–—:(,-]\s?[*_]{0,2}(?:(?P<yes>ok|okay|met|kept|fits|within|yes)|(?P<no>exceeded|over|broken|missed|no))\b",
    re.I,
)
_VERDICT_LABEL = re.compile(
    r"(?P<side>within|under|inside|over|above)\s(?:your\s|the\s)?(?:\$?[\d.,]+\s)?(?:budget|limit|cap)?(?:\s?\(\$[\d.,]+\))?\??",
    re.I,
)
_NEAR = 240
"""Characters behind a total in which a statement about the budget refers to the total."""


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
    """Yield written sums, `A $19.00 + B $12.50 = $31.50`, with one sign between any two amounts."""
    for match in _EQUALS.finditer(body):
        near = max(0, match.start() - _NEAR)
        low = max((one.end() for one in _START.finditer(body, near, match.start())), default=near)
        terms = amounts(body, low, match.start())
        if not terms:
            continue
        behind = terms[-1].end
        if behind < match.start() - 1 and not _BEHIND_TIMES.fullmatch(body, behind, match.start()):
            continue
        comes_to = _sum(body, low, terms)
        if comes_to is not None:
            yield (terms[0].start, match.end()), _value(match["right"]), round(comes_to, 2)


def _sum(body: str, low: int, terms: list[MoneyAmount]) -> float | None:
    """Add up; `None` where anything else is between two amounts, or a number before the first."""
    signs = [1.0]
    for one, other in pairwise(terms):
        times = _BEHIND_TIMES.match(body, one.end)
        before = _TIMES.search(body, one.end, other.start)
        gap = _GAP.fullmatch(
            body, times.end() if times else one.end, before.start() if before else other.start
        )
        if gap is None or (times and before) or any(term.approx for term in (one, other)):
            return None
        signs.append(1.0 if gap["sign"] == "+" else -1.0)
    first = _TIMES.search(body, low, terms[0].start)
    if any(char.isdigit() or char == "+" for char in body[low : first.start() if first else terms[0].start]):
        return None
    if len(terms) == 1 and not (first or _BEHIND_TIMES.match(body, terms[0].end)):
        return None
    return sum(sign * _times(body, one) * one.value for sign, one in zip(signs, terms, strict=True))


def _times(body: str, one: MoneyAmount) -> int:
    match = _TIMES.search(body, max(0, one.start - 8), one.start) or _BEHIND_TIMES.match(body, one.end)
    return 1 if match is None else int(match["many"])


def _value(written: str) -> float:
    return float(re.sub(r"[^\d.]", "", written))


def budget(subject: Subject, mentions: Mentions) -> Check:
    """Check what stands of a budget beside a total: the limit, the side of it, what is left."""
    limits, totals = _limits(subject), totals_of(mentions)
    whole = _whole_limit(subject)
    tally = Tally()
    for one in totals:
        _compare_behind(tally, mentions, one, limits, whole, alone=len(totals) == 1)
    values = {round(one.amount.value, 2) for one in totals}
    only = totals[0] if len(values) == 1 else None
    if only is not None and limits:
        _compare_labels(tally, mentions, only, limits, whole)
        if whole is not None:
            _compare_plan(tally, mentions, only, whole)
    if not limits and not tally.passed and not tally.findings:
        return unverifiable("question" if subject.query is None and subject.constraints is None else "absent")
    return tally.check("prose", total=None if only is None else only.amount.value, limit=whole)


_WHOLE = re.compile(
    r"\b(?:in total|in all|all in|altogether|(?<!his )(?<!her )(?<!their )(?<!['’]s )budget)\b", re.I
)
"""The words of a question that make its only amount the limit of the whole."""
_TIMES_MOST = 24
"""Most pieces or months, of those that a question names, by which its amount may count."""


def _whole_limit(subject: Subject) -> float | None:
    """Return the limit on the total. It is given, or the question's only amount where a word makes it that of the whole."""
    wanted = subject.constraints
    if wanted is None:
        named = _named(subject)
        return named[0] if len(named) == 1 and _WHOLE.search(subject.query or "") else None
    if wanted.total_max is None and wanted.month_max is not None and wanted.months:
        return round(wanted.month_max * wanted.months, 2)
    return wanted.total_max


def _named(subject: Subject) -> list[float]:
    return list(dict.fromkeys(one.value for one in every_amount(subject.query or "")))


def _limits(subject: Subject) -> list[float]:
    """Return every limit that the question may mean. An amount that may be for one piece or month counts several times, too."""
    whole, wanted, named = _whole_limit(subject), subject.constraints, _named(subject)
    if wanted is not None:
        known = (whole, wanted.item_max, wanted.month_max)
        return list(dict.fromkeys(one for one in known if one is not None))
    if whole is not None or len(named) != 1:
        return [] if whole is None else [whole]
    times = [int(one.value) for one in numbers(subject.query or "", words=True) if one.kind != "money"]
    return [round(many * named[0], 2) for many in (1, *times) if 1 <= many <= _TIMES_MOST]


def _compare_plan(tally: Tally, mentions: Mentions, only: StatedTotal, limit: float) -> None:
    """Enter a total above the limit as wrong, unless the report names the limit or the difference."""
    place, over = (only.amount.start, only.amount.end), only.amount.value - limit
    if over <= _CENT:
        tally.ok(place)
    elif not any(
        abs(one.value - known) <= _CENT for one in every_amount(mentions.body) for known in (limit, over)
    ):
        tally.fail(place, f"Total: ${only.amount.value:,.2f}; limit: ${limit:,.2f}")


def _compare_labels(
    tally: Tally, mentions: Mentions, only: StatedTotal, limits: list[float], whole: float | None
) -> None:
    """Compare labelled values: `Budget: $60` is the question's, `Left: $17.02` follows from the total, `Within budget: yes` is true."""
    for line in mentions.layout.lines:
        if line.kind == "row":
            parts = [segment(mentions.body, *cell) for cell in line.cells]
            filled = [one for one in parts if one.text]
            label_and_value = (filled[0].text, filled[1]) if len(filled) == 2 else None
        else:
            label_and_value = split_label(segment(mentions.body, line.start, line.end))
        if label_and_value is None:
            continue
        label, value = plain_label(label_and_value[0].lstrip("-*+•> \t0123456789.")), label_and_value[1]
        found = amounts(value.text)
        span = value.start, value.end
        if len(found) == 1 and not found[0].approx and found[0].start == 0:
            amount = found[0]
            if label in _BUDGET_LABELS:
                known = any(abs(one - amount.value) <= _CENT for one in limits)
                why = f"Budget: ${amount.value:,.2f}; question: ${limits[0]:,.2f}"
                tally.compare(span, known or (None if whole is None else False), why)
                if (word := _KEPT.search(value.text, amount.end)) is not None:
                    kept = word["no"] is None
                    for place, holds, why in _verdict(
                        span, kept, only.amount.value, [amount.value], value.text
                    ):
                        tally.compare((place[0], place[1] + 1), holds, why)
            elif label in _LEFT_LABELS:
                tally.compare(span, *_rest(amount.value, [only.amount.value], limits, over=False))
        elif (match := _VERDICT_LABEL.fullmatch(label_and_value[0].strip("-*+•> _"))) and value.text[
            :3
        ].casefold().strip(".,! ") in ("yes", "no"):
            over = match["side"].casefold() in _OVER
            says = (value.text[:3].casefold().strip(".,! ") == "yes") != over
            for place, holds, why in _verdict(span, says, only.amount.value, limits[:1], label_and_value[0]):
                tally.compare(place, holds, why)


_AFTER = re.compile(r"\n\s*\n|\n[ \t]*#|\b[Tt]otal\b")
_AFTER_ONE = re.compile(r"\n\s*\n[^\n]+\n\s*\n|\n[ \t]*#|\b[Tt]otal\b")
"""Patterns that end the words about a report's only total, one paragraph further than for several totals."""


def _compare_behind(
    tally: Tally,
    mentions: Mentions,
    one: StatedTotal,
    limits: list[float],
    whole: float | None,
    *,
    alone: bool,
) -> None:
    """Compare the words right behind a total: `within your $60`, `$17.02 under your $60 budget`, `leaving $17.02`."""
    low = one.amount.end
    costs = [one.amount.value, *(each.value for each in amounts(mentions.body))]
    text = mentions.body[low : low + _NEAR]
    after = (_AFTER_ONE if alone else _AFTER).search(text)
    text = text[: after.start()] if after else text
    for start, end in _sentences(text):
        part = text[start:end]
        if (stated := _BUDGET_LINE.match(part)) is not None:
            limits = [_value(stated["limit"])]
            continue
        if not limits and (match := _STATED_BUDGET.search(part)) is not None:
            limits = [_value(match["limit"])]
        span, wrong = _compare_stated_budget(part, costs, limits, known=whole is not None)
        for low_high, holds, why in span:
            tally.compare((low + start + low_high[0], low + start + low_high[1]), holds, why)
        if wrong or amounts(part):
            return


_BUDGET_LINE = re.compile(
    rf"[\s>*_-]*(?:[Yy]our |[Tt]he )?[Bb]udget[^$\n]{{0,30}}:[^$\n]{{0,12}}(?:\d\s?x\s?{_AMOUNT}\s?=\s?)?(?P<limit>{_AMOUNT})[\s*_.]*$"
)
"""A line that only states the budget."""
_STATED_BUDGET = re.compile(rf"\b[Bb]udget:?\s(?:of\s)?[*_]{{0,2}}(?P<limit>{_AMOUNT})")
_Compared = list[tuple[Span, bool | None, str]]


def _compare_stated_budget(
    part: str, costs: Sequence[float], limits: list[float], *, known: bool
) -> tuple[_Compared, bool]:
    """Compare one sentence behind a total. Also tells whether the sentence was about the budget and nothing follows it."""
    found: _Compared = []
    cost, yours = costs[0], known or _YOUR.search(part) is not None
    rest = _REST.search(part) or _KEEPS.search(part)
    if rest is not None and "than" in (rest.groupdict().get("side") or "") and not rest["limit"]:
        rest = None  # less than another plan
    cents, side = _CENTS.search(part), _SIDE.search(part)
    ways = [one for one in (rest, cents, side) if one is not None]
    first = min(ways, key=lambda one: one.start(), default=None)
    if (named := _STATED_BUDGET.search(part)) is not None:
        found += _limit(named.span(), named["limit"], limits, yours=yours)
    if first is None or _NOT.search(part[: first.end()]):
        return found, first is not None
    if rest is not None:
        given = rest.groupdict().get("limit") or rest.groupdict().get("of")
        over = (rest.groupdict().get("side") or "").casefold() in _OVER
        if against := [_value(given)] if given else limits:
            found.append((rest.span("rest"), *_rest(_value(rest["rest"]), costs, against, over=over)))
            found += _limit(rest.span(), given, limits, yours=yours)
    elif cents is not None:
        over, amount = cents["side"].casefold() in _OVER, int(cents["cents"]) / 100
        found.append((cents.span(), *_rest(amount, costs, [_value(cents["limit"])], over=over)))
    if side is not None and (rest is None or side.end() <= rest.start()):
        before = [one.value for one in amounts(part[: side.start()])]
        own = set(before) <= set(limits)
        against = [_value(side["limit"])] if side["limit"] else before if own and before else limits
        if against and own:
            found += _verdict(side.span(), side["side"].casefold() not in _OVER, cost, against, side[0])
            found += _limit(side.span(), side["limit"], limits, yours=yours)
    return found, bool(found)


def _sentences(text: str) -> Iterator[Span]:
    ends = [0, *(match.end() for match in re.finditer(r"(?<!\d)[.!?]\s|(?<=\d)\.\s|\n", text)), len(text)]
    return pairwise(ends)


def _rest(amount: float, costs: Sequence[float], limits: list[float], *, over: bool) -> tuple[bool, str]:
    """Tell whether an amount is what one of the limits leaves of a cost in the report."""
    gaps = [cost - one if over else one - cost for cost in costs for one in limits]
    holds = any(
        abs(gap - amount) <= (0.5 if amount == int(amount) and gap != int(gap) else _CENT) for gap in gaps
    )
    return holds, f"{'Over' if over else 'Left'}: ${amount:,.2f}; by total and budget: ${gaps[0]:,.2f}"


def _verdict(span: Span, within: bool, cost: float, limits: list[float], text: str) -> _Compared:
    sides = {cost <= one + _CENT for one in limits}
    why = f"Budget: {' '.join(text.split())}; total: ${cost:,.2f}, limit: ${limits[0]:,.2f}"
    return [(span, within in sides, why)] if len(sides) == 1 else []


def _limit(span: Span, word: str | None, limits: list[float], *, yours: bool) -> _Compared:
    """Check that a limit that the report calls the user's is one that the question may mean."""
    if word is None or not limits or not yours or any(abs(_value(word) - one) <= _CENT for one in limits):
        return []
    return [(span, False, f"Budget: {word}; question: ${limits[0]:,.2f}")]
