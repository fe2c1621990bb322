"""Talks in a study: agents serve the shopper, figures and bundles read what they did, and no set gives the script away."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from drr.app.viewer.model import TalkView
from drr.app.viewer.reader import Reader
from drr.env.query import Query, read_queries
from drr.env.service.outcome import gold_form
from drr.env.session import Session
from drr.env.shop import Shop
from drr.study.study import Study
from drr.tools.base import context_for
from drr.tools.registry import call_sync

from tests import commands
from tests.commands import Drr
from tests.tampering import tampered
from tests.wire import Request, Say, Wire

pytestmark = pytest.mark.slow
AGENT = """
import json
import shutil
from pathlib import Path

PLANS = json.loads(Path(__file__).with_name("plans.json").read_text())

async def good(query, tools, model, budget):
    plan, form = PLANS[query]
    named = {one.name: one for one in tools}
    for step in plan:
        call = {"type": "tool_call", "id": "1", "name": step["tool"], "args": step["arguments"]}
        await named[step["tool"]].ainvoke(call)
    return f"All is done, and goes to 12 Maple Street.\\n\\n```form\\n{form}\\n```\\n"

async def asking(query, tools, model, budget):
    named = {one.name: one for one in tools}
    call = {"type": "tool_call", "id": "1", "name": "ask_shopper", "args": {"question": "Which orders, and why?"}}
    await named["ask_shopper"].ainvoke(call)
    return await good(query, tools, model, budget)

async def liar(query, tools, model, budget):
    call = {"type": "tool_call", "id": "1", "name": "get_user_orders", "args": {"limit": 3}}
    await next(one for one in tools if one.name == "get_user_orders").ainvoke(call)
    return f"All is done.\\n\\n```form\\n{PLANS[query][1]}\\n```\\n"
"""


@pytest.fixture(scope="module")
def home(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two talks, an agent that serves them, and one that only says so, with a study of both."""
    home = tmp_path_factory.mktemp("talks")
    made = ("--service", "--seed", 5, "--count", 2, "--shop", shop.spec, "--out", home / "t.jsonl")
    assert commands.drr("queries", "generate", *made) == 0
    plans = {query.query: served(shop, query) for query in read_queries(home / "t.jsonl")}
    (home / "plans.json").write_text(json.dumps(plans))
    (home / "agent.py").write_text(AGENT)
    agents = f"{home / 'agent.py'}:good,{home / 'agent.py'}:liar"
    words = ("--world", "service", "--shop", shop.spec, "--queries", home / "t.jsonl", "--variants", agents)
    assert commands.drr("run", home / "study", *words, "--quiet") == 0
    return home


def served(shop: Shop, query: Query) -> list[object]:
    """The calls of the gold path, and the form that tells what they did."""
    assert query.checkable is not None
    ctx = context_for(Session(shop, query.user_id, case=query.service), None)  # type: ignore[arg-type]
    for step in query.checkable.plan:
        call_sync(step.tool, step.arguments, ctx)
    form = gold_form(query, ctx.session.changes()).model_dump_json(exclude_none=True)
    return [[step.model_dump() for step in query.checkable.plan], form]


def test_the_rules_read_a_report_with_a_street(drr: Drr, home: Path, tmp_path: Path) -> None:
    """A talk's shop could be no key of a cache: unhashable type: 'dict'."""
    shutil.copytree(home / "study", tmp_path / "study")
    drr.out("judge", tmp_path / "study", "--what", "rules", "--quiet")


def test_figures_hold_what_was_said_against_what_was_done(drr: Drr, home: Path) -> None:
    figures = drr.json("report", home / "study")["metrics"]
    good, liar = (
        {name: figures[f"agent.py:{agent}"][name]["value"] for name in ("state", "says_does", "policy", "reward", "solved")}
        for agent in ("good", "liar")
    )  # fmt: skip
    assert good == {"state": 1, "says_does": 1, "policy": 1, "reward": 1, "solved": 1}
    assert liar["state"] == liar["reward"] == 0 and liar["says_does"] < 0.5


def talks(study: Path, agent: str) -> list[TalkView]:
    with Study.read(study) as read:
        reader = Reader(read)
        views = [reader.report(one.key) for one in reader.entries() if one.variant.endswith(agent)]
        return [one.talk for one in views if one is not None and one.talk is not None]


