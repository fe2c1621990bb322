"""A user's own tools are in every place where the nine are, and what they return can be cited and judged."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from drr.app.session import ToolSession
from drr.env.settings import Settings
from drr.study.study import Study
from drr.tools.registry import OWN

from tests.agents.commands.conftest import needs_namespaces
from tests.commands import Drr

CODE = '''
import asyncio, os, sys, time
from typing import Literal

from drr.tools.base import ToolAnswer, ToolError


def delivery_days(product_id: str, ctx, speed: Literal["standard", "express"] = "standard"):
    """Tell in how many days a product is delivered."""
    product = ctx.shop.store.product(product_id)
    if product is None:
        raise LookupError(f"no product {product_id}")
    return ctx.cited(f"{product.title} comes in 3 days, {speed}, seen on {ctx.today}.", "Delivery", f"delivery/{product_id}")


async def stock(product_id: str) -> dict:
    """Tell how many pieces there are."""
    await asyncio.sleep(0)
    return {"pieces": 4}


def leaving(kind: str):
    """Leave the program."""
    sys.exit()


async def leaving_later(kind: str):
    """Leave the program from a task."""
    await asyncio.sleep(0)
    raise SystemExit(3)


def hanging(seconds: float):
    """Hold up whoever waits."""
    time.sleep(seconds)


async def hanging_loop(seconds: float):
    """Hold up an event loop."""
    time.sleep(seconds)


def large(part: str, ctx):
    """Return very much."""
    return ctx.cited("x" * 300_000, "Much", "much") if part == "source" else ToolAnswer("many", data=["x" * 300] * 3_000) if part == "data" else "x" * 30_000


def torn(part: str):
    """Return what is no text."""
    return {"half": chr(0xD800), "number": float("nan")}[part] if part == "half" else {part: float("nan")}


def telling(key: str):
    """Fail and tell too much."""
    raise LookupError(f"no answer from https://api.example/?k={os.environ[key]}" + chr(10) + "line two")


class Untold(Exception):
    def __str__(self):
        sys.exit()


async def untold(part: str):
    """Fail without words."""
    raise Untold


def odd(kind: str):
    """Fail with words of its own, or none."""
    raise ToolError("rate it" + chr(10) + "ten", "It is closed." if kind else " ")


def untyped(product_id):
    """Tell nothing."""


def undocumented(product_id: str):
    pass


def listed(ids: list[str]):
    """Take a list."""


NUMBER = 3
'''
AGENT = """
async def answer(query, tools, model, budget):
    by_name = {tool.name: tool for tool in tools}
    found = await by_name["product_catalog_search"].ainvoke({"query": str(query), "limit": 1})
    product = found.split("http://ecommerce.example/")[1].split()[0]
    said = await by_name["delivery_days"].ainvoke({"product_id": product})
    text, address = said.rsplit(chr(10), 1)
    names = ", ".join(by_name)
    return f"# Delivery{chr(10)}{chr(10)}{text} [1]{chr(10)}{chr(10)}Tools: {names}.{chr(10)}{chr(10)}## Sources{chr(10)}{chr(10)}[1] Delivery: {address}{chr(10)}"


