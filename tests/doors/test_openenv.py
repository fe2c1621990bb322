"""A server for OpenEnv: its client, its MCP and its validation see the episodes that the environment plays."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import URLError

import httpx
import pytest
import uvicorn
from drr.app.pages.serve import PatientProtocol, bind
from drr.app.training.episode import SUBMIT
from drr.tools.registry import TOOLS

from tests.doors.conftest import needed
from tests.doors.oracle import Trajectory
from tests.rays.conftest import free_port

pytestmark = pytest.mark.doors
PACKAGE = Path(__file__).parents[2] / "examples" / "openenv"
SERVER = [sys.executable, "-m", "drr.extras.openenv.server"]
TOKEN = "a-token-of-these-tests"
VARIABLE = "DRR_OPENENV_TOKEN"


@pytest.fixture(scope="module")
def server(shop: Path, web: Path) -> Iterator[str]:
    needed("openenv")
    port = free_port()
    command = [*SERVER, "--shop", str(shop), "--sandbox", str(web), "--port", str(port), "--sessions", "4"]
    with subprocess.Popen(command, env=os.environ | {VARIABLE: TOKEN}) as process:
        try:
            yield _awaited(f"http://127.0.0.1:{port}/t/{TOKEN}")
        finally:
            process.terminate()


def _awaited(address: str) -> str:
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=5):
                return address
        except URLError:
            time.sleep(0.1)
    raise TimeoutError(address)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer another-token-than-that"}, 401),
        ({"Authorization": f"Bearer {TOKEN}"}, 200),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "http://evil.example"}, 403),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "evil.example"}, 421),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "127.0.0.1:80@evil.example"}, 421),
    ],
)
def test_only_who_has_the_token_comes_in(server: str, headers: dict[str, str], status: int) -> None:
    """Any page of the web opened a session and read a shopper's orders."""
    bare = server.removesuffix(f"/t/{TOKEN}")
    assert httpx.get(f"{bare}/schema", headers=headers, trust_env=False).status_code == status
    upgrade = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "c2l4dGVlbiBsZXR0ZXJzIQ=="
    }  # fmt: skip
    with httpx.stream("GET", f"{bare}/ws", headers=headers | upgrade, trust_env=False) as reply:
        assert reply.status_code == (101 if status == 200 else 403)


def called(action: dict[str, Any]) -> dict[str, Any]:
    """The action as OpenEnv has it."""
    name, arguments = (action["tool"], action["arguments"]) if "tool" in action else (SUBMIT, action)
    return {"type": "call_tool", "tool_name": name, "arguments": arguments}


def client_of(server: str) -> Any:
    return needed("openenv").GenericEnvClient(base_url=server).sync()


def test_a_trajectory_is_paid_as_without_the_door(server: str, trajectories: list[Trajectory]) -> None:
    with client_of(server) as client, client_of(server) as other:
        for seed, actions, reward, components in trajectories:
            first = client.reset(seed=seed).observation
            assert first == other.reset(seed=seed).observation
            assert [tool["name"] for tool in first["tools"]] == [*TOOLS, SUBMIT]
            assert "1. " in first["question"] and SUBMIT in first["instructions"]
            *before, last = [client.step(called(action)) for action in actions]
            assert [(one.reward, one.done) for one in before] == [(0.0, False)] * len(before)
            assert all(one.observation["result"] for one in before)
            assert last.done and last.reward == pytest.approx(reward, abs=1e-9)
            assert last.metadata["components"] == components
            state = client.state()
            assert (state["step_count"], state["ending"]) == (len(actions), "answered")
            assert other.state()["step_count"] == 0


