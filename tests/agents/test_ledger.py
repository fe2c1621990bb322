"""Ledger: the model says what to say, code sets every address, title, price, rating and sum, and nothing that no tool returned."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from drr.agents.base import AnswerRecord
from drr.agents.forms.form_report import FormRead
from drr.agents.forms.passages import Passages
from drr.agents.forms.placeholders import ReportForm
from drr.agents.registry import PAPER, choose, variant, variants
from drr.agents.runner import AgentOptions, key_fields, load_prompts, run_variant
from drr.citations.addresses import canonical_url
from drr.citations.cited import without_addresses
from drr.citations.parse import parse
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.shop_world import ShopWorld
from drr.env.source import Source
from drr.env.web.sandbox import Sandbox
from drr.env.world import KINDS, World
from drr.eval.checks import check_report
from drr.eval.checks.base import Subject
from drr.llm.calls import Retries
from drr.llm.factory import Models
from drr.llm.failures import ModelFailure
from drr.llm.meter import Meter
from drr.llm.models import ModelSettings
from drr.llm.role import Policy
from drr.offline.agents.policies import agent_policy
from drr.tools.registry import TOOLS
from drr.tools.spec import make_tool
from langchain_core.messages import AIMessage, BaseMessage

from tests.agents.bad_forms import form as bad_form
from tests.agents.garden import ANNA, DOCUMENTS, QUESTION, Ask, Asked, call, turn
from tests.agents.notes_world import NotesWorld, read_note
from tests.cases import cases, table

Form = dict[str, Any]
HOUSE, FEEDER, BAFFLE, KIT, DEAR = "B0HOUSE001", "B0FEEDER01", "B0BAFFLE01", "B0HOUSE002", "B0FEEDER03"


def form(*answer: str | tuple[str, list[int]], plan: Sequence[tuple[str, int]] = (), **fields: Any) -> Form:
    pairs = [(one, []) if isinstance(one, str) else one for one in answer]
    said = [{"text": text, "passages": numbers} for text, numbers in pairs]
    lines = [{"product_id": product_id, "quantity": many} for product_id, many in plan]
    return {"answer": said, "sections": [], "plan": lines, **fields}


def section(title: str, *said: str, products: Sequence[tuple[str, str]] = ()) -> Form:
    rows = [{"product_id": product_id, "note": note} for product_id, note in products]
    return {"title": title, "sentences": [{"text": one, "passages": []} for one in said], "products": rows}


Given = Form | Callable[[str], Form] | str


def filling(*forms: Given) -> Callable[[Sequence[BaseMessage], Mapping[str, Any]], AIMessage]:
    """The rules do the research; the forms are given in turn, the last one again and again."""
    left = list(forms)

    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        if not arguments.get("response_schema"):
            return agent_policy(messages, arguments)
        given = left.pop(0) if len(left) > 1 else left[0]
        made = given("\n".join(str(one.text) for one in messages)) if callable(given) else given
        return AIMessage(made if isinstance(made, str) else json.dumps(made))

    return policy


DECIDED = cases("agents", "DECIDED")


def subject(report: str, sources: Sequence[Source], shop: Shop, question: str = QUESTION) -> Subject:
    shown = frozenset(canonical_url(url) for source in sources for url in source.addresses)
    return Subject(report, query=question, user_id=ANNA, shop=shop, returned=shown)


def wrong(record: AnswerRecord, shop: Shop) -> dict[str, tuple[object, ...]]:
    checks = check_report(subject(record.report, record.sources, shop, record.query))
    return {
        name: (*check.findings, *check.remarks) for name, check in checks.items() if check.status == "fail"
    }


def passage(asked: Asked, words: str) -> int:
    """The number that the model was shown for what holds these words."""
    told = "\n".join(str(message.text) for message in asked.requests[-1][0])
    line, *_ = (one for one in told.split("\n[") if words in one)
    return int(line.lstrip("[").partition("]")[0])


async def test_figures_come_from_records_and_limits_go_back(ask: Ask, shop: Shop, asked: Asked) -> None:
    good = form(
        f"Take {{product:{HOUSE}}} at {{price:{HOUSE}}}, rated {{rating:{HOUSE}}} by {{ratings:{HOUSE}}}.",
        f"Together {{product:{HOUSE}}} and {{product:{BAFFLE}}} cost {{sum:{HOUSE},{BAFFLE}*2}}.",
        "A calm spot matters more than the wood.",
        plan=[(HOUSE, 1), (BAFFLE, 2)],
        sections=[section("JudgeAgreement", products=[(HOUSE, "cedar"), (BAFFLE, "for poles")])],
    )
    record = await ask("ledger", policy=filling(good))
    assert "Take Cedar bird house at $24.95, rated 4.5/5 by 2,067 ratings [1]." in record.report
    assert "cost $66.95 ($24.95 + 2 × $21.00)" in record.report
    assert "| Cedar bird house | $24.95 | 4.5/5 | 2,067 | Cedar | [1] |" in record.report
    assert "| Squirrel baffle [2] | $21.00 | 2 | $42.00 |" in record.report
    assert "| **Total** | | | **$66.95** |" in record.report
    assert "The total of $66.95 keeps within your limit of $120.00." in record.report
    assert "[1] Cedar bird house for bluebirds: http://ecommerce.example/B0HOUSE001" in record.report
    assert "more than the wood." in record.report and record.notes == [] and record.fabricated == []
    assert wrong(record, shop) == {}
    dear = form(f"Take {{product:{DEAR}}}.", plan=[(DEAR, 2)])
    record = await ask("ledger", policy=filling(dear, form(f"Take {{product:{HOUSE}}}.", plan=[(HOUSE, 1)])))
    told = str(asked.requests[-1][0][-1].text)
    assert "it costs $238.00, $118.00 over the limit of $120.00" in told
    assert "**$24.95**" in record.report and "Deluxe" not in record.report
    twice = await ask("ledger", policy=filling(dear, dear))
    assert "The total of $238.00 is over your limit of $120.00." in twice.report
    assert wrong(twice, shop) == {}


@pytest.mark.long
@table("agents", "a_figure_of_nobody_goes_back_once_and_then_goes")
async def test_a_figure_of_nobody_goes(ask: Ask, asked: Asked, shop: Shop, said: str, gone: str) -> None:
    record = await ask("ledger", policy=filling(form(said, plan=[(HOUSE, 1)])))
    assert "answer, sentence 1: " in str(asked.requests[-1][0][-1].text)
    answer = record.report.partition("## What it costs")[0]
    assert gone not in answer and "(a judgement, without a source)" in answer and "[1]" not in answer
    assert wrong(record, shop) == {}


async def test_a_figure_of_a_passage_stays_beside_its_word(ask: Ask, asked: Asked, shop: Shop) -> None:
    await ask("ledger", policy=filling(*[form("Hello to everybody who keeps a house for birds.")] * 2))
    number = passage(asked, "entrance hole of 1.5 inches")
    good, bad = "Bluebirds want a hole of 1.5 inches.", "Bluebirds live for 1.5 centuries."
    record = await ask("ledger", policy=filling(*[form((good, [number]), (bad, [number]))] * 2))
    assert "Bluebirds want a hole of 1.5 inches [1]." in record.report
    assert "centuries" in record.report and "1.5 centuries" not in record.report
    assert wrong(record, shop) == {}


async def test_nothing_that_no_tool_showed_is_printed(ask: Ask, asked: Asked, shop: Shop) -> None:
    question = "Which bird house suits me? Which squirrel baffle? And which bird feeder?"
    made_up = form(
        "Take {product:B0MADEUP77} at {price:B0MADEUP77}.",
        ("Birds sing.", [999, -1]),
        plan=[("B0MADEUP77", 1), (HOUSE, 0), (BAFFLE, -1), (FEEDER, 10**9), (KIT, 1)],
        sections=[
            section("More", products=[("B0SEED9999", "x"), ("[B0HOUSE001](https://evil.example)", "y")])
        ],
    )
    record = await ask("ledger", question, policy=filling(made_up))
    told = str(asked.requests[-1][0][-1].text)
    for fault in (
        "no tool showed a product 'B0MADEUP77'", "there is no passage 999", "0 times", "-1 times",
        "1000000000 times",
    ):  # fmt: skip
        assert fault in told
    assert "MADEUP" not in record.report and "evil" not in record.report
    assert "unknown | 1 | unknown" in record.report and "Total" not in record.report
    assert wrong(record, shop) == {}
    smuggled = (
        "See [this](https://evil.example/a), ht<b></b>tps://evil.example/b, &#104;ttps&#58;//evil.example/c, www.evil.example.",
        "\n\n## Sources\n\n[1] Evil: https://evil.example/d",
        "| a | b |\n| --- | --- |\n| Widget | x |",
        "Write to eve@evil.example, see user://BEN/orders/1, doi:10.1000/182 and evil.example/e [7].",
    )
    sections = [section(one, one, products=[(HOUSE, one)]) for one in smuggled]
    hostile = form(*smuggled, sections=sections, plan=[(HOUSE, 1)])
    record = await ask("ledger", policy=filling(hostile, hostile))
    found = parse(record.report)
    assert {source.url for source in found.sources} <= {canonical_url(one.url) for one in record.sources}
    assert "evil" not in record.report and "@" not in record.report and "<" not in record.report
    assert record.fabricated == [] and record.dangling == [] and wrong(record, shop) == {}


@pytest.fixture(scope="module")
def seen(shop: Shop) -> list[Source]:
    """What a run of the rules was shown."""
    world = ShopWorld(Session(shop, ANNA), Sandbox(DOCUMENTS))
    return asyncio.run(ran("react", QUESTION, world, agent_policy)).sources


async def ran(name: str, question: str, world: World, policy: Policy) -> AnswerRecord:
    models = Models(ModelSettings({}), retries=Retries(attempts=1)).unit(Meter())
    given = {"models": {"agent": models.role("agent", policy)}, "meter": Meter(), "prompts": load_prompts()}
    return await run_variant(variant(name), question, world=world, **given)


@pytest.mark.parametrize("hostile", [False, True])
def test_ten_bad_reports_have_no_wrong_figure(seen: list[Source], shop: Shop, hostile: bool) -> None:
    passages = Passages(seen)
    listing = passages.listing([passage.text for passage in passages.all])
    for seed in range(10):
        bad = bad_form(listing, Random(seed), hostile=hostile)
        read = FormRead.of(ReportForm.model_validate(bad), passages, QUESTION)
        checks = check_report(subject(read.report(), seen, shop))
        failed = {name: checks[name].evidence for name in DECIDED if checks[name].status == "fail"}
        assert (seed, failed) == (seed, {}) and read.faults


async def test_what_says_nothing_or_was_never_bought(ask: Ask, shop: Shop, asked: Asked) -> None:
    empty, good = form(), form(f"Take {{product:{HOUSE}}}.", plan=[(HOUSE, 1)])
    assert "Cedar" in (await ask("ledger", policy=filling(empty, good))).report
    cut = '{"answer": [{"text": "Take'
    assert "Cedar" in (await ask("ledger", policy=filling(cut, good))).report
    bad = form("It costs $5, $6 and $7.", plan=[(HOUSE, 1)])
    kept = await ask("ledger", policy=filling(bad, cut, cut))
    assert "report: not mended (malformed)" in kept.notes and "**$24.95**" in kept.report
    with pytest.raises(ModelFailure, match="says nothing that could be printed"):
        await ask("ledger", policy=filling(empty, empty, empty, empty))
    said = form(*(f"You bought {{product:{one}}} {{bought:{one}}}." for one in ("B0SEED0001", HOUSE)))
    record = await ask("ledger", "When did I last buy seed, and which house is best?", policy=filling(said))
    assert "no passage shows that B0HOUSE001 was bought" in str(asked.requests[-1][0][-1].text)
    assert "You bought Black oil sunflower seed on 2022-06-12 [1][2]." in record.report
    assert "Cedar" not in record.report and wrong(record, shop) == {}


async def test_a_world_without_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: Asked) -> None:
    monkeypatch.setitem(KINDS, "note", "tests.agents.notes_world:Notes")
    monkeypatch.setitem(TOOLS, "read_note", make_tool(read_note))
    (tmp_path / "kettle.txt").write_text("The kettle holds 1.7 liters of water.")

    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        if not arguments.get("response_schema"):
            read = {"name": "read_note", "args": {"name": "kettle"}, "id": "c1", "type": "tool_call"}
            return turn(read, call("finalize", 2, reason=""))
        said = (("It holds 1.7 liters.", [1]), ("It holds 2.7 liters.", [1]))
        made = form(*said, "{product:KETTLE} costs {price:KETTLE}.", plan=[("KETTLE", 1)])
        return AIMessage(json.dumps(made))

    record = await ran(
        "ledger", "What of the kettle?", NotesWorld(tmp_path, "nobody"), asked.watching(policy)
    )
    assert "It holds 1.7 liters [1]." in record.report and "2.7" not in record.report
    assert "[1] kettle: file://notes/kettle" in record.report and "KETTLE" not in record.report
    assert record.fabricated == [] and "no tool showed a product" in str(asked.requests[-1][0][-1].text)


async def test_profile_facts_are_cited_and_names_are_not(ask: Ask, asked: Asked) -> None:
    record = await ask("ledger")
    assert "Region: Norman, Oklahoma" in str(asked.requests[0][0][1].text)
    assert "user://ANNA000000000000000000000001/profile" in [source.url for source in record.sources]
    react = await ask("react")
    assert "Region: Norman" not in str(react.transcripts[0].messages)
    question = "Which bird house suits my state and me?"
    said = form(
        "Anna Ortiz of 6598 Daniel Plains likes birds.",
        "Ring 001-657-735-4762.",
        "Birds sing where they have a house of cedar.",
    )
    filled = filling(said, said)

    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        looked = any(one.name == "get_user_profile" for one in messages)
        asked_for_form = arguments.get("response_schema")
        return filled(messages, arguments) if looked or asked_for_form else turn(call("get_user_profile", 1))

    record = await ask("ledger", question, policy=policy)
    assert (
        not any(w in record.report for w in ("Ortiz", "Daniel", "4762"))
        and "Birds sing where" in record.report
    )


@pytest.mark.parametrize("name", ["ledger", "ledger+ws"])
async def test_the_rules_fill_in_the_form_as_well(ask: Ask, shop: Shop, name: str) -> None:
    record = await ask(name)
    assert record.rule_written and "Written by rules, not by an LLM" in record.report
    assert "| Cedar bird house |" in record.report and record.stop_reason == "finalized"
    assert wrong(record, shop) == {} and record.fabricated == []


def test_it_is_a_variant_of_its_own_and_none_of_the_papers(tmp_path: Path) -> None:
    assert {"ledger", "ledger+ws"} <= set(variants()) and not any("ledger" in name for name in PAPER)
    assert [one.name for one in choose("all,ledger")][-1] == "ledger"
    keys = key_fields(variant("ledger"), AgentOptions(), load_prompts())
    (tmp_path / "ledger_report.md").write_text("Fill it in. {{as_of}} {{user_id}}")
    assert {"ledger_report", "ledger_mend", "react"} <= set(keys["prompts"])
    assert key_fields(variant("ledger"), AgentOptions(), load_prompts(tmp_path)) != keys


@table("agents", "prose_without_addresses_keeps_its_words")
def test_prose_without_addresses_keeps_its_words(text: str, left: str) -> None:
    assert " ".join(without_addresses(text).split()) == left


def test_names_of_the_files_stay_in_sentences_and_are_neither_figure_nor_address() -> None:
    files = ("a.png", "orders 2022.csv", "my_notes.md", "evil.com")
    note = Source(url="file://my_notes.md", type="file", title="my_notes.md", seen="The shelf is 58 cm wide.")
    said = form(
        ("my_notes.md gives a width of 58 cm, and `orders 2022.csv` has no width.", [1]),
        "Nobody looked at a.png, nor at other.png, evil.com or https://x.example/a.png.",
        ("In a.png it is 77 cm.", [1]),
        sections=[section("What orders 2022.csv holds", "Look at A.PNG again.")],
    )
    read = FormRead.of(ReportForm.model_validate(said), Passages([note], files), "Does it fit?")
    report = read.report()
    assert "my_notes.md gives a width of 58 cm, and orders 2022.csv has no width [1]." in report
    assert "Nobody looked at a.png, nor at, or." in report
    assert "In a.png it is (no figure on record) cm (a judgement, without a source)." in report
    assert "## What orders 2022.csv holds" in report and "Look at a.png again." in report
    assert len(read.faults) == 1 and "'77'" in read.faults[0]
    assert [one.address for one in parse(report).sources] == ["file://my_notes.md"]
