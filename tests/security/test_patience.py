"""Half a request holds no connection of our servers for ever, however slowly it drips, and a whole one is answered as before."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from drr.app.pages.serve import SECONDS, PatientProtocol, bind
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route


class Hasty(PatientProtocol):
    seconds = 0.2


async def _size(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def _large(request: Request) -> Response:
    return PlainTextResponse("a" * 30_000_000)


@asynccontextmanager
async def serving() -> AsyncIterator[tuple[uvicorn.Server, int]]:
    listener = bind(0)
    routes = [Route("/", _size, methods=["GET", "POST"]), Route("/large", _large)]
    config = uvicorn.Config(Starlette(routes=routes), http=Hasty, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield server, listener.getsockname()[1]
    finally:
        server.should_exit = True
        await task


async def _closed(reader: asyncio.StreamReader, answer: list[bytes] | None = None) -> bool:
    """Whether the server ends the connection, however long this machine takes for it."""
    try:
        async with asyncio.timeout(30):
            while data := await reader.read(65536):
                if answer is not None:
                    answer.append(data)
    except ConnectionError:
        return True
    return True


HALVES = [
    b"",
    b"G",
    b"GET / HTTP/1.1\r\nHost: a\r\nX: ",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345",
    b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HT",
]


@pytest.mark.long
@pytest.mark.parametrize("half", HALVES)
async def test_half_a_request_is_dropped(half: bytes) -> None:
    async with serving() as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(half)
        assert await _closed(reader)
        writer.close()


async def test_bytes_that_drip_buy_no_time() -> None:
    async with serving() as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)

        async def drip() -> None:
            writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nX: ")
            while not writer.is_closing():
                writer.write(b"a")
                await asyncio.sleep(0.02)

        task = asyncio.create_task(drip())
        assert await _closed(reader)
        task.cancel()


async def test_who_takes_nothing_of_the_answer_is_dropped() -> None:
    async with serving() as (server, port):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
            async with asyncio.timeout(30):
                while not server.server_state.connections:
                    await asyncio.sleep(0.01)
                while server.server_state.connections:
                    await asyncio.sleep(0.01)


async def test_whole_requests_are_answered_one_after_the_other() -> None:
    async with serving() as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for size in (0, 7, 100_000):
            writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % size + b"a" * size)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200")
            length = int(
                next(
                    line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
                ).split(b":")[1]
            )
            assert await reader.readexactly(length) == str(size).encode()
        writer.close()


def test_our_servers_wait_half_a_minute() -> None:
    assert SECONDS == PatientProtocol.seconds == 30
