"""The memories that can be had: ours, those that other packages add, and any class in a file.

One of ours is a file and a line here. Another package adds one through an entry point of the group `drr.memories`;
`path/file.py:Class` names one that nobody installed. Each is called with a `MemoryDesk` and gives an object with `observe` and
`recall`; it may carry `version`, and `asks_model = False` where it never asks.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from typing import TYPE_CHECKING, Any

from drr.env.errors import DrrError, Misuse
from drr.env.installed import install
from drr.env.user_code import from_file, is_in_file
from drr.llm.names import OFFLINE
from drr.papers.pdr.context import ContextItem
from drr.papers.pdr.memory.base import ROLE, MemoryDesk, MemoryKind, Newest, Recent, lines_within
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

if TYPE_CHECKING:
    from mem0 import AsyncMemory


_PERSON = "person"
_FOUND = 100


def installed() -> str | None:
    """Its version; `None` where it is not there."""
    with suppress(PackageNotFoundError):
        return version("mem0ai")
    return None


class Mem0:
    def __init__(self, desk: MemoryDesk) -> None:
        self._desk = desk
        self._folder = tempfile.TemporaryDirectory(prefix="drr-mem0-")
        self._memory: AsyncMemory | None = None

    async def observe(self, items: Sequence[ContextItem]) -> None:
        self._memory = self._opened(asyncio.get_running_loop())
        for item in items:
            await self._memory.add([{"role": "user", "content": item.shown()}], user_id=_PERSON)

    async def recall(self, task: str, budget: int) -> str:
        if self._memory is None:
            return ""
        found = await self._memory.search(task, filters={"user_id": _PERSON}, top_k=_FOUND)
        lines = [" ".join(str(one["memory"]).split()) for one in found["results"]]
        return lines_within(lines, budget, self._desk.count)

    def _opened(self, loop: asyncio.AbstractEventLoop) -> AsyncMemory:
        """Made with clients that are never asked, and given ours."""
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ["MEM0_DIR"] = self._folder.name
        from mem0 import AsyncMemory
        from mem0.configs.base import MemoryConfig

        dimensions = len(self._desk.embedder.embed(["one"])[0])
        nobody = {"provider": "openai", "config": {"api_key": "never-sent"}}
        place = {"path": f"{self._folder.name}/store", "embedding_model_dims": dimensions}
        store = {"provider": "qdrant", "config": place}
        config = {"llm": nobody, "embedder": nobody, "vector_store": store, "history_db_path": ":memory:"}
        memory = AsyncMemory(MemoryConfig.model_validate(config))
        memory.llm, memory.embedding_model = _Model(self._desk, loop), _Vectors(self._desk)
        return memory


class _Model:
    """The model that mem0 calls from threads of its own. The answer comes from the loop in which the unit runs."""

    def __init__(self, desk: MemoryDesk, loop: asyncio.AbstractEventLoop) -> None:
        self._desk, self._loop = desk, loop
        self.config = None

    def generate_response(self, messages: Sequence[Mapping[str, str]], **asked: Any) -> str:
        messages_in: list[BaseMessage] = [
            SystemMessage(m["content"]) if m["role"] == "system" else HumanMessage(m["content"])
            for m in messages
        ]
        asking: Coroutine[Any, Any, BaseMessage] = self._desk.model.reply(messages_in)
        return asyncio.run_coroutine_threadsafe(asking, self._loop).result().text


class _Vectors:
    def __init__(self, desk: MemoryDesk) -> None:
        self._desk = desk
        self.config = None

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:
        return [[float(one) for one in row] for row in self._desk.embedder.embed(list(texts))]


GROUP = "drr.memories"
ABSENT = "not installed"


BUILT_IN = {
    kind.name: kind
    for kind in (
        MemoryKind("none", "1", lambda: Newest),
        MemoryKind("recent", "1", lambda: Recent),
        MemoryKind(
            "mem0", installed() or ABSENT, lambda: Mem0, asks_model=True, embeds=True, origin="mem0ai"
        ),
    )
}


def memory_kind(name: str) -> MemoryKind:
    """`Misuse` with what was probably meant. Ours need no plug-in to be sound, or loaded."""
    if is_in_file(name):
        return _in_file(name)
    if name in BUILT_IN:
        if BUILT_IN[name].version == ABSENT:
            raise Misuse(f"memory {name}: not installed; {install(name)}")
        return BUILT_IN[name]
    points = _points()
    if name in points:
        return _plugged(points[name])
    near = get_close_matches(name, [*BUILT_IN, *points], 2)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join([*BUILT_IN, *points])}"
    raise Misuse(f"no memory {name!r}; {hint}, or one of your own by path/file.py:Class")


def check_playable(kinds: Iterable[MemoryKind], model: str) -> None:
    """`Misuse` for a memory of ours whose model would have to be played by rules that there are not."""
    for kind in kinds:
        if kind.asks_model and kind.name in BUILT_IN and model == OFFLINE:
            raise Misuse(
                f"memory {kind.name} asks a model in words of its own, which no rules play; "
                f"give one with --role-models {ROLE}=PROVIDER:MODEL"
            )


@cache
def _points() -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        if point.name in BUILT_IN or point.name in found:
            raise DrrError(f"the memory plug-in {point.name!r} ({point.value}): the name is taken; rename it")
        found[point.name] = point
    return found


def _plugged(point: EntryPoint) -> MemoryKind:
    try:
        maker = point.load()
    except Exception as error:
        raise DrrError(
            f"the memory plug-in {point.name!r} cannot be loaded ({type(error).__name__}: {error}); mend or uninstall it"
        ) from error
    otherwise = point.dist.version if point.dist is not None else "unknown"
    return _of_others(point.name, maker, otherwise, point.dist.name if point.dist else point.value)


def _in_file(name: str) -> MemoryKind:
    place, _, what = name.rpartition(":")
    code = from_file("memory", place, what)
    return _of_others(f"{code.path.name}:{what}", code.found, "0", code.path.name, f"+{code.digest[:16]}")


def _of_others(name: str, maker: Any, otherwise: str, origin: str, suffix: str = "") -> MemoryKind:
    if not callable(maker):
        raise Misuse(f"memory {name!r}: {type(maker).__name__} is no class; give one that takes a desk")
    return MemoryKind(
        name,
        f"{getattr(maker, 'version', None) or otherwise}{suffix}",
        lambda: maker,
        asks_model=bool(getattr(maker, "asks_model", True)),
        embeds=bool(getattr(maker, "embeds", True)),
        origin=origin,
    )
