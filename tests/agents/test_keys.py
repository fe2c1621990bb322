"""The key of a unit of answers, written down: finished units of older studies stay finished."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from drr.agents.registry import choose
from drr.agents.runner import load_prompts, schemas
from drr.app.answers import AnswerConfig, Answering
from drr.app.models import models_of
from drr.env.query import Query
from drr.env.settings import Settings
from drr.env.shop import SEARCH_VERSION, Shop
from drr.env.shop_world import ShopRealm
from drr.study.unit import Unit

from tests.agents.garden import ANNA, CountingWeb
from tests.cases import cases, table

LIMITS = cases("agents", "LIMITS")
PROMPTS = cases("agents", "PROMPTS")
KEYS = {
    "react": "e69fff40da5521c4432b0efa0f8f8f4bb2698e632a724f5dda0aa65aae4ccc58",
    "hybrid-react+profile+ws": "53212a805fe926812fbcf54daf8ca30f58524c10e4ac3a3bc122ff776bdd2bfc",
}
"""Of the fields below with the hashes of texts left out, which are free to change with the texts."""


def test_what_decides_a_unit_is_what_decided_it_before(shop: Shop, web: CountingWeb) -> None:
    settings = Settings(model="anthropic:claude-sonnet-5-5", model_summariser="offline")
    prompts = load_prompts()
    chosen = {variant.name: variant for variant in choose(",".join(PROMPTS))}
    config = AnswerConfig(settings, shop.spec, tuple(chosen))
    answering = Answering(
        config, chosen, ShopRealm(shop, web, settings.shop_url), models_of(settings), prompts
    )
    query = Query(id="q-1", query="Which bird house?", user_id=ANNA)
    for unit, (name, used) in zip(answering.units([query]), PROMPTS.items(), strict=True):
        ws = name.endswith("+ws")
        expected = {
            "variant": name,
            "version": "1",
            "prompts": {prompt: prompts[prompt].sha256 for prompt in used},
            "limits": LIMITS,
            "references": True,
            "citation_repair": "off",
            "top_k": 5,
            "tools": sha256(json.dumps(schemas(), sort_keys=True).encode()).hexdigest(),
            "query_id": "q-1",
            "query": "Which bird house?",
            "user_id": ANNA,
            "trial": 0,
            "models": {"agent": "anthropic:claude-sonnet-5-5"} | ({"summariser": "offline"} if ws else {}),
            "max_tokens": 8192,
            "shop": shop.manifest.content_hash,
            "shop_url": "http://ecommerce.example",
            "web": {"name": "sandbox", "content_hash": web.content_hash},
            "search": {"name": "fields", "version": SEARCH_VERSION},
            "page_reader": "trafilatura",
        }
        assert unit.key_fields == expected
        assert (unit.kind, unit.label) == ("answer", f"q-1/{name}/0")
        assert unit.spec == {
            "query_id": "q-1", "query": "Which bird house?", "user_id": ANNA, "variant": name, "trial": 0,
        }  # fmt: skip
        bare = {**unit.key_fields, "prompts": {}, "tools": "", "shop": "", "web": {}}
        del bare["search"]  # `plain` adds no field
        assert Unit("answer", bare, {}, "").key == KEYS[name]


def _units(shop: Shop, web: CountingWeb, settings: Settings) -> list[Unit]:
    chosen = {variant.name: variant for variant in choose("plan-to-function,react,hybrid-react")}
    models = models_of(settings, agents=True)
    realm = ShopRealm(shop, web, settings.shop_url)
    answering = Answering(
        AnswerConfig(settings, shop.spec, tuple(chosen)), chosen, realm, models, load_prompts()
    )
    return answering.units([Query(id="q-1", query="Which bird house?", user_id=ANNA)])


@table("agents", "the_tool_for_thoughts_is_left_out_where_the_model_thinks_and_the_key_says_so")
def test_the_tool_for_thoughts_is_left_out_where_the_model_thinks_and_the_key_says_so(
    shop: Shop, web: CountingWeb, model: str, more: dict[str, Any], left_out: bool
) -> None:
    own = {"anthropic_api_key": "sk-test-000000000000", "model": model, **more}
    planned, *looping = _units(shop, web, Settings(**own))
    assert "reason" not in planned.key_fields
    kept = _units(shop, web, Settings(**{**own, "reason": "on"}))
    assert planned.key == kept[0].key
    for unit, before in zip(looping, kept[1:], strict=True):
        assert "reason" not in before.key_fields
        assert unit.key_fields.get("reason") == ("off" if left_out else None)
        assert (unit.key != before.key) == left_out
