"""The places of words in texts, as passages and as marked text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from drr.plugin import Passage
from drr.wording.excerpt import ELLIPSIS, piece

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_SHOWN, BESIDE = 12_000, 600
"""Characters of a text that is shown from its beginning; and, of a longer one, around each fact."""
MARGIN = 120
Place = tuple[int, int]


class FactSpan(NamedTuple):
    """The span in a text of a fact's words."""

    start: int
    end: int
    fact: str


def words_at(text: str, *words: str | None) -> Place | None:
    """The first of `words` that stands in the text as itself, whatever white space is between its words."""
    for one in words:
        parts = [re.escape(part) for part in (one or "").split()]
        pattern = r"\s+".join(parts)
        match = re.search(rf"(?<![\w.]){pattern}(?!\w)", text) if parts else None
        if match is not None:
            return match.span()
    return None


def value_at(text: str, quote: str | None, value: str) -> Place | None:
    """Find the value in the sentence that states it, else the sentence."""
    sentence = words_at(text, quote)
    if sentence is None:
        return words_at(text, value)
    inside = words_at(text[sentence[0] : sentence[1]], value)
    return sentence if inside is None else (sentence[0] + inside[0], sentence[0] + inside[1])


def passage_around(text: str, span: Place | None) -> Passage | None:
    """Return, of the lines that these words stand in, what is near them."""
    if span is None:
        return None
    first, last = text.rfind("\n", 0, span[0]) + 1, text.find("\n", span[1])
    last = len(text) if last < 0 else last
    start, end = piece(text, max(first, span[0] - MARGIN), min(last, span[1] + MARGIN), span)
    before = ELLIPSIS if text[first:start].strip() else ""
    after = ELLIPSIS if text[end:last].strip() else ""
    at = len(before) - start
    return Passage(before + text[start:end] + after, ((span[0] + at, span[1] + at),))


def facts_marked(text: str, spans: Iterable[FactSpan]) -> Markup:
    """Mark up a text as HTML, a long one from its beginning and around its facts. Behind the words of a fact is its name, as a link."""
    from markupsafe import Markup

    marks = _joined(text, spans)
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


def _joined(text: str, spans: Iterable[FactSpan]) -> list[tuple[int, int, list[str]]]:
    """Facts whose words overlap share one mark."""
    found: list[tuple[int, int, list[str]]] = []
    for start, end, fact in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end), [*found[-1][2], fact])
        elif 0 <= start < end <= len(text):
            found.append((start, end, [fact]))
    return found
