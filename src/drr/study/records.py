"""Records of units that have ended. A record is written once and completely; records are read in the order of keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from sqlite3 import Connection
from typing import Any, NamedTuple

from drr.llm.failures import NO_ANSWER
from drr.llm.meter import UsageRow, dollars
from drr.study.database import SAVED, Database
from drr.study.form import kind_of, naming_errors, of, status_of, table, texts, usages
from drr.study.unit import OF_ANSWERS, WAY, FinishedUnit, Kind, Record, SavedText, Status, canonical_json


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
                    # Names that begin with WAY, as ";" follows ":". The primary key serves such a range.
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


_BATCH = 200
_FORM: Mapping[str, Callable[[Any], Any]] = {
    "key": lambda value: of(value, str),
    "kind": kind_of,
    "label": lambda value: of(value, str),
    "key_fields": table,
    "spec": table,
    "attempts": lambda value: of(value, int),
    "status": status_of,
    "reason": lambda value: of(value, str, type(None)),
    "message": lambda value: of(value, str, type(None)),
    "transient": bool,
    "result": table,
    "blobs": texts,
    "usage": usages,
    "cost": lambda value: of(value, int, type(None)),
    "seconds": lambda value: of(value, float, int),
    "started_at": lambda value: of(value, float, int),
    "finished_at": lambda value: of(value, float, int),
}
"""The columns of a record, each with the check of its stored value, because a stranger's ledger may hold anything."""
_COLUMNS = ", ".join(_FORM)
_ENDED = list(_FORM)[6:]
# A done unit is never computed again, so a late second report must not replace its record.
_WRITE = f"""
INSERT INTO records (key, attempts, {", ".join(_ENDED)}) VALUES (:key, 1, {", ".join(f":{one}" for one in _ENDED)})
ON CONFLICT (key) DO UPDATE SET attempts = attempts + 1, {", ".join(f"{one} = excluded.{one}" for one in _ENDED)}
WHERE records.status != 'done'"""


class Stamp(NamedTuple):
    key: str
    ended: float | None


class GroupCost(NamedTuple):
    name: str
    units: int
    cost: int
    """The cost in picodollars."""
    tokens: int


class Bill(NamedTuple):
    """The key fields, usage and cost of one unit."""

    key_fields: Mapping[str, Any]
    usage: Mapping[str, UsageRow]
    cost_usd: float | None


