"""Searches the shop's tantivy index: one field of pre-tokenised text, a flat union of the query's words.

The index is one segment in product-id order, so that equal scores come out by product id; every other sort uses a
rank that was computed when the index was built and is unique.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

import tantivy as tv
from drr.env.embedded.engine import TantivyEngine, add_fields
from drr.env.embedding import Embedder, Vectors
from drr.env.errors import ShopError
from drr.env.search.read_query import Lexicon
from drr.env.search.searching import FieldSearch, HybridSearch
from drr.env.shop import SearchName, SearchPage, SearchRequest
from drr.env.text import category_key, query_words
from drr.wording.currency import DOLLARS, Currency

_REMOVALS = 5
"""Most attempts to remove a folder."""
RANKS = ("by_price_asc", "by_price_desc", "by_rating", "by_popularity")


def schema() -> Any:
    builder = tv.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("category", tokenizer_name="raw", index_option="basic")
    builder.add_float_field("price", fast=True)
    builder.add_float_field("rating", fast=True)
    builder.add_unsigned_field("text_crc", fast=True)
    for name in RANKS:
        builder.add_unsigned_field(name, fast=True)
    add_fields(builder)
    return builder.build()


def is_damage(error: BaseException) -> bool:
    """Tell whether an error of tantivy means a damaged file. A panic of tantivy is not an `Exception`."""
    return isinstance(error, (ValueError, OSError)) or type(error).__name__ == "PanicException"


def links_to(path: Path) -> Path:
    """Make a writable folder of links to an index's files. tantivy puts a lock beside them, even where nothing may be written."""
    folder = Path(mkdtemp(prefix="drr-index-"))
    for file in path.iterdir():
        if file.suffix != ".lock":
            (folder / file.name).symlink_to(file.resolve())
    return folder


def remove_links(folder: Path) -> None:
    """Remove a folder of links. A watcher of tantivy may put its lock into the folder meanwhile, so several attempts are made."""
    for _ in range(_REMOVALS):
        rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return


def _open_index(path: Path) -> tuple[Any, Any]:
    index = tv.Index.open(str(path))
    return index, index.searcher()


class EmbeddedCatalog:
    def __init__(
        self,
        folder: Path,
        path: Path,
        categories: Mapping[str, int],
        lexicon: Callable[[], Lexicon] = lambda: Lexicon(b""),
        search: SearchName = "plain",
        vectors: Vectors | None = None,
        embedder: Embedder | None = None,
        language: str | None = None,
        money: Currency = DOLLARS,
    ) -> None:
        self._folder, self.search_name, self._language = folder, search, language
        self._let_go: Callable[[], object] = lambda: None
        try:
            try:
                self._index, self.searcher = _open_index(path)
            except (ValueError, OSError):
                if os.access(path, os.W_OK):
                    raise
                elsewhere = links_to(path)
                self._let_go = finalize(self, remove_links, elsewhere)
                self._index, self.searcher = _open_index(elsewhere)
        except BaseException as error:
            if not is_damage(error):
                raise
            raise ShopError(
                f"{folder}: its search index cannot be opened ({str(error)[:200]}); ingest again with --replace"
            ) from error
        self._schema = self._index.schema
        self._size: int = self.searcher.num_docs
        self._categories = dict(categories)
        engine = TantivyEngine(self._index, self.searcher, lexicon, vectors, language)
        self._fields = FieldSearch(engine, money)
        self._hybrid = None if embedder is None else HybridSearch(engine, embedder, money)

    def close(self) -> None:
        """Remove the temporary files of this catalogue now; otherwise they go with the object."""
        self._let_go()

    def categories(self) -> dict[str, int]:
        return dict(self._categories)

    def search(self, request: SearchRequest) -> SearchPage:
        if request.limit < 0 or request.offset < 0:
            raise ValueError("limit and offset are not negative")
        words = query_words(request.query, self._language)
        if not words:
            return SearchPage([], [], 0)
        try:
            name = request.search or self.search_name
            if name == "hybrid" and self._hybrid is not None:
                return self._hybrid.search(request)
            if name != "plain":
                return self._fields.search(request)
            return self._plain_search(request, words)
        except BaseException as error:
            if not is_damage(error):
                raise
            raise ShopError(
                f"{self._folder}: its search index cannot be read ({str(error)[:200]}); ingest again with --replace"
            ) from error

    def _plain_search(self, request: SearchRequest, words: list[str]) -> SearchPage:
        query = self._query(request, words)
        # tantivy reserves room for offset + limit hits at once, and wants one at least.
        limit = min(request.limit, self._size - request.offset)
        if limit <= 0:
            return SearchPage([], [], self.searcher.search(query, 1, count=True).count)
        if request.sort == "relevance":
            found = self.searcher.search(query, limit, count=True, offset=request.offset)
            scores: list[float | None] = [score for score, _ in found.hits]
        else:
            found = self.searcher.search(
                query,
                limit,
                count=True,
                offset=request.offset,
                order_by_field=f"by_{request.sort}",
                order=tv.Order.Asc,
            )
            scores = [None] * len(found.hits)
        doc = self.searcher.doc
        return SearchPage([doc(address)["id"][0] for _, address in found.hits], scores, found.count)

    def _query(self, request: SearchRequest, words: list[str]) -> Any:
        term, each = tv.Query.term_query, tv.Occur.Must if request.match == "all" else tv.Occur.Should
        schema = self._schema
        query = tv.Query.boolean_query(
            [(each, term(schema, "text", word, index_option="freq")) for word in words]
        )
        filters = []
        if request.min_price is not None or request.max_price is not None:
            filters.append(
                tv.Query.range_query(
                    schema, "price", tv.FieldType.Float, request.min_price, request.max_price
                )
            )
        if request.min_rating is not None:
            filters.append(
                tv.Query.range_query(schema, "rating", tv.FieldType.Float, request.min_rating, None)
            )
        if request.category is not None:
            filters.append(term(schema, "category", category_key(request.category), index_option="basic"))
        if not filters:
            return query
        must = tv.Occur.Must
        silent = tv.Query.const_score_query
        return tv.Query.boolean_query([(must, query), *((must, silent(f, 0.0)) for f in filters)])
