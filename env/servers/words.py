"""The check that the index finds each product by its words. The words are searched and not given back, and a
checksum may stay while they change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from drr.env.content import batched
from drr.env.errors import ShopError
from drr.env.json_object import JsonObject
from drr.env.search.fields import SearchFields
from drr.env.servers.connect import Servers

_PRODUCTS = 200
# A server takes 1,024 clauses in one query.
_TOGETHER = 500
_COUNTED = 500
_NAMED = 3
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


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
