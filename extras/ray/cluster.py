"""The cluster of `--pool ray`: a named one, this machine's, or one of its own on this machine."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir
from typing import Any, NamedTuple

from drr.env.errors import DrrError, Misuse
from drr.env.installed import install
from drr.study.folders import FolderPiece, PieceAsked, relocated, settled
from drr.study.grants import Spent
from drr.study.served import Hire, ServedWorker, Unfit
from drr.study.unit import Finished

_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""So a Ray that is begun here listens on this machine's own address only: elsewhere than on Linux it always does."""
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0"}
"""Nothing is told to Ray's makers."""
_TRIES = 3
_STORE_BYTES = 200_000_000
"""Bytes of results on their way, on a Ray of our own."""


class ClusterNode(NamedTuple):
    name: str
    alive: bool
    cpus: float


class ClusterView(NamedTuple):
    """The state of the cluster, for `drr env doctor` and a waiting pool."""

    nodes: list[ClusterNode]
    free_cpus: float

    def __str__(self) -> str:
        alive = [node for node in self.nodes if node.alive]
        cpus = sum(node.cpus for node in alive)
        nodes = "1 node" if len(alive) == 1 else f"{len(alive)} nodes"
        return f"{nodes}, {cpus:g} CPUs, {self.free_cpus:g} free"


def check_installed(address: str | None) -> None:
    """`Misuse` where the extra is not there."""
    if find_spec("ray") is None or (address is not None and find_spec("grpc") is None):
        raise Misuse(f"--pool ray needs the extra `ray`: {install('ray')}")


def running_here() -> str | None:
    """Find the address of the cluster that this machine belongs to, as far as we or root set it. `None`: there is none."""
    if named := os.environ.get("RAY_ADDRESS"):
        return named
    settings = (
        Path(os.environ.get("RAY_TMPDIR") or gettempdir()) / "ray" / "ray_current_cluster"
    )  # by `ray start`
    try:
        if settings.stat().st_uid not in (os.getuid(), 0):
            return None
        address = settings.read_text(encoding="utf-8").strip()
        host, _, port = address.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=2):
            return address
    except (OSError, ValueError):
        return None  # it is long gone


def connect(address: str | None, workers: int) -> Any:
    """Ray, connected. `address` is `ray://HOST:PORT`; without one, see the head of this module."""
    os.environ.update({name: value for name, value in _QUIET.items() if name not in os.environ})
    found = address or running_here()
    if found is None:
        os.environ.update({name: value for name, value in _LOOPBACK.items() if name not in os.environ})
    import ray

    _put_notices_aside()
    for tries_left in range(_TRIES - 1, -1, -1):
        if ray.is_initialized():
            break
        try:
            _begin(ray, found, workers)
        except ConnectionError as error:  # a busy head is slow to let somebody in from outside
            if not tries_left or address is None:
                raise _nobody(found, error) from error
        except (ray.exceptions.RayError, RuntimeError, ValueError, OSError) as error:
            raise _nobody(found, error) from error
    return ray


def _put_notices_aside() -> None:
    """Ray prints its notices of dead nodes to standard output, whatever it is asked: there the document of `--json` stands."""
    from ray._private import worker

    printer = getattr(worker, "print_to_stdstream", None)
    if printer is not None and getattr(printer, "func", None) is not _as_error:
        worker.print_to_stdstream = partial(_as_error, printer)


def _as_error(warn: Callable[..., None], notice: dict[str, Any], **how: Any) -> None:
    warn({**notice, "is_err": True}, **how)


def _begin(ray: Any, address: str | None, workers: int) -> None:
    plain: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address is not None:
        ray.init(address, **plain)
    else:
        cpus = max(workers, os.cpu_count() or 1)
        ray.init("local", num_cpus=cpus, include_dashboard=False, object_store_memory=_STORE_BYTES, **plain)


def _nobody(address: str | None, error: BaseException) -> DrrError:
    reason = " ".join(str(error).split())[:300] or type(error).__name__
    return DrrError(f"no Ray on {address or 'this machine'}: {reason}; docs/scale.md says how to begin one")


