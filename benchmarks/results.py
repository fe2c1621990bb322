"""The last table of each benchmark, kept in RESULTS.md under its heading."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

RESULTS = Path(__file__).parent / "RESULTS.md"
ENDURANCE = ("Endurance", ("what", "times", "found"))
"""The table of what `make endurance` counts, a row a test."""


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def machine() -> str:
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def command() -> str:
    """Return what was typed: a module of ours with its arguments, or the tests of `make endurance`."""
    name, *arguments = sys.orig_argv[sys.orig_argv.index("-m") + 1 :] if "-m" in sys.orig_argv else [""]
    return " ".join(["python -m", name, *arguments]) if name.startswith("benchmarks.") else "make endurance"


def commit() -> str:
    """Return the commit that is measured, and whether anything but the results differs from it."""
    root, paths = RESULTS.parents[1], (".", ":!benchmarks/RESULTS.md")
    git = ("git", "-C", str(root))
    named = subprocess.run([*git, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True)
    if named.returncode:
        return "no commit"
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", *paths]).returncode
    return f"commit {named.stdout.strip()}{', changed' if changed else ''}"


def stamp(head: str) -> str:
    """Return what a section begins with: command, commit, and the machine where the head of the results names another."""
    return f"`{command()}`, {commit()}{'' if machine() in head else f', {machine()}'}."


def record(heading: str, text: str) -> None:
    """Print it, and put it with its command and commit in place of what stood under this heading."""
    print(f"\n## {heading}\n\n{text}\n")
    old = RESULTS.read_text(encoding="utf-8")
    before, _, rest = old.partition(f"\n## {heading}\n")
    _, more, after = rest.partition("\n## ")
    own = f"{stamp(old.partition(f'{chr(10)}## ')[0])}\n\n{text.strip()}\n"
    RESULTS.write_text(f"{before.rstrip()}\n\n## {heading}\n\n{own}{more}{after}", encoding="utf-8")


def row(heading: str, header: Sequence[str], cells: Sequence[object]) -> None:
    """Record one row of a table that several runs write: it takes the place of the row that begins alike."""
    section = RESULTS.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line[2:-2].split(" | ") for line in section.splitlines() if line.startswith("| ")][2:]
    record(heading, table(header, [*(line for line in lines if line[0] != cells[0]), cells]))
