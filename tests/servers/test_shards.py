"""More than one shard changes nothing in what is found, nor in which order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from drr.env.servers.connect import Servers
from drr.env.servers.load import names_of
from drr.env.settings import Settings
from drr.env.shop import SearchRequest, open_shop

from tests.servers import small

pytestmark = pytest.mark.servers


def test_three_shards_answer_as_one(spec: str, settings: Settings) -> None:
    small.write(spec, settings)
    small.write(spec + "-3", settings.model_copy(update={"elasticsearch_shards": 3}))
    servers = Servers(settings)
    (found,) = servers.search.indices.get_settings(index=names_of(spec + "-3").alias).values()
    servers.close()
    assert found["settings"]["index"]["number_of_shards"] == "3"
    request = SearchRequest("bird 17 1699 feeder", limit=50)
    with open_shop(spec, settings) as one, open_shop(spec + "-3", settings) as three:
        for sort in ("relevance", "price_asc", "popularity"):
            asked = replace(request, sort=sort)  # type: ignore[arg-type]
            a, b = one.catalog.search(asked), three.catalog.search(asked)
            assert (a.product_ids, a.total) == (b.product_ids, b.total)
            assert b.total == small.PRODUCTS
