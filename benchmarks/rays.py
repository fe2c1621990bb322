"""Ray as a pool, on a cluster of two nodes on this machine. Measured are what a unit costs beside one
process, many in flight, and where the driver ends.

`python -m benchmarks.rays [overhead|flight|judging|waiting|driver ...]` in the environment of `make test-ray`; all of them without words. The machine's
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

from drr.study.pools import InProcessPool, Pool, PoolOrder, Terms
from drr.study.run import run
from drr.study.study import Study
from drr.study.unit import Assignment, FinishedUnit, Outcome, Unit
from drr.study.worker import Context, Opening, Workplace

from benchmarks.rays_judging import KEY, by_rules, waited_for
from benchmarks.results import record, table
from tests.study.plain import answer, offline, units

Row = tuple[str, ...]
LATENCY_S = 2.0


@contextmanager
def opened(config: Mapping[str, Any]) -> Iterator[Workplace]:
    """Open a workplace that makes `waits` of two seconds one after another in place of calls. Calls cost a
    processor a millisecond each; without waits it does the tests' work."""

    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        for _ in range(config["waits"]):
            await asyncio.sleep(LATENCY_S)
        return Outcome({"n": spec["n"]}, {"report": f"report {spec['n']}"})

    yield Workplace(work if "waits" in config else answer, offline())


def rays(workers: int, each: int, **config: Any) -> Pool:
    from drr.extras.ray.pool import RayPool

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
    """Measure from the first unit to the last record, with the cluster and the workers begun in that time."""
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
    """A crowd of so many workers that answer as soon as they are asked. Only the driver is at work, from the first unit to the last commit."""

    def __init__(self, finished: Callable[[str], FinishedUnit], size: int) -> None:
        self.size = size
        self._finished = finished

    async def run(
        self, handed: AsyncIterator[Assignment], terms: Terms
    ) -> AsyncGenerator[FinishedUnit, None]:
        async for assignment in handed:
            yield self._finished(assignment.unit.key)

    def cancel(self) -> None:
        """Nothing is under way."""


async def kept_a_second(texts: int, workers: int = 1_000, asked: int = 4_000) -> tuple[float, float]:
    """Records of so many texts each, seen and for a second of processor time."""

    def finished(key: str) -> FinishedUnit:
        content = {f"text-{n}": f"{key} {n} ".encode() * 20 for n in range(texts)}
        now = time.time()
        return FinishedUnit(
            key=key, status="done", reason=None, message=None, transient=False, result={"words": 1}, texts=content,
            usage={}, cost=0, seconds=1.0, started_at=now, finished_at=now,
        )  # fmt: skip

    busy = time.process_time()
    took = await seconds(Crowd(finished, workers), units(asked))
    return asked / took, asked / (time.process_time() - busy)


async def driver() -> list[Row]:
    rows = []
    for texts in (0, 1, 4):
        seen, busy = await kept_a_second(texts)
        rows.append(
            (
                f"records a second, {texts} texts each",
                f"{seen:.0f} seen, {busy:.0f} of processor time",
                "1,000 workers that have always answered, 4,000 units, one driver from the first unit to the last commit",
            )
        )
    return rows


async def judging() -> list[Row]:
    return await asyncio.to_thread(by_rules)


async def waiting() -> list[Row]:
    return await asyncio.to_thread(waited_for)


PARTS = {
    "overhead": overhead,
    "flight": flight,
    "judging": judging,
    "waiting": waiting,
    "driver": driver,
}


def main(names: list[str]) -> None:
    from tests.rays.conftest import LOOPBACK_AND_QUICK
    from tests.rays.nodes import add_node, begin_head

    if unknown := sorted(set(names) - set(PARTS)):
        sys.exit(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    rows: list[tuple[str, ...]] = []
    cluster = None
    if not set(names) <= {"driver"}:
        os.environ.update({**LOOPBACK_AND_QUICK, **KEY})
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
        record(
            "Ray as a pool",
            table(("what", "figure", "load"), [(what, figure, load) for what, figure, _, load in rows]),
        )
    if cluster is not None:
        import ray

        ray.shutdown()
        cluster.shutdown()


if __name__ == "__main__":
    main(sys.argv[1:] or list(PARTS))
