"""The gains of units under way, such as a model's answers. Kept before the unit ends, until its record has them.

A unit's own record is written once, when it ends. A process that dies before leaves no record; what it had been paid for stands here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from sqlite3 import Connection

from drr.llm.failures import NO_ANSWER
from drr.study.database import SAVED, Database
from drr.study.unit import WAY, Finished, Kind, Saved


class SavedTexts:
    """The table is made when there is something to save: ledgers of before have none."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._made = False

    def add(self, saved: Iterable[Saved]) -> None:
        with self._db.writing() as db:
            if not self._made:
                db.execute(SAVED)
            db.executemany(
                "INSERT OR REPLACE INTO saved VALUES (?, ?, ?)",
                [(one.key, one.name, one.text) for one in saved],
            )
        self._made = True

    def of_kind(self, kind: Kind, start: str) -> Iterator[Mapping[str, bytes]]:
        """Yield by name those that start so, of each unit of this kind."""
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

    def forget(self, db: Connection, ended: Iterable[Finished]) -> None:
        """Forget texts that records now have, and finished units' progress, in the transaction that writes the records."""
        if not self._is_there():
            return
        for one in ended:
            db.executemany("DELETE FROM saved WHERE key = ? AND name = ?", [(one.key, n) for n in one.texts])
            if (
                one.status == "done" or one.reason in NO_ANSWER
            ):  # it came to its end: the way there leads nowhere
                db.execute(
                    "DELETE FROM saved WHERE key = ? AND name >= ? AND name < ?",
                    (one.key, WAY, WAY[:-1] + ";"),
                )

    def under_way(self, keys: Iterable[str]) -> set[str]:
        """Choose those of these units that had got somewhere when they were stopped."""
        if not self._is_there():
            return set()
        statement = "SELECT DISTINCT key FROM saved WHERE key IN ({keys}) AND instr(name, ?) = 1"
        return {row[0] for row in self._db.among(statement, keys, (WAY,))}

    def _is_there(self) -> bool:
        if not self._made:
            self._made = bool(self._db.rows("SELECT 1 FROM sqlite_master WHERE name = 'saved'"))
        return self._made
