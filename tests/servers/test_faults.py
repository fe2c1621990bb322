"""Everything that goes wrong with servers: a clear sentence, exit 1, nothing half-visible, and the same command continues.

Refused credentials, full disks and slowness are played by proxies in front of the test servers; deaths are real.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from drr.app.cli import main
from drr.env.errors import Misuse, ShopError
from drr.env.servers import index as search_index
from drr.env.servers.connect import Servers
from drr.env.servers.load import LOAD, MANIFEST, names_of
from drr.env.settings import Settings
from drr.env.shop import Manifest, SearchRequest, check_shop, open_shop, shop_writer

from tests.cases import table
from tests.servers import running, testservers
from tests.servers.proxies import HttpProxy, MongoProxy
from tests.servers.running import Closing, changed

pytestmark = pytest.mark.servers
Through = Callable[[Any], Settings]
DEAD = "127.0.0.1:9"


def test_a_dead_server_is_said_in_one_line(
    spec: str, settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    message = running.refused(spec, changed(settings, mongodb_url=f"mongodb://{DEAD}", server_timeout=1.0))
    assert message.startswith(f"MongoDB at {DEAD} does not answer; start it")
    message = running.refused(spec, changed(settings, elasticsearch_url=f"http://{DEAD}"))
    assert message.startswith(f"Elasticsearch at {DEAD} does not answer; start it")
    monkeypatch.setenv("DRR_MONGODB_URL", settings.mongodb_url.get_secret_value())
    monkeypatch.setenv("DRR_ELASTICSEARCH_URL", f"http://{DEAD}")
    for command in (["info", spec], ["check", spec], ["search", spec, "x"], ["show", spec, "user", "A1"]):
        assert main(["shop", *command]) == 1
        out, err = capsys.readouterr()
        assert out == "" and len(err.splitlines()) == 1 and "does not answer" in err


@pytest.mark.parametrize(
    "answer",
    [
        (200, b'{"version": {"number": "8.19.2"}, "tagline": "You Know, for Search"}'),
        (
            400,
            b'{"error": {"type": "media_type_header_exception", "reason": "Invalid media-type value"}, "status": 400}',
        ),
    ],
)
def test_an_older_elasticsearch_is_told_apart(
    spec: str, before_elasticsearch: Through, answer: tuple[int, bytes]
) -> None:
    message = running.refused(spec, before_elasticsearch(lambda *_: answer))
    assert "is version 8" in message and "speaks with 9.x" in message


def test_slow_servers_end_in_a_timeout(
    published: str, before_mongodb: Through, before_elasticsearch: Through
) -> None:
    slow = before_mongodb(lambda command: 1.5 if "find" in command else None)
    slow_search = before_elasticsearch(lambda method, path, body: 1.5 if "_search" in path else None)
    with pytest.raises(ShopError, match=r"did not answer within 0.5 s; .*DRR_SERVER_TIMEOUT"):
        open_shop(published, changed(slow, server_timeout=0.5))
    with (
        open_shop(published, changed(slow_search, server_timeout=0.5)) as shop,
        pytest.raises(ShopError, match=r"did not answer within 0.5 s"),
    ):
        shop.catalog.search(SearchRequest("bird"))


def test_a_full_mongodb_stops_the_load(spec: str, settings: Settings, before_mongodb: Through) -> None:
    inserted: list[str] = []
    full = True

    def rule(command: dict[str, object]) -> dict[str, object] | None:
        into = str(command.get("insert", ""))
        if into.startswith(("products", "users", "orders")):
            if full and into.startswith("users"):
                return {
                    "ok": 0.0,
                    "code": 14031,
                    "codeName": "OutOfDiskSpace",
                    "errmsg": "No space left on device",
                }
            inserted.append(into)
        return None

    through = before_mongodb(rule)
    with pytest.raises(ShopError, match=r"is full \(No space left on device.*run the same command again"):
        running.write(spec, through)
    with pytest.raises(ShopError, match="no such shop"):
        open_shop(spec, settings)
    full = False
    products = list(inserted)
    running.write(spec, through)
    assert len(products) == 2
    assert not [one for one in inserted[2:] if one in products], "what was acknowledged is not written again"
    assert list(check_shop(spec, settings)) == []


def test_a_full_elasticsearch_is_named(spec: str, settings: Settings, before_elasticsearch: Through) -> None:
    full = True

    def rule(method: str, path: str, body: bytes) -> tuple[int, bytes] | None:
        if full and "_bulk" in path and b"B000000700" in body:
            error = {
                "type": "cluster_block_exception",
                "reason": "index blocked by: [FORBIDDEN/12/disk usage exceeded",
            }
            items = [{"index": {"status": 201}}] * 998
            items += [{"index": {"_id": f"B{n:09d}", "status": 403, "error": error}} for n in (998, 999)]
            return 200, orjson.dumps({"errors": True, "items": items})
        return None

    through = before_elasticsearch(rule)
    with pytest.raises(ShopError, match=r"refused 2 of 1000 documents \(B000000998: 403 .*make room there"):
        running.write(spec, through)
    with pytest.raises(ShopError, match="no such shop"):
        open_shop(spec, settings)
    full = False
    running.write_whole(spec, through)


def test_documents_refused_by_a_busy_server_are_sent_again(
    spec: str, settings: Settings, monkeypatch: pytest.MonkeyPatch, before_elasticsearch: Through
) -> None:
    busy = [True]

    def rule(method: str, path: str, body: bytes) -> tuple[int, bytes] | None:
        if "_bulk" in path and busy and b"B000000700" in body:
            busy.pop()
            error = {"type": "es_rejected_execution_exception", "reason": "rejected"}
            return 200, orjson.dumps(
                {"errors": True, "items": [{"index": {"status": 429, "error": error}}] * 1000}
            )
        return None

    running.write(spec, before_elasticsearch(rule))
    assert not busy
    assert list(check_shop(spec, settings)) == []


def _documents(count: int) -> list[dict[str, object]]:
    return [search_index.document(product) for product in running.products(count=count)]


def test_a_server_that_stays_busy_is_given_up(
    settings: Settings, closing: Closing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "_FIRST_PAUSE", 0.01)
    error = {"type": "es_rejected_execution_exception", "reason": "rejected"}
    sent: list[bytes] = []

    def rule(method: str, path: str, body: bytes) -> tuple[int, bytes]:
        sent.append(body)
        items = [{"index": {"_id": f"B{n:09d}", "status": 429, "error": error}} for n in range(3)]
        return 200, orjson.dumps({"errors": True, "items": items})

    proxy = HttpProxy(None, rule)
    closing(proxy.close)
    servers = Servers(changed(settings, elasticsearch_url=proxy.url))
    closing(servers.close)
    with pytest.raises(ShopError, match=r"stays too busy and refused 3 of 3 documents \(B000000000"):
        search_index.bulk_write(servers, "x-products-v000000000000", _documents(3))
    assert len(sent) == 6


def test_a_document_the_mapping_refuses_is_named(spec: str, servers: Servers) -> None:
    """A real refusal: the mapping of the real server is strict."""
    name = names_of(spec).index("v000000000000")
    search_index.create_index(servers, name, 1)
    broken = [d | {"price": "dear"} if d["product_id"].endswith("7") else d for d in _documents(20)]
    with pytest.raises(
        ShopError, match=r"refused 2 of 20 documents \(B000000007: 400 document_parsing_exception.*B000000017"
    ):
        search_index.bulk_write(servers, name, broken)


def test_one_of_the_two_missing(published: str, settings: Settings, servers: Servers) -> None:
    names = names_of(published)
    servers.mongo[names.shop].drop_collection(f"orders_{running.published_version(published, servers)}")
    with pytest.raises(ShopError, match="MongoDB has no orders of this shop any more"):
        open_shop(published, settings)
    servers.mongo.drop_database(names.shop)
    with pytest.raises(ShopError, match=r"Elasticsearch has the index .* and MongoDB has no such database"):
        open_shop(published, settings)
    running.write(published, settings)
    (name,) = servers.search.indices.get(index=names.indices)
    servers.search.indices.delete(index=name)
    with pytest.raises(ShopError, match="MongoDB has the shop and Elasticsearch has no index"):
        open_shop(published, settings)
    running.write_whole(published, settings, replace=True)


def test_index_and_database_of_different_shops(published: str, settings: Settings, servers: Servers) -> None:
    names = names_of(published)
    (name,) = servers.search.indices.get(index=names.indices)
    servers.search.indices.put_mapping(index=name, meta={"shop": "another"})
    with pytest.raises(ShopError, match="are of different shops"):
        open_shop(published, settings)


def test_an_index_that_vanishes_while_open(published: str, settings: Settings, servers: Servers) -> None:
    with open_shop(published, settings) as shop:
        (name,) = servers.search.indices.get(index=names_of(published).indices)
        servers.search.indices.delete(index=name)
        with pytest.raises(ShopError, match="is gone"):
            shop.catalog.search(SearchRequest("bird"))


def test_a_replaced_shop_is_not_taken_for_an_empty_one(published: str, settings: Settings) -> None:
    with open_shop(published, settings) as old:
        assert old.store.product("B000000001") is not None
        running.write(published, settings, replace=True, text="cat toy")
        for call in (
            lambda: old.store.product("B000000001"),
            lambda: old.store.products(["B000000001"]),
            lambda: old.store.user("A000000001"),
            lambda: old.store.orders("A000000001"),
            lambda: old.store.statistics("A000000001"),
            lambda: old.store.find_users(email="a1@example.org"),
            lambda: old.store.sample_users(3, seed=1),
            lambda: list(old.store.iter_orders()),
        ):
            with pytest.raises(ShopError, match="replaced while open"):
                call()
        with pytest.raises(ShopError, match="is gone; the shop was replaced"):
            old.catalog.search(SearchRequest("bird"))


def test_the_same_load_again_changes_nothing(
    published: str, settings: Settings, closing: Closing, servers: Servers
) -> None:
    names = names_of(published)
    before = servers.mongo[names.shop][MANIFEST].find_one({"_id": "current"})
    proxy = MongoProxy(settings.mongodb_url.get_secret_value(), lambda _: None)
    closing(proxy.close)
    running.write(published, changed(settings, mongodb_url=proxy.url))
    assert not {"insert", "update", "delete", "drop", "create", "createIndexes", "findAndModify"} & set(
        proxy.seen
    )
    assert servers.mongo[names.shop][MANIFEST].find_one({"_id": "current"}) == before
    with pytest.raises(ShopError, match="of other data; give another name, or --replace"):
        running.write(published, settings, text="cat toy")
    assert list(check_shop(published, settings)) == []


def test_of_two_loads_at_once_the_last_goes_on(spec: str, settings: Settings) -> None:
    with (
        pytest.raises(ShopError, match="another process loads this shop now; nothing was published"),
        shop_writer(spec, settings) as first,
    ):
        first.write_products(running.products())
        running.write(spec, settings)
        first.write_users([])
    assert list(check_shop(spec, settings)) == []


def test_a_load_taken_over_publishes_nothing(spec: str, settings: Settings, servers: Servers) -> None:
    manifest = Manifest(backend="", as_of="", content_hash="", counts={})
    with (
        pytest.raises(ShopError, match="another process loads this shop now; nothing was published"),
        shop_writer(spec, settings) as writer,
    ):
        writer.write_products([])
        writer.write_users([])
        writer.write_orders([])
        servers.mongo[names_of(spec).shop][MANIFEST].update_one({"_id": LOAD}, {"$set": {"token": "another"}})
        writer.publish(manifest)
    with pytest.raises(ShopError, match="no such shop"):
        open_shop(spec, settings)


def test_a_load_of_an_earlier_version_is_begun_anew(spec: str, settings: Settings, servers: Servers) -> None:
    database = servers.mongo[names_of(spec).shop]
    owner = {"token": "t", "host": "elsewhere", "pid": 1, "beat": time.time()}
    done = {"products": {"count": 1000, "digest": "0" * 64}}
    database[MANIFEST].insert_one({"_id": LOAD, "version": "v000000000000", "owner": owner, "done": done})
    database["products_v000000000000"].insert_one({"_id": "B000000000"})
    running.write_whole(spec, settings)
    assert "products_v000000000000" not in database.list_collection_names()


def test_an_unfinished_load_of_other_data_is_not_mixed_in(spec: str, settings: Settings) -> None:
    with pytest.raises(KeyboardInterrupt), shop_writer(spec, settings) as writer:
        writer.write_products(running.products("cat toy"))
        raise KeyboardInterrupt
    with pytest.raises(ShopError, match=r"unfinished load of other data .* run the same command again"):
        running.write(spec, settings)
    running.write_whole(spec, settings)


def test_check_names_what_does_not_fit(published: str, settings: Settings, servers: Servers) -> None:
    names = names_of(published)
    database, version = servers.mongo[names.shop], running.published_version(published, servers)
    database[f"products_{version}"].update_one({"_id": "B000000004"}, {"$set": {"price": 1.0}})
    database[f"products_{version}"].delete_one({"_id": "B000000005"})
    database[f"users_{version}"].delete_one({"_id": "A000000007"})
    servers.search.delete(index=names.index(version), id="B000000009", refresh=True)
    servers.search.update(
        index=names.index(version), id="B000000003", doc={"category": ["other"]}, refresh=True
    )
    database[MANIFEST].update_one({"_id": "current"}, {"$set": {"manifest.recipe.text": "another"}})
    problems = "\n".join(check_shop(published, settings))
    assert "The manifest is not what was written" in problems
    assert "differ in 4 products: B000000003, B000000004, B000000005, ..." in problems
    assert "4 orders have no product" in problems
    assert "1 orders have no user" in problems
    assert "There are 1,699 products and the manifest says 1,700." in problems
    assert "are not those that were written" in problems


@pytest.mark.parametrize("kind", testservers.KINDS)
def test_a_server_that_dies_in_the_middle_of_a_load(
    spec: str, settings: Settings, tmp_path: Path, closing: Closing, kind: str
) -> None:
    """Killed, not stopped; started again on its data, the same command finishes what was begun."""
    reason = testservers.missing()
    if reason is not None:
        pytest.skip(f"needs a server that may be killed: {reason}")
    server = testservers.start(kind, tmp_path / kind)
    port = int(server.url.rpartition(":")[2])
    own = changed(settings, **{f"{kind}_url": server.url})

    def dying() -> object:
        for number, product in enumerate(running.products()):
            if number == 1200:
                server.process.kill()
                server.process.wait()
            yield product

    with pytest.raises(ShopError, match="does not answer"), shop_writer(spec, own) as writer:
        writer.write_products(dying())  # type: ignore[arg-type]
    again = testservers.start(kind, tmp_path / kind, port=port)
    closing(again.stop)
    with pytest.raises(ShopError, match="no such shop"):
        open_shop(spec, own)
    running.write_whole(spec, own)


@table("servers", "a_name_no_server_takes_is_misuse")
def test_a_name_no_server_takes_is_misuse(name: str, settings: Settings) -> None:
    with pytest.raises(Misuse, match="servers:NAME"):
        open_shop(name, settings)


def test_an_address_that_is_none_is_misuse(spec: str, settings: Settings) -> None:
    with pytest.raises(Misuse, match="mongodb_url"):
        open_shop(spec, changed(settings, mongodb_url="http://x"))
    with pytest.raises(Misuse, match="elasticsearch_url"):
        open_shop(spec, changed(settings, elasticsearch_url="nonsense"))
