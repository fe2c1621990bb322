"""A server that dies while a shop is open: `unavailable` for whoever called a tool, a failed unit for a study, never an answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from drr.agents.registry import variant
from drr.agents.runner import AgentOptions, load_prompts, run_variant
from drr.env.errors import ServerFailure, ShopError
from drr.env.servers import connect
from drr.env.servers.connect import Servers
from drr.env.servers.load import LOAD, MANIFEST, Names, names_of
from drr.env.session import Session
from drr.env.settings import Settings
from drr.env.shop import SearchRequest, Shop, check_shop, open_shop, shop_writer
from drr.env.shop_world import ShopWorld
from drr.env.web.sandbox import Sandbox
from drr.llm.calls import Retries
from drr.llm.factory import Models
from drr.llm.meter import Meter
from drr.llm.models import ModelSettings
from drr.offline.agents.policies import agent_policy
from drr.tools.base import ToolError, context_for
from drr.tools.registry import call, call_sync
from pydantic import SecretStr

from tests.servers import running
from tests.servers.proxies import HttpProxy, MongoProxy

pytestmark = pytest.mark.servers
Dying = tuple[Shop, Callable[[], None], Callable[[], None]]
USER = "A000000001"


@pytest.fixture
def dying(spec: str, settings: Settings, closing: Callable[[Callable[[], None]], None]) -> Dying:
    """A shop, and what ends each of its servers, connections and all."""
    running.write(spec, settings)
    dead: list[bool] = []
    mongo = MongoProxy(settings.mongodb_url.get_secret_value(), lambda _: None)
    closing(mongo.close)
    search = HttpProxy(
        settings.elasticsearch_url.get_secret_value(),
        lambda *_: (503, b'{"error": {"type": "x", "reason": "gone"}, "status": 503}') if dead else None,
    )
    closing(search.close)
    through = settings.model_copy(
        update={
            "mongodb_url": SecretStr(mongo.url),
            "elasticsearch_url": SecretStr(search.url),
            "server_timeout": 1.0,
        }
    )
    shop = open_shop(spec, through)
    closing(shop.close)

    return shop, mongo.die, lambda: dead.append(True)


async def test_an_open_shop_dies(dying: Dying) -> None:
    shop, end_mongo, end_search = dying
    ctx = context_for(Session(shop, USER), Sandbox([]))
    assert (await call("get_user_profile", {}, ctx)).text
    end_search()
    with pytest.raises(ToolError, match=r"Elasticsearch at .* is not ready") as caught:
        await call("product_catalog_search", {"query": "bird feeder"}, ctx)
    assert caught.value.kind == "unavailable"
    end_mongo()
    for name, arguments in (("get_user_orders", {}), ("get_product_details", {"product_id": "B000000001"})):
        with pytest.raises(ToolError, match=r"MongoDB at .* does not answer") as caught:
            await call(name, arguments, ctx)
        assert caught.value.kind == "unavailable" and isinstance(caught.value.__cause__, ServerFailure)
        with pytest.raises(ToolError, match="does not answer"):
            call_sync(name, arguments, ctx)


async def test_a_run_ends_where_the_search_of_its_shop_dies(dying: Dying) -> None:
    shop, _, end_search = dying
    end_search()
    meter = Meter()
    models = Models(ModelSettings({}), retries=Retries(attempts=1)).unit(meter)
    with pytest.raises(ServerFailure, match=r"Elasticsearch at .* is not ready"):
        await run_variant(
            variant("react"),
            "Which bird feeder should I buy?",
            world=ShopWorld(Session(shop, USER), Sandbox([])),
            models={"agent": models.role("agent", agent_policy)},
            meter=meter,
            prompts=load_prompts(None),
            options=AgentOptions(),
        )


def _collections(servers: Servers, names: Names) -> set[str]:
    return set(servers.mongo[names.shop].list_collection_names())


def test_a_shop_published_meanwhile_stays(spec: str, settings: Settings, before_mongodb: Any) -> None:
    """The other load looked for a shop when there was none yet, and began when there was one."""
    wrote: list[bool] = []

    def rule(command: dict[str, Any]) -> None:
        if command.get("insert") == MANIFEST and not wrote:
            wrote.append(True)
            running.write(spec, settings, text="first")

    with pytest.raises(ShopError, match="of other data; give another name, or --replace"):
        running.write(spec, before_mongodb(rule), text="second")
    assert wrote
    with open_shop(spec, settings) as shop:
        assert shop.manifest.recipe == {"text": "first"}
        assert shop.catalog.search(SearchRequest("first")).total == running.PRODUCTS
    assert list(check_shop(spec, settings)) == []


def test_a_loader_that_lost_its_load_removes_nothing(spec: str, settings: Settings, servers: Servers) -> None:
    names = names_of(spec)
    with (
        pytest.raises(ShopError, match="another process loads this shop now"),
        shop_writer(spec, settings) as writer,
    ):
        writer.write_products(running.products())
        there = _collections(servers, names)
        servers.mongo[names.shop][MANIFEST].update_one({"_id": LOAD}, {"$set": {"token": "another"}})
        writer.write_users([running.users()])
    assert _collections(servers, names) >= there
    assert servers.search.indices.get(index=names.indices)


def test_a_swap_whose_tidying_was_cut_off_is_tidied_by_the_same_command(
    spec: str, settings: Settings, servers: Servers, before_elasticsearch: Any
) -> None:
    names = names_of(spec)
    running.write(spec, settings)
    loaded: list[str] = []

    def rule(method: str, path: str, _: bytes) -> tuple[int, bytes] | None:
        loaded.extend(["bulk"] * ("_bulk" in path))
        return (503, b"{}") if loaded and method == "DELETE" else None

    with pytest.raises(ShopError):
        running.write(spec, before_elasticsearch(rule), replace=True, text="cat toy")
    assert len(servers.search.indices.get(index=names.indices)) == 2, "the old one is left over"
    assert list(check_shop(spec, settings)) == []
    with open_shop(spec, settings) as shop:
        assert shop.manifest.recipe == {"text": "cat toy"}
    running.write_whole(spec, settings, text="cat toy")
    assert len(_collections(servers, names)) == 4
    assert len(servers.search.indices.get(index=names.indices, expand_wildcards="all")) == 1


def test_a_really_full_elasticsearch_is_called_full_and_the_load_is_kept(
    spec: str, settings: Settings, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The block that a node sets on every index of a full disk, set by hand: it answers as it would."""
    names = names_of(spec)

    def blocking(block: bool | None) -> None:
        servers.search.indices.put_settings(
            index=names.indices, settings={"index.blocks.read_only_allow_delete": block}
        )

    def first_batch_is_recorded() -> bool:
        load = servers.mongo[names.shop][MANIFEST].find_one({"_id": LOAD})
        return load is not None and "products" in load["done"]

    def products() -> Any:
        for number, product in enumerate(running.products()):
            if number == running.PRODUCTS - 100:
                waited = time.monotonic() + 30
                while not first_batch_is_recorded() and time.monotonic() < waited:
                    time.sleep(0.01)
                blocking(True)
            yield product

    with (
        pytest.raises(ShopError, match=r"is full .*make room there and run the same command again"),
        shop_writer(spec, settings) as writer,
    ):
        writer.write_products(products())
    kept = servers.mongo[names.shop][MANIFEST].find_one({"_id": LOAD})
    assert kept is not None and kept["done"]["products"]["batches"] > 0
    with pytest.raises(ShopError, match="no such shop"):
        open_shop(spec, settings)
    blocking(None)
    running.write_whole(spec, settings)
    assert running.published_version(spec, servers) == kept["version"], "what was begun is finished"


