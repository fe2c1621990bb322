"""Downloads raw files. An interrupted download is resumed, and a file gets its name only when complete.

Until then `X.jsonl.gz.part` and the edition of the file lie beside `X.jsonl.gz`. A range is requested on
condition of the same edition; whatever the server says, the result decides: length, the checksum inside the gzip file, the hash.
"""

from __future__ import annotations

import asyncio
import base64
import fcntl
import hashlib
import os
import re
import shutil
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from drr.data_ingest.publisher import (
    FileDenied,
    FileReply,
    PassingFailure,
    PublishedFile,
    Publisher,
    WantedFile,
)
from drr.env.errors import DrrError
from drr.env.files import read_file, write_file
from drr.env.progress import Progress, Stage
from drr.env.small_files import DOCUMENT
from pydantic import BaseModel, ConfigDict, ValidationError

RESERVE = 256 << 20
"""Bytes that are left free on the disk."""
LONGEST_WAIT = 120.0
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
_DIGEST = re.compile(r"sha-256=:([A-Za-z0-9+/=]{44}):", re.I)
_BLOCK = 1 << 20


class Edition(BaseModel):
    """The edition of a file to which the bytes of a partial download belong, as the server named it."""

    model_config = ConfigDict(extra="forbid")
    url: str
    etag: str | None = None
    modified: str | None = None
    length: int | None = None
    sha256: str | None = None

    @property
    def condition(self) -> str | None:
        """Return the value for `If-Range`, which takes no weak tag; `None` if there is none."""
        if self.etag and not self.etag.startswith("W/"):
            return self.etag
        return None if self.etag else self.modified


class _Damaged(Exception):
    """All bytes were received, but they are not the expected file."""


@dataclass(frozen=True, slots=True)
class CompleteFile:
    """A file that is now complete."""

    path: Path
    size: int
    sha256: str
    unpacked: int


def free_bytes(folder: Path) -> int:
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


@dataclass
class DownloadTerms:
    """The limits of retries and waiting in a download; tests set shorter limits."""

    tries: int = 6
    """Most attempts in a row without progress."""
    step: int = 64 << 10
    """Fewest bytes that count as progress."""
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    free: Callable[[Path], int] = free_bytes


