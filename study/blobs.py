"""Texts by content hash, each kept once. A blob is whole or absent: written aside, synced, then renamed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path

from drr.env.errors import DrrError
from drr.env.files import is_digest, make_folder, private, read_file

_NUMBER = count()


class Blobs:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, digest: str) -> Path:
        if not is_digest(digest):
            raise DrrError(
                f"{self.folder}: {str(digest)[:80]!r} is no hash of a text; the study was changed by hand"
            )
        return self.folder / digest[:2] / digest

    def put(self, content: bytes) -> str:
        digest = sha256(content).hexdigest()
        path = self.path(digest)
        try:
            if path.stat().st_size == len(content):
                return digest
        except FileNotFoundError:
            make_folder(path.parent, private(0o777))
            if path.parent.is_symlink():
                raise DrrError(
                    f"{path.parent}: is a link, and a study holds none; put the folder itself there"
                ) from None
        aside = path.with_name(f".{digest[:16]}.{os.getpid()}.{next(_NUMBER)}")
        try:
            handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, private(0o666))
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(handle)
            aside.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                aside.unlink()
            raise
        return digest

    def get(self, digest: str) -> bytes:
        """The content, checked against its hash: evidence that changed is no evidence."""
        try:
            content = read_file(self.path(digest))
        except FileNotFoundError:
            raise DrrError(
                f"{self.path(digest)}: missing from the study; run it again with --retry-failed, or restore the file"
            ) from None
        except OSError as error:
            raise DrrError(
                f"{self.path(digest)}: cannot be read ({error.strerror}); restore the file"
            ) from None
        if sha256(content).hexdigest() != digest:
            raise DrrError(f"{self.path(digest)}: its content no longer has this hash; restore the file")
        return content

    def __iter__(self) -> Iterator[str]:
        return (path.name for path in sorted(self.folder.glob("??/*")) if not path.name.startswith("."))
