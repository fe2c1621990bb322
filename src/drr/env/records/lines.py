"""Parts of every text layout: strangers' text confined to its field, figures in words, and the span of each field.

Strangers write the text of shop and web, so it is reduced to one line without invisible characters before it goes
into an answer: no title can forge the next row of a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from drr.wording.currency import DOLLARS, Currency

_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """Remove characters that are invisible or reverse the visible text; line breaks stay."""
    return text if text.isprintable() else _INVISIBLE.sub("", text)


class Span(NamedTuple):
    """Characters of a text, from `start` up to `end`."""

    start: int
    end: int


class SetRecord(NamedTuple):
    """A record as text, and the span of each field that the text states."""

    text: str
    places: Mapping[str, Span]


def one_line(text: str, limit: int) -> str:
    """Return `text` on one line of at most `limit` characters; an ellipsis marks a cut."""
    if len(text) > 4 * limit + 64:
        text = text[: 4 * limit + 64]
    if not text.isprintable():
        text = _INVISIBLE.sub("", text)
        text = " ".join(text.split())
    elif "  " in text or text[:1] == " " or text[-1:] == " ":
        text = " ".join(text.split())
    return shortened(text, limit)


def cell(text: str, limit: int) -> str:
    """Return a text as one field of a row. The separator between fields is replaced in it, or a title could forge a price."""
    text = one_line(text, limit)
    return text.replace("|", "/") if "|" in text else text


def shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def on_one_line(text: str) -> str:
    """Put a text on one line without leaving anything out."""
    return " ".join(text.split())


Fit = Callable[[str, int], str]
"""A function that fits strangers' text into a field: `cell`, or `shortened` for text known to be clean."""


def amount(value: float, currency: Currency = DOLLARS) -> str:
    """Format an amount; dollars without their sign."""
    return f"{value:,.2f}" if currency == DOLLARS else currency.text(value)


def priced(value: float | None, currency: Currency = DOLLARS, unknown: str = "unknown") -> str:
    return unknown if value is None else currency.text(value)


def price(value: float | None, currency: Currency = DOLLARS) -> str:
    return priced(value, currency, "price unknown")


def stars(value: float) -> str:
    return f"{value:g}"


def count(value: int) -> str:
    return f"{value:,}"


def day(moment: str | None) -> str:
    return "unknown" if moment is None else moment[:10]


def listed(label: str, items: Sequence[str], most: int, join: str, least: str = "") -> list[str]:
    """Return `LABEL: a, b, (n more)` as one line, or no line if there are no items."""
    if not items:
        return []
    more = f"{join}({least}{len(items) - most} more)" if len(items) > most else ""
    return [f"{label}: {join.join(items[:most])}{more}"]


def nested_fact_lines(name: str, value: object) -> Iterable[str]:
    """Yield one line for each fact of a value, nested ones included. Unknown and empty values are left out."""
    if value is None or value == [] or value == {} or value == "":
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from nested_fact_lines(f"{name}, {key}" if name else str(key), inner)
    elif not isinstance(value, (list, tuple)):
        yield f"{name}: {value}"
    elif all(isinstance(item, (str, int, float)) for item in value):
        yield f"{name}: {'; '.join(map(str, value))}"
    else:
        for item in value:
            yield from nested_fact_lines(name, item)


def fact_lines(record: Mapping[str, object]) -> str:
    """Format any record as one fact a line, named by its fields."""
    return "\n".join(
        line for name, value in record.items() for line in nested_fact_lines(name.replace("_", " "), value)
    )


def joined_with_spans(rows: Iterable[tuple[str, str | None]]) -> SetRecord:
    """Join the lines of (field, line) pairs, and note the span of each field's first line. A missing line is left out."""
    lines: list[str] = []
    places: dict[str, Span] = {}
    at = 0
    for field, line in rows:
        if not line:
            continue
        places.setdefault(field, Span(at, at + len(line)))
        lines.append(line)
        at += len(line) + 1
    return SetRecord("\n".join(lines), places)
