"""A shop in a folder: built out of sight, shown whole, and its damage named."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import orjson
import pytest
from drr.env.embedded.catalog import links_to, remove_links
from drr.env.errors import ShopError
from drr.env.settings import Settings
from drr.env.shop import Manifest, SearchRequest, check_shop, open_shop, shop_writer

from tests.cases import cases

SETTINGS = Settings()
Builder = Callable[..., Manifest]


def _edit_manifest(folder: Path, **changes: object) -> None:
    path = folder / "manifest.json"
    path.write_bytes(orjson.dumps(orjson.loads(path.read_bytes()) | changes))


def _data(folder: Path) -> Path:
    (data,) = folder.glob("data-*")
    return data


def _edit_database(folder: Path, statement: str) -> None:
    connection = sqlite3.connect(_data(folder) / "shop.sqlite")
    connection.execute(statement)
    connection.commit()
    connection.close()
    _edit_manifest(folder, sizes={})


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _index_file(folder: Path, suffix: str) -> Path:
    return next((_data(folder) / "index").glob("*" + suffix))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "no manifest": lambda f: (f / "manifest.json").unlink(),
    "empty manifest": lambda f: (f / "manifest.json").write_bytes(b""),
    "half a manifest": lambda f: _truncate(f / "manifest.json"),
    "manifest of something else": lambda f: (f / "manifest.json").write_text('{"name": "x"}'),
    "manifest is a list": lambda f: (f / "manifest.json").write_text("[]"),
    "wrong type": lambda f: _edit_manifest(f, counts="many"),
    "no counts": lambda f: _edit_manifest(f, counts={}),
    "unknown key": lambda f: _edit_manifest(f, surprise=1),
    "newer schema": lambda f: _edit_manifest(f, schema_version=99, surprise=1),
    "path out": lambda f: _edit_manifest(f, data="../elsewhere"),
    "no data": lambda f: _data(f).rename(f.parent / "gone"),
    "no database": lambda f: (_data(f) / "shop.sqlite").unlink(),
    "half a database": lambda f: _truncate(_data(f) / "shop.sqlite"),
    "no index": lambda f: (_data(f) / "index" / "meta.json").unlink(),
    "index meta broken": lambda f: (_data(f) / "index" / "meta.json").write_bytes(b"{"),
    "index segment gone": lambda f: _index_file(f, ".term").unlink(),
    "index segment cut": lambda f: _truncate(_index_file(f, ".store")),
    "not a database": lambda f: (_data(f) / "shop.sqlite").write_bytes(
        b"x" * (_data(f) / "shop.sqlite").stat().st_size
    ),
    "another shop's database": lambda f: _edit_database(
        f, "update meta set value = 'x' where name = 'content_hash'"
    ),
    "other tokenizer": lambda f: _edit_manifest(f, versions={"text": "0"}),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_cannot_be_opened_says_so_in_one_sentence(folder: Path, damage: str) -> None:
    DAMAGES[damage](folder)
    with pytest.raises(ShopError) as caught:
        open_shop(str(folder), SETTINGS)
    message = str(caught.value)
    assert message.startswith(str(folder)) and ";" in message and "\n" not in message
    assert list(check_shop(str(folder), SETTINGS)) == [message]


def test_no_shop_and_a_newer_one_say_so(folder: Path, tmp_path: Path) -> None:
    _edit_manifest(folder, schema_version=2)
    with pytest.raises(ShopError, match=r"newer version .schema 2, this one reads 1.; update drr"):
        open_shop(str(folder), SETTINGS)
    (tmp_path / "file").write_text("x")
    with pytest.raises(ShopError, match="is a file"):
        open_shop(str(tmp_path / "file"), SETTINGS)
    with pytest.raises(ShopError, match=f"did you mean {folder}"):
        open_shop(str(tmp_path / "shp"), SETTINGS)
    with pytest.raises(ShopError, match="name it as seen from this folder"):
        open_shop("../elsewhere/none", SETTINGS)
    with pytest.raises(ShopError, match="drr data ingest"):
        open_shop(str(tmp_path / "zzzzzz"), SETTINGS)


@pytest.mark.parametrize(("statement", "sentence"), cases("env_store", "test_check_names_what_does_not_fit"))
def test_check_names_what_does_not_fit(folder: Path, statement: str, sentence: str) -> None:
    _edit_database(folder, statement)
    problems = list(check_shop(str(folder), SETTINGS))
    assert any(sentence in problem for problem in problems), problems


def test_check_sees_what_was_edited_in_the_manifest(folder: Path) -> None:
    rows = {"reviews": 6, "orders": 3, "duplicates": 1, "not_selected": 0, "quarantined": 1}
    told: list[tuple[dict[str, Any], str]] = [
        ({"as_of": "2022-05-01"}, "as_of is 2022-05-01, and the day after the last order is 2022-04-16"),
        ({"rows": rows}, "The manifest says that 6 reviews were read and accounts for 5."),
        ({"recipe": {"min_reviews": 5}}, "its recipe or another part of its text was changed."),
    ]
    sound = (folder / "manifest.json").read_bytes()
    for changes, said in told:
        (folder / "manifest.json").write_bytes(sound)
        _edit_manifest(folder, **changes)
        problems = list(check_shop(str(folder), SETTINGS))
        assert any(said in problem for problem in problems), problems
    assert len(problems) == 1
    open_shop(str(folder), SETTINGS).close()
    (folder / "manifest.json").write_bytes(sound)
    _edit_manifest(folder, seal=None)
    assert list(check_shop(str(folder), SETTINGS)) == [], "of before the seal"


@pytest.mark.parametrize(
    "suffix", [".term", ".idx", ".pos", ".fieldnorm", ".fast", ".store", "meta.json", ".sqlite"]
)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_check_finds_any_changed_byte(folder: Path, suffix: str, share: float) -> None:
    path = _data(folder) / "shop.sqlite" if suffix == ".sqlite" else _index_file(folder, suffix)
    data = bytearray(path.read_bytes())
    data[int(len(data) * share)] ^= 0x11
    path.write_bytes(data)
    assert list(check_shop(str(folder), SETTINGS))


def test_a_lost_part_of_the_index_is_named_by_check_and_by_search(folder: Path) -> None:
    _index_file(folder, ".pos").unlink()
    assert [p[:38] for p in check_shop(str(folder), SETTINGS)] == ["The search index is not what was writt"]
    with open_shop(str(folder), SETTINGS) as shop, pytest.raises(ShopError, match="cannot be read"):
        shop.catalog.search(SearchRequest("bird"))


def test_a_shop_that_may_not_be_written_to_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The lock that tantivy asks for is a folder here, which nobody can open as a file: root may write anywhere."""
    index = _data(folder) / "index"
    (index / ".tantivy-meta.lock").unlink(missing_ok=True)
    (index / ".tantivy-meta.lock").mkdir()
    with pytest.raises(ShopError, match="its search index cannot be opened"):
        open_shop(str(folder), SETTINGS)
    monkeypatch.setattr("drr.env.embedded.catalog.os.access", lambda path, mode: False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere").mkdir()
    with open_shop(str(folder), SETTINGS) as shop:
        assert shop.catalog.search(SearchRequest("bird feeder")).total == 30
        assert list((tmp_path / "elsewhere").iterdir())
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_lock_that_appears_during_the_removal_goes_too(folder: Path) -> None:
    """A watcher of tantivy puts one there; here it appears just before the folder would go."""
    links = links_to(_data(folder) / "index")
    times = [1]

    def appear(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "os.rmdir" and times and str(arguments[0]) == str(links):
            times.clear()
            (links / ".tantivy-meta.lock").touch()

    sys.addaudithook(appear)
    remove_links(links)
    assert not times
    assert not links.exists()


def test_check_finds_damaged_pages(folder: Path, builder: Builder) -> None:
    builder(folder, products=500, replace=True)
    path = _data(folder) / "shop.sqlite"
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\xde\xad" * 4096)
    problems = list(check_shop(str(folder), SETTINGS))
    assert problems and "damaged" in problems[0]


def test_only_an_empty_folder_or_a_shop_becomes_one_and_nothing_is_left_beside_it(
    tmp_path: Path, builder: Builder, folder: Path
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.txt").write_text("x")
    with pytest.raises(ShopError, match="other things"):
        shop_writer(str(tmp_path / "home"), SETTINGS, replace=True)
    assert (tmp_path / "home" / "thesis.txt").read_text() == "x"
    (tmp_path / "new").mkdir()
    builder(tmp_path / "new")
    assert list(check_shop(str(tmp_path / "new"), SETTINGS)) == []
    builder(folder, replace=True, text="cat toy")
    assert sorted(path.name for path in folder.parent.iterdir()) == ["home", "new", "shop"]
    assert sorted(path.name[:5] for path in folder.iterdir()) == ["data-", "manif"]


def test_a_build_stopped_as_it_begins_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C does not wait for the `with` to be entered."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sqlite3, "connect", interrupted)
    with pytest.raises(KeyboardInterrupt):
        shop_writer(str(folder), Settings(), replace=True)
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_an_open_shop_outlives_its_replacement_and_a_closed_one_is_not_read(
    folder: Path, builder: Builder
) -> None:
    from threading import Thread

    with open_shop(str(folder), SETTINGS) as old:
        builder(folder, replace=True, text="cat toy")
        assert old.catalog.search(SearchRequest("feeder")).total == 30
        product = old.store.product("B000000001")
        assert product is not None and product.title == "bird feeder 1"
        errors: list[str] = []

        def read_in_a_new_thread() -> None:
            try:
                old.store.product("B000000001")
            except ShopError as error:
                errors.append(str(error))

        thread = Thread(target=read_in_a_new_thread)
        thread.start()
        thread.join()
    assert errors and "replaced while open" in errors[0]
    with open_shop(str(folder), SETTINGS) as new:
        assert new.catalog.search(SearchRequest("feeder")).total == 0
    shop = open_shop(str(folder), SETTINGS)
    shop.close()
    with pytest.raises(ShopError, match="closed"):
        shop.store.product("B000000001")


def _titles(folder: str) -> list[str]:
    with open_shop(folder, SETTINGS) as shop:
        page = shop.catalog.search(SearchRequest("feeder", limit=30, sort="popularity"))
        return [p.title for p in shop.store.products(page.product_ids)]


@pytest.mark.long
def test_many_processes_read_one_shop(folder: Path) -> None:
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        answers = list(pool.map(_titles, [str(folder)] * 8))
    assert answers == [[f"bird feeder {n}" for n in range(29, -1, -1)]] * 8


def test_a_forked_child_has_its_own_connection(folder: Path) -> None:
    with open_shop(str(folder), SETTINGS) as shop:
        shop.store.product("B000000001")
        child = os.fork()
        if child == 0:
            product = shop.store.product("B000000002")
            os._exit(0 if product is not None and product.title == "bird feeder 2" else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert shop.store.product("B000000003") is not None


_KILLED = """
import sys
from itertools import count
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from tests.env_store.conftest import build
for number in count():
    build(Path(sys.argv[1]), products=200, replace=True, text=f"generation{number} bird")
    print(number, flush=True)
"""


@pytest.fixture
def rebuilding(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(tmp_path / "shop"), str(root)], stdout=subprocess.PIPE
    )
    yield process
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


@pytest.mark.long
def test_a_killed_build_leaves_the_old_shop_or_a_whole_new_one(
    tmp_path: Path, rebuilding: subprocess.Popen[bytes], builder: Builder
) -> None:
    """Killed at a random moment of the fourth or a later build; readers look on meanwhile."""
    assert rebuilding.stdout is not None
    for _ in range(3):
        assert rebuilding.stdout.readline()
    shop = str(tmp_path / "shop")
    deadline = time.monotonic() + random.Random().uniform(0.05, 0.6)
    while time.monotonic() < deadline:
        with open_shop(shop, SETTINGS) as seen:
            assert seen.catalog.search(SearchRequest("bird")).total == 200
    rebuilding.send_signal(signal.SIGKILL)
    rebuilding.wait()
    assert list(check_shop(shop, SETTINGS)) == []
    builder(tmp_path / "shop", replace=True)
    assert [path.name for path in tmp_path.iterdir()] == ["shop"]
    assert len(list((tmp_path / "shop").iterdir())) == 2


@pytest.mark.long
def test_a_killed_first_build_leaves_no_shop(tmp_path: Path, builder: Builder) -> None:
    dying = (
        "import os, drr.env.embedded.writer as w; w.FolderWriter._show = lambda self: os._exit(9)\nfor number"
    )
    script = _KILLED.replace("for number", dying)
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "shop"), str(root)], check=False)
    assert done.returncode == 9
    left = list(tmp_path.iterdir())
    assert len(left) == 1 and left[0].name.startswith(".shop.new-")
    with pytest.raises(ShopError, match="no such shop"):
        open_shop(str(tmp_path / "shop"), SETTINGS)
    builder(tmp_path / "shop")
    assert [path.name for path in tmp_path.iterdir()] == ["shop"]


