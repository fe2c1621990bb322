"""What is costly to make and written into by nobody, made once for all workers of a session."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(name: str, factory: pytest.TempPathFactory, make: Callable[[Path], None]) -> Path:
    """A folder of the whole session that the first worker who asks fills; the others wait for it."""
    base = factory.getbasetemp()
    home = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"once-{name}"
    home.mkdir(exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / "made").exists():
            make(home)
            (home / "made").touch()
    return home
