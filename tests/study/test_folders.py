"""Folders that go to other machines: found where they are, copied once for each node, never other than they were."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from drr.env.errors import DrrError
from drr.study import folders
from drr.study.folders import CarriedFolder, with_local_paths


@pytest.fixture(autouse=True)
def _small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(folders, "PIECE", 10)


def carried(place: Path, *, always: bool = False, **more: str) -> CarriedFolder:
    (place / "data").mkdir(parents=True)
    contents = {"data/a": b"", "data/b": b"x" * 35, "data/c": b"y" * 20}
    for name, content in contents.items():
        (place / name).write_bytes(content)
    (place / "mark").write_bytes(b"version 1")
    files = {name: sha256(content).hexdigest() for name, content in contents.items()} | more
    return CarriedFolder(str(place), "mark", sha256(b"version 1").hexdigest(), files, always)


def test_a_folder_that_the_path_leads_to_stays_where_it_is(tmp_path: Path) -> None:
    folder = carried(tmp_path / "shop")
    assert folder.found() == folder.path
    assert with_local_paths({"run": {"shop": "a", "n": 1}, "l": ["a", ("a",)]}, {"a": "b"}) == {
        "run": {"shop": "b", "n": 1},
        "l": ["b", ("b",)],
    }


def test_it_is_copied_in_pieces_once_and_found_there(tmp_path: Path) -> None:
    folder = carried(tmp_path / "shop", always=True)
    assert folder.found() is None
    pieces = list(folder.pieces())
    assert max(len(content) for _, content in pieces) == 10 and len(pieces) > 8
    place = Path(folder.copied(pieces))
    assert place.is_relative_to(tmp_path / "cache")
    for name in ("mark", "data/a", "data/b", "data/c"):
        assert (place / name).read_bytes() == (tmp_path / "shop" / name).read_bytes()
    assert folder.found() == str(place) == folder.copied(pieces), "another was as quick"
    assert [path.name for path in place.parent.iterdir()] == [place.name]


def test_what_did_not_arrive_as_it_was_is_not_used(tmp_path: Path) -> None:
    folder = carried(tmp_path / "shop", always=True)
    (tmp_path / "shop/data/c").write_bytes(b"z" * 20)
    with pytest.raises(DrrError, match="data/c: did not arrive as it is"):
        folder.copied(folder.pieces())
    assert not list((tmp_path / "cache").rglob("mark")) and folder.found() is None
    (tmp_path / "shop/data/c").write_bytes(b"y" * 20)
    assert Path(folder.copied(folder.pieces()), "data/c").read_bytes() == b"y" * 20


def test_nothing_is_written_outside(tmp_path: Path) -> None:
    folder = carried(tmp_path / "shop", always=True)
    with pytest.raises(DrrError, match="outside itself"):
        folder.copied([("../../out", b"")])
    assert not list(tmp_path.rglob("out"))
