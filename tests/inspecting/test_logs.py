"""Logs that Inspect writes come over with their scores, epochs, tool calls and usage; without Inspect a sentence says what to install."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from drr.env.installation import install

from tests.commands import Drr


@pytest.mark.skipif("inspect_ai" in sys.modules, reason="Inspect is here")
def test_without_the_package_it_says_what_to_install(drr: Drr, tmp_path: Path) -> None:
    (tmp_path / "some.eval").write_bytes(b"PK")
    assert install("inspect") in drr.err("study", "import", tmp_path / "study", tmp_path / "some.eval")
    assert not (tmp_path / "study").exists()


@pytest.mark.wheel
def test_three_logs_come_over_with_scores_equal_to_theirs(apart: Callable[..., str], tmp_path: Path) -> None:
    found = json.loads(apart("python", "-m", "tests.inspecting.logged", tmp_path).splitlines()[-1])
    for name, answers in (("plain", 3), ("epochs", 9), ("broken", 2)):
        one = found[name]
        assert one["taken"]["added"] == answers
        score = one["ours"]["logged_score"]
        assert score["value"] == pytest.approx(one["theirs"]["accuracy"]) and score["n"] == answers
        assert one["ours"]["output_tokens"]["value"] == (40 if name == "epochs" else 20)
    assert found["plain"]["theirs"]["accuracy"] == pytest.approx(2 / 3)
    (refused,) = found["broken"]["taken"]["refused"]
    assert found["broken"]["taken"]["code"] == 1 and "the solver broke" in refused["why"]
    epochs = found["epochs"]["ours"]
    assert epochs["tool_calls"]["value"] == 1 and epochs["pass_log_3"]["value"] == pytest.approx(2 / 3)
    assert epochs["input_tokens"]["value"] == 200, "two calls of 70 new and 30 cached tokens"
    assert found["shape-report"]["logged_score"]["value"] == pytest.approx(0.75)
    assert "less than or equal to 1" in found["length"]["said"] and "graded/shape" in found["nobody"]["said"]
    assert "is no log of Inspect" in found["torn"]["said"]
    assert {found[name]["code"] for name in ("length", "nobody", "torn")} == {2}
    assert found["alike"]["added"] == 3, "a sample is known by its id"
    assert "over 200 times its size" in found["zeros"]["said"] and found["zeros"]["code"] == 1
    assert all("unpacks to over" in found[name]["said"] for name in ("objects", "repeats"))
    assert found["memory"] < 500, "megabytes that the hostile logs took, beside a text of 268"
    row = found["compared"]["metrics"]["logged_score"]
    assert (row["a"], row["b"]) == (pytest.approx(5 / 6), pytest.approx(5 / 6))
    assert found["verified"]["failed"] == [] and found["board"]["systems"] == 2
