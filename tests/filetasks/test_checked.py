"""Rules over a report on a task with files: a part of what was read is no invention, and nobody is accused of what a picture shows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from drr.app.report.calls import tool_calls
from drr.eval.checks import Subject, check_report
from drr.eval.evidence.answers import Answer

from tests.cases import cases, table

ROWS = "file://orders%202022.csv#row=2-7"
CELLS = "file://log.xlsx#cell=Measured!A1:D6"
TEXTS = cases("filetasks", "TEXTS")


def checked(sentence: str, address: str) -> dict[str, Any]:
    report = f"{sentence} [1].\n\n## Sources\n[1] It: {address}\n"
    return check_report(Subject(report, returned=frozenset(TEXTS), texts=TEXTS))


@table("filetasks", "a_part_of_what_was_read_of_a_file_is_not_made_up")
def test_a_part_of_what_was_read_of_a_file_is_not_made_up(address: str, status: str) -> None:
    assert checked("It is so", address)["fabricated_citation"].status == status


@table("filetasks", "figures_are_held_against_what_was_read_around_the_place")
def test_figures_are_held_against_what_was_read_around_the_place(
    sentence: str, address: str, status: str
) -> None:
    assert checked(sentence, address)["numbers_in_evidence"].status == status


def answers(world: dict[str, str], *names: str) -> list[Answer]:
    calls = [{"name": name, "kind": "api"} for name in names]
    record = SimpleNamespace(key_fields=world, result={})
    one = SimpleNamespace(query_id="q", asked="q", variant="react", usage={}, calls=calls, record=record)
    return [cast(Answer, one)]


def test_tools_for_files_are_tools_and_those_of_no_shop_are_not_listed() -> None:
    of_files = tool_calls({"a": answers({"world": "files"}, "list_files", "web_search", "made_up")})["a"]
    assert list(of_files)[:2] == ["web_search", "list_files"] and len(of_files) == 5
    assert of_files["list_files"] == {"q": [1.0]} and of_files["unknown tools"] == {"q": [1.0]}
    both = tool_calls({"a": answers({"world": "files", "shop": "x"}, "list_files")})["a"]
    assert len(both) == 9 + 1 + 3
    assert len(tool_calls({"a": answers({}, "web_search")})["a"]) == 9 + 3
