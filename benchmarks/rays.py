"""Ray as a pool, on a cluster of two nodes on this machine: what a unit costs beside one process, many in flight, and where the driver ends.

`python -m benchmarks.rays [overhead|flight|driver ...]` in the environment of `make test-ray`; all of them without words. The machine's
load stands beside every figure: on two cores that others use too, only ratios within one run say anything, and those only roughly.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from drr.study.pool import InProcessPool, Pool, PoolOrder, Terms
from drr.study.run import run
from drr.study.study import Study
from drr.study.unit import Assignment, Finished, Outcome, Unit
from drr.study.worker import Context, Opening, Workplace

from benchmarks.results import record, table
from tests.study.plain import answer, offline, units

Row = tuple[str, ...]
LATENCY_S = 2.0


@contextmanager
def opened(config: Mapping[str, Any]) -> Iterator[Workplace]:
    """`waits` of two seconds one after another, in place of calls, which cost a processor a millisecond each; without them the tests' work."""

    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        for _ in range(config["waits"]):
            await asyncio.sleep(LATENCY_S)
        return Outcome({"n": spec["n"]}, {"report": f"report {spec['n']}"})

    yield Workplace(work if "waits" in config else answer, offline())


def rays(workers: int, each: int, **config: Any) -> Pool:
    from drr.study.ray_pool import RayPool

    return RayPool(PoolOrder(Opening("benchmarks.rays:opened", config), workers, each, 10_000))


def alone(each: int, **config: Any) -> Pool:
    return InProcessPool.of_opening(Opening("benchmarks.rays:opened", config), each)


async def seconds(pool: Pool, asked: list[Unit]) -> float:
    folder = Path(tempfile.mkdtemp(prefix="rays-"))
    try:
        with Study.create(folder / "study", {}) as study:
            began = time.monotonic()
            summary = await run(study, asked, pool)
            assert summary.done == len(asked), summary
            return time.monotonic() - began
    finally:
        shutil.rmtree(folder)


async def overhead() -> list[Row]:
    """Workers begin beforehand: what remains is what a unit's way there and back costs."""
    count, pool = 1_000, rays(2, 8)
    await seconds(pool, units(16))
    there = await seconds(pool, units(count)) - await seconds(pool, units(1))
    here = await seconds(alone(16), units(count))
    return [
        (
            "overhead of a unit",
            f"{1000 * (there - here) / count:.1f} ms",
            f"{count} units, no latency; one process {1000 * here / count:.1f} ms, two nodes {1000 * there / count:.1f} ms",
        )
    ]


async def flight() -> list[Row]:
    """From the first unit to the last record, with the cluster and the workers begun in that time."""
    count, waits, pool = 2_000, 10, rays(2, 1_000, waits=10)
    took = await seconds(pool, units(count))
    ideal = waits * LATENCY_S
    return [
        (
            "2,000 units in flight over two nodes",
            f"{took / ideal:.2f} x ideal",
            f"{waits} waits of {LATENCY_S:g} s each: {took:.1f} s, ideal {ideal:.0f} s",
        )
    ]


class Crowd:
    """A thousand workers that answer after a while, so that all that is at work is the driver: claims, messages, commits."""

    def __init__(self, finished: Callable[[str], Finished], workers: int, each: int, latency: float) -> None:
        self.size = workers * each
        self._finished, self._latency = finished, latency
        self._over = False

    async def run(self, handed: AsyncIterator[Assignment], terms: Terms) -> AsyncGenerator[Finished, None]:
        ended: asyncio.Queue[Finished | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        begun = done = 0
        fed = False

        async def feed() -> None:
            nonlocal begun, fed
            async for assignment in handed:
                begun += 1
                loop.call_later(self._latency, ended.put_nowait, self._finished(assignment.unit.key))
            fed = True
            ended.put_nowait(None)

        feeding = asyncio.create_task(feed())
        while not (fed and done == begun):
            one = await ended.get()
            if one is not None:
                done += 1
                yield one
        await feeding

    def cancel(self) -> None:
        self._over = True


async def driver() -> list[Row]:
    rows = []
    for texts in (0, 1, 4):

        def finished(key: str, texts: int = texts) -> Finished:
            content = {f"text-{n}": f"{key} {n} ".encode() * 20 for n in range(texts)}
            now = time.time()
            return Finished(key, "done", None, None, False, {"words": 1}, content, {}, 0, 1.0, now, now)

        count, busy = 3_000, time.process_time()
        took = await seconds(Crowd(finished, 1_000, 1, 1.0), units(count))
        busy = time.process_time() - busy
        rows.append(
            (
                f"records a second, {texts} texts each",
                f"{count / (took - 1.0):.0f} seen, {count / busy:.0f} of processor time",
                f"1,000 workers that answer after 1 s, {count:,} units, one driver",
            )
        )
    return rows


PARTS = {"overhead": overhead, "flight": flight, "driver": driver}


def main(names: list[str]) -> None:
    from tests.rays.conftest import LOOPBACK_AND_QUICK
    from tests.rays.nodes import add_node, begin_head

    rows: list[tuple[str, ...]] = []
    cluster = None
    if set(names) != {"driver"}:
        os.environ.update(LOOPBACK_AND_QUICK)
        from ray.cluster_utils import Cluster

        cluster = begin_head(Cluster)
        for _ in range(2):
            add_node(cluster)
        os.environ["RAY_ADDRESS"] = cluster.address
    for name in names:
        load = os.getloadavg()[0]
        for row in asyncio.run(PARTS[name]()):
            rows.append((*row, f"{load:.0f}"))
            print(*rows[-1], sep="; ", flush=True)
    if set(names) == set(PARTS):
        record("Ray as a pool", table(("what", "figure", "how", "load of two cores"), rows))
    if cluster is not None:
        import ray

        ray.shutdown()
        cluster.shutdown()


if __name__ == "__main__":
    main(sys.argv[1:] or list(PARTS))
