"""A SQLite file of strangers holds our statements and no other, and what it has us compute comes to an end."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from drr.env.embedded import layout
from drr.env.embedded.store import EmbeddedStore
from drr.env.errors import DrrError
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.study import database
from drr.study.study import Study

from tests.cases import cases, table

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
STRANGE = cases("security", "STRANGE")


def altered(path: Path, statement: str) -> None:
    with sqlite3.connect(path) as db:
        db.execute(statement)
    db.close()


@pytest.mark.parametrize("statement", STRANGE)
def test_a_ledger_with_a_statement_of_others_is_refused(tmp_path: Path, statement: str) -> None:
    Study.create(tmp_path / "s", {"schema": 1}).close()
    altered(tmp_path / "s" / "ledger.sqlite", statement)
    for opened in (Study.open, Study.read):
        with pytest.raises(DrrError, match="no ledger of ours"):
            opened(tmp_path / "s")


@pytest.mark.parametrize("statement", STRANGE)
def test_a_shop_with_a_statement_of_others_is_refused(box: Path, tmp_path: Path, statement: str) -> None:
    shutil.copytree(box / "shop", tmp_path / "shop")
    (file,) = (tmp_path / "shop").glob("data-*/shop.sqlite")
    altered(file, statement)
    with pytest.raises(DrrError, match=r"no shop of ours|is damaged"):
        open_shop(str(tmp_path / "shop"), Settings())


def test_a_damaged_record_of_a_shop_is_named(box: Path, tmp_path: Path) -> None:
    shutil.copytree(box / "shop", tmp_path / "shop")
    (file,) = (tmp_path / "shop").glob("data-*/shop.sqlite")
    altered(file, "UPDATE product SET doc = CAST(replace(doc, ' ', char(27)) AS BLOB)")
    with open_shop(str(tmp_path / "shop"), Settings()) as shop:
        with pytest.raises(DrrError, match=r"record of product .* is damaged"):
            next(iter(shop.store.iter_products()))
        product = sqlite3.connect(file).execute("SELECT id FROM product").fetchone()[0]
        with pytest.raises(DrrError, match=f"record of product {product} is damaged"):
            shop.store.product(product)


def test_a_pipe_in_the_index_of_a_shop_is_not_waited_for(box: Path, tmp_path: Path) -> None:
    shutil.copytree(box / "shop", tmp_path / "shop")
    (file,) = (tmp_path / "shop").glob("data-*/index/meta.json")
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(DrrError, match="is no plain file"):
        open_shop(str(tmp_path / "shop"), Settings())


def test_what_every_ledger_of_ours_may_hold_is_known(tmp_path: Path) -> None:
    Study.create(tmp_path / "s", {"schema": 1}).close()
    for statement in (database.BEATS, database.SAVED, "ANALYZE"):
        altered(tmp_path / "s" / "ledger.sqlite", statement)
    Study.open(tmp_path / "s").close()


def test_an_endless_question_is_ended(box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "PATIENCE_S", 0.2)
    monkeypatch.setattr(layout, "PATIENCE_S", 0.2)
    with Study.create(tmp_path / "s", {"schema": 1}) as study:
        with pytest.raises(DrrError, match="interrupted"):
            study.ledger.db.rows(ENDLESS)
        with pytest.raises(DrrError, match="too big"):
            study.ledger.db.rows("SELECT zeroblob(1000000000)")
        study.ledger.set_meta("note", "goes on")
    shop = open_shop(str(box / "shop"), Settings())
    assert isinstance(shop.store, EmbeddedStore)
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        shop.store.database.execute(ENDLESS).fetchone()


def test_an_endless_write_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Study.create(tmp_path / "s", {"schema": 1}) as study:
        study.ledger.set_meta("note", "before")
        monkeypatch.setattr(database, "PATIENCE_S", 0.2)
        for endless in (
            f"INSERT INTO meta SELECT 'more', ({ENDLESS})",
            f"UPDATE meta SET value = ({ENDLESS}) WHERE name = 'note'",
            f"DELETE FROM meta WHERE name = ({ENDLESS})",
            ENDLESS,
        ):
            ended = pytest.raises(DrrError, match=r"ledger\.sqlite: a write did not end in .*interrupted")
            with ended, study.ledger.db.writing(synced=True) as db:
                db.execute("INSERT OR REPLACE INTO meta VALUES ('note', 'half')")
                db.execute(endless).fetchall()
            assert study.ledger.meta("note") == "before" and study.ledger.meta("more") is None
        with pytest.raises(DrrError, match="a write did not end"), study.ledger.db.writing() as db:
            db.executemany("INSERT INTO meta VALUES (?, ?)", (("half", "x") for _ in [1]))
            db.executemany(f"INSERT INTO meta SELECT ?, ({ENDLESS})", [("more",)])
        assert study.ledger.meta("half") is None
        study.ledger.set_meta("note", "after")
    with Study.open(tmp_path / "s") as study:
        assert study.ledger.meta("note") == "after" and not study.ledger.db.altered_rows()


@table("security", "what_computes_when_it_is_written_to_is_refused_before_the_first_write")
def test_what_computes_when_it_is_written_to_is_refused_before_the_first_write(
    tmp_path: Path, drr: Callable[..., tuple[int, str, str]], new: Callable[..., list[str]], strange: str
) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    ledger = tmp_path / "study" / "ledger.sqlite"
    altered(ledger, strange)
    before = ledger.read_bytes()
    for words in (
        ("run", "study"),
        ("judge", "study", "--judge", "offline"),
        ("study", "edit", "study", "--trials", "2"),
    ):
        code, _, err = drr(*words)
        assert code in (1, 2) and "ledger" in err and "is no ledger of ours" in err, err
        assert ledger.read_bytes() == before


def endless_schema(path: Path, autoindex: str, table: str) -> None:
    """The tree of `sqlite_schema` branches over and over into one leaf, whose row says nothing new."""
    content = bytearray(path.read_bytes())
    size = int.from_bytes(content[16:18])
    known = int.from_bytes(content[103:105])
    leaf = bytearray(content[:size])
    leaf[: 8 + 2 * known] = content[100 : 108 + 2 * known]

    def inner(first: int, then: int, at: int = 0) -> bytearray:
        page, cells = bytearray(size), 300
        page[at : at + 12] = (
            b"\5\0\0" + cells.to_bytes(2) + (size - 5 * cells).to_bytes(2) + b"\0" + then.to_bytes(4)
        )
        for cell in range(cells):
            start = size - 5 * (cell + 1)
            page[at + 12 + 2 * cell : at + 14 + 2 * cell] = start.to_bytes(2)
            page[start : start + 5] = (then if cell else first).to_bytes(4) + b"\1"
        return page

    row = [b"index", autoindex.encode(), table.encode(), b"\3"]
    header = bytes([6, *(13 + 2 * len(text) for text in row[:3]), 1, 0])
    cell = bytes([len(header) + sum(map(len, row)), 1]) + header + b"".join(row)
    again = bytearray(size)
    again[:10] = b"\x0d\0\0\0\1" + (size - len(cell)).to_bytes(2) + b"\0" + (size - len(cell)).to_bytes(2)
    again[-len(cell) :] = cell
    next_page = len(content) // size + 1
    pages = [leaf, *(inner(next_page + n + 2, next_page + n + 2) for n in range(4)), again]
    first = inner(next_page, next_page + 1, 100)
    first[:100] = content[:100]
    first[28:32] = (next_page - 1 + len(pages)).to_bytes(4)
    path.write_bytes(first + content[size:] + b"".join(pages))


def test_a_schema_is_not_trusted_where_ours_does_without(box: Path, tmp_path: Path) -> None:
    """Our index of ledgers calls `json_extract`, which SQLite to 3.40 lets nobody call without trust."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("CREATE TABLE t (x)")
        try:
            db.execute("CREATE INDEX i ON t (json_extract(x, '$.y'))")
            needed = 0
        except sqlite3.OperationalError:
            needed = 1
    with Study.create(tmp_path / "s", {"schema": 1}) as study:
        assert study.ledger.db.rows("PRAGMA trusted_schema") == [(needed,)]
    with open_shop(str(box / "shop"), Settings()) as shop:
        assert isinstance(shop.store, EmbeddedStore)
        assert shop.store.database.execute("PRAGMA trusted_schema").fetchone() == (0,)


