"""Runs a search by fields, from the request to the page of results, on any engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NamedTuple, Protocol

from drr.env.embedding import OFFLINE, OFFLINE_NAME, Embedder, HashedTfIdf, Vectors, embedder_of
from drr.env.entities import Product
from drr.env.search.compounds import reader_of
from drr.env.search.read_query import Holders, Lexicon
from drr.env.search.search_plan import FULL, Node, Plan
from drr.env.settings import Settings
from drr.env.shop import Manifest, SearchPage, SearchRequest
from drr.wording.currency import DOLLARS, Currency


class Hits(NamedTuple):
    product_ids: list[str]
    scores: list[float | None]
    total: int


class IndexEngine(Protocol):
    """The interface of a backend's index. Filters are those of the request; `unpriced` inverts the price filter."""

    counts_first: bool
    """True if counting is cheap. A demand is then counted first, and hits are fetched only if enough products fulfil it."""

    @property
    def language(self) -> str | None:
        """Return the language of the index's stems; `None` for English."""

    @property
    def holders(self) -> Holders:
        """Return the number of products that have a word in a field."""

    def lexicon(self) -> Lexicon: ...

    def count(self, node: Node, request: SearchRequest, *, unpriced: bool = False) -> int:
        """Count the products that fulfil a demand and pass the filters. `unpriced` counts those without a price instead of the price filter."""

    def hits(self, demanded: Node, plan: Plan, request: SearchRequest, *, total: int | None = None) -> Hits:
        """Return a page of the products that fulfil a demand, in order; `total` is their number, if already counted."""


@dataclass(frozen=True)
class FoundHits:
    """The hits of a request, and how the request was interpreted."""

    request: SearchRequest
    plan: Plan
    demanded: Node
    hits: Hits
    reached: int | None
    """The number of products that fulfil the demand without any filter, if counted."""
    words: str
    """The query without misspellings, weak words and prices; each thing by its names."""
    notes: tuple[str, ...]


class BesideCounts(NamedTuple):
    aside: int
    unpriced: int


@dataclass(frozen=True)
class FieldSearch:
    engine: IndexEngine
    money: Currency = DOLLARS

    def search(self, request: SearchRequest) -> SearchPage:
        found = self.find_hits(request)
        if found is None:
            return SearchPage([], [], 0)
        return SearchPage(*found.hits, *self.count_beside(found), found.notes, found.request)

    def find_hits(self, request: SearchRequest) -> FoundHits | None:
        """Find the hits of a request; `None` if the query has no word."""
        engine = self.engine
        reader = reader_of(engine.holders, engine.lexicon, engine.language, self.money)
        asked = reader.read(request.query)
        if not asked.slots:
            return None
        request = replace(
            request,
            # a least price of 0 leaves out what has none, and says nothing against "over $20"
            min_price=request.min_price if request.min_price or asked.min_price is None else asked.min_price,
            max_price=asked.max_price if request.max_price is None else request.max_price,
            sort="price_asc" if asked.cheapest and request.sort == "relevance" else request.sort,
        )
        plan = Plan(asked, engine.holders, ranked=request.sort == "relevance")
        return FoundHits(request, plan, *self._hits(plan, request), asked.words, asked.notes)

    def count_beside(self, found: FoundHits) -> BesideCounts:
        """Count the products that only share a word, and the products left out for an unknown price."""
        engine, request = self.engine, found.request
        total = found.hits.total
        # By relevance the best comes first whatever follows: there it matters where little is found.
        matters = request.sort != "relevance" or total < FULL
        aside = (
            engine.count(found.plan.any_word, request) - total if request.match == "well" and matters else 0
        )
        priced = request.min_price is not None or request.max_price is not None
        # Where all pass the filters, none was left out.
        left_out = priced and not request.unknown_price and found.reached != total
        return BesideCounts(
            max(0, aside), engine.count(found.demanded, request, unpriced=True) if left_out else 0
        )

    def _hits(self, plan: Plan, request: SearchRequest) -> tuple[Node, Hits, int | None]:
        """Find the hits of the strictest level that enough products reach, whatever the filters. If none of these products
        passes the filters, the list stays empty."""
        bare = _without_filters(request)
        last = plan.every_word if request.match == "all" else plan.any_word
        for level in plan.levels() if request.match == "well" else ():
            if bare != request or (self.engine.counts_first and request.sort == "relevance"):
                reached = self.engine.count(level.node, bare)
                if reached >= level.needed:
                    total = reached if bare == request else None
                    return level.node, self.engine.hits(level.node, plan, request, total=total), reached
                continue
            hits = self.engine.hits(level.node, plan, request)
            if hits.total >= level.needed:
                return level.node, hits, None
        return last, self.engine.hits(last, plan, request), None


def _without_filters(request: SearchRequest) -> SearchRequest:
    filters = (request.min_price, request.max_price, request.min_rating, request.category, request.brand)
    if filters == (None, None, None, None, None):
        return request
    return replace(request, min_price=None, max_price=None, min_rating=None, category=None, brand=None)


