"""Connects to the cluster of `--pool ray`: a named one, this machine's, or a new one on this machine."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from drr.env.errors import DrrError, Misuse
from drr.env.installation import install

_QUIET = {"RAY_USAGE_STATS_ENABLED": "0"}
"""Environment variables that turn off Ray's usage reports to its makers."""
_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Environment variables that let a new Ray listen on this machine's own address only. On Linux it would listen on others too."""
_STORE_BYTES = 200_000_000
"""Bytes for results in transit, on a Ray started by this program."""

_TRIES = 3
"""Ray's server for a client dies in some 7 % of the forks that begin it (ray-project/ray#63202), unless gRPC leaves forks alone."""


def check_installed(address: str | None) -> None:
    """Raise `Misuse` where the extra is not installed."""
    if find_spec("ray") is None or (address is not None and find_spec("grpc") is None):
        raise Misuse(f"--pool ray needs the extra `ray`: {install('ray')}")


def running_here() -> str | None:
    """Return the address of this machine's cluster, if this user or root set it; `None` for none."""
    if named := os.environ.get("RAY_ADDRESS"):
        return named
    begun = Path(os.environ.get("RAY_TMPDIR") or gettempdir()) / "ray/ray_current_cluster"  # by `ray start`
    try:
        if begun.stat().st_uid not in (os.getuid(), 0):
            return None
        address = begun.read_text(encoding="utf-8").strip()
        host, _, port = address.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=2):
            return address
    except (OSError, ValueError):
        return None  # the cluster has ended


def connect(address: str | None, workers: int) -> Any:
    """Connect to a Ray cluster and return the module. `address` is `ray://HOST:PORT`; without it, this machine's cluster or a new one is used."""
    found = address or running_here()
    for name, value in (_QUIET if found else _QUIET | _LOOPBACK).items():
        os.environ.setdefault(name, value)
    import ray
    from ray._private import worker

    # Ray prints notices of dead nodes to standard output, where the document of `--json` belongs.
    printer = getattr(worker, "print_to_stdstream", None)
    if printer is not None and getattr(printer, "func", None) is not _as_error:
        worker.print_to_stdstream = partial(_as_error, printer)
    own = {"num_cpus": max(workers, os.cpu_count() or 1), "include_dashboard": False}
    where = {"address": found} if found else {"address": "local", "object_store_memory": _STORE_BYTES, **own}
    try:
        if not ray.is_initialized():
            _begin(ray, where)
    except (ray.exceptions.RayError, RuntimeError, ValueError, OSError) as error:
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise DrrError(
            f"no Ray on {found or 'this machine'}: {reason}; docs/scale.md says how to begin one"
        ) from error
    return ray


def _begin(ray: Any, where: dict[str, Any]) -> None:
    """Join or begin a cluster, and ask again where Ray's server for this client died as it began."""
    for left in reversed(range(_TRIES)):
        try:
            ray.init(**where, log_to_driver=False, logging_level="ERROR")
        except ConnectionAbortedError:
            if not left:
                raise
        else:
            return


def _as_error(warn: Callable[..., None], notice: dict[str, Any], **how: Any) -> None:
    warn({**notice, "is_err": True}, **how)


def cluster_state(ray: Any) -> str:
    """Return the state of the cluster in words: nodes, CPUs, and free CPUs."""
    cpus = [node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]]
    nodes = "1 node" if len(cpus) == 1 else f"{len(cpus)} nodes"
    return f"{nodes}, {sum(cpus):g} CPUs, {ray.available_resources().get('CPU', 0):g} free"


def joined_cluster_state() -> str | None:
    """Return the state of the cluster that this machine belongs to, in words; `None` without a cluster or Ray."""
    address = running_here()
    if address is None or find_spec("ray") is None:
        return None
    ray = connect(None, 1)
    try:
        return f"{address}: {cluster_state(ray)}"
    finally:
        ray.shutdown()