def asked(server: str, method: str, **params: Any) -> dict[str, Any]:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(f"{server}/mcp", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as reply:
        return dict(json.load(reply))


def test_tools_are_listed_and_called_over_mcp(server: str) -> None:
    listed = asked(server, "tools/list")["result"]["tools"]
    assert {one["name"]: one["input_schema"] for one in listed[:-1]} == {
        k: t.schema for k, t in TOOLS.items()
    }
    session = asked(server, "openenv/session/create")["result"]["session_id"]
    given = {"session_id": session, "name": "calculator", "arguments": {"expression": "6 * 7"}}
    assert "reset" in asked(server, "tools/call", **given)["error"]["message"]
    websocket = needed("websockets.sync.client")
    with websocket.connect(f"ws{server.removeprefix('http')}/ws?session_id={session}") as channel:
        channel.send(json.dumps({"type": "reset", "data": {"seed": 3}}))
        assert json.loads(channel.recv())["type"] == "observation"
        answer = asked(server, "tools/call", **given)["result"]
        assert "42" in answer["result"] and answer["done"] is False
        channel.send(json.dumps({"type": "state"}))
        assert json.loads(channel.recv())["data"]["step_count"] == 1
    assert asked(server, "openenv/session/close", session_id=session)["result"]["closed"]


class Here:
    """Where OpenEnv's validation finds a subject that runs already, in the place of a container of Docker."""

    name = "here"
    supported_network_modes = frozenset({"public"})

    def __init__(self, address: str) -> None:
        self.base_url = address
        self.capabilities = frozenset({needed("openenv.validation.types").ProviderCapability.IMAGE_BUILD})

    def build(self, root: Path, execution: Any) -> str:
        assert (root / execution.dockerfile).is_file()
        return f"sha256:{'0' * 64}"

    def start(self, spec: Any) -> Here:
        return self

    def inspect(self) -> dict[str, Any]:
        return {}

    def stop(self) -> None:
        """It is the fixture's."""


def test_what_openenv_can_validate_here_is_valid(server: str, tmp_path: Path) -> None:
    validation = needed("openenv.validation")
    package = shutil.copytree(PACKAGE, tmp_path / "package")
    told = (package / "openenv.yaml").read_text()
    (package / "openenv.yaml").write_text(
        told.replace("mode: no-network", "mode: public")
    )  # Docker alone cuts it
    report = validation.run_validation(package, max_level=validation.Level.RUNTIME, provider=Here(server))
    found = {one.check_id: (one.status.value, one.evidence) for one in report.results}
    held = ("static.manifest", "runtime.startup", "runtime.reward_well_formed", "runtime.observation_schema", "runtime.state_contract")  # fmt: skip
    assert {name: found.pop(name)[0] for name in held} == dict.fromkeys(held, "pass"), found
    assert {status for status, _ in found.values()} == {"skip"}
    openenv = [sys.executable, "-m", "openenv.cli", "validate"]
    for words in (["--url", server], [str(PACKAGE), "--level", "static"]):
        assert "Verdict: PASS" in subprocess.run([*openenv, *words], capture_output=True, text=True).stdout


def test_idle_sockets_make_room(shop: Path) -> None:
    """Four that said nothing filled it."""

    class Hasty(PatientProtocol):
        """Waits less for a request than the server for a word over a socket."""

        seconds = 0.5

    app = needed("drr.extras.openenv.server").shop_application(TOKEN, 2, 2.0, shop=str(shop))
    connect, listener = needed("websockets.sync.client").connect, bind(0)
    running = uvicorn.Server(uvicorn.Config(app, log_level="warning", http=Hasty))
    thread = Thread(target=running.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        address = f"ws://127.0.0.1:{listener.getsockname()[1]}/t/{TOKEN}/ws"
        with connect(address) as one, connect(address) as two, connect(address) as third:
            assert "CAPACITY_REACHED" in third.recv()
            for idle in (one, two):
                with pytest.raises(needed("websockets.exceptions").ConnectionClosed):
                    idle.recv(timeout=60)
        with connect(address) as late:
            late.send(json.dumps({"type": "reset", "data": {"seed": 3}}))
            assert json.loads(late.recv())["type"] == "observation"
            time.sleep(1)
            late.send(json.dumps({"type": "state"}))
            assert json.loads(late.recv())["data"]["query_id"]
    finally:
        running.should_exit = True
        thread.join()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--shop", "none"], "none"),
        (["--shop", ".", "--sessions", "0"], "--sessions"),
        (["--shop", ".", "--host", "0.0.0.0"], VARIABLE),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, words: list[str], named: str) -> None:
    needed("openenv")
    done = subprocess.run([*SERVER, *words], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert named in done.stderr