def view(ray: Any) -> ClusterView:
    nodes = [
        ClusterNode(str(node["NodeName"]), bool(node["Alive"]), float(node["Resources"].get("CPU", 0)))
        for node in ray.nodes()
    ]
    return ClusterView(nodes, float(ray.available_resources().get("CPU", 0)))


def look() -> str | None:
    """The cluster that this machine belongs to, in words; `None` where there is none, or no Ray."""
    address = running_here()
    if address is None or find_spec("ray") is None:
        return None
    ray = connect(None, 1)
    try:
        return f"{address}: {view(ray)}"
    finally:
        ray.shutdown()


def dead_nodes(ray: Any) -> set[str]:
    return {str(node["NodeID"]) for node in ray.nodes() if not node["Alive"]}


_MOST = 500
"""Words that are handed over at once."""
_GATHER_S = 0.2
"""So often at most units that ended are told of: what comes in between goes with them. Whoever waits for an answer does not."""


class RayPlace(NamedTuple):
    """The place of a worker."""

    name: str
    node: str


class RayWorker:
    """A worker whose messages come in by `hear`. Its own are fetched, all that has gathered, and an empty list at the end.

    It holds no handle of the driver's: where the driver is gone Ray ends it.
    """

    def __init__(self) -> None:
        self._out: deque[object] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0
        self._news, self._urgent = asyncio.Event(), asyncio.Event()
        self._said, self._gathers = 0.0, False
        self._served: ServedWorker | None = None
        self._asked: dict[PieceAsked, asyncio.Future[Any]] = {}
        self._serving: asyncio.Task[None] | None = None

    async def begin(self, hire: Hire) -> RayPlace:
        import ray

        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._gathers = hire.each is not None
        self._serving = asyncio.create_task(self._serve(hire))
        node = ray.get_runtime_context().get_node_id()
        address = ray.util.get_node_ip_address()
        return RayPlace(f"{socket.gethostname()} ({address}, process {os.getpid()})", node)

    async def hear(self, words: list[object]) -> None:
        for word in words:
            if isinstance(word, FolderPiece):
                self._asked.pop(word.asked).set_result(word.content)
            elif self._served is not None:
                self._served.hear(word)

    async def next_words(self) -> list[object]:
        assert self._serving is not None
        while not self._out and not self._serving.done():
            self._news.clear()
            await self._news.wait()
        if self._gathers and not self._serving.done():
            with suppress(TimeoutError):
                async with asyncio.timeout(self._said + _GATHER_S - time.monotonic()):
                    await self._urgent.wait()
        self._urgent.clear()
        self._said = time.monotonic()
        return [self._out.popleft() for _ in range(min(len(self._out), _MOST))]

    def how_it_ended(self) -> None:
        """Raises what `serve` did not name."""
        if self._serving is not None and self._serving.done():
            self._serving.result()

    async def _serve(self, hire: Hire) -> None:
        try:
            places = {folder.path: await settled(folder, self._fetch) for folder in hire.folders}
            opening = replace(hire.opening, config=relocated(hire.opening.config, places))
            self._served = ServedWorker(replace(hire, opening=opening), self._tell)
            await self._served.serve()
        except (DrrError, OSError) as error:
            self._tell(Unfit(str(error)))
        finally:
            asyncio.get_running_loop().call_soon(self._wake, None)

    async def _fetch(self, asked: PieceAsked) -> bytes:
        """Fetch what is asked for: its place in the object store comes back."""
        waiting = self._asked[asked] = asyncio.get_running_loop().create_future()
        self._tell(asked)
        content: bytes = await (await waiting)
        return content

    def _tell(self, message: object) -> None:
        self._out.append(message)
        if threading.get_ident() == self._thread:
            self._wake(message)
        elif self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake, message)

    def _wake(self, message: object) -> None:
        self._news.set()
        if not isinstance(message, Finished | Spent):
            self._urgent.set()
