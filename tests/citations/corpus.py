"""The hand-counted reports of `tests/data/counted.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple


class Counted(NamedTuple):
    name: str
    report: str
    urls: set[str]
    inline: int
    entries: int
    dangling: int = 0


def _counted(row: dict[str, Any]) -> Counted:
    return Counted(**{**row, "urls": set(row["urls"])})


FILE = Path(__file__).parents[1] / "data" / "counted.toml"
CORPUS = [_counted(row) for row in tomllib.loads(FILE.read_text("utf-8"))["report"]]
