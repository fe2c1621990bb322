"""Connections to a shop's SQLite file: read-only, one for each thread of each process."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from weakref import WeakSet

from drr.env.embedded.layout import STATEMENTS
from drr.env.errors import ShopError
from drr.env.sqlite_files import restrain, strange_statement

PATIENCE_S = 60.0
_MAPPED = "pragma mmap_size=8000000000"


class _Connection(sqlite3.Connection):
    """A plain one cannot be weakly referenced, and from Python 3.13 on complains where nobody closed it."""

    def __del__(self) -> None:
        self.close()


class _Local(threading.local):
    connection: _Connection | None = None
    process: int = 0
    until: float = inf


class Connections:
    """`folder` is what errors name; `content_hash` is the manifest's, and the file must bear it too."""

    def __init__(self, folder: Path, path: Path, content_hash: str) -> None:
        self._folder, self._path, self._content_hash = folder, path.resolve(), content_hash
        self._local = _Local()
        self._open: WeakSet[_Connection] = WeakSet()
        self._closed = False
        self._connect()

    def _connect(self) -> _Connection:
        if self._closed:
            raise ShopError(f"{self._folder}: this shop was closed")
        try:
            connection = sqlite3.connect(
                f"{self._path.as_uri()}?mode=ro&immutable=1",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
                factory=_Connection,
            )
            self._local.until = time.monotonic() + PATIENCE_S
            restrain(connection, lambda: self._local.until, STATEMENTS)
            if (strange := strange_statement(connection, STATEMENTS)) is not None:
                raise ShopError(
                    f"{self._folder}: is no shop of ours (its {strange[:80]} is not of our making)"
                )
            connection.execute(_MAPPED)
            stamp = connection.execute("select value from meta where name = 'content_hash'").fetchone()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if not self._path.exists():
                raise ShopError(f"{self._folder}: the shop was replaced while open; open it again") from error
            raise ShopError(
                f"{self._folder}: its database is damaged ({error}); ingest again with --replace"
            ) from error
        if stamp is None or stamp[0] != self._content_hash:
            connection.close()
            raise ShopError(
                f"{self._folder}: database and manifest are of different shops; ingest again with --replace"
            )
        self._local.connection, self._local.process = connection, os.getpid()
        self._open.add(connection)
        return connection

    @property
    def own(self) -> sqlite3.Connection:
        """The connection of this thread, for a question that takes moments; a forked child must not touch its parent's."""
        self._local.until = time.monotonic() + PATIENCE_S
        connection = self._local.connection
        if connection is None or self._closed or self._local.process != os.getpid():
            return self._connect()
        return connection

    @property
    def unhurried(self) -> sqlite3.Connection:
        """The same for what goes through the whole shop, however long that takes."""
        connection = self.own
        self._local.until = inf
        return connection

    @contextmanager
    def unmapped(self) -> Iterator[sqlite3.Connection]:
        """Open a connection that reads whole tables once: every page read through a map stays in this process's memory."""
        connection = self.unhurried
        connection.execute("pragma mmap_size=0")
        try:
            yield connection
        finally:
            connection.execute(_MAPPED)

    def close(self) -> None:
        self._closed = True
        for connection in list(self._open):
            connection.close()
