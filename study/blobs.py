"""Texts by content hash, each kept once. A blob is whole or absent: written aside, synced, then renamed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from stat import S_ISLNK

from drr.env.errors import DrrError
from drr.env.files import is_digest, make_folder, private, read_file

_NUMBER = count()
_MOST_RECENT = 32 << 20
"""Bytes of texts that are held in memory."""
_MEND = "restore the file, or `drr run STUDY --retry-failed` computes its unit again"


class LostText(DrrError):
    """A text that a study names and no longer holds, or holds with other content."""


class Blobs:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._there: dict[str, set[str]] = {}
        self._broken: set[str] = set()
        """Found to be gone, unreadable, or of other content than their names say."""
        self._sound: set[str] = set()
        """Found by `check` to be what their names say."""
        self._recent: dict[str, bytes] = {}
        """Texts read last: answers to one question share their evidence, and each is read several times."""
        self._size = 0

    def path(self, digest: str) -> Path:
        if not is_digest(digest):
            raise DrrError(
                f"{self.folder}: {str(digest)[:80]!r} is no hash of a text; the study was changed by hand"
            )
        return self.folder / digest[:2] / digest

    def put(self, content: bytes) -> str:
        """Thousands a second are put from many threads, so few calls of the system are made."""
        digest = sha256(content).hexdigest()
        path = self.folder / digest[:2] / digest
        try:
            if path.stat().st_size == len(content) and digest not in self._broken:
                return digest
        except FileNotFoundError:
            _make_sure(path.parent)
        aside = path.with_name(f".{digest[:16]}.{os.getpid()}.{next(_NUMBER)}")
        try:
            handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, private(0o666))
            try:
                left = memoryview(content)
                while left:
                    left = left[os.write(handle, left) :]
                os.fsync(handle)
            finally:
                os.close(handle)
            aside.replace(path)
            self._broken.discard(digest)
        except BaseException:
            with contextlib.suppress(OSError):
                aside.unlink()
            raise
        return digest

    def get(self, digest: str) -> bytes:
        """The content, checked against its hash: evidence that changed is no evidence."""
        if digest in self._recent:
            return self._recent[digest]
        path = self.path(digest)
        try:
            content = read_file(path)
        except FileNotFoundError:
            self._broken.add(digest)
            raise LostText(f"{path}: missing from the study; {_MEND}") from None
        except OSError as error:
            self._broken.add(digest)
            raise LostText(f"{path}: cannot be read ({error.strerror}); {_MEND}") from None
        except DrrError as error:
            self._broken.add(digest)
            raise LostText(f"{error}; {_MEND}") from None
        if sha256(content).hexdigest() != digest:
            self._broken.add(digest)
            raise LostText(f"{path}: its content no longer has this hash; {_MEND}")
        self._size += len(content)
        if self._size > _MOST_RECENT:
            self._recent, self._size = {}, len(content)
        self._recent[digest] = content
        return content

    def has(self, digest: str) -> bool:
        """Tell whether a file of this name is there, without reading it. One that was found to be changed is not."""
        if not is_digest(digest) or digest in self._broken:
            return False
        start = digest[:2]
        if start not in self._there:
            try:
                with os.scandir(self.folder / start) as files:
                    self._there[start] = {file.name for file in files if file.is_file()}
            except OSError:
                self._there[start] = set()
        return digest in self._there[start] or self.path(digest).is_file()

    def check(self, digests: Iterable[str]) -> None:
        """Read these, each once, and remember which are not what they were."""
        for digest in digests:
            if digest not in self._sound and self.has(digest):
                with contextlib.suppress(DrrError):
                    self.get(digest)
                    self._sound.add(digest)

    def __iter__(self) -> Iterator[str]:
        return (path.name for path in sorted(self.folder.glob("??/*")) if not path.name.startswith("."))


def _make_sure(folder: Path) -> None:
    """Make sure that the folder is there, and no link."""
    try:
        if not S_ISLNK(folder.lstat().st_mode):
            return
    except FileNotFoundError:
        make_folder(folder, private(0o777))
    if folder.is_symlink():
        raise DrrError(f"{folder}: is a link; put the folder itself there")
