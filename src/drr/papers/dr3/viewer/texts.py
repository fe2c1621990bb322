"""Finds words in texts, and shows them as passages and as marked text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from drr.plugin import Passage
from drr.wording.excerpt import ELLIPSIS, range_of_words

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_SHOWN, BESIDE = 12_000, 600
"""Numbers of characters shown: from the beginning of a text, and around each fact of a longer one."""
MARGIN = 120
Place = tuple[int, int]


class FactSpan(NamedTuple):
    """The span of a fact's words in a text."""

    start: int
    end: int
    fact: str


def words_at(text: str, *words: str | None) -> Place | None:
    """Return the span of the first of `words` that stands in the text by itself. White space between their parts may differ."""
    for one in words:
        parts = [re.escape(part) for part in (one or "").split()]
        pattern = r"\s+".join(parts)
        match = re.search(rf"(?<![\w.]){pattern}(?!\w)", text) if parts else None
        if match is not None:
            return match.span()
    return None


def value_at(text: str, quote: str | None, value: str) -> Place | None:
    """Return the span of the value in the sentence that states it, else the whole sentence's span."""
    sentence = words_at(text, quote)
    if sentence is None:
        return words_at(text, value)
    inside = words_at(text[sentence[0] : sentence[1]], value)
    return sentence if inside is None else (sentence[0] + inside[0], sentence[0] + inside[1])


def passage_around(text: str, span: Place | None) -> Passage | None:
    """Return a passage around a span, within the lines that contain it; `None` without a span."""
    if span is None:
        return None
    first, last = text.rfind("\n", 0, span[0]) + 1, text.find("\n", span[1])
    last = len(text) if last < 0 else last
    start, end = range_of_words(text, max(first, span[0] - MARGIN), min(last, span[1] + MARGIN), span)
    before = ELLIPSIS if text[first:start].strip() else ""
    after = ELLIPSIS if text[end:last].strip() else ""
    at = len(before) - start
    return Passage(before + text[start:end] + after, ((span[0] + at, span[1] + at),))


def facts_marked(text: str, spans: Iterable[FactSpan]) -> Markup:
    """Return a text as HTML with the words of facts marked, and a link to each fact after them. A long text is shortened to its beginning and the parts around facts."""
    from markupsafe import Markup

    marks = _join_spans(text, spans)
    out: list[str | Markup] = []
    before = 0
    for start, end in _stretches(len(text), marks):
        if start > before:
            out.append(f"\n[{start - before:,} characters]\n")
        at = start
        for first, last, facts in marks:
            if start <= first < end:
                out += [text[at:first], Markup('<mark class="held">{}</mark>').format(text[first:last])]
                out += [Markup(' <a class="fact" href="#fact-{0}">{0}</a>').format(name) for name in facts]
                at = last
        out.append(text[at:end])
        before = end
    if before < len(text):
        out.append(f"\n[{len(text) - before:,} characters more]")
    return Markup("").join(out)


def _stretches(length: int, marks: Iterable[tuple[int, int, list[str]]]) -> list[Place]:
    found = [(0, min(length, MOST_SHOWN))]
    for first, last, _ in marks if length > MOST_SHOWN else ():
        start, end = max(0, first - BESIDE), min(length, last + BESIDE)
        if start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _join_spans(text: str, spans: Iterable[FactSpan]) -> list[tuple[int, int, list[str]]]:
    """Join overlapping spans, so that their facts share one mark; returns start, end and facts."""
    found: list[tuple[int, int, list[str]]] = []
    for start, end, fact in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end), [*found[-1][2], fact])
        elif 0 <= start < end <= len(text):
            found.append((start, end, [fact]))
    return found
