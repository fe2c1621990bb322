"""A web server on loopback that does whatever a route says, byte by byte, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from drr.env.web.live import Trafilatura

_PARAGRAPHS = (
    "A ramp for an old dog rises no more than eighteen degrees, and its surface is rough enough to hold wet paws.",
    "Measure the height of the car before you choose the length of the ramp; a long ramp is a gentle ramp.",
    "Dogs with sore joints need wider steps, and a rail helps them to trust the ramp in the first week.",
)
ARTICLE = (
    "<html><head><title>Dog ramps</title></head><body><article><h1>Dog ramps</h1>"
    + "".join(f"<p>{text}</p>" for text in _PARAGRAPHS)
    + "</article></body></html>"
)

READER = Trafilatura()
"""One for all tests of a process: each starts a process of its own."""

Route = Callable[[asyncio.StreamWriter], Awaitable[None]]


def reply(
    body: bytes | str, content_type: str = "text/html; charset=utf-8", status: str = "200 OK", **headers: str
) -> Route:
    content = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}"]
    lines += [f"Content-Type: {content_type}"] if content_type else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    head = "\r\n".join(lines).encode() + b"\r\n\r\n"

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(head + content)

    return send


def redirect(to: str, status: str = "302 Found") -> Route:
    return reply("", status=status, Location=to)


@dataclass
class Site:
    port: int = 0
    routes: dict[str, Route] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Path and headers, in the order of arrival."""
    at_once: int = 0
    most_at_once: int = 0

    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]

    def url(self, path: str, host: str = "site.example", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            path = head[0].split(" ")[1]
            self.requests.append((path, dict(line.split(": ", 1) for line in head[1:] if line)))
            route = self.routes.get(path.partition("?")[0], reply("", status="404 Not Found"))
            await route(writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass
        finally:
            self.at_once -= 1
            writer.close()


@asynccontextmanager
async def serving(context: ssl.SSLContext | None = None) -> AsyncIterator[Site]:
    site = Site()
    server = await asyncio.start_server(site.answer, "127.0.0.1", 0, ssl=context)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()


async def to_loopback(host: str, port: int) -> list[str]:
    """Every name is this machine."""
    return ["127.0.0.1"]
