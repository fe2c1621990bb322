"""Nodes of a test cluster, each with its own environment; what is not theirs to know is taken out of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = str(Path(__file__).parents[2])
_STORE = 80_000_000


@contextmanager
def _environment(**told: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.pop("RAY_ADDRESS", None)
    os.environ.update({"PYTHONPATH": ROOT, **told})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def begin_head(kind: Any, client_port: int | None = None) -> Any:
    with _environment():
        return kind(
            initialize_head=True,
            head_node_args={
                "num_cpus": 0,
                "include_dashboard": False,
                "object_store_memory": _STORE,
                "ray_client_server_port": client_port,
            },
        )


def add_node(cluster: Any, **told: str) -> Any:
    """With a cache of its own, as on a machine of its own, and settings that all nodes share."""
    caches = getattr(cluster, "caches", None)
    cache = tempfile.mkdtemp(prefix="node-", dir=caches)
    config = {} if caches is None else {"XDG_CONFIG_HOME": str(caches / "config")}
    with _environment(XDG_CACHE_HOME=cache, **{**config, **told}):
        return cluster.add_node(num_cpus=1, object_store_memory=_STORE)


def processes_of(session: str) -> Iterator[Path]:
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if session in (process / "cmdline").read_text():
                    yield process
            except OSError:
                continue


def memory_holds(process: Path, word: bytes) -> bool:
    with (process / "mem").open("rb") as memory:
        for line in (process / "maps").read_text().splitlines():
            span, rights = line.split()[:2]
            start, end = (int(address, 16) for address in span.split("-"))
            if "r" not in rights or "[v" in line or end - start > 1 << 30:
                continue
            try:
                memory.seek(start)
                if word in memory.read(end - start):
                    return True
            except (OSError, ValueError, OverflowError):
                continue
    return False


def files_hold(folder: Path, word: bytes) -> bool:
    return any(path.is_file() and word in path.read_bytes() for path in folder.rglob("*"))
