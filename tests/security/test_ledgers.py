"""A ledger of strangers, whatever stands in it, ends no command in a traceback."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from drr.env.errors import DrrError
from drr.env.web.record import Searches, Snapshots, url_key

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
CHANGES = [
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
    assert drr("judge", "study", "--quiet", "--what", "rules,quality")[0] == 0
    ledger, refused = Path("study", "ledger.sqlite"), 0
    good = ledger.read_bytes()
    for number, (statement, values) in enumerate(CHANGES):
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
