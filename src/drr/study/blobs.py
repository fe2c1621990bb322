"""Stores texts under their hashes, each once. A file is complete or absent: it is written aside, synced, then renamed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from stat import S_ISLNK

from drr.env.errors import DrrError
from drr.env.files import is_digest, make_folder, owner_only_mode, read_file

_NUMBER = count()
_MOST_RECENT = 32 << 20
"""Maximum number of bytes of texts that are kept in memory."""
_MEND = "restore the file, or `drr run STUDY --retry-failed` computes its unit again"


class LostText(DrrError):
    """An error for a text of a study that is missing, unreadable, or changed."""


class Blobs:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._there: dict[str, set[str]] = {}
        self._broken: set[str] = set()
        """Hashes of texts that are missing, unreadable or changed."""
        self._sound: set[str] = set()
        """Hashes of texts that `check` has found unchanged."""
        self._recent: dict[str, bytes] = {}
        """Texts read last. Answers to one question share their evidence, so that each text is read several times."""
        self._size = 0

    def path(self, digest: str) -> Path:
        if not is_digest(digest):
            raise DrrError(
                f"{self.folder}: {str(digest)[:80]!r} is no hash of a text; the study was changed by hand"
            )
        return self.folder / digest[:2] / digest

    def put(self, content: bytes) -> str:
        """Store a content and return its hash. Few system calls are made, because many threads store thousands a second."""
        digest = sha256(content).hexdigest()
        path = self.folder / digest[:2] / digest
        try:
            # A text known to be broken is written again, so that computing its unit again restores it.
            if path.stat().st_size == len(content) and digest not in self._broken:
                return digest
        except FileNotFoundError:
            _make_sure(path.parent)
        aside = path.with_name(f".{digest[:16]}.{os.getpid()}.{next(_NUMBER)}")
        try:
            handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, owner_only_mode(0o666))
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
        """Return the content with a hash, which is checked: changed evidence must not be used."""
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
        """Tell whether a text's file exists, without reading it. A file that was found to be changed does not count."""
        if not is_digest(digest) or digest in self._broken:
            return False
        start = digest[:2]
        if start not in self._there:
            try:
                with os.scandir(self.folder / start) as files:
                    self._there[start] = {file.name for file in files if file.is_file()}
            except OSError:
                self._there[start] = set()
        # A listing may be older than a text that was stored since; only its "yes" can be trusted.
        return digest in self._there[start] or self.path(digest).is_file()

    def check(self, digests: Iterable[str]) -> None:
        """Read each of these texts once, and remember which are missing or changed."""
        for digest in digests:
            if digest not in self._sound and self.has(digest):
                with contextlib.suppress(DrrError):
                    self.get(digest)
                    self._sound.add(digest)

    def __iter__(self) -> Iterator[str]:
        return (path.name for path in sorted(self.folder.glob("??/*")) if not path.name.startswith("."))


def _make_sure(folder: Path) -> None:
    """Make sure that a folder exists and is not a link."""
    try:
        if not S_ISLNK(folder.lstat().st_mode):
            return
    except FileNotFoundError:
        make_folder(folder, owner_only_mode(0o777))
    if folder.is_symlink():
        raise DrrError(f"{folder}: is a link; put the folder itself there")
