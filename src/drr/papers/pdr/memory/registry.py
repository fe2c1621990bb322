"""The available memories: the built-in ones, and any class in a file.

A built-in memory is a class and an entry here; `path/file.py:Class` names one in a file. Each is called with a `MemoryDesk` and
returns an object with `observe` and `recall`. It may have a `version`, and `asks_model = False` if it never asks a model.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from drr.env.errors import Misuse
from drr.env.installation import install
from drr.env.user_code import from_file, is_in_file
from drr.llm.names import OFFLINE
from drr.papers.pdr.context import ContextItem
from drr.papers.pdr.memory.base import ROLE, Maker, MemoryDesk, MemoryKind, Newest, Recent, as_many
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

if TYPE_CHECKING:
    from mem0 import AsyncMemory


class Mem0:
    def __init__(self, desk: MemoryDesk) -> None:
        self._desk = desk
        self._folder = tempfile.TemporaryDirectory(prefix="drr-mem0-")
        self._memory: AsyncMemory | None = None

    async def observe(self, items: Sequence[ContextItem]) -> None:
        self._memory = self._open_memory(asyncio.get_running_loop())
        for item in items:
            await self._memory.add([{"role": "user", "content": item.shown()}], user_id="person")

    async def recall(self, task: str, budget: int) -> str:
        if self._memory is None:
            return ""
        found = await self._memory.search(task, filters={"user_id": "person"}, top_k=100)
        lines = [" ".join(str(one["memory"]).split()) for one in found["results"]]
        return "\n".join(lines[place] for place in as_many(lines, budget, self._desk.count))

    def _open_memory(self, loop: asyncio.AbstractEventLoop) -> AsyncMemory:
        """Return a mem0 memory: it is created with dummy clients, which are then replaced by the desk's model and embedder."""
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
    """The model that mem0 calls from its own threads. The request runs in the event loop of the unit."""

    config = None

    def __init__(self, desk: MemoryDesk, loop: asyncio.AbstractEventLoop) -> None:
        self._desk, self._loop = desk, loop

    def generate_response(self, messages: Sequence[Mapping[str, str]], **asked: Any) -> str:
        forms = {"system": SystemMessage}
        sent: list[BaseMessage] = [forms.get(m["role"], HumanMessage)(m["content"]) for m in messages]
        asking: Coroutine[Any, Any, BaseMessage] = self._desk.model.reply(sent)
        return asyncio.run_coroutine_threadsafe(asking, self._loop).result().text


class _Vectors:
    config = None

    def __init__(self, desk: MemoryDesk) -> None:
        self._desk = desk

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:
        return [[float(one) for one in row] for row in self._desk.embedder.embed(list(texts))]


OURS: Mapping[str, Maker] = {"none": Newest, "recent": Recent, "mem0": Mem0}


def memory_kind(name: str) -> MemoryKind:
    """Return the memory of a name; raise `Misuse` with similar names if there is none."""
    if is_in_file(name):
        return _in_file(name)
    if name == "mem0":
        try:
            found = version("mem0ai")
        except PackageNotFoundError as error:
            raise Misuse(f"memory {name}: not installed; {install(name)}") from error
        return MemoryKind(name, found, lambda: Mem0, asks_model=True, embeds=True, origin="mem0ai")
    if name in OURS:
        return MemoryKind(name, "1", lambda: OURS[name])
    near = get_close_matches(name, OURS, 2)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(OURS)}"
    raise Misuse(f"no memory {name!r}; {hint}, or one of your own by path/file.py:Class")


def check_playable(kinds: Iterable[MemoryKind], model: str) -> None:
    """Raise `Misuse` for a built-in memory that asks a model if the model is `offline`. No rules can answer for it."""
    for kind in kinds:
        if kind.asks_model and kind.name in OURS and model == OFFLINE:
            raise Misuse(
                f"memory {kind.name} asks a model in words of its own, which no rules play; "
                f"give one with --role-models {ROLE}=PROVIDER:MODEL"
            )


def _in_file(name: str) -> MemoryKind:
    place, _, what = name.rpartition(":")
    code = from_file("memory", place, what)
    shown, maker = f"{code.path.name}:{what}", code.found
    if not callable(maker):
        raise Misuse(f"memory {shown!r}: {type(maker).__name__} is no class; give one that takes a desk")
    return MemoryKind(
        shown,
        f"{getattr(maker, 'version', None) or '0'}+{code.digest[:16]}",
        lambda: maker,
        asks_model=bool(getattr(maker, "asks_model", True)),
        embeds=bool(getattr(maker, "embeds", True)),
        origin=code.path.name,
    )
