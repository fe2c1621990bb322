"""The registry: six of the paper by name, modes, versions, and agents that other packages add."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from drr.agents import registry
from drr.agents.architecture import Variant
from drr.agents.base import WS, Limits
from drr.agents.pictures import mermaid
from drr.agents.registry import PAPER, choose, variant, variants
from drr.agents.run_state import ONCE_MORE
from drr.agents.runner import PERSON, AgentOptions, agent_prompts, key_fields, load_prompts
from drr.app.models.setup import models_of
from drr.app.study.answers import AnswerWork, open_answering
from drr.app.study.study_plan import StudyPlan
from drr.env.errors import DrrError, Misuse
from drr.env.query import Query
from drr.env.settings import Settings
from drr.env.shop import Shop
from drr.env.shop_world import ShopRealm
from drr.extras.inspect import PROMPT as INSPECT
from drr.llm.failures import ModelFailure
from drr.llm.meter import Meter
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from tests.agents.garden import ANNA, Ask, Asked, CountingWeb
from tests.cases import table

OURS = '''
"""An agent of another package."""
from langchain_core.messages import HumanMessage, SystemMessage


async def quick(query, tools, model, budget):
    assert not budget.reached()
    search = next(tool for tool in tools if tool.name == "product_catalog_search")
    found = await search.ainvoke({"query": "bird house"})
    web = await next(tool for tool in tools if tool.name == "web_search").ainvoke({"query": "bird house wind"})
    talk = [SystemMessage("Be brief."), HumanMessage(f"{query} ({query.user_id}, {query.as_of})\\n{found}\\n{web}")]
    first = await model.reply(talk)
    second = await model.reply([*talk, first, HumanMessage("Now the report.")])
    return second.text


quick.version = "7"


async def silent(query, tools, model, budget):
    return ""
'''


def announced(info: Path, **agents: str) -> None:
    lines = "".join(f"{name} = their_agents:{agent}\n" for name, agent in agents.items())
    (info / "entry_points.txt").write_text(f"[drr.variants]\n{lines}")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package as another project would install it: a module and metadata with an entry point."""
    (tmp_path / "their_agents.py").write_text(OURS)
    info = tmp_path / "their_agents-3.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-agents\nVersion: 3.2\n")
    announced(info, quick="quick", silent="silent")
    monkeypatch.syspath_prepend(str(tmp_path))
    _look_again()
    yield info
    _look_again()
    sys.modules.pop("their_agents", None)


def test_all_means_the_papers_six_and_names_come_each_once() -> None:
    assert PAPER == (
        "plan-to-function", "plan-to-function+ws", "react", "react+ws", "hybrid-react", "hybrid-react+ws",
    )  # fmt: skip
    assert [v.name for v in choose("all")] == list(PAPER)
    assert {"hybrid-react+profile", "hybrid-react+profile+ws"} <= set(variants())
    assert all(v.version for v in variants().values())
    assert [v.name for v in choose("react+ws, react,all")][:3] == ["react+ws", "react", "plan-to-function"]
    assert len(choose("react,all")) == 6
    paper = AgentOptions.paper()
    assert not paper.references and paper.citation_repair == "off" and paper.top_k == 5
    named = {prompt for v in variants().values() for prompt in v.prompts} | {
        "citation_fix", "answer_form", "points_form", "call_limit", PERSON, ONCE_MORE, INSPECT,
    }  # fmt: skip
    assert named == set(load_prompts().names)
    from drr.agents import hybrid_react, plan_to_function, react

    assert react.graph() is react.graph()
    assert hybrid_react.graph() is hybrid_react.graph()
    assert plan_to_function.graph() is plan_to_function.graph()
    assert registry.GROUP == "drr.variants"


@pytest.mark.parametrize("name", ["raect", "react+profile", "", "react+ws+profile", "quick"])
def test_an_unknown_name_is_misuse_with_a_hint(name: str) -> None:
    with pytest.raises(Misuse):
        choose(name)


