"""A small shop, scripts that are agents, and commands as a user types them."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from drr.agents.commands.sight import why_not_contained

from tests.agents.garden import ANNA, write_box

Script = Callable[[str, str], Path]
CONTAINED = why_not_contained() is None
TERMS = [] if CONTAINED else ["--trust-agent"]
needs_namespaces = pytest.mark.skipif(not CONTAINED, reason="this system lets nobody make namespaces")
KEY = "sk-ant-the-real-key-0123456789abcdef"

HEAD = """#!/usr/bin/env python3
import json, os, sys, urllib.request

def post(address, body):
    sent = {"Authorization": "Bearer " + os.environ["DRR_MCP_TOKEN"], "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(address, json.dumps(body).encode(), sent)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)

def call(name, **arguments):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    return post(os.environ["DRR_MCP_URL"], body)["result"]

"""
SEARCHES = "call('product_catalog_search', query='bird house')\n"
"""A line of such a script: what looked nothing up is no answer."""


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_box(
        tmp_path_factory.mktemp("commands"),
        {"id": "q-house", "query": "Which bird house?", "user_id": ANNA, "rationale": "SECRET-RATIONALE"},
    )


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """An agent in Python, in the working folder; those in a shell begin with `#!`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text if text.startswith("#!") else HEAD + text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return write


def asked(box: Path, variant: str, *more: object) -> list[object]:
    return ["ask", "Which bird house?", "--shop", box / "shop", "--user", ANNA, "--sandbox", box / "sandbox",
            "--variant", variant, "--json", "--quiet", *TERMS, *more]  # fmt: skip


def new(box: Path, variants: str, *more: object) -> list[object]:
    return ["run", "study", "--shop", box / "shop", "--queries", box / "queries.jsonl", "--sandbox", box / "sandbox",
            "--variants", variants, *(TERMS if "--trust-agent" not in more else []), *more]  # fmt: skip


def running(mark: str) -> list[int]:
    """The processes whose command line or environment holds this word."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if mark.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found
