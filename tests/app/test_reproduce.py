"""`drr papers reproduce --paper`: every paper from one command, which goes on where it stopped and mixes no questions."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from subprocess import DEVNULL

import pytest
from drr.app.cli import main
from drr.app.papers.steps import reproducible, steps_of
from drr.study.study import Study

from tests.commands import Drr
from tests.sources import ROOT
from tests.wire import Request, Say, Wire, looked

pytestmark = pytest.mark.long

TWO = "plan-to-function,react"
"""Of one variant alone nobody sees that a study filled up with what was named for the other."""
SMALL = ("--n", "1", "--per-task", "2", "--users", "3", "--context", "500", "--variants", "plan-to-function")
QUESTIONS = ("Which lamp for a small desk?", "Which kettle is quiet?")
TEXT = (
    "## Summary\n\nThe lamp has a heavy foot and a long arm, and its light is even over the whole of the desk that was measured, "
    "so that nothing on it stands in a shadow of a hand or a cup, whichever side one writes on. [review](https://lamps.example/a)\n\n"
    "## Price\n\nIt costs $40, which is less than the two others that were looked at and about as much as their shades alone would "
    "cost in the same shop, where spare parts of all three are kept for ten years after the last one was sold.\n"
)


def reports(path: Path, systems: Sequence[tuple[str, Sequence[str]]]) -> Path:
    lines = [
        {"id": f"{system}-{n}", "system": system, "query": query, "report_markdown": TEXT,
         "evidence": [{"url": "https://lamps.example/a", "type": "web", "text": "The light of the lamp is even."}]}
        for system, asked in systems
        for n, query in enumerate(asked)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def reproduce(*words: object) -> int:
    by = [] if "--models" in words else ["--model", "offline"]
    return main(["papers", "reproduce", *map(str, words), *by, "--quiet"])


def pending(folder: Path) -> int:
    with Study.read(folder) as study:
        units = study.ledger.units.standings()
    return sum(unit.status is None for unit in units)


def keys(folder: Path) -> dict[str, float | None]:
    with Study.open(folder) as study:
        return {record.key: record.finished_at for record in study.records(status=None)}


def test_the_retail_paper(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    out, shop = tmp_path / "out", judged_study.parent / "shop"
    words = ("--users", "4", "--per-user", "3", "--variants", "plan-to-function")
    printed = drr.out(
        "papers", "reproduce", "--shop", shop, *words, "--out", out, "--model", "offline", "--quiet"
    )
    assert len((out / "queries.jsonl").read_text(encoding="utf-8").splitlines()) == 12
    labels = cells(out / "report" / "tables" / "failure-labels.csv")
    assert {labels[row, "plan-to-function"]["n"] for row in ("weak synthesis", "redundant clarity")} == {"12"}
    assert pending(out / "study") == 0

    profiled, generic = (
        {row["user_id"]: row for row in map(json.loads, (out / name).read_text("utf-8").splitlines())}
        for name in ("queries.jsonl", "generic.jsonl")
    )
    assert {row["mode"] for row in generic.values()} == {"generic"}
    assert len(generic) == 4
    user = next(one for one in profiled if one in generic)
    assert f"{generic[user]['id']}: {generic[user]['query'].split(chr(10))[0][:40]}" in printed
    assert re.search(r"queries\.jsonl +generic\.jsonl", printed)


@pytest.fixture(scope="module")
def of_reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("reports")
    given = reports(home / "reports.jsonl", [("one", QUESTIONS), ("two", QUESTIONS)])
    assert reproduce("--paper", "reporteval", "--reports", given, "--out", home / "out") == 0
    return home


def test_reports_of_others_are_judged_once(of_reports: Path, drr: Drr) -> None:
    out, report = of_reports / "out", of_reports / "out" / "report"
    figures = json.loads((report / "metrics.json").read_text(encoding="utf-8"))["metrics"]
    assert {"re_overall", "re_support", "re_non_redundancy"} <= figures["one"].keys()
    listed = (report / "tables" / "paper.md").read_text(encoding="utf-8")
    assert "| Quality | Grades of quality, 0-4 | ReportEval" in listed and "labels of experts" in listed
    assert not list((report / "tables").glob("*-printed.*"))
    assert "3.80" not in (report / "index.html").read_text(encoding="utf-8")

    before, table = keys(out / "study"), (report / "tables" / "reporteval.csv").read_bytes()
    given = ("--paper", "reporteval", "--reports", of_reports / "reports.jsonl")
    assert reproduce(*given, "--out", out) == 0
    assert keys(out / "study") == before
    assert (report / "tables" / "reporteval.csv").read_bytes() == table
    other = reports(of_reports / "other.jsonl", [("one", QUESTIONS[:1])])
    for words, told in (
        ((*given[:3], other), "was begun with a file of the hash"),
        ((*given, "--seed", "8"), "--seed: was begun with 7, now 8"),
        (("--paper", "pdr"), "was begun with --paper reporteval"),
    ):
        assert told in drr.err("papers", "reproduce", *words, "--model", "offline", "--out", out)
    assert keys(out / "study") == before
    apart = reports(of_reports / "apart.jsonl", [("one", QUESTIONS), ("two", QUESTIONS[:1])])
    assert "(of 2: one 2, two 1)" in drr.err(
        "papers", "reproduce", *given[:3], apart, "--model", "offline", "--out", of_reports / "no"
    )
    assert not (of_reports / "no").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--reports", "x"), "--reports: is an option of --paper reporteval, not of retail"),
        (("--paper", "pdr", "--per-user", "2"), "--per-user: is an option of --paper"),
        (("--paper", "pdr", "--memories", "a b"), "no name of a memory"),
        (("--paper", "reporteval", "--align", "quality"), "give both"),
        (("--paper", "reporteval", "--reports", "none.jsonl", "--variants", "react"), "as they are"),
        (("--paper", "reporteval", "--reports", "none.jsonl"), "cannot be read"),
        (("--paper", "fifth"), "invalid choice"),
        (("--paper", "pdr", "--n", "0"), "not a whole number above 0"),
        (("--paper", "dr3", "--reach", "half"), "'half' is none"),
        (("--paper", "pdr", "--persons", "none.jsonl"), "cannot be read"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_made(
    words: Sequence[str], told: str, tmp_path: Path, drr: Drr
) -> None:
    error = drr.err("papers", "reproduce", *words, "--model", "offline", "--out", tmp_path / "out")
    assert told in error and error.startswith("drr: ")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("paper", reproducible())
def test_every_paper_has_its_steps(paper: str) -> None:
    steps = steps_of(paper)  # type: ignore[arg-type]
    assert steps.HEADLINE
    assert all(size.rules <= size.paper for size in steps.SIZES.values())


def test_without_a_model_it_says_what_it_takes(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    out, shop = tmp_path / "out", judged_study.parent / "shop"
    words = ("papers", "reproduce", "--shop", shop, "--out", out)
    assert "takes a language model" in drr.err(*words) and not out.exists()
    told = drr.out(*words, "--users", "4", "--per-user", "3", "--variants", "react", "--dry-run")
    assert "12 answers, 12 of them to be given" in told and "calls of the judge" in told


def test_a_folder_that_was_changed_is_told(tmp_path: Path, drr: Drr) -> None:
    (tmp_path / "reproduce.json").write_text('{"paper": 3', encoding="utf-8")
    assert "not a file of `drr papers" in drr.err("papers", "reproduce", "--paper", "pdr", "--out", tmp_path)
    (tmp_path / "q.jsonl").write_text('{"query": "x", "user_id": "A"}\n', encoding="utf-8")
    given = ("--shop", tmp_path / "none", "--queries", tmp_path / "q.jsonl", "--out", tmp_path / "o")
    err = drr.err("papers", "reproduce", *given, "--model", "offline")
    assert "there is no such shop" in err and "drr: `drr run` ended with 2; " in err
    assert not (tmp_path / "o" / "report").exists()


def test_a_dry_run_tells_all(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    out, shop = tmp_path / "out", judged_study.parent / "shop"
    given = ("--shop", shop, *SMALL, "--memories", "none", "--out", out, "--dry-run")
    told = drr.out("papers", "reproduce", "--paper", "pdr", *given)
    steps = [line.split()[4:6] for line in told.splitlines() if line.startswith("to do: $ drr")]
    assert [part for head, part in steps[:4] if head == "papers"] == ["persons", "context", "tasks", "tasks"]
    assert [head for head, _ in steps[4:]] == ["run", "run", "judge", "report", "view"]
    assert "  6 answers, 6 of them to be given: about 12 calls" in told
    assert "to do: 8 answers (about 16 calls), about " in told
    assert str(out / "study") in told and "/tmp/drr-" not in told and not out.exists()


def test_what_the_guide_to_the_papers_begins_with_runs_as_written(
    judged_study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without what they ask for: each is tried dry. One wanted a file that no page makes."""
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo/shop").symlink_to(judged_study.parent / "shop")
    monkeypatch.chdir(tmp_path)
    lines = (ROOT / "docs/papers.md").read_text(encoding="utf-8").partition("```")[2].splitlines()
    given = [line.partition("#")[0].split()[1:] for line in lines if line.startswith("drr papers reproduce")]
    assert len(given) > 4
    for words in given:
        assert main([*words, "--dry-run"]) == 0, words