def test_the_talk_is_the_page(drr: Drr, home: Path, tmp_path: Path) -> None:
    drr.out("view", home / "study", "--static", tmp_path / "pages")
    pages = [page.read_text() for page in (tmp_path / "pages" / "r").glob("*.html")]
    assert all('id="talk"' in page and '<div class="served">' in page for page in pages)
    (asked, *_) = [page for page in pages if "agent.py:good serves a shopper" in page]
    main = asked.partition("<main")[2].partition("</main>")[0]
    assert 'class="shopper"' in main and "<ins>" in main and "paid $" in main
    assert main.index("<ins>") < main.index('id="report"') < main.index('id="end"')
    assert "The shopper says: " not in main and 'id="end"' in main and 'id="policy"' in main
    assert sum("It never asks the shopper" in page for page in pages) == 2
    lies = [page for page in pages if "Untrue or incomplete" in page]
    assert len(lies) == 2 and all("agent.py:liar serves a shopper" in page for page in lies)
    assert all(page.index(" % confirmed</span>") < page.index("Untrue or incomplete") for page in lies)
    assert "report 100 % confirmed" in asked


def test_a_turn_shows_the_cart_and_the_end_what_became_of_each_wish(home: Path) -> None:
    for talk in talks(home / "study", "good"):
        (paid,) = [one for one in talk.turns if one.words == "checkout"]
        assert [line.mark for line in paid.state][:1] == ["ins"] and not paid.broken
        assert talk.end and not talk.wrong and not talk.broken and talk.opening and talk.asked
        assert {one.name for one in talk.policy} >= {"confirm", "account"}
    for talk in talks(home / "study", "liar"):
        assert talk.wrong and not talk.asked
        assert talk.end[0].done == "nothing bought" and not talk.end[0].is_right


def test_a_broken_clause_stands_at_its_turn(drr: Drr, home: Path, shop: Shop, tmp_path: Path) -> None:
    hasty = """
async def hasty(query, tools, model, budget):
    plan, form = PLANS[query]
    named = {one.name: one for one in tools}
    for step in plan:
        if "confirmation" not in json.dumps(step["arguments"]):
            call = {"type": "tool_call", "id": "1", "name": step["tool"], "args": step["arguments"]}
            await named[step["tool"]].ainvoke(call)
    cart = {"type": "tool_call", "id": "1", "name": "checkout", "args": {}}
    await named["checkout"].ainvoke(cart)
    return f"All is done.\\n\\n```form\\n{form}\\n```\\n"
"""
    (home / "hasty.py").write_text(AGENT + hasty)
    words = ("--world", "service", "--shop", shop.spec, "--queries", home / "t.jsonl", "--quiet")
    drr.out("run", tmp_path / "study", *words, "--variants", f"{home / 'hasty.py'}:hasty")
    for talk in talks(tmp_path / "study", "hasty"):
        first, *_, last = [one for one in talk.turns if one.words == "checkout"]
        assert first.broken == ["confirm"] == talk.broken and not talk.wrong
        assert "The cart is empty" in last.refused and not last.state
    drr.out("view", tmp_path / "study", "--static", tmp_path / "pages")
    page = next((tmp_path / "pages" / "r").glob("*.html")).read_text()
    assert "breaks “confirm”" in page and "refused by the shop" in page


def test_without_a_model_react_asks_and_says_that_it_cannot_serve(
    drr: Drr, home: Path, shop: Shop, tmp_path: Path
) -> None:
    words = ("--world", "service", "--shop", shop.spec, "--queries", home / "t.jsonl", "--quiet")
    drr.out("run", tmp_path / "study", *words, "--variants", "react", "--model", "offline")
    for talk in talks(tmp_path / "study", "react"):
        assert talk.asked == 3 and all(one.answer for one in talk.turns)
        assert "cannot act on what you tell me" in talk.turns[-1].words


def test_a_bundle_plays_the_talk_again(drr: Drr, home: Path, shop: Shop, tmp_path: Path) -> None:
    drr.json("bundle", "make", home / "study", "--out", tmp_path / "good.bundle")
    assert drr.json("bundle", "verify", tmp_path / "good.bundle", "--shop", shop.spec)["tier"] == "consistent"
    shutil.copytree(home / "study", tmp_path / "study")
    with tampered(tmp_path / "study" / "ledger.sqlite") as db:
        changed = db.execute(
            """UPDATE records SET result = replace(result, 'talk.policy.confirm', 'talk.policy.least')"""
        )
        assert changed.rowcount
    drr.json("bundle", "make", tmp_path / "study", "--out", tmp_path / "bad.bundle")
    found = drr.out("bundle", "verify", tmp_path / "bad.bundle", "--shop", shop.spec, code=1)
    assert "its calls leave other carts and orders" in found


