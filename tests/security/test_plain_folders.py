"""Shops and tasks of strangers are folders of plain files: no link in them leads out, and no pipe is waited for."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from drr.env.embedded.folder import check_shop
from drr.env.embedded.layout import DATABASE, file_hashes
from drr.env.errors import DrrError
from drr.env.files import holes
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.papers.dr3.folders import open_tasks, task_at
from drr.papers.dr3.form import CORPUS, DRAWER, QUESTION, REVIEW, SIZES, TRUTH

from tests.commands import Drr
from tests.filetasks.made import write_known_task

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
def test_a_shop_of_links_and_pipes_is_refused(
    box: Path, place: Path, drr: Drr, replace: Replace, said: str, name: str
) -> None:
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
    assert (
        (code, out) == (1, "")
        and len(err) < 400
        and file.name in err
        and "ingest again with --replace" in err
    ), err
    assert "are holes" in err if pattern != "meta.json" and pattern != ".managed.json" else "longer" in err


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
    assert holes(file) == 0
    os.truncate(file, 3 << 20)
    with file.open("r+b") as end:
        end.seek(2 << 20)
        end.write(b"x" * 4096)
    assert holes(file) == (2 << 20) - 4096
    file.write_bytes(b"")
    assert holes(file) == 0


@pytest.mark.long
@WAYS
@pytest.mark.parametrize("name", [QUESTION, CORPUS, SIZES, TRUTH, REVIEW, DRAWER, f"{DRAWER}/more.txt"])
def test_tasks_of_links_and_pipes_are_refused(
    place: Path, drr: Drr, replace: Replace, said: str, name: str
) -> None:
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
        code, _, err = drr("tasks", *words)
        assert code == 1 and said in err
