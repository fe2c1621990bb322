"""The tools over MCP with the official client: the same texts, data with a schema, sessions of their own, a token at the door."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from drr.env.errors import ServerFailure, ShopError
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.shop_world import ShopWorld
from drr.env.web.base import Page, WebHit
from drr.env.web.sandbox import DOCUMENTS, Sandbox, build_sandbox, open_sandbox
from drr.tools.base import ToolAnswer, ToolContext, ToolError, context_for
from drr.tools.guard import TokenGuard
from drr.tools.langchain import langchain_tools
from drr.tools.mcp import ClientContexts, ShopServer
from drr.tools.registry import TOOLS, call, call_sync
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from starlette.types import Receive, Scope, Send

from tests.cases import cases
from tests.commands import Drr
from tests.tools.small_shop import ANNA, FEEDER

TOKEN = "a-token-of-the-tests-0123456789"


@pytest.fixture(scope="module", autouse=True)
def _quiet_logs() -> Iterator[None]:
    """Constructing an MCPServer installs a handler on the root logger."""
    import logging

    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:], root.level = handlers, level


async def _through(client: Client) -> list[tuple[str, bool]]:
    texts = []
    for name, arguments in CALLS:
        result = await client.call_tool(name, arguments)
        texts.append((result.content[0].text, not result.is_error))  # type: ignore[union-attr]
    return texts


async def _city(client: Client) -> str:
    beside = (await client.call_tool("get_user_profile", {})).meta
    city: str = beside["data"]["address"]["city"]
    return city


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_in_memory_texts_are_the_same(fresh: ToolContext, shop: Shop, web: Sandbox, mode: Any) -> None:
    async with Client(ShopServer(fresh), mode=mode) as client:
        listed = (await client.list_tools()).tools
        assert await _through(client) == await in_python(context_for(Session(shop, ANNA), web))
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


async def test_readers_of_text_and_of_structured_content_are_given_the_same(fresh: ToolContext) -> None:
    seen = set()
    async with Client(ShopServer(fresh)) as client:
        for name, arguments in [*CALLS, ("get_product_details", {"product_id": FEEDER, "part": "short"})]:
            result = await client.call_tool(name, arguments)
            assert result.is_error == (result.structured_content is None)
            if not result.is_error:
                text = result.content[0].text  # type: ignore[union-attr]
                assert result.structured_content == {"result": text}
                assert len(json.dumps(result.structured_content)) <= 1.2 * len(text.encode()) + 20
                seen.add(name)
        found = await client.call_tool("product_catalog_search", {"query": "bird", "max_price": "20"})
    assert seen == set(TOOLS)
    assert [item["price"] for item in found.meta["data"]["items"]] == [12.49, 19.99, 19.99]
    assert [s["url"] for s in found.meta["sources"]] == [item["url"] for item in found.meta["data"]["items"]]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_what_one_client_changes_another_does_not_see(fresh: ToolContext, mode: Any) -> None:
    server = ShopServer(fresh)
    async with Client(server, mode=mode) as one, Client(server, mode=mode) as two:
        await one.call_tool("update_user_profile", {"city": "Troy"})
        assert (await _city(one), await _city(two)) == ("Troy", "Norman")
    async with Client(server, mode=mode) as three:
        assert await _city(three) == "Norman"
    assert not fresh.session.changes()


async def test_a_session_is_forgotten_with_what_it_belongs_to(fresh: ToolContext) -> None:
    class Connection:
        pass

    contexts, one, two = ClientContexts(fresh), Connection(), Connection()
    first = contexts.of("1", one)
    assert contexts.of("1", one) is first
    assert contexts.of("2", two) is not first
    assert len(contexts) == 2
    del one
    gc.collect()
    assert len(contexts) == 1


class SlowWeb:
    name, content_hash = "slow", None

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        await asyncio.sleep(0.15)
        return []

    async def read(self, url: str) -> Page:
        raise AssertionError


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_slow_call_says_how_long_so_far(fresh: ToolContext, mode: Any) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    slow = replace(fresh, world=ShopWorld(fresh.session, SlowWeb()))
    async with Client(ShopServer(slow, pulse_s=0.03), mode=mode) as client:
        result = await client.call_tool("web_search", {"query": "birds"}, progress_callback=hear)
        assert not result.is_error
        assert (
            await client.call_tool("web_search", {"query": "birds"})
        ).content  # who asks for none gets none
    assert len(told) >= 2
    assert [progress for progress, *_ in told] == sorted({progress for progress, *_ in told})
    assert told[0][1:] == (30.0, "web_search: 0 of at most 30 s")


async def test_a_dead_server_is_unavailable_and_a_bug_a_bug(fresh: ToolContext, shop: Shop) -> None:
    class Dead:
        def __init__(self, error: Exception) -> None:
            self.error = error

        def user(self, user_id: str) -> None:
            raise self.error

    async def said(error: Exception) -> str:
        broken = replace(shop, store=Dead(error))  # type: ignore[arg-type]
        ctx = replace(fresh, world=ShopWorld(Session(broken, ANNA), fresh.web))
        async with Client(ShopServer(ctx)) as client:
            result = await client.call_tool("get_user_profile", {})
        assert result.is_error
        text: str = result.content[0].text  # type: ignore[union-attr]
        return text

    gone = "MongoDB at 127.0.0.1:9 does not answer; start it"
    assert await said(ShopError(gone)) == f"Error (unavailable): {gone}"
    assert (await said(ZeroDivisionError("secret"))).startswith("Error (bug): get_user_profile failed")


async def _status(token: str, headers: list[tuple[bytes, bytes]], host: bytes = b"127.0.0.1:80") -> int:
    async def inside(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    headers = [(b"host", host), *headers]
    await TokenGuard(inside, token)({"type": "http", "headers": headers, "method": "POST"}, receive, send)
    status: int = sent[0]["status"]
    return status


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ([], 401), ([b"Bearer "], 401), ([TOKEN.encode()], 401), ([b"Basic " + TOKEN.encode()], 401),
        ([b"Bearer " + TOKEN.encode()[:-1]], 401), ([b"Bearer " + TOKEN.encode() + b"x"], 401),
        ([b"Bearer \xff\xfe"], 401), ([b"Bearer " + TOKEN.encode(), b"Bearer other"], 401),
        ([b"Bearer " + TOKEN.encode()], 200), ([b"bearer  " + TOKEN.encode()], 200),
    ],
)  # fmt: skip
async def test_nobody_comes_in_without_the_token(given: list[bytes], status: int) -> None:
    assert await _status(TOKEN, [(b"authorization", value) for value in given]) == status


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        (b"127.0.0.1:8765", None, 200), (b"localhost", None, 200), (b"[::1]:1", b"http://[::1]:1", 200),
        (b"127.0.0.1:8765@evil", None, 421), (b"127.0.0.1:8765.evil", None, 421), (b"127.0.0.1.evil", None, 421),
        (b"evil.example", None, 421), (b"", None, 421), (b"127.0.0.1:", None, 421), (b"user@127.0.0.1", None, 421),
        (b"localhost:1", b"http://evil.example", 403), (b"localhost:1", b"null", 403),
        (b"localhost:1", b"http://localhost:12", 403), (b"localhost:1", b"http://localhost:1@evil", 403),
    ],
)  # fmt: skip
async def test_a_page_elsewhere_is_refused(host: bytes, origin: bytes | None, status: int) -> None:
    """`Host: 127.0.0.1:PORT@evil` passed for this machine."""
    origins = [] if origin is None else [(b"origin", origin)]
    token = [(b"authorization", b"Bearer " + TOKEN.encode())]
    assert await _status(TOKEN, [*token, *origins], host) == status
    assert await _status(TOKEN, origins, host) == (401 if status == 200 else status)


def test_the_token_file_is_made_for_its_owner_and_read_again(tmp_path: Path) -> None:
    from drr.tools.guard import token_in

    path = tmp_path / "token"
    token, made = token_in(path)
    assert made and len(token) >= 40
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert token_in(path) == (token, False)


@pytest.mark.parametrize("shop", ["embedded"], indirect=True)
@pytest.mark.parametrize("held", ["", "short", "two words that are long enough", "é" * 40])
def test_a_token_file_that_holds_none_is_said(held: str, shop: Shop, tmp_path: Path, drr: Drr) -> None:
    path = tmp_path / "token"
    path.write_text(held, encoding="utf-8")
    code, _, told = drr("mcp", "--shop", shop.spec, "--http", _free_port(), "--token-file", path)
    assert code in (1, 2) and told.count("\n") == 1 and "--token-file" in told
    assert not held or held not in told


@pytest.fixture(scope="module")
def sandbox(web: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    raw, built = tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("built") / "sandbox"
    (raw / DOCUMENTS).write_text("\n".join(d.model_dump_json() for d in web.documents), encoding="utf-8")
    build_sandbox(raw, built)
    assert open_sandbox(built).content_hash == web.content_hash
    return built


def _command(shop: Shop, sandbox: Path) -> list[str]:
    return ["-m", "drr.app.cli", "mcp", "--shop", shop.spec, "--user", ANNA, "--sandbox", str(sandbox)]


@pytest.mark.slow
@pytest.mark.parametrize("shop", ["embedded"], indirect=True)
async def test_over_stdio(shop: Shop, sandbox: Path, fresh: ToolContext) -> None:
    server = StdioServerParameters(command=sys.executable, args=_command(shop, sandbox))
    async with asyncio.timeout(60), Client(server) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
        assert await _through(client) == await in_python(fresh)


@pytest.mark.slow
@pytest.mark.parametrize("shop", ["embedded"], indirect=True)
async def test_over_loopback_http(shop: Shop, sandbox: Path, fresh: ToolContext, tmp_path: Path) -> None:
    said = tmp_path / "said"
    async with asyncio.timeout(60), serving(_command(shop, sandbox), said) as (port, token):
        async with reaching(port, token) as one, reaching(port, token, mode="legacy") as two:
            assert await _through(one) == await in_python(fresh)
            assert (await _city(one), await _city(two)) == ("Troy", "Norman")
        async with reaching(port, token, mode="legacy") as three, reaching(port, token) as four:
            assert (await _city(three), await _city(four)) == ("Norman", "Troy")  # the newest has no sessions
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as stranger:
            refused = await stranger.post("/mcp", json={})
            foreign = {"Host": "evil.example", "Authorization": f"Bearer {token}"}
            rebound = await stranger.post("/mcp", json={}, headers=foreign)
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Bearer")
    assert rebound.status_code in (403, 421)
    assert said.read_text().count(token) == 1


def reaching(port: int, token: str, mode: Any = "auto") -> Client:
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
    return Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http), mode=mode)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@asynccontextmanager
async def serving(command: list[str], said: Path) -> AsyncIterator[tuple[int, str]]:
    """A server of its own process, by the token that it printed."""
    port = _free_port()
    null = asyncio.subprocess.DEVNULL
    with said.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *command, "--http", str(port), stdout=null, stderr=stderr
        )
    try:
        while True:
            assert process.returncode is None, f"the server ended: {said.read_text()}"
            try:
                (await asyncio.open_connection("127.0.0.1", port))[1].close()
                break
            except OSError:
                await asyncio.sleep(0.05)
        yield port, said.read_text().split("token of this run: ")[1].split()[0]
    finally:
        process.terminate()
        await process.wait()


CALLS: list[tuple[str, dict[str, Any]]] = cases("tools", "CALLS")


@pytest.fixture
def fresh(shop: Shop, web: Sandbox) -> ToolContext:
    return context_for(Session(shop, ANNA), web)


async def in_python(ctx: ToolContext) -> list[tuple[str, bool]]:
    texts = []
    for name, arguments in CALLS:
        try:
            texts.append(((await call(name, arguments, ctx)).text, True))
        except ToolError as error:
            texts.append((error.text, False))
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
    assert texts == await in_python(context_for(Session(shop, ANNA), web))


def test_langchain_works_without_an_event_loop(fresh: ToolContext) -> None:
    messages = _graph(ToolContext).invoke(_asking(CALLS), context=fresh)["messages"][1:]
    assert [m.status for m in messages] == ["success"] * 9 + ["error"] * 5
    assert messages[7].artifact.sources[0].type == "web"


async def test_langchain_called_from_inside_a_loop_still_answers(fresh: ToolContext) -> None:
    messages = _graph(ToolContext).invoke(_asking(CALLS[:3]), context=fresh)["messages"][1:]
    assert [m.status for m in messages] == ["success"] * 3


def test_models_see_our_schemas_and_no_bug(fresh: ToolContext) -> None:
    for tool in langchain_tools():
        function = convert_to_openai_tool(tool)["function"]
        assert function["name"] == tool.name
        assert function["description"] == TOOLS[tool.name].description
        assert function["parameters"]["properties"] == TOOLS[tool.name].schema["properties"]
        assert "runtime" not in str(function)
    asked = [("calculator", {"expression": "1+1", "runtime": {"context": "evil"}})]
    assert _graph(ToolContext).invoke(_asking(asked), context=fresh)["messages"][-1].content == "1+1 = 2"
    with pytest.raises(TypeError, match="pass context_of"):
        args = {"expression": "1", "runtime": _Runtime()}
        made = {"name": "calculator", "args": args, "id": "1", "type": "tool_call"}
        langchain_tools(["calculator"])[0].invoke(made)


class _Runtime:
    context = "not a tool context"


async def test_a_failing_shop_is_unavailable_through_every_door(fresh: ToolContext, shop: Shop) -> None:
    """Python raised whatever the store raised."""
    gone = ServerFailure("MongoDB at 127.0.0.1:9 does not answer; start it")

    class Dead:
        def user(self, user_id: str) -> None:
            raise gone

    broken = replace(shop, store=Dead())  # type: ignore[arg-type]
    ctx = replace(fresh, world=ShopWorld(Session(broken, ANNA), fresh.web))
    with pytest.raises(ToolError) as caught:
        await call("get_user_profile", {}, ctx)
    assert caught.value.kind == "unavailable" and caught.value.message == str(gone)
    assert caught.value.__cause__ is gone, "by it a study tells that the unit failed"
    with pytest.raises(ToolError, match="does not answer"):
        call_sync("get_user_profile", {}, ctx)
    message = (await _graph(ToolContext).ainvoke(_asking([("get_user_profile", {})]), context=ctx))[
        "messages"
    ][-1]
    assert (message.status, message.content) == ("error", f"Error (unavailable): {gone}")
