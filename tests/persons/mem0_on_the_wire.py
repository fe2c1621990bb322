"""Run by `test_memories.py` in an environment that has mem0ai: a scripted model, the real package, the command a user types."""

from __future__ import annotations

import contextlib
import io
import json
import socket
import sys
from pathlib import Path

from drr.app.cli import main

from tests.persons.remembering import CLUES, STATEMENTS, folder
from tests.wire import Request, Say, Wire


def told(request: Request) -> Say:
    """A memory of the first person's dog where an item speaks of it."""
    messages = json.dumps(request.body["messages"])
    new = messages.rpartition("New Messages")[2] or messages
    text = f"User {STATEMENTS[0][1]}"
    found = [{"id": "0", "text": text, "attributed_to": "user"}] if CLUES[0][:20] in new else []
    return Say(json.dumps({"memory": found}))


def run(at: Path) -> None:
    addresses: set[str] = set()
    connect = socket.socket.connect

    def watched(self: socket.socket, address: object) -> None:
        addresses.add(str(address[0]) if isinstance(address, tuple) else str(address))
        connect(self, address)  # type: ignore[arg-type]

    socket.socket.connect = watched  # type: ignore[method-assign,assignment]
    out = io.StringIO()
    with Wire(told) as wire, contextlib.redirect_stdout(out):
        words = [
            "memory", "test", "mem0", str(folder(at)), "--tokens", "500", "--persons-limit", "1", "--json",
        ]  # fmt: skip
        code = main([*words, "--model", "anthropic:claude-sonnet-5-5", "--base-url", wire.url, "--quiet"])
        asked = len(wire.requests)
    row = json.loads(out.getvalue())["memories"]["mem0"]
    print(json.dumps({"code": code, "asked": asked, "row": row, "addresses": sorted(addresses)}))


if __name__ == "__main__":
    run(Path(sys.argv[1]))
