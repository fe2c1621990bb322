"""A disk that fills is no bug: one sentence that names the place."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from drr.env.errors import DrrError

_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))


@contextmanager
def disk_of(place: str | Path | None = None) -> Iterator[None]:
    """`DrrError` where the disk of what is written inside is full. Without a `place` the file that failed is named."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        where = place or error.filename
        said = f"{where}: " if where else ""
        raise DrrError(
            f"{said}the disk is full ({error.strerror}); make room there and run the same command again"
        ) from error