def test_a_build_in_progress_is_not_swept_away(folder: Path, builder: Builder) -> None:
    with shop_writer(str(folder), SETTINGS, replace=True) as slow:
        slow.write_products([])
        builder(folder, replace=True, text="quick")
        slow.write_users([])
        slow.write_orders([])
        slow.publish(Manifest(backend="", as_of="", content_hash="", counts={}))
    assert list(check_shop(str(folder), SETTINGS)) == []
    with open_shop(str(folder), SETTINGS) as shop:
        assert shop.manifest.counts["products"] == 0


_FULL = """
import resource, sys
from pathlib import Path
from tests.env_store.conftest import build
from drr.env.errors import ShopError
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    build(Path(sys.argv[1]), products=600, replace=True, text="long title " * 30)
except ShopError as error:
    print(error)
    sys.exit(3)
"""


@pytest.mark.long
@pytest.mark.parametrize("limit", [4_096, 16_384, 60_000, 120_000, 400_000])
def test_a_full_disk_is_said_and_leaves_the_old_shop(folder: Path, limit: int) -> None:
    """Played by a limit on the size of a file; which file meets it first depends on the limit."""
    before = open_shop(str(folder), SETTINGS)
    words = [sys.executable, "-c", _FULL, str(folder), str(limit)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert done.returncode == 3, done.stderr
    assert "cannot be written" in done.stdout and "make room" in done.stdout
    assert [path.name for path in folder.parent.iterdir()] == ["shop"]
    with open_shop(str(folder), SETTINGS) as after:
        assert after.manifest == before.manifest
    before.close()
    assert list(check_shop(str(folder), SETTINGS)) == []
