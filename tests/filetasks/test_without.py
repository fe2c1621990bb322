"""Answers without each source: what is told although its source was left out is accused, and nothing else."""

from __future__ import annotations

from pathlib import Path

import drr.papers.dr3
import pytest
from drr.llm.prompts import Prompts
from drr.papers.dr3.making.checking import StoredTask
from drr.papers.dr3.making.without import EVERYTHING, NOTHING, conditions, messages, problems_without, untold

from tests.filetasks.known import write_known_task

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
def test_only_a_value_that_nothing_left_says_is_accused(
    task: StoredTask, without: str, answer: str, checks: list[str]
) -> None:
    answers = {**dict.fromkeys(conditions(task), UNKNOWN), without: answer}
    assert [one.check for one in problems_without(task, answers)] == checks


def test_what_is_not_told_with_everything_at_hand_is_listed(task: StoredTask) -> None:
    answers = {NOTHING: "36 months, 58 cm, $49.00 or 49.00, 45 days, 30 days, every 4 weeks."}
    assert [one.fact for one in untold(task, answers)] == ["f7"]  # only words say it