DEPTH = 100
"""Number of hits by words that are ranked anew."""
NEAR = 20
"""Number of hits by vector."""
_FLATTENING = 60
"""The constant of reciprocal rank fusion, from Cormack, Clarke and Buettcher (2009)."""


class VectorEngine(IndexEngine, Protocol):
    def near(self, vector: Vectors, request: SearchRequest, count: int) -> list[str]:
        """Return the ids of products that pass the filters, the nearest first; ties are ordered by id."""

    def among(self, product_ids: Sequence[str], demanded: Node) -> set[str]:
        """Return those of the given products that fulfil the demand."""


def merge_rankings(first: Sequence[str], second: Sequence[str]) -> list[tuple[float, str]]:
    """Merge two rankings by the sum of reciprocal ranks, as (score, id); ties are ordered by id."""
    scores: dict[str, float] = {}
    for ranking in (first, second):
        for rank, product_id in enumerate(ranking, 1):
            scores[product_id] = scores.get(product_id, 0.0) + 1 / (_FLATTENING + rank)
    return sorted(
        ((score, product_id) for product_id, score in scores.items()), key=lambda row: (-row[0], row[1])
    )


@dataclass(frozen=True)
class HybridSearch:
    engine: VectorEngine
    embedder: Embedder
    money: Currency = DOLLARS

    def search(self, request: SearchRequest) -> SearchPage:
        """Search by fields, then by vectors if the order is by relevance. In another order nearness is no reason to be listed.

        Products that have the name that the whole query is, or every word of it, come before those that are only near.
        """
        words = FieldSearch(self.engine, self.money)
        found = words.find_hits(replace(request, limit=DEPTH, offset=0))
        if found is None:
            return SearchPage([], [], 0)
        if found.request.sort != "relevance" or request.match == "all":
            return words.search(request)
        vector = self.embedder.embed([found.words])[0]
        near = self.engine.near(vector, found.request, NEAR)
        deeper = self.engine.among(near, found.demanded) - set(found.hits.product_ids)
        own, near = found.hits.product_ids, [one for one in near if one not in deeper]
        whole = found.plan.names_all_of(found.demanded)
        full = set(own) if whole else self.engine.among(own, found.plan.every_word)
        mixed = merge_rankings(
            [one for one in own if one not in full], [one for one in near if one not in full]
        )
        head = merge_rankings([*(one for one in own if one in full), *(one for _, one in mixed)], ())
        beside = len(head) - len(found.hits.product_ids)
        page = head[request.offset : request.offset + request.limit]
        ids, scores = [one for _, one in page], [score for score, _ in page]
        if len(ids) < request.limit and found.hits.total > DEPTH:
            rest = replace(
                found.request,
                limit=request.limit - len(ids),
                offset=DEPTH + max(0, request.offset - len(head)),
            )
            ids += self.engine.hits(found.demanded, found.plan, rest).product_ids
        read = replace(found.request, limit=request.limit, offset=request.offset)
        padded: list[float | None] = [*scores, *([None] * (len(ids) - len(scores)))]
        beyond = words.count_beside(found)
        return SearchPage(
            ids,
            padded,
            found.hits.total + beside,
            max(0, beyond.aside - beside),
            beyond.unpriced,
            found.notes,
            read,
        )


FITTED_TO = 1000
VERSION_KEY = "vectors"


def product_text(product: Product) -> str:
    """Return the text that says what a product is, before any other remarks."""
    path = " > ".join(product.categories)
    return "\n".join([product.title, product.store or "", path, *product.features, *product.description])


class VectorMaker:
    """A maker of product vectors, batch by batch, in the order of product ids."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._embedder: Embedder | None = None
        self._digest = sha256()

    def rows(self, products: Sequence[Product]) -> Vectors:
        texts = [product_text(product) for product in products]
        if self._embedder is None:
            self._embedder = self._fit_embedder(texts)
        rows = self._embedder.embed(texts)
        self._digest.update(rows.tobytes())
        return rows

    def _fit_embedder(self, texts: Sequence[str]) -> Embedder:
        if self._settings.model_for("embedder") == OFFLINE:
            return HashedTfIdf.fitted(texts[:FITTED_TO])
        return embedder_of(self._settings)

    @property
    def weights(self) -> Vectors | None:
        """Return the weights with which the offline embedder can be restored, or `None`."""
        return self._embedder.weights if isinstance(self._embedder, HashedTfIdf) else None

    @property
    def version(self) -> str:
        """Return the embedder's name and the vectors' hash, for the manifest."""
        name = self._embedder.name if self._embedder else OFFLINE_NAME
        return f"{name}:{self._digest.hexdigest()[:16]}"


def has_vectors(manifest: Manifest, settings: Settings) -> bool:
    """Tell whether the shop has vectors of the embedder that the settings name."""
    asked = settings.model_for("embedder")
    name = OFFLINE_NAME if asked == OFFLINE else asked
    return manifest.versions.get(VERSION_KEY, "").startswith(f"{name}:")
