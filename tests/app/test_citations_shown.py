"""What each cited address says of its claim, as people see it: tables in every form, the comparison, the page of a report."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import drr as face
import pytest
from drr.app.cli import main
from drr.app.commands.compare import _sentences_on_differences
from drr.app.console import write_lines
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import StudyPages
from drr.eval.judging.run import JudgeOptions, judge
from drr.study.study import Study

from tests.app.conftest import view_of
from tests.commands import Drr
from tests.eval.nursery import answer, desk, offline, put, web
from tests.tampering import tampered

pytestmark = pytest.mark.long

GOOD = "The feeder is cleaned once a week."
CARE, CARS, LOST = "https://care.example/a", "https://cars.example/b", "https://lost.example/c"
NOWHERE = "https://nowhere.example/d"


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


def test_tables_comparison_and_verdicts_have_it(folder: Path, tmp_path: Path, drr: Drr) -> None:
    drr.out("report", folder, "--out", tmp_path / "r")
    metrics = json.loads((tmp_path / "r" / "metrics.json").read_text("utf-8"))["metrics"]["padded"]
    assert (metrics["fp"]["value"], metrics["fp_citation"]["value"]) == (1.0, 0.5)
    for form, told in {"md": "0.50 [", "tex": "$0.50", "csv": "0.5"}.items():
        text = (tmp_path / "r" / "tables" / f"citations.{form}").read_text("utf-8")
        assert told in text and ("faithfulness by citation" in text or "fp_citation" in text)
    document = drr.json("compare", folder, "padded", "plain")
    told = document["metrics"]
    assert (told["fp_citation"]["value"], told["fp"]["value"]) == (-0.5, 0.0)
    assert told["fp_citation"]["p"] < 0.05
    for name in ("fp_citation", "fp_citation_strict", "n_citations"):
        told[name]["p_holm"] = 0.01  # that the interval of `fp_citation` holds 0 decides nothing
    labels = {"fp_citation": "alone", "fp_citation_strict": "strict", "n_citations": "n"}
    sure = "plain is better on alone, strict. padded is higher on n. No other difference is sure."
    assert _sentences_on_differences(document, labels)[0] == sure
    rest = drr.out("compare", folder, "padded", "plain")
    assert "\nNo difference is sure." in rest
    assert "(--full shows them): faithfulness, " in rest and "\nfaithfulness  " not in rest
    drr.out("report", folder, "--verdicts", tmp_path / "verdicts.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text("utf-8").splitlines()]
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
    drr.out("report", folder, "--verdicts", tmp_path / "verdicts.csv")
    rows = list(csv.DictReader((tmp_path / "verdicts.csv").open(encoding="utf-8")))
    for name in ("url", "status", "reason"):
        assert [row[name] for row in rows] == [line[name] for line in lines]
    assert (rows[0]["supports"], rows[2]["supports"]) == ("true", "")
    assert rows[0]["passages"] == f"[[0, {len(GOOD)}]]"
    ended = drr.out("study", "trace", folder, padded[0]["answer"])
    assert ended.endswith("--- not supported in full: 0 of 1 cited claim ---\n")
    assert face.verdicts(folder).to_pylist() == lines
    for place in (tmp_path / "nowhere" / "v.jsonl", tmp_path):
        err = drr.err("report", folder, "--verdicts", place)
        assert str(place) in err and err.count("\n") == 1
    assert write_lines(tmp_path / "v.jsonl", [{"text": "half \ud800"}]) == 1
    assert json.loads((tmp_path / "v.jsonl").read_text("utf-8")) == {"text": "half \ud800"}
    with Study.open(folder) as study:
        page = StudyPages("s", served=False).report(view_of(Reader(study), "padded"))
    tags = re.findall(r'<span class="tag (\w+)" title="what this source says alone">([^<]+)</span>', page)
    assert tags == [("full", "full"), ("none", "irrelevant"), ("unreachable", "unreachable")]
    assert page.count("<small>alone: ") == 2 and "faithfulness by citation" in page


async def test_an_address_that_nobody_returned_is_called_invented(tmp_path: Path) -> None:
    """Beside one that a tool returned, and whose page could not be read."""
    with Study.create(tmp_path / "study", {"schema": 1, "run": {}}) as study:
        sources = [web(CARE, GOOD), web(LOST, None, status="unreachable")]
        await put(
            study, answer("a", "lost", cites(LOST), sources), answer("a", "liar", cites(NOWHERE), sources)
        )
        models = offline()
        await judge(study, desk(study, models), models, JudgeOptions(["faithfulness", "rules"]))
    with Study.open(tmp_path / "study") as study:
        for variant, told in (("lost", "unreachable"), ("liar", "invented")):
            page = StudyPages("s", served=False).report(view_of(Reader(study), variant))
            assert re.findall(r'<button data-verdict="(\w+)"', page) == [told]
            assert re.findall(r'<h2><span class="tag \w+">(\w+)</span> <span class="said">', page) == [told]
            assert ("invented</span> Address: " in page) is (told == "invented")


@pytest.fixture
async def doubted(tmp_path: Path) -> Path:
    """An answer with one claim that its page states, and one that its page does not."""
    with Study.create(tmp_path / "study", {"schema": 1, "run": {}}) as study:
        report = cites(CARE, CARS).replace("[1][2].", "[1].\n\nThe hopper holds 12 pounds of seed [2].")
        await put(study, answer("a", "plain", report, [web(CARE, GOOD), web(CARS, "Cars are red.")]))
        models = offline()
        await judge(study, desk(study, models), models, JudgeOptions(["faithfulness"]))
    return tmp_path / "study"


def test_the_trace_of_an_answer_ends_with_its_unsupported_claims(doubted: Path, drr: Drr) -> None:
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
        ledger.execute("DELETE FROM records WHERE key IN (SELECT key FROM units WHERE label LIKE 'citat%')")
    assert main(["report", str(folder), "--out", str(tmp_path / "r")]) == 0
    table = (tmp_path / "r" / "tables" / "citations.md").read_text("utf-8")
    assert "12 of 18 citations were not judged one by one" in table
    assert "drr judge STUDY --what citations" in table