class Records:
    def __init__(self, db: Database, saved: SavedTexts) -> None:
        self._db = db
        self._saved = saved

    def commit(self, finished: Sequence[FinishedUnit], blobs: Mapping[str, Mapping[str, str]]) -> None:
        """Write the records of units that ended. `blobs` holds, by unit key, the hashes of the unit's texts by name."""
        with self._db.writing(synced=True) as db:
            db.executemany("DELETE FROM leases WHERE key = ?", [(one.key,) for one in finished])
            db.executemany(_WRITE, [_values(one, blobs.get(one.key, {})) for one in finished])
            self._saved.forget(db, finished)

    def reopen(self, keys: Sequence[str], reason: str, message: str) -> None:
        """Mark records as failed for good, because their texts were lost. Judgements of these answers no longer count until they are planned again.

        It is not synced: what a power cut takes back is found lost again.
        """
        if not keys:
            return
        with self._db.writing() as db:
            for key in keys:
                db.execute(
                    "UPDATE records SET status = 'failed', reason = ?, message = ?, transient = 0 WHERE key = ?",
                    (reason, message, key),
                )
            for place in OF_ANSWERS:
                # By reason, because each statement may read every judgement: one for all answers, not one for each.
                db.execute(
                    f"UPDATE units SET current = 0 WHERE kind = 'judgement' AND json_extract(spec, '$.{place}') IN "
                    "(SELECT key FROM records WHERE status = 'failed' AND reason = ?)",
                    (reason,),
                )

    def get(self, key: str) -> Record | None:
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM records JOIN units USING (key) WHERE units.key = ?", (key,)
        )
        return _record(rows[0]) if rows else None

    def all(
        self,
        kind: Kind | None = None,
        status: Status | None = None,
        *,
        current: bool = True,
        task: str | None = None,
    ) -> Iterator[Record]:
        """Yield the matching records in the order of keys, so that every reader sees the same order. `task` is a task of judging."""
        conditions, values = ["1"], list[Any]()
        if task is not None:
            conditions.append("json_extract(units.spec, '$.task') = ?")
            values.append(task)
        if kind is not None:
            conditions.append("units.kind = ?")
            values.append(kind)
        if status is not None:
            conditions.append("status = ?")
            values.append(status)
        if current:
            conditions.append("units.current = 1")
        statement = (
            f"SELECT {_COLUMNS} FROM records JOIN units USING (key) WHERE units.key > ? AND "
            f"{' AND '.join(conditions)} ORDER BY units.key LIMIT {_BATCH}"
        )
        # Batch by batch, because a study may have a hundred thousand judgements, too many to hold at once.
        last = ""
        while rows := self._db.rows(statement, (last, *values)):
            for row in rows:
                yield _record(row)
            last = rows[-1][0]

    def about(self, *answers: str) -> Iterator[Record]:
        """Yield the records of current judgements of these answers, found by the `answer` of their specs.

        The `answer` of a judgement of a question is the question.
        """
        statement = (
            f"SELECT {_COLUMNS} FROM records JOIN units USING (key) "
            f"WHERE json_extract(units.spec, '$.answer') IN ({', '.join('?' * len(answers))}) "
            "AND units.current = 1 ORDER BY units.key"
        )
        return (_record(row) for row in self._db.rows(statement, answers))

    def costs(self, kind: Kind) -> list[GroupCost]:
        """Return the summed cost of the current done units of a kind, by variant or task. Unknown costs are left out."""
        rows = self._db.rows(
            "SELECT coalesce(json_extract(spec, '$.variant'), json_extract(spec, '$.task'), '') AS name, count(*), "
            "sum(coalesce(cost, 0)), sum((SELECT coalesce(sum(json_extract(value, '$.input_tokens') + "
            "json_extract(value, '$.output_tokens')), 0) FROM json_each(usage))) "
            "FROM units JOIN records USING (key) WHERE kind = ? AND current = 1 AND status = 'done' GROUP BY name",
            (kind,),
        )
        return [GroupCost(str(name), *sums) for name, *sums in rows]

    def mean_seconds(self, kind: Kind) -> list[tuple[str, float]]:
        """Return the mean duration of the current done units of a kind, by variant or task."""
        rows = self._db.rows(
            "SELECT coalesce(json_extract(spec, '$.variant'), json_extract(spec, '$.task'), '') AS name, avg(seconds) "
            "FROM units JOIN records USING (key) WHERE kind = ? AND current = 1 AND status = 'done' GROUP BY name",
            (kind,),
        )
        return [(str(name), float(mean)) for name, mean in rows]

    def bills(self, kind: Kind) -> Iterator[Bill]:
        """Yield the bill of every ended unit of a kind, including units that no longer count."""
        rows = self._db.rows(
            "SELECT key_fields, usage, cost FROM units JOIN records USING (key) WHERE kind = ? ORDER BY units.key",
            (kind,),
        )
        for fields, used, cost in rows:
            with naming_errors("what a unit took"):
                yield Bill(table(fields), usages(used), dollars(of(cost, int, type(None))))

    def usages(self) -> Iterator[Mapping[str, UsageRow]]:
        """Yield only the usage of every current record, as a study may have a hundred thousand judgements."""
        rows = self._db.rows("SELECT usage FROM records JOIN units USING (key) WHERE units.current = 1")
        for row in rows:
            with naming_errors("what models used"):
                yield usages(row[0])

    def stamps(self, kind: Kind) -> list[Stamp]:
        """Return the key and end time of every current unit of a kind that has a record, to notice changes."""
        rows = self._db.rows(
            "SELECT units.key, finished_at FROM units JOIN records USING (key) WHERE kind = ? AND current = 1",
            (kind,),
        )
        return [Stamp(*row) for row in rows]

    def blobs_named(self, kind: Kind, start: str) -> Iterator[Mapping[str, str]]:
        """Yield the blobs of every unit of a kind with a blob whose name begins with `start`. Done units come last, the latest at the very end."""
        rows = self._db.rows(
            "SELECT blobs FROM units JOIN records USING (key) WHERE kind = ? AND instr(blobs, ?) "
            "ORDER BY status = 'done', finished_at, key",
            (kind, f'"{start}'),
        )
        for row in rows:
            with naming_errors("the texts of a record"):
                yield texts(row[0])

    def every_text(self) -> set[str]:
        """Return the hashes of all texts of all records."""
        rows = self._db.rows("SELECT DISTINCT blobs FROM records")
        with naming_errors("the texts of a record"):
            return {digest for row in rows for digest in texts(row[0]).values()}

    def hold(self, kind: Kind, text: str) -> bool:
        """Tell whether the result of any current record of a kind contains a text."""
        statement = "SELECT 1 FROM units JOIN records USING (key) WHERE kind = ? AND current = 1 AND instr(result, ?) LIMIT 1"
        return bool(self._db.rows(statement, (kind, text)))


def _values(one: FinishedUnit, blobs: Mapping[str, str]) -> dict[str, Any]:
    as_text = {"result": one.result, "blobs": blobs, "usage": one.usage}
    return vars(one) | {name: canonical_json(value) for name, value in as_text.items()}


def _record(row: Sequence[Any]) -> Record:
    with naming_errors(f"the record of {str(row[2])[:80]!r}"):
        return Record(**{name: read(value) for (name, read), value in zip(_FORM.items(), row, strict=True)})
