"""Marks stretches of a markdown text in its rendered HTML, whatever blocks and cells they run through."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from drr.app.pages.markdown import clean, safe_html

# Private-use characters stand for "claim n begins", "claim n ends" and the same of links while the markdown is rendered.
_CLAIMS, _LINKS, _ROOM = 0xF0000, 0x100000, 0xFFFD
_SENTINEL = re.compile("[\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
_ENCODED = re.compile(r"%F[34]%[89AB][0-9A-F]%[89AB][0-9A-F]%[89AB][0-9A-F]")
_OWN_LINK = re.compile(r'(<a href="#[^"]*") target="_blank" rel="[^"]*"')
_PIECES = re.compile(r"(<[^>]*>)")
_PREFIX = re.compile(r"[\s#>*+|_~-]*(?:\d{1,9}[.)]\s+|\[[ xX]\]\s+)?[\s*_~`]*")


class Stretch(NamedTuple):
    """`start` and `end` are offsets in the markdown; `name` becomes `data-claim`, `kind` a class."""

    start: int
    end: int
    name: str
    kind: str


class LinkTag(NamedTuple):
    """A citation marker and the place on this page where its source stands."""

    start: int
    end: int
    anchor: str


def marked_html(markdown: str, spans: Sequence[Stretch], links: Sequence[LinkTag] = ()) -> str:
    """Safe HTML of the report with each span in `<mark>`s; spans that overlap an earlier one give way to it."""
    kept = _disjoint(markdown, spans)[: _ROOM // 2]
    linked = [link for link in sorted(links) if _is_plain(markdown, link)][: _ROOM // 2]
    cuts = [(s.start, 1, _CLAIMS + 2 * n) for n, s in enumerate(kept)]
    cuts += [(s.end, 0, _CLAIMS + 2 * n + 1) for n, s in enumerate(kept)]
    cuts += [(link.start, 1, _LINKS + 2 * n) for n, link in enumerate(linked)]
    cuts += [(link.end, 0, _LINKS + 2 * n + 1) for n, link in enumerate(linked)]
    text, at = [], 0
    for place, _, sign in sorted(cuts):
        text += [_plain(markdown[at:place]), chr(sign)]
        at = max(at, place)
    text.append(_plain(markdown[at:]))
    return _OWN_LINK.sub(r"\1", clean(_wrap(safe_html("".join(text)), kept, linked)))


def _is_plain(markdown: str, link: LinkTag) -> bool:
    """A marker that is markdown already leads somewhere by itself."""
    text = markdown[link.start : link.end + 1]
    return "](" not in text and "://" not in text


def _plain(text: str) -> str:
    return _SENTINEL.sub("", text)


def _disjoint(markdown: str, spans: Sequence[Stretch]) -> list[Stretch]:
    """In order, each begun after the list, heading or table sign that opens its line."""
    kept: list[Stretch] = []
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


def _wrap(html: str, spans: Sequence[Stretch], links: Sequence[LinkTag]) -> str:
    """Every stretch of text between two tags that lies in a span becomes a `<mark>` of its own, so that tags stay nested."""
    out: list[str] = []
    claim: Stretch | None = None
    link: LinkTag | None = None
    inside_link = False
    pieces = _PIECES.split(html)
    # An end that fell into a tag is no end; what has none is not begun.
    present = set(_SENTINEL.findall("".join(piece for piece in pieces if not piece.startswith("<"))))
    for piece in pieces:
        if piece.startswith("<"):
            inside_link = piece.startswith("<a ") or (inside_link and piece != "</a>")
            out.append(_ENCODED.sub("", _SENTINEL.sub("", piece)))
            continue
        for part in re.split(f"({_SENTINEL.pattern})", piece):
            if _SENTINEL.fullmatch(part):
                base = _CLAIMS if ord(part) < _LINKS else _LINKS
                number, ends = divmod(ord(part) - base, 2)
                begun = not ends and chr(ord(part) + 1) in present
                if base == _CLAIMS:
                    claim = spans[number] if begun else None
                else:
                    link = links[number] if begun else None
            elif part:
                linked = (
                    part if link is None or inside_link else f'<a href="#{escape(link.anchor)}">{part}</a>'
                )
                out.append(linked if claim is None or part.isspace() else _mark(linked, claim))
    return "".join(out)


def _mark(html: str, claim: Stretch) -> str:
    name, kind = escape(claim.name, quote=True), escape(claim.kind, quote=True)
    return f'<mark class="{kind}" data-claim="{name}">{html}</mark>'


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
