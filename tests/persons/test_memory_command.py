"""`drr papers memory`: figures without a judge, nothing asked twice, and every misuse in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases import cases
from tests.commands import Drr, drr
from tests.persons.remembering import CLUES, STATEMENTS, folder
from tests.wire import Request, Say, Wire


def test_memories_are_held_against_what_the_context_shows(tmp_path: Path, drr: Drr) -> None:
    rows = drr.json("memory", "test", "none,recent,summary", folder(tmp_path), "--tokens", 500)["memories"]
    assert rows["none"]["recall"]["value"] == 1.0
    assert rows["recent"]["recall"]["value"] < 1.0
    assert rows["recent"]["build"] == {"calls": 0, "tokens": 0, "cost_usd": 0.0, "embedded": 0}
    assert (rows["none"]["rule_written"], rows["summary"]["rule_written"]) == (False, True)


def told(request: Request) -> Say:
    """Of the first person two of ten attributes and one that is another's; of the second nothing."""
    asked = json.dumps(request.body)
    facts = [STATEMENTS[0][1], STATEMENTS[5][1], "sails dinghies"] if CLUES[9][:12] in asked else []
    return Say(json.dumps({"facts": facts}))


def test_a_memory_on_the_wire_is_asked_once_however_many_tasks_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("memory", "test", "facts", folder(tmp_path), "--tokens", 500, "--json")
    with Wire(told) as wire:
        model = ("--model", "anthropic:claude-sonnet-5-5", "--base-url", wire.url)
        assert drr(*words, *model) == 0
        row = json.loads(capsys.readouterr().out)["memories"]["facts"]
        asked = len(wire.requests)
        assert asked == row["build"]["calls"] == 2
        assert drr(*words, *model, "--task", "Another wish", "--task", "And a third") == 0
        again = json.loads(capsys.readouterr().out)["memories"]["facts"]
        assert len(wire.requests) == asked
    assert again["build"]["cost_usd"] == 0.0 < row["build"]["cost_usd"]
    assert again["recall"]["value"] == row["recall"]["value"] == pytest.approx((2 / 10 + 0) / 2)
    assert row["precision"]["value"] == pytest.approx(2 / 3)
    assert row["precision"]["n_unscored"] == 1, "of the second nothing was said"


def test_failures_are_counted_and_lose_nobody_else(tmp_path: Path, drr: Drr) -> None:
    path = tmp_path / "wild.py"
    path.write_text(
        "class Wild:\n"
        "    def __init__(self, desk): pass\n"
        "    def observe(self, items): self.many = len(items)\n"
        "    def recall(self, task, budget): return 'x' * 4 * (budget + (self.many > 20))\n"
    )
    (row,) = drr.json("memory", "test", f"{path}:Wild", folder(tmp_path), "--tokens", 500)[
        "memories"
    ].values()
    assert row["failures"] == {"memory_over_budget": 1}
    assert row["fed"]["value"] == 500
    assert (row["recall"]["n"], row["recall"]["n_unscored"]) == (1, 1)


def test_the_list_says_what_each_uses(capsys: pytest.CaptureFixture[str]) -> None:
    assert drr("memory", "list", "--json") == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["memories"]}
    assert list(rows) == ["none", "recent", "bm25", "summary", "facts", "tiers", "attributes", "mem0"]
    assert not rows["bm25"]["asks_model"] and rows["facts"]["embeds"]


@pytest.mark.parametrize(("words", "message"), cases("persons", "test_misuse_is_one_line"))
def test_misuse_is_one_line(
    tmp_path: Path,
    words: tuple[str, ...],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    folder(tmp_path)
    try:
        code = drr("memory", "test", *words)
    except SystemExit as stopped:
        code = int(str(stopped.code))
    assert code == 2
    assert message in capsys.readouterr().err
