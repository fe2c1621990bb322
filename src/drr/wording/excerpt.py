"""Makes excerpts of a text, cut between words and marked with an ellipsis."""

from __future__ import annotations

ELLIPSIS = "\u2026"
_REACH = 40
"""Characters by which a cut may move to a gap between words. A longer word, or a script without gaps, is cut anywhere."""


def excerpt(text: str, most: int) -> str:
    """Return the beginning of the text: at most `most` characters, ellipsis included."""
    if len(text) <= most:
        return text
    end = _last_gap(text, max(most - len(ELLIPSIS), 0), 0)
    return text[:end].rstrip() + ELLIPSIS


def range_of_words(text: str, start: int, end: int, kept: tuple[int, int] | None = None) -> tuple[int, int]:
    """Return a range of the text narrowed to whole words; the range `kept` stays inside. The caller adds an ellipsis where text is left out."""
    first, last = kept or (end, start)
    start, end = max(0, start), min(len(text), end)
    if start > 0 and not _is_gap(text, start):
        start = _next_gap(text, start, first)
    while start < min(first, end) and text[start].isspace():
        start += 1
    return start, max(_last_gap(text, end, last), start)


def _is_gap(text: str, at: int) -> bool:
    return at >= len(text) or at <= 0 or text[at].isspace() or text[at - 1].isspace()


def _next_gap(text: str, at: int, most: int) -> int:
    reach = min(at + _REACH, most, len(text))
    return next((place for place in range(at, reach + 1) if _is_gap(text, place)), min(at, most))


def _last_gap(text: str, at: int, least: int) -> int:
    reach = max(at - _REACH, least)
    return next((place for place in range(at, reach - 1, -1) if place > 0 and _is_gap(text, place)), at)


def many(count: int, noun: str) -> str:
    """Return a count with its noun: `1 page`, `1,200 pages`."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
