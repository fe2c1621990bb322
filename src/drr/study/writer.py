"""Commits the reports of workers in a thread of its own: all waiting reports in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

from drr.study.study import Study
from drr.study.unit import FinishedUnit, SavedText

_FILES = 16
"""The number of texts of a batch that are written at the same time. Each write waits for the disk, and a disk takes many at once."""


class RecordWriter:
    """A writer of records that calls `kept` for every report once it is on disk.

    After the first error nothing more is written; `failed` is called then, and `drained` raises the error.
    """

    def __init__(
        self,
        study: Study,
        *,
        before: Callable[[], None],
        kept: Callable[[FinishedUnit], None],
        failed: Callable[[], None],
    ) -> None:
        self._study = study
        self._before = before
        self._kept = kept
        self._failed = failed
        # Commits wait for the disk; in a thread of their own they do not hold up the units that still run.
        self._thread = ThreadPoolExecutor(1, "ledger")
        self._files = ThreadPoolExecutor(_FILES, "texts")
        self._waiting: list[FinishedUnit] = []
        self._to_save: list[SavedText] = []
        self._task: asyncio.Task[None] | None = None
        self._error: Exception | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.shutdown()
        self._files.shutdown()

    def put(self, finished: FinishedUnit) -> None:
        self._waiting.append(finished)
        self._begin()

    def save(self, saved: SavedText) -> None:
        """Save a text of a running unit, so that it survives the death of this process."""
        self._to_save.append(saved)
        self._begin()

    def _begin(self) -> None:
        if self._error is None and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._drain())

    async def drained(self) -> None:
        """Wait until all reports are on disk, or raise the error that stopped the writer."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])
        if self._error is not None:
            raise self._error

    async def _drain(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._waiting or self._to_save:
                batch, self._waiting = self._waiting, []
                saved, self._to_save = self._to_save, []
                # A record on disk must never be ahead of the money that it cost, even after a kill.
                self._before()
                await loop.run_in_executor(self._thread, self._write, batch, saved)
                for finished in batch:
                    self._kept(finished)
        except Exception as error:  # noqa: BLE001 - raised by `drained`
            self._error = error
            self._failed()

    def _write(self, batch: Sequence[FinishedUnit], saved: Sequence[SavedText]) -> None:
        ended = {one.key: one.texts for one in batch}
        # A text of an ended unit goes into its record, so its progress need not be saved as well.
        if saved := [one for one in saved if one.name not in ended.get(one.key, ())]:
            self._study.ledger.saved.add(saved)
        if not batch:
            return
        # Answers to one question share their evidence, so a batch often holds the same text several times.
        contents = list({text: None for one in batch for text in one.texts.values()})
        shares = [contents[n::_FILES] for n in range(min(_FILES, len(contents)))]
        hashes = {text: name for share in self._files.map(self._store_texts, shares) for text, name in share}
        # Texts come before the record: a finished unit must never point to a text that a crash has lost.
        blobs = {one.key: {name: hashes[text] for name, text in one.texts.items()} for one in batch}
        self._study.ledger.records.commit(batch, blobs)

    def _store_texts(self, contents: Sequence[bytes]) -> list[tuple[bytes, str]]:
        """Store a share of a batch in one task. One task for each text took a third longer."""
        return [(content, self._study.blobs.put(content)) for content in contents]
