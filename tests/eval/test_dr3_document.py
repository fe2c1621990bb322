"""Tasks with files size by size and option by option, paired by task; where facts stand; kinds of errors with the words that show them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.eval.agreement.study import agreement_document, study_labels
from drr.eval.labels import CriterionLabel
from drr.eval.metrics.document import study_document
from drr.eval.tasks.judgements import Judged
from drr.papers.dr3.judging.finding import ReportFacts
from drr.papers.dr3.judging.rows import RequiredFactRow
from drr.papers.dr3.judging.subjects import TaskSubjects
from drr.papers.dr3.judging.truths import KnownTask, KnownTasks
from drr.papers.dr3.metrics.document import dr3_document, option_pairs
from drr.papers.dr3.metrics.rows import errors_of
from drr.papers.dr3.value_forms import StatedValue
from drr.study.study import Study

from tests.cases import cases, each
from tests.eval.dr3_truth import FACTS, OLD, PAGES, QUESTION, RIGHT, RUMOR, UPKEEP, truth
from tests.eval.nursery import answer, by_rules, put, web

KETTLE_PAGES = [
    web(RIGHT, "The Oakmere steel kettle is under warranty for 54 months."),
    web(UPKEEP, "A kettle costs something."),
]
ALL = f"The Oakmere is covered for 54 months ({RIGHT}). The Brightpail takes $18.90 a year ({UPKEEP}). You bought the Oakmere on 2020-07-17."
HALF = f"The Oakmere is covered for 54 months ({RIGHT})."
LED_ASTRAY = f"The Oakmere is under warranty for 36 months ({OLD}). A whale can hold its breath for an hour and more ({RIGHT})."
REPORTS = {
    ("001@32k", "dr3"): ALL, ("001@128k", "dr3"): HALF, ("002@32k", "dr3"): HALF,
    ("002@128k", "dr3"): LED_ASTRAY, ("001@32k", "dr3+validate"): HALF,
    ("002@32k", "dr3+validate"): LED_ASTRAY,
}  # fmt: skip


async def _filled(study: Study) -> Judged:
    """Judged by rules, whole."""
    answers = [answer(query, variant, text, KETTLE_PAGES) for (query, variant), text in REPORTS.items()]
    await put(study, *answers)
    return await _judged(study, *(f"q-{query}" for query, _ in REPORTS))


async def _judged(study: Study, *queries: str) -> Judged:
    known = {query: KnownTask(truth(), ("slip.png", "plan.xlsx")) for query in queries}
    return await by_rules(study, ["dr3"], choices={KnownTasks: KnownTasks(known)})


async def test_what_answering_and_judging_took_is_told(study: Study) -> None:
    await _filled(study)
    systems = study_document(study)["dr3"]["cost"]["systems"]
    assert {"dr3", "dr3+validate"} <= systems.keys()
    for own in systems.values():
        assert own["agent"].keys() == own["judge"].keys() == {"tokens", "calls", "seconds", "usd"}
        assert own["judge"]["usd"]["value"] == 0.0


async def test_sizes_and_options_are_paired_by_task(study: Study) -> None:
    document = dr3_document(await _filled(study))
    assert document is not None
    sizes = document["sizes"]["dr3"]
    assert list(sizes) == ["32k", "128k"]
    assert [sizes[size]["dr3_ir_sc"]["value"] for size in sizes] == [75, 25]
    (between,) = document["between_sizes"]
    assert (between["system"], between["a"], between["b"]) == ("dr3", "128k", "32k")
    assert between["metrics"]["dr3_ir_sc"]["value"] == -50 and between["metrics"]["dr3_ir_sc"]["n"] == 2
    (option,) = document["between_options"]
    assert (option["a"], option["b"]) == ("dr3+validate", "dr3")
    assert option["metrics"]["dr3_ir_sc"]["value"] == pytest.approx(-50)  # 32k alone: -50 and -50
    assert option["metrics"]["dr3_ir_sc"]["p_holm"] is not None
    modalities = {name: row["value"] for name, row in document["modalities"]["dr3"].items()}
    assert modalities == {"text": 50, "table": 0, "picture": 25}


async def test_errors_have_the_words_that_show_them(study: Study) -> None:
    judged = await _filled(study)
    by_label = {one.label: one for one in judged.answers}
    astray = errors_of(judged, by_label["q-002@128k/dr3/0"]) or []
    assert [[one.label, one.words[:30]] for one in astray] == cases(
        "eval", "test_errors_have_the_words_that_show_them"
    )
    told = errors_of(judged, by_label["q-001@32k/dr3/0"]) or []
    assert [one.words for one in told if one.label == "uncited"] == ["You bought the Oakmere on 2020-07-17."]


def test_options_are_of_one_architecture() -> None:
    """Each goes with the one that has all of its options but one, as far as there is such a one."""
    systems = [
        "react", "dr3+validate", "dr3", "react+ws@task", "react+ws", "plan-to-function", "dr3+validate@turns:3",
        "dr3@dense",
    ]  # fmt: skip
    assert [list(two) for two in option_pairs([*systems, "plan@none", "plan@supportive"])] == cases(
        "eval", "test_options_are_of_one_architecture"
    )
    several = cases("eval", "OPTIONS_OF_SEVERAL_MODELS")
    assert option_pairs(several) == [
        ("dr3@openai:a", "dr3@offline"),
        ("dr3@openai:a@dense", "dr3@openai:a"),
        ("dr3@openai:a@dense:openai:b", "dr3@openai:a"),
        ("dr3+validate@openai:a", "dr3@openai:a"),
    ]


@pytest.mark.long
async def test_tables_and_the_figure_stand_in_the_report(tmp_path: Path) -> None:
    with Study.create(tmp_path / "study", {"schema": 1, "run": {}}) as study:
        await _filled(study)
    assert main(["report", str(tmp_path / "study"), "--out", str(tmp_path / "report")]) == 0
    tables = tmp_path / "report" / "tables"
    assert {path.stem for path in tables.glob("dr3*.csv")} == {
        *("dr3", "dr3-beside", "dr3-sizes", "dr3-options", "dr3-modality", "dr3-errors", "dr3-noise"),
    }
    rows = list(csv.DictReader((tables / "dr3-sizes.csv").read_text(encoding="utf-8").splitlines()))
    shown = list(dict.fromkeys(row["row"] for row in rows))
    assert shown[:3] == ["dr3, 32k", "dr3, 128k", "dr3: 128k minus 32k"]
    assert (tmp_path / "report" / "figures" / "dr3-sizes.svg").is_file()
    for name in ("dr3", "dr3-sizes", "dr3-options", "dr3-noise"):
        assert "not measured" in (tables / f"{name}.md").read_text(encoding="utf-8")
    assert "The Brightpail takes $18.90 a year." in (tables / "dr3-errors.md").read_text(encoding="utf-8")


TOLD = cases("eval", "TOLD")


async def test_people_are_held_against_the_judge_by_the_same_figures(study: Study) -> None:
    reports = [". ".join(TOLD[:many]) + f" ({RIGHT})." for many in (1, 2, 3)]
    await put(study, *(answer("kettle", f"system-{n}", text) for n, text in enumerate(reports)))
    judged = await _judged(study, "q-kettle")
    own = [one for one in study_labels(judged) if isinstance(one, CriterionLabel)]
    assert {one.criterion for one in own} == {f"dr3_{name}" for name in ("ir_uf", "ir_sc", "cc", "if", "dq")}
    assert {one.criterion: one.label for one in own if one.id == "q-kettle/system-1/0"}["dr3_ir_sc"] == 10
    people = [one.model_copy(update={"judge": "ann", "label": min(10.0, one.label / 2 + 1)}) for one in own]
    document = agreement_document(study, people)
    assert document is not None
    (pair,) = document["criteria"]["pairs"]
    assert pair["judges"] == ["rules-2", "ann"]
    report = pair["dimensions"]["DR3"]["report"]
    assert (report["par"]["value"], report["spearman"]["value"]) == (1, 1)
    assert report["pearson"]["value"] == pytest.approx(1)


def rows(report: str, asked: str = QUESTION, **of: Any) -> dict[str, RequiredFactRow]:
    one = truth(**of)
    here = ReportFacts(report, TaskSubjects(one.facts, one.pages, asked), one.facts)
    return {row["id"]: row for row in here.rows(one.pages)}


def scores(report: str) -> dict[str, float | None]:
    return {name: row["score"] for name, row in rows(report).items() if row["score"] != 0}


def said_again(report: str) -> list[list[str]]:
    return [[name, one["value"]] for name, row in rows(report).items() for one in row["repeated"]]


WHOLLY = cases("eval", "WHOLLY")


@each(("name", "report"), [(name, one) for name, many in WHOLLY.items() for one in many])
def test_a_fact_is_found_in_whatever_words(name: str, report: str) -> None:
    found = rows(report)[name]
    assert found["score"] == 1, found
    start, end = found["spans"][0]
    assert StatedValue(found["value"]).places(" ".join(report[start:end].split()))


@each(("report", "found"), cases("eval", "test_nothing_is_found_that_is_not_told"))
def test_nothing_is_found_that_is_not_told(report: str, found: dict[str, float]) -> None:
    assert scores(report) == found


@pytest.mark.parametrize(
    ("report", "repeated"),
    cases("eval", "test_what_a_distractor_says_is_accused_only_where_that_is_certain", globals()),
)
def test_what_a_distractor_says_is_accused_only_where_that_is_certain(
    report: str, repeated: list[list[str]]
) -> None:
    assert said_again(report) == repeated


SET_ASIDE = cases("eval", "SET_ASIDE")


@pytest.mark.parametrize("report", SET_ASIDE)
def test_a_value_mentioned_to_be_set_aside_is_no_harm(report: str) -> None:
    assert said_again(report) == []


@pytest.mark.parametrize(
    ("report", "score"),
    cases("eval", "test_a_report_that_tells_both_values_is_in_doubt_and_not_accused", globals()),
)
def test_a_report_that_tells_both_values_is_in_doubt_and_not_accused(report: str, score: float) -> None:
    assert (rows(report)["p1"]["score"], said_again(report)) == (score, [])


@pytest.mark.parametrize(
    "report", cases("eval", "test_a_true_value_that_is_set_aside_or_worked_out_is_not_told")
)
def test_a_true_value_that_is_set_aside_or_worked_out_is_not_told(report: str) -> None:
    assert (rows(report)["p1"]["score"], said_again(report)) == (0, [["p1", "36 months"]])


def test_what_is_wrong_with_a_thing_disowns_no_statement() -> None:
    assert said_again("What is wrong with the Brightpail is its upkeep: $25.33.") == [["p2", "$25.33"]]
    assert said_again("Something is wrong with the figure of $25.33 for the Brightpail.") == []


@pytest.mark.parametrize(
    ("report", "found"),
    cases("eval", "test_what_names_nothing_is_of_what_stands_in_the_document_it_cites", globals()),
)
def test_what_names_nothing_is_of_what_stands_in_the_document_it_cites(
    report: str, found: dict[str, float]
) -> None:
    assert scores(report) == found


def test_a_distractors_value_under_its_own_address_is_accused_without_a_name() -> None:
    assert said_again(f"Yearly sum: $25.33 [1].\n\n[1] {RUMOR}") == [["p2", "$25.33"]]
    assert said_again(f"Other kettles: $25.33 [1].\n\n[1] {RUMOR}") == []
    assert said_again(f"Yearly sum: $25.33 [1].\n\n[1] {RIGHT}") == []


def test_one_that_is_said_to_be_owned_is_yours() -> None:
    asked = "I own an Oakmere steel kettle. Is the Brightpail steel kettle better?"
    assert rows("Yours takes $54.20 a year.", asked)["f2"]["score"] == 1


def test_an_imported_insight_is_for_a_judge_to_find() -> None:
    text = "Kettles ought to be descaled."
    insight = {
        **FACTS[3],
        "subject": "a page",
        "attribute": "insight",
        "text": text,
        "value": text,
        "made": False,
    }
    (row,) = rows(text, "", facts=[insight], pages=[], checklist=[]).values()
    assert (row["score"], row["repeated"]) == (None, [])


def test_a_long_report_is_read_in_time() -> None:
    """A line for each sentence, each with a value that belongs to nothing named before it."""
    found = rows("# Oakmere\n\n" + "- It costs $54.20 and lasts 54 months, the 17th of July.\n" * 3000)
    assert found["p1"]["score"] == 1
    assert len(found["p1"]["spans"]) == 5


def test_a_sentence_that_never_ends_is_read_as_far_as_one_may_go() -> None:
    """Dates without an end are compared with each other: of 300,000 characters of them that would take minutes."""
    assert scores("The Oakmere costs $54.20, on " + "2021-07-17 " * 30_000 + " for 54 months") == {"f2": 1}


def test_pages_of_a_change_are_named_together() -> None:
    again = {**PAGES[2], "url": "https://old.example/b"}
    found = rows("The Oakmere warranty is 36 months.", "", pages=[*PAGES, again])["p1"]
    assert [row["pages"] for row in found["repeated"]] == [[OLD, again["url"]]]
