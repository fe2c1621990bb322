"""Each filter lets a good task through and refuses one that was spoiled in its own way; rules over reports on files accuse no more."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import drr.papers.dr3
import pytest
from drr.app.report.calls import tool_calls
from drr.eval.checks import check_report
from drr.eval.checks.base import Subject
from drr.eval.evidence.answers import Answer
from drr.llm.prompts import Prompts
from drr.papers.dr3.form import CORPUS, QUESTION, TRUTH
from drr.papers.dr3.making.checking import FILTERS
from drr.papers.dr3.making.source_need import (
    EVERYTHING,
    NOTHING,
    facts_not_stated,
    messages,
    problems_without,
    source_conditions,
)
from drr.papers.dr3.making.task_files import StoredTask

from tests.cases import cases, table
from tests.filetasks.made import write_known_task


@pytest.fixture
def folder(given: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(given / "001", tmp_path / "001"))


def edit(folder: Path, name: str, change: Callable[[dict[str, Any]], object]) -> None:
    document = json.loads((folder / name).read_text("utf-8"))
    change(document)
    (folder / name).write_text(json.dumps(document), encoding="utf-8")


def edit_page(folder: Path, url: str, change: Callable[[str], str]) -> None:
    rows = [json.loads(line) for line in (folder / CORPUS).read_text("utf-8").splitlines()]
    for row in rows:
        row["text"] = change(row["text"]) if row["url"] == url else row["text"]
    (folder / CORPUS).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def ask(folder: Path, more: str, instead: str | None = None) -> None:
    edit(
        folder,
        QUESTION,
        lambda row: row.update(query=f"{row['query'] if instead is None else instead} {more}"),
    )


def told(folder: Path, name: str) -> list[str]:
    return [one.text for one in FILTERS[name](StoredTask(folder))]


def test_a_good_task_passes(folder: Path) -> None:
    assert [told(folder, name) for name in FILTERS] == [[]] * 4


@pytest.mark.parametrize("change", ["as it is", "swapped", "other endings", "words between", "apart"])
def test_a_question_that_says_a_search_term_is_refused(folder: Path, change: str) -> None:
    term = {"term": "dented kettle warranty claim", "role": "signal", "facts": ["p1"]}
    said = {
        "as it is": "dented kettle warranty claim",
        "swapped": "claim of warranty, kettle dented",
        "other endings": "denting kettles and a warranty claimed",
        "words between": "dented the kettle, warranty to claim",
        "apart": f"Dented kettle. {'So it goes on. ' * 4} A warranty claim.",
    }[change]
    edit(folder, TRUTH, lambda row: row["terms"].append(term))
    ask(folder, said)
    exposed = [one for one in told(folder, "guidance") if term["term"] in one]
    assert len(exposed) == (change != "apart")


def test_a_question_and_terms_that_lead_elsewhere_are_refused(folder: Path) -> None:
    task = StoredTask(folder)
    ask(folder, "zebra quorum xylophone", instead="")
    assert [one.partition(": ")[0] for one in told(folder, "guidance")] == list(task.sizes.sizes)
    edit(folder, TRUTH, lambda row: row.update(terms=[one for one in row["terms"] if one["role"] == "noise"]))
    lost = [one for one in told(folder, "guidance") if "no signal term leads to" in one]
    assert len(lost) == len(task.supportive) * len(task.sizes.sizes)


def test_what_is_needless_or_lost_is_refused(folder: Path) -> None:
    truth = StoredTask(folder).truth
    fact, other = truth.of("page")[0], truth.of("file")[0]
    place = fact.places[0].address

    def places(*kept: dict[str, Any]) -> Callable[[dict[str, Any]], object]:
        return lambda row: [one.update(places=kept) for one in row["facts"] if one["id"] == fact.id]

    both = [one.model_dump() for one in (*fact.places, *other.places)]
    edit(folder, TRUTH, places())
    assert f"fact {fact.id}: stands in no file and no supportive page" in told(folder, "necessity")
    edit(folder, TRUTH, places(*both))
    assert f"{place}: can be left out" in told(folder, "necessity")[0]
    edit(folder, TRUTH, places(both[0]))
    edit_page(folder, place, lambda text: text.replace(fact.value, "some"))
    assert f"fact {fact.id}: {place} does not say" in told(folder, "necessity")[0]
    (folder / "files" / "more.md").write_text(f"As they told me, {fact.value} in all.", encoding="utf-8")
    edit(folder, QUESTION, lambda row: row["files"].append("more.md"))
    found = told(folder, "necessity")
    assert f"fact {fact.id}: more.md says {fact.value!r} too" in found
    assert any(one.startswith("more.md: can be left out") for one in found)


def test_what_is_said_elsewhere_is_refused(folder: Path) -> None:
    task = StoredTask(folder)
    fact = task.truth.of("page")[0]
    known = {one.url for one in task.truth.pages}
    noise = next(page for page in task.pages if page.url not in known)
    edit_page(folder, noise.url, lambda text: f"{text}\n\n{fact.subject}: 1{fact.value}.")
    assert told(folder, "novelty") == []  # another figure
    edit_page(folder, noise.url, lambda text: f"{text}\n\n{fact.subject}: {fact.value}.")
    assert told(folder, "novelty") == [
        f"fact {fact.id}: {noise.url} says {fact.value!r} of {fact.subject!r} too"
    ]
    for one in task.truth.facts:
        ask(folder, f"I think {one.value}.", instead=task.question.query)
        assert f"fact {one.id}: the question says {one.value!r}" in told(folder, "novelty")


def test_what_can_be_read_in_two_ways_is_refused(folder: Path) -> None:
    def names(row: dict[str, Any]) -> None:
        row["facts"][0]["places"][0]["names"] = "our zebra corner"
        row["facts"].append({**row["facts"][1], "id": "f9", "value": "another"})

    edit(folder, TRUTH, names)
    called, twice = sorted(told(folder, "unambiguity"))
    assert "does not call it 'our zebra corner'" in called and twice.startswith("facts f2 and f9: ")


ROWS = "file://orders%202022.csv#row=2-7"
TEXTS = cases("filetasks", "TEXTS")


def checked(sentence: str, address: str) -> dict[str, Any]:
    report = f"{sentence} [1].\n\n## Sources\n[1] It: {address}\n"
    return check_report(Subject(report, returned=frozenset(TEXTS)))


@table("filetasks", "a_part_of_what_was_read_of_a_file_is_not_made_up")
def test_a_part_of_what_was_read_of_a_file_is_not_made_up(address: str, status: str) -> None:
    assert checked("It is so", address)["fabricated_citation"].status == status


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
def known_task(tmp_path_factory: pytest.TempPathFactory) -> StoredTask:
    return StoredTask(write_known_task(tmp_path_factory.mktemp("without") / "007"))


def test_each_request_lacks_what_was_left_out_and_holds_the_rest(known_task: StoredTask) -> None:
    names = source_conditions(known_task)
    assert names[0] == NOTHING and names[-1] == EVERYTHING and len(names) == 10
    asked = {name: messages(PROMPTS, known_task, name)[0].text for name in names}
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
    known_task: StoredTask, without: str, answer: str, checks: list[str]
) -> None:
    answers = {**dict.fromkeys(source_conditions(known_task), UNKNOWN), without: answer}
    assert [one.check for one in problems_without(known_task, answers)] == checks


def test_what_is_not_told_with_everything_at_hand_is_listed(known_task: StoredTask) -> None:
    answers = {NOTHING: "36 months, 58 cm, $49.00 or 49.00, 45 days, 30 days, every 4 weeks."}
    assert [one.fact for one in facts_not_stated(known_task, answers)] == ["f7"]  # only words say it
