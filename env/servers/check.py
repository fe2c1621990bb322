"""The check of a shop on servers: records, index and manifest against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from drr.env.content import Columns, ContentHash, as_of_from, batched, check_reviews, user_row
from drr.env.entities import Product
from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.manifest import changed_manifest, has_fields
from drr.env.search.fields import SearchFields, fields_of_product
from drr.env.servers.catalog import ServersCatalog
from drr.env.servers.connect import Servers
from drr.env.servers.documents import find_keys
from drr.env.servers.index import IndexDocument, entry_of, export
from drr.env.servers.load import names_of
from drr.env.servers.opening import open_shop
from drr.env.servers.store import ServersStore
from drr.env.settings import Settings
from drr.env.shop import Manifest, Shop

_NAMED = 3


def check_shop(spec: str, settings: Settings) -> Iterator[str]:
    try:
        shop = open_shop(spec, settings)
    except ShopError as error:
        yield str(error)
        return
    with shop:
        if sentence := changed_manifest(shop.manifest):
            yield sentence
        try:
            yield from _check_open(shop)
        except ShopError as error:
            yield str(error)
        except (ValueError, LookupError) as error:
            yield f"A record cannot be read: {str(error).splitlines()[0]}."


def _check_open(shop: Shop) -> Iterator[str]:
    store, catalog, manifest = shop.store, shop.catalog, shop.manifest
    assert isinstance(store, ServersStore) and isinstance(catalog, ServersCatalog)
    found = ContentHash()
    product_ids: list[str] = []
    user_ids: list[str] = []
    with_fields = has_fields(manifest)
    compared = _Compared(export(catalog.servers, catalog.index), with_fields=with_fields)
    words = WordsCheck(catalog.servers, catalog.index, with_fields=with_fields)
    for products in batched(store.iter_products()):
        found.add_products(products)
        product_ids += [product.product_id for product in products]
        made = [fields_of_product(product) for product in products]
        for product, fields in zip(products, made, strict=True):
            compared.add(product, fields)
        words.add(list(zip((product.product_id for product in products), made, strict=True)))
    if different := compared.different():
        yield f"Store and index differ in {len(different):,} products: {_named(different)}."
    yield from words.problems()
    unfindable: list[str] = []
    for users in batched(store.iter_found_users()):
        found.add_users([user_row(user) for user, _ in users])
        user_ids += [user.user_id for user, _ in users]
        unfindable += [
            user.user_id
            for user, find in users
            if find != find_keys(user.email, user.first_name, user.last_name)
        ]
    if unfindable:
        yield (
            f"{len(unfindable):,} users are not found by the e-mail and name that they have: {_named(unfindable)}; "
            "ingest again with --replace."
        )
    yield from _check_orders(store, found, product_ids, user_ids)
    yield from _check_manifest(manifest, found)
    yield from check_reviews(manifest.reviews, store.iter_reviews())
    yield from _check_alias(shop.spec, catalog)


class _Compared:
    """Products of the store, in order of their ids, held against what the index gives in the same order."""

    def __init__(self, searched: Iterator[IndexDocument], *, with_fields: bool) -> None:
        self._searched, self._with_fields = searched, with_fields
        self._entry = next(searched, None)
        self._different: list[str] = []

    def add(self, product: Product, fields: SearchFields) -> None:
        while self._entry is not None and self._entry.product_id < product.product_id:
            self._different.append(self._entry.product_id)
            self._entry = next(self._searched, None)
        if self._entry != entry_of(product, fields, with_fields=self._with_fields):
            self._different.append(product.product_id)
        if self._entry is not None and self._entry.product_id == product.product_id:
            self._entry = next(self._searched, None)

    def different(self) -> list[str]:
        """The ids that differ, once every product was added; what the index has beyond them differs too."""
        beyond = [self._entry, *self._searched] if self._entry is not None else []
        return self._different + [one.product_id for one in beyond]


def _check_manifest(manifest: Manifest, found: ContentHash) -> Iterator[str]:
    for kind, count in found.counts.items():
        if count != manifest.counts.get(kind):
            yield f"There are {count:,} {kind} and the manifest says {manifest.counts.get(kind):,}."
    if found.digest(manifest.as_of) != manifest.content_hash:
        yield "Products, users and orders are not those that were written: their content hash is not the manifest's."
    if manifest.as_of != as_of_from(found.last_order_ms):
        yield (
            f"The manifest's as_of is {manifest.as_of}, and the day after the last order is "
            f"{as_of_from(found.last_order_ms)}."
        )


def _check_alias(spec: str, catalog: ServersCatalog) -> Iterator[str]:
    names = names_of(spec)
    with catalog.servers.speaking():
        pointed = catalog.servers.search.indices
        aliased = list(pointed.get_alias(name=names.alias)) if pointed.exists_alias(name=names.alias) else []
    if aliased != [catalog.index]:
        yield f"The alias {names.alias} names {', '.join(aliased) or 'nothing'} and should name {catalog.index}."


def _check_orders(
    store: ServersStore, found: ContentHash, product_ids: list[str], user_ids: list[str]
) -> Iterator[str]:
    """Orders of unknown products or users cannot enter the hash, which then differs anyway."""
    products, users = set(product_ids), set(user_ids)
    columns = Columns(product_ids, user_ids)
    without: dict[str, list[str]] = {"product": [], "user": []}
    for orders in batched(store.iter_orders()):
        whole = []
        for order in orders:
            if order.product_id not in products:
                without["product"].append(order.order_id)
            elif order.user_id not in users:
                without["user"].append(order.order_id)
            else:
                whole.append(order)
        if whole:
            found.add_orders(columns(whole))
    lost = sum(map(len, without.values()))
    found.counts["orders"] += lost
    for kind, order_ids in without.items():
        if order_ids:
            yield f"{len(order_ids):,} orders have no {kind}: {_named(order_ids)}."


def _named(ids: list[str]) -> str:
    return ", ".join(ids[:_NAMED]) + (", ..." if len(ids) > _NAMED else "")


_PRODUCTS = 200
# A server takes 1,024 clauses in one query.
_TOGETHER = 500
_COUNTED = 500
# The server's tokenizer cuts a word that is longer than 255, and no search is for one.
_LONGEST = 200


class WordsCheck:
    """Products are added in pieces; `problems` is asked once, when all were."""

    def __init__(self, servers: Servers, index: str, *, with_fields: bool) -> None:
        self._servers, self._index, self._with_fields = servers, index, with_fields
        self._holders: Counter[tuple[str, str]] = Counter()
        self._unfound: list[str] = []

    def add(self, products: Sequence[tuple[str, SearchFields]]) -> None:
        for some in batched(products, _PRODUCTS):
            self._look(some)

    def _look(self, products: Sequence[tuple[str, SearchFields]]) -> None:
        asked: list[str] = []
        queries: list[JsonObject] = []
        for product_id, fields in products:
            words = sorted(self._words(fields))
            self._holders.update(words)
            demands: list[JsonObject] = [{"term": {field: word}} for field, word in words]
            for first in range(0, max(len(demands), 1), _TOGETHER):
                own = {"term": {"product_id": product_id}}
                asked.append(product_id)
                queries += [
                    {},
                    {
                        "query": {"bool": {"filter": [own, *demands[first : first + _TOGETHER]]}},
                        "size": 0,
                        "track_total_hits": True,
                    },
                ]
        with self._servers.speaking():
            answers = self._servers.search.msearch(index=self._index, searches=queries)["responses"]
        for product_id, answer in zip(asked, answers, strict=True):
            if "error" in answer:
                raise ShopError(
                    f"the words of {product_id} could not be looked up: {answer['error'].get('reason')}"
                )
            if answer["hits"]["total"]["value"] != 1 and product_id not in self._unfound[-1:]:
                self._unfound.append(product_id)

    def _words(self, fields: SearchFields) -> set[tuple[str, str]]:
        names = ("text", "strong", "rest") if self._with_fields else ("text",)
        found = {(name, word) for name in names for word in getattr(fields, name).split(" ")}
        if self._with_fields:
            keys = (("name", fields.name), ("shelf", fields.shelf), ("brand", fields.brand))
            found |= {(name, key) for name, values in keys for key in values}
        return {(name, word) for name, word in found if word and len(word) <= _LONGEST}

    def problems(self) -> Iterator[str]:
        if self._unfound:
            yield (
                f"The index does not find {len(self._unfound):,} products by their own words: "
                f"{_named(self._unfound)}; ingest again with --replace."
            )
            return
        foreign = list(self._foreign())
        if foreign:
            yield (
                f"The index finds other products than the store has by {len(foreign):,} words: {_named(foreign)}; "
                "ingest again with --replace."
            )

    def _foreign(self) -> Iterator[str]:
        """Words that more or fewer products are found by than have them."""
        left = iter(self._holders.items())
        while some := list(islice(left, _COUNTED)):
            filters = [{"term": {field: word}} for (field, word), _ in some]
            with self._servers.speaking():
                answer = self._servers.search.search(
                    index=self._index,
                    size=0,
                    aggregations={"words": {"filters": {"filters": filters}}},
                )
            buckets = answer["aggregations"]["words"]["buckets"]
            for ((_, word), count), bucket in zip(some, buckets, strict=True):
                if bucket["doc_count"] != count:
                    yield word
