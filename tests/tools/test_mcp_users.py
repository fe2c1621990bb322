"""One MCP server for many users: named by header, query or path; the token in the address; what clients ask for meanwhile."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from drr.app.pages.serve import bind
from drr.env.query import query_id
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.shop_world import ShopWorld
from drr.env.web.sandbox import Sandbox
from drr.tools.base import context_for
from drr.tools.guard import TokenGuard
from drr.tools.mcp import ShopServer
from drr.tools.sessions import ForUsers
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError

from tests.commands import Drr
from tests.tools.small_shop import ANNA, BEN
from tests.tools.test_mcp import TOKEN, SlowWeb, _city, serving

pytestmark = pytest.mark.parametrize("shop", ["embedded"], indirect=True)
WHO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
OPENING = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": WHO}
ACCEPT = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


def client(address: str, **headers: str) -> Client:
    http = create_mcp_http_client(headers={name.replace("_", "-"): value for name, value in headers.items()})
    return Client(streamable_http_client(address, http_client=http), mode="legacy")


async def _whose(asking: Client) -> str:
    beside = (await asking.call_tool("get_user_profile", {})).meta
    user: str = beside["data"]["user_id"]
    return user


def _command(shop: Shop, *options: str) -> list[str]:
    return ["-m", "drr.app.cli", "tools", "mcp", "--shop", shop.spec, *options]


@pytest.mark.slow
async def test_each_client_is_the_user_whom_it_names(shop: Shop, tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text(json.dumps({"query": "a quiet feeder", "user_id": BEN}))
    asked = query_id("a quiet feeder", BEN)
    command = _command(shop, "--user", ANNA, "--many-users", "--queries", str(queries))
    async with asyncio.timeout(60), serving(command, tmp_path / "said") as (port, token):
        door, key = f"http://127.0.0.1:{port}/mcp", f"Bearer {token}"
        bare = f"http://127.0.0.1:{port}/t/{token}/mcp"
        ways = [
            (client(door, Authorization=key), ANNA),
            (client(door, Authorization=key, DRR_User=BEN), BEN),
            (client(door, Authorization=key, DRR_User=BEN.lower()), BEN),
            (client(door, Authorization=key, DRR_Query=asked), BEN),
            (client(f"{door}/users/{BEN}", Authorization=key), BEN),
            (client(f"{door}/queries/{asked}", Authorization=key), BEN),
            (client(bare), ANNA),
            (client(f"{bare}/users/{BEN}"), BEN),
        ]
        async with AsyncExitStack() as opened:
            for way, user in ways:
                assert await _whose(await opened.enter_async_context(way)) == user
            await ways[1][0].call_tool("update_user_profile", {"city": "Troy"})
            assert [await _city(way) == "Troy" for way, _ in ways] == [False, True] + [False] * 6
            other = await ways[1][0].call_tool("get_user_profile", {"user_id": ANNA})
            assert other.is_error and "only its own user" in other.content[0].text  # type: ignore[union-attr]
        async with client(f"{door}/users/{BEN}", Authorization=key) as later:
            assert await _city(later) != "Troy"
    assert (tmp_path / "said").read_text().count(token) == 1


@pytest.mark.slow
async def test_a_session_stays_its_users(shop: Shop, tmp_path: Path) -> None:
    async with asyncio.timeout(60), serving(_command(shop), tmp_path / "said") as (port, token):
        head = {**ACCEPT, "Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as http:
            begun = await http.post("/mcp", json=OPENING, headers={**head, "DRR-User": BEN})
            head["Mcp-Session-Id"] = begun.headers["mcp-session-id"]
            await http.post(
                "/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=head
            )
            profile = {"name": "get_user_profile", "arguments": {}}
            call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": profile}

            async def asked(path: str = "/mcp", **more: str) -> Any:
                headers = {**head, **{name.replace("_", "-"): value for name, value in more.items()}}
                return (await http.post(path, json=call, headers=headers)).json()

            for answer in (await asked(), await asked(DRR_User=BEN), await asked(f"/mcp/users/{BEN}")):
                assert answer["result"]["_meta"]["data"]["user_id"] == BEN
            others = (
                await asked(DRR_User=ANNA),
                await asked(f"/mcp/users/{ANNA}"),
                await asked(DRR_User="NOBODY"),
            )
            for answer in others:
                assert "a session stays its user's" in answer["error"]["message"] and "result" not in answer
            again = await http.post("/mcp", json=OPENING, headers={**head, "DRR-User": ANNA})
            assert "error" in again.json()
            assert (await asked())["result"]["_meta"]["data"]["user_id"] == BEN


@pytest.mark.slow
async def test_who_cannot_be_served_is_answered_clearly(shop: Shop, tmp_path: Path) -> None:
    async with (
        asyncio.timeout(60),
        serving(_command(shop, "--user", ANNA, "--many-users"), tmp_path / "open") as (port, token),
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as http,
    ):
        key = {**ACCEPT, "Authorization": f"Bearer {token}"}

        async def tried(path: str, **headers: str) -> tuple[int, str]:
            given = {**key, **{name.replace("_", "-"): value for name, value in headers.items()}}
            answer = await http.post(path, json=OPENING, headers=given)
            told: str = answer.json()["error"]["message"]
            return answer.status_code, told

        unknown = (404, "this server has no user of the name that the request gives")
        assert await tried("/mcp", DRR_User="NOBODY") == unknown
        assert await tried("/mcp/users/NOBODY") == unknown
        assert await tried("/mcp/users/" + "X" * 5000) == unknown
        assert (await tried(f"/mcp/users/{BEN}", DRR_User=ANNA))[0] == 400
        assert "--queries FILE" in (await tried("/mcp", DRR_Query="q-1"))[1]
        near = (f"/t/{token}x/mcp", f"/t/{token[:-1]}/mcp", f"/mcp?token={token}")
        for path in ("/t/wrong/mcp", "/t/", *near):
            assert (await http.post(path, json=OPENING, headers=ACCEPT)).status_code == 401
        foreign = {**ACCEPT, "Host": "evil.example"}
        assert (await http.post(f"/t/{token}/mcp", json=OPENING, headers=foreign)).status_code in (403, 421)
        lost = await http.get(f"/t/{token}/elsewhere")
        assert lost.status_code == 404 and token not in lost.text + str(lost.headers)
        with pytest.raises((MCPError, ExceptionGroup)) as failed:
            async with client(f"http://127.0.0.1:{port}/t/{token}/mcp/users/NOBODY"):
                pass
        error: BaseException = failed.value
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        assert str(error) == unknown[1]
    async with serving(_command(shop, "--user", ANNA), tmp_path / "one") as (port, token):
        async with client(f"http://127.0.0.1:{port}/t/{token}/mcp/users/{ANNA}") as hers:
            assert await _whose(hers) == ANNA
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}/t/{token}", trust_env=False) as http:
            assert (await http.post(f"/mcp/users/{BEN}", json=OPENING, headers=ACCEPT)).status_code == 404


@pytest.mark.slow
async def test_sixty_four_at_once_are_all_served(shop: Shop, tmp_path: Path) -> None:
    async with asyncio.timeout(120), serving(_command(shop), tmp_path / "said") as (port, token):
        door = f"http://127.0.0.1:{port}/t/{token}/mcp/users"

        async def one(user: str) -> set[str]:
            async with client(f"{door}/{user}") as asking:
                return {await _whose(asking) for _ in range(3)}

        users = [ANNA, BEN] * 32
        assert await asyncio.gather(*map(one, users)) == [{user} for user in users]


NEW = {"Accept": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call"}
_ABOUT = "io.modelcontextprotocol/"
META = {f"{_ABOUT}protocolVersion": "2026-07-28", f"{_ABOUT}clientCapabilities": {}}


async def alone(
    http: httpx.AsyncClient,
    path: str,
    new: bool,
    tool: str = "get_user_profile",
    *,
    of: Any = None,
    **headers: str,
) -> Any:
    """The answer to a call without a session: by revision 2026-07-28, or by none."""
    meta = {"progressToken": "p", **(META if new else {})}
    params = {"name": tool, "arguments": of or {}, "_meta": meta}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = await http.post(path, json=call, headers={**({**NEW, "Mcp-Name": tool} if new else {}), **named})
    assert "mcp-session-id" not in answer.headers
    return answer.json()


@pytest.mark.slow
async def test_sessions_that_a_careless_client_leaves_open_end(shop: Shop, tmp_path: Path) -> None:
    """The one that is idle for longest first; whoever calls now and then keeps its own."""
    from drr.tools.mcp import MOST_SESSIONS

    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "calculator", "arguments": {"expression": "1+1"}}}  # fmt: skip
    async with (
        asyncio.timeout(120),
        serving(_command(shop, "--user", ANNA), tmp_path / "said") as (port, token),
    ):
        given = {**ACCEPT, "Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=given) as http:

            async def opened() -> str:
                return str((await http.post("/mcp", json=OPENING)).headers["mcp-session-id"])

            async def calls(session: str) -> int:
                return (await http.post("/mcp", json=call, headers={"Mcp-Session-Id": session})).status_code

            kept, left = await opened(), await opened()
            for _ in range(MOST_SESSIONS + 9):
                await opened()
                assert await calls(kept) == 200
            assert await calls(left) == 404


@pytest.mark.slow
async def test_calls_without_a_session_are_their_users(shop: Shop, tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text(json.dumps({"query": "a quiet feeder", "user_id": BEN}))
    asked = query_id("a quiet feeder", BEN)
    command = _command(shop, "--user", ANNA, "--many-users", "--queries", str(queries))
    async with (
        asyncio.timeout(60),
        serving(command, tmp_path / "said") as (port, token),
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as http,
    ):
        del http.headers["Accept"]
        key = {"Authorization": f"Bearer {token}"}
        ways: list[tuple[str, dict[str, str], str]] = [
            ("/mcp", key, ANNA),
            ("/mcp", {**key, "DRR_User": BEN.lower()}, BEN),
            ("/mcp", {**key, "DRR_Query": asked}, BEN),
            (f"/mcp/users/{ANNA}", key, ANNA),
            (f"/mcp/users/{BEN}", key, BEN),
            (f"/t/{token}/mcp", {}, ANNA),
            (f"/t/{token}/mcp/users/{BEN}", {}, BEN),
        ]
        await alone(http, f"/mcp/users/{BEN}", True, "update_user_profile", of={"city": "Troy"}, **key)
        for new in (True, False):
            for path, headers, user in ways:
                whose = (await alone(http, path, new, **headers))["result"]["_meta"]["data"]
                assert (whose["user_id"], whose["address"]["city"] == "Troy") == (user, user == BEN)
            assert (await alone(http, "/mcp", new))["error"] == "invalid_token"
            ghost = await alone(http, "/mcp", new, DRR_User="NOBODY", **key)
            assert "no user of the name" in ghost["error"]["message"]
        claimed = await alone(http, "/mcp", True, DRR_User="NOBODY", Mcp_Session_Id="x", **key)
        assert "no user of the name" in claimed["error"]["message"]
        async with client(f"http://127.0.0.1:{port}/t/{token}/mcp/users/{BEN}") as session:
            assert await _city(session) != "Troy", "a session is a client's own"
        head = {**key, "Content-Type": "application/json"}
        for wrong in (b"[", b"[]", b"7", b"[" * 100_000):
            for more in ({}, NEW):
                answer = await http.post("/mcp", content=wrong, headers={**head, **more})
                assert answer.status_code == 400 and answer.json()["error"]
        assert (await http.post("/mcp", content=b" " * (5 << 20), headers=key)).status_code == 413


@asynccontextmanager
async def here(server: ShopServer) -> AsyncIterator[str]:
    """The address of a server in this process."""
    listener = bind(0)
    app = ForUsers(server.http_app(), lambda name: name)
    serving = uvicorn.Server(
        uvicorn.Config(TokenGuard(app, TOKEN, by_address=True), log_level="warning", access_log=False)
    )
    running = asyncio.create_task(serving.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/t/{TOKEN}/mcp"
    finally:
        serving.should_exit = serving.force_exit = True
        await running


async def test_over_http_too_a_slow_call_says_how_long_so_far(shop: Shop, web: Sandbox) -> None:
    told: list[str | None] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    ctx = context_for(Session(shop, ANNA), web)
    slow = replace(ctx, world=ShopWorld(ctx.session, SlowWeb()))
    async with here(ShopServer(slow, pulse_s=0.03)) as address, client(address) as asking:
        for _ in range(20):  # the client's own stream opens in its own time
            await asking.call_tool("web_search", {"query": "birds"}, progress_callback=hear)
            if told:
                break
        async with httpx.AsyncClient(
            trust_env=False, timeout=30
        ) as http:  # without a stream nobody hears, and all is well
            for new in (True, False):
                found = await alone(http, address, new, "web_search", of={"query": "birds"})
                assert not found["result"]["isError"]
    assert told[0] == "web_search: 0 of at most 30 s"


@pytest.mark.parametrize("options", [["--queries", "q.jsonl"], ["--many-users"]])
def test_options_that_mean_nothing_are_refused(shop: Shop, options: list[str], drr: Drr) -> None:
    assert f"{options[0]}: only with --http" in drr.err("tools", "mcp", "--shop", shop.spec, *options)
