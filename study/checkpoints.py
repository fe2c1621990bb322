"""Saves the progress of running units, such as a model's answers, until the unit's record holds it.

A unit's own record is written once, when it ends. If the process dies before, the answers that were paid for are found here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from sqlite3 import Connection

from drr.llm.failures import NO_ANSWER
from drr.study.database import SAVED, Database
from drr.study.unit import WAY, FinishedUnit, Kind, SavedText


class SavedTexts:
    """The table of saved texts. It is created with the first text, because older ledgers have no such table."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._made = False

    def add(self, saved: Iterable[SavedText]) -> None:
        with self._db.writing() as db:
            if not self._made:
                db.execute(SAVED)
            db.executemany(
                "INSERT OR REPLACE INTO saved VALUES (?, ?, ?)",
                [(one.key, one.name, one.text) for one in saved],
            )
        self._made = True

    def of_kind(self, kind: Kind, start: str) -> Iterator[Mapping[str, bytes]]:
        """Yield the saved texts of each unit of a kind, by name, whose names begin with `start`."""
        if not self._is_there():
            return
        rows = self._db.rows(
            "SELECT saved.key, name, text FROM saved JOIN units USING (key) WHERE kind = ? AND instr(name, ?) = 1 "
            "ORDER BY saved.key, name",
            (kind, start),
        )
        found: dict[str, dict[str, bytes]] = {}
        for key, name, text in rows:
            found.setdefault(key, {})[name] = text
        yield from found.values()

    def of_unit(self, key: str, start: str) -> dict[str, bytes]:
        if not self._is_there():
            return {}
        rows = self._db.rows(
            "SELECT name, text FROM saved WHERE key = ? AND instr(name, ?) = 1 ORDER BY name", (key, start)
        )
        return dict(rows)

    def forget(self, db: Connection, ended: Iterable[FinishedUnit]) -> None:
        """Delete texts that records now hold, and the progress of finished units, in the transaction that writes the records."""
        if not self._is_there():
            return
        for one in ended:
            db.executemany("DELETE FROM saved WHERE key = ? AND name = ?", [(one.key, n) for n in one.texts])
            if (
                one.status == "done" or one.reason in NO_ANSWER
            ):  # the unit has ended: its progress is of no more use
                db.execute(
                    "DELETE FROM saved WHERE key = ? AND name >= ? AND name < ?",
                    (one.key, WAY, WAY[:-1] + ";"),
                )

    def under_way(self, keys: Iterable[str]) -> set[str]:
        """Return which of these units have saved progress from before they were stopped."""
        if not self._is_there():
            return set()
        statement = "SELECT DISTINCT key FROM saved WHERE key IN ({keys}) AND instr(name, ?) = 1"
        return {row[0] for row in self._db.among(statement, keys, (WAY,))}

    def _is_there(self) -> bool:
        if not self._made:
            self._made = bool(self._db.rows("SELECT 1 FROM sqlite_master WHERE name = 'saved'"))
        return self._made
