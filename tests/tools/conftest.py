"""The small shop, opened; a web of two pages; a session of Anna's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from env.session import Session
from env.settings import Settings
from env.shop import Shop, open_shop
from env.web.sandbox import Document, Sandbox
from tests.tools.small_shop import ANNA, write_shop
from tools.base import ToolContext, context_for


@pytest.fixture(scope="session")
def settings() -> Settings:
    return Settings(shop_url="http://ecommerce.example")


@pytest.fixture(scope="session", params=["embedded", pytest.param("servers", marks=pytest.mark.servers)])
def shop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, settings: Settings
) -> Iterator[Shop]:
    spec = (
        "servers:drr_test_tools"
        if request.param == "servers"
        else str(tmp_path_factory.mktemp("tools") / "shop")
    )
    write_shop(spec, settings)
    with open_shop(spec, settings) as opened:
        yield opened


@pytest.fixture(scope="session")
def web() -> Sandbox:
    return Sandbox(
        [
            Document(
                url="https://birds.example/oklahoma",
                title="Winter birds of Oklahoma",
                text="# Winter birds\n\nThe northern cardinal winters in Oklahoma. Carolina chickadees stay all year.",
                date="2021-11-02",
            ),
            Document(
                url="https://dogs.example/ramps",
                title="How to size a dog ramp",
                text="A ramp for a dog should rise no more than 18 to 25 degrees. Measure the height of the car first.",
                kind="distractor",
            ),
        ]
    )


@pytest.fixture
def ctx(shop: Shop, web: Sandbox) -> ToolContext:
    return context_for(Session(shop, ANNA), web)
