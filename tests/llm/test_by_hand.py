"""`benchmarks.by_hand`: a request waits for its reader, who is shown all of it and whose reply must fit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anthropic
import pytest

from benchmarks.by_hand import Desk, following, hand_in
from tests.wire import Wire

TOOL: Any = {
    "name": "look",
    "input_schema": {
        "type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"], "additionalProperties": False,
    },
}  # fmt: skip


def _until(found: Callable[[], bool]) -> None:
    for _ in range(500):
        if found():
            return
        time.sleep(0.02)
    raise AssertionError("it never came")


def test_a_request_waits_for_its_readers_reply(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers: list[Any] = []
    desk = Desk(tmp_path, {"gate": "a safety gate for the top of the stairs"}, {})
    with Wire(desk.ask) as wire:
        client = anthropic.Anthropic(base_url=wire.url, api_key="none")

        def ask() -> None:
            asked: Any = [{"role": "user", "content": "Find a safety gate for the top of the stairs."}]
            told = client.messages.create(
                model="by-hand", max_tokens=100, messages=asked, tools=[TOOL], system="Be brief."
            )
            answers.append(told)

        asking = threading.Thread(target=ask)
        asking.start()
        place = tmp_path / "gate"
        _until(lambda: bool(list(place.glob("001-*.json"))))
        assert following(place) == 0
        shown = capsys.readouterr().out
        assert "Be brief." in shown and "top of the stairs" in shown and "look" in shown
        assert hand_in(place, 1, '@call look {"where": "there"}') == 1
        assert "not handed in: look: $" in capsys.readouterr().out
        (tmp_path / "END").touch()
        assert hand_in(place, 1, 'I look.\n@call look {"at": "gates"}') == 0
        asking.join(10)
    text, call = answers[0].content
    assert (text.text, call.name, call.input) == ("I look.", "look", {"at": "gates"})
