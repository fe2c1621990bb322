"""Ids, names, links and folders of others lead no write and no read elsewhere; a folder that is given is left as it was."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from drr.app.annotate import labels
from drr.app.annotate.annotation_plan import AnnotationPlan, load
from drr.app.pages.folders import VIEWER_MARK
from drr.app.viewer.reader import Reader
from drr.app.viewer.static import write_static
from drr.env.embedded.folder import check_shop
from drr.env.embedded.layout import DATABASE, file_hashes
from drr.env.errors import DrrError, Misuse
from drr.env.files import checked_id, file_name, sparse_bytes
from drr.env.progress import Quiet
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.papers.dr3.folders import open_tasks, task_at
from drr.papers.dr3.form import CORPUS, DRAWER, QUESTION, REVIEW, SIZES, TRUTH
from drr.study.study import Study
from hypothesis import given
from hypothesis import strategies as st

from tests.commands import Drr
from tests.filetasks.made import write_known_task
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
        links = ("/dev/zero", tmp_path / "secret")
        ways = [*(partial(os.symlink, to) for to in links), os.mkfifo, os.mkdir]
        for number, make in enumerate(ways):
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
    for opened in (Study.open, lambda at: Study.create(at, {"schema": 1})):
        with pytest.raises(DrrError, match="is a link"):
            opened(folder)


def test_links_laid_out_for_our_drafts_are_not_written_through(drr: Drr, new: New, tmp_path: Path) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    victim = tmp_path / "victim"
    victim.write_text("mine")
    for name in (".queries.jsonl", f".study.toml.{os.getpid()}"):
        Path("study", name).symlink_to(victim)
    assert "put the file itself there" in drr.err("run", "study", "--trials", 2, "--quiet", code=1)
    assert victim.read_text() == "mine"


def plan_with(name: str) -> dict[str, object]:
    pair = {
        "id": "p-1", "query_id": "q", "query": "?", "profile": "", "trial": 0, "system_a": "a", "system_b": "b",
        "answer_a": "A", "answer_b": "B",
    }  # fmt: skip
    person = {"name": name, "token": "t", "sheet": "s", "turns": [{"pair": "p-1", "shown_first": "a"}]}
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
    (tmp_path / "kept" / VIEWER_MARK).touch()
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    with Study.open(Path("study")) as study:
        for folder in ("site", "link"):
            with pytest.raises(Misuse):
                write_static(Reader(study), tmp_path / folder, Quiet())
    assert (tmp_path / ".site.new" / "thesis.tex").exists()
    assert (tmp_path / "kept" / VIEWER_MARK).exists()


Replace = Callable[[Path], None]


def by_link(path: Path) -> None:
    """What is there lies elsewhere from now on."""
    elsewhere = next(one for one in path.parents if one.name == "place").with_name(f"elsewhere-{path.name}")
    path.rename(elsewhere) if path.exists() else elsewhere.touch()
    path.symlink_to(elsewhere)


def by_pipe(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    os.mkfifo(path)


WAYS = pytest.mark.parametrize(("replace", "said"), [(by_link, "is a link"), (by_pipe, "no plain file")])


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "place"
    folder.mkdir()
    return folder


@WAYS
@pytest.mark.parametrize(
    "name", ["manifest.json", f"data-*/{DATABASE}", "data-*/index/meta.json", "data-*/more"]
)
def test_shops_of_links(box: Path, place: Path, drr: Drr, replace: Replace, said: str, name: str) -> None:
    shutil.copytree(box / "shop", place / "shop")
    folder, _, last = name.rpartition("/")
    (within,) = (place / "shop").glob(folder) if folder else [place / "shop"]
    replace(within / last)
    with pytest.raises(DrrError, match=said):
        open_shop(str(place / "shop"), Settings())
    assert [said in one for one in check_shop(str(place / "shop"), Settings())] == [True]
    code, _, err = drr("shop", "info", place / "shop")
    assert code == 1 and said in err


def test_a_shop_whose_data_lie_elsewhere_is_refused(box: Path, place: Path) -> None:
    shutil.copytree(box / "shop", place / "shop")
    (data,) = (place / "shop").glob("data-*")
    data.rename(place / "elsewhere")
    data.symlink_to(place / "elsewhere")
    with pytest.raises(DrrError, match="is a link"):
        open_shop(str(place / "shop"), Settings())
    (place / "named").symlink_to(box / "shop")
    open_shop(str(place / "named"), Settings()).close()


def test_a_journal_full_of_holes_beside_a_shop_is_not_read(box: Path, place: Path) -> None:
    shutil.copytree(box / "shop", place / "shop")
    (data,) = (place / "shop").glob("data-*")
    for ending in ("-wal", "-shm", "-journal"):
        beside = data / f"{DATABASE}{ending}"
        beside.write_bytes(b"x")
        assert beside.name not in file_hashes(data)
        os.truncate(beside, 1 << 40)
    assert list(check_shop(str(place / "shop"), Settings())) == []


def full_of_holes(path: Path) -> None:
    """Its end, by which an index is known, stays at the end."""
    content = path.read_bytes() if path.exists() else b""
    with path.open("wb") as file:
        file.truncate((1 << 41) - len(content))
        file.seek(0, os.SEEK_END)
        file.write(content)


@pytest.mark.parametrize("pattern", ["*.store", "*.idx", "*.pos", "meta.json", ".managed.json", "more"])
def test_a_file_full_of_holes_in_a_shop_is_not_read(box: Path, place: Path, drr: Drr, pattern: str) -> None:
    shutil.copytree(box / "shop", place / "shop")
    (index,) = (place / "shop").glob("data-*/index")
    file = next(iter(index.glob(pattern)), index / pattern)
    full_of_holes(file)
    code, out, err = drr("shop", "check", place / "shop")
    assert (code, out) == (1, "") and len(err) < 400 and file.name in err and "--replace" in err, err
    assert ("longer" if pattern in ("meta.json", ".managed.json") else "are holes") in err


def test_a_database_full_of_holes_in_a_shop_is_not_read(box: Path, place: Path, drr: Drr) -> None:
    shutil.copytree(box / "shop", place / "shop")
    (file,) = (place / "shop").glob(f"data-*/{DATABASE}")
    os.truncate(file, 1 << 41)
    manifest = place / "shop" / "manifest.json"
    told = json.loads(manifest.read_text())
    told["sizes"][DATABASE] = 1 << 41
    manifest.write_text(json.dumps(told))
    code, _, err = drr("shop", "check", place / "shop")
    assert code == 1 and f"{DATABASE} has 2,199,023,255,552 bytes, of which " in err


def test_holes_are_what_takes_no_room(place: Path) -> None:
    file = place / "file"
    file.write_bytes(b"x" * (1 << 20))
    assert sparse_bytes(file) == 0
    os.truncate(file, 3 << 20)
    with file.open("r+b") as end:
        end.seek(2 << 20)
        end.write(b"x" * 4096)
    assert sparse_bytes(file) == (2 << 20) - 4096
    file.write_bytes(b"")
    assert sparse_bytes(file) == 0


@pytest.mark.long
@WAYS
@pytest.mark.parametrize("name", [QUESTION, CORPUS, SIZES, TRUTH, REVIEW, DRAWER, f"{DRAWER}/more.txt"])
def test_tasks_of_links_are_refused(place: Path, drr: Drr, replace: Replace, said: str, name: str) -> None:
    for task in ("007", "008"):
        write_known_task(place / task, task)
    replace(place / "007" / name)
    if name == QUESTION and replace is by_pipe:  # it makes a folder no task
        assert list(open_tasks(place)) == ["008"]
        return
    with pytest.raises(DrrError, match=said):
        open_tasks(place)
    with pytest.raises(DrrError, match=said):
        task_at(place, "007")
    for words in (
        ("check", place), ("show", place / "007"), ("show", place), ("review", place, "--reviewer", "ann"),
    ):  # fmt: skip
        code, _, err = drr("papers", "tasks", *words)
        assert code == 1 and said in err
