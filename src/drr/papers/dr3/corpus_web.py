"""A task's frozen pages as its only web: cut into pieces, searched by words or vectors, and read whole."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import NamedTuple, Protocol

import numpy as np
import orjson
from drr.env.embedding import OFFLINE, Embedder, HashedTfIdf, embedder_of
from drr.env.reach import WHOLE, KnownKinds, Reach
from drr.env.settings import Settings
from drr.env.text import query_words, tokens
from drr.env.web.base import Page, WebHit
from drr.env.web.sandbox import address_key
from drr.papers.dr3.form import CORPUS, SIZES, CorpusPage, read_corpus
from numpy.typing import NDArray

VERSION = "1"
"""Version of cutting and ranking, part of the unit's key: with another version a search may find other pages."""
CHARS_PER_TOKEN = 4
TOKENS, OVERLAP = 500, 50
PIECE_CHARS = TOKENS * CHARS_PER_TOKEN
_K1, _B = 1.2, 0.75
_TITLE = 2
"""Weight of a page's title in each of the page's pieces."""
Scores = NDArray[np.float32]


class CorpusPiece(NamedTuple):
    page: int
    """Position of the piece's page among the pages."""
    text: str


def page_pieces(pages: Sequence[CorpusPage]) -> list[CorpusPiece]:
    """Cut pages into pieces of 500 tokens with an overlap of 50; a token is four characters. A piece ends at a word's end."""
    return [CorpusPiece(number, text) for number, page in enumerate(pages) for text in cut(page.text)]


