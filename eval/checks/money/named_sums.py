"""Sums whose terms are named: `litter + perch + cushion`, `the hose and the bed come to`; each name one product in play."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product as combinations_of

from drr.eval.checks.base import CheckTally
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.ledger import MoneyLedger
from drr.eval.checks.money.play import Priced
from drr.eval.checks.naming import folded_words
from drr.eval.checks.residue import residue_of
from drr.wording.cues import CUES

_PLUS = re.compile(r"\s(?:\+|plus)\s")
_LISTED = re.compile(r"\s\+\s|,?\s(?:and|plus)\s|,\s")
_AND = re.compile(r"\sand\s")
_COMES_TO = re.compile(
    r"(?:\s?[:=]|\s(?:would\s)?(?:come to|comes to|cost|costs|total|totals|add up to|together (?:cost|come to|are|is)|(?:is|are) together))\s?[\s*_]{0,4}(?:just |only |exactly )?[*_]{0,3}$",
    re.I,
)
_LEAD = re.compile(r"[\s>*_|•–-]{0,12}(?:\d{1,2}[.)]\s)?(?:[\w ]{1,24}:\s)?")
_LONGEST = 160
"""Characters of a sum's terms."""
_NEXT = 14
"""Characters between two amounts of which each is one thing's."""
_FEW = 5
"""Terms of a sum, and products that one may name."""
_MOST_LINES = 2_000
_EMPTY = frozenset(
    ["the", "a", "an", "both", "your", "this", "that", "of", "one", "just", "only", "with", "set", "product"]
)


def hold_named_sums(tally: CheckTally, mentions: Mentions, ledger: MoneyLedger) -> set[int]:
    """Compare each such sum with what the named products cost together; says where the amounts stand that were decided."""
    done: set[int] = set()
    residue = residue_of(mentions)
    for line in mentions.layout.lines[:_MOST_LINES]:
        if line.kind in ("head_row", "rule_row", "elision"):
            continue
        for terms, figure in _sums_on(mentions, ledger, line):
            ways = _resolved(terms, ledger.play.all)
            if not ways or not figure.exact:
                continue
            done.add(figure.start)
            if any(figure.holds(sum(one.price for one in way)) for way in ways):
                tally.ok()
            else:
                names = ", ".join(one.product_id for one in ways[0])
                whole = sum(one.price for one in ways[0])
                why = f"said ${figure.value:,.2f}, {names} come to ${whole:,.2f}"
                bound = Certainty.CELL if line.cells else Certainty.CLAUSE
                tally.accuse("sum", (figure.start, figure.end), why, bound, residue.doubt(figure.sentence))
    return done


def _sums_on(mentions: Mentions, ledger: MoneyLedger, line: TextLine) -> Iterator[tuple[list[str], Figure]]:
    figures = [one for one in ledger.within(line.start, line.end) if not one.void]
    if line.cells:
        if len(figures) == 1 and figures[0].cue.kind in ("total", "price", "none"):
            for low, high in line.cells:
                if high <= figures[0].start and _PLUS.search(mentions.plain, low, high):
                    yield _LISTED.split(mentions.plain[low:high].strip(" *_")), figures[0]
        return
    for figure in figures:
        if figure.cue.kind not in ("total", "none", "price") or figure.elsewhere:
            continue
        low = max(figure.sentence[0], figure.clause[0], figure.start - _LONGEST)
        before = mentions.plain[low : figure.start]
        sign = _COMES_TO.search(before)
        behind = ledger.within(figure.end, figure.sentence[1])
        if behind and behind[0].start - figure.end < _NEXT:
            continue  # one amount for each
        if sign is None or CUES.is_swapped(mentions.plain[slice(*figure.sentence)]):
            continue
        said = before[: sign.start()].strip(" *_")
        if _PLUS.search(said) is None and (":" in sign[0] or _AND.search(said) is None):
            continue  # a name with its size, and its price
        terms = _LISTED.split(said)
        lead = _LEAD.match(terms[0])
        terms[0] = terms[0][lead.end() :] if lead else terms[0]
        yield terms, figure


def _resolved(terms: Sequence[str], products: Sequence[Priced]) -> list[list[Priced]]:
    """What the terms may name together, if each names one of a few products: one list for each way to read them."""
    choices: list[list[Priced]] = []
    for term in terms:
        said = {word for word in folded_words(re.sub(r"['’]s\b", "", term)) if word not in _EMPTY}
        fitting = [one for one in products if said and said <= _words_of(one)]
        if not 1 <= len(fitting) <= _FEW:
            return []
        choices.append(fitting)
    if not 2 <= len(choices) <= _FEW:
        return []
    ways = (list(way) for way in combinations_of(*choices))
    return [way for way in ways if len({one.product_id for one in way}) == len(way)]


def _words_of(one: Priced) -> set[str]:
    return set(folded_words(f"{one.product.title} {one.product.store or ''}"))
