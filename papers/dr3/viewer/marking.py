"""The places in a text of a fact's words, and texts with them marked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from drr.app.viewer.model import Passage
from drr.papers.dr3.viewer.model import FactSpan, MarkedText
from drr.wording.excerpt import ELLIPSIS, piece

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_SHOWN, BESIDE = 12_000, 600
"""Characters of a text that is shown from its beginning; and, of a longer one, around each fact."""
MARGIN = 120


def words_at(text: str, *words: str | None) -> tuple[int, int] | None:
    """The first of `words` that stands in the text as itself, whatever white space is between its words."""
    for one in words:
        parts = [re.escape(part) for part in (one or "").split()]
        pattern = r"\s+".join(parts)
        match = re.search(rf"(?<![\w.]){pattern}(?!\w)", text) if parts else None
        if match is not None:
            return match.span()
    return None


def passage_around(text: str, span: tuple[int, int]) -> Passage:
    """Return, of the lines that these words stand in, what is near them."""
    first, last = text.rfind("\n", 0, span[0]) + 1, text.find("\n", span[1])
    last = len(text) if last < 0 else last
    start, end = piece(text, max(first, span[0] - MARGIN), min(last, span[1] + MARGIN), span)
    before = ELLIPSIS if text[first:start].strip() else ""
    after = ELLIPSIS if text[end:last].strip() else ""
    at = len(before) - start
    return Passage(before + text[start:end] + after, ((span[0] + at, span[1] + at),))


def shown_text(text: str, spans: Iterable[FactSpan]) -> MarkedText:
    """A long text from its beginning and around its facts."""
    ordered = sorted(spans)
    if len(text) <= MOST_SHOWN:
        return MarkedText(text, tuple(ordered))
    stretches: list[tuple[int, int]] = [(0, MOST_SHOWN)]
    for span in ordered:
        start, end = max(0, span.start - BESIDE), min(len(text), span.end + BESIDE)
        if start <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(stretches[-1][1], end))
        else:
            stretches.append((start, end))
    out: list[str] = []
    moved: list[FactSpan] = []
    size = before = 0
    for start, end in stretches:
        gap = f"\n[{start - before:,} characters]\n" if start > before else ""
        size += len(gap)
        moved += [
            FactSpan(one.start - start + size, one.end - start + size, one.fact)
            for one in ordered
            if start <= one.start < end
        ]
        out += [gap, text[start:end]]
        size, before = size + end - start, end
    rest = f"\n[{len(text) - before:,} characters more]" if before < len(text) else ""
    return MarkedText("".join([*out, rest]), tuple(moved))


def facts_marked(marked: MarkedText) -> Markup:
    """Mark up as HTML; behind the words of a fact its name, as a link to it."""
    from markupsafe import Markup

    out: list[str] = []
    at = 0
    for start, end, facts in _joined(marked):
        out += [escape(marked.text[at:start]), f'<mark class="held">{escape(marked.text[start:end])}</mark>']
        out += [f' <a class="fact" href="#fact-{escape(name)}">{escape(name)}</a>' for name in facts]
        at = end
    return Markup("".join([*out, escape(marked.text[at:])]))  # noqa: S704  (every piece is escaped above)


def _joined(marked: MarkedText) -> list[tuple[int, int, list[str]]]:
    """Facts whose words overlap share one mark."""
    found: list[tuple[int, int, list[str]]] = []
    for start, end, fact in sorted(marked.spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end), [*found[-1][2], fact])
        elif 0 <= start < end <= len(marked.text):
            found.append((start, end, [fact]))
    return found
