"""The last table of each benchmark, kept in RESULTS.md under its heading."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path

RESULTS = Path(__file__).parent / "RESULTS.md"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def machine() -> str:
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def record(heading: str, text: str) -> None:
    """Print it, and put it in place of what stood under this heading."""
    print(f"\n## {heading}\n\n{text}\n")
    old = (
        RESULTS.read_text(encoding="utf-8")
        if RESULTS.is_file()
        else "# Results\n\nRatios within one run; seconds are this machine's.\n"
    )
    before, _, rest = old.partition(f"\n## {heading}\n")
    after = rest.partition("\n## ")
    tail = f"\n## {after[2]}" if after[1] else ""
    RESULTS.write_text(f"{before.rstrip()}\n\n## {heading}\n\n{text.strip()}\n{tail}", encoding="utf-8")
