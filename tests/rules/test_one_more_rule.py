"""A rule costs a function and a line: `drr judges check` prints it and the metrics count it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TOY = '''
import sys
from drr.eval.checks import RULES, Check, Rule, Subject
from drr.eval.checks.base import Tally
from drr.eval.checks.mentions import Mentions


def shouting(subject: Subject, mentions: Mentions) -> Check:
    """No line is all in capitals."""
    tally = Tally()
    for line in mentions.layout.lines:
        tally.compare((line.start, line.end), not line.text.isupper(), f"Line: {line.text[:40]!r}; it is all in capitals")
    return tally.check()


RULES["shouting"] = Rule(shouting, "1")

from drr.app.cli import main
from drr.eval.metrics import metrics

assert "rule_shouting" in metrics()
sys.exit(main(["check", sys.argv[1], "--json"]))
'''


@pytest.mark.long
def test_a_rule_is_a_function_and_a_line(tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text("Two feeders are enough.\nBUY THEM NOW\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", TOY, str(report)], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["rules"]["shouting"] == {
        "status": "fail",
        "value": {"checked": 2, "failed": 1, "unverifiable": 0},
        "spans": [[24, 36]],
        "evidence": ["Line: 'BUY THEM NOW'; it is all in capitals"],
    }
