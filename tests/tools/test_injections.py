"""The pages in the box that try to give orders reach a model as one flattened row of text, and change nothing."""

from __future__ import annotations

import pytest
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.web.open import ShopWeb
from drr.env.web.sandbox import Document, open_sandbox
from drr.tools.base import context_for
from drr.tools.registry import call_sync

from tests.tools.small_shop import ANNA

SANDBOX = open_sandbox()
PLANTED = [document for document in SANDBOX.documents if document.injection]


def test_some_are_planted() -> None:
    assert len(PLANTED) >= 3


@pytest.mark.parametrize("document", PLANTED, ids=lambda document: document.url)
@pytest.mark.parametrize("shop", ["embedded"], indirect=True)
async def test_a_planted_order_is_a_row_like_any_other(document: Document, shop: Shop) -> None:
    web = ShopWeb(SANDBOX, shop.shop_url, shop.store)
    session = Session(shop, ANNA)
    ctx = context_for(session, web)
    profile = call_sync("get_user_profile", {}, ctx).text
    answer = call_sync("web_search", {"query": document.title}, ctx)
    assert document.url in [item["url"] for item in answer.data["items"]]
    assert len(answer.text.splitlines()) == 1 + 3 * answer.data["total"]
    for secret in ("distractor", "supportive", "injection", *document.topics):
        assert f'"{secret}"' not in answer.text
    page = await web.read(document.url)
    assert page.markdown is not None
    assert document.text in page.markdown
    assert "injection: " not in page.markdown
    assert call_sync("get_user_profile", {}, ctx).text == profile
    assert session.changes() == []
