"""Whether a day, a month or a year is part of what something is called: `if the 2014 set is worn`, `keep the set from 2014`. It is right if such a thing was ordered
then, whatever else its sentence names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from drr.eval.checks.considered.own_said import OwnFigure
from drr.eval.checks.leftover.held import HeldAgainst
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.naming import fold, head_noun
from drr.eval.checks.person.history import Placed, history_of
from drr.wording.dates import When

_THE = re.compile(
    r"\b(?:the|that|this|those|these|your|both|either|an?|his|her|their|my|our)\s(?:[a-z]{3,14}\s){0,2}(?:(?:19|20)\d\d(?:,\s|,?\s(?:and|or)\s(?:the\s)?)){0,3}[*_]{0,3}$",
    re.I,
)
_NOUNS = re.compile(
    r"(?:['’]s|-vintage)?[*_]{0,3}(?:(?:,|,?\s(?:and|or))\s(?:the\s)?(?:19|20)\d\d){0,3}(?P<nouns>(?:\s[a-z][a-z-]{2,20}){1,3})"
)
"""Before and behind it, where the noun follows."""
_NOUN_BEFORE = re.compile(
    r"\b(?:the|that|this|those|these|your|both|either|an?|his|her|their|my|our)\s(?:[a-z-]{3,14}\s){0,3}?(?P<noun>[a-z-]{3,20})\s?(?:\s(?:from|of|in|since)\s|\s\()(?:(?:early|late|mid)[\s-])?[*_]{0,3}$",
    re.I,
)
"""Before it, where the noun precedes."""
_ANY = frozenset(("one", "order", "purchase", "pair", "pack", "buy", "model", "unit"))
"""What may stand for a thing of any kind."""
_BEFORE = 64


def is_called_by_it(mentions: Mentions, one: OwnFigure) -> bool:
    """Whether what was ordered then is of the kind that stands beside it, or of that which its sentence names."""
    history = history_of(mentions)
    if history is None or not isinstance(one.when, When):
        return False
    held, text = sight_of(mentions).held, mentions.plain
    then = [each for each in history.on(one.when) if each.product is not None]
    heads = {head_noun(each.product.title) for each in then if each.product is not None}
    low = max(0, one.start - _BEFORE)
    before = _NOUN_BEFORE.search(text, low, one.start)
    if before is not None and not held.cast.within(before.start(), one.start):
        noun = fold(before["noun"])
        if noun in heads or (noun in _ANY and _is_of_what_is_named(held, one, then)):
            return True
    behind = _NOUNS.match(text, one.end)
    if behind is None or (
        _THE.search(text, low, one.start) is None and not text.startswith(("'s", "’s"), one.end)
    ):
        return False
    if held.cast.within(one.end, behind.end()):
        return False
    nouns = [fold(word) for word in behind["nouns"].split()]
    return bool(heads & {*nouns}) or (nouns[0] in _ANY and _is_of_what_is_named(held, one, then))


def _is_of_what_is_named(held: HeldAgainst, one: OwnFigure, then: Iterable[Placed]) -> bool:
    """Whether something ordered then stands in the narrowest category of something that its line names."""
    line = held.prose.line_at(one.start)
    if line is None:
        return False
    known = (held.known.products[key] for key in held.named((line.start, line.end)))
    kinds = {product.categories[-1] for product in known if product.categories}
    return any(
        each.product is not None and each.product.categories and each.product.categories[-1] in kinds
        for each in then
    )
