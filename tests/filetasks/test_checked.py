"""What is checked without a shopper: rules over reports on files, and answers that lack each source in turn."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import drr.papers.dr3
import pytest
from drr.app.report.calls import tool_calls
from drr.eval.checks import Subject, check_report
from drr.eval.evidence.answers import Answer
from drr.llm.prompts import Prompts
from drr.papers.dr3.making.checking import StoredTask
from drr.papers.dr3.making.without import EVERYTHING, NOTHING, conditions, messages, problems_without, untold

from tests.cases import cases, table
from tests.filetasks.made import write_known_task

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
def test_figures_are_held_against_what_was_read(sentence: str, address: str, status: str) -> None:
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


PROMPTS = Prompts(Path(drr.papers.dr3.__file__).parent / "prompts")
UNKNOWN = "Nothing here says it."


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> StoredTask:
    return StoredTask(write_known_task(tmp_path_factory.mktemp("without") / "007"))


def test_each_request_lacks_what_was_left_out_and_holds_the_rest(task: StoredTask) -> None:
    names = conditions(task)
    assert names[0] == NOTHING and names[-1] == EVERYTHING and len(names) == 10
    asked = {name: messages(PROMPTS, task, name)[0].text for name in names}
    assert (
        "36 months" in asked[NOTHING]
        and "every 4 weeks" in asked[NOTHING]
        and "TOTAL $49.00" in asked[NOTHING]
    )
    assert "36 months" not in asked["manual.pdf"] and "every 4 weeks" in asked["manual.pdf"]
    assert "TOTAL" not in asked["slip.png"]
    assert "(nothing)" in asked[EVERYTHING] and "58 cm" not in asked[EVERYTHING]
    assert all("hidden" not in text and "every 9 weeks" not in text for text in asked.values())


@pytest.mark.parametrize(
    ("without", "answer", "checks"),
    [
        ("manual.pdf", "The kettle is covered for three years, I believe.", ["left_out"]),
        ("manual.pdf", "The kettle is covered for 24 months.", []),
        ("slip.png", "It cost $49.00.", []),  # the orders say so
        (EVERYTHING, "Most shops take kettles back within 30 days.", ["closed_book"]),
        (NOTHING, "36 months, 58 cm, $49.00, 45 days, 30 days, every 4 weeks.", []),
    ],
)
def test_only_what_nothing_says_counts(
    task: StoredTask, without: str, answer: str, checks: list[str]
) -> None:
    answers = {**dict.fromkeys(conditions(task), UNKNOWN), without: answer}
    assert [one.check for one in problems_without(task, answers)] == checks


def test_what_is_not_told_with_everything_at_hand_is_listed(task: StoredTask) -> None:
    answers = {NOTHING: "36 months, 58 cm, $49.00 or 49.00, 45 days, 30 days, every 4 weeks."}
    assert [one.fact for one in untold(task, answers)] == ["f7"]  # only words say it
