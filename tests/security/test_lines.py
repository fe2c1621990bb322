"""Lines that are no line, and files in which a name stands twice: refused by what is wrong with them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from drr.eval.evidence.imported import read_reports
from drr.study.export import export
from drr.study.study import Study

from tests.cases import cases
from tests.commands import Drr
from tests.security.test_names import plan_with

LINE = cases("security", "LINE")
BAD: list[dict[str, Any]] = cases("security", "BAD")
GOOD: list[dict[str, Any]] = [
    {}, {"name": "web_search"}, {"name": "web_search", "arguments": {"query": "x"}, "result": "", "seconds": 1}, {"extra": [1]},
    {"error": {"kind": "timeout", "message": "late"}, "ok": False}, {"error": None, "number": 3, "result_sha256": None},
]  # fmt: skip


@pytest.mark.parametrize("call", BAD)
def test_a_tool_call_of_another_form_is_refused_by_its_line(call: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "reports.jsonl"
    file.write_text(
        json.dumps(LINE) + "\n" + json.dumps({**LINE, "id": "2", "tool_calls": [{}, call]}) + "\n"
    )
    read = read_reports(file)
    assert [line for line, _ in read.reports] == [1]
    ((line, why),) = read.refused
    assert line == 2
    assert re.match(r"tool_calls: .*call 2, (\w+)", why)


def test_whatever_is_taken_in_is_exported(drr: Drr, tmp_path: Path) -> None:
    lines = [{**LINE, "id": str(n), "trial": n, "tool_calls": [call]} for n, call in enumerate(GOOD)]
    Path("reports.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert drr("import", "study", "reports.jsonl", "--quiet")[0] == 0
    with Study.open(Path("study")) as study:
        assert export(study, tmp_path / "tables")["tool_calls"] == len(GOOD)


REPORT = {
    "id": "1", "system": "s", "query": "which?", "report_markdown": "None.", "tool_calls": [{"name": "a"}],
}  # fmt: skip
QUERY = {"id": "q", "query": "which?", "user_id": "U"}
CASES: list[tuple[str, Any, str, tuple[str, ...]]] = cases("security", "CASES")


@pytest.mark.parametrize(("name", "line", "key", "words"), CASES)
def test_a_key_twice(drr: Drr, box: Path, name: str, line: Any, key: str, words: tuple[str, ...]) -> None:
    if "study" in words:
        first = {"id": "1", "system": "s", "query": "which?", "report_markdown": "None."}
        Path("first.jsonl").write_text(json.dumps(first) + "\n")
        assert drr("import", "study", "first.jsonl", "--quiet")[0] == 0
        Path("study/annotation").mkdir()
        Path("study/annotation/plan.json").write_text(json.dumps(plan_with("ann")))
    text = json.dumps(line)
    at = text.index(f'"{key}":')
    Path(name).write_text(f'{text[:at]}"{key}": "another", {text[at:]}\n')
    code, _, err = drr(*(str(box / "shop") if word == "shop" else word for word in words))
    assert code == 2 and f"the key '{key}' stands there twice" in err and err.count("\n") == 1, err
