"""Ids, names and links that come in a file or a folder lead no write and no read elsewhere."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from drr.app.annotate import labels
from drr.app.annotate.plan import AnnotationPlan, load
from drr.app.viewer.reader import Reader
from drr.app.viewer.static import MARK, write_static
from drr.env.errors import DrrError, Misuse
from drr.env.files import checked_id, file_name
from drr.env.progress import Quiet
from drr.study.study import Study
from hypothesis import given
from hypothesis import strategies as st

from tests.commands import Drr
from tests.tampering import tampered

New = Callable[..., list[str]]
PATHS = [
    "../../victim/x", "/etc/passwd", "..", ".", "a/b", "a\\b", "a\x00b", "a\nb", "\x1b[2J", "", " ",
    "x" * 300, "~" + "0" * 24,
]  # fmt: skip


@given(st.text() | st.sampled_from(PATHS))
def test_any_text_becomes_a_file_name_that_stays_in_its_folder(text: str) -> None:
    name = file_name(text)
    assert name not in (".", "..")
    assert not set(name) & set("/\\\0\n")
    assert 0 < len(name) <= 100
    assert (Path("folder") / f"{name}.html").parent == Path("folder")


@given(st.text(), st.text())
def test_two_texts_have_two_names(one: str, other: str) -> None:
    assert (one == other) is (file_name(one) == file_name(other))


@pytest.mark.parametrize("text", ["q-1a2b", "Frage 7", "größe", "a.b+c-d_e", "q~1", "o'neill", "x:y"])
def test_ids_that_people_write_are_ids(text: str) -> None:
    assert checked_id(text) == text


@pytest.mark.parametrize("text", [path for path in PATHS if not path.startswith("~")])
def test_ids_that_are_paths_are_refused_where_they_are_read(text: str, tmp_path: Path) -> None:
    from drr.env.query import read_queries
    from drr.eval.evidence.imported import read_reports

    file = tmp_path / "lines.jsonl"
    report = {"id": "a", "system": "s", "query": "which?", "report_markdown": "none"}
    for more in ({"id": text}, {"query_id": text}):
        file.write_text(json.dumps({**report, **more}) + "\n")
        with pytest.raises(DrrError, match=r"line 1: (id|query_id)"):
            read_reports(file)
    if text:  # an empty id is one that was not given
        file.write_text(json.dumps({"id": text, "query": "which?", "user_id": "U"}) + "\n")
        with pytest.raises(DrrError, match="line 1"):
            read_queries(file)


def _changed(ledger: Path, statement: str, *values: str) -> None:
    with tampered(ledger) as db:
        db.execute(statement, values)


def test_a_ledger_of_strangers_writes_no_page_elsewhere(drr: Drr, new: New, tmp_path: Path) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "x.html").write_text("mine")
    statement = "UPDATE units SET spec = json_set(spec, '$.query_id', ?)"
    _changed(Path("study/ledger.sqlite"), statement, "../../victim/x")
    assert drr("view", "study", "--static", "pages/out", "--quiet")[0] == 0
    assert (victim / "x.html").read_text() == "mine"
    index = Path("pages/out/index.html").read_text()
    (page,) = Path("pages/out/q").iterdir()
    assert f"q/{page.name}" in index
    assert "victim" not in page.name
    with Study.open(Path("study")) as study:
        assert Reader(study).query(page.stem)


@pytest.mark.parametrize(
    "digest", ["/dev/zero", "../../../../etc/passwd", "ab/../../x", "A" * 64, "0" * 63, ""]
)
def test_a_hash_that_is_a_path_is_refused(digest: str, tmp_path: Path) -> None:
    with (
        Study.create(tmp_path / "study", {"schema": 1}) as study,
        pytest.raises(DrrError, match="no hash of a text"),
    ):
        study.blobs.get(digest)


def test_a_text_that_is_a_device_a_pipe_or_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("mine")
    with Study.create(tmp_path / "study", {"schema": 1}) as study:
        for number, make in enumerate(
            (
                lambda path: path.symlink_to("/dev/zero"),
                lambda path: path.symlink_to(tmp_path / "secret"),
                lambda path: os.mkfifo(path),
                lambda path: path.mkdir(),
            )
        ):
            digest = f"{number:064x}"
            path = study.blobs.path(digest)
            path.parent.mkdir(parents=True, exist_ok=True)
            make(path)
            with pytest.raises(DrrError):
                study.blobs.get(digest)
        huge = study.blobs.path("f" * 64)
        huge.parent.mkdir(parents=True)
        huge.touch()
        os.truncate(huge, 1 << 40)
        with pytest.raises(DrrError, match="is no plain file"):
            study.blobs.get("f" * 64)


@pytest.mark.parametrize(
    "name",
    ["study.toml", "ledger.sqlite", "ledger.sqlite-wal", "blobs", "queries.jsonl", "pages", "annotation"],
)
def test_a_study_with_a_link_in_it_is_not_opened(name: str, tmp_path: Path) -> None:
    folder, target = tmp_path / "study", tmp_path / "target"
    with Study.create(folder, {"schema": 1}):
        pass
    own = folder / name
    if own.exists():
        own.rename(target)
    own.symlink_to(target)
    with pytest.raises(DrrError, match="is a link"):
        Study.open(folder)
    with pytest.raises(DrrError, match="is a link"):
        Study.create(folder, {"schema": 1})


def test_links_laid_out_for_our_drafts_are_not_written_through(drr: Drr, new: New, tmp_path: Path) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    victim = tmp_path / "victim"
    victim.write_text("mine")
    for name in (".queries.jsonl", f".study.toml.{os.getpid()}"):
        Path("study", name).symlink_to(victim)
    assert drr("run", "study", "--trials", 2, "--quiet")[0] == 0
    assert victim.read_text() == "mine"


def plan_with(name: str) -> dict[str, object]:
    pair = {
        "id": "p-1", "query_id": "q", "query": "?", "profile": "", "trial": 0, "system_a": "a", "system_b": "b",
        "answer_a": "A", "answer_b": "B",
    }  # fmt: skip
    person = {"name": name, "token": "t", "turns": [{"pair": "p-1", "shown_first": "a"}]}
    return {"seed": 1, "dimensions": ["overall"], "owner_token": "o", "pairs": [pair], "annotators": [person]}


@pytest.mark.parametrize("name", ["/tmp/x", "x/../../../victim/log", "../x", "", "a b", "a\n", "x" * 81, "."])
def test_an_annotator_whose_name_is_a_path_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(plan_with(name)))
    with pytest.raises(DrrError, match="not an annotation plan"):
        load(tmp_path)


def test_marks_that_are_a_link_empty_nothing(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("no line feed at the end")
    folder = tmp_path / "annotation"
    folder.mkdir()
    (folder / "plan.json").write_text(json.dumps(plan_with("ann")))
    marks = folder / "marks-ann.jsonl"
    marks.symlink_to(victim)
    with pytest.raises(DrrError, match="is a link"):
        load(folder)
    plan = AnnotationPlan.model_validate(plan_with("ann"))
    with pytest.raises(DrrError, match="cannot be read"):
        labels.notebooks(folder, plan)
    assert victim.read_text() == "no line feed at the end"


def test_a_folder_that_is_not_ours_is_not_taken_away(drr: Drr, new: New, tmp_path: Path) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    (tmp_path / ".site.new").mkdir()
    (tmp_path / ".site.new" / "thesis.tex").write_text("mine")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / MARK).touch()
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    with Study.open(Path("study")) as study:
        for folder in ("site", "link"):
            with pytest.raises(Misuse):
                write_static(Reader(study), tmp_path / folder, Quiet())
    assert (tmp_path / ".site.new" / "thesis.tex").exists()
    assert (tmp_path / "kept" / MARK).exists()
