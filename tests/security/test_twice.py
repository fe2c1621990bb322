"""A key that stands twice in a line of strangers is refused: its readers would take the last, another program the first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases import cases
from tests.commands import Drr
from tests.security.test_names import plan_with

REPORT = {
    "id": "1", "system": "s", "query": "which?", "report_markdown": "None.", "tool_calls": [{"name": "a"}],
}  # fmt: skip
QUERY = {"id": "q", "query": "which?", "user_id": "U"}
LABEL = {"id": "1", "claim": "c", "evidence": "e", "label": "full", "judge": "ann"}
CASES: list[tuple[str, Any, str, tuple[str, ...]]] = cases("security", "CASES")


@pytest.mark.parametrize(("name", "line", "key", "words"), CASES)
def test_a_key_that_stands_twice_is_refused(
    drr: Drr, box: Path, name: str, line: Any, key: str, words: tuple[str, ...]
) -> None:
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
