"""The passages of a long frozen text that concern a claim.

Offsets always count characters of the frozen text, so that a viewer can mark what a judge was shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from drr.env.records.lines import Span
from drr.env.text import Bm25

WHOLE = 6000
"""A text shorter than this is shown whole."""
PASSAGE = 1000
PASSAGES = 5


class Cut(NamedTuple):
    """The cut of a text for a judge. Of one that is too long its head and the passages that rank first for the claim."""

    whole: int = WHOLE
    passages: int = PASSAGES
    fills: bool = False
    """Passages that share no word with the claim are shown too while there is room."""


CONCERNING = Cut()


def whole_within(room: int) -> Cut:
    """All of a text of at most this many characters; of a longer one no more than that."""
    return Cut(room + 1, max(0, room // PASSAGE - 1), fills=True)


class _Index(NamedTuple):
    spans: tuple[Span, ...]
    ranking: Bm25


_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=[#\-*|])")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")


def passages(text: str) -> list[Span]:
    """The text cut at paragraphs, then sentences, then anywhere, into pieces of at most `PASSAGE` characters."""
    pieces: list[Span] = []
    for start, end in _cut(text, 0, len(text), _PARAGRAPH):
        if end - start <= PASSAGE:
            pieces.append(Span(start, end))
            continue
        for low, high in _cut(text, start, end, _SENTENCE_END):
            pieces += [Span(at, min(at + PASSAGE, high)) for at in range(low, high, PASSAGE)]
    joined: list[Span] = []
    for piece in pieces:
        if joined and piece.end - joined[-1].start <= PASSAGE:
            joined[-1] = Span(joined[-1].start, piece.end)
        else:
            joined.append(piece)
    return [span for span in joined if text[span.start : span.end].strip()]


def _cut(text: str, start: int, end: int, border: re.Pattern[str]) -> Iterable[tuple[int, int]]:
    at = start
    for match in border.finditer(text, start, end):
        if match.end() > at:
            yield at, match.end()
            at = match.end()
    if at < end:
        yield at, end


@lru_cache(maxsize=256)
def _index(text: str) -> _Index:
    spans = tuple(passages(text))
    return _Index(spans, Bm25([text[span.start : span.end] for span in spans]))


def select(claim: str, text: str, cut: Cut = CONCERNING) -> list[Span]:
    """Select a short text whole. Of a long one its head and the passages that BM25 ranks first for this claim, in order."""
    if len(text) < cut.whole:
        return [Span(0, len(text))]
    index = _index(text)
    ranked = sorted((-score, i) for i, score in enumerate(index.ranking.scores(claim)))
    if cut.fills:
        best = [i for _, i in ranked if i][: cut.passages]
        return _joined(index.spans[i] for i in sorted({0, *best}))
    best = [i for s, i in ranked[: cut.passages] if s < 0]
    return [index.spans[i] for i in sorted({0, *best})]


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Neighbours as one, so that no gap is shown where none is."""
    found: list[Span] = []
    for span in spans:
        if found and found[-1].end == span.start:
            found[-1] = Span(found[-1].start, span.end)
        else:
            found.append(span)
    return found


def locate(quote: str, text: str) -> Span | None:
    """Find where a judge's quotation stands, white space and case aside; `None` if it was not quoted from there."""
    words = quote.split()
    if not words:
        return None
    match = re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE)
    return Span(match.start(), match.end()) if match else None