class FileDownloader:
    """A download of one file; `run` returns when the file lies at `target`."""

    def __init__(
        self,
        publisher: Publisher,
        file: PublishedFile,
        target: Path,
        progress: Progress,
        terms: DownloadTerms,
        left: Callable[[int], str] = lambda amount: "",
    ) -> None:
        """Prepare the download. `left` is told how many bytes came or were lost, and returns the text about the rest of all files."""
        self._publisher, self._terms, self._progress, self._left = publisher, terms, progress, left
        self._url = publisher.address(file.address)
        self._sha256 = None if publisher.named else file.sha256
        self._target = target
        self._part = target.with_name(target.name + ".part")
        self._note = target.with_name(target.name + ".part.json")
        self._edition = self._read_edition()
        self._ranges = True
        self._stack = ExitStack()
        self._stage: Stage | None = None

    async def run(self) -> CompleteFile:
        self._target.parent.mkdir(parents=True, exist_ok=True)
        failures = damaged = 0
        most = self._size()
        with self._stack:
            while True:
                try:
                    await self._attempt()
                    return await self._finish_file()
                except _Damaged as wrong:
                    self._drop()
                    damaged += 1
                    if damaged > 1:
                        raise FileDenied(f"{self._url}: {wrong}, twice; nothing of it is kept") from None
                    self._tell(f"{wrong}; once more from the beginning")
                except PassingFailure as fault:
                    size = self._size()
                    failures = 1 if size >= most + self._terms.step else failures + 1
                    most = max(most, size)
                    if failures >= self._terms.tries:
                        raise DrrError(self._given_up(fault)) from None
                    wait = min(fault.wait or 2.0**failures, LONGEST_WAIT)
                    self._tell(f"{fault}; again in {wait:.0f} s")
                    await self._terms.pause(wait)

    async def _attempt(self) -> None:
        have = self._size()
        if have and self._edition.length == have:
            return
        asked = []
        if have and self._ranges:
            asked.append(("Range", f"bytes={have}-"))
            if condition := self._edition.condition:
                asked.append(("If-Range", condition))
        async with self._publisher.ask(self._url, asked) as answer:
            if answer.status == 416:
                self._past_the_end(answer, have)
                return
            start = self._continue_file(answer, have) if answer.status == 206 else self._begin_file(answer)
            self._check_room(start)
            with self._part.open("ab" if start else "wb") as file:
                stage = self._stage_from(start)
                async for chunk in answer.body:
                    file.write(chunk)
                    stage.advance(len(chunk))
                    stage.note(self._left(len(chunk)))
        size, length = self._size(), self._edition.length
        if length is not None and size < length:
            raise PassingFailure(f"it ended after {size:,} of {length:,} bytes")
        if length is not None and size > length:
            raise _Damaged(f"the server sent {size:,} bytes and had announced {length:,}")

    def _begin_file(self, answer: FileReply) -> int:
        """Begin at the first byte. This happens the first time, and if the server has another edition now or does not support ranges."""
        self._drop()
        self._edition = Edition(
            url=self._url,
            etag=answer.headers.get("etag"),
            modified=answer.headers.get("last-modified"),
            length=answer.length,
            sha256=_digest(answer.headers),
        )
        write_file(self._note, self._edition.model_dump_json())
        return 0

    def _continue_file(self, answer: FileReply, have: int) -> int:
        found = _RANGE.fullmatch(answer.headers.get("content-range", ""))
        whole = None if found is None or found[2] == "*" else int(found[2])
        tag = answer.headers.get("etag")
        same = tag is None or self._edition.etag is None or tag == self._edition.etag
        if found is None or int(found[1]) != have or not same or whole not in (None, self._edition.length):
            self._drop()
            self._ranges = False
            raise PassingFailure("the server continued another file than the one begun; from the beginning")
        return have

    def _past_the_end(self, answer: FileReply, have: int) -> None:
        """Handle the status 416. The partial file is complete, or the server's file has changed, which raises `PassingFailure`."""
        if answer.headers.get("content-range") == f"bytes */{have}":
            return
        self._drop()
        raise PassingFailure("the server's file is another one now; from the beginning")

    def _check_room(self, start: int) -> None:
        length = self._edition.length
        free = self._terms.free(self._target.parent)
        if length is not None and length - start + RESERVE > free:
            raise DrrError(
                f"{self._target}: the disk is too small: {length - start:,} bytes to get, {free:,} free and {RESERVE:,} of them kept; "
                "make room there and run the same command again"
            )

    async def _finish_file(self) -> CompleteFile:
        """Check the whole file, then give it its name."""
        self._tell("checking")
        sha256, unpacked = await self._check_file()
        for expected in (self._sha256, self._edition.sha256):
            if expected is not None and expected != sha256:
                raise _Damaged(f"its SHA-256 is {sha256} and not {expected}, which is published")
        size = self._size()
        with self._part.open("rb") as file:
            os.fsync(file.fileno())
        self._part.replace(self._target)
        self._note.unlink(missing_ok=True)
        self._tell("whole")
        return CompleteFile(self._target, size, sha256, unpacked)

    async def _check_file(self) -> tuple[str, int]:
        """Return the file's hash and its unpacked length; a gzip file carries the checksum of its content."""
        from gzip import BadGzipFile

        from isal import igzip
        from isal.isal_zlib import error as IsalError

        damaged: tuple[type[BaseException], ...] = (BadGzipFile, EOFError, IsalError)  # type: ignore[assignment]
        digest, unpacked = hashlib.sha256(), 0
        with self._part.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
                await asyncio.sleep(0)  # an interrupt is heard here
        try:
            with igzip.IGzipFile(self._part, "rb") as inside:  # type: ignore[no-untyped-call]
                while block := inside.read(_BLOCK):
                    unpacked += len(block)
                    await asyncio.sleep(0)
        except damaged as error:
            raise _Damaged(f"it is no whole gzip file ({' '.join(str(error).split())[:80]})") from None
        if not unpacked:
            raise _Damaged("it is empty")
        return digest.hexdigest(), unpacked

    def _read_edition(self) -> Edition:
        """Read the edition of the partial file; a part without a known edition is not continued."""
        try:
            edition = Edition.model_validate_json(read_file(self._note, DOCUMENT))
        except (OSError, ValidationError):
            edition = None
        if edition is not None and edition.url == self._url:
            return edition
        self._part.unlink(missing_ok=True)
        return Edition(url=self._url)

    def _drop(self) -> None:
        if self._stage is not None:
            self._stage.advance(-self._size())
            self._left(-self._size())
        self._part.unlink(missing_ok=True)
        self._edition = Edition(url=self._url)

    def _size(self) -> int:
        return self._part.stat().st_size if self._part.exists() else 0

    def _stage_from(self, start: int) -> Stage:
        if self._stage is None:
            name = self._target.name.partition(".")[0]
            self._stage = self._stack.enter_context(
                self._progress.stage(name, self._edition.length, unit="bytes")
            )
            self._stage.advance(start)
        return self._stage

    def _tell(self, text: str) -> None:
        if self._stage is not None:
            self._stage.note(text)

    def _given_up(self, fault: PassingFailure) -> str:
        of = f" of {self._edition.length:,}" if self._edition.length is not None else ""
        return (
            f"{self._url}: {fault}; tried {self._terms.tries} times. {self._size():,}{of} bytes are kept: "
            "the same command goes on from there"
        )


