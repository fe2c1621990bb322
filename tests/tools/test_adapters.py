"""The same call gives the same text through Python, LangChain and MCP; the official client over memory, stdio and HTTP."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.web.build import build_sandbox
from drr.env.web.sandbox import DOCUMENTS, Sandbox, open_sandbox
from drr.tools.base import ToolAnswer, ToolContext, ToolError, context_for
from drr.tools.langchain import langchain_tools
from drr.tools.mcp import ShopServer
from drr.tools.registry import TOOLS, call
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.tools.small_shop import ANNA, ANNAS_ORDER, BEN, BENS_ORDER, FEEDER

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("product_catalog_search", {"query": "bird", "limit": 3}),
    ("get_product_details", {"product_id": FEEDER}),
    ("get_user_orders", {}),
    ("get_order_details", {"order_id": ANNAS_ORDER}),
    ("get_user_profile", {}),
    ("update_user_profile", {"city": "Troy"}),
    ("get_user_statistics", {}),
    ("web_search", {"query": "winter birds"}),
    ("calculator", {"expression": "0.1 + 0.2"}),
    ("get_product_details", {"product_id": "BOBN7FLXLV"}),
    ("get_order_details", {"order_id": BENS_ORDER}),
    ("get_user_orders", {"user_id": BEN}),
    ("calculator", {"expression": 3, "self": 1, "config": {}}),
    ("product_catalog_search", {"query": {"$gt": ""}}),
]


@pytest.fixture
def fresh(shop: Shop, web: Sandbox) -> ToolContext:
    return context_for(Session(shop, ANNA), web)


async def _in_python(ctx: ToolContext) -> list[tuple[str, bool]]:
    texts = []
    for name, arguments in CALLS:
        try:
            texts.append(((await call(name, arguments, ctx)).text, True))
        except ToolError as error:
            texts.append((error.text, False))
    return texts


async def _through(client: Client) -> list[tuple[str, bool]]:
    texts = []
    for name, arguments in CALLS:
        result = await client.call_tool(name, arguments)
        texts.append((result.content[0].text, not result.is_error))  # type: ignore[union-attr]
    return texts


@dataclass(frozen=True)
class GraphContext:
    tools: ToolContext


def _graph(context_schema: type) -> Any:
    tools = langchain_tools(
        context_of=(lambda c: c.tools) if context_schema is GraphContext else (lambda c: c)
    )
    builder = StateGraph(MessagesState, context_schema=context_schema).add_node("tools", ToolNode(tools))
    return builder.set_entry_point("tools").compile()


def _asking(calls: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    wanted = [{"name": n, "args": a, "id": str(k)} for k, (n, a) in enumerate(calls)]
    return {"messages": [AIMessage(content="", tool_calls=wanted)]}


async def test_langchain_gives_the_same_texts(fresh: ToolContext, shop: Shop, web: Sandbox) -> None:
    graph = _graph(GraphContext)
    texts: list[tuple[str, bool]] = []
    ctx = GraphContext(fresh)
    for one in CALLS:
        message = (await graph.ainvoke(_asking([one]), context=ctx))["messages"][-1]
        assert isinstance(message, ToolMessage)
        assert isinstance(message.artifact, ToolAnswer) == (message.status == "success")
        texts.append((str(message.content), message.status == "success"))
    assert texts == await _in_python(context_for(Session(shop, ANNA), web))


def test_langchain_works_without_an_event_loop(fresh: ToolContext) -> None:
    messages = _graph(ToolContext).invoke(_asking(CALLS), context=fresh)["messages"][1:]
    assert [m.status for m in messages] == ["success"] * 9 + ["error"] * 5
    assert messages[7].artifact.sources[0].type == "web"


async def test_langchain_called_from_inside_a_loop_still_answers(fresh: ToolContext) -> None:
    messages = _graph(ToolContext).invoke(_asking(CALLS[:3]), context=fresh)["messages"][1:]
    assert [m.status for m in messages] == ["success"] * 3


def test_the_model_sees_our_schema_and_cannot_hand_in_the_runtime(fresh: ToolContext) -> None:
    for tool in langchain_tools():
        function = convert_to_openai_tool(tool)["function"]
        assert function["name"] == tool.name
        assert function["description"] == TOOLS[tool.name].description
        assert function["parameters"]["properties"] == TOOLS[tool.name].schema["properties"]
        assert "runtime" not in str(function)
    asked = [("calculator", {"expression": "1+1", "runtime": {"context": "evil"}})]
    assert _graph(ToolContext).invoke(_asking(asked), context=fresh)["messages"][-1].content == "1+1 = 2"


def test_a_bug_in_a_tool_is_not_fed_to_the_model(fresh: ToolContext) -> None:
    with pytest.raises(TypeError, match="pass context_of"):
        langchain_tools(["calculator"])[0].invoke(
            {
                "name": "calculator",
                "args": {"expression": "1", "runtime": _Runtime()},
                "id": "1",
                "type": "tool_call",
            }
        )


class _Runtime:
    context = "not a tool context"


async def test_mcp_in_memory_gives_the_same_texts_and_hints(
    fresh: ToolContext, shop: Shop, web: Sandbox
) -> None:
    async with Client(ShopServer(fresh)) as client:
        listed = (await client.list_tools()).tools
        assert await _through(client) == await _in_python(context_for(Session(shop, ANNA), web))
        sources = (await client.call_tool("get_product_details", {"product_id": FEEDER})).meta
    assert [tool.name for tool in listed] == list(TOOLS)
    for tool in listed:
        assert tool.input_schema == TOOLS[tool.name].schema
        assert tool.description == TOOLS[tool.name].description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (tool.name != "update_user_profile")
        assert tool.annotations.destructive_hint is (tool.name == "update_user_profile")
    assert sources is not None
    assert sources["sources"][0]["url"] == f"http://ecommerce.example/{FEEDER}"


@pytest.fixture(scope="module")
def sandbox(web: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    raw, built = tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("built") / "sandbox"
    (raw / DOCUMENTS).write_text("\n".join(d.model_dump_json() for d in web.documents), encoding="utf-8")
    build_sandbox(raw, built)
    assert open_sandbox(built).content_hash == web.content_hash
    return built


def _command(shop: Shop, sandbox: Path) -> list[str]:
    return ["-m", "drr.app.cli", "mcp", "--shop", shop.spec, "--user", ANNA, "--sandbox", str(sandbox)]


@pytest.mark.parametrize("shop", ["embedded"], indirect=True)
async def test_over_stdio(shop: Shop, sandbox: Path, fresh: ToolContext) -> None:
    server = StdioServerParameters(command=sys.executable, args=_command(shop, sandbox))
    async with asyncio.timeout(60), Client(server) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
        assert await _through(client) == await _in_python(fresh)


@pytest.mark.parametrize("shop", ["embedded"], indirect=True)
async def test_over_loopback_http(shop: Shop, sandbox: Path, fresh: ToolContext) -> None:
    async with asyncio.timeout(60), _serving(_command(shop, sandbox)) as port:
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            assert await _through(client) == await _in_python(fresh)
        async with httpx.AsyncClient() as stranger:
            rebound = await stranger.post(
                f"http://127.0.0.1:{port}/mcp", json={}, headers={"Host": "evil.example"}
            )
        assert rebound.status_code in (403, 421)


@pytest.fixture(scope="module", autouse=True)
def _quiet_logs() -> Iterator[None]:
    """Constructing an MCPServer installs a handler on the root logger."""
    import logging

    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:], root.level = handlers, level


@asynccontextmanager
async def _serving(command: list[str]) -> AsyncIterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    null = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, "--http", str(port), stdout=null, stderr=null
    )
    try:
        while True:
            assert process.returncode is None, "the server ended"
            try:
                (await asyncio.open_connection("127.0.0.1", port))[1].close()
                break
            except OSError:
                await asyncio.sleep(0.05)
        yield port
    finally:
        process.terminate()
        await process.wait()
