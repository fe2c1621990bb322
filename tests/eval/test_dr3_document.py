"""Tasks with files size by size and option by option, paired by task; where facts stand; kinds of errors with the words that show them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.eval.judging.plan import JudgeOptions
from drr.eval.judging.read import choose, read_judged
from drr.eval.judging.run import judge
from drr.eval.metrics.document import study_document
from drr.papers.dr3.judging.truths import KnownTask, KnownTasks
from drr.papers.dr3.metrics.document import dr3_document, option_pairs
from drr.papers.dr3.metrics.rows import Dr3Document, errors_of
from drr.study.study import Study

from tests.eval.dr3_truth import OLD, RIGHT, UPKEEP, truth
from tests.eval.nursery import answer, desk, offline, put, web

PAGES = [
    web(RIGHT, "The Oakmere steel kettle is under warranty for 54 months."),
    web(UPKEEP, "A kettle costs something."),
]
ALL = f"The Oakmere is covered for 54 months ({RIGHT}). The Brightpail takes $18.90 a year ({UPKEEP}). You bought the Oakmere on 2020-07-17."
HALF = f"The Oakmere is covered for 54 months ({RIGHT})."
LED_ASTRAY = f"The Oakmere is under warranty for 36 months ({OLD}). A whale can hold its breath for an hour and more ({RIGHT})."
REPORTS = {
    ("001@32k", "dr3"): ALL,
    ("001@128k", "dr3"): HALF,
    ("002@32k", "dr3"): HALF,
    ("002@128k", "dr3"): LED_ASTRAY,
    ("001@32k", "dr3+validate"): HALF,
    ("002@32k", "dr3+validate"): LED_ASTRAY,
}


async def _filled(study: Study) -> None:
    """Judged by rules, whole."""
    answers = [answer(query, variant, text, PAGES) for (query, variant), text in REPORTS.items()]
    await put(study, *answers)
    models = offline()
    known = {f"q-{query}": KnownTask(truth(), ("slip.png", "plan.xlsx")) for query, _ in REPORTS}
    ran = await judge(
        study, desk(study, models, choices={KnownTasks: KnownTasks(known)}), models, JudgeOptions(["dr3"])
    )
    assert ran.summary.ok


@pytest.fixture
async def document(study: Study) -> Dr3Document:
    await _filled(study)
    found = dr3_document(read_judged(study, choose(study)))
    assert found is not None
    return found


async def test_what_answering_and_judging_took_is_told(study: Study) -> None:
    await _filled(study)
    systems = study_document(study)["dr3"]["cost"]["systems"]
    assert {"dr3", "dr3+validate"} <= systems.keys()
    for own in systems.values():
        assert own["agent"].keys() == own["judge"].keys() == {"tokens", "calls", "seconds", "usd"}
        assert own["judge"]["usd"]["value"] == 0.0


async def test_sizes_and_options_are_paired_by_task(document: Dr3Document) -> None:
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
    assert {name: row["value"] for name, row in document["modalities"]["dr3"].items()} == {
        "text": 50,
        "table": 0,
        "picture": 25,
    }


async def test_errors_have_the_words_that_show_them(study: Study) -> None:
    await _filled(study)
    judged = read_judged(study, choose(study))
    by_label = {one.label: one for one in judged.answers}
    astray = errors_of(judged, by_label["q-002@128k/dr3/0"]) or []
    assert [(one.label, one.words[:30]) for one in astray] == [
        ("hallucination", "A whale can hold its breath fo"),
        ("not_found", "Oakmere steel kettle: purchase"),
        ("not_found", "Oakmere steel kettle: upkeep a"),
        ("not_found", "the place at home: width of th"),
        ("distracted", "The Oakmere is under warranty "),
        ("not_written", "Oakmere steel kettle: warranty"),
        ("not_found", "Brightpail steel kettle: upkee"),
    ]
    told = errors_of(judged, by_label["q-001@32k/dr3/0"]) or []
    assert [one.words for one in told if one.label == "uncited"] == ["You bought the Oakmere on 2020-07-17."]


def test_options_are_of_one_architecture() -> None:
    """Each goes with the one that has all of its options but one, as far as there is such a one."""
    systems = [
        "react", "dr3+validate", "dr3", "react+ws@task", "react+ws", "ledger", "dr3+validate@turns:3",
        "dr3@dense",
    ]  # fmt: skip
    assert option_pairs([*systems, "plan@none", "plan@supportive"]) == [
        ("react+ws@task", "react+ws"),
        ("react+ws", "react"),
        ("dr3+validate", "dr3"),
        ("dr3+validate@turns:3", "dr3+validate"),
        ("dr3@dense", "dr3"),
        ("plan@supportive", "plan@none"),
    ]
    several = [
        "dr3@offline",
        "dr3@openai:a",
        "dr3@openai:a@dense",
        "dr3@openai:a@dense:openai:b",
        "dr3+validate@openai:a",
    ]
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
    assert list(dict.fromkeys(row["row"] for row in rows))[:3] == [
        "dr3, 32k",
        "dr3, 128k",
        "dr3: 128k minus 32k",
    ]
    assert (tmp_path / "report" / "figures" / "dr3-sizes.svg").is_file()
    for name in ("dr3", "dr3-sizes", "dr3-options", "dr3-noise"):
        assert "not measured" in (tables / f"{name}.md").read_text(encoding="utf-8")
    assert "The Brightpail takes $18.90 a year." in (tables / "dr3-errors.md").read_text(encoding="utf-8")
