"""The units that a study knows, whether its present or an earlier configuration requested them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from drr.study.database import Database
from drr.study.form import kind_of, naming_errors, of, status_of, table
from drr.study.holders import is_dead
from drr.study.unit import OF_ANSWERS, Kind, Status, Unit, canonical_json


class FoundUnit(NamedTuple):
    key: str
    kind: Kind
    label: str


class KnownUnit(NamedTuple):
    unit: Unit
    current: bool
    """False where the present configuration does not request the unit."""


class Standing(NamedTuple):
    """The status of a current unit. While the unit has no record, all fields but the first two are `None` or 0."""

    kind: Kind
    key: str
    status: Status | None
    transient: bool
    reason: str | None
    attempts: int


class AnswerTally(NamedTuple):
    """The numbers of one variant's current answers by status."""

    variant: str
    units: int
    done: int
    failed: int
    """The number of units that failed for good; units with a passing failure will be tried again."""
    kinds: Mapping[str, int] = {}


class Units:
    def __init__(self, db: Database) -> None:
        self._db = db

    def register(self, units: Iterable[Unit]) -> None:
        """Store units. A known unit keeps its key and position, gets the present label and spec, and counts again."""
        rows = [
            (
                unit.key,
                unit.kind,
                unit.label.encode("utf-8", "replace").decode(),  # an id may hold half a character
                canonical_json(unit.key_fields),
                canonical_json(unit.spec),
            )
            for unit in units
        ]
        with self._db.writing() as db:
            db.executemany(
                "INSERT INTO units (key, kind, label, key_fields, spec) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET current = 1, spec = excluded.spec, label = excluded.label",
                rows,
            )

    def retire(self, kind: Kind, keep: Iterable[str]) -> int:
        """Let units outside `keep` no longer count, and return how many of the kind do not. They stay, with their records."""
        with self._db.writing() as db:
            db.execute("CREATE TEMP TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY)")
            db.execute("DELETE FROM kept")
            db.executemany("INSERT OR IGNORE INTO kept VALUES (?)", ((key,) for key in keep))
            db.execute(
                "UPDATE units SET current = 0 WHERE kind = ? AND key NOT IN (SELECT key FROM kept)", (kind,)
            )
            count: int = db.execute(
                "SELECT count(*) FROM units WHERE kind = ? AND current = 0", (kind,)
            ).fetchone()[0]
        return count

    def aside(self) -> frozenset[str]:
        """Return the keys of answers that only an earlier configuration requested."""
        return frozenset(
            row[0] for row in self._db.rows("SELECT key FROM units WHERE kind = 'answer' AND current = 0")
        )

    def unjudged(self) -> int:
        """Count the finished current answers without a judgement, in a study that has judgements."""
        about = " UNION ALL ".join(
            f"SELECT json_extract(spec, '$.{place}') AS about FROM units WHERE kind = 'judgement'"
            for place in OF_ANSWERS
        )
        rows = self._db.rows(
            "SELECT count(*) FROM units JOIN records USING (key) WHERE kind = 'answer' AND current = 1 AND status = 'done' "
            "AND EXISTS (SELECT 1 FROM units WHERE kind = 'judgement') "
            f"AND key NOT IN (SELECT about FROM ({about}) WHERE about IS NOT NULL)"
        )
        return int(rows[0][0])

    def get(self, key: str) -> Unit:
        return self.all([key])[0]

    def all(self, keys: Sequence[str]) -> list[Unit]:
        """Return the units with these keys, in this order."""
        rows = self._db.among(
            "SELECT key, kind, key_fields, spec, label FROM units WHERE key IN ({keys})", keys
        )
        found = {key: _read_unit(*columns) for key, *columns in rows}
        return [found[key] for key in keys]

    def known(self) -> Iterator[KnownUnit]:
        """Yield every unit in the order of kind and key, including those that no longer count."""
        rows = self._db.rows("SELECT key, current FROM units ORDER BY kind, key")
        for start in range(0, len(rows), 500):
            some = rows[start : start + 500]
            for unit, (_, current) in zip(self.all([row[0] for row in some]), some, strict=True):
                yield KnownUnit(unit, bool(current))

    def find(self, start: str) -> list[FoundUnit]:
        """Return the units whose key begins with a text or whose label equals the text."""
        rows = self._db.rows(
            "SELECT key, kind, label FROM units WHERE substr(key, 1, ?) = ? OR label = ? ORDER BY position",
            (len(start), start, start),
        )
        return [FoundUnit(*row) for row in rows]

    def standings(self) -> list[Standing]:
        """Return the status of every current unit. Judgements of answers that no longer count are left out."""
        rows = self._db.rows(
            "WITH aside AS (SELECT key FROM units WHERE kind = 'answer' AND current = 0) "
            "SELECT kind, units.key, status, transient, reason, attempts FROM units LEFT JOIN records USING (key) "
            "WHERE current = 1 AND NOT (kind = 'judgement' AND EXISTS (SELECT 1 FROM aside) AND ("
            + " OR ".join(f"coalesce(json_extract(spec, '$.{place}'), '') IN aside" for place in OF_ANSWERS)
            + "))"
        )
        with naming_errors("what stands of the units"):
            return [
                Standing(
                    kind_of(kind),
                    key,
                    None if status is None else status_of(status),
                    bool(transient),
                    of(reason, str, type(None)),
                    of(attempts or 0, int),
                )
                for kind, key, status, transient, reason, attempts in rows
            ]

    def answer_tallies(self) -> list[AnswerTally]:
        """Return the numbers of current answers by status, for each variant."""
        rows = self._db.rows(
            "SELECT coalesce(json_extract(spec, '$.variant'), label) AS variant, count(*), sum(status IS 'done') "
            "FROM units LEFT JOIN records USING (key) "
            "WHERE kind = 'answer' AND current = 1 GROUP BY variant ORDER BY variant"
        )
        failed = self.answer_failures()
        tallies = []
        for variant, units, done in rows:
            kinds = failed.get(str(variant), {})
            tallies.append(AnswerTally(str(variant), units, done, sum(kinds.values()), kinds))
        return tallies

    def answer_failures(self) -> dict[str, dict[str, int]]:
        """Count the current answers that failed for good, by variant and kind of failure."""
        rows = self._db.rows(
            "SELECT coalesce(json_extract(spec, '$.variant'), label) AS variant, coalesce(reason, status) AS how, count(*) "
            "FROM units JOIN records USING (key) WHERE kind = 'answer' AND current = 1 AND status != 'done' "
            "AND NOT transient GROUP BY variant, how ORDER BY variant, how"
        )
        found: dict[str, dict[str, int]] = {}
        for variant, kind, count in rows:
            found.setdefault(str(variant), {})[str(kind)] = count
        return found

    def open_among(self, keys: Iterable[str]) -> int:
        """Count the units among these without a final record: with no record, or with a failure that may pass."""
        asked = list(keys)
        statement = "SELECT key FROM records WHERE key IN ({keys}) AND (status = 'done' OR NOT transient)"
        final = {row[0] for row in self._db.among(statement, asked)}
        return sum(key not in final for key in asked)

    def failed_among(self, keys: Iterable[str]) -> dict[str, str]:
        """Return which of these units failed for good, each with the reason."""
        statement = "SELECT key, coalesce(reason, status) FROM records WHERE key IN ({keys}) AND status != 'done' AND NOT transient"
        return dict(self._db.among(statement, keys))

    def settled_among(self, keys: Iterable[str], *, retry_failed: bool) -> set[str]:
        """Return the units, of these, that no run computes again: done units, and units that failed for good."""
        statement = (
            "SELECT key FROM records WHERE key IN ({keys}) AND (status = 'done' OR NOT (transient OR ?))"
        )
        return {row[0] for row in self._db.among(statement, keys, (retry_failed,))}

    def ended_among(self, keys: Iterable[str]) -> set[str]:
        """Return which of these units have a record of any status."""
        return {row[0] for row in self._db.among("SELECT key FROM records WHERE key IN ({keys})", keys)}


def _read_unit(kind: object, key_fields: object, spec: object, label: object) -> Unit:
    with naming_errors(f"the unit {str(label)[:80]!r}"):
        return Unit(kind_of(kind), table(key_fields), table(spec), of(label, str))


class UnderWay:
    """The units that have begun and not ended, for status displays. The table keeps its older name and form."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def begin(self, holder: str, keys: Iterable[str]) -> None:
        with self._db.writing() as db:
            db.executemany("INSERT OR REPLACE INTO leases VALUES (?, ?, 0)", [(key, holder) for key in keys])

    def clear(self) -> None:
        """Remove all units, as the only writer: no other process is working on them."""
        with self._db.writing() as db:
            db.execute("DELETE FROM leases")

    def keys(self) -> set[str]:
        return {key for key, holder in self._db.rows("SELECT key, worker FROM leases") if not is_dead(holder)}
