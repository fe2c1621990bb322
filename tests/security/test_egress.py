"""A run speaks with the hosts that somebody named, and with no other, whatever else the environment says; it waits for nobody for ever.

Every process has an audit hook of Python (`witness/sitecustomize.py`) that writes down what it connects to and which names it looks up.
Where this machine allows it the run has a network namespace of its own besides, with nothing but its loopback: what no hook hears of
reaches nobody there.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
import uvicorn
from drr.app.pages.serve import SECONDS, PatientProtocol, bind
from drr.llm.calls import no_proxy_for_this_machine
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tests.cases import cases
from tests.wire import Say, Wire

ROOT = Path(__file__).parents[2]
HOSTILE = "http://127.0.0.1:9"
"""Where nobody listens: a connection there is heard of all the same."""
ENVIRONMENT = cases("security", "ENVIRONMENT")


class ReviewTotals(NamedTuple):
    code: int
    err: str
    connections: set[str]
    """`host port` of each connection and of each name that was looked up."""


@cache
def own_network() -> tuple[str, ...]:
    """Words before a command that give it a network of its own, where this machine allows it."""
    try:
        tried = subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False)
    except OSError:
        return ()
    return ("unshare", "-rn") if tried.returncode == 0 else ()


LOOPBACK_UP = """
import fcntl, socket, struct
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH", b"lo", 0x1 | 0x40))
"""


def heard(code: str, words: list[str], folder: Path, *, alone: bool) -> ReviewTotals:
    """What a program of ours connects to; `alone`: in a network of its own, if there may be one."""
    log = folder / "connections"
    log.touch()
    environment = {
        **ENVIRONMENT, "PATH": os.environ["PATH"], "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"),
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent / "witness"), str(ROOT)]), "DRR_TESTS_CONNECTIONS": str(log),
    }  # fmt: skip
    before = own_network() if alone else ()
    done = subprocess.run(
        [*before, sys.executable, "-c", (LOOPBACK_UP if before else "") + code, *words],
        capture_output=True, text=True, env=environment, cwd=folder, timeout=580, check=False,
    )  # fmt: skip
    lines = log.read_text(encoding="utf-8").splitlines()
    return ReviewTotals(done.returncode, done.stderr, {line.split(" ", 1)[1] for line in lines})


WITNESSED = """
import socket
for family, address in ((socket.AF_INET, ("127.0.0.1", 9)), (socket.AF_INET6, ("::1", 9))):
    with socket.socket(family) as one:
        one.connect_ex(address)
try:
    socket.getaddrinfo("name.invalid", 443)
except OSError:
    pass
import subprocess, sys
subprocess.run([sys.executable, "-c", "import socket; socket.socket().connect_ex(('127.0.0.2', 9))"])
"""


def test_the_witness_hears_of_connections_names_and_children(tmp_path: Path) -> None:
    found = heard(WITNESSED, [], tmp_path, alone=True)
    assert found.connections == {"127.0.0.1 9", "::1 9", "name.invalid 443", "127.0.0.2 9"}


OFFLINE = """
import sys
from drr.app.cli import main
words = sys.argv[1:]
assert main(['run', *words, '--quiet']) == 0
assert main(['run', words[0], '--trials', '2', '--quiet']) == 0
assert main(['judge', words[0], '--quiet']) == 0
for command in (['report', words[0], '--out', 'report'], ['view', words[0], '--static', 'pages'], ['export', words[0], '--out', 'tables']):
    assert main(command) == 0
from langchain_core.tracers.langchain import wait_for_all_tracers
wait_for_all_tracers()
"""


@pytest.mark.endurance
def test_a_study_without_models_speaks_with_nobody(new: Callable[..., list[str]], tmp_path: Path) -> None:
    found = heard(OFFLINE, new("react,plan-to-function+ws"), tmp_path, alone=True)
    assert found.code == 0, found.err[-2000:]
    assert found.connections == set()


ON_THE_WIRE = """
import sys
from drr.app.cli import main
words, address = sys.argv[1:-2], sys.argv[-2]
model = ['--base-url', address, '--model-deadline', '20', '--quiet']
assert main(['run', *words, '--quiet']) == 0
assert main(['run', 'live', *words[1:], '--model', 'openai:mine', *model]) in (0, 1)
if 'judge' in sys.argv:
    assert main(['judge', 'live', '--what', 'quality', '--limit', '2', '--judge', 'openai:mine', *model]) in (0, 1)
