"""`mem0`: the package mem0ai as a memory, with this project's model and embedder in place of its own clients.

Its store is in this process and goes with it; what it would send home about its use is switched off. It writes its own prompts, which are not
in any key: its version is.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from drr.papers.pdr.context import ContextItem
from drr.papers.pdr.memory.base import MemoryDesk
from drr.papers.pdr.memory.texts import lines_within
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
        store = {"path": f"{self._folder.name}/store", "embedding_model_dims": dimensions}
        memory = AsyncMemory(
            MemoryConfig.model_validate(
                {
                    "llm": nobody,
                    "embedder": nobody,
                    "vector_store": {"provider": "qdrant", "config": store},
                    "history_db_path": ":memory:",
                }
            )
        )
        memory.llm, memory.embedding_model = _Model(self._desk, loop), _Vectors(self._desk)
        return memory


class _Model:
    """The model that mem0 calls from threads of its own. The answer comes from the loop in which the unit runs."""

    def __init__(self, desk: MemoryDesk, loop: asyncio.AbstractEventLoop) -> None:
        self._desk, self._loop = desk, loop
        self.config = None

    def generate_response(self, messages: Sequence[Mapping[str, str]], **asked: Any) -> str:
        told: list[BaseMessage] = [
            SystemMessage(m["content"]) if m["role"] == "system" else HumanMessage(m["content"])
            for m in messages
        ]
        asking: Coroutine[Any, Any, BaseMessage] = self._desk.model.reply(told)
        return asyncio.run_coroutine_threadsafe(asking, self._loop).result().text


class _Vectors:
    def __init__(self, desk: MemoryDesk) -> None:
        self._desk = desk
        self.config = None

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:
        return [[float(one) for one in row] for row in self._desk.embedder.embed(list(texts))]
