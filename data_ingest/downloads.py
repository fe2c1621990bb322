"""Several raw files, one after the other. What is there, what is missing, whether the disk has room, and the getting."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from drr.data_ingest.download import RESERVE, Download, DownloadTerms, Got, kept_of
from drr.data_ingest.publisher import Broken, Denied, PublishedFile, Publisher
from drr.env.errors import DrrError
from drr.env.progress import Progress

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class WantedFile:
    """One file, and what of it is there."""

    file: PublishedFile
    target: Path
    size: int | None
    """Of the whole; from a mirror that does not tell, unknown."""
    there: bool
    kept: int
    """Bytes of an unfinished one."""

    @property
    def left(self) -> int | None:
        if self.there:
            return 0
        return None if self.size is None else max(0, self.size - self.kept)


@dataclass(frozen=True, slots=True)
class Fetching:
    """The outcome of one file: `got`, or why not."""

    wanted: WantedFile
    got: Got | None = None
    failed: str | None = None
    remarks: tuple[str, ...] = ()


async def looked_up(publisher: Publisher, files: Sequence[PublishedFile], to: Path) -> list[WantedFile]:
    """The publisher's sizes are known; a mirror is asked for its own."""
    found = []
    for file in files:
        target = to / file.path
        there = target.is_file()
        size: int | None = target.stat().st_size if there else file.about
        if publisher.named and not there:
            size = await _size_at(publisher, file)
        found.append(WantedFile(file, target, size, there, 0 if there else kept_of(target)))
    return found


async def _size_at(mirror: Publisher, file: PublishedFile) -> int | None:
    try:
        async with mirror.ask(mirror.address(file.address), method="HEAD") as answer:
            return answer.length
    except (Broken, Denied):
        return None


def check_room(wanted: Sequence[WantedFile], to: Path, free: int) -> None:
    """`DrrError` where the disk cannot hold what is missing."""
    left = sum(one.left or 0 for one in wanted)
    if left + RESERVE > free:
        raise DrrError(
            f"{to}: the disk is too small: about {left / 1e9:,.1f} GB to get, {free / 1e9:,.1f} GB free; "
            "name another folder or fewer --categories"
        )


@contextmanager
def alone(to: Path) -> Iterator[None]:
    """One download into a folder at a time."""
    to.mkdir(parents=True, exist_ok=True)
    handle = os.open(to, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DrrError(f"{to}: another `drr data get` is writing there") from None
        yield
    finally:
        os.close(handle)


async def fetch_all(
    publisher: Publisher,
    wanted: Sequence[WantedFile],
    progress: Progress,
    terms: DownloadTerms,
    clock: Clock = time.monotonic,
) -> list[Fetching]:
    """Fetch all. A file that the server denies is passed over and reported; a server that cannot be reached ends it."""
    left = TimeLeft(sum(one.left or 0 for one in wanted), clock)
    done = []
    for one in wanted:
        if one.there:
            done.append(Fetching(one, remarks=_size_remark(publisher, one, one.target.stat().st_size)))
            continue
        try:
            got = await Download(publisher, one.file, one.target, progress, terms, left).run()
        except Denied as denied:
            done.append(Fetching(one, failed=str(denied)))
        else:
            remarks = _size_remark(publisher, one, got.size) + _unpacked_remark(publisher, one, got)
            done.append(Fetching(one, got, remarks=remarks))
    return done


def _size_remark(publisher: Publisher, one: WantedFile, size: int) -> tuple[str, ...]:
    packed = one.file.packed
    if publisher.named or packed is None or packed == size:
        return ()
    return (f"{one.target}: is {size:,} bytes; the published file was {packed:,}: another edition",)


def _unpacked_remark(publisher: Publisher, one: WantedFile, got: Got) -> tuple[str, ...]:
    published = one.file.unpacked
    if publisher.named or got.unpacked == published:
        return ()
    return (
        f"{one.target}: unpacks to {got.unpacked:,} bytes; the published file had {published:,}: another edition",
    )


class TimeLeft:
    """How long all files still take, by what came so far."""

    def __init__(self, total: int, clock: Clock) -> None:
        self._total, self._clock = total, clock
        self._start, self._done = clock(), 0

    def __call__(self, amount: int) -> str:
        """What is left after so many bytes more, beside a file's bar; empty where nobody can say yet."""
        self._done += amount
        seconds = self._clock() - self._start
        if self._done <= 0 or seconds < 1:
            return ""
        rest = round(max(0, self._total - self._done) * seconds / self._done)
        return f"all {rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}"