def cut(text: str) -> list[str]:
    found, start = [], 0
    while True:
        end = start + PIECE_CHARS
        if end < len(text):
            gaps = (text.rfind(gap, start + PIECE_CHARS // 2, end) for gap in " \n")
            end = max(*gaps, 0) or end
        found.append(text[start:end].strip())
        if end >= len(text):
            return [piece for piece in found if piece] or [text]
        back = max(start + 1, end - OVERLAP * CHARS_PER_TOKEN)
        space = text.find(" ", back, end)
        start = back if space < 0 else space + 1


class PieceSearch(Protocol):
    name: str

    def scores(self, query: str) -> Scores:
        """Score every piece for a query, in the order of the pieces; no score is above 0 if nothing matches."""


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
        self._weights: dict[str, tuple[NDArray[np.int32], Scores]] = {}
        for word, (places, counts) in postings.items():
            at, many = np.array(places, np.int32), np.array(counts, np.float32)
            rarity = float(np.log(1 + (self._count - len(at) + 0.5) / (len(at) + 0.5)))
            weights = np.asarray(rarity * many * (_K1 + 1) / (many + norm[at]), np.float32)
            self._weights[word] = at, weights

    def scores(self, query: str) -> Scores:
        found = np.zeros(self._count, np.float32)
        for word in query_words(query):
            if word in self._weights:
                places, weights = self._weights[word]
                found[places] += weights
        return found


class DenseSearch:
    """An exact search by cosine similarity: every piece is compared with the query."""

    name = "dense"

    def __init__(
        self, embedder: Embedder | None, titles: Sequence[str], pieces: Sequence[CorpusPiece]
    ) -> None:
        """Embed the pieces. Without an embedder the offline embedder is used, fitted to the pieces."""
        texts = [f"{titles[piece.page]}\n{piece.text}" for piece in pieces]
        self.embedder = HashedTfIdf.fitted(texts) if embedder is None else embedder
        self.vectors = self.embedder.embed(texts)

    def scores(self, query: str) -> Scores:
        return np.asarray(self.vectors @ self.embedder.embed([query])[0], np.float32)


def best_positions(scores: Scores, count: int) -> list[int]:
    """Return the positions of the highest scores above 0, best first; equal scores are ordered by position."""
    order = np.argsort(-scores, kind="stable")[:count]
    return [place for place in order.tolist() if scores[place] > 0]


READER = "corpus/1"
_BEGINS = 200
MOST_CHARS = 24_000_000
"""Limit on the characters of all corpora kept open. An index takes about five times the memory of its text."""


@dataclass(frozen=True)
class CorpusWeb:
    """A `WebSearch` over the frozen pages of one task. Its index is built at the first search."""

    pages: Sequence[CorpusPage]
    """Pages ordered by address, so that their order reveals nothing."""
    embedder: Embedder | None = None
    dense: bool = False
    name: str = "corpus"
    piece_chars: int = PIECE_CHARS

    @cached_property
    def content_hash(self) -> str:
        digest = sha256(b"drr-corpus-1")
        for page in self.pages:
            digest.update(orjson.dumps(page.model_dump(), option=orjson.OPT_SORT_KEYS) + b"\n")
        return digest.hexdigest()

    @cached_property
    def pieces(self) -> list[CorpusPiece]:
        return page_pieces(self.pages)

    @cached_property
    def index(self) -> PieceSearch:
        titles = [page.title for page in self.pages]
        return (
            DenseSearch(self.embedder, titles, self.pieces) if self.dense else WordSearch(titles, self.pieces)
        )

    @cached_property
    def _places(self) -> dict[str, int]:
        return {address_key(page.url): number for number, page in enumerate(self.pages)}

    @property
    def characters(self) -> int:
        return sum(len(page.text) for page in self.pages)

    def find(self, query: str, limit: int) -> list[CorpusPiece]:
        """Return the best piece of each matching page, best first, at most `limit` pieces; equal scores are ordered by address."""
        found: dict[int, CorpusPiece] = {}
        for place in best_positions(self.index.scores(query), 10 * limit + 50) if self.pages else ():
            found.setdefault(self.pieces[place].page, self.pieces[place])
        return list(found.values())[:limit]

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        return [self._hit(piece) for piece in self.find(query, top_k)]

    def _hit(self, piece: CorpusPiece) -> WebHit:
        page = self.pages[piece.page]
        dated = f"{page.date} - " if page.date else ""
        return WebHit(page.title, page.url, dated + piece.text, page.date)

    def piece_of(self, url: str, seen: str) -> int | None:
        """Return the number of the piece that a hit shows; `None` if unknown. The hit's beginning is compared, as a hit may be cut."""
        place = self._places.get(address_key(url))
        if place is None:
            return None
        page = self.pages[place]
        texts, snippet = cut(page.text), " ".join(seen.split()).removeprefix(f"{page.date} - ")[:_BEGINS]
        begun = [n for n, text in enumerate(texts, 1) if " ".join(text.split())[:_BEGINS] == snippet]
        return begun[0] if begun and len(texts) > 1 else None

    async def read(self, url: str) -> Page:
        place = self._places.get(address_key(url))
        if place is not None:
            return self._page(url, self.pages[place])
        problem = "this address is not among the frozen pages"
        return Page(url, url, "unreachable", None, None, READER, problem)

    def whole(self) -> list[Page]:
        return [self._page(page.url, page) for page in self.pages]

    def _page(self, url: str, page: CorpusPage) -> Page:
        dated = f"Published {page.date}\n\n" if page.date else ""
        return Page(url, page.url, "ok", page.title, f"# {page.title}\n\n{dated}{page.text}", READER)


class OpenCorpora:
    """A cache of the corpora used last, shared by the units of one process. The characters of their pages are limited."""

    def __init__(self, settings: Settings, most_chars: int = MOST_CHARS) -> None:
        self._settings = settings
        self._most, self._lock = most_chars, Lock()
        self._open: OrderedDict[tuple[Path, str, Reach, tuple[int, ...]], CorpusWeb] = OrderedDict()

    def _settings_for(self, reach: Reach) -> Settings:
        """Return the settings, with the embedder that the reach names, if any."""
        if reach.embedder is None:
            return self._settings
        others = {role: name for role, name in self._settings.role_models.items() if role != "embedder"}
        return self._settings.model_copy(update={"model_embedder": reach.embedder, "role_models": others})

    def is_dense(self, reach: Reach) -> bool:
        return (reach.search or self._settings.corpus_search) != "bm25"

    def embedder_name(self, reach: Reach) -> str | None:
        return embedder_of(self._settings_for(reach)).name if self.is_dense(reach) else None

    def of(self, folder: Path, size: str, reach: Reach = WHOLE, kinds: KnownKinds | None = None) -> CorpusWeb:
        """Return the corpus of a task folder at one size. The reach decides how it is searched and which pages it has."""
        dense = self.is_dense(reach)
        reach = Reach(reach.pages, reach.search or "dense" if dense else "bm25")
        key = (folder, size, reach, _stamp(folder))
        with self._lock:
            found = self._open.get(key)
            if found is not None:
                self._open.move_to_end(key)
                return found
            pages = [] if reach.pages == "none" else read_corpus(folder, size)
            if pages and reach.pages != "whole":
                assert kinds is not None  # given for every reach that withholds pages
                pages = [page for page in pages if kinds.has(reach.pages, page.url)]
            settings = self._settings_for(reach)
            # The offline embedder is fitted to the pieces of each corpus.
            fitted = not dense or settings.model_for("embedder") == OFFLINE
            made = self._open[key] = CorpusWeb(pages, None if fitted else embedder_of(settings), dense)
            while len(self._open) > 1 and sum(web.characters for web in self._open.values()) > self._most:
                self._open.popitem(last=False)
            return made

    def __len__(self) -> int:
        return len(self._open)


def _stamp(folder: Path) -> tuple[int, ...]:
    """Return the modification times and sizes of the corpus files, so that an edited corpus is read anew."""
    return tuple(
        part for name in (CORPUS, SIZES) if (folder / name).exists()
        for part in ((folder / name).stat().st_mtime_ns, (folder / name).stat().st_size)
    )  # fmt: skip
