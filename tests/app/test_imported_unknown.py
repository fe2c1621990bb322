"""What an answer of another system took nobody told: it is unknown wherever it is shown, and never nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import Pages
from drr.study.study import Study


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("imported")
    row = {"id": "a", "system": "other", "query": "Which feeder?", "report_markdown": "# Feeders\n\nOne."}
    (home / "reports.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert main(["import", str(home / "study"), str(home / "reports.jsonl"), "--quiet"]) == 0
    return home / "study"


def test_the_viewer_calls_it_unknown(imported: Path) -> None:
    with Study.open(imported) as study:
        reader = Reader(study)
        view = reader.report(reader.entries()[0].key)
        assert view is not None
        page = Pages("s", served=False).report(view)
    assert "<dt>seconds</dt><dd>unknown</dd>" in page and "<dt>cost</dt><dd>unknown</dd>" in page
    assert "$0" not in page


def test_trace_and_status_call_it_unknown(imported: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(imported)]) == 0
    listed = capsys.readouterr().out
    assert "unknown" in listed and "0.0 s" not in listed
    key = listed.split()[0]
    assert main(["trace", str(imported), key]) == 0
    told = capsys.readouterr().out
    assert "what it cost and how long it took is unknown" in told and "0.0 s" not in told
    assert main(["trace", str(imported), key, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["seconds"] is None and document["cost_usd"] is None
    assert main(["status", str(imported)]) == 0
    assert "what the 1 imported answer cost is unknown" in capsys.readouterr().out


def test_an_export_leaves_it_open(imported: Path, tmp_path: Path) -> None:
    assert main(["export", str(imported), "--out", str(tmp_path / "tables")]) == 0
    (row,) = map(json.loads, (tmp_path / "tables" / "units.jsonl").read_text(encoding="utf-8").splitlines())
    assert [row[name] for name in ("calls", "input_tokens", "output_tokens", "cost_usd", "seconds")] == [
        None
    ] * 5
