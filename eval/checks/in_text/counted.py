"""What so many of one thing cost: `two of them cost $73.98`, `three packs will do, at $62.97`, `four of the Kilnbrook would cost $76.00`.

Wrong where no price of what the report names up to there and no amount that it says comes to it, so many times or in as many packs as so many fill. Left
alone where something is taken off, where several things are counted, and where nothing before it has a price.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from math import ceil

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.in_text.amounts import accused, amounts_in_prose
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.known import numbers_in
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.wording.numbers import SPOKEN, number_said

_WHOLE = r"packs?|packages|box(?:es)?|bags|bottles|tubs|tubes|rolls|cans|sets|jars|cartons|pairs|kits|cases"
_COUNTED = re.compile(
    rf"(?<![\w.,$-])(?<!\bthe\s)(?<!\bthese\s)(?<!\bthose\s)(?<!\ball\s)(?<!\byour\s)(?<!\bmy\s)(?P<n>{SPOKEN}|\d{{1,2}})\s(?:(?:more|such|full|whole|identical)\s)?"
    rf"(?P<of>of\s(?:them|these|those|it|the|your|its|this|that)\b(?!\s(?:{SPOKEN}|\d))|(?:(?!are|is|were|make|have|priced|different|other|of)[a-z-]{{2,12}}\s)?(?:{_WHOLE})\b|(?P<name>(?=[*_\[]{{0,3}}(?-i:[A-Z][a-z]))))",
    re.I,
)
"""How many of what: of what was named, packs of it, or its name."""
_COSTS = re.compile(
    r"(?:\b(?:costs?|costing|come(?:s|ing)?\sto|would\sbe|will\sbe|are|is|make[s]?|makes|run(?:s|ning)?(?:\sto)?|total(?:s|ling|ing)?|add\sup\sto|for|you\spay|pay|at|set\syou\sback|or|need|needs)\b|[:=,(–—-])\s?(?:(?:about|around|roughly|some|just|only|exactly|you|a\stotal\sof|nearly|almost|together|in\sall|altogether)\s){0,3}[\s*_(]{0,4}$",
    re.I,
)
_NOT = re.compile(
    r"\b(?:each|apiece|per|off|discounts?|coupons?|vouchers?|codes?|sale|tax|shipping|gift\scard|credit|save[sd]?|saving|percent|half|less|more\sthan|under|over|below|within|up\sto|cheaper|dearer|left|spare|if\sthe\sprice|used\sto|elsewhere|online|web|orders?|ordered|bought|spent|paid|stars?|ratings|reviews|plus|and|with|add|adds|adding|both|total|subtotal|instead|together|sum|another|remaining|rest|budget|limit|cap|years?|months?|weeks?|days?)\b|%",
    re.I,
)
_BESIDES = re.compile(rf"\b(?:one|an?|{SPOKEN}|\d{{1,2}})\s[^.;:!?]{{1,50}}[,&+]\s[*_]{{0,3}}$", re.I)
"""Before a count: something else is counted too."""
_SAME = re.compile(r";|\bsame\b")
_AT = re.compile(r"\b(?:at|for)\s(?:[a-z]{2,8}\s){0,2}[*_]{0,3}$", re.I)
_MOST, _LARGE, _TITLED, _MARKS = 120, 24, 8, 4
"""Amounts of a report that are looked into, the most of one thing, numbers of a title, and marks before a name."""
_SLACK = 0.006


def wrong_counted(mentions: Mentions) -> Iterator[Accusation]:
    """Amounts that so many of no one thing near come to."""
    text = mentions.plain
    if _COUNTED.search(text) is None:
        return
    held = sight_of(mentions).held
    for figure, sentence in islice(amounts_in_prose(held), _MOST):
        many = _many(held, text, figure, sentence)
        if not many or figure.void or figure.elsewhere or figure.cue.kind in ("unit", "rest", "gap", "limit"):
            continue
        is_at = _AT.search(text, sentence[0], figure.start) is not None
        values = list(_values(held, figure, sentence))
        if values and not any(_comes_to(figure, many, value, packs, is_at) for value, packs in values):
            told = f"said {{}} of {many}, which {many} of nothing near it come to"
            yield accused("counted", mentions, figure, told)


def _many(held: HeldAgainst, text: str, figure: Figure, sentence: Span) -> int:
    """How many of one thing an amount is said of; 0 where it may be of something else."""
    before = held.ledger.within(sentence[0], figure.start)
    low = before[-1].end if before else sentence[0]
    found = list(_COUNTED.finditer(text, low, figure.start))
    if len(found) != 1 or _COSTS.search(text, found[0].end(), figure.start) is None:
        return 0
    match = found[0]
    if _SAME.search(text, match.end(), figure.start) or _BESIDES.search(text, low, match.start()):
        return 0
    clause = max(low, text.rfind(";", low, match.start()) + 1), figure.end + 24
    if _NOT.search(text, clause[0], min(clause[1], sentence[1])):
        return 0
    named = held.cast.within(low, figure.start)
    if match["name"] is not None and not any(
        match.end() <= one.start <= match.end() + _MARKS for one in named
    ):
        return 0
    names = {one.products for one in named}
    many = int(number_said(match["n"]))
    return many if len(names) <= 1 and 1 < many <= _LARGE else 0


def _values(held: HeldAgainst, figure: Figure, sentence: Span) -> Iterator[tuple[float, list[float]]]:
    """What one of it may cost, with the numbers of its title."""
    keys = {key for one in held.cast.within(0, sentence[1]) for key in one.products}
    for key in sorted(keys):
        product = held.cast.products.get(key)
        if product is not None and product.price is not None:
            yield product.price, [value for value, _ in numbers_in(product.title, _TITLED) if value > 1]
    for one in held.ledger.within(0, sentence[1]):
        if one.start != figure.start:
            yield one.value, []


def _comes_to(figure: Figure, many: int, value: float, packs: list[float], is_at: bool) -> bool:
    """Whether so many of what has a price come to an amount, or it is that price itself (`three at $18.99`)."""
    at_it = [value] if is_at else []
    ways = [
        *at_it,
        many * value,
        *(many * value / by for by in packs),
        *(ceil(many / by) * value for by in packs),
    ]
    return any(figure.low - _SLACK <= one <= figure.high + _SLACK for one in ways)
