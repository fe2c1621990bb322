"""What the price field of a raw product means."""

from __future__ import annotations

import math
import re
from typing import Any, Literal, NamedTuple

PriceForm = Literal["number", "missing", "dash", "from", "text", "unreadable"]
_AMOUNT = re.compile(
    r"(from\s++)?(?:USD\s*+|US\s*+)?\$?\s*+((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)",
    re.IGNORECASE | re.ASCII,
)
_DASHES = {"—", "–", "-"}
NOTHING = {"", "none", "nan", "null"}
"""How copies of the data set spell what is not there."""


class ListPrice(NamedTuple):
    value: float | None
    form: PriceForm
    """How it was written; every form but the first two is counted."""


def parse_price(raw: Any) -> ListPrice:
    """A number is itself, zero included; `from 8.99` is the lowest price; what is no price is unknown."""
    if raw is None:
        return ListPrice(None, "missing")
    if isinstance(raw, (int, float)) and not isinstance(raw, bool):
        try:
            value = float(raw)
        except OverflowError:
            return ListPrice(None, "unreadable")
        return ListPrice(value, "number") if 0 <= value < math.inf else ListPrice(None, "unreadable")
    if not isinstance(raw, str):
        return ListPrice(None, "unreadable")
    text = " ".join(raw.split())  # a space may be one that does not break
    if text in _DASHES:
        return ListPrice(None, "dash")
    if text.casefold() in NOTHING:
        return ListPrice(None, "missing")
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return ListPrice(None, "unreadable")
    value = float(found[2].replace(",", ""))
    if value == math.inf:
        return ListPrice(None, "unreadable")
    return ListPrice(value, "from" if found[1] else "text")
