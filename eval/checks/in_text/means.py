"""Means and medians of amounts, `their mean price is $22.31`: some two or more of the prices and amounts in sight must come to it.

Of which of them it is the mean is not asked. Left alone where it may be of what is not in sight, or of something more than once, and where so much
is in sight that anything comes to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice
from statistics import median
from typing import NamedTuple

from drr.eval.checks.base import Accusation
from drr.eval.checks.in_text.amounts import accused, near, prices_in_sight
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.residue import residue_of
from drr.wording.cues import CUES
from drr.wording.numbers import SPOKEN, number_said

_BEFORE = re.compile(
    r"\b(?:(?P<mean>mean|average[sd]?|averaging)|median)\b(?!-)(?P<of>[^\d$¢.;!?\n]{0,70})$",
    re.I,
)
"""The word, and nothing between it and its amount that has a figure of its own."""
_BEHIND = re.compile(r"[ *_]{0,3}(?:(?:each|apiece|a\s[a-z]{2,12})\s)?on\saverage\b", re.I)
_ITS_OWN = re.compile(
    r"(?:\b(?:an?|its|the|their)\s[*_]{0,3}\$?\d[\d.,]{0,8}|(?<![\d$.])\d\.\d)[*_]{0,3}(?:[\s-]stars?)?[\s-](?:on\s|as\san\s)?[*_]{0,3}$",
    re.I,
)
"""Before the word: the figure that is the mean."""
_APART = re.compile(
    r"[\s*_]{1,4}(?:cheaper|dearer|costlier|pricier|less|more|lower|higher|off|left|saved|to\sspare|extra|apart|short)\b",
    re.I,
)
"""Behind an amount: it lies between two others."""
_RATED = re.compile(
    r"\b(?:ratings?|rated|stars?|scores?|reviews?|better|worse)\b"
    r"|\b(?:and|but|yet|while|though)\s(?:(?:it|they|you|still|only|also|would|will|can)\s){0,3}(?:costs?|asks?|saves?|lists?|sells?|comes|goes|is|are|has|pays?)\b",
    re.I,
)
"""Between the word and an amount: it is a mean of stars, or what follows is told by a verb of its own."""
_COMPARED = re.compile(
    r"\b(?:higher|highest|better|best|lower|lowest|worse|worst|stronger|same)[\s-]{1,2}$", re.I
)
"""Before the word: which of two has the better one is said of stars."""
_MANY = re.compile(
    rf"\b(?:of|over|across|for|among|between|the|these|those|all)\s(?:(?:the|these|those|all|my|our)\s){{0,2}}(?P<n>{SPOKEN}|\d{{1,2}}|both)\b",
    re.I,
)
_ENDS = re.compile(r"[;:,(|]|\.\s")
_NAMES = re.compile(r"\b(?:on\s|the\s|an?\s)?(?:mean|average[sd]?|averaging|median)\b", re.I)
"""What a mean is called, which elsewhere is a word of other people's money."""
_NOT_IN_SIGHT = re.compile(
    r"\b(?:shop|store|catalogu?e|categor(?:y|ies)|market|aisle|shelf|shelves|department|every|everything|whole|entire|range|history|orders?|ordered|bought|buy|purchases?d?|"
    r"spen[dt]|spending|items?|basket|typical(?:ly)?|usual(?:ly)?|sites?|survey|guide|magazine|industry|national(?:ly)?|americans?|households?|gifts?|elsewhere|below|above|over|under|"
    r"if|would|could|might|without|leave|drop(?:ping|s)?|instead|coupon|discount|shipping|tax|weighted|other|others|rest|remaining|month(?:ly|s)?|weeks?|years?|days?|"
    r"customary|norm|mine|my|lifetime|paid)\b|\byou(?:r|rs|['’]ve)?\b|\?",
    re.I,
)
"""What it is the mean of may be something that is not in sight."""
_REPEATED = re.compile(
    r"\b(?:second|third|another|one\smore|again|twice|double|cop(?:y|ies)|of\seach|extra|pairs?|dozen)\b|[×]|\bx\s?\d|\d\s?x\b|\b(?:qty|quantity|quantities)\b|"
    r"\b(?:two|three|four|five|six|\d)\s(?:of\sth(?:e|ese|ose)\s)?[*_\[]{0,3}(?!(?:inch|inches|foot|feet|quart|ounce|fl|pound|pack|count|piece|liter|gallon|compartment)s?\b)(?-i:[A-Z][a-z])",
    re.I,
)
"""Some of them may be meant more than once: that is not tried."""
_FEWEST, _POOL, _WIDE, _COUNT = 2, 11, 22, 5
"""Values that a mean is of; those in sight of which any may be; where their number is said, and up to which number."""
_NO_PRICE = frozenset(("unit", "limit", "rest", "gap"))
"""What words make of an amount that is none of those that a mean is of."""
_MOST = 12
"""Means of a report that are looked into."""
_CENTS = re.compile(r"\d\.\d\d$")
_ROUNDED = 0.011
_SHORT = 24
_REACH, _BACK = 120, 300
"""Characters before an amount in which it is called a mean, and before its sentence in which something may be meant more than once."""


