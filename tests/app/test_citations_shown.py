"""What each cited address says of its claim, as people see it: tables in every form, the comparison, the page of a report."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.app.commands.compare import _found
from drr.app.console import write_lines
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import Pages
from drr.eval.judging.run import JudgeOptions, judge
from drr.study.study import Study

import drr as face
from tests.commands import Drr
from tests.eval.nursery import answer, desk, offline, put, web
from tests.tampering import tampered

pytestmark = pytest.mark.long

GOOD = "The feeder is cleaned once a week."
CARE, CARS, LOST = "https://care.example/a", "https://cars.example/b", "https://lost.example/c"


def cites(*urls: str) -> str:
    marks = "".join(f"[{n}]" for n, _ in enumerate(urls, 1))
    return f"{GOOD[:-1]} {marks}.\n\n## Sources\n" + "\n".join(f"[{n}] {u}" for n, u in enumerate(urls, 1))


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """Of each question one report with a good citation, one with an idle one beside it and one that could not be read."""
    with Study.create(tmp_path / "study", {"schema": 1, "run": {}}) as study:
        sources = [web(CARE, GOOD), web(CARS, "Cars are red."), web(LOST, None, status="unreachable")]
        for query in "abcdef":
            await put(
                study,
                answer(query, "plain", cites(CARE), sources),
                answer(query, "padded", cites(CARE, CARS, LOST), sources),
            )
        models = offline()
        await judge(study, desk(study, models), models, JudgeOptions(["faithfulness", "citations"]))
    return tmp_path / "study"


def test_tables_comparison_and_verdicts_have_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(folder), "--out", str(tmp_path / "r")]) == 0
    metrics = json.loads((tmp_path / "r" / "metrics.json").read_text("utf-8"))["metrics"]["padded"]
    assert (metrics["fp"]["value"], metrics["fp_citation"]["value"]) == (1.0, 0.5)
    for form in ("md", "tex", "csv"):
        text = (tmp_path / "r" / "tables" / f"citations.{form}").read_text("utf-8")
        assert "Citations one by one" in text or form == "csv"
        assert {"md": "0.50 [", "tex": "$0.50", "csv": "0.5"}[form] in text
        assert "faithfulness by citation" in text or "fp_citation" in text
    capsys.readouterr()
    assert main(["compare", str(folder), "padded", "plain", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    told = document["metrics"]
    assert (told["fp_citation"]["value"], told["fp"]["value"]) == (-0.5, 0.0)
    assert told["fp_citation"]["p"] < 0.05
    for name in ("fp_citation", "fp_citation_strict", "n_citations"):
        told[name]["p_holm"] = 0.01  # of `fp_citation` the interval holds 0
    sure = "plain is better on strict. padded is higher on n. No other difference is sure."
    assert (
        _found(document, {"fp_citation": "alone", "fp_citation_strict": "strict", "n_citations": "n"})[0]
        == sure
    )
    assert main(["compare", str(folder), "padded", "plain"]) == 0
    said, _, rest = capsys.readouterr().out.partition("\n")
    assert said == "No difference is sure."
    assert (
        "Equal on every question (--full shows them): faithfulness, " in rest
        and "\nfaithfulness  " not in rest
    )
    file = tmp_path / "verdicts.jsonl"
    assert main(["report", str(folder), "--verdicts", str(file)]) == 0
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [(line["query"], line["variant"]) for line in lines] == sorted(
        (f"q-{query}", variant) for query in "abcdef" for variant in ["padded"] * 3 + ["plain"]
    )
    padded = [line for line in lines if line["query"] == "q-a" and line["variant"] == "padded"]
    assert [(one["url"], one["status"], one["supports"]) for one in padded] == [
        (CARE, "full", True),
        (CARS, "none", False),
        (LOST, "unreachable", None),
    ]
    assert padded[0]["passages"] == [[0, len(GOOD)]] and padded[0]["text"] == GOOD
    sheet = tmp_path / "verdicts.csv"
    assert main(["report", str(folder), "--verdicts", str(sheet)]) == 0
    rows = list(csv.DictReader(sheet.open(encoding="utf-8")))
    assert [(row["url"], row["status"], row["reason"]) for row in rows] == [
        (line["url"], line["status"], line["reason"]) for line in lines
    ]
    assert (rows[0]["supports"], rows[0]["passages"], rows[2]["supports"]) == (
        "true",
        f"[[0, {len(GOOD)}]]",
        "",
    )
    capsys.readouterr()
    assert main(["study", "trace", str(folder), padded[0]["answer"]]) == 0
    assert capsys.readouterr().out.endswith("--- not supported in full: 0 of 1 cited claim ---\n")
    table = face.verdicts(folder)
    assert table.to_pylist() == lines
    capsys.readouterr()
    for place in (tmp_path / "nowhere" / "v.jsonl", tmp_path):
        assert main(["report", str(folder), "--verdicts", str(place)]) == 2
        err = capsys.readouterr().err
        assert str(place) in err and err.count("\n") == 1
    assert write_lines(tmp_path / "v.jsonl", [{"text": "half \ud800"}]) == 1
    assert json.loads((tmp_path / "v.jsonl").read_text("utf-8")) == {"text": "half \ud800"}
    with Study.open(folder) as study:
        reader = Reader(study)
        view = next(
            view
            for entry in reader.entries()
            if entry.variant == "padded" and (view := reader.report(entry.key)) is not None
        )
        page = Pages("s", served=False).report(view)
    tags = re.findall(r'<span class="tag (\w+)" title="what this source says alone">([^<]+)</span>', page)
    assert tags == [("full", "full"), ("none", "irrelevant"), ("unreachable", "unreachable")]
    assert page.count("<small>alone: ") == 2
    assert "faithfulness by citation" in page


@pytest.fixture
async def doubted(tmp_path: Path) -> Path:
    """An answer with one claim that its page states, and one that its page does not."""
    with Study.create(tmp_path / "study", {"schema": 1, "run": {}}) as study:
        report = cites(CARE, CARS).replace("[1][2].", "[1].\n\nThe hopper holds 12 pounds of seed [2].")
        await put(study, answer("a", "plain", report, [web(CARE, GOOD), web(CARS, "Cars are red.")]))
        models = offline()
        await judge(study, desk(study, models), models, JudgeOptions(["faithfulness"]))
    return tmp_path / "study"


def test_the_trace_of_an_answer_ends_with_the_claims_that_are_not_supported_in_full(
    doubted: Path, drr: Drr
) -> None:
    rows = face.verdicts(doubted).to_pylist()
    key = next(row["answer"] for row in rows if row["together"] != "full")
    own = [row for row in rows if row["answer"] == key]
    open_ = [row for row in own if row["together"] != "full"]
    told = drr.out("study", "trace", doubted, key).partition("--- not supported in full: ")[2]
    claims, doubted = ({row["claim"] for row in some} for some in (own, open_))
    assert told.startswith(f"{len(doubted)} of {len(claims)} cited claims ---\n")
    assert all(f"{row['together']}: {row['text']}" in told and row["reason"] in told for row in open_)
    assert not any(row["text"] in told for row in own if row["claim"] not in doubted)


def test_where_nobody_was_asked_the_tables_say_so(folder: Path, tmp_path: Path) -> None:
    """A study that was judged before, or without: no figure of the reports that happen to need none."""

    with tampered(folder / "ledger.sqlite") as ledger:
        ledger.execute(
            "DELETE FROM records WHERE key IN (SELECT key FROM units WHERE label LIKE 'citations%')"
        )
    assert main(["report", str(folder), "--out", str(tmp_path / "r")]) == 0
    table = (tmp_path / "r" / "tables" / "citations.md").read_text("utf-8")
    assert "12 of 18 citations were not judged one by one" in table
    assert "drr judge STUDY --what citations" in table