answer.version = "1"
"""


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """What a test loaded is no tool of the tests after it."""
    yield
    OWN.clear()


@pytest.fixture
def code(tmp_path: Path) -> Path:
    path = tmp_path / "my_tools.py"
    path.write_text(CODE, encoding="utf-8")
    return path


@pytest.fixture
def asked(tmp_path: Path, sample_home: Path) -> tuple[str, ...]:
    """What a study is asked of: one question of the sample shop, by an agent that calls the tool and cites it."""
    (tmp_path / "my_agent.py").write_text(AGENT, encoding="utf-8")
    with ToolSession(str(sample_home / "shop"), None, Settings()) as session:
        user = session.world.session.shop.store.sample_users(1, seed=1, min_orders=5)[0]  # type: ignore[union-attr]
    queries = tmp_path / "q.jsonl"
    queries.write_text(json.dumps({"query": "Which soap is mild?", "user_id": user}) + "\n", encoding="utf-8")
    agent = f"{tmp_path / 'my_agent.py'}:answer"
    return (
        "--shop",
        str(sample_home / "shop"),
        "--queries",
        str(queries),
        "--variants",
        f"{agent},react",
        "--quiet",
    )


def keys(study: Path) -> list[dict[str, object]]:
    with Study.read(study) as opened:
        return [dict(record.key_fields) for record in opened.records("answer", None)]


@pytest.mark.slow
def test_an_answer_that_cites_a_tool_is_judged_by_what_the_tool_said(
    tmp_path: Path, code: Path, asked: tuple[str, ...], drr: Drr
) -> None:
    study = tmp_path / "study"
    assert drr("run", study, *asked, "--tools", f"{code}:delivery_days", "--without", "web_search")[0] == 0
    assert drr("judge", study, "--judge", "offline", "--quiet")[0] == 0
    with Study.read(study) as opened:
        first = next(one for one in opened.records("answer", None) if "my_agent" in str(one.spec["variant"]))
        report = opened.text(first, "report") or ""
    assert "tool://delivery/" in report and "delivery_days" in report and "web_search" not in report
    assert [call["name"] for call in first.result["tool_calls"]] == [
        "product_catalog_search",
        "delivery_days",
    ]
    table = drr.json("report", study, "--out", tmp_path / "report")
    assert "fp_tool" in json.dumps(table)
    calls = (tmp_path / "report" / "tables" / "tool-calls.md").read_text(encoding="utf-8")
    assert "delivery_days" in calls and "unknown tools" in calls
    before = keys(study)
    assert all(set(one["own_tools"]) == {"delivery_days"} for one in before)  # type: ignore[call-overload]
    code.write_text(CODE + "\n# edited\n", encoding="utf-8")
    assert drr("run", study, "--quiet")[0] == 0
    assert {json.dumps(one["own_tools"]) for one in keys(study)} != {
        json.dumps(one["own_tools"]) for one in before
    }
    assert drr("bundle", "make", study, "--out", tmp_path / "b", "--quiet")[0] == 0
    code.unlink()  # a bundle's own code is never run
    out = drr("bundle", "verify", tmp_path / "b", "--shop", asked[1])[1]
    assert "is a tool of its author's own" in out and "failed: " not in out


def test_a_study_of_somebody_else_runs_no_tool_unasked(
    tmp_path: Path, code: Path, asked: tuple[str, ...], drr: Drr, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = tmp_path / "study"
    assert drr("run", study, *asked, "--tools", f"{code}:delivery_days")[0] == 0
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another"))
    assert drr("judge", study, "--judge", "offline", "--shop", asked[1], "--quiet")[0] == 0
    err = drr.err("run", study, "--shop", asked[1], "--variants", asked[5], "--quiet")
    assert "names the tool" in err and "--tools" in err
    file = tmp_path / "study.yaml"
    file.write_text(f"study: other\ntools: {code}:delivery_days\n", encoding="utf-8")
    assert "names the tool" in drr.err("run", file, *asked)
    assert drr("run", file, *asked, "--tools", f"{code}:delivery_days")[0] == 0


def test_the_commands_of_tools_know_own_ones(code: Path, sample_home: Path, drr: Drr) -> None:
    tools = f"{code}:delivery_days,{code}:stock"
    listed = [one["name"] for one in drr.json("tools", "list", "--tools", tools, "--without", "web_search")]
    assert listed[-2:] == ["delivery_days", "stock"] and "web_search" not in listed
    schema = json.loads(drr.out("tools", "schema", "delivery_days", "--tools", tools))
    assert list(schema["properties"]) == ["product_id", "speed"] and schema["required"] == ["product_id"]
    call = ("tools", "call", "--shop", sample_home / "shop", "--tools", tools)
    found = drr.json(*call, "stock", "--args", '{"product_id": "x"}')
    assert (found["data"], found["text"]) == ({"pieces": 4}, '{"pieces": 4}')
    failed = drr.json(*call, "delivery_days", "--args", '{"product_id": "x"}', code=1)["error"]
    assert failed["kind"] == "unavailable" and "LookupError: no product x" in failed["message"]
    assert (
        drr.json(*call, "delivery_days", "--args", '{"speed": "slow"}', code=1)["error"]["kind"] == "invalid"
    )


SHELL = """
import json, subprocess, sys
asked = json.load(sys.stdin)
words = ["drr", "tools", "call", "stock", "--args", '{"product_id": "x"}']
right, wrong = (subprocess.run([*words[:3], name, *words[4:]], capture_output=True, text=True) for name in ("stock", "stok"))
print(f"# Stock\\n\\n{right.stdout}\\n\\n{wrong.returncode} {wrong.stderr}")
"""


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "told"),
    [
        ("leaving", {"kind": "x"}, "unavailable", "leaving failed: "), ("leaving_later", {"kind": "x"}, "unavailable", "leaving_later failed: "),
        pytest.param("hanging", {"seconds": 600}, "timeout", "did not answer", marks=pytest.mark.slow),
        pytest.param("hanging_loop", {"seconds": 600}, "timeout", "did not answer", marks=pytest.mark.slow),
        ("large", {"part": "text"}, "unavailable", "24,000"), ("large", {"part": "data"}, "unavailable", "240,000"),
        ("large", {"part": "source"}, "unavailable", "24,000"),
        ("torn", {"part": "half"}, "unavailable", "surrogate"), ("torn", {"part": "nan"}, "unavailable", "torn failed: "),
        ("telling", {"key": "SERVICE_OF_MINE"}, "unavailable", "LookupError: no answer from"),
        ("untold", {"part": "x"}, "unavailable", "untold failed: Untold"),
        ("odd", {"kind": "x"}, "unavailable", "It is closed."), ("odd", {"kind": ""}, "unavailable", "odd"),
    ],
)  # fmt: skip
async def test_own_tools_have_limits_and_their_failures_are_the_calls(
    code: Path,
    sample_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    arguments: dict[str, object],
    kind: str,
    told: str,
) -> None:
    """Whether an agent calls it, a program, or a client over MCP: the next call is answered."""
    from dataclasses import replace

    from drr.app.session import tool_context
    from drr.tools.base import ToolError
    from drr.tools.mcp import ShopServer
    from drr.tools.own import offered_tools
    from drr.tools.registry import call, call_blocking, call_sync
    from mcp.client import Client

    monkeypatch.setenv("SERVICE_OF_MINE", "a1b2c3d4e5f6g7")
    settings = Settings(tools=(f"{code}:{name}", f"{code}:stock"))
    with tool_context(str(sample_home / "shop"), None, settings) as ctx:
        ctx = replace(ctx, deadline_s=3.0 if kind == "timeout" else 30.0)
        with pytest.raises(ToolError) as failed:
            await call(name, arguments, ctx)
        assert failed.value.kind == kind and told in failed.value.message
        message = failed.value.message
        assert "a1b2c3d4e5f6g7" not in message and "line two" not in message and len(message) <= 400
        for calling in (call_sync, call_blocking):
            with pytest.raises(ToolError, match=told):
                calling(name, arguments, ctx)
        async with Client(ShopServer(ctx, names=offered_tools(settings.tools, ()))) as client:
            answer = await client.call_tool(name, arguments)
            assert answer.is_error and answer.meta["error"]["kind"] == kind
            assert not (await client.call_tool("stock", {"product_id": "1"})).is_error


@needs_namespaces
def test_a_contained_agent_calls_own_tools_by_command(
    tmp_path: Path, code: Path, asked: tuple[str, ...], drr: Drr
) -> None:
    (tmp_path / "shell.py").write_text(SHELL, encoding="utf-8")
    variant = ("--variants", f"cmd:{sys.executable} {tmp_path / 'shell.py'}")
    assert drr("run", tmp_path / "study", *asked[:4], *variant, "--tools", f"{code}:stock", "--quiet")[0] == 0
    with Study.read(tmp_path / "study") as opened:
        (only,) = opened.records("answer", None)
        report = opened.text(only, "report") or ""
    assert '{"pieces": 4}' in report and "no tool" in report and "Traceback" not in report


@pytest.mark.parametrize(
    ("tools", "told"),
    [
        ("untyped", "has no type"), ("undocumented", "no docstring"), ("listed", "must be str, int"), ("NUMBER", "is no function"),
        ("nothing", "has no function"), ("delivery_days,{}:delivery_days", "already"), ("web search", "name a file and a function"),
    ],
)  # fmt: skip
def test_a_function_that_is_no_tool_is_refused(tools: str, told: str, code: Path, drr: Drr) -> None:
    assert told in drr.err("tools", "list", "--tools", f"{code}:{tools.format(code)}")


def test_a_name_that_is_no_tool_cannot_be_taken_away(drr: Drr) -> None:
    assert "no such tool" in drr.err("tools", "list", "--without", "websearch")


async def test_mcp_clients_have_own_tools(code: Path, sample_home: Path) -> None:
    from drr.app.session import tool_context
    from drr.tools.mcp import ShopServer
    from drr.tools.own import offered_tools
    from mcp.client import Client

    settings = Settings(tools=(f"{code}:stock",), without=("calculator",))
    with tool_context(str(sample_home / "shop"), None, settings) as ctx:
        async with Client(ShopServer(ctx, names=offered_tools(settings.tools, settings.without))) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            answer = await client.call_tool("stock", {"product_id": "1"})
    assert names[-1] == "stock" and "calculator" not in names and '"pieces": 4' in str(answer.content)