def _digest(headers: dict[str, str]) -> str | None:
    """Return the hash of the whole file if the server gives it (RFC 9530); otherwise `None`."""
    found = _DIGEST.search(headers.get("repr-digest", ""))
    return None if found is None else base64.b64decode(found[1]).hex()


@dataclass(frozen=True, slots=True)
class FetchOutcome:
    """The outcome of one file: `got`, or the reason why not."""

    wanted: WantedFile
    got: CompleteFile | None = None
    failed: str | None = None
    remarks: tuple[str, ...] = ()


def check_room(wanted: Sequence[WantedFile], to: Path, free: int) -> None:
    """Raise `DrrError` if the disk cannot hold the missing bytes."""
    left = sum(one.left or 0 for one in wanted)
    if left + RESERVE > free:
        raise DrrError(
            f"{to}: the disk is too small: about {left / 1e9:,.1f} GB to get, {free / 1e9:,.1f} GB free; "
            "name another folder or fewer --categories"
        )


@contextmanager
def lock_download_folder(to: Path) -> Iterator[None]:
    """Lock a folder, so that one download at a time writes to it."""
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
) -> list[FetchOutcome]:
    """Fetch all files. One that the server denies is skipped and reported; an unreachable server ends the download."""
    left = _time_left(sum(one.left or 0 for one in wanted))
    done = []
    for one in wanted:
        if one.there:
            done.append(FetchOutcome(one, remarks=_remarks(publisher, one, one.target.stat().st_size)))
            continue
        try:
            got = await FileDownloader(publisher, one.file, one.target, progress, terms, left).run()
        except FileDenied as denied:
            done.append(FetchOutcome(one, failed=str(denied)))
        else:
            done.append(FetchOutcome(one, got, remarks=_remarks(publisher, one, got.size, got.unpacked)))
    return done


def _remarks(
    publisher: Publisher, one: WantedFile, size: int, unpacked: int | None = None
) -> tuple[str, ...]:
    """Return remarks on a file that differs in size from the published edition."""
    kinds = (
        ("is {:,} bytes; the published file was {:,}", size, one.file.packed),
        ("unpacks to {:,} bytes; the published file had {:,} bytes", unpacked, one.file.unpacked),
    )
    return tuple(
        f"{one.target}: {text.format(found, stated)}: another edition"
        for text, found, stated in kinds
        if not publisher.named and None not in (found, stated) and found != stated
    )


def _time_left(total: int) -> Callable[[int], str]:
    """Return a function that estimates the time left for all files, for display beside a file's bar. Its text is empty while unknown."""
    start, done = time.monotonic(), 0

    def left(amount: int) -> str:
        nonlocal done
        done += amount
        seconds = time.monotonic() - start
        if done <= 0 or seconds < 1:
            return ""
        rest = round(max(0, total - done) * seconds / done)
        return f"all {rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}"

    return left
