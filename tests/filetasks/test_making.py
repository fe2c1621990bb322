"""Sets of tasks: made, continued, checked, shown, reviewed; what is spoilt is found; DR3-Eval's layout goes out and comes back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from drr.env.errors import Misuse
from drr.env.progress import Quiet
from drr.env.shop import Shop
from drr.papers.dr3.form import read_corpus, read_question, read_sizes, task_folders
from drr.papers.dr3.making.dr3 import import_task
from drr.papers.dr3.making.generate import generate_tasks
from drr.papers.dr3.making.manifest import TaskSetManifest, read_manifest, task_hash
from drr.papers.dr3.making.review import KEYS, TaskTally, review_tasks
from drr.papers.dr3.quality.filters import FILTERS
from drr.papers.dr3.quality.material import TaskMaterial
from drr.papers.dr3.task_text import write_card
from drr.papers.dr3.truth import FactPlace, read_truth
from drr.papers.dr3.world import queries_of

from tests.cases import table
from tests.commands import drr

SIZES = {"16k": 16_000, "24k": 24_000}


def made(shop: Shop, out: Path, count: int, seed: int = 2) -> TaskSetManifest:
    return generate_tasks(shop, out, count, SIZES, seed, Quiet(), pages=120)


@pytest.fixture(scope="module")
def tasks(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "tasks"
    write_card(out, made(shop, out, 4), "2023-09-15")
    return out


@pytest.fixture
def copied(tasks: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tasks, tmp_path / "tasks"))


@pytest.mark.long
def test_every_task_passes_every_check(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert drr("papers", "tasks", "check", tasks) == 0
    assert "4 of 4 tasks pass every check" in capsys.readouterr().out
    manifest = read_manifest(tasks)
    assert manifest is not None and manifest.complete and manifest.tasks == 4
    assert manifest.funnel.kept == 4 and manifest.funnel.generated >= 4


def _funnel(shop: Shop, out: Path, count: int, seed: int) -> dict[str, int]:
    manifest = generate_tasks(shop, out / str(seed), count, {"32k": 32_000}, seed, Quiet(), pages=600)
    assert manifest.tasks == count
    return manifest.funnel.refused


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_hardly_a_candidate_is_refused_whatever_the_seed(shop: Shop, tmp_path: Path, seed: int) -> None:
    """What a filter would refuse is not planned: of one seed every candidate of a task was refused for a page that all of them were dealt."""
    refused = _funnel(shop, tmp_path, 60, seed)
    assert sum(refused.values()) <= 6 and refused.get("sense", 0) <= 1, refused


@pytest.mark.long
def test_the_next_candidate_is_another(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of its own intent at first, then of any."""
    seen: list[str] = []

    def refuses(task: TaskMaterial) -> Iterator[str]:
        seen.append(task.question)
        if len(seen) < 30:
            yield "a fault"

    monkeypatch.setitem(FILTERS, "sense", refuses)
    manifest = generate_tasks(shop, tmp_path / "out", 1, {"8k": 8_000}, 2, Quiet(), pages=60)
    assert manifest.tasks == 1 and manifest.funnel.refused["sense"] == 29
    assert len(set(seen)) == 30


@pytest.mark.long
def test_a_set_goes_on_where_it_stopped(shop: Shop, tasks: Path, tmp_path: Path) -> None:
    out = tmp_path / "again"
    made(shop, out, 2)
    shutil.rmtree(out / "001")
    (out / ".part-999999999-003" / "files").mkdir(parents=True)
    (out / ".part-999999999-003" / "query.json").write_text("{")
    assert [one.name for one in task_folders(out)] == ["002"]
    written = made(shop, out, 3)
    whole = read_manifest(tasks)
    assert whole is not None
    assert written.hashes == {name: whole.hashes[name] for name in ("001", "002", "003")}
    assert sorted(path.name for path in out.iterdir()) == ["001", "002", "003", "manifest.json"]


def test_strange_seeds_folders_and_tasks_are_refused(shop: Shop, copied: Path, tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="holds tasks of seed 2, not 3"):
        made(shop, copied, 4, seed=3)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("x")
    with pytest.raises(Misuse, match="not written by `drr papers tasks drawer`"):
        made(shop, tmp_path / "mine", 1)
    shutil.copytree(copied / "002", copied / "099")
    with pytest.raises(Misuse, match="099: is not what was written there"):
        made(shop, copied, 4)
    assert drr("papers", "tasks", "check", copied) == 1


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


def test_a_task_is_shown_with_facts_a_set_by_name(tasks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert drr("papers", "tasks", "show", tasks / "002") == 0
    out = capsys.readouterr().out
    truth = read_truth(tasks / "002")
    for fact in truth.facts:
        assert fact.text in out and fact.places[0].address in out
    assert drr("papers", "tasks", "show", tasks) == 0
    assert [row.split()[0] for row in capsys.readouterr().out.splitlines()] == [
        one.name for one in task_folders(tasks)
    ]


@pytest.mark.long
@pytest.mark.parametrize("name", ["query.json", "truth.json"])
def test_what_was_changed_is_never_taken_for_what_was_written(shop: Shop, copied: Path, name: str) -> None:
    before = read_manifest(copied)
    field, value = ("today", "2020-01-01") if name == "query.json" else ("answer", [])
    _edit(copied / "004", name, field, lambda _: value)
    with pytest.raises(Misuse, match="004: is not what was written there"):
        made(shop, copied, 4)
    assert read_manifest(copied) == before
    assert drr("papers", "tasks", "check", copied) == 1
    shutil.rmtree(copied / "004")
    assert made(shop, copied, 4) == before


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
    assert [query.task_id for query in queries_of(copied, ["16k"])] == ["001", "004"]
    assert drr("papers", "tasks", "export", copied, "--out", tmp_path / "dr3") == 0
    assert "2 tasks that were rejected in review are left out: 002, 003" in capsys.readouterr().err
    assert {"002", "003"}.isdisjoint(one.name for one in (tmp_path / "dr3").iterdir())
    assert drr("papers", "tasks", "check", copied) == 0


def test_a_run_says_what_is_odd(copied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "run", tmp_path / "study", "--tasks", copied, "--sizes", "16k", "--variants", "react", "--limit", "1",
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


def test_the_layout_of_dr3_goes_out_and_comes_back(tasks: Path, tmp_path: Path) -> None:
    assert drr("papers", "tasks", "export", tasks, "--out", tmp_path / "dr3") == 0
    assert drr("papers", "tasks", "import", tmp_path / "dr3", "--out", tmp_path / "back") == 0
    for folder in task_folders(tasks):
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


def test_two_pages_of_one_title_are_told_apart_or_neither_is_taken(tmp_path: Path, tasks: Path) -> None:
    """The address goes out where the title is another page's too; where only titles came in, nobody guesses."""
    folder = Path(shutil.copytree(tasks / "001", tmp_path / "twins" / "001"))
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
        ("tasks", "check", tmp_path),
        ("tasks", "import", tmp_path, "--out", tmp_path / "x"),
        ("tasks", "export", tmp_path, "--out", tmp_path / "y"),
    ):
        assert drr(*words) == 2
        assert "holds no task" in capsys.readouterr().err


def test_the_card_and_its_metadata_say_what_the_manifest_says(tasks: Path) -> None:
    manifest = read_manifest(tasks)
    assert manifest is not None and manifest.content_hash
    assert manifest.content_hash in (tasks / "README.md").read_text()
    croissant = json.loads((tasks / "croissant.json").read_text())
    assert croissant["@type"] == "sc:Dataset" and manifest.content_hash in croissant["citeAs"]
