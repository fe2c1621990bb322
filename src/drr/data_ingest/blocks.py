"""Reads raw files as blocks of whole lines, decompressed ahead by a thread.

The caller hashes the bytes read: a third busy thread would slow the decompression on two cores.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from hashlib import sha256
from io import RawIOBase
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, NamedTuple, Protocol

from drr.env.errors import DrrError
from drr.env.shop import Input

BLOCK = 2 << 20
AHEAD = 4
LONGEST_LINE = 64 << 20
_GZIP_MAGIC = b"\x1f\x8b"


class Block(NamedTuple):
    """A block of whole lines, each with its newline. It is valid until the next block is requested."""

    data: memoryview
    read: int
    """Bytes of the file on disk that were read since the previous block."""
    at: int
    """The position of the block's first byte in the unpacked file."""


class _Bytes(Protocol):
    def readinto(self, buffer: Any, /) -> int | None: ...


class _HashedFile(RawIOBase):
    """A file that keeps the bytes it returned until another thread hashes them."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)
        self._hash = sha256()
        self._unhashed: deque[bytes] = deque()
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        got = self._file.readinto(buffer) or 0
        if got:
            self.count += got
            self._unhashed.append(bytes(memoryview(buffer)[:got]))
        return got

    def hash_read(self) -> None:
        while self._unhashed:
            self._hash.update(self._unhashed.popleft())

    def finish(self) -> str:
        """Return the hash of the whole file, even if the reader stopped early."""
        self.hash_read()
        while chunk := self._file.read(1 << 20):
            self.count += len(chunk)
            self._hash.update(chunk)
        return self._hash.hexdigest()

    def close(self) -> None:
        self._file.close()
        super().close()


class BlockReader:
    """Reads a file in blocks. Iterate once inside `with`; `finish` then describes the input."""

    def __init__(self, path: Path, *, size: int = BLOCK) -> None:
        self.path = path
        self._size = size
        self._free: SimpleQueue[bytearray | None] = SimpleQueue()
        self._full: SimpleQueue[tuple[bytearray, int] | BaseException | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name=f"read {path.name}", daemon=True)

    def __enter__(self) -> BlockReader:
        try:
            self._raw = _HashedFile(self.path)
        except OSError as error:
            raise DrrError(f"{self.path}: cannot be read ({error.strerror}); check the file") from error
        try:
            self._stream = self._open()
        except BaseException:
            self._raw.close()
            raise
        for _ in range(AHEAD):
            self._free.put(bytearray(self._size * 2))
        self._thread.start()
        return self

    def _open(self) -> _Bytes:
        with self.path.open("rb") as file:
            start = file.read(2)
        if not start:
            raise DrrError(f"{self.path}: is empty (0 bytes); download it again")
        if self.path.suffix != ".gz":
            if start == _GZIP_MAGIC:
                raise DrrError(
                    f"{self.path}: is compressed but not named .gz; rename it to {self.path.name}.gz"
                )
            return self._raw
        if start != _GZIP_MAGIC:
            raise DrrError(
                f"{self.path}: is not a gzip file; if it is plain text, rename it to "
                f"{self.path.name.removesuffix('.gz')}, otherwise download it again"
            )
        from isal import igzip

        stream: _Bytes = igzip.IGzipFile(fileobj=self._raw, mode="rb")  # type: ignore[no-untyped-call]
        return stream

    def _check_length(self, size: int) -> None:
        if size > LONGEST_LINE:
            raise DrrError(
                f"{self.path}: has a line of more than {LONGEST_LINE >> 20} MiB, so it is not JSON lines; "
                "check the file"
            )

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        self._raw.close()

    def _stop(self) -> None:
        self._free.put(None)
        self._thread.join()

    def finish(self) -> Input:
        self._stop()
        digest = self._raw.finish()
        return Input(name=self.path.name, bytes=self._raw.count, sha256=digest)

    def __iter__(self) -> Iterator[Block]:
        seen = at = 0
        while (item := self._full.get()) is not None:
            if isinstance(item, BaseException):
                raise self._explained_error(item) from item
            buffer, end = item
            self._raw.hash_read()
            now = self._raw.count
            yield Block(memoryview(buffer)[:end], now - seen, at)
            seen, at = now, at + end
            self._free.put(buffer)

    def _explained_error(self, error: BaseException) -> BaseException:
        from gzip import BadGzipFile
        from zlib import error as ZlibError

        from isal.isal_zlib import error as IsalError

        if isinstance(error, EOFError):
            return DrrError(f"{self.path}: is cut short (the gzip stream has no end); download it again")
        damaged: tuple[type[BaseException], ...] = (BadGzipFile, ZlibError, IsalError)  # type: ignore[assignment]
        if isinstance(error, damaged):
            return DrrError(f"{self.path}: is damaged ({error}); download it again")
        if isinstance(error, OSError):
            return DrrError(f"{self.path}: cannot be read ({error.strerror}); check the disk")
        return error

    def _work(self) -> None:
        try:
            carry, more = b"", True
            while more and (buffer := self._free.get()) is not None:
                buffer, end, carry, more = self._fill(buffer, carry)
                if end:
                    self._full.put((buffer, end))
            self._full.put(None)
        except BaseException as error:  # noqa: BLE001  raised again in the reader's own thread
            self._full.put(error)

    def _fill(self, buffer: bytearray, carry: bytes) -> tuple[bytearray, int, bytes, bool]:
        """Fill a buffer up to its last newline. Return (buffer, end, bytes left for the next buffer, whether more follows)."""
        end = len(carry)
        goal = end + self._size
        buffer = _buffer_with_room(buffer, 0, goal)
        buffer[:end] = carry
        while True:
            with memoryview(buffer) as view:
                while end < goal:
                    got = self._stream.readinto(view[end:goal])
                    if not got:
                        return buffer, _end_with_newline(view, end), b"", False
                    end += got
            cut = buffer.rfind(b"\n", 0, end) + 1
            if cut:
                return buffer, cut, bytes(buffer[cut:end]), True
            self._check_length(end)
            goal = end + self._size
            buffer = _buffer_with_room(buffer, end, goal)


def _buffer_with_room(buffer: bytearray, keep: int, size: int) -> bytearray:
    """Return a buffer with room for `size` bytes and one newline. A larger one is newly made, because the old one may still be in use."""
    if len(buffer) > size:
        return buffer
    larger = bytearray(size * 2)
    larger[:keep] = buffer[:keep]
    return larger


def _end_with_newline(view: memoryview, end: int) -> int:
    """Return the end of the data, after adding a newline that the last line may lack."""
    if end and view[end - 1] != 10:
        view[end] = 10
        end += 1
    return end