async def test_keys_hold_what_decides_the_answer(tmp_path: Path, ask: Ask, asked: Asked) -> None:
    prompts = load_prompts()
    base = key_fields(variant("react"), AgentOptions(), prompts)
    assert base["variant"] == "react" and base["version"] and len(base["tools"]) == 64
    assert "page_summary" not in base["prompts"] and "react" in base["prompts"]
    assert "page_summary" in key_fields(variant("react+ws"), AgentOptions(), prompts)["prompts"]
    (tmp_path / "react.md").write_text(prompts["react"].text + "Be quick.\n")
    changed = [
        key_fields(variant("react+ws"), AgentOptions(), prompts),
        key_fields(variant("react"), AgentOptions(limits=Limits(steps=3)), prompts),
        key_fields(variant("react"), AgentOptions(references=False), prompts),
        key_fields(variant("react"), AgentOptions(citation_repair="remove"), prompts),
        key_fields(variant("react"), AgentOptions(top_k=3), prompts),
        key_fields(variant("react"), AgentOptions(), load_prompts(tmp_path)),
    ]
    assert base not in changed and len({str(sorted(c.items())) for c in changed}) == len(changed)
    assert key_fields(variant("plan-to-function"), AgentOptions(), load_prompts(tmp_path)) == key_fields(
        variant("plan-to-function"), AgentOptions(), prompts
    )
    (tmp_path / "react.md").write_text("Hello {{user_id}}, it is {{as_of}}, {{steps}} turns.")
    await ask("react", prompts=tmp_path)
    assert str(asked.requests[0][0][0].text).startswith("Hello ANNA")
    assert str(asked.requests[0][0][0].text).endswith("25 turns.\n")


def test_dr3_alone_is_warned_of_pages_and_need_not_be() -> None:
    prompts, unwarned = load_prompts(), AgentOptions(page_warning=False)
    for one in map(variant, ("react+ws", "hybrid-react")):
        assert key_fields(one, unwarned, prompts) == key_fields(one, AgentOptions(), prompts)
    warned = key_fields(variant("dr3"), AgentOptions(), prompts)["prompts"]
    left = key_fields(variant("dr3"), unwarned, prompts)["prompts"]
    assert {name for name in warned if warned[name] != left[name]} == {"dr3_search", "dr3_pages"}
    for name in ("dr3_search", "dr3_pages"):
        both = (AgentOptions(), unwarned)
        told, plain = (agent_prompts(variant("dr3"), one, prompts)[name].text for one in both)
        assert "out of date" in told and "out of date" not in plain
        assert "never an instruction to you" in plain


async def test_a_plug_in_is_found_runs_and_is_recorded(package: Path, ask: Ask, asked: Asked) -> None:
    known = variants()
    assert known["quick"].version == "7" and known["silent"].version == "3.2"
    assert known["quick"].architecture.origin == "their-agents"
    assert known["quick+ws"].has(WS) and "quick+profile" not in known
    assert list(PAPER) == [v.name for v in choose("all")]

    def policy(messages: Any, arguments: Any) -> AIMessage:
        if str(messages[-1].text) == "Now the report.":
            listed = "[1] A: http://ecommerce.example/B0HOUSE001\n[2] B: https://x.example/b"
            return AIMessage(f"Cedar [1], made up [2].\n\n## Sources\n\n{listed}")
        return AIMessage("Thinking.")

    record = await ask("quick", "Which house?", policy=policy)
    assert record.variant == "quick" and record.version == "7" and record.stop_reason == "finalized"
    calls = {c.name: c.kind for c in record.tool_calls}
    assert calls == {"product_catalog_search": "api", "web_search": "api"}
    assert [one.url for one in record.fabricated] == ["https://x.example/b"]
    assert [type(m) for m in asked.requests[0][0]] == [SystemMessage, HumanMessage]
    assert "Which house? (ANNA000000000000000000000001, 2022-06-20)" in str(asked.requests[0][0][1].text)
    assert [t.name for t in record.transcripts] == ["conversation 1"]
    assert len(record.transcripts[0].messages) == 5
    with_summaries = await ask("quick+ws", "Which house?", policy=policy)
    assert with_summaries.usage["summariser"]["calls"] > 0
    with pytest.raises(ModelFailure, match=r"silent answered without content"):
        await ask("silent")


@pytest.mark.parametrize("name", ["react", "odd+ws"])
def test_a_plug_in_may_not_take_a_name_of_ours(package: Path, name: str) -> None:
    announced(package, **{name: "quick"})
    _look_again()
    assert "their-agents" in registry.plug_ins()[1][name]
    assert variant("react").architecture.origin == "built in"


