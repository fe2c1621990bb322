"""Sums that a report writes out: `$26.00 ÷ 3 = $8.67`, `3 x 14.99 = 44.97`, and the rows of bills: price times quantity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from drr.eval.checks.base import CheckTally
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions
from drr.wording.numbers import DIGITS, number

_AMOUNT = rf"(?:\\?\$\s?+)?+{DIGITS}(?:\s?+(?:¢|cents?\b))?+"
_TIMES = r"\s?[×÷*]\s?|\s[x]\s|(?<=\d)x(?=[\d$])|\s/\s|(?<=\d)/(?=\d)"
_PLUS = r"\s?\+\s?|\s[-–−]\s"
_EQUATION = re.compile(
    rf"(?<![\w.,$/×÷*+=-])(?<![-–−+×÷*/=x]\s)(?P<left>{_AMOUNT}(?:(?:{_TIMES}|{_PLUS}){_AMOUNT}){{1,12}}+)\s?(?P<sign>[=≈])\s?[*_]{{0,3}}(?P<right>{_AMOUNT})(?![\d%/]|[.,]\d)",
    re.I,
)
_TERM = re.compile(rf"(?P<sign>\$)?\s?(?P<n>{DIGITS})\s?(?P<cents>¢|cents?\b)?", re.I)
_OPERATOR = re.compile(rf"(?P<times>{_TIMES})|(?P<plus>{_PLUS})", re.I)
_MOST = 400
_NEAR = 0.01
"""Share by which what is written as about equal may be off."""
PRICE_HEAD = re.compile(r"\b(?:unit|price|each|cost)\b", re.I)
_COUNT_HEAD = re.compile(r"\b(?:qty|quantity|units|count|pcs|how many|number)\b", re.I)
_LINE_HEAD = re.compile(r"\b(?:line|total|amount|sum|subtotal|extended)\b", re.I)
_MONEY_CELL = re.compile(rf"[\s*_]*+\\?\$?\s?(?P<n>{DIGITS}\.\d\d|{DIGITS})[\s*_]*")
_COUNT_CELL = re.compile(r"[\s*_]*+[x×]?\s?(?P<n>\d{1,3})[\s*_]*")


class _Term:
    """A number of an equation, and by how much it may be rounded."""

    def __init__(self, written: str) -> None:
        match = _TERM.search(written)
        digits = match["n"] if match else "0"
        self.is_money = bool(match and (match["sign"] or match["cents"])) or bool(
            re.search(r"\.\d\d$", digits)
        )
        scale = 0.01 if match and match["cents"] else 1.0
        places = len(digits.partition(".")[2])
        self.value = number(digits) * scale
        self.last = 10.0**-places * scale
        self.slack = 0.5 * self.last if places not in (0, 2) or scale != 1.0 else 0.0


def hold_equations(tally: CheckTally, mentions: Mentions) -> None:
    for match in _written(mentions):
        terms, operators = _parts(match["left"])
        right = _Term(match["right"])
        if not _is_sum(terms, operators, right):
            continue
        value, slack = _worked_out(terms, operators)
        slack += 0.51 * right.last + (_NEAR * abs(value) if match["sign"] == "≈" else 0.0)
        if abs(value - right.value) <= slack + 1e-9:
            tally.ok()
        else:
            tally.fail(match.span(), f"said {match[0].strip()}, it is {value:,.4g}", Certainty.LITERAL)
    for line in mentions.layout.lines:
        if line.kind == "row" and line.header:
            for low, high, said, value in _bill(mentions.plain, line):
                if abs(said - value) <= 0.011:
                    tally.ok()
                else:
                    why = f"said {said:,.2f}, price times quantity is {value:,.2f}"
                    tally.accuse("sum", (low, high), why, Certainty.CELL)


def written_outcomes(mentions: Mentions) -> frozenset[int]:
    """Where the outcomes of written sums stand: they are held against their own sums, right or wrong."""
    return frozenset(match.start("right") for match in _written(mentions))


@lru_cache(maxsize=4)
def _written(mentions: Mentions) -> tuple[re.Match[str], ...]:
    """The sums that a report writes out."""
    return tuple(islice(_EQUATION.finditer(mentions.plain), _MOST))


def _parts(left: str) -> tuple[list[_Term], list[str]]:
    terms: list[_Term] = []
    operators: list[str] = []
    low = 0
    for match in _OPERATOR.finditer(left):
        terms.append(_Term(left[low : match.start()]))
        operators.append(match[0].strip())
        low = match.end()
    return [*terms, _Term(left[low:])], operators


def _is_sum(terms: list[_Term], operators: list[str], right: _Term) -> bool:
    """Not numbers of rows or a date: what is added up is money, or nothing is."""
    adding = any(one in "+-–−" for one in operators)
    if adding:
        return all(one.is_money for one in terms) == right.is_money and any(one.is_money for one in terms)
    if any(one in "/÷" for one in operators) and not any(one.is_money for one in terms):
        return "÷" in operators
    return True


def _worked_out(terms: list[_Term], operators: list[str]) -> tuple[float, float]:
    """Products first; with what the rounding of the terms may make of it."""
    sums = [(terms[0].value, terms[0].slack)]
    signs = [1]
    for operator, term in zip(operators, terms[1:], strict=True):
        value, slack = sums[-1]
        if operator in "+-–−":
            sums.append((term.value, term.slack))
            signs.append(1 if operator == "+" else -1)
        elif operator in "÷/":
            if not term.value:
                return value, float("inf")
            sums[-1] = value / term.value, slack / term.value + abs(value) * term.slack / term.value**2
        else:
            sums[-1] = value * term.value, slack * term.value + abs(value) * term.slack
    return sum(sign * value for sign, (value, _) in zip(signs, sums, strict=True)), sum(
        slack for _, slack in sums
    )


def _bill(plain: str, line: TextLine) -> Iterator[tuple[int, int, float, float]]:
    """Of a row with one price, one quantity and one amount: the amount as said, and what it should be."""
    heads = dict(enumerate(line.header))
    lines = [column for column, head in heads.items() if _LINE_HEAD.search(head)]
    counts = [column for column, head in heads.items() if _COUNT_HEAD.search(head) and column not in lines]
    prices = [
        column
        for column, head in heads.items()
        if PRICE_HEAD.search(head) and column not in (*lines, *counts)
    ]
    if not (len(lines) == len(counts) == len(prices) == 1) or len(line.cells) <= max(
        *lines, *counts, *prices
    ):
        return
    (low, high), count, price = line.cells[lines[0]], line.cells[counts[0]], line.cells[prices[0]]
    said, many, each = (
        _MONEY_CELL.fullmatch(plain, low, high),
        _COUNT_CELL.fullmatch(plain, *count),
        _MONEY_CELL.fullmatch(plain, *price),
    )
    if said and many and each and "." in said["n"] and "." in each["n"]:
        yield low, high, number(said["n"]), int(many["n"]) * number(each["n"])
