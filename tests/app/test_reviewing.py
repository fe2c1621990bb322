"""Marks of reviewers: made on a report's page by who was let in, kept by name, counted, and held against a judge."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.app.viewer.model import ReportView
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import texts_script
from drr.app.viewer.reviewing import ReviewBooks, summary_of_marks
from drr.app.viewer.site import site
from drr.env.errors import Misuse
from drr.eval.judging.marks import MARKABLE, ReviewMark, read_marks
from drr.eval.metrics.document import study_document
from drr.study.study import Study
from starlette.testclient import TestClient

from tests.commands import Drr
from tests.entering import entered

AT = "http://127.0.0.1:8125"


@pytest.fixture(scope="module")
def opened(judged_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    folder = tmp_path_factory.mktemp("reviewed") / "study"
    shutil.copytree(judged_study, folder)
    with Study.open(folder) as study:
        yield study


@pytest.fixture
def study(opened: Study) -> Iterator[Study]:
    """Nobody has marked anything in it yet."""
    yield opened
    shutil.rmtree(opened.folder / "review", ignore_errors=True)


@pytest.fixture(scope="module")
def view(opened: Study) -> ReportView:
    reader = Reader(opened)
    views = (reader.report(entry.key) for entry in reader.entries())
    return next(view for view in views if view is not None and len(verdicts(view)) > 2)


def verdicts(view: ReportView) -> list[dict[str, Any]]:
    """As the page would mark them."""
    return [
        {"answer": view.entry.key, "of": "verdict", "name": name, "claim": claim.text, "judge": view.verdicts.judge, "shown": one["status"]}
        for claim in view.verdicts.claims
        for name, one in claim.verdicts.items()
        if one["status"] in MARKABLE and one.get("by") != "rule" and one["against"] == "page"
    ]  # fmt: skip


def rule(view: ReportView) -> dict[str, Any]:
    name, first = next(iter(view.rules.items()))
    return {"answer": view.entry.key, "of": "rule", "name": name, "shown": first["status"]}


def mark(of: dict[str, Any], reviewer: str = "ann", **said: Any) -> dict[str, Any]:
    return {"reviewer": reviewer, "says": "right", **of, **said}


def put(study: Study, *marks: dict[str, Any]) -> None:
    books = ReviewBooks(study)
    for one in marks:
        books.add(ReviewMark.model_validate(one))


def served(study: Study) -> TestClient:
    application = site(Reader(study), "t-ann", 8125, reviewers={"t-ann": "ann", "t-bob": "bob"})
    return TestClient(application, base_url=AT)


def test_folded_texts_of_a_transcript_are_served_behind_the_token(study: Study, view: ReportView) -> None:
    with served(study) as client:
        assert client.get(f"/x/{view.entry.key}.js").status_code == 403
        entered(client, "t-ann")
        assert client.get(f"/x/{view.entry.key}.js").text == texts_script(view) != ""
        assert client.get("/x/nobody.js").text == ""


def test_a_mark_is_taken_only_from_who_was_let_in_at_this_place(study: Study, view: ReportView) -> None:
    made = mark(verdicts(view)[0])
    with served(study) as client:
        assert client.post("/mark", json=made).status_code == 403, "no token"
        entered(client, "t-ann")
        assert client.post("/mark", json=made, headers={"origin": "http://evil.example"}).status_code == 403
        assert client.post("/mark", json=made, headers={"origin": "null"}).status_code == 403
        assert client.post("/mark", json=made, headers={"host": "evil.example"}).status_code == 421
        assert client.post("/mark", json=mark(verdicts(view)[0], "bob")).status_code == 409
        assert client.post("/mark", content=b"{" + b" " * 30_000 + b"}").status_code == 422
        assert client.post("/mark", json={**made, "reviewer": "../ann"}).status_code == 422
        assert client.post("/mark", json={**made, "claim": "Something else."}).status_code == 409
        assert client.get("/mark").status_code == 405
        assert read_marks(study) == []
        assert client.post("/mark", json=made, headers={"origin": AT}).json() == {"saved": True}
        told = client.get(f"/marks.json?answer={view.entry.key}").json()
        assert told["reviewer"] == "ann"
        assert [one["name"] for one in told["marks"]] == [made["name"]]
        client.cookies.clear()
        entered(client, "t-bob")
        assert client.get(f"/marks.json?answer={view.entry.key}").json() == {"reviewer": "bob", "marks": []}
        assert "ann 1 verdict (0 wrong)" in client.get("/index.html").text


def test_marks_only_grow_and_the_last_one_counts(study: Study, view: ReportView) -> None:
    first, second, *_ = verdicts(view)
    other = "none" if first["shown"] != "none" else "full"
    put(study, mark(first), mark(second), mark(first, says="wrong", should=other), mark(second, says=None))
    assert [(one.says, one.label) for one in read_marks(study)] == [("wrong", other)]
    path = study.folder / "review" / "marks-ann.jsonl"
    assert len(path.read_text(encoding="utf-8").splitlines()) == 4
    path.write_bytes(path.read_bytes() + b'{"reviewer": "ann", "tor')
    assert len(read_marks(study)) == 1, "a line torn by a crash is no mark"
    put(study, mark(rule(view)))
    assert len(read_marks(study)) == 2
    assert "ann 1 verdict (1 wrong), 1 rule finding (0 wrong)" in summary_of_marks(read_marks(study))
    path.write_text('{"reviewer": "ann"}\n', encoding="utf-8")
    with pytest.raises(Misuse, match=r"marks-ann.jsonl, line 1: answer"):
        read_marks(study)


def test_coverage_counts_marks_of_what_still_stands(study: Study, view: ReportView) -> None:
    assert "marks" not in study_document(study)["coverage"]
    first, second, *_ = verdicts(view)
    gone = {**second, "claim": "What an earlier judging said."}
    put(study, mark(first, "bob", says="wrong"), mark(gone), mark(rule(view), says="wrong"))
    assert study_document(study)["coverage"]["marks"] == {
        "verdicts": {"bob": {"right": 0, "wrong": 1}},
        "rules": {"ann": {"right": 0, "wrong": 1}},
        "by_rule": {next(iter(view.rules)): {"right": 0, "wrong": 1}},
        "elsewhere": 1,
    }


def test_a_judge_is_held_against_the_marks(study: Study, view: ReportView, tmp_path: Path, drr: Drr) -> None:
    told = sorted(
        verdicts(view), key=lambda one: "web" not in str(one["name"])
    )  # a page is shown alike, a record by its lines
    put(study, *map(mark, told[:2]), mark(told[0], "bob"), mark(told[2], says="wrong"), mark(rule(view)))
    words = [
        "calibrate",
        str(study.folder),
        "--judge",
        "offline",
        "--task",
        "support",
        "--quiet",
    ]
    document = drr.json(*words)
    assert document["labels"] == 3
    assert document["people"] == ["ann", "bob"]
    assert document["marks"] == {
        "reviewers": {"ann": 2, "bob": 1},
        "without_label": 1,
        "elsewhere": 0,
        "rules": {next(iter(view.rules)): {"right": 1, "wrong": 0}},
    }
    assert document["metrics"]["exact"]["value"] == 1.0, "the same judge sees the same passages"
    shown = " ".join(drr.out(*words).split())
    assert "marks of reviewers (ann 2, bob 1)" in shown
    assert "neither blind nor drawn by lot" in shown


def test_without_marks_there_is_nothing_to_be_held_against(study: Study, drr: Drr) -> None:
    assert "is where verdicts are marked" in drr.err("calibrate", study.folder, "--task", "support")
    for words in ("ann,ann", "a/b", ""):
        assert "--reviewer" in drr.err("view", study.folder, "--reviewer", words)


def test_marks_that_a_folder_saved_come_in_once_and_in_any_order(
    study: Study, view: ReportView, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, *_ = verdicts(view)
    file, older = tmp_path / "marks-cat.jsonl", tmp_path / "older.jsonl"
    stranger = {**first, "answer": "0" * 16}
    lines = [
        mark(first, "cat", at=2.0),
        mark(second, "cat", says=None, at=2.0),
        mark(stranger, "cat", at=2.0),
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    older.write_text(json.dumps(mark(first, "cat", says="wrong", at=1.0)) + "\n", encoding="utf-8")
    for files in ([file, older], [older, file]):
        assert main(["view", str(study.folder), "--import", *map(str, files)]) == 0
    said = capsys.readouterr().out
    assert "cat: 1 new mark\n1 are of no answer of this study" in said
    assert "nothing new" in said
    assert [one.says for one in read_marks(study)] == ["right"]
    file.write_text("{}\n", encoding="utf-8")
    assert main(["view", str(study.folder), "--import", str(file)]) == 2
    assert "marks-cat.jsonl, line 1: reviewer" in capsys.readouterr().err
