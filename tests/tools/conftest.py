"""The small shop, opened; a web of two pages; a session of Anna's."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from drr.env.session import Session
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.env.web.sandbox import Document, Sandbox
from drr.tools.base import ToolContext, context_for

from tests.tools.small_shop import ANNA, write_shop

SHOP_URL = "http://ecommerce.example"


@pytest.fixture(scope="session", params=["embedded", pytest.param("servers", marks=pytest.mark.servers)])
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    if request.param == "embedded":
        spec, settings = str(tmp_path_factory.mktemp("tools") / "shop"), Settings(shop_url=SHOP_URL)
        write_shop(spec, settings)
        with open_shop(spec, settings) as opened:
            yield opened
        return
    from tests.servers import running

    prefix = f"drr-tools-{os.getpid()}"
    settings = running.settings().model_copy(update={"shop_url": SHOP_URL})
    write_shop(f"servers:{prefix}", settings)
    with open_shop(f"servers:{prefix}", settings) as opened:
        yield opened
    running.remove_shops(settings, prefix)


@pytest.fixture(scope="session")
def web() -> Sandbox:
    birds = "# Winter birds\n\nThe northern cardinal winters in Oklahoma. Carolina chickadees stay all year."
    rise = "A ramp for a dog should rise no more than 18 to 25 degrees. Measure the height of the car first."
    pages = {
        "https://birds.example/oklahoma": {
            "title": "Winter birds of Oklahoma",
            "text": birds,
            "date": "2021-11-02",
        },
        "https://dogs.example/ramps": {"title": "How to size a dog ramp", "text": rise, "kind": "distractor"},
    }
    return Sandbox([Document.model_validate({"url": url, **page}) for url, page in pages.items()])


@pytest.fixture
def ctx(shop: Shop, web: Sandbox) -> ToolContext:
    return context_for(Session(shop, ANNA), web)
