"""The judging of 1,300 reports by one node and by two, for `benchmarks/rays.py`. It is by rules, and by a judge that one waits for.

By rules a unit takes milliseconds of a processor, so driver and nodes share what processors there are: beside the figure stands what
two nodes could reach at most, were all processors busy from start to end with what was computed. The other judge answers over the wire
of this machine, each time after `ANSWER_S`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from drr.app.cli import main as drr

from benchmarks.viewer import rows as reports
from tests.eval.nursery import Judge
from tests.wire import Request, Wire

REPORTS = 1_300
ANSWER_S = 0.2
WAITING = 16
"""Calls in flight in each node."""
KEY = {"ANTHROPIC_API_KEY": "sk-test-0123456789abcdef"}
"""The nodes of the cluster have it from their own environment."""
_TICK = os.sysconf("SC_CLK_TCK")


class Took(NamedTuple):
    """Seconds of one judging."""

    wall: float
    driver: float
    """Of a processor, by this process."""
    machine: float
    """Of a processor, by everything on this machine."""

    def __str__(self) -> str:
        return f"{self.wall:.0f} s (driver {self.driver:.0f} s of a processor, all {self.machine:.0f} s)"


def by_rules() -> list[tuple[str, ...]]:
    took = _each(["--what", "faithfulness,quality", "--units-per-worker", "8"])
    bound = took[0].wall * (os.cpu_count() or 1) / took[1].machine
    how = f"one node {took[0]}, two nodes {took[1]}; with all processors always busy {bound:.2f} x"
    return [(f"judging of {REPORTS:,} reports on two nodes, by rules", _ratio(took), how)]


def waited_for() -> list[tuple[str, ...]]:
    def late(task: str, request: Request) -> None:
        time.sleep(ANSWER_S)

    with Wire(Judge(instead=late)) as wire:
        words = ["--judge", "anthropic:claude-sonnet-5-5", "--base-url", wire.url, "--concurrency", "100"]
        took = _each(["--what", "quality", *words, "--units-per-worker", str(WAITING)])
        calls = len(wire.requests)
    how = f"{calls // 2:,} calls of {ANSWER_S:g} s, {WAITING} at once in each node: one node {took[0]}, two nodes {took[1]}"
    return [(f"judging of {REPORTS:,} reports on two nodes, a judge that one waits for", _ratio(took), how)]


def _each(words: Sequence[str]) -> list[Took]:
    """Measure by one node, and by two. The beginning of the workers, planning and the tables at the end are included."""
    home = Path(tempfile.mkdtemp(prefix="rays-"))
    try:
        (home / "reports.jsonl").write_text("\n".join(reports(REPORTS)) + "\n", encoding="utf-8")
        assert drr(["study", "import", str(home / "base"), str(home / "reports.jsonl"), "--quiet"]) == 0
        took = []
        for nodes in (1, 2):
            study = shutil.copytree(home / "base", home / f"study-{nodes}")
            pool = ["--pool", "ray", "--workers", str(nodes), "--quiet"]
            began, driver, machine = time.monotonic(), time.process_time(), _busy_s()
            assert drr(["judge", str(study), *words, *pool]) == 0
            took.append(Took(time.monotonic() - began, time.process_time() - driver, _busy_s() - machine))
        return took
    finally:
        shutil.rmtree(home)


def _busy_s() -> float:
    """Return the busy seconds of all processors since this machine began: user, nice, system and the interrupts."""
    user, nice, system, _, _, irq, soft, *_ = map(
        int, Path("/proc/stat").read_text().split("\n")[0].split()[1:]
    )
    return (user + nice + system + irq + soft) / _TICK


def _ratio(took: Sequence[Took]) -> str:
    return f"{took[0].wall / took[1].wall:.2f} x one"
