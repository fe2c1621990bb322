"""The memory of an ingest by many: the driver and its workers, while raw files grow fourfold.

`python -m benchmarks.rays_memory [ROWS ...]` in the environment of `make test-ray`. Two nodes of Ray and the test servers on this machine; plain files, read by
spans of 8 MB so that there are many of them. Memory of a process's own is told apart from what it sees of Ray's store, which all of a node share.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from drr.app import testservers

from benchmarks.results import record, table

_MARK = "DRR_BENCH_RAYS_MEMORY"
_SPAN = 8 << 20
_WORKERS = 2


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """Its address; nodes know the test servers."""
    from tests.rays.conftest import LOOPBACK_AND_QUICK
    from tests.rays.nodes import add_node, begin_head

    os.environ.update(LOOPBACK_AND_QUICK)
    running = [
        testservers.start(kind, folder / kind, in_memory=True, heap_mb=2048) for kind in testservers.KINDS
    ]
    for kind, server in zip(testservers.KINDS, running, strict=True):
        os.environ[f"DRR_{kind.upper()}_URL"] = server.url
    os.environ["DRR_SERVER_TIMEOUT"] = "300"  # all of it is on two cores
    from ray.cluster_utils import Cluster

    made: Any = begin_head(Cluster)
    for _ in range(_WORKERS):
        add_node(made, **{_MARK: str(folder)})
    try:
        yield made.address
    finally:
        made.shutdown()
        for server in running:
            server.stop()


def raw_files(folder: Path, rows: int) -> Path:
    """Make the raw files in a process of its own, as invented files are made in memory."""
    code = (
        "import sys; from pathlib import Path; from drr.data_ingest.sample import SamplePlan, write_sample; "
        "from drr.env.progress import Quiet; rows = int(sys.argv[2]); "
        "write_sample(Path(sys.argv[1]), SamplePlan(products=rows // 40, users=rows * 37 // 90, reviews=rows, seed=7), Quiet())"
    )
    subprocess.run([sys.executable, "-c", code, str(folder), str(rows)], check=True)
    for packed in folder.rglob("*.jsonl.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
    return folder


def drive(raw: str, shop: str) -> int:
    """The command, with smaller spans."""
    from drr.app.cli import main
    from drr.data_ingest import spread_plan

    spread_plan._SPAN_BYTES = _SPAN
    words = ["ingest", raw, "--shop", shop, "--categories", "all", "--pool", "ray"]
    return main([*words, "--workers", str(_WORKERS), "--quarantine", f"{raw}.bad", "--quiet"])


class Peaks:
    """The most that processes were seen to hold, in MiB: of their own, and with what they share."""

    def __init__(self) -> None:
        self.own = self.all = 0.0

    def see(self, process: Path) -> None:
        try:
            lines = (process / "status").read_text().splitlines()
        except OSError:
            return
        told = {name: text for name, _, text in (line.partition(":") for line in lines)}
        if "RssAnon" in told:  # not of one that is ending
            self.own = max(self.own, _mib(told["RssAnon"]))
            self.all = max(self.all, _mib(told["VmHWM"]))

    def __str__(self) -> str:
        return f"{self.own:,.0f} ({self.all:,.0f})"


def _mib(told: str) -> float:
    return int(told.split()[0]) / 1024


def workers(folder: Path) -> Iterator[Path]:
    for process in Path("/proc").iterdir():
        try:
            ours = process.name.isdigit() and (process / "cmdline").read_bytes().startswith(b"ray::RayBench")
            if ours and f"{_MARK}={folder}".encode() in (process / "environ").read_bytes():
                yield process
        except OSError:
            continue


def measured(folder: Path, address: str, rows: int) -> tuple[str, ...]:
    raw = raw_files(folder / f"raw-{rows}", rows)
    size = sum(path.stat().st_size for path in raw.rglob("*.jsonl"))
    began = time.monotonic()
    driver = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.rays_memory", "drive", str(raw), f"servers:rays-{rows}"],
        env={**os.environ, "RAY_ADDRESS": address},
    )
    here, there = Peaks(), Peaks()
    while driver.poll() is None:
        here.see(Path(f"/proc/{driver.pid}"))
        for process in workers(folder):
            there.see(process)
        time.sleep(0.1)
    if driver.returncode:
        raise SystemExit(f"the ingest of {rows} rows ended with {driver.returncode}")
    took = time.monotonic() - began
    return (f"{rows:,}", f"{size / 1e6:,.0f}", str(here), str(there), f"{took:.0f}")


def main(asked: list[int]) -> None:
    rows = []
    with tempfile.TemporaryDirectory(prefix="drr-rays-memory-") as scratch:
        folder = Path(scratch)
        with cluster(folder) as address:
            for count in asked:
                rows.append((*measured(folder, address, count), f"{os.getloadavg()[0]:.0f}"))
                print(*rows[-1], sep="; ", flush=True)
    header = ("review rows", "MB of files", "driver, MiB", "largest worker, MiB", "s", "load of two cores")
    record(
        "Memory of an ingest by many",
        "Peak of a process's own memory, in brackets with what it shares (libraries, Ray's store); two workers on two nodes, spans of "
        "8 MB, servers and nodes on the same two cores.\n\n" + table(header, rows),
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["drive"]:
        raise SystemExit(drive(sys.argv[2], sys.argv[3]))
    main([int(word) for word in sys.argv[1:]] or [100_000, 400_000])
