"""A rule costs a function and a line: `drr judges check` prints it and the metrics count it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.eval.checks import RULES, Check, Rule, Subject
from drr.eval.checks.base import Tally
from drr.eval.checks.mentions import Mentions
from drr.eval.metrics import metrics


def shouting(subject: Subject, mentions: Mentions) -> Check:
    """No line is all in capitals."""
    tally = Tally()
    for line in mentions.layout.lines:
        place = (line.start, line.end)
        tally.compare(place, not line.text.isupper(), f"Line: {line.text[:40]!r}; it is all in capitals")
    return tally.check()


@pytest.mark.long
def test_a_rule_is_a_function_and_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(RULES, "shouting", Rule(shouting, "1"))
    report = tmp_path / "report.md"
    report.write_text("Two feeders are enough.\nBUY THEM NOW\n", encoding="utf-8")
    assert "rule_shouting" in metrics()
    assert main(["check", str(report), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["rules"]["shouting"] == {
        "status": "fail",
        "value": {"checked": 2, "failed": 1, "unverifiable": 0},
        "spans": [[24, 36]],
        "evidence": ["Line: 'BUY THEM NOW'; it is all in capitals"],
    }