from langchain_core.tracers.langchain import wait_for_all_tracers
wait_for_all_tracers()
"""


@pytest.mark.parametrize("further", ["nothing", pytest.param("judge", marks=pytest.mark.endurance)])
@pytest.mark.long
def test_a_study_speaks_with_its_model(new: Callable[..., list[str]], tmp_path: Path, further: str) -> None:
    with Wire(lambda request: Say("Nothing was found, see http://elsewhere.example/page.")) as model:
        found = heard(ON_THE_WIRE, [*new(), f"{model.url}/v1", further], tmp_path, alone=False)
        assert found.code == 0, found.err[-2000:]
        assert model.requests
        assert found.connections == {model.url.removeprefix("http://").replace(":", " ")}


@pytest.mark.endurance
def test_the_demo_speaks_with_nobody(tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from drr.app.commands.demo import demo; sys.exit(demo(Path('demo')))"
    found = heard(code, [], tmp_path, alone=True)
    assert found.code == 0, found.err[-2000:]
    assert found.connections == set()


EMBEDDER = """
import sys
from drr.env.embedding import embedder_of
from drr.env.settings import resolve
settings = resolve({"model_embedder": "openai:mine", "base_url": sys.argv[1]}).settings
embedder_of(settings).embed(["feeder"])
"""


@pytest.mark.long
def test_no_proxy_stands_between_us_and_an_embedder_of_this_machine(tmp_path: Path) -> None:
    with Wire(lambda request: Say("no vectors")) as model:
        found = heard(EMBEDDER, [model.url], tmp_path, alone=False)
        assert "embedder at" in found.err, found.err[-2000:]
        assert found.connections == {model.url.removeprefix("http://").replace(":", " ")}


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "http://localhost:9/v1", "http://[::1]:9"])
def test_the_environment_names_this_machine(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import httpx

    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, HOSTILE)
    monkeypatch.setenv("NO_PROXY", "mine.example")
    monkeypatch.setenv("no_proxy", "mine.example")
    no_proxy_for_this_machine(address)
    with httpx.Client() as client:
        own = client._transport_for_url(httpx.URL(address))
        assert own is client._transport
        assert client._transport_for_url(httpx.URL("http://other.example")) is not client._transport
        assert client._transport_for_url(httpx.URL("http://mine.example")) is client._transport
    assert json.dumps(os.environ["NO_PROXY"]).startswith('"mine.example,')


@pytest.mark.parametrize("small", ["", ",", "mine.example"])
def test_an_empty_word_in_small_letters_lets_no_proxy_in(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`no_proxy` stands over `NO_PROXY`, and an empty one takes it away."""
    import httpx

    monkeypatch.setenv("ALL_PROXY", HOSTILE)
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", small)
    no_proxy_for_this_machine("http://127.0.0.1:9")
    with httpx.Client() as client:
        assert client._transport_for_url(httpx.URL("http://127.0.0.1:9")) is client._transport


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
    *(b"", b"G"),
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


async def test_slow_and_stubborn_readers_are_dropped() -> None:
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
    async with serving() as (server, port):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
            async with asyncio.timeout(30):
                while not server.server_state.connections:
                    await asyncio.sleep(0.01)
                while server.server_state.connections:
                    await asyncio.sleep(0.01)
    async with serving() as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for size in (0, 7, 100_000):
            writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % size + b"a" * size)
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200")
            (length,) = re.findall(rb"(?i)content-length: *(\d+)", head)
            assert await reader.readexactly(int(length)) == str(size).encode()
        writer.close()
    assert SECONDS == PatientProtocol.seconds == 30
