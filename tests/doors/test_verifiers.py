"""verifiers plays a shop's questions by its own command, and pays what the environment pays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from drr.app.training.episode import SUBMIT, briefing
from drr.tools.registry import TOOLS

from tests.doors.conftest import needed
from tests.doors.oracle import Recorded, Trajectory
from tests.wire import Request, Say, Wire

pytestmark = pytest.mark.doors


@pytest.fixture(scope="module")
def played(own: Recorded, trajectories: list[Trajectory]) -> dict[str, Trajectory]:
    """Trajectories by what an agent is told first; the last report is a message, without a form."""
    *right, whole, _ = trajectories
    *calls, last = whole.actions
    plain = own.paid(whole.seed, [*calls, {"report": last["report"]}])
    assert 0 < plain.reward < whole.reward
    return {briefing(own.reset(seed=one.seed)): one for one in (*right, plain)}


@pytest.fixture(scope="module")
def traces(
    played: dict[str, Trajectory], shop: Path, web: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    needed("verifiers.v1")
    place = tmp_path_factory.mktemp("rollouts")

    def model(request: Request) -> Say:
        messages = request.body["messages"]
        told = next(one["content"] for one in messages if one["role"] == "user")
        trajectory = next(one for brief, one in played.items() if brief in json.dumps(told) or brief in told)
        action = trajectory.actions[sum(one["role"] == "assistant" for one in messages)]
        if "tool" in action:
            return Say(calls=[(action["tool"], action["arguments"])])
        return Say(action["report"]) if "form" not in action else Say(calls=[(SUBMIT, action)])

    with Wire(model) as wire:
        yield wire, _evaluated(place, wire.url, shop, web, [one.seed for one in played.values()])


def _evaluated(place: Path, url: str, shop: Path, web: Path, seeds: list[int]) -> list[dict[str, Any]]:
    """The traces that `vf-eval` leaves of these seeds."""
    words = {
        "--env.taskset.shop": shop,
        "--env.taskset.sandbox": web,
        "--env.agent.harness.id": "null",
        "--env.agent.runtime.type": "subprocess",
        "--client.base-url": f"{url}/v1",
        "--client.api-key-var": "KEY_OF_NOBODY",
        "--model": "scripted",
        "--select.include.idx": json.dumps(seeds),
        "--max-concurrent": 2,
        "--output-dir": place,
        "--run.dir": "run",
    }
    command = [Path(sys.executable).with_name("vf-eval"), "drr-retail", "--no-push", "--no-rich"]
    options = [str(word) for pair in words.items() for word in pair]
    beside = {"KEY_OF_NOBODY": "none", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run([*command, *options], cwd=place, env={**os.environ, **beside}, capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, (done.stdout[-2_000:], done.stderr[-4_000:])
    lines = (place / "run" / "traces.jsonl").read_text().splitlines()
    return [json.loads(line)["traces"][0] for line in lines]


def test_a_trajectory_is_paid_as_without_the_door(traces: Any, played: dict[str, Trajectory]) -> None:
    wire, left = traces
    found = {trace["task"]["data"]["seed"]: trace for trace in left}
    assert found.keys() == {one.seed for one in played.values()}
    for seed, actions, reward, components in played.values():
        trace = found[seed]
        assert trace["ok"] and not trace["errors"]
        assert trace["rewards"]["retail"]["score"] == pytest.approx(reward, abs=1e-9)
        assert trace["metrics"] == {name: one for name, one in components.items() if one is not None}
        assert trace["info"]["drr"]["components"] == components
        assert trace["info"]["drr"]["step"] == len(actions)
    offered = [tool["function"] for tool in wire.requests[0].body["tools"]]
    assert {one["name"]: one["parameters"] for one in offered[:-1]} == {k: t.schema for k, t in TOOLS.items()}
    assert offered[-1]["name"] == SUBMIT
    truth = ("products", "plan", "axes", "checkable")
    assert not [name for name in truth for trace in left if f'"{name}"' in json.dumps(trace["task"])]
