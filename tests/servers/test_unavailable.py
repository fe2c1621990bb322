"""A server that dies while a shop is open: `unavailable` for whoever called a tool, a failed unit for a study, never an answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from drr.agents.registry import variant
from drr.agents.runner import AgentOptions, load_prompts, run_variant
from drr.env.errors import ServerFailure
from drr.env.session import Session
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.env.shop_world import ShopWorld
from drr.env.web.sandbox import Sandbox
from drr.llm.calls import Retries
from drr.llm.factory import Models, ModelSettings
from drr.llm.meter import Meter
from drr.offline.agents.policies import agent_policy
from drr.tools.base import ToolError, context_for
from drr.tools.registry import call, call_sync
from pydantic import SecretStr

from tests.servers import running
from tests.servers.proxies import HttpProxy, MongoProxy

pytestmark = pytest.mark.servers
USER = "A000000001"


@pytest.fixture
def dying(
    spec: str, settings: Settings, closing: Callable[[Callable[[], None]], None]
) -> tuple[Shop, Callable[[], None], Callable[[], None]]:
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


async def test_tools_say_unavailable(dying: tuple[Shop, Callable[[], None], Callable[[], None]]) -> None:
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


async def test_an_agent_gives_no_answer_without_its_shop(
    dying: tuple[Shop, Callable[[], None], Callable[[], None]],
) -> None:
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