class MeanSaid(NamedTuple):
    figure: Figure
    is_median: bool
    many: int | None
    """Of how many it is said to be."""


def wrong_means(mentions: Mentions) -> Iterator[Accusation]:
    """Means that no two or more of the values in sight come to."""
    held = sight_of(mentions).held
    for said in islice(means_said(mentions, held), _MOST):
        values = _values(held, said.figure)
        if _is_decided(said, values) and not _is_made(held, said, values):
            word = "median" if said.is_median else "mean"
            told = f"said a {word} of {{}}, which no prices or amounts in sight come to"
            yield accused("mean_told", mentions, said.figure, told)


def means_said(mentions: Mentions, held: HeldAgainst) -> Iterator[MeanSaid]:
    text, residue = mentions.plain, residue_of(mentions)
    for figure in held.ledger.figures:
        line = held.prose.line_at(figure.start)
        if line is None:
            continue
        sentence = figure.sentence if line.is_row else held.prose.sentence_at(figure.start)
        span = near(sentence, figure, figure)
        row = near((line.start, line.end), figure, figure) if line.is_row else span
        before = _BEFORE.search(text, max(row[0], figure.start - _REACH), figure.start)
        if figure.void or (before is None and _BEHIND.match(text, figure.end) is None):
            continue
        if _is_of_another(text, figure, before):
            continue
        ends = _ENDS.search(text, figure.end, span[1])
        around = (span[0], span[1] if ends is None else ends.start())
        if _REPEATED.search(text, max(0, span[0] - _BACK), around[1]):
            continue
        words = _NAMES.sub(" ", text[span[0] : figure.start]), _NAMES.sub(" ", text[figure.end : around[1]])
        if CUES.is_elsewhere(*words) or _NOT_IN_SIGHT.search(text, *(row if line.is_row else around)):
            continue
        if residue.doubt(around, ("unreal", "conditional", "pace", "charged")) or residue.cites_the_web(span):
            continue
        yield MeanSaid(
            _to_the_cent(text, figure), before is not None and before["mean"] is None, _many(text, before)
        )


def _to_the_cent(text: str, figure: Figure) -> Figure:
    """`About $43.66`: a mean that is said to the cent is near by its rounding alone."""
    if not _CENTS.search(text, figure.start, figure.end):
        return figure
    low, high = figure.value - _ROUNDED, figure.value + _ROUNDED
    return replace(figure, low=max(low, figure.low), high=min(high, figure.high))


def _is_of_another(text: str, figure: Figure, before: re.Match[str] | None) -> bool:
    """Whether the mean is told by a figure right before its word (`a 3.7 average`), or the amount is told by a word of its own (`$26.96 cheaper`)."""
    if before is None or _APART.match(text, figure.end):
        return before is not None
    led = text[max(0, before.start() - _SHORT) : before.start()]
    return bool(_RATED.search(before["of"]) or _ITS_OWN.search(led) or _COMPARED.search(led))


def _many(text: str, before: re.Match[str] | None) -> int | None:
    """`the mean of the three`."""
    match = _MANY.search(text, *before.span("of")) if before is not None else None
    if match is None:
        return None
    return 2 if match["n"].casefold() == "both" else int(number_said(match["n"]))


def _values(held: HeldAgainst, but: Figure) -> list[float]:
    """Prices of what is in sight, each as often as things have it, and the amounts of the text."""
    prices = prices_in_sight(held)
    said = (
        one.value
        for one in held.ledger.figures
        if one.start != but.start and not one.void and one.cue.kind not in _NO_PRICE and one.value >= 1
    )
    return [*prices, *dict.fromkeys(value for value in said if value not in prices)]


def _is_decided(said: MeanSaid, values: Sequence[float]) -> bool:
    """Whether what it may be of is in sight, and not so much that anything may come to it."""
    if said.many is None:
        return _FEWEST <= len(values) <= _POOL
    most = _WIDE if said.many <= _COUNT else _POOL
    return _FEWEST <= said.many <= len(values) <= most


def _is_made(held: HeldAgainst, said: MeanSaid, values: Sequence[float]) -> bool:
    """Also as one of the reader's own, which is said without `your` often enough."""
    low, high = said.figure.low - 1e-6, said.figure.high + 1e-6
    if any(low <= value <= high for value in held.known.spent):
        return True
    if said.is_median:
        return any(low <= median(some) <= high for size in (1, 2) for some in combinations(values, size))
    every = range(_FEWEST, len(values) + 1)
    sizes = every if said.many is None else (said.many,)
    if any(low * size <= sum(some) <= high * size for size in sizes for some in combinations(values, size)):
        return True
    counts = {one.value for one in held.said.all if one.kind in ("count", "orders", "measure")}
    counts.update(map(float, every))
    return any(low <= value / many <= high for value in values for many in counts if many > 1)
