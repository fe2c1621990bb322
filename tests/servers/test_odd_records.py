"""Records that one backend takes and another might not: the same answers, or a sentence that names the record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from drr.env.entities import Product
from drr.env.errors import ShopError
from drr.env.servers import index as search_index
from drr.env.servers.connect import Servers
from drr.env.settings import Settings
from drr.env.shop import Manifest, SearchRequest, check_shop, open_shop, shop_writer
from pydantic import SecretStr

from tests.servers import running
from tests.servers.proxies import HttpProxy

pytestmark = pytest.mark.servers


def _product(**changes: Any) -> Product:
    return next(running.products(count=1)).model_copy(update=changes)


def _written(spec: str, settings: Settings, product: Product) -> str:
    with shop_writer(spec, settings) as writer:
        writer.write_products([product])
        writer.write_users([])
        writer.write_orders([])
        return writer.publish(Manifest(backend="", as_of="", content_hash="", counts={})).content_hash


def _nested(levels: int) -> dict[str, Any]:
    inner: Any = {"at the bottom": [2**64 - 1, "x", None]}
    for level in range(levels):
        inner = {"a.b": inner} if level % 2 else [inner]
    return {"nested": inner}


ODD: dict[str, dict[str, Any]] = {
    "whole numbers beyond 63 bits": {"details": {"n": 2**63, "list": [2**64 - 1, -(2**63), 2**63 - 1, True]}},
    "what stands for them": {"details": {"%json": "1", "%25json": {"%json": 2}, "%": "%", "": "%"}},
    "deeper than a hundred levels": {"details": _nested(150)},
    "categories too long for a keyword": {"categories": ["y" * 40_000, "z " * 30_000]},
    "a title too long for a keyword": {"title": "word " * 40_000},
    "a word of four-byte letters": {"title": "\U00020000" * 400},
    "nothing at all": {"title": "", "features": [], "categories": [], "details": {}, "store": ""},
    "NUL": {"title": "a\0b", "details": {"a\0b": "c\0d"}, "store": "\0"},
    "an id of signs": {"product_id": 'é"\\\n /?#%'},
}


@pytest.mark.parametrize("what", list(ODD))
def test_odd_records_are_the_same_on_both(what: str, spec: str, settings: Settings, tmp_path: Path) -> None:
    product = _product(**ODD[what])
    here = str(tmp_path / "shop")
    assert _written(here, settings, product) == _written(spec, settings, product)
    asked = [
        SearchRequest("acme word bird feeder 0 b", category=name) for name in (None, *product.categories)
    ]
    for name in (here, spec):
        with open_shop(name, settings) as shop:
            (back,) = shop.store.iter_products()
            assert back.model_copy(update={"product_url": ""}) == product
            assert shop.store.product(product.product_id) == back
        assert list(check_shop(name, settings)) == []
    with open_shop(here, settings) as a, open_shop(spec, settings) as b:
        for request in asked:
            assert a.catalog.search(request).product_ids == b.catalog.search(request).product_ids


def test_a_record_no_server_takes_is_named(spec: str, settings: Settings) -> None:
    for product, message in (
        (_product(product_id="B" * 600), r"products: BBB.* is longer than an id may be"),
        (_product(rating_number=2**63), r"products: B000000000 cannot be stored"),
        (_product(description=["lorem " * 3_000_000]), r"products: B000000000 cannot be stored: it has 18,0"),
    ):
        with pytest.raises(ShopError, match=message):
            _written(spec, settings, product)
    with pytest.raises(ShopError, match="no such shop"):
        open_shop(spec, settings)


def test_long_texts_are_sent_in_requests_that_a_server_takes() -> None:
    """A node takes 100 MB at once; here it is played, and counts."""
    sent: list[bytes] = []

    def rule(method: str, path: str, body: bytes) -> tuple[int, bytes]:
        sent.append(body)
        return 200, b'{"errors": false}'

    proxy = HttpProxy(None, rule)
    servers = Servers(Settings(elasticsearch_url=SecretStr(proxy.url)))
    documents = [
        search_index.document(_product(product_id=f"B{number:09d}", description=["bird " * 600_000]))
        for number in range(11)
    ]
    search_index.bulk(servers, "x", documents)
    assert len(sent) > 1 and max(map(len, sent)) <= 16 << 20
    assert b"".join(sent) == search_index.lines(documents)
    servers.close()
    proxy.close()
