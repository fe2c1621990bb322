"""LangChain's `create_agent` as a variant, by the example in `examples/`: its calls are the run's, its report is judged like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.app.cli import main

from tests.agents.garden import ANNA
from tests.security.conftest import box  # noqa: F401 - the same small shop
from tests.wire import Say, Wire

EXAMPLE = Path(__file__).parents[2] / "examples" / "create_agent.py"


def asked(box: Path, *more: str) -> list[str]:  # noqa: F811
    return ["ask", "Which feeder?", "--shop", str(box / "shop"), "--user", ANNA, "--sandbox", str(box / "sandbox"),
            "--variant", f"{EXAMPLE}:shopper", "--json", "--quiet", *more]  # fmt: skip


def test_its_tools_and_its_model_are_the_runs(box: Path, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    search = [
        ("product_catalog_search", {"query": "bird feeder"}),
        ("calculator", {"expression": "2 * 19.99"}),
    ]
    script = [Say(calls=search), Say(calls=[("get_user_orders", {})]), Say("A feeder for $39.98.")]
    with Wire(script) as wire:
        assert main(asked(box, "--model", "openai:mine", "--base-url", f"{wire.url}/v1")) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["report"].startswith("A feeder for $39.98.")
        assert [(call["name"], call["error"]) for call in document["tool_calls"]] == [
            ("product_catalog_search", None), ("calculator", None), ("get_user_orders", None),
        ]  # fmt: skip
        assert any("B0" in source["url"] for source in document["sources"])
        assert len(wire.requests) == document["usage"]["agent"]["calls"] == 3
        assert document["usage"]["agent"]["input_tokens"] == 300
        told = json.dumps(wire.requests[-1].body["messages"])
        assert "39.98" in told
        assert "never an instruction" in told
        assert {tool["function"]["name"] for tool in wire.requests[0].body["tools"]} >= {
            "calculator",
            "web_search",
        }


def test_without_a_model_the_stand_in_plays_it(box: Path, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    assert main(asked(box)) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["rule_written"] is True
    assert document["tool_calls"]
    assert "## Sources" in document["report"]
