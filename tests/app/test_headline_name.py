"""The headline figure is called faithfulness wherever a person reads or names it; documents keep `fp`, tables what was judged."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from drr.eval.metrics import metric_name, metrics, metrics_without_verdicts, shown_name

from tests.commands import Drr

FOREIGN = ("pqr_", "dr3_", "re_", "fact_")


def test_every_name_that_is_said_is_understood() -> None:
    assert metric_name("faithfulness") == "fp" and shown_name("fp_web") == "faithfulness web"
    for name in metrics():
        assert metric_name(shown_name(name)) == metric_name(name) == name
    assert metric_name("faithfulness_web") == "fp_web" and metric_name("cited share") == "fr"
    assert metrics()["fp"].label == "faithfulness"
    assert not [metric for metric in metrics().values() if re.match(r"FP\b", metric.label)]


@pytest.mark.slow
def test_a_gate_takes_the_name_and_its_document_has_the_key(judged_study: Path, drr: Drr) -> None:
    def gate(requirement: str, *more: str) -> tuple[int, str, str]:
        return drr("study", "gate", judged_study, "--require", requirement, *more)

    rows = [json.loads(gate(f"{name}>=0.01", "--json")[1])["checks"] for name in ("fp", "faithfulness")]
    assert rows[0] == rows[1] and rows[0][0]["metric"] == "fp"
    assert "faithfulness >= 0.01" in gate("fp>=0.01")[1]
    code, _, err = gate("faithfulnes>=0.01")
    assert code == 2 and "did you mean faithfulness" in err
    figures = [gate(f"react:{name} <= 1", "--json")[1] for name in ("fr", "cited share")]
    assert json.loads(figures[0])["checks"][0]["figure"] == json.loads(figures[1])["checks"][0]["figure"]
    assert "cited share <= 1" in gate("fr<=1")[1]
    assert "judged for it: react faithfulness file >= 0" in gate("react:fp_file>=0")[1].replace("\n", " ")


@pytest.mark.long
def test_sums_of_papers_stand_where_it_was_judged(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    """The document has them all the same, and `--paper` asks for them."""
    drr.out("report", judged_study, "--out", tmp_path / "plain")
    tables = {file.stem.partition("-")[0] for file in (tmp_path / "plain" / "tables").glob("*.csv")}
    assert not tables & {"papers", "pqr", "dr3", "reporteval"}
    assert "faithfulness" in (tmp_path / "plain" / "tables" / "faithfulness.md").read_text("utf-8")
    drr.out("report", judged_study, "--out", tmp_path / "pdr", "--paper", "pdr")
    assert (tmp_path / "pdr" / "tables" / "papers.csv").is_file()
    figures = next(iter(drr.json("report", judged_study)["metrics"].values()))
    assert "pqr_r" in figures and metrics_without_verdicts(figures) == {
        name for name in figures if name.startswith(FOREIGN)
    }
    assert metrics_without_verdicts({"pqr_r", "pqr_p", "dr3_fa"}) == {"dr3_fa"}


def test_compare_prints_what_was_judged(judged_study: Path, drr: Drr) -> None:
    words = ["study", "compare", str(judged_study), "react", "react+ws"]
    document = drr.json(*words)["metrics"]
    assert {"fp", "pqr_r", "fp_file"} <= document.keys()
    rows = [re.split(r"\s{2,}", line)[0] for line in drr.out(*words, "--full").splitlines()]
    assert {"faithfulness", "faithfulness product", "cited share", "overall"} <= {*rows}
    assert not {metric.label for name, metric in metrics().items() if name.startswith(FOREIGN)} & {*rows}
    assert not {"fp", "faithfulness file", "N file"} & {*rows}
