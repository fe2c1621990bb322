"""One MCP server under load over HTTP. Measured are calls a second of 8 clients and of 64 at once, with and without sessions, and what is refused."""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import sysconf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from drr.env.session import Session
from drr.env.settings import resolve
from drr.env.web.sandbox import Sandbox
from drr.tools.base import context_for

from benchmarks.results import record, table
from benchmarks.tools import asked_of, sample_shop

CLIENTS, SECONDS, EACH, MANY = 8, 10.0, 20, 64
Calls = Sequence[tuple[str, dict[str, Any]]]


class Refused(Exception):
    """Any answer but the one that was asked for."""


@dataclass
class Wire:
    """A client that spends next to nothing: one connection, HTTP/1.1 by hand. It takes JSON and event streams."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    head: str
    count: int = 0

    @classmethod
    async def connected(cls, port: int, token: str, head: str) -> Self:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
        known = (
            f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        )
        return cls(reader, writer, known + head)

    @classmethod
    async def open(cls, port: int, token: str, user: str | None) -> Self:
        takes = "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\n"
        self = await cls.connected(port, token, takes)
        about = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "wire", "version": "1"},
        }
        named = f"DRR-User: {user}\r\n" if user else ""
        self.head, named = self.head + named, self.head
        status, session, _ = await self.ask(
            "POST", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}
        )
        if status != 200:
            raise Refused(f"initialize: {status}")
        self.head = named + f"Mcp-Session-Id: {session}\r\n"
        await self.ask("POST", {"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    async def ask(self, method: str, message: Any = None) -> tuple[int, str, bytes]:
        body = b"" if message is None else json.dumps(message).encode()
        self.writer.write(
            f"{method} /mcp HTTP/1.1\r\n{self.head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        )
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        if "chunked" in fields.get("transfer-encoding", ""):
            answer = b""
            while size := int(await self.reader.readline(), 16):
                answer += (await self.reader.readexactly(size + 2))[:-2]
            await self.reader.readline()
        else:
            answer = await self.reader.readexactly(int(fields.get("content-length", "0")))
        return int(first.split()[1]), fields.get("mcp-session-id", ""), answer

    async def call(self, name: str, arguments: dict[str, Any]) -> None:
        self.count += 1
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": self.count, "method": "tools/call", "params": params}
        status, _, answer = await self.ask("POST", message)
        if status != 200 or b'"isError":true' in answer or b'"result"' not in answer:
            raise Refused(f"{name}: {status} {answer[:200]!r}")

    async def close(self) -> None:
        await self.ask("DELETE")
        self.writer.close()


class Alone(Wire):
    """The same client without a session: every call is whole, by revision 2026-07-28."""

    @classmethod
    async def open(cls, port: int, token: str, user: str | None) -> Self:
        takes = "Accept: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
        return await cls.connected(port, token, takes + (f"DRR-User: {user}\r\n" if user else ""))

    async def call(self, name: str, arguments: dict[str, Any]) -> None:
        self.count += 1
        about = "io.modelcontextprotocol/"
        meta = {f"{about}protocolVersion": "2026-07-28", f"{about}clientCapabilities": {}}
        params = {"name": name, "arguments": arguments, "_meta": meta}
        kept, self.head = self.head, f"{self.head}Mcp-Name: {name}\r\n"
        status, _, answer = await self.ask(
            "POST", {"jsonrpc": "2.0", "id": self.count, "method": "tools/call", "params": params}
        )
        self.head = kept
        if status != 200 or b'"isError":true' in answer or b'"result"' not in answer:
            raise Refused(f"{name}: {status} {answer[:200]!r}")

    async def close(self) -> None:
        self.writer.close()


class Official:
    """The client of the official SDK."""

    def __init__(self, client: Any) -> None:
        self._client = client

    @classmethod
    async def open(cls, port: int, token: str, user: str | None) -> Self:
        from mcp.client import Client
        from mcp.client.streamable_http import streamable_http_client
        from mcp.shared._httpx_utils import create_mcp_http_client

        headers = {"Authorization": f"Bearer {token}", **({"DRR-User": user} if user else {})}
        http = create_mcp_http_client(headers=headers)
        client = Client(
            streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http), mode="legacy"
        )
        return cls(await client.__aenter__())

    async def call(self, name: str, arguments: dict[str, Any]) -> None:
        if (result := await self._client.call_tool(name, arguments)).is_error:
            raise Refused(str(result))

    async def close(self) -> None:
        await self._client.__aexit__(None, None, None)


CLIENT: dict[str, Any] = {"wire": Wire, "alone": Alone, "official": Official}


async def steady(kind: Any, port: int, token: str, users: Sequence[str | None], calls: Calls) -> int:
    """Each client calls for some seconds, one call after the other."""

    async def one(k: int) -> int:
        client, done = await kind.open(port, token, users[k % len(users)]), 0
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            await client.call(*calls[(7 * k + done) % len(calls)])
            done += 1
        await client.close()
        return done

    return sum(await asyncio.gather(*(one(k) for k in range(CLIENTS))))


async def burst(kind: Any, port: int, token: str, users: Sequence[str | None], calls: Calls) -> int:
    """Many sessions at once, each of twenty calls; `Refused` if one is."""

    async def one(k: int) -> int:
        client = await kind.open(port, token, users[k % len(users)])
        for n in range(EACH):
            await client.call(*calls[(7 * k + n) % len(calls)])
        await client.close()
        return EACH

    return sum(await asyncio.gather(*(one(k) for k in range(MANY))))


@contextmanager
def serving(shop: str, user: str, *options: str) -> Iterator[tuple[int, str, int]]:
    """Port, token and process of a server of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    with TemporaryDirectory() as name:
        place = Path(name) / "token"
        command = [sys.executable, "-m", "drr.app.cli", "tools", "mcp", "--shop", shop, "--user", user]
        process = subprocess.Popen([*command, "--http", str(port), "--token-file", str(place), *options])
        try:
            while process.poll() is None:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.05)
            yield port, place.read_text().strip(), process.pid
        finally:
            process.terminate()
            process.wait()