def test_an_unmet_write_concern_is_told(spec: str, settings: Settings, before_mongodb: Any) -> None:
    """Played: a replica set that lost its majority stores the documents and says that it cannot promise them."""
    lost = [True]

    def rule(command: dict[str, Any]) -> dict[str, Any] | None:
        if lost and str(command.get("insert", "")).startswith("users"):
            lost.pop()
            error = {
                "code": 64,
                "codeName": "WriteConcernFailed",
                "errmsg": "waiting for replication timed out",
            }
            return {"ok": 1.0, "n": 5000, "writeConcernError": error}
        return None

    through = before_mongodb(rule)
    with pytest.raises(ShopError, match="waiting for replication timed out"):
        running.write(spec, through)
    running.write_whole(spec, through)


def test_a_shop_replaced_between_two_reads(spec: str, settings: Settings, before_mongodb: Any) -> None:
    """Statistics read the user, the orders, the products: what was dropped in between is no user without orders."""
    running.write(spec, settings)
    for kind in ("orders", "products"):
        armed: list[str] = []

        def rule(command: dict[str, Any], armed: list[str] = armed) -> None:
            if armed and str(command.get("find", "")).startswith(armed[0]):
                armed.clear()
                running.write(spec, settings, replace=True, text="cat toy")

        with open_shop(spec, before_mongodb(rule)) as shop:
            armed.append(kind)
            with pytest.raises(ShopError, match="replaced while open"):
                shop.store.statistics("A000000001")


def test_a_server_that_stands_still_for_a_while_is_waited_for(
    spec: str, settings: Settings, before_mongodb: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A collection of garbage, a full journal: shorter than the timeout of a call, longer than it takes to see a server."""
    monkeypatch.setattr(connect, "_SELECT_SECONDS", 0.5)
    still_until: list[float] = []

    def rule(command: dict[str, Any]) -> float | None:
        if not still_until and str(command.get("insert", "")).startswith("users"):
            still_until.append(time.monotonic() + 2.5)
        left = still_until[0] - time.monotonic() if still_until else 0.0
        return left if left > 0 else None

    through = before_mongodb(rule)
    address = through.mongodb_url.get_secret_value() + "/?heartbeatFrequencyMS=500"
    running.write(spec, through.model_copy(update={"mongodb_url": SecretStr(address)}))
    assert still_until
    assert list(check_shop(spec, settings)) == []
