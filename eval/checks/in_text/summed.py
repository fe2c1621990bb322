"""What several things come to that are named right before, or in the table right above: `both together: $63.99`, `those four add up to $75.96`.

Wrong where no so many of what is named or priced near it come to it, each once or as often as is said there. Left alone where something is taken off or
added, of what was ordered, of some of more things, of a kind or a maker's things (`the three Tidewells`), and where nothing near it is so many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, islice, product

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.in_text.amounts import accused, amounts_in_prose, prices_in_sight
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.wording.numbers import SPOKEN, number_said

_SO_MANY = re.compile(
    rf"(?<!of\s)\b(?:(?P<both>both|the\s(?:pair|duo|couple)(?!\sof\b)|the\stwo)|(?:(?:all|the|these|those|your|my|our|just)\s){{1,2}}(?P<n>{SPOKEN}|\d{{1,2}}))\b(?![\s-]packs?\b|-|\s(?:of\s)?(?:\d|{SPOKEN}))",
    re.I,
)
_TOGETHER = re.compile(
    r"\b(?:together|in\sall|altogether|all\stold|combined|in\stotal|in\ssum|add\sup\sto|sum\sto)\b", re.I
)
_ADDS = re.compile(
    r"(?:\b(?:costs?|costing|com(?:e|es|ing)\s(?:in\s)?(?:to|at)|make[s]?|making|run(?:s|ning)?(?:\sto)?|total(?:s|ling|ing)?|(?:add|adds|adding)(?:\sup)?\sto|sum(?:s|ming)?(?:\sup)?\sto|for|you\spay|pay|at|set\syou\sback|be|are|is|amount\sto)\b|[:=(–—])\s?(?:(?:about|around|roughly|some|just|only|exactly|you|a\stotal\sof|nearly|almost|together|in\sall|altogether|combined|in\stotal|to)\s){0,3}[\s*_(]{0,4}$",
    re.I,
)
_COUNT = re.compile(
    rf"\b(?:(?P<n>{SPOKEN}|\d{{1,2}})|(?P<two>pairs?|twice|second|another|double|both|twins?))\b(?![.,]\d|%)",
    re.I,
)
_OF_MORE = re.compile(r"\bof\s(?:the|these|those|your|my|our|them|all)\b", re.I)
"""So many of more are meant: which ones is not said."""
_BESIDES = re.compile(r"(?:\band\s|\bplus\s|\bwith\s|,\s|\+\s|&\s)[*_]{0,3}$", re.I)
"""Before so many: something else is counted too."""
_COMMA = re.compile(r",\s(?:together|in\sall|altogether|combined|in\stotal|in\ssum)?[\s*_]{0,4}$", re.I)
_BEHIND = re.compile(
    r"[\s*_]{0,4}(?:together|in\sall|altogether|all\stold|combined|in\stotal|in\ssum)\b", re.I
)
_NOT = re.compile(
    r"\b(?:each|apiece|per|off|discounts?|coupons?|vouchers?|codes?|sale|tax|shipping|gift\scard|credit|save[sd]?|saving|percent|half|less|more|under|over|below|within|(?<!add\s)(?<!adds\s)up\sto|cheaper|dearer|left|spare|elsewhere|online|web|spent|paid|stars?|ratings|reviews|average|mean|median|difference|apart|gap|add(?:s|ing)?\s(?:a|the|another)|remaining|rest|place\sof|orders?|today|kept|no|plus|budget|limit|cap|ceiling|years?|months?|weeks?|days?|without|with|if|drop|leave|swap|instead)\b|%|\s[+&]\s",
    re.I,
)
_NOT_BEHIND = re.compile(
    r"[\s*_]{0,4}(?:(?:is|and|or|kept|in|of|to|too|already)\s){0,2}(?:each|apiece|per|an?|off|less|more|over|under|below|above|beyond|past|left|much|cheaper|dearer|saved?|kept|savings?|spare|short|your)\b",
    re.I,
)
"""Behind an amount: it is no sum."""
_PICKED = re.compile(
    r"\s(?:together|combined|in|come|comes|cost|costs|would|will|add|adds|make|makes|sum|total|is|are|at|for|things|items|picks|products|of\sthem|run|amount)\b|\s?[\s*_]{0,3}[:=,]",
    re.I,
)
"""Behind `the three`: those that were named are meant."""
_MOST, _ABOVE, _BESIDE = 120, 12, 4
"""Amounts of a report that are looked into, lines above one whose things may be meant, and lines between it and a table."""
_POOL, _TIMES, _FEW, _TWO = 9, 3, 6, 2
"""Prices of which some are added up; how many may each be taken more than once; how many may be the same thing; what is several."""
_OF_ONE, _COUNTS, _LEAD = 24, 5, 240
"""The most of one thing, how many numbers may say so, and characters before a line that may."""
_SLACK = 0.006


def wrong_summed(mentions: Mentions) -> Iterator[Accusation]:
    """Sums of so many that nothing near comes to."""
    text = mentions.plain
    if not (_SO_MANY.search(text) or _TOGETHER.search(text)):
        return
    held = sight_of(mentions).held
    for figure, sentence in islice(amounts_in_prose(held), _MOST):
        many, told_at = _many(held, text, figure, sentence)
        if (
            many is None
            or figure.void
            or figure.elsewhere
            or figure.cue.kind in ("unit", "rest", "gap", "limit")
        ):
            continue
        counts = _counts(held, text, figure, sentence, told_at)
        if figure.value < 1 or _is_one_cost(held, figure, counts):
            continue
        every = list(_groups(held, figure, sentence))
        groups = [one for one in every if len(one) >= max(many, _TWO)]
        if many and any(_is_repeated(figure, many, one) for one in every):
            continue
        if groups and not any(_comes_to(figure, many, counts, one) for one in groups):
            told = f"said {{}} of {many or 'several'} together, which no prices near it come to"
            yield accused("summed", mentions, figure, told)


def _many(held: HeldAgainst, text: str, figure: Figure, sentence: Span) -> tuple[int | None, Span]:
    """Of how many things an amount is said to be the sum; 0 where that is not said, nothing where it is no sum."""
    before = held.ledger.within(sentence[0], figure.start)
    low = before[-1].end if before else sentence[0]
    told = list(_SO_MANY.finditer(text, low, figure.start))
    together = _TOGETHER.search(text, low, figure.start) or _BEHIND.match(text, figure.end)
    if len(told) > 1 or _OF_MORE.search(text, low, figure.start) or _NOT.search(text, low, figure.start):
        return None, sentence
    if _NOT_BEHIND.match(text, figure.end) or (told and not _is_of_the_named(held, text, told[0], figure)):
        return None, sentence
    comma = _COMMA.search(text, low, figure.start)
    if not (_ADDS.search(text, low, figure.start) or (together and comma)):
        return None, sentence
    if told and _BESIDES.search(text, low, told[0].start()):
        return None, sentence
    if told:
        many = 2 if told[0]["both"] else int(number_said(told[0]["n"]))
        return many if 1 < many <= _POOL else None, told[0].span()
    return (0 if together else None), (low, low)


def _is_of_the_named(held: HeldAgainst, text: str, told: re.Match[str], figure: Figure) -> bool:
    """Whether so many are those named before, and not some of a kind or of a maker (`the three Tidewells`)."""
    if told[0].casefold().startswith(("the ", "your ", "my ", "our ", "just ")) and not told[
        0
    ].casefold().endswith(("pair", "duo", "couple")):
        return _PICKED.match(text, told.end()) is not None
    named = held.cast.within(told.end(), figure.start)
    return all(len(one.products) == 1 for one in named)


def _is_one_cost(held: HeldAgainst, figure: Figure, counts: Sequence[int]) -> bool:
    """Whether one thing costs it, or so many of one as are said; or it is less than anything costs."""
    said = (one.value for one in held.ledger.figures if one.start != figure.start)
    costs = {*prices_in_sight(held), *said}
    if figure.high < min(prices_in_sight(held), default=0.0):
        return True
    return any(figure.holds(many * one) for one in costs for many in counts)


def _counts(held: HeldAgainst, text: str, figure: Figure, sentence: Span, told: Span) -> list[int]:
    """How often something may be taken: as its sentence or those before it on its line say."""
    line = held.prose.line_at(figure.start)
    low = sentence[0] if line is None else line.start
    found = {1}
    for match in _COUNT.finditer(text, max(0, low - _LEAD), sentence[1]):
        if told[0] <= match.start() < told[1] or figure.start <= match.start() < figure.end:
            continue
        found.add(2 if match["two"] else min(int(number_said(match["n"])), _OF_ONE))
    return sorted(found)


def _groups(held: HeldAgainst, figure: Figure, sentence: Span) -> Iterator[list[float]]:
    """Prices of what may be added up: of its sentence, with the one before, of its line, of the lines and the table above."""
    yield from _tables(held, figure)
    line = held.prose.line_at(figure.start)
    if line is None:
        return
    spans = [sentence, held.with_before(sentence), (line.start, sentence[1])]
    lines = held.cast.lines
    at = held.index(line)
    for back in range(1, _ABOVE):
        if at - back >= 0:
            spans.append((lines[at - back].start, sentence[1]))
    for span in spans:
        yield from _of(held, span, figure)


def _of(held: HeldAgainst, span: Span, figure: Figure) -> Iterator[list[float]]:
    """The prices of what a stretch names, the amounts that it says, and both."""
    keys = dict.fromkeys(
        key for one in held.cast.within(*span) if len(one.products) == 1 for key in one.products
    )
    prices = [held.cast.products[key].price for key in keys if key in held.cast.products]
    named = [one for one in prices if one is not None]
    said = [
        one.value
        for one in held.ledger.within(*span)
        if one.start != figure.start and one.cue.kind in ("price", "none", "total") and not one.void
    ]
    yield named
    yield said
    yield [*named, *(one for one in dict.fromkeys(said) if one not in named)]


def _tables(held: HeldAgainst, figure: Figure) -> Iterator[list[float]]:
    """Rows and columns of the table right above or below."""
    lines = held.cast.lines
    line = held.prose.line_at(figure.start)
    if line is None:
        return
    at = held.index(line)
    above = next((i for i in range(at, max(-1, at - _BESIDE), -1) if lines[i].is_row), None)
    below = next((i for i in range(at, min(len(lines), at + _BESIDE)) if lines[i].is_row), None)
    for place in (above, below):
        if place is None:
            continue
        rows = [one for one in lines if one.table == lines[place].table and one.is_row]
        for row in rows:
            yield [one.value for one in held.ledger.within(row.start, row.end)]
        width = max((len(row.cells) for row in rows), default=0)
        for column in range(width):
            yield [
                one.value
                for row in rows
                if column < len(row.cells)
                for one in held.ledger.within(*row.cells[column])[:1]
            ]
        span = rows[0].start, rows[-1].end
        yield from _of(held, span, figure)


def _is_repeated(figure: Figure, many: int, group: Sequence[float]) -> bool:
    """Whether so many come to it where two things or more are taken, one of them more than once."""
    some = list(dict.fromkeys(group))[-_POOL:]
    if len(some) < _TWO or many <= _TWO or many > _FEW:
        return False
    return any(
        figure.holds(sum(each)) for each in combinations_with_replacement(some, many) if len({*each}) > 1
    )


def _comes_to(figure: Figure, many: int, counts: Sequence[int], group: Sequence[float]) -> bool:
    """Whether so many of a group, or all of them, come to an amount: each once, or as often as the sentence says."""
    pool = list(group[-_POOL:])
    sizes = (many,) if many else range(_TWO, len(pool) + 1)
    low, high = figure.low - _SLACK, figure.high + _SLACK
    for size in sizes:
        for some in combinations(pool, size):
            if low <= sum(some) <= high:
                return True
            if size <= _TIMES:
                for each in product(counts[:_COUNTS], repeat=size):
                    if low <= sum(k * x for k, x in zip(each, some, strict=True)) <= high:
                        return True
    return False
