"""A study whose actors, nodes and driver are killed: `python -m tests.rays.campaign FOLDER KILLS SEED [free]`. Prints what it saw as JSON.

The cluster outlives every driver; each unit leaves a line when it is begun, with the process it was begun in; a server counts the calls.
With `free` no unit calls a server, and units lie with workers in stock, so that kills come in the middle of what was handed over at once.
Which count is not as it must be stands on standard error, with what was expected, and the exit code is 1.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from drr.extras.ray.pool import RayPool
from drr.study.pools import PoolOrder
from drr.study.run import run
from drr.study.study import Study
from drr.study.unit import Outcome
from drr.study.worker import Context, Opening, Workplace

from tests.rays.nodes import ROOT, add_node, begin_head
from tests.study.plain import answer, logged, offline, units
from tests.study.test_admission import models
from tests.wire import Request, Say, Wire

WORKERS, EACH = 2, 6
UNITS_PER_KILL = 40
PAUSE_S = 0.05
CALLS = 2


@contextmanager
def opened(config: Mapping[str, Any]) -> Iterator[Workplace]:
    """Two calls a unit over the wire, each answer kept as it comes; without a server rules answer."""
    url = config["url"]
    begin = logged(Path(config["begun"]), 0.0 if url else PAUSE_S, work=answer)

    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        context.replaying()
        outcome: Outcome = await begin(spec, context)
        return outcome

    yield Workplace(work, models(url) if url else offline())


def opening(begun: Path, url: str) -> Opening:
    return Opening("tests.rays.campaign:opened", {"begun": str(begun), "url": url})


def says(request: Request) -> Say:
    """What was asked, after a while."""
    time.sleep(PAUSE_S)
    return Say(
        f"answer to {request.body['messages'][-1]['content']}", usage={"input_tokens": 9, "output_tokens": 5}
    )


def drive(folder: Path, begun: Path, count: int, url: str) -> None:
    """One driver; it may be killed."""
    pool = RayPool(PoolOrder(opening(begun, url), WORKERS, EACH, WORKERS * EACH, free=not url))
    with Study.open(folder) as study:
        summary = asyncio.run(run(study, units(count), pool))
    if summary.left or summary.failures:
        raise SystemExit(f"{summary.left} left, {summary.failures}, {summary.stopped}")


class Campaign:
    def __init__(self, folder: Path, kills: int, seed: int, wire: Wire | None) -> None:
        from ray.cluster_utils import Cluster

        self.wire = wire
        self.folder, self.begun = folder, folder.with_suffix(".begun")
        self.chance = random.Random(seed)
        self.count = kills * UNITS_PER_KILL
        self.kinds = ["actor", "node", "driver"] * -(-kills // 3)
        self.cluster = begin_head(Cluster)
        self.cluster.caches = folder.parent
        for _ in range(WORKERS):
            add_node(self.cluster)
        self.known: dict[str, str] = {}
        self.lost = self.changed = self.doubled = self.read = 0
        self.driver = self._drive()

    def _drive(self) -> subprocess.Popen[bytes]:
        url = "" if self.wire is None else self.wire.url
        words = [sys.executable, "-m", "tests.rays.campaign", "drive", self.folder, self.begun]
        words += [str(self.count), url]
        environment = {**os.environ, "RAY_ADDRESS": self.cluster.address, "PYTHONPATH": ROOT}
        return subprocess.Popen(words, env=environment, stdout=sys.stderr)

    def go(self, kills: int) -> dict[str, Any]:
        done = 0
        for kind in self.kinds[:kills]:
            self._wait(int((done + self.chance.uniform(0.2, 0.9)) * UNITS_PER_KILL))
            getattr(self, f"_kill_{kind}")()
            done += 1
            self._look()
        if (ended := self.driver.wait(300)) != 0:
            raise SystemExit(f"the last driver ended with {ended}")
        self._look()
        self.cluster.shutdown()
        told = {"units": len(self.known), "killed": done, "lost": self.lost, "changed": self.changed}
        told["calls"] = None if self.wire is None else len(self.wire.requests)
        return {**told, "doubled": self.doubled, "begun": self.read, "in_flight": WORKERS * EACH}

    def _wait(self, finished: int) -> None:
        deadline = time.monotonic() + 120
        while self._finished() < finished and time.monotonic() < deadline:
            if self.driver.poll() is not None:
                raise SystemExit(f"the driver ended with {self.driver.returncode}")
            time.sleep(0.05)

    def _finished(self) -> int:
        with Study.open(self.folder, read_only=True) as study:
            return len(
                study.ledger.units.settled_among([u.key for u in units(self.count)], retry_failed=False)
            )

    def _kill_actor(self) -> None:
        workers = {int(line.split()[1]) for line in self.begun.read_text().splitlines()[-WORKERS * EACH :]}
        with suppress(ProcessLookupError):
            os.kill(self.chance.choice(sorted(workers)), signal.SIGKILL)

    def _kill_node(self) -> None:
        self.cluster.remove_node(self.chance.choice(sorted(self.cluster.worker_nodes, key=id)), False)
        add_node(self.cluster)

    def _kill_driver(self) -> None:
        self.driver.kill()
        self.driver.wait()
        self.driver = self._drive()

    def _look(self) -> None:
        """What was finished before is as it was, and was not begun again."""
        lines = self.begun.read_text().splitlines()
        self.doubled += sum(line.split()[0] in self.known for line in lines[self.read :])
        with Study.open(self.folder, read_only=True) as study:
            now = {
                r.key: json.dumps([r.status, r.result, dict(r.blobs), r.attempts])
                for r in study.records(status=None)
            }
        self.lost += len(self.known.keys() - now.keys())
        self.changed += sum(now.get(key) != value for key, value in self.known.items())
        self.known = now
        self.read = len(self.begun.read_text().splitlines())  # what began meanwhile may be among them already


def wrong(told: Mapping[str, Any], kills: int) -> list[str]:
    """Every count that is not as it must be, with what was expected and what was seen."""
    again = kills * told["in_flight"]
    exact = {"killed": kills, "lost": 0, "changed": 0}
    most: dict[str, int] = {}
    if (
        told["calls"] is not None
    ):  # free units may be begun again where a worker outlives its driver for a moment
        exact["doubled"] = 0
        most = {"begun": told["units"] + again, "calls": CALLS * told["units"] + again}
    found = [f"{name}: expected {n}, got {told[name]}" for name, n in exact.items() if told[name] != n]
    return found + [
        f"{name}: expected at most {n:,}, got {told[name]:,}" for name, n in most.items() if told[name] > n
    ]


def main(folder: Path, kills: int, seed: int, *, free: bool) -> None:
    Study.create(folder, {}).close()
    folder.with_suffix(".begun").touch()
    with nullcontext() if free else Wire(says) as wire:
        told = Campaign(folder, kills, seed, wire).go(kills)
    print(json.dumps(told))
    if failed := wrong(told, kills):
        raise SystemExit("; ".join(failed))


if __name__ == "__main__":
    if sys.argv[1] == "drive":
        drive(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    else:
        main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), free=sys.argv[4:] == ["free"])
