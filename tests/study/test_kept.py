"""What was worked out of a study is read again only while nothing that it rests on has changed by a byte."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from drr.env.errors import DrrError
from drr.env.trust import BY_PATH, cache_folder, remember_vouched
from drr.study.cache import cached_result, folder_hash
from drr.study.ledger import Ledger
from drr.study.run import run
from drr.study.study import Study

from tests.study.plain import answer, offline, units


class Home:
    """A study with one answer, a shop that it names, and a folder that is written from it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shop, self.out = folder / "shop", folder / "out"
        self.shop.mkdir()
        (self.shop / "products").write_bytes(b"a bird feeder")
        with Study.create(folder / "study", {"run": {"shop": str(self.shop)}}) as study:
            asyncio.run(run(study, units(1), answer, models=offline()))
        (study.folder / "queries.jsonl").write_bytes(b"{}\n")
        remember_vouched(study.folder, "study", {"made": BY_PATH})
        self.judge, self.works = "rules", 0

    def sum(self) -> int:
        """The number of the work that gave what is read now."""

        def work() -> dict[str, int]:
            self.works += 1
            self.out.mkdir(exist_ok=True)
            for name in (".mark", "page"):
                (self.out / name).write_text(name)
            return {"number": self.works}

        with Study.read(self.folder / "study") as study:
            found = cached_result(study, "sum", lambda: self.judge, work, wrote=self.out / ".mark")
        number: int = found["number"]
        return number

    def change(self, path: Path) -> None:
        """Change one byte, and no length."""
        content = path.read_bytes()
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))

    @property
    def file(self) -> Path:
        return max((cache_folder() / "kept").glob("*-sum.json"), key=lambda path: path.stat().st_mtime_ns)

    def write(self, how: Callable[[Ledger], None]) -> None:
        with Study.open(self.folder / "study") as study:
            how(study.ledger)


def _first_text(home: Home) -> Path:
    return next(path for path in (home.folder / "study" / "blobs").rglob("*") if path.is_file())


CHANGES: dict[str, Callable[[Home], object]] = {
    "a text": lambda home: home.change(_first_text(home)),
    "the questions": lambda home: home.change(home.folder / "study" / "queries.jsonl"),
    "a record": lambda home: home.write(lambda own: own.records.reopen([units(1)[0].key], "lost", "gone")),
    "a fact": lambda home: home.write(lambda own: own.set_meta("judgings", "[]")),
    "a product": lambda home: home.change(home.shop / "products"),
    "a page": lambda home: home.change(home.out / "page"),
    "what is asked": lambda home: setattr(home, "judge", "another"),
    "half of it was written": lambda home: home.file.write_bytes(home.file.read_bytes()[:60]),
    "forged": lambda home: home.file.write_text(
        json.dumps({**json.loads(home.file.read_bytes()), "value": {"number": 7}})
    ),
}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.mark.parametrize("change", CHANGES)
def test_one_byte_less_or_other_and_it_is_worked_out_anew(home: Home, change: str) -> None:
    assert [home.sum(), home.sum()] == [1, 1]
    CHANGES[change](home)
    assert [home.sum(), home.sum()] == [2, 2]


def test_nothing_is_kept_of_a_study_that_this_user_did_not_make(home: Home) -> None:
    assert [home.sum(), home.sum()] == [1, 1]
    (home.folder / "study").rename(home.folder / "given")
    (home.folder / "given").rename(home.folder / "study")
    assert home.sum() == 1, "the same folder, wherever it was"
    shutil.copytree(home.folder / "study", home.folder / "copy")
    with Study.read(home.folder / "copy") as study:
        assert [
            cached_result(study, "sum", lambda: 0, lambda number=number: number) for number in (1, 2)
        ] == [1, 2]


def test_what_changes_while_it_is_worked_out_is_not_kept(home: Home) -> None:
    def work() -> int:
        home.judge = "another"
        return 1

    with Study.read(home.folder / "study") as study:
        assert cached_result(study, "racing", lambda: home.judge, work) == 1
        assert cached_result(study, "racing", lambda: home.judge, lambda: 2) == 2


def test_a_value_that_a_file_would_change_is_not_kept(home: Home) -> None:
    with Study.read(home.folder / "study") as study:
        for number in (1, 2):
            assert (
                cached_result(
                    study, "odd", lambda: 0, lambda number=number: {"n": float("nan"), "of": number}
                )["of"]
                == number
            )


def test_a_tree_is_its_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one").write_text("1")
    before = folder_hash(tmp_path)
    (tmp_path / "a" / "one").rename(tmp_path / "a" / "two")
    assert folder_hash(tmp_path) != before
    (tmp_path / "a" / "two").rename(tmp_path / "a" / "one")
    assert folder_hash(tmp_path) == before


def test_a_cache_below_the_temporary_folder_is_used_only_if_it_is_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever came first to a name that anybody can guess chose what was read there."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    given, elsewhere = {"XDG_CACHE_HOME": str(tmp_path / "cache")}, tmp_path / "elsewhere"
    place = cache_folder(given)
    assert stat.S_IMODE(place.stat().st_mode) == stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    assert cache_folder(given) == place
    for wrong in (place, place.parent):
        wrong.chmod(0o777)
        with pytest.raises(DrrError, match="remove it, or name a cache"):
            cache_folder(given)
        wrong.chmod(0o700)
    elsewhere.mkdir()
    place.rmdir()
    place.symlink_to(elsewhere)
    with pytest.raises(DrrError, match="not this user's alone"):
        cache_folder(given)
    if os.getuid() == 0:
        place.unlink()
        place.mkdir(0o700)
        os.chown(place, 12345, 12345)
        with pytest.raises(DrrError, match="not this user's alone"):
            cache_folder(given)