def _spent(process: int) -> float:
    """Seconds of processor of it so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / sysconf("SC_CLK_TCK")


def _own() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _row(label: str, process: int, work: Callable[[], Awaitable[int]]) -> tuple[str, ...]:
    async def whole() -> int:
        return await work()

    server, own, start = _spent(process), _own(), time.perf_counter()
    done = asyncio.run(whole())
    took, server, own = time.perf_counter() - start, _spent(process) - server, _own() - own
    share = f"{own / (own + server):.0%}"
    return label, f"{done / took:.0f}", f"{server / done * 1000:.2f}", share


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", action="store_true", help="write it into RESULTS.md")
    parser.add_argument("--clients", default="wire,alone,official")
    parser.add_argument("--many", action="store_true", help="a user of its own for each client")
    given = parser.parse_args()
    settings = resolve().settings
    with sample_shop(settings) as shop:
        users = shop.store.sample_users(16, seed=7, min_orders=3)
        asked = asked_of(shop, context_for(Session(shop, users[0]), Sandbox([])), seed=5)
        calls = [(name, arguments) for name, arguments, _ in asked if name != "web_search"]
        if given.many:  # orders are their user's own
            calls = [one for one in calls if one[0] != "get_order_details"]
        rows = []
        with serving(shop.spec, users[0]) as (port, token, process):
            for name in given.clients.split(","):
                ready = (CLIENT[name], port, token, users if given.many else [None], calls)
                rows.append(_row(f"{CLIENTS} clients, {name}", process, lambda r=ready: steady(*r)))
                rows.append(_row(f"{MANY} at once, {name}", process, lambda r=ready: burst(*r)))
    header = ("who", "calls/s", "server ms/call", "clients' share")
    text = (
        "One server process over HTTP. `wire` is a client that spends next to nothing, `alone` the same without sessions, `official` the SDK's."
        f"\n\n{table(header, rows)}"
    )
    if given.keep:
        record("MCP server under load", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
