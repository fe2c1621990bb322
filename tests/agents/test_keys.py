"""Units of answers: what decides their keys, written down, and that another process makes the same of plain data."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from drr.agents.brief import WITH_PROFILE
from drr.agents.registry import choose
from drr.agents.runner import load_prompts, schemas
from drr.app.cli import main
from drr.app.models.setup import models_of
from drr.app.study.answers import AnswerWork, open_answering
from drr.app.study.study_plan import StudyPlan
from drr.env.checkable import Checkable
from drr.env.query import Query, read_queries
from drr.env.settings import Settings, resolve
from drr.env.shop import SEARCH_VERSION, Shop
from drr.env.shop_world import ShopRealm
from drr.env.web.base import SANDBOX_VERSION
from drr.study.pools import InProcessPool
from drr.study.run import run
from drr.study.study import Study
from drr.study.unit import Unit
from drr.study.worker import Opening

from tests.agents.garden import ANNA, BEN, CountingWeb, write_box
from tests.cases import cases, table

LIMITS = cases("agents", "LIMITS")
PROMPTS = cases("agents", "PROMPTS")
KEYS = cases("agents", "KEYS")
"""Of the fields below with the hashes of texts left out, which are free to change with the texts."""


def test_what_decides_a_unit_is_what_decided_it_before(shop: Shop, web: CountingWeb) -> None:
    settings = Settings(model="anthropic:claude-sonnet-5-5", model_summariser="offline")
    prompts = load_prompts()
    of_profile = prompts.chosen(WITH_PROFILE)
    assert [n for n in prompts.names if prompts[n] != of_profile[n]] == ["supervisor"]
    chosen = {variant.name: variant for variant in choose(",".join(PROMPTS))}
    answering = AnswerWork(
        StudyPlan(shop=shop.spec),
        settings,
        chosen,
        ShopRealm(shop, web, settings.shop_url),
        models_of(settings),
        prompts,
    )
    query = Query(id="q-1", query="Which bird house?", user_id=ANNA)
    for unit, (name, used) in zip(answering.units([query]), PROMPTS.items(), strict=True):
        ws = name.endswith("+ws")
        expected = {
            "variant": name,
            "version": "2",
            "prompts": {one: (of_profile if "+profile" in name else prompts)[one].sha256 for one in used},
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
            "web": {"name": "sandbox", "content_hash": web.content_hash, "version": SANDBOX_VERSION},
            "search": {"name": "fields", "version": SEARCH_VERSION},
            "page_reader": "trafilatura",
        }
        assert unit.key_fields == expected
        assert (unit.kind, unit.label) == ("answer", f"q-1/{name}/0")
        asked = {"query_id": "q-1", "query": "Which bird house?", "user_id": ANNA}
        assert unit.spec == {**asked, "variant": name, "trial": 0}
        bare = {**unit.key_fields, "version": "1", "prompts": {}, "tools": "", "shop": "", "web": {}}
        del bare["search"]  # `plain` adds no field
        assert Unit("answer", bare, {}, "").key == KEYS[name]


def _units(shop: Shop, web: CountingWeb, settings: Settings) -> list[Unit]:
    chosen = {variant.name: variant for variant in choose("plan-to-function,react,hybrid-react")}
    models = models_of(settings, agents=True)
    realm = ShopRealm(shop, web, settings.shop_url)
    answering = AnswerWork(StudyPlan(shop=shop.spec), settings, chosen, realm, models, load_prompts())
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


CHECKED = {"facts": [{"kind": "price", "subjects": ["B0HOUSE001"], "value": 24.95, "sources": ["x"]}]}


def test_only_a_checkable_question_has_the_form_in_its_key(
    shop: Shop, web: CountingWeb, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(AGENT)
    mine = f"{tmp_path / 'mine.py'}:quick"
    settings = Settings(model="anthropic:claude-sonnet-5-5", anthropic_api_key="sk-test-000000000000")
    chosen = {one.name: one for one in choose(f"plan-to-function,react,hybrid-react,{mine}")}
    realm = ShopRealm(shop, web, settings.shop_url)
    answering = AnswerWork(
        StudyPlan(shop=shop.spec), settings, chosen, realm, models_of(settings), load_prompts()
    )
    plain = Query(id="q-1", query="Which bird house?", user_id=ANNA)
    checked = plain.model_copy(update={"checkable": Checkable.model_validate(CHECKED)})
    refused = plain.model_copy(update={"checkable": Checkable()})  # nothing can be found
    before, after = answering.units([plain]), answering.units([checked])
    assert [unit.key for unit in answering.units([refused])] == [unit.key for unit in before]
    for old, new in zip(before, after, strict=True):
        assert new.spec == {**old.spec, "form": True}, "nothing of the truth"
        differing = {name for name in old.key_fields if old.key_fields[name] != new.key_fields[name]}
        assert differing == (set() if "mine" in new.spec["variant"] else {"prompts"})
    assert [answering.asks_for_form(name) for name in chosen] == [True] * 3 + [False]
    points = Checkable.model_validate({"points": [{"figure": 24.95, "sources": ["x"]}]})
    for new, old in zip(
        answering.units([plain.model_copy(update={"checkable": points})]), after, strict=True
    ):
        assert new.spec == {**old.spec, "form": "points"}
        assert (new.key == old.key) is ("mine" in new.spec["variant"]), "another form, other prompts"


AGENT = """
from langchain_core.messages import HumanMessage


async def quick(query, tools, model, budget):
    return (await model.reply([HumanMessage(str(query))])).text
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """Asked for and not begun."""
    monkeypatch.chdir(tmp_path)
    write_box(
        tmp_path,
        {"id": "q-house", "query": "Which bird house?", "user_id": ANNA},
        {"id": "q-feeder", "query": "Which feeder is best under $30?", "user_id": BEN},
    )
    Path("mine.py").write_text(AGENT)
    words = ["--shop", "shop", "--queries", "queries.jsonl", "--sandbox", "sandbox", "--quiet"]
    assert main(["run", "study", *words, "--variants", "mine.py:quick,react+ws", "--limit", "1"]) == 0
    return Study.open(Path("study"))


async def test_a_worker_opens_its_own_from_plain_data(study: Study) -> None:
    document = json.loads(json.dumps({"plan": study.config["run"], "settings": study.config["settings"]}))
    opening = Opening("drr.app.study.answers:open_workplace", document)
    with study:
        settings = resolve(study.config["settings"]).settings
        with open_answering(StudyPlan(**study.config["run"]), settings) as answering:
            units = answering.units(read_queries(Path("queries.jsonl")))
        summary = await run(study, units, InProcessPool.of_opening(opening))
        assert (summary.done, summary.stopped, summary.left) == (3, None, 0)
        reports = {record.label: str(study.text(record, "report")) for record in study.records("answer")}
    assert sorted(reports) == [
        f"q-{q}/{v}/0" for q in ("feeder", "house") for v in ("mine.py:quick", "react+ws")
    ]
    assert "Cedar bird house" in reports["q-house/react+ws/0"]