def played(request: Request) -> Say:
    """Read questions as being about orders and reasons, and answer wrongly at first: a fact is left out."""
    text = str(request.body["messages"][-1]["content"])
    if "Say which of these things" in text:
        return Say(json.dumps({"about": ["order", "reason"]}))
    lines = [line.removeprefix("- ") for line in text.splitlines() if line.startswith("- ")]
    is_second = "An attempt of before was wrong:" in text and "it leaves out: " in text
    return Say(
        json.dumps(
            {
                "answer": f"Well. {' '.join(lines)}"
                if is_second or "Keep also these words: none" in text
                else "Hm."
            }
        )
    )


def test_a_model_plays_the_shopper_and_code_checks_it(
    drr: Drr, home: Path, shop: Shop, tmp_path: Path
) -> None:
    words = ("--world", "service", "--shop", shop.spec, "--queries", home / "t.jsonl", "--quiet")
    agent = ("--variants", f"{home / 'agent.py'}:asking")
    assert "about is missing" in drr_text(drr, tmp_path / "plain", *words, *agent)
    with Wire(played) as wire:
        voiced = ("--shopper", "openai:player", "--base-url", f"{wire.url}/v1")
        told = drr_text(drr, tmp_path / "study", *words, *agent, *voiced)
    assert "The shopper says: Well. Point 2" in told
    figures = drr.json("report", tmp_path / "study")["metrics"]["agent.py:asking"]
    assert figures["reward"]["value"] == 1 and 0.5 < figures["shopper_faults"]["value"] < 1
    drr.json("bundle", "make", tmp_path / "study", "--out", tmp_path / "b.bundle")
    assert (
        drr.json("bundle", "verify", tmp_path / "b.bundle", "--shop", shop.spec)["tier"]
        == "consistent in part"
    )
    assert "leave it out for plain sentences" in drr.err(
        "run", tmp_path / "no", *words, *agent, "--shopper", "offline"
    )


def drr_text(drr: Drr, study: Path, *words: object) -> str:
    """Run a study and return what its tools answered."""
    drr.out("run", study, *words)
    with Study.read(study) as read:
        (first, *_) = read.records("answer")
        return "\n".join(
            read.text(first, f"text:{call['result_sha256']}") or "" for call in first.result["tool_calls"]
        )


def test_talks_and_other_questions_need_their_own_world(
    drr: Drr, home: Path, shop: Shop, tmp_path: Path
) -> None:
    words = ("--shop", shop.spec, "--queries", home / "t.jsonl", "--variants", "react")
    assert "--world service has the tools for it" in drr.err("run", tmp_path / "study", *words)
    (tmp_path / "q.jsonl").write_text(
        json.dumps({"query": "A lamp?", "user_id": read_queries(home / "t.jsonl")[0].user_id})
    )
    words = (
        "--world",
        "service",
        "--shop",
        shop.spec,
        "--queries",
        tmp_path / "q.jsonl",
        "--variants",
        "react",
    )
    assert "has no shopper to serve" in drr.err("run", tmp_path / "study", *words)


def test_a_set_of_talks_publishes_no_script(drr: Drr, home: Path, tmp_path: Path) -> None:
    axes = "products = 300\nusers = 60\nreviews = 1800\nkinds = 12\npages = 4\nquestions = 2\ntalks = true\n"
    (tmp_path / "axes.toml").write_text(axes)
    drr.json("shop", "make", "--seed", 3, "--axes", tmp_path / "axes.toml", "--out", tmp_path / "made")
    frozen = drr.json("queries", "freeze", "talk-v1", "--made", tmp_path / "made", "--out", tmp_path / "set")
    assert "service" in frozen["versions"] and frozen["parts"][0]["made"]["axes"]["talks"] is True
    shown = (tmp_path / "set" / "queries.jsonl").read_text()
    whole = read_queries(tmp_path / "made" / "queries.jsonl")
    assert all(query.service and query.checkable for query in whole)
    assert all(query.service is None for query in read_queries(tmp_path / "set" / "queries.jsonl"))
    for query in whole:
        assert query.service and not any(
            one in shown for said in query.service.slots.values() for one in said
        )
    assert drr.json("queries", "check", tmp_path / "made" / "queries.jsonl", "--shop", tmp_path / "made" / "shop")["failed"] == 0  # fmt: skip
