"""Databases of others: nothing in them computes, and what was changed in a ledger is told."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from drr.app.bundles.regrade import restore
from drr.env.errors import DrrError
from drr.env.web.record import Searches, Snapshots, url_key
from drr.study.study import Study
from drr.study.unit import Unit

from tests.cases import cases
from tests.commands import Drr
from tests.security.hostile import DEEP
from tests.tampering import tampered

New = Callable[..., list[str]]
ODD = {
    "word": "x", "number": "5", "nothing": "null", "list": "[]", "table": "{}", "deep": DEEP,
    "bytes": b"\xff", "none": None,
}  # fmt: skip
COLUMNS = {
    "records": ("result", "blobs", "usage", "status", "cost", "seconds", "attempts", "message"),
    "units": ("key_fields", "spec", "kind", "label"),
}
FORGERIES = [
    *((f"UPDATE {name} SET {column} = ?", (value,)) for name, columns in COLUMNS.items() for column in columns for value in ODD.values()),
    *(("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value)) for name in ("budget", "judgings", "schema") for value in ODD.values()),
    *((f"DROP TABLE {name}", ()) for name in ("units", "meta", "leases", "spending")),
    ("INSERT INTO leases SELECT key, 'x', 1e300 FROM units", ()),
    ("INSERT INTO leases SELECT key, 'x/1/1/1', 'soon' FROM units", ()),
    ("INSERT OR REPLACE INTO spending VALUES ('x', 'a', 'b', 'c', 'd', 'e')", ()),
]  # fmt: skip
COMMANDS = (
    ("status", "study"), ("report", "study", "--json"), ("export", "study", "--out", "tables"),
    ("study", "trace", "study"), ("run", "study", "--dry-run"),
)  # fmt: skip


@pytest.mark.long
def test_whatever_a_ledger_says_is_refused_in_one_sentence_or_harmless(drr: Drr, new: New) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    assert drr("judge", "study", "--judge", "offline", "--quiet", "--what", "rules,quality")[0] == 0
    ledger, refused = Path("study", "ledger.sqlite"), 0
    good = ledger.read_bytes()
    for number, (statement, values) in enumerate(FORGERIES):
        for file in Path("study").glob("ledger.sqlite*"):
            file.unlink()
        ledger.write_bytes(good)
        try:
            with tampered(ledger) as db:
                db.execute(statement, values)
        except sqlite3.Error:  # SQLite itself refuses it
            continue
        code, _, err = drr(*COMMANDS[number % len(COMMANDS)])
        assert code in (0, 1, 2), (statement, values)
        assert code == 0 or (err.startswith("drr: ") and len(err) < 1_500), (statement, err)
        refused += code != 0
    assert refused > 30


@pytest.mark.parametrize(
    "text",
    [b"[]", b"null", b"5", b"{}", b'{"sha256": null}', b'{"sha256": null, "final_url": 1, "status": 1, "title": [], "reader": {}, "reason": 1}',
     DEEP.encode(), b"\xff"],
)  # fmt: skip
def test_a_recording_of_strangers_is_refused_in_one_sentence(tmp_path: Path, text: bytes) -> None:
    pages, searches = Snapshots(tmp_path, lambda: datetime.now(UTC)), Searches(tmp_path)
    page = tmp_path / "pages" / f"{url_key('https://a.example/')}.json"
    for path in (page, searches._path("x")):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text)
    for read in (lambda: pages.get("https://a.example/"), lambda: searches.get("x", 1)):
        with pytest.raises(DrrError):
            read()
    page.unlink()
    page.symlink_to("/dev/zero")
    with pytest.raises(DrrError, match="cannot be read"):
        pages.get("https://a.example/")


FLIPS = 40


def flipped(ledger: Path, good: bytes, bit: int) -> None:
    for file in ledger.parent.glob(f"{ledger.name}-*"):
        file.unlink()
    content = bytearray(good)
    content[bit // 8] ^= 1 << bit % 8
    ledger.write_bytes(content)


def exported(drr: Drr, out: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(out).rglob("*") if path.is_file()}


@pytest.mark.long
@pytest.mark.parametrize("flips", [FLIPS, pytest.param(1_000, marks=pytest.mark.endurance)])
def test_no_export_differs_without_a_word(drr: Drr, new: New, flips: int) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    assert drr("judge", "study", "--judge", "offline", "--quiet", "--what", "rules,quality")[0] == 0
    assert drr("export", "study", "--out", "good", "--canonical")[0] == 0
    expected = exported(drr, "good")
    ledger = Path("study", "ledger.sqlite")
    good, chance, said = ledger.read_bytes(), Random(7), 0
    for bit in chance.sample(range(8 * len(good)), flips):
        flipped(ledger, good, bit)
        shutil.rmtree("tables", ignore_errors=True)
        code, _, err = drr("export", "study", "--out", "tables", "--canonical")
        said += code != 0
        assert code == 1 and err.startswith("drr: ") if code else exported(drr, "tables") == expected, bit
    assert said > flips / 4, "much of a page holds nothing, and the rest is noticed"


CHANGES = cases("security", "CHANGES")


@pytest.mark.long
@pytest.mark.parametrize("statement", CHANGES)
def test_whatever_decides_a_result_is_looked_at(drr: Drr, new: New, statement: str) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    with sqlite3.connect("study/ledger.sqlite") as ledger:
        assert ledger.execute(statement).rowcount > 0
    ledger.close()
    for words in (
        ("status", "study"),
        ("judge", "study", "--judge", "offline", "--quiet"),
        ("run", "study", "--quiet"),
    ):
        code, _, err = drr(*words)
        assert code == 1 and "is not as it was written" in err and err.count("\n") == 1, words
    code, out, _ = drr("study", "check", "study", "--json")
    assert code == 1 and json.loads(out)["damaged"]


def test_study_check_names_units_and_texts(drr: Drr, new: New) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    assert drr("study", "check", "study") == (0, "study: 1 unit and its texts are as they were written\n", "")
    with Study.open(Path("study")) as study:
        (record,) = study.records("answer")
        study.blobs.path(record.blobs["report"]).write_text("else")
    code, out, err = drr("study", "check", "study", "--json")
    assert (code, err) == (1, "")
    damaged = [f"{record.label}, raw_report", f"{record.label}, report"]
    assert json.loads(out) == {"schema": 1, "units": 1, "damaged": damaged}
    code, out, _ = drr("study", "check", "study")
    assert code == 1 and f"{record.label}, report" in out


@pytest.mark.parametrize("name", ["queries.jsonl", "study.toml"])
def test_a_flipped_bit_in_a_file_beside_the_ledger_is_named(drr: Drr, new: New, name: str) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    path = Path("study", name)
    good = path.read_bytes()
    at = good.index(b"bird" if name == "queries.jsonl" else b"Resolved")
    path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
    code, out, _ = drr("study", "check", "study", "--json")
    assert code == 1 and json.loads(out)["damaged"] == [name]
    for words in (
        ("judge", "study", "--judge", "offline", "--quiet"),
        ("run", "study", "--quiet"),
        ("status", "study"),
    ):
        code, _, err = drr(*words)
        assert code == 1 and f"{path}: is not as it was written" in err and err.count("\n") == 1, words
    path.write_bytes(good)
    assert drr("judge", "study", "--quiet", "--what", "rules")[0] == 0
    path.unlink()
    assert drr("status", "study")[0] != 0 or name == "queries.jsonl"


def test_the_questions_of_a_study_from_a_bundle_are_sealed_too(drr: Drr, new: New) -> None:
    """A flipped bit in them was as it was written, as in the study of the demo."""
    assert drr("run", *new(), "--quiet")[0] == 0
    drr.out("bundle", "make", "study", "--out", "b.bundle", "--quiet")
    restore(Path("b.bundle"), Path("restored"))
    path = Path("restored", "queries.jsonl")
    assert path.read_bytes() == Path("study", "queries.jsonl").read_bytes()
    assert Study.damage(path.parent) == (Study.damage(Path("study"))[0], [])
    path.write_bytes(path.read_bytes().replace(b"bird", b"bard", 1))
    assert drr("study", "check", "restored")[0] == 1


def test_questions_that_are_gone_are_missed_once_they_were_there(drr: Drr, new: New) -> None:
    for words in (new(), ["study"]):
        assert drr("run", *words, "--quiet")[0] == 0
    Path("study", "queries.jsonl").unlink()
    code, out, _ = drr("study", "check", "study")
    assert code == 1 and out.endswith(":\nqueries.jsonl\n")


def test_a_kill_between_seal_and_file_locks_no_study(tmp_path: Path) -> None:
    """What such a kill leaves is the file as it was before, or none."""
    folder, path = tmp_path / "s", tmp_path / "s" / "queries.jsonl"
    Study.create(folder, {"schema": 1}).close()
    (folder / "study.toml").unlink()
    for number in range(20):  # more than the hashes that are kept
        with Study.create(folder, {"schema": 1}) as study:
            study.write(path.name, f"{number}")
        path.unlink()
    with Study.open(folder) as study:
        study.write(path.name, "whole")
        for number in range(20):
            study.write(path.name, f"{number}")
            path.write_text("whole")
    assert Study.damage(folder) == (0, [])
    path.write_text("0")
    assert Study.damage(folder) == (0, [path.name]), "only the last hashes are kept"


def test_the_files_of_an_older_study_are_sealed_with_the_first_write(tmp_path: Path) -> None:
    folder, path = tmp_path / "s", tmp_path / "s" / "queries.jsonl"
    Study.create(folder, {"schema": 1}).close()
    path.write_text("of before")
    with Study.open(folder) as study:
        study.write("queries.jsonl", "now")
    path.write_text("of before")
    Study.read(folder).close()  # as if killed before the file followed
    path.write_text("else")
    with pytest.raises(DrrError, match=r"queries\.jsonl: is not as it was written"):
        Study.read(folder)


def test_an_older_ledger_is_read_and_gets_its_hashes_with_the_first_write(drr: Drr, new: New) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    ledger = sqlite3.connect("study/ledger.sqlite", isolation_level=None)
    ledger.execute("DROP TABLE hashes")
    ledger.execute("UPDATE meta SET value = '1' WHERE name = 'schema'")
    before = json.loads(drr("status", "study", "--json")[1])
    assert drr("run", "study", "--trials", 2, "--quiet")[0] == 0
    hashes = ledger.execute("SELECT count(*) FROM hashes").fetchone()
    ledger.close()
    after = json.loads(drr("status", "study", "--json")[1])
    assert (before["units"]["done"], after["units"]["done"], hashes) == (1, 2, (3,))


def changed(ledger: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(ledger)) as db, db:
        return db.execute(statement).fetchall()


def test_a_unit_that_is_gone_with_its_hash_is_missed(tmp_path: Path) -> None:
    units = [Unit("answer", {"name": name}, {"name": name}, name) for name in "abc"]
    with Study.create(tmp_path / "s", {"schema": 1}) as study:
        study.ledger.units.register(units)
    ledger = tmp_path / "s" / "ledger.sqlite"
    whole = ledger.read_bytes()
    for table in ("units", "hashes"):
        changed(ledger, f"DELETE FROM {table} WHERE key = '{units[1].key}'")
    with pytest.raises(DrrError, match="how many units"):
        Study.read(tmp_path / "s")
    ledger.write_bytes(whole)
    changed(ledger, "UPDATE hashes SET hash = substr(hash, 1, 32) WHERE key = ''")  # of 0.2: no sum
    with Study.open(tmp_path / "s") as study:
        study.ledger.set_meta("note", "gets its sum")
    assert changed(ledger, "SELECT length(hash) FROM hashes WHERE key = ''") == [(64,)]
    Study.read(tmp_path / "s").close()


def test_every_write_leaves_hashes_that_hold(tmp_path: Path) -> None:
    def unit(name: str) -> Unit:
        return Unit("answer", {"name": name}, {"name": name}, name)

    with Study.create(tmp_path / "s", {"schema": 1}) as one:
        for number in range(20):
            one.ledger.units.register([unit(f"{number}"), unit(f"{number // 2}")])
            one.ledger.set_meta("note", f"{number}")
        one.retire("answer", [unit("3")])
        with pytest.raises(ZeroDivisionError), one.ledger.db.writing() as db:
            db.execute("UPDATE units SET current = 1")
            raise ZeroDivisionError
    Study.read(tmp_path / "s").close()
    changed(tmp_path / "s" / "ledger.sqlite", "UPDATE units SET current = 1")
    with pytest.raises(DrrError, match="19 things"):
        Study.read(tmp_path / "s")
