"""The wrappers of `examples/agents` with the real clients of others, over a model that is scripted on the wire."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from drr.env.settings import Settings

from tests.beside.test_beside_others import said
from tests.tools.small_shop import ANNA, write_shop
from tests.wire import Request, Say, Wire

pytestmark = pytest.mark.wheel
EXAMPLES = Path(__file__).parents[2] / "examples" / "agents"
NODE = {"codex": "@openai/codex", "claude": "@anthropic-ai/claude-code", "opencode": "opencode-ai"}
PYTHON = {
    "smolagents_agent.py": ("smolagents[mcp,openai]", "mcp<2"),
    "pydantic_ai_agent.py": ("pydantic-ai-slim[openai,mcp]",),
}
SHELL = {"codex.sh": "codex", "claude_code.sh": "claude", "opencode.sh": "opencode"}
REPORT = "It costs little. The shop has one bird house, which is of wood.\n\n## Sources\n\n[1] Feeder: http://ecommerce.example/x"


def script() -> Callable[[Request], Say]:
    """Search once, by whatever name the client gives the tool, then report as the client wants it."""
    searched: list[str] = []

    def answer(request: Request) -> Say:
        tools = [tool.get("function", tool).get("name") or "" for tool in request.body.get("tools") or ()]
        search = next((name for name in tools if name.endswith("product_catalog_search")), None)
        if search and not searched:
            searched.append(search)
            return Say(calls=[(search, {"query": "bird"})])
        return Say(calls=[("final_answer", {"answer": REPORT})]) if "final_answer" in tools else Say(REPORT)

    return answer


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("node")
    said("npm", "install", "--silent", "--no-audit", "--no-fund", *NODE.values(), cwd=place)
    return place


@pytest.mark.parametrize("wrapper", [*SHELL, *PYTHON])
def test_a_client_of_others_reports(wrapper: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    write_shop(str(tmp_path / "shop"), Settings(shop_url="http://ecommerce.example"))
    if wrapper in SHELL:
        place: Path = request.getfixturevalue("node")
        command = f"cmd:{EXAMPLES / wrapper} {place / 'node_modules/.bin' / SHELL[wrapper]}"
    else:
        place = tmp_path / "venv"
        said(sys.executable, "-m", "venv", place, cwd=tmp_path)
        said(place / "bin/python", "-m", "pip", "install", "--quiet", *PYTHON[wrapper], cwd=tmp_path)
        command = f"cmd:{place / 'bin/python'} {EXAMPLES / wrapper}"
    with Wire(script()) as wire:
        words = [
            "ask",
            "Which bird house?",
            "--shop",
            tmp_path / "shop",
            "--user",
            ANNA,
            "--variant",
            command,
        ]
        model = [
            "--model",
            "openai:scripted",
            "--base-url",
            f"{wire.url}/v1",
            "--agent-sees",
            place,
            "--json",
        ]
        asked = [sys.executable, "-m", "drr", *map(str, [*words, *model])]
        own = {**os.environ, "OPENAI_API_KEY": "none"}
        done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=240, env=own)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["report"].startswith("It costs little.")
    made = [call["name"] for call in document["tool_calls"] if not call["error"]]
    assert made[0] == "product_catalog_search"
