"""Sums whose terms are named: `litter + perch + cushion`, `the hose and the bed come to`; each name one product in play."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from drr.eval.checks.base import CheckTally
from drr.eval.checks.layout import TextLine
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.ledger import MoneyLedger
from drr.eval.checks.money.play import Priced
from drr.eval.checks.naming import folded_words
from drr.wording.cues import CUES

_PLUS = re.compile(r"\s(?:\+|plus)\s")
_LISTED = re.compile(r"\s\+\s|,?\s(?:and|plus)\s|,\s")
_COMES_TO = re.compile(
    r"(?:\s?[:=]|\s(?:would\s)?(?:come to|comes to|cost|costs|total|totals|add up to|together (?:cost|come to|are|is)|(?:is|are) together))\s?[\s*_]{0,4}(?:just |only |exactly )?[*_]{0,3}$",
    re.I,
)
_LEAD = re.compile(r"[\s>*_|•–-]{0,12}(?:\d{1,2}[.)]\s)?(?:[\w ]{1,24}:\s)?")
_LONGEST = 160
"""Characters of a sum's terms."""
_MOST_LINES = 2_000
_EMPTY = frozenset(["the", "a", "an", "both", "your", "this", "that", "of", "one", "just", "only", "with", "set", "product"])


def hold_named_sums(tally: CheckTally, mentions: Mentions, ledger: MoneyLedger) -> set[int]:
    """Compare each such sum with what the named products cost together; says where the amounts stand that were decided."""
    done: set[int] = set()
    for line in mentions.layout.lines[:_MOST_LINES]:
        if line.kind in ("head_row", "rule_row", "elision"):
            continue
        for terms, figure in _sums_on(mentions, ledger, line):
            products = _resolved(terms, ledger.play.all)
            if products is None or not figure.exact:
                continue
            whole = sum(one.price for one in products)
            done.add(figure.start)
            if figure.holds(whole):
                tally.ok()
            else:
                names = ", ".join(one.product_id for one in products)
                tally.fail((figure.start, figure.end), f"said ${figure.value:,.2f}, {names} come to ${whole:,.2f}")
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
        if sign is None or CUES.is_swapped(mentions.plain[slice(*figure.sentence)]):
            continue
        terms = _LISTED.split(before[: sign.start()].strip(" *_"))
        lead = _LEAD.match(terms[0])
        terms[0] = terms[0][lead.end() :] if lead else terms[0]
        yield terms, figure


def _resolved(terms: Sequence[str], products: Sequence[Priced]) -> list[Priced] | None:
    """The product that each term names, if each names one and no two the same."""
    found: dict[str, Priced] = {}
    for term in terms:
        said = {word for word in folded_words(re.sub(r"['’]s\b", "", term)) if word not in _EMPTY}
        fitting = [one for one in products if said and said <= set(folded_words(f"{one.product.title} {one.product.store or ''}"))]
        if len(fitting) != 1 or fitting[0].product_id in found:
            return None
        found[fitting[0].product_id] = fitting[0]
    return list(found.values()) if len(found) > 1 else None
