"""Sets of tasks: written, continued, checked, shown, reviewed; what is spoilt is found; DR3-Eval's layout goes out and comes back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drr.env.errors import Misuse
from drr.env.progress import Quiet
from drr.papers.dr3.form import read_corpus, read_question, read_sizes, task_folders
from drr.papers.dr3.making.builtin_tasks import given_tasks, write_given
from drr.papers.dr3.making.layout import import_task
from drr.papers.dr3.making.manifest import TaskSetManifest, read_manifest, task_hash
from drr.papers.dr3.making.review import KEYS, TaskTally, review_tasks
from drr.papers.dr3.truth import FactPlace, read_truth
from drr.papers.dr3.world import queries_of

from tests.cases import table
from tests.commands import drr

SIZES = {"32k": 32_000, "64k": 64_000}


def written(out: Path, count: int, sizes: dict[str, int] = SIZES) -> TaskSetManifest:
    return write_given(out, count, sizes, Quiet())


@pytest.fixture
def copied(given: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(given, tmp_path / "tasks"))


@pytest.mark.long
def test_every_task_that_comes_along_passes_every_check_at_every_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert drr("papers", "tasks", "drawer", "--out", tmp_path / "all", "--quiet") == 0
    assert drr("papers", "tasks", "check", tmp_path / "all") == 0
    count = len(given_tasks())
    assert count >= 24 and f"{count} of {count} tasks pass every check" in capsys.readouterr().out
    for folder in task_folders(tmp_path / "all"):
        counts = [one.counts for one in read_truth(folder).sizes.values()]
        assert [list(read_sizes(folder).sizes)] == [["32k", "64k", "128k", "256k", "512k"]]
        assert len({one["supportive"] for one in counts}) == 1
        assert sorted({one["distractor"] for one in counts}) == [one["distractor"] for one in counts]


@pytest.mark.slow
def test_a_set_goes_on_where_it_stopped(given: Path, tmp_path: Path) -> None:
    out = tmp_path / "again"
    written(out, 2)
    shutil.rmtree(out / "001")
    (out / ".part-999999999-003" / "files").mkdir(parents=True)
    (out / ".part-999999999-003" / "query.json").write_text("{")
    assert [one.name for one in task_folders(out)] == ["002"]
    again, whole = written(out, 3), read_manifest(given)
    assert whole is not None and whole.complete and whole.tasks == 4
    assert again.hashes == {name: whole.hashes[name] for name in ("001", "002", "003")}
    assert sorted(path.name for path in out.iterdir()) == ["001", "002", "003", "manifest.json"]
    smaller = written(tmp_path / "small", 1, {"32k": 32_000})
    assert smaller.shown["001"] != again.shown["001"]
    assert read_corpus(tmp_path / "small" / "001", "32k") == read_corpus(out / "001", "32k")


@pytest.mark.slow
def test_strange_sizes_folders_and_tasks_are_refused(copied: Path, tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="holds tasks of sizes 32k,64k, not 32k"):
        written(copied, 4, {"32k": 32_000})
    with pytest.raises(Misuse, match="have no 16k; they have 32k"):
        written(copied, 4, {"16k": 16_000})
    with pytest.raises(Misuse, match="tasks come with the program; more are made with --files"):
        written(copied, 400)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("x")
    with pytest.raises(Misuse, match="not written by `drr papers tasks drawer`"):
        written(tmp_path / "mine", 1)
    shutil.copytree(copied / "002", copied / "099")
    with pytest.raises(Misuse, match="099: is not what was written there"):
        written(copied, 4)
    assert drr("papers", "tasks", "check", copied) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--seed", "3"), "--seed: goes with --files FOLDER"),
        (("--model", "anthropic:claude-sonnet-5-5"), "--model: goes with --files FOLDER"),
    ],
)
def test_what_goes_with_files_of_ones_own_is_told(
    words: tuple[str, ...], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert drr("papers", "tasks", "drawer", "--out", tmp_path / "t", *words) == 2
    assert told in capsys.readouterr().err and not (tmp_path / "t").exists()


def _edit(folder: Path, name: str, field: str, change: Callable[[Any], object]) -> None:
    document = json.loads((folder / name).read_text())
    (folder / name).write_text(json.dumps({**document, field: change(document.get(field))}))


def _lose_file(folder: Path) -> None:
    (folder / "files" / read_question(folder).files[0]).unlink()


def _turn_corpus(folder: Path) -> None:
    lines = (folder / "corpus.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "corpus.jsonl").write_bytes(b"".join(lines[1:] + lines[:1]))


def _falsify(facts: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{**one, "value": "not there at all"} if one["source"] == "page" else one for one in facts]


@pytest.mark.long
@pytest.mark.parametrize(
    ("spoil", "check"),
    [
        (_lose_file, "form"),
        (_turn_corpus, "sizes"),
        (lambda folder: _edit(folder, "query.json", "query", lambda _: "Is it covered?"), "question"),
        (lambda folder: _edit(folder, "truth.json", "facts", _falsify), "places"),
        (lambda folder: _edit(folder, "truth.json", "checklist", lambda had: had[:3]), "checklist"),
        (lambda folder: (folder / "truth.json").write_text("{}"), "form"),
        (lambda folder: _edit(folder, "truth.json", "theme", lambda _: "other"), "changed"),
    ],
)
def test_what_is_spoilt_is_found(
    copied: Path, spoil: Callable[[Path], object], check: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(copied / "004")
    assert drr("papers", "tasks", "check", copied, "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["failed"] == 1
    assert check in told["by_check"]
    assert {one["task"] for one in told["problems"]} == {"004"}


def test_a_task_is_shown_with_facts_a_set_by_name(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert drr("papers", "tasks", "show", given / "002") == 0
    out = capsys.readouterr().out
    truth = read_truth(given / "002")
    for fact in truth.facts:
        assert fact.text in out and fact.places[0].address in out
    assert "options.xlsx:\n  | Which | " in out and "\n  | Which: " in out, "a file's text keeps its lines"
    assert drr("papers", "tasks", "show", given) == 0
    assert [row.split()[0] for row in capsys.readouterr().out.splitlines()] == [
        one.name for one in task_folders(given)
    ]


@pytest.mark.long
@pytest.mark.parametrize("name", ["query.json", "truth.json"])
def test_what_was_changed_is_never_taken_for_what_was_written(copied: Path, name: str) -> None:
    before = read_manifest(copied)
    field, value = ("today", "2020-01-01") if name == "query.json" else ("answer", [])
    _edit(copied / "004", name, field, lambda _: value)
    with pytest.raises(Misuse, match="004: is not what was written there"):
        written(copied, 4)
    assert read_manifest(copied) == before
    assert drr("papers", "tasks", "check", copied) == 1
    shutil.rmtree(copied / "004")
    assert written(copied, 4) == before


def test_missing_tasks_are_missed(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(copied / "002")
    assert drr("papers", "tasks", "check", copied) == 1
    told = capsys.readouterr().out
    assert "002: missing: the manifest has it, the folder has not" in told and "3 of 4 tasks pass" in told
    assert drr("papers", "tasks", "check", copied / "003") == 0
    (copied / "manifest.json").unlink()
    capsys.readouterr()
    assert drr("papers", "tasks", "check", copied) == 0
    assert "nothing could be compared with what was written" in capsys.readouterr().err


def _reviewed(place: Path, answers: list[str], shown: list[str]) -> TaskTally:
    keys = iter(answers)
    return review_tasks(
        task_folders(place), "Ada", lambda _: next(keys), shown.append, lambda: "2024-02-29",
        lambda _: "asked", lambda _: "true",
    )  # fmt: skip


def test_a_person_decides(copied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {one.name: task_hash(one) for one in task_folders(copied)}
    tally = _reviewed(copied, ["a", "r", "two answers", "q"], [])
    assert (tally.accepted, tally.rejected, tally.left) == (1, 1, 2)
    rejected = read_truth(copied / "002").review
    assert (rejected.status, rejected.reviewer) == ("rejected", "Ada")
    assert rejected.history[-1]["reason"] == "two answers"
    assert {one.name: task_hash(one) for one in task_folders(copied)} == before
    assert drr("papers", "tasks", "check", copied) == 0
    shown: list[str] = []
    _reviewed(copied, ["?", "t", "r", "", "two answers", "q"], shown)
    assert shown[:3] == ["\n1 of 2\nasked", "'?' is no key: " + KEYS, "true"]
    assert [query.task_id for query in queries_of(copied, ["32k"])] == ["001", "004"]
    assert drr("papers", "tasks", "export", copied, "--out", tmp_path / "dr3") == 0
    assert "2 tasks that were rejected in review are left out: 002, 003" in capsys.readouterr().err
    assert {"002", "003"}.isdisjoint(one.name for one in (tmp_path / "dr3").iterdir())
    assert drr("papers", "tasks", "check", copied) == 0


def test_a_run_says_what_is_odd(copied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "run", tmp_path / "study", "--tasks", copied, "--sizes", "32k", "--variants", "react", "--limit", "1",
        "--quiet",
    )  # fmt: skip
    _edit(copied / "004", "query.json", "query", lambda _: "Is it covered?")
    assert drr(*words) == 0
    assert "not what its manifest says was written: 004;" in capsys.readouterr().err
    _lose_file(copied / "003")
    assert drr(*words) == 2
    assert "which is not in files/" in capsys.readouterr().err


@table("filetasks", "what_is_no_task_is_told_with_what_to_do")
def test_what_is_no_task_is_told_with_what_to_do(
    copied: Path,
    words: tuple[str, ...],
    told: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(copied.parent)
    assert drr("papers", "tasks", *words) == 2
    assert told in capsys.readouterr().err


@table("filetasks", "a_broken_part_is_named_in_plain_words")
def test_a_broken_part_is_named_in_plain_words(
    copied: Path, name: str, text: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (copied / "003" / name).write_text(text)
    assert drr("papers", "tasks", "check", copied / "003") == 1
    assert told in capsys.readouterr().out


def test_the_layout_of_dr3_goes_out_and_comes_back(given: Path, tmp_path: Path) -> None:
    assert drr("papers", "tasks", "export", given, "--out", tmp_path / "dr3") == 0
    assert drr("papers", "tasks", "import", tmp_path / "dr3", "--out", tmp_path / "back") == 0
    for folder in task_folders(given):
        back = tmp_path / "back" / folder.name
        asked = read_question(folder)
        assert (read_question(back).query, read_question(back).today) == (asked.query, asked.today)
        for name in read_question(folder).files:
            assert (back / "files" / name).read_bytes() == (folder / "files" / name).read_bytes()
        assert read_sizes(back).sizes == read_sizes(folder).sizes
        for size in SIZES:
            assert read_corpus(folder, size) == read_corpus(back, size)
        ours, theirs = read_truth(folder), read_truth(back)
        assert {page.url for page in theirs.pages} >= {
            page.url for page in ours.pages if page.kind == "supportive"
        }
        assert [fact.text for fact in theirs.facts] == [
            fact.text for fact in (*ours.of("file"), *ours.of("page"))
        ]
        assert [one.requirement for one in theirs.checklist] == [one.requirement for one in ours.checklist]
    assert drr("papers", "tasks", "check", tmp_path / "back") == 0


def test_two_pages_of_one_title_are_told_apart_or_neither_is_taken(tmp_path: Path, given: Path) -> None:
    """The address goes out where the title is another page's too; where only titles came in, nobody guesses."""
    folder = Path(shutil.copytree(given / "001", tmp_path / "twins" / "001"))
    page = next(one for one in read_truth(folder).pages if one.kind == "supportive")
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text().splitlines()]
    title = next(row["title"] for row in rows if row["url"] == page.url)
    known = {one.url for one in read_truth(folder).pages if one.kind == "supportive"}
    twin = next(row for row in rows if row["url"] not in known)
    twin["title"] = title
    (folder / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert drr("papers", "tasks", "export", folder, "--out", tmp_path / "dr3") == 0
    theirs, notes = import_task(tmp_path / "dr3" / "001", None, "2030-01-01")
    ours = read_truth(folder)
    assert {one.url for one in theirs.truth.pages} == known
    assert [fact.places for fact in theirs.truth.of("page")] == [
        (FactPlace(address=fact.places[0].address),) for fact in ours.of("page")
    ]
    assert theirs.question.today == read_question(folder).today and notes == []
    useful = tmp_path / "dr3" / "001" / "useful_search.json"
    useful.write_text(json.dumps([title]))
    theirs, notes = import_task(tmp_path / "dr3" / "001", None, "2030-01-01")
    assert theirs.truth.pages == () and "so none of them counts as it" in notes[0]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("query.jsonl", "", "holds no line with a query"),
        ("query.jsonl", "{", "cannot be read as JSON"),
        ("long_context_sampled_huge.json", "[]", "are sizes of 4k to 2000k"),
        ("long_context_sampled_32k.json", '{"a": [', "cannot be read as JSON"),
        ("a\u200bb.pdf", "x", "cannot be printed"),
        ("checklist.json", '{"checklist": [{"id": "../x", "requirement": "y"}]}', "holds a slash"),
        ("checklist.json", "[" * 100_000, "cannot be read as JSON"),
    ],
)
def test_what_cannot_be_imported_is_told_in_one_line(
    tmp_path: Path, name: str, text: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "007"
    folder.mkdir()
    (folder / "query.jsonl").write_text('{"number": 7, "query": "What now?"}')
    pages = [{"title": "A", "url": "", "page_body": "b"}, {"title": "", "page_body": ""}, 3]
    (folder / "long_context_sampled_32k.json").write_text(json.dumps(pages))
    assert drr("papers", "tasks", "import", folder, "--out", tmp_path / "whole") == 0
    assert "1 pages without text were left out" in capsys.readouterr().err
    (folder / name).write_text(text)
    assert drr("papers", "tasks", "import", folder, "--out", tmp_path / "out") == 2
    err = capsys.readouterr().err
    assert told in err and "Traceback" not in err


def test_a_folder_of_something_else_is_no_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ("papers", "tasks", "check", tmp_path),
        ("papers", "tasks", "import", tmp_path, "--out", tmp_path / "x"),
        ("papers", "tasks", "export", tmp_path, "--out", tmp_path / "y"),
    ):
        assert drr(*words) == 2
        assert "holds no task" in capsys.readouterr().err


def test_the_card_and_its_metadata_say_what_the_manifest_says(given: Path) -> None:
    manifest = read_manifest(given)
    assert manifest is not None and manifest.content_hash
    assert manifest.content_hash in (given / "README.md").read_text()
    croissant = json.loads((given / "croissant.json").read_text())
    assert croissant["@type"] == "sc:Dataset" and manifest.content_hash in croissant["citeAs"]
