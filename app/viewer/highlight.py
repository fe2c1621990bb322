"""Marks stretches of a markdown text in its rendered HTML, whatever blocks and cells they run through."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from app.pages.markdown import clean, safe_html

# Private-use characters stand for "claim n begins" and "claim n ends" while the markdown is rendered.
_FIRST, _LAST = 0xF0000, 0xFFFFD
_SENTINEL = re.compile("[\U000f0000-\U000ffffd]")
_ENCODED = re.compile(r"%F3%B[0-9A-F]%[89AB][0-9A-F]%[89AB][0-9A-F]")
_PIECES = re.compile(r"(<[^>]*>)")
_PREFIX = re.compile(r"[\s#>*+|_~-]*(?:\d{1,9}[.)]\s+|\[[ xX]\]\s+)?[\s*_~`]*")


class Span(NamedTuple):
    """`start` and `end` are offsets in the markdown; `name` becomes `data-claim`, `kind` a class."""

    start: int
    end: int
    name: str
    kind: str


def marked_html(markdown: str, spans: Sequence[Span]) -> str:
    """Safe HTML of the report with each span in `<mark>`s; spans that overlap an earlier one give way to it."""
    kept = _disjoint(markdown, spans)[: (_LAST - _FIRST) // 2]
    text, at = [], 0
    for number, span in enumerate(kept):
        text += [_plain(markdown[at : span.start]), chr(_FIRST + 2 * number)]
        text += [_plain(markdown[span.start : span.end]), chr(_FIRST + 2 * number + 1)]
        at = span.end
    text.append(_plain(markdown[at:]))
    return clean(_wrap(safe_html("".join(text)), kept))


def _plain(text: str) -> str:
    return _SENTINEL.sub("", text)


def _disjoint(markdown: str, spans: Sequence[Span]) -> list[Span]:
    """In order, each begun after the list, heading or table sign that opens its line."""
    kept: list[Span] = []
    for span in sorted(spans):
        start = max(span.start, kept[-1].end if kept else 0)
        line_start = markdown.rfind("\n", 0, start) + 1
        prefix = _PREFIX.match(markdown, line_start)
        if prefix and start < prefix.end() <= span.end:
            start = prefix.end()
        end = start + len(markdown[start : span.end].rstrip(" \t\n|"))
        if 0 <= start < end <= len(markdown):
            kept.append(span._replace(start=start, end=end))
    return kept


def _wrap(html: str, spans: Sequence[Span]) -> str:
    """Every stretch of text between two tags that lies in a span becomes a `<mark>` of its own, so that tags stay nested."""
    out: list[str] = []
    current: Span | None = None
    pieces = _PIECES.split(html)
    present = set(_SENTINEL.findall("".join(piece for piece in pieces if not piece.startswith("<"))))
    for piece in pieces:
        if piece.startswith("<"):
            out.append(_ENCODED.sub("", _SENTINEL.sub("", piece)))
            continue
        for part in re.split("([\U000f0000-\U000ffffd])", piece):
            if _SENTINEL.fullmatch(part):
                number, ends = divmod(ord(part) - _FIRST, 2)
                whole = chr(_FIRST + 2 * number + 1) in present  # an end that fell into a tag is no end
                current = spans[number] if not ends and whole else None
            elif part and current is not None and not part.isspace():
                name, kind = escape(current.name, quote=True), escape(current.kind, quote=True)
                out.append(f'<mark class="{kind}" data-claim="{name}">{part}</mark>')
            else:
                out.append(part)
    return "".join(out)


def marked_text(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Plain text as HTML with the given stretches in `<mark>`: an evidence passage."""
    out, at = [], 0
    for start, end in sorted(spans):
        start = max(start, at)
        if start < end <= len(text):
            out += [escape(text[at:start]), "<mark>", escape(text[start:end]), "</mark>"]
            at = end
    out.append(escape(text[at:]))
    return "".join(out)
