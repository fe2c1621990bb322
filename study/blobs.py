"""Texts by content hash, each kept once. A blob is whole or absent: written aside, synced, then renamed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path

from drr.env.errors import DrrError

_NUMBER = count()


class Blobs:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, digest: str) -> Path:
        return self.folder / digest[:2] / digest

    def put(self, content: bytes) -> str:
        digest = sha256(content).hexdigest()
        path = self.path(digest)
        try:
            if path.stat().st_size == len(content):
                return digest
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f".{digest[:16]}.{os.getpid()}.{next(_NUMBER)}")
        try:
            with aside.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                aside.unlink()
            raise
        return digest

    def get(self, digest: str) -> bytes:
        """The content, checked against its hash: evidence that changed is no evidence."""
        try:
            content = self.path(digest).read_bytes()
        except FileNotFoundError:
            raise DrrError(
                f"{self.path(digest)}: missing from the study; run it again with --retry-failed, or restore the file"
            ) from None
        if sha256(content).hexdigest() != digest:
            raise DrrError(f"{self.path(digest)}: its content no longer has this hash; restore the file")
        return content

    def __iter__(self) -> Iterator[str]:
        return (path.name for path in sorted(self.folder.glob("??/*")) if not path.name.startswith("."))