def test_a_schema_that_has_no_end_is_left(box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Study.create(tmp_path / "s", {"schema": 1}).close()
    endless_schema(tmp_path / "s" / "ledger.sqlite", "sqlite_autoindex_units_1", "units")
    monkeypatch.setattr(database, "PATIENCE_S", 0.2)
    monkeypatch.setattr(layout, "PATIENCE_S", 0.2)
    for opened in (Study.open, Study.read):
        with pytest.raises(DrrError, match="interrupted"):
            opened(tmp_path / "s")
    shutil.copytree(box / "shop", tmp_path / "shop")
    (file,) = (tmp_path / "shop").glob("data-*/shop.sqlite")
    endless_schema(file, "product_id", "product")
    manifest = tmp_path / "shop" / "manifest.json"
    told = json.loads(manifest.read_text())
    told["sizes"]["shop.sqlite"] = file.stat().st_size
    manifest.write_text(json.dumps(told))
    with pytest.raises(DrrError, match="interrupted"):
        open_shop(str(tmp_path / "shop"), Settings())


@pytest.mark.long
def test_a_ledger_in_circles_is_refused(tmp_path: Path, drr: Callable[..., tuple[int, str, str]]) -> None:
    """Every child of an inner page is the page below it, so that few pages are billions of rows."""
    with Study.create(tmp_path / "s", {"schema": 1}) as study:
        study.ledger.set_meta("note", "x")
    ledger = tmp_path / "s" / "ledger.sqlite"
    with sqlite3.connect(ledger) as db:
        db.executemany("INSERT INTO meta VALUES (?, ?)", ((f"{n}", "x" * 900) for n in range(20_000)))
        (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'meta'").fetchone()
    db.close()
    content = bytearray(ledger.read_bytes())
    page = (root - 1) * 4096
    cells = int.from_bytes(content[page + 3 : page + 5])
    for number in range(cells):
        at = page + int.from_bytes(content[page + 12 + 2 * number : page + 14 + 2 * number])
        content[at : at + 4] = content[page + 8 : page + 12]
    ledger.write_bytes(content)
    with pytest.raises(DrrError, match="not as it was written"):
        Study.open(tmp_path / "s")
