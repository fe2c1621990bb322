"""Run by `test_memories.py` in an environment that has mem0ai: a scripted model, the real package, the unit of a run."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from pathlib import Path

from drr.app.models.setup import prompts_of
from drr.env.settings import Settings
from drr.llm.factory import Models
from drr.llm.models import ModelSettings
from drr.papers.pdr.context import read_contexts
from drr.papers.pdr.memory_units import Memories, MemoryMaking, RecallRequest
from drr.study.run import run
from drr.study.study import Study

from tests.persons.remembering import CLUES, STATEMENTS, folder
from tests.wire import Request, Say, Wire

MODEL = "anthropic:claude-sonnet-5-5"


def told(request: Request) -> Say:
    """A memory of the first person's dog where an item speaks of it."""
    messages = json.dumps(request.body["messages"])
    new = messages.rpartition("New Messages")[2] or messages
    text = f"User {STATEMENTS[0][1]}"
    found = [{"id": "0", "text": text, "attributed_to": "user"}] if CLUES[0][:20] in new else []
    return Say(json.dumps({"memory": found}))


def remember(at: Path) -> None:
    addresses: set[str] = set()
    connect = socket.socket.connect

    def watched(self: socket.socket, address: object) -> None:
        addresses.add(str(address[0]) if isinstance(address, tuple) else str(address))
        connect(self, address)  # type: ignore[arg-type]

    socket.socket.connect = watched  # type: ignore[method-assign,assignment]
    contexts = read_contexts(folder(at))
    with Wire(told) as wire:
        models = Models(ModelSettings(roles={"default": MODEL}, base_url=wire.url))
        making = MemoryMaking(Settings(), models, prompts_of(Settings(), "papers/pdr"), contexts)
        unit = making.unit("mem0", contexts.persons[0], [RecallRequest("What of the dog?", 500)])
        with Study.create(at / "study", {"schema": 1, "run": {}}) as study:
            memories = Memories(making, study)
            summary = asyncio.run(run(study, [unit], memories.work, models=models))
            (row,) = memories.recalled(unit).values()
    found = {"code": int(not summary.ok), "asked": len(wire.requests), "addresses": sorted(addresses)}
    print(json.dumps({**found, "build": row["build"], "text": row["text"]}))


if __name__ == "__main__":
    remember(Path(sys.argv[1]))
