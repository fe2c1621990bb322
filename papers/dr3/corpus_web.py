"""A task's frozen pages as the web of its world: searched in pieces, read whole. Nothing beyond them can be reached."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock

import orjson
from drr.env.embedding import OFFLINE, Embedder, embedder_of
from drr.env.reach import WHOLE, KnownKinds, Reach
from drr.env.settings import Settings
from drr.env.web.base import Page, WebHit
from drr.env.web.sandbox import address_key
from drr.papers.dr3.form import CORPUS, SIZES, CorpusPage, read_corpus
from drr.papers.dr3.pieces import (
    PIECE_CHARS,
    CorpusPiece,
    DenseSearch,
    PieceSearch,
    WordSearch,
    best,
    cut,
    pieces_of,
)

READER = "corpus/1"
_BEGINS = 200
MOST_CHARS = 24_000_000
"""Of all corpora that one process keeps open; an index takes some five times its text."""


@dataclass(frozen=True)
class CorpusWeb:
    """Implements `WebSearch`. Its index is made when the first question comes."""

    pages: Sequence[CorpusPage]
    """By address, so that their order says nothing."""
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
        return pieces_of(self.pages)

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
        """The best piece of each page, best first, ties by address."""
        if not self.pages:
            return []
        found: dict[int, CorpusPiece] = {}
        for place in best(self.index.scores(query), 10 * limit + 50):
            piece = self.pieces[place]
            found.setdefault(piece.page, piece)
            if len(found) == limit:
                break
        return list(found.values())

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        return [self._hit(piece) for piece in self.find(query, top_k)]

    def _hit(self, piece: CorpusPiece) -> WebHit:
        page = self.pages[piece.page]
        dated = f"{page.date} - " if page.date else ""
        return WebHit(page.title, page.url, dated + piece.text)

    def piece_of(self, url: str, seen: str) -> int | None:
        """Find the piece by how it begins: a hit is one line, and may be cut."""
        place = self._places.get(address_key(url))
        if place is None:
            return None
        page = self.pages[place]
        texts, told = cut(page.text), " ".join(seen.split()).removeprefix(f"{page.date} - ")[:_BEGINS]
        begun = (number for number, text in enumerate(texts, 1) if " ".join(text.split())[:_BEGINS] == told)
        return next(begun, None) if len(texts) > 1 else None

    async def read(self, url: str) -> Page:
        place = self._places.get(address_key(url))
        if place is None:
            return Page(
                url, url, "unreachable", None, None, READER, "this address is not among the frozen pages"
            )
        return self._page(url, self.pages[place])

    def whole(self) -> list[Page]:
        return [self._page(page.url, page) for page in self.pages]

    def _page(self, url: str, page: CorpusPage) -> Page:
        dated = f"Published {page.date}\n\n" if page.date else ""
        return Page(url, page.url, "ok", page.title, f"# {page.title}\n\n{dated}{page.text}", READER)


class OpenCorpora:
    """The corpora that were used last, shared by the units of one process. They are bounded by the characters of their pages."""

    def __init__(self, settings: Settings, most_chars: int = MOST_CHARS) -> None:
        self._settings = settings
        self._most, self._lock = most_chars, Lock()
        self._open: OrderedDict[tuple[Path, str, Reach, tuple[int, ...]], CorpusWeb] = OrderedDict()

    def _embedder(self, reach: Reach) -> Embedder | None:
        """`None`: the offline one, fitted to the pieces of each corpus."""
        settings = self._settings_for(reach)
        return None if settings.model_for("embedder") == OFFLINE else embedder_of(settings)

    def _settings_for(self, reach: Reach) -> Settings:
        """The settings, with the embedder that the reach names."""
        if reach.embedder is None:
            return self._settings
        others = {role: name for role, name in self._settings.role_models.items() if role != "embedder"}
        return self._settings.model_copy(update={"model_embedder": reach.embedder, "role_models": others})

    def is_dense(self, reach: Reach) -> bool:
        return (reach.search or self._settings.corpus_search) != "bm25"

    def embedder_name(self, reach: Reach) -> str | None:
        return embedder_of(self._settings_for(reach)).name if self.is_dense(reach) else None

    def of(self, folder: Path, size: str, reach: Reach = WHOLE, kinds: KnownKinds | None = None) -> CorpusWeb:
        """Searched as the reach says, with the pages that it leaves."""
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
                assert kinds is not None  # whoever opens a world for such a reach knows them
                pages = [page for page in pages if kinds.has(reach.pages, page.url)]
            made = self._open[key] = CorpusWeb(pages, self._embedder(reach) if dense else None, dense)
            while len(self._open) > 1 and sum(web.characters for web in self._open.values()) > self._most:
                self._open.popitem(last=False)
            return made

    def __len__(self) -> int:
        return len(self._open)


def _stamp(folder: Path) -> tuple[int, ...]:
    """An edited corpus is another one."""
    return tuple(
        part for name in (CORPUS, SIZES) if (folder / name).exists()
        for part in ((folder / name).stat().st_mtime_ns, (folder / name).stat().st_size)
    )  # fmt: skip
