"""Tables of cases that stand in `tests/data`, one file for each folder of tests, one case a line."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "data"


@cache
def _tables(folder: str) -> dict[str, Any]:
    tables: dict[str, Any] = json.loads((FOLDER / f"{folder}.json").read_text("utf-8"))
    return tables


def cases(folder: str, table: str) -> Any:
    """Return the rows of a table, or its values by name."""
    return _tables(folder)[table]
