"""Reads each quantity of a text once, with its unit and place.

A quantity is a number in digits, words or fractions, or an amount of money. Every caller takes what concerns it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import numeric

from drr.wording.figures import DIGITS, HEDGES, SPOKEN, UNITS, Quantity, number, spoken_number
from drr.wording.money import amounts

_PARTS = {"half": 1 / 2, "quarter": 1 / 4, "third": 1 / 3}
_VULGAR = "[½¼¾⅓⅔⅛]"
_OVER = r"\d{1,2}/(?:[2-9]|1[06]|32)(?!\d)"
_SIZED = rf"(?=[\s-]?(?:{UNITS.forms('length', 'weight', 'volume')}))"
_QUANTITY = re.compile(
    rf"(?:(?<![\w./])(?P<share>{_VULGAR}|{_OVER}{_SIZED})"
    rf"|(?<![\w.])(?P<digits>{DIGITS}|\.\d{{1,18}})(?:(?P<k>k(?![a-z]))|(?:\s|-)?(?P<more>{_VULGAR})|[\s-](?P<over>{_OVER}){_SIZED})?"
    rf"|(?<!\w)(?P<words>{SPOKEN})(?!\w)(?:\sand\s(?:a|one)\s(?P<odd>{'|'.join(_PARTS)}))?)"
    r"(?P<stop>)(?:(?:\s|-|\s-\s)?(?P<unit>%|[\"″”]|'(?!s)|per\scent\b|[a-z]{1,24}\b\.?))?",
    re.I,
)
_COUNTED = frozenset(("count", "light", "thickness"))
"""Kinds for which records use many words; their figures are compared as bare numbers."""


@lru_cache(maxsize=4096)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return every quantity of a text, in order."""
    found = amounts(text)
    taken = {place for one in found for place in range(one.start, one.end)}
    found += (one for one in map(_quantity, _QUANTITY.finditer(text)) if one.start not in taken)
    return tuple(sorted(found, key=lambda one: one.start))


def _quantity(match: re.Match[str]) -> Quantity:
    value, decimals = _value(match)
    form = (match["unit"] or "").casefold().rstrip(".")
    unit = UNITS.named("percent" if form.startswith("per") and " " in form else form)
    kind, size = (None, 1.0) if unit is None or unit.kind in _COUNTED else (unit.kind, unit.base)
    start, stop = match.start(), match.start("stop")
    end = stop if unit is None else match.end()
    hedged = HEDGES.ahead(match.string, start) or bool(match["k"])
    written, in_words = match[0].strip(), match["words"] is not None
    place = start, stop, end
    return Quantity(
        value, kind, value * size, decimals, hedged, written, *place, unit=unit, form=form, in_words=in_words
    )


def _value(match: re.Match[str]) -> tuple[float, int]:
    """Return the value of a number and how many decimals it shows."""
    if match["words"]:
        odd = (match["odd"] or "").casefold()
        return spoken_number(match["words"]) + _PARTS.get(odd, 0.0), 2 if odd else 0
    part = match["share"] or match["more"] or match["over"]
    above, over, below = (part or "0").partition("/")
    share = int(above) / int(below) if over else numeric(above)
    if match["share"]:
        return share, 2
    value = number(match["digits"]) * (1000 if match["k"] else 1) + share
    return value, 2 if part else len(match["digits"].partition(".")[2])


def numbers(text: str, *, words: bool = False) -> list[Quantity]:
    """Return the figures in digits; with `words`, also those in words. The latter may be no figures at all ("one of the two")."""
    return [one for one in quantities(text) if not one.in_words or (words and one.value > 1)]