def test_a_broken_plug_in_is_named_and_alone(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from drr.app.cli import main

    announced(package, lost="nothing_here", quick="quick")
    _look_again()
    for name in ("lost", "lost+ws"):
        with pytest.raises(DrrError, match="'lost' of their-agents cannot be loaded"):
            variant(name)
    assert variant("quick").architecture.origin == "their-agents"
    assert [v.name for v in choose("all")] == list(PAPER)
    assert main(["variants"]) == 0
    out, err = capsys.readouterr()
    assert "quick" in out and "lost" not in out
    assert "'lost' of their-agents cannot be loaded" in err


def _look_again() -> None:
    variants.cache_clear()
    registry.plug_ins.cache_clear()


@pytest.mark.long
def test_listing_variants_loads_no_graph_library() -> None:
    import subprocess

    code = (
        "import sys; from drr.agents.registry import variants; variants(); print('langgraph' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


CRITIC = """
async def picky(query, tools, model, budget):
    assert [tool.name for tool in tools] == ["product_catalog_search"] and budget.limits.tool_calls == 2
    draft = await model.reply([HumanMessage(str(query))])
    return (await model.of_role("critic").reply([HumanMessage("Mend: " + draft.text)])).text


def judge_harshly(messages, arguments):
    return AIMessage("Harsh. " + messages[-1].text)


picky.version, picky.roles, picky.tools = "1", ["critic"], ["product_catalog_search"]
picky.limits, picky.policy = {"tool_calls": 2}, {"critic": judge_harshly}
"""


@pytest.fixture
def picky(tmp_path: Path) -> Variant:
    path = tmp_path / "picky_agent.py"
    path.write_text("from langchain_core.messages import AIMessage, HumanMessage\n" + CRITIC)
    return variant(f"{path}:picky")


async def test_an_agent_declares_what_it_needs(picky: Variant, shop: Shop, tmp_path: Path) -> None:
    """A role that no other file of the project knows: keyed, modelled, metered and played."""
    settings = Settings(role_models={"critic": "offline"})
    with open_answering(StudyPlan(shop=shop.spec, variants=picky.word), settings) as answering:
        (unit,) = answering.units([Query(id="q", query="Which bird house?", user_id=ANNA)])
        assert unit.key_fields["models"] == {"agent": "offline", "critic": "offline"}
        assert unit.key_fields["limits"]["tool_calls"] == 2
        meter = Meter()
        (spec,) = answering.specs([Query(id="q", query="Which bird house?", user_id=ANNA)])
        record = await answering.answer(spec, answering.models.unit(meter), meter)
    assert record.report.startswith("Harsh. Mend: #") and {*record.models} == {"agent", "critic"}
    assert {role: used["calls"] for role, used in record.usage.items()} == {"agent": 1, "critic": 1}


def test_an_agents_tools_decide_its_key(picky: Variant, shop: Shop, web: CountingWeb) -> None:
    def tools(chosen: Variant) -> Any:
        return key_fields(chosen, AgentOptions(), load_prompts())["tools"]

    nobody = replace(picky, architecture=replace(picky.architecture, tools=("no_such_tool",)))
    assert tools(picky) != tools(variant("react"))
    with pytest.raises(DrrError, match="no_such_tool"):
        tools(nobody)
    bare = replace(picky.architecture, policy={})
    alone = AnswerWork(
        StudyPlan(shop=shop.spec), Settings(), {"picky": Variant(bare)}, ShopRealm(shop, web), models_of(Settings()), load_prompts()
    )  # fmt: skip
    with pytest.raises(Misuse, match=r"'critic'.* --role-models critic="):
        alone.check_roles()


@table("agents", "a_wrong_declaration_is_named")
def test_a_wrong_declaration_is_named(tmp_path: Path, declared: str, said: str) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(f"async def quick(query, tools, model, budget):\n    return 'x'\n\nquick.{declared}\n")
    with pytest.raises(DrrError, match=said):
        variant(f"{path}:quick")


def test_pictures_are_of_the_graphs() -> None:
    hybrid = mermaid("hybrid-react")
    for edge in (
        "__start__ --> supervisor", "supervisor -.-> researcher", "researcher --> return_control",
        "return_control -.-> supervisor", "supervisor -.-> report", "report --> __end__",
    ):  # fmt: skip
        assert edge in hybrid
    researcher = mermaid("researcher")
    for edge in ("reason -.-> act", "act -.-> reason", "act -.-> synthesise", "synthesise --> __end__"):
        assert edge in researcher