@pytest.fixture(scope="module")
def of_persons(judged_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("pdr") / "out"
    shop = judged_study.parent / "shop"
    small = (*SMALL[:-1], TWO)
    assert reproduce("--paper", "pdr", "--shop", shop, *small, "--memories", "none,recent", "--out", out) == 0
    return out


def test_pdr_bench(of_persons: Path, judged_study: Path, drr: Drr) -> None:
    tables = of_persons / "report" / "tables"
    for name in ("pdr-table-1", "pdr-table-2", "pqr", "settings", "memories", "cost"):
        assert (tables / f"{name}.csv").is_file(), name
    told = [(tables / f"{name}.md").read_text("utf-8") for name in ("pdr-table-1", "pdr-table-2", "memories")]
    assert not [text for text in told if "Refused" in text or "| refused" in text]
    with Study.open(of_persons / "study") as study:
        asked: dict[str, set[str]] = {}
        for record in study.records("answer", None):
            asked.setdefault(record.spec["variant"], set()).add(record.spec["query_id"])
    assert len({frozenset(queries) for queries in asked.values()}) == 1
    assert pending(of_persons / "study") == 0
    memories = {f"plan-to-function@memory:{name}:500" for name in ("none", "recent")}
    settings = ("context:500", "persona", "task")
    assert asked.keys() == memories | {f"{one}@{how}" for one in TWO.split(",") for how in settings}
    assert (of_persons / "viewer" / "index.html").is_file()
    assert not list(tables.glob("*-printed.*"))
    shop, before = judged_study.parent / "shop", keys(of_persons / "study")
    small = (*SMALL[:-1], TWO)
    words = ("--paper", "pdr", "--shop", shop, *small, "--memories", "none,recent", "--out", of_persons)
    assert drr.out("papers", "reproduce", *words, "--quiet").count("# done") == 4
    assert keys(of_persons / "study") == before
    more = ("--paper", "pdr", "--shop", shop, *small, "--n", "2", "--out", of_persons)
    assert "--n: was begun with 1, now 2" in drr.err("papers", "reproduce", *more)
    less = ("--shop", shop, *small[8:], "--memories", "none,recent", "--out", of_persons)
    assert reproduce("--paper", "pdr", *less) == 0, "what is not said again is as it was begun"
    assert keys(of_persons / "study") == before


def test_the_forecast_of_judging_is_near_what_it_is_of_the_answers(
    of_persons: Path, judged_study: Path, tmp_path: Path, drr: Drr, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Criteria are made of questions, so that they do not grow with the answers."""
    monkeypatch.setenv("OPENAI_API_KEY", "no key")
    by = ("--judge", "openai:gpt-5-mini", "--base-url", "http://127.0.0.1:9")
    what = ("--what", "pqr", "--persons", str(of_persons / "persons.jsonl"), "--rounds", "1")
    true = drr.json("judge", of_persons / "study", *what, *by, "--dry-run")
    assert 0 < true["of_questions"]["calls"] == true["tasks"]["criteria"]["calls"]
    small = (*SMALL[:-1], TWO, "--memories", "none,recent", "--out", tmp_path / "out")
    shop = judged_study.parent / "shop"
    printed = drr.out(
        "papers", "reproduce", "--paper", "pdr", "--shop", shop, *small, *by, "--rounds", "1", "--dry-run"
    )
    told = re.search(r"about ([\d,]+) calls of the judge", printed)
    assert told is not None
    assert int(told[1].replace(",", "")) == pytest.approx(true["calls"], rel=0.1)


def test_a_killed_reproduction_goes_on(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    shop, out = judged_study.parent / "shop", tmp_path / "out"
    where = ("--shop", str(shop), "--out", str(out))
    words = [
        "papers",
        "reproduce",
        "--paper",
        "pdr",
        *SMALL,
        "--memories",
        "off",
        *where,
        "--model",
        "offline",
    ]
    done: dict[str, float | None] = {}
    for wait in (1.5, 3.0, 4.5):
        process = subprocess.Popen(
            [sys.executable, "-m", "drr.app.cli", *words], stdout=DEVNULL, stderr=DEVNULL
        )
        time.sleep(wait)
        process.kill()
        process.wait()
        if Study.exists(out / "study"):
            now = keys(out / "study")
            assert now.items() >= done.items()
            done = now
    drr.out(*words, "--quiet")
    assert keys(out / "study").items() >= done.items()
    with Study.open(out / "study") as study:
        records = list(study.records("answer", None))
    assert [record.done for record in records] == [True] * 6
    assert (out / "report" / "tables" / "pdr-table-2.csv").is_file()


@pytest.fixture(scope="module")
def of_files(judged_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dr3") / "out"
    words = ("--n", "2", "--sizes", "32k,64k", "--variants", "dr3,react", "--reach", "supportive,turns:1")
    assert reproduce("--paper", "dr3", "--shop", judged_study.parent / "shop", *words, "--out", out) == 0
    return out


def cells(table: Path) -> dict[tuple[str, str], dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as file:
        return {(row["row"], row["column"]): row for row in csv.DictReader(file)}


def test_dr3_eval_stands_size_by_size(of_files: Path, judged_study: Path) -> None:
    tables = of_files / "report" / "tables"
    sizes, options = cells(tables / "dr3-sizes.csv"), cells(tables / "dr3-options.csv")
    rows = {row for row, _ in sizes}
    assert rows >= {"dr3, 32k", "dr3, 64k", "react, 32k", "react, 64k", "dr3: 64k minus 32k"}
    assert {sizes[row, "dr3_cc"]["n"] for row in ("dr3, 32k", "react, 64k", "dr3@supportive, 32k")} == {"2"}
    assert {row for row, _ in options} == {"dr3@supportive minus dr3", "dr3@turns:1 minus dr3"}
    took = cells(tables / "cost.csv")
    for part in ("dr3: agent, an answer", "react: judge, an answer"):
        assert float(took[part, "seconds"]["value"]) > 0
        assert float(took[part, "usd"]["value"]) == 0
    listed = (tables / "paper.md").read_text(encoding="utf-8")
    assert "| Table 12 | Seconds and dollars of a task | Measured cost" in listed
    assert "| Figure 5 | Without distractors, supportive pages only, no pages | DR3-Eval: options" in listed
    assert "58.8" not in (of_files / "report" / "index.html").read_text(encoding="utf-8")
    assert not list(tables.glob("*-printed.*"))
    before = keys(of_files / "study")
    words = ("--variants", "dr3,react", "--sizes", "32k,64k", "--reach", "supportive,turns:1")
    assert reproduce("--paper", "dr3", "--shop", judged_study.parent / "shop", *words, "--out", of_files) == 0
    assert keys(of_files / "study") == before
    with Study.open(of_files / "study") as study:
        asked = Counter(record.spec["variant"] for record in study.records("answer", None))
    assert pending(of_files / "study") == 0
    assert 'page_warning = "off"' in (of_files / "study" / "study.toml").read_text(encoding="utf-8")
    assert asked == {"dr3": 4, "react": 4, "dr3@supportive": 2, "dr3@turns:1": 2}


def test_dr3_eval_lays_models_and_embedders_side_by_side(of_files: Path, tmp_path: Path) -> None:
    def script(request: Request) -> Say:
        return looked(request, "# Report\n\nOne and one is 2.\n")

    models, reach = ("offline", "openai:one"), "bm25,dense:offline"
    with Wire(script) as wire:
        where = ("--base-url", f"{wire.url}/v1", "--trust-address", wire.url, "--judge", "offline")
        words = ("--tasks", of_files / "tasks", "--sizes", "32k", "--variants", "dr3", "--reach", reach)
        told = ("--models", ",".join(models), *where, "--out", tmp_path / "out")
        for calls in (True, False):
            before = len(wire.requests)
            assert reproduce("--paper", "dr3", *words, *told) == 0
            assert (len(wire.requests) > before) is calls
    tables = tmp_path / "out" / "report" / "tables"
    systems = {f"dr3@{model}{way}" for model in models for way in ("", "@bm25", "@dense:offline")}
    assert {row for row, _ in cells(tables / "dr3-sizes.csv")} == {f"{system}, 32k" for system in systems}
    assert {row for row, _ in cells(tables / "dr3-options.csv")} == {
        "dr3@openai:one minus dr3@offline",
        *(f"dr3@{model}@{way} minus dr3@{model}" for model in models for way in ("bm25", "dense:offline")),
    }
    listed = (tables / "paper.md").read_text(encoding="utf-8")
    assert "| Table 5 | Retrievers | DR3-Eval: options of one architecture (its Tables 5 and 6" in listed


def test_a_second_call_computes_nothing(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    out, first = tmp_path / "all", (judged_study.parent / "queries.jsonl").read_text("utf-8").splitlines()[0]
    (tmp_path / "one.jsonl").write_text(first + "\n", encoding="utf-8")
    asked = ("--shop", judged_study.parent / "shop", "--queries", tmp_path / "one.jsonl")
    words = (
        "papers",
        "reproduce",
        "--model",
        "offline",
        *asked,
        "--variants",
        "react,react+ws",
        "--out",
        out,
        "--quiet",
    )
    printed = drr.out(*words)
    pages = [out / "report" / "index.html", out / "viewer" / "index.html"]
    assert all(page.is_file() for page in pages)
    metrics = json.loads((out / "report" / "metrics.json").read_text(encoding="utf-8"))["metrics"]
    assert re.search(rf"^react .*{metrics['react']['fp']['value']:.2f}", printed, re.MULTILINE)
    assert "not by a language model" in printed
    assert printed.endswith(f"report: {pages[0]}\nviewer: {pages[1]}\n")
    before, table = keys(out / "study"), (out / "report" / "tables" / "faithfulness.csv").read_bytes()
    drr.out(*words)
    assert keys(out / "study") == before
    assert (out / "report" / "tables" / "faithfulness.csv").read_bytes() == table
