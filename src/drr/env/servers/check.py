"""Checks a shop on servers: records, index and manifest against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import groupby

from drr.env.content import Columns, ContentHash, batched, check_reviews, user_row
from drr.env.entities import Product
from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.manifest import (
    changed_manifest,
    check_content,
    check_counts,
    has_fields,
    indexed_language,
    lost_orders,
    named,
)
from drr.env.search.fields import SearchFields, fields_of_product
from drr.env.servers.catalog import ServersCatalog
from drr.env.servers.documents import find_keys
from drr.env.servers.index import IndexDocument, entry_of, export_documents
from drr.env.servers.opening import open_shop
from drr.env.servers.store import ServersStore
from drr.env.settings import Settings
from drr.env.shop import Shop

_AGAIN = "ingest again with --replace."
_PRODUCTS = 200
# A server takes 1,024 clauses in one query.
_TOGETHER = 500
# The server's tokenizer cuts a word that is longer than 255, and no search is for one.
_LONGEST = 200


def check_shop(spec: str, settings: Settings) -> Iterator[str]:
    try:
        with open_shop(spec, settings) as shop:
            if sentence := changed_manifest(shop.manifest):
                yield sentence
            yield from _Check(shop).problems()
    except ShopError as error:
        yield str(error)
    except (ValueError, LookupError) as error:
        yield f"A record cannot be read: {str(error).splitlines()[0]}."


class _Check:
    def __init__(self, shop: Shop) -> None:
        store, catalog = shop.store, shop.catalog
        assert isinstance(store, ServersStore) and isinstance(catalog, ServersCatalog)
        self._store, self._servers, self._index = store, catalog.servers, catalog.index
        self._manifest, self._with_fields = shop.manifest, has_fields(shop.manifest)
        self._found = ContentHash()
        self._product_ids, self._user_ids = list[str](), list[str]()
        self._holders: Counter[tuple[str, str]] = Counter()
        """The number of products that have a word in a field."""

    def problems(self) -> Iterator[str]:
        yield from self._check_products()
        yield from self._check_users()
        yield from self._check_orders()
        yield from check_counts(self._manifest, self._found.counts)
        yield from check_content(self._manifest, self._found)
        yield from check_reviews(self._manifest.reviews, self._store.iter_reviews())

    def _check_products(self) -> Iterator[str]:
        unfound: list[str] = []
        if different := list(
            _differing_ids(self._expected_entries(unfound), export_documents(self._servers, self._index))
        ):
            yield f"Store and index differ in {len(different):,} products: {named(different)}."
        if unfound:
            yield (
                f"The index does not find {len(unfound):,} products by their own words: {named(unfound)}; {_AGAIN}"
            )
        elif foreign := list(self._foreign()):
            yield (
                f"The index finds other products than the store has by {len(foreign):,} words: {named(foreign)}; {_AGAIN}"
            )

    def _expected_entries(self, unfound: list[str]) -> Iterator[IndexDocument]:
        """Yield the index entries that the stored products should have. Ids of products that the index does not find go to `unfound`."""
        for products in batched(self._store.iter_products(), _PRODUCTS):
            self._found.add_products(products)
            self._product_ids += [product.product_id for product in products]
            fields = [fields_of_product(product, indexed_language(self._manifest)) for product in products]
            unfound += self._products_not_found(products, fields)
            for product, made in zip(products, fields, strict=True):
                yield entry_of(product, made, with_fields=self._with_fields)

    def _products_not_found(
        self, products: Sequence[Product], fields: Sequence[SearchFields]
    ) -> Iterable[str]:
        """Return the ids of products that a search for all their own words does not find."""
        asked: list[str] = []
        queries: list[JsonObject] = []
        for product, made in zip(products, fields, strict=True):
            words = self._words(made)
            self._holders.update(words)
            for some in batched(words, _TOGETHER):
                own = [{"term": {"product_id": product.product_id}}, *_terms(some)]
                asked.append(product.product_id)
                queries += [{}, {"query": {"bool": {"filter": own}}, "size": 0, "track_total_hits": True}]
        if not asked:
            return {}
        with self._servers.speaking():
            answers = self._servers.search.msearch(index=self._index, searches=queries)["responses"]
        for product_id, answer in zip(asked, answers, strict=True):
            if "error" in answer:
                raise ShopError(
                    f"the words of {product_id} could not be looked up: {answer['error'].get('reason')}"
                )
        totals = [answer["hits"]["total"]["value"] for answer in answers]
        return dict.fromkeys(one for one, total in zip(asked, totals, strict=True) if total != 1)

    def _words(self, fields: SearchFields) -> list[tuple[str, str]]:
        found = {"text": fields.text.split(" ")}
        if self._with_fields:
            found |= {"strong": fields.strong.split(" "), "rest": fields.rest.split(" ")}
            found |= {"name": [*fields.name], "shelf": [*fields.shelf], "brand": [*fields.brand]}
        pairs = {(name, word) for name, words in found.items() for word in words}
        return [(name, word) for name, word in pairs if word and len(word) <= _LONGEST]

    def _foreign(self) -> Iterator[str]:
        """Yield the words for which the index finds more or fewer products than have the word."""
        for some in batched(self._holders.items(), _TOGETHER):
            asked = {"words": {"filters": {"filters": _terms(pair for pair, _ in some)}}}
            with self._servers.speaking():
                answer = self._servers.search.search(index=self._index, size=0, aggregations=asked)
            buckets = answer["aggregations"]["words"]["buckets"]
            for ((_, word), count), bucket in zip(some, buckets, strict=True):
                if bucket["doc_count"] != count:
                    yield word

    def _check_users(self) -> Iterator[str]:
        unfindable: list[str] = []
        for some in batched(self._store.iter_users_with_lookup_keys()):
            users = [user for user, _ in some]
            self._found.add_users([user_row(user) for user in users])
            self._user_ids += [user.user_id for user in users]
            unfindable += [
                user.user_id
                for user, find in some
                if find != find_keys(user.email, user.first_name, user.last_name)
            ]
        if unfindable:
            yield (
                f"{len(unfindable):,} users are not found by the e-mail and name that they have: {named(unfindable)}; "
                f"{_AGAIN}"
            )

    def _check_orders(self) -> Iterator[str]:
        """Check the orders. An order of an unknown product or user cannot enter the hash, which differs then."""
        products, users = set(self._product_ids), set(self._user_ids)
        columns = Columns(self._product_ids, self._user_ids)
        without: dict[str, list[str]] = {"product": [], "user": []}
        for orders in batched(self._store.iter_orders()):
            whole = []
            for order in orders:
                if order.product_id not in products:
                    without["product"].append(order.order_id)
                elif order.user_id not in users:
                    without["user"].append(order.order_id)
                else:
                    whole.append(order)
            if whole:
                self._found.add_orders(columns(whole))
        for kind, order_ids in without.items():
            self._found.counts["orders"] += len(order_ids)
            yield from lost_orders(kind, order_ids)


def _terms(words: Iterable[tuple[str, str]]) -> list[JsonObject]:
    return [{"term": {field: word}} for field, word in words]


def _differing_ids(stored: Iterable[IndexDocument], searched: Iterable[IndexDocument]) -> Iterator[str]:
    """Yield the ids of entries that differ between the two; both are in order of ids."""
    for product_id, found in groupby(merge(stored, searched, key=_id), key=_id):
        some = list(found)
        if len(some) != 2 or some[0] != some[1]:
            yield product_id


def _id(document: IndexDocument) -> str:
    return document.product_id
