"""Frozen pages cut into pieces, and the two ways to search them: by their words (BM25) and by vectors (dense)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from drr.env.embedding import Embedder, HashedTfIdf
from drr.env.text import query_words, tokens
from drr.papers.dr3.form import CorpusPage
from numpy.typing import NDArray

VERSION = "1"
"""In the unit's key: other pieces, or another ranking, find other pages."""
CHARS_PER_TOKEN = 4
TOKENS, OVERLAP = 500, 50
PIECE_CHARS = TOKENS * CHARS_PER_TOKEN
_K1, _B = 1.2, 0.75
_TITLE = 2
"""How often a page's title counts in each of its pieces."""
Scores = NDArray[np.float32]


class CorpusPiece(NamedTuple):
    page: int
    """Its place among the pages."""
    text: str


def pieces_of(pages: Sequence[CorpusPage]) -> list[CorpusPiece]:
    """Cut pages into pieces of 500 tokens with 50 overlap, a token being four characters. A piece ends with a word."""
    return [CorpusPiece(number, text) for number, page in enumerate(pages) for text in cut(page.text)]


def cut(text: str) -> list[str]:
    found, start = [], 0
    while True:
        end = start + PIECE_CHARS
        if end < len(text):
            end = (
                max(
                    text.rfind(" ", start + PIECE_CHARS // 2, end),
                    text.rfind("\n", start + PIECE_CHARS // 2, end),
                    0,
                )
                or end
            )
        found.append(text[start:end].strip())
        if end >= len(text):
            return [piece for piece in found if piece] or [text]
        back = max(start + 1, end - OVERLAP * CHARS_PER_TOKEN)
        space = text.find(" ", back, end)
        start = back if space < 0 else space + 1


class PieceSearch(Protocol):
    name: str

    def scores(self, query: str) -> Scores:
        """One for each piece, in their order; nothing above 0 where nothing is near."""


class WordSearch:
    name = "bm25"

    def __init__(self, titles: Sequence[str], pieces: Sequence[CorpusPiece]) -> None:
        heads = [tokens(title) * _TITLE for title in titles]
        bags = [Counter([*heads[piece.page], *tokens(piece.text)]) for piece in pieces]
        lengths = np.array([sum(bag.values()) for bag in bags] or [1], np.float32)
        norm = _K1 * (1 - _B + _B * lengths / max(1.0, float(lengths.mean())))
        postings: dict[str, tuple[list[int], list[int]]] = {}
        for number, bag in enumerate(bags):
            for word, count in bag.items():
                places, counts = postings.setdefault(word, ([], []))
                places.append(number)
                counts.append(count)
        self._count = len(pieces)
        self._weights = {
            word: _weighed(np.array(places, np.int32), np.array(counts, np.float32), norm, self._count)
            for word, (places, counts) in postings.items()
        }

    def scores(self, query: str) -> Scores:
        found = np.zeros(self._count, np.float32)
        for word in query_words(query):
            if word in self._weights:
                places, weights = self._weights[word]
                found[places] += weights
        return found


def _weighed(
    places: NDArray[np.int32], counts: Scores, norm: Scores, all_of: int
) -> tuple[NDArray[np.int32], Scores]:
    rarity = float(np.log(1 + (all_of - len(places) + 0.5) / (len(places) + 0.5)))
    return places, np.asarray(rarity * counts * (_K1 + 1) / (counts + norm[places]), np.float32)


class DenseSearch:
    """A search by cosine, exact: every piece is compared."""

    name = "dense"

    def __init__(
        self, embedder: Embedder | None, titles: Sequence[str], pieces: Sequence[CorpusPiece]
    ) -> None:
        """Embed the pieces, without an embedder by the offline one, fitted to them."""
        texts = [f"{titles[piece.page]}\n{piece.text}" for piece in pieces]
        self.embedder = HashedTfIdf.fitted(texts) if embedder is None else embedder
        self.vectors = self.embedder.embed(texts)

    def scores(self, query: str) -> Scores:
        return np.asarray(self.vectors @ self.embedder.embed([query])[0], np.float32)


def best(scores: Scores, count: int) -> list[int]:
    """The places of the highest scores above 0, ties by place."""
    count = min(count, len(scores))
    if count == 0:
        return []
    if count < len(scores):
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        chosen = np.flatnonzero(scores >= least)
    else:
        chosen = np.arange(len(scores))
    ordered = sorted(chosen.tolist(), key=lambda place: (-float(scores[place]), place))
    return [place for place in ordered[:count] if scores[place] > 0]
