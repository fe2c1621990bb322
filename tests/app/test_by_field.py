"""`--by FIELD` of report, compare and gate: one table of each group against the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import Drr

pytestmark = pytest.mark.long

ENDS = ("value", "ci_low", "ci_high", "n")
COMPARED = ("react", "react+ws")


def test_report_compare_and_gate_have_one_table(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    by = drr.json("report", judged_study, "--by", "language")["by"]
    assert by["groups"] == {"en": 2}
    rows = [row for row in by["rows"] if row["metric"] == "fp"]
    assert [row["system"] for row in rows] == ["plan-to-function+ws", "react", "react+ws"]
    assert all(row["difference"]["value"] is None and not row["weak"] for row in rows)
    report = drr.json("report", judged_study)["metrics"]["react"]["fp"]
    [mean] = [row["mean"] for row in rows if row["system"] == "react"]
    assert [mean[name] for name in ENDS] == [report[name] for name in ENDS]
    gate = ("study", "gate", judged_study, "--require", "words>=1", "--by", "language")
    assert drr.json(*gate)["by"] == by
    compare = ("study", "compare", judged_study, *COMPARED)
    [row] = [row for row in drr.json(*compare, "--by", "language")["by"]["rows"] if row["metric"] == "fp"]
    assert row["system"] == "react minus react+ws"
    whole = drr.json(*compare)["metrics"]["fp"]
    assert [row["mean"][name] for name in ENDS] == [whole[name] for name in ENDS]
    for words in (gate, (*compare, "--by", "language"), ("report", judged_study, "--by", "language")):
        shown = " ".join(drr.out(*words).split())
        assert (
            "no group is shown to be worse than the rest" in shown and "fewer than 5 questions: en" in shown
        )
    drr.out("report", judged_study, "--by", "language", "--out", tmp_path / "report")
    assert "By language" in (tmp_path / "report" / "index.html").read_text("utf-8")


def test_orders_are_counted_in_the_shop(judged_study: Path, drr: Drr) -> None:
    by = drr.json("report", judged_study, "--by", "user:orders")["by"]
    assert sum(by["groups"].values()) == 2 and not {"0", "1-4"} & by["groups"].keys()
    assert "no such field" in drr.err("report", judged_study, "--by", "colour")
    assert "no question with a mode" in drr.err("report", judged_study, "--by", "mode")
