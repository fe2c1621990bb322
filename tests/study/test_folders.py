"""Folders that go to other machines: found where they are, copied once for each node, never other than they were."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from pathlib import Path

import pytest
from drr.env.errors import DrrError
from drr.study import folders
from drr.study.folders import CarriedFolder, FolderSource, PieceAsked, relocated, settled


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


class Carrier:
    def __init__(self, folder: CarriedFolder) -> None:
        self.source = FolderSource((folder,), lambda content: content)
        self.asked: list[PieceAsked] = []

    async def fetch(self, asked: PieceAsked) -> bytes:
        self.asked.append(asked)
        await asyncio.sleep(0)
        content: bytes = self.source.piece(asked).content
        return content


async def test_a_folder_that_the_path_leads_to_stays_where_it_is(tmp_path: Path) -> None:
    folder = carried(tmp_path / "shop")
    carrier = Carrier(folder)
    assert await settled(folder, carrier.fetch) == folder.path
    assert carrier.asked == []
    assert relocated({"run": {"shop": "a", "n": 1}, "l": ["a", ("a",)]}, {"a": "b"}) == {
        "run": {"shop": "b", "n": 1},
        "l": ["b", ("b",)],
    }


async def test_it_is_copied_once_for_all_workers_of_a_node(tmp_path: Path) -> None:
    folder = carried(tmp_path / "shop", always=True)
    carrier = Carrier(folder)
    places = await asyncio.gather(*(settled(folder, carrier.fetch) for _ in range(3)))
    (place,) = {Path(place) for place in places}
    assert place.is_relative_to(tmp_path / "cache")
    for name in ("mark", "data/a", "data/b", "data/c"):
        assert (place / name).read_bytes() == (tmp_path / "shop" / name).read_bytes()
    assert len(carrier.asked) == len(set(carrier.asked))
    again = Carrier(folder)
    assert await settled(folder, again.fetch) == str(place)
    assert again.asked == []


async def test_what_did_not_arrive_as_it_was_is_not_used(tmp_path: Path) -> None:
    folder = carried(tmp_path / "shop", always=True)
    (tmp_path / "shop/data/c").write_bytes(b"z" * 20)
    with pytest.raises(DrrError, match="data/c: did not arrive as it is"):
        await settled(folder, Carrier(folder).fetch)
    assert not list((tmp_path / "cache").rglob("mark"))
    (tmp_path / "shop/data/c").write_bytes(b"y" * 20)
    assert Path(await settled(folder, Carrier(folder).fetch), "data/c").read_bytes() == b"y" * 20


async def test_nothing_else_is_read_or_written(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s")
    folder = carried(tmp_path / "shop", always=True)
    for file in ("../secret", "data", "other"):
        with pytest.raises(DrrError, match="nothing of this run's"):
            Carrier(folder).source.piece(PieceAsked(folder.path, file, 0))
    outside = CarriedFolder(folder.path, "mark", folder.mark_sha256, {"../../out": "0"}, always=True)
    with pytest.raises(DrrError, match="outside itself"):
        await settled(outside, Carrier(outside).fetch)
