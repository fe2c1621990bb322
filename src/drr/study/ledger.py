"""The ledger on disk: units, records, running units and spending. Work that the ledger does not record counts as not done.

A record is committed with `synchronous=FULL`, after its blobs were synced: once a unit counts as finished it survives a
crash of the process and of the machine. Running units and spending are committed with `synchronous=NORMAL`: they survive a
crash of the process, and losing the last of them to a power cut only repeats work.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from drr.study.database import Database
from drr.study.form import naming_errors, table
from drr.study.records import Records, SavedTexts
from drr.study.spend import Accounts
from drr.study.unit import LEFT_OUT, WAY, Assignment
from drr.study.units import UnderWay, Units

FILE = "file:"
"""The prefix of a fact that holds the hashes of a file in this study's folder."""
NO_FILE = "none"


class Ledger:
    """The ledger of a study, with one part for each kind of data; all parts share one connection."""

    def __init__(
        self, path: Path, *, create: bool = False, read_only: bool = False, apart: bool = False
    ) -> None:
        self.path = path
        self.db = Database(path, create=create, read_only=read_only, apart=apart)
        self.units, self.under_way = Units(self.db), UnderWay(self.db)
        self.saved = SavedTexts(self.db)
        self.records = Records(self.db, self.saved)
        self.accounts = Accounts(self.db)

    def close(self) -> None:
        self.db.close()

    def assignments(self, keys: Sequence[str]) -> list[Assignment]:
        """Return the units as they are handed to workers, each with its saved progress."""
        retried, for_good = self.units.ended_among(keys), self.units.failed_among(keys)
        begun = self.saved.under_way(keys)
        return [
            Assignment(
                unit,
                key in retried,
                self.saved.of_unit(key, WAY) if key in begun else {},
                key in for_good,
                for_good.get(key) == LEFT_OUT,
            )
            for key, unit in zip(keys, self.units.all(keys), strict=True)
        ]

    def meta(self, name: str) -> str | None:
        """Return a fact of the whole study, such as its budget or the reason why a run stopped."""
        rows = self.db.rows("SELECT value FROM meta WHERE name = ?", (name,))
        return None if not rows else rows[0][0]

    def facts(self) -> list[tuple[str, str | None]]:
        """Return all facts of the study except the hashes of files."""
        ours = "SELECT name, value FROM meta WHERE name NOT LIKE ? ORDER BY name"
        return [tuple(row) for row in self.db.rows(ours, (f"{FILE}%",))]

    def meta_table(self, name: str) -> dict[str, Any]:
        """Return a fact that is a table; empty where it is not set."""
        value = self.meta(name)
        with naming_errors(f"{self.path}, {name}"):
            return {} if value is None else table(value)

    def set_meta(self, name: str, value: str | None) -> None:
        with self.db.writing() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def hashes_of(self, file: str) -> list[str]:
        """Return the hashes that a file of the study may have; empty where none were stored."""
        return str(self.meta(FILE + file) or "").split()

    def seal(self, file: str, now: str, next_hash: str) -> None:
        """Store the hash that a file is about to have. The latest earlier hashes stay valid, because a run may be killed before it writes the file."""
        with self.db.writing(synced=True) as db:
            known = self.hashes_of(file) or [now]
            # A file that was there must stay: were its absence still valid, nobody would notice a deletion.
            kept = (one for one in known if one != next_hash and (one != NO_FILE or now == NO_FILE))
            # The present hash comes right before the next one, so that the cut to eight never drops it.
            last = [*sorted(kept, key=now.__eq__), next_hash][-8:]
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (FILE + file, " ".join(last)))
