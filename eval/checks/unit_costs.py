"""A cost per unit that no price in sight comes to, by whatever count or measure in sight it is divided."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, product

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.residue import is_of_what_is_unseen, residue_of

_UNREAD = re.compile(
    r"\b(?:year|month|week|day|hour|use|night|if|would|could|might|used\sto|elsewhere|average|mean|median|difference|more|less|cheaper|dearer|saves?|"
    r"apart|gap|than|premium|extra|stores?|shops?|again|capacity|held)\b|\?",
    re.I,
)
"""Its sentence may speak of a rate of use, of a difference or of other shops."""
_REACH = 1500
"""Characters before a sentence whose products and figures may be meant."""
_CLOSE = 4
_PRICES, _NUMBERS, _FEW, _MOST = 20, 40, 14, 80
_UNITS = (2, 3, 4, 12, 16, 32, 36, 128, 0.5, 0.25, 1 / 12, 1 / 16, 0.01, 0.001, 1 / 3, 3.785, 33.8, 29.57)
"""By which measures are changed into one another."""


def misread_unit_costs(mentions: Mentions) -> Iterator[Accusation]:
    """Costs per unit beside a priced product that nothing in sight comes to."""
    held = sight_of(mentions).held
    costs = [one for one in held.ledger.figures if one.cue.kind == "unit" and not (one.void or one.elsewhere)]
    for figure in costs[:_MOST]:
        sentence = _sentence(mentions, held, figure)
        values = [] if sentence is None else _values(held, figure, sentence)
        pad = (figure.high - figure.low) / 2 + 1e-6
        if values and not any(figure.low - pad <= value <= figure.high + pad for value in values):
            why = f"said {mentions.plain[figure.start : figure.end].strip()} per unit, which no price in sight comes to by any count or measure in sight"
            yield Accusation("cost_per_unit", (figure.start, figure.end), why, Certainty.SENTENCE)


def _sentence(mentions: Mentions, held: HeldAgainst, figure: Figure) -> Span | None:
    """The sentence or row of a cost that is said plainly of what the shop sells."""
    line = held.prose.line_at(figure.start)
    if line is None:
        return None
    is_row = line.kind in ("row", "head_row")
    span = (line.start, line.end) if is_row else held.prose.sentence_at(figure.start)
    residue = residue_of(mentions)
    doubt = residue.doubt(span)
    if _UNREAD.search(mentions.plain, *span) or (doubt and is_of_what_is_unseen(doubt)):
        return None
    return None if residue.cites_the_web(span) or held.cast.names_a_stranger(span) else span


def _values(held: HeldAgainst, figure: Figure, sentence: Span) -> list[float]:
    """What the prices in sight come to; nothing where its sentence names nothing, or something without a price."""
    line = held.prose.line_at(figure.start)
    is_row = line is not None and line.kind in ("row", "head_row")
    low = sentence[0] if is_row else max(0, sentence[0] - _REACH)
    known = held.known.products.keys()
    own = {key for one in held.cast.within(*sentence) for key in one.products} & known
    if not own or any(held.known.products[key].price is None for key in own):
        return []
    meant = held.cast.meant_at(figure.start, figure.end).products
    near = own | {key for one in held.cast.within(low, sentence[1]) for key in one.products}
    near |= meant if len(meant) <= _CLOSE else set()
    records = held.known.of(tuple(sorted(near & known)))
    beside = [one for one in held.said.within((low, sentence[1])) if one.start != figure.start]
    money = [one.value for one in beside if one.kind == "money"]
    numbers = [
        one.value for one in beside if one.kind in ("count", "measure", "orders", "percent", "multiple")
    ]
    told = [one.value for one in beside if one.kind in ("money", "unit")]
    prices = list(dict.fromkeys([*records.prices, *money]))[:_PRICES]
    every = [*records.sizes, *numbers]
    return [*(a / b for a, b in product(prices, _divisors(every, records.values)) if b > 0), *told, *prices]


def _divisors(every: Sequence[float], recorded: Sequence[float]) -> list[float]:
    """Counts and measures, two of them multiplied or divided, and in other units."""
    few = [one for one in dict.fromkeys(every) if one > 0][:_FEW]
    found = list(dict.fromkeys([*every, *recorded]))[:_NUMBERS]
    found += [a * b for a, b in combinations(few, 2)] + [a / b for a, b in product(few, few)]
    return found + [a * b for a, b in product(few, _UNITS)]
