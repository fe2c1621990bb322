"""Finds the words that a judge copied, and tells whether the evidence has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

from drr.env.records.lines import Span
from drr.env.text import tokens
from drr.eval.asking.safety import text_for_judge

QUOTED = 3
"""Words from which on a quotation counts whatever it says."""
_TYPED = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
    }
)
"""Dashes and quotation marks as a keyboard has them, one character for one."""


def locate(quote: str, text: str, start: int = 0, end: int | None = None) -> Span | None:
    """Find the span of a judge's quotation in the text, else `None`. White space, case, dashes and quotation marks may differ."""
    end, exact = len(text) if end is None else end, quote.strip()
    at = text.find(exact, start, end) if exact else -1
    if at >= 0 or not exact:
        return Span(at, at + len(exact)) if exact else None
    wanted = re.compile(r"\s+".join(map(re.escape, exact.translate(_TYPED).split())), re.IGNORECASE)
    match = wanted.search(text.translate(_TYPED), start, end)
    return Span(match.start(), match.end()) if match else None


def is_quotation(quote: str, shown: Sequence[str]) -> bool:
    """Tell whether all parts of a quotation, split at its ellipses, are in the texts that the judge was shown.

    A quotation of fewer than `QUOTED` words counts if it holds a digit, as figures and dates do, or is a whole line or cell.
    """
    parts = [_words(part) for part in quote.replace("\u2026", "...").split("...")]
    parts = [part for part in parts if part.strip()]
    words, texts = " ".join(parts).split(), [_words(text) for text in shown]
    if not words or not all(any(part in text for text in texts) for part in parts):
        return False
    if len(words) >= QUOTED or any(map(str.isdigit, "".join(words))):
        return True
    return any(parts[0] == _words(cell) for text in shown for cell in _cells(text))


def _words(text: str) -> str:
    return f" {' '.join(tokens(unescape(text_for_judge(text))))} ".replace("  ", " ")


def _cells(text: str) -> Iterator[str]:
    """Yield the lines of a text, the cells of its tables, and the values behind labels."""
    for line in text.splitlines():
        for cell in (line, *line.split("|")):
            yield from (cell, cell.partition(":")[2])
