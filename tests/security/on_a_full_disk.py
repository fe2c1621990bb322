"""Commands on a disk of a few megabytes that is full, in a mount namespace of their own: run by `test_full_disk.py`.

unshare -rm python -m tests.security.on_a_full_disk PLACE BOX STUDY LANE
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from drr.app.cli import main

QUICK = ("export", "report", "view --static", "import", "sample", "run, a new study", "run, more of one")
MADE = ("import", "run", "judge", "sample")
"""Tried a second time, with room for a beginning, where the first left one."""


def told(words: list[object]) -> tuple[int | None, str]:
    """Exit code and what stood on standard error; no code where it ended with a traceback."""
    err = StringIO()
    with redirect_stderr(err), redirect_stdout(StringIO()):
        try:
            code: int | None = main([str(word) for word in words])
        except BaseException:
            code = None
            traceback.print_exc()
    return code, err.getvalue()


def filled(place: Path, spared: int = 0) -> None:
    """Until not a byte more can be written, but for so many."""
    filler = place / "filler"
    with filler.open("ab", buffering=0) as file:
        block = 1 << 16
        while block:
            try:
                file.write(b"x" * block)
            except OSError:
                block //= 2
    size = filler.stat().st_size - spared
    with filler.open("r+b") as file:
        file.truncate(max(0, size))


def commands(place: Path, box: Path, made: Path) -> dict[str, list[object]]:
    new = [
        "--shop", box / "shop", "--queries", box / "queries.jsonl", "--sandbox", box / "sandbox", "--quiet",
    ]  # fmt: skip
    study = place / "study"
    return {
        "export": ["export", made, "--out", place / "tables"],
        "report": ["report", made, "--out", place / "report"],
        "view --static": ["view", made, "--static", place / "pages", "--quiet"],
        "annotate --bundle": ["annotate", made, "--bundle", place / "bundles"],
        "annotate --export": ["annotate", made, "--sample", 2, "--task", "rating", "--export", place / "sheet.jsonl"],
        "sample": ["data", "sample", place / "raw", "--products", 60, "--users", 20, "--quiet"],
        "import": ["import", place / "imported", box / "import.jsonl", "--quiet"],
        "run, a new study": ["run", place / "fresh", *new],
        "run, more of one": ["run", study, "--shop", box / "shop", "--trials", 3, "--quiet"],
        "judge": ["judge", study, "--judge", "offline", "--shop", box / "shop", "--what", "quality", "--quiet"],
        "study edit": ["study", "edit", study, "--trials", 1, "--yes"],
        "shop copy": ["shop", "copy", box / "shop", place / "shop", "--quiet"],
        "ingest": ["data", "ingest", box / "raw", "--shop", place / "ingested", "--quiet"],
        "queries generate": ["queries", "generate", "--shop", box / "shop", "--out", place / "made.jsonl", "--users", 1, "--min-orders", 1, "--min-products", 1, "--quiet"],
        "queries dataset": ["queries", "dataset", box / "queries.jsonl", "--out", place / "dataset"],
        "web build": ["web", "build", box / "sandbox", "--out", place / "sandbox"],
        "web record": ["web", "record", "feeder", "--out", place / "recording", "--web", "sandbox", "--sandbox", box / "sandbox"],
        "ask --out": ["ask", "Which house?", "--shop", box / "shop", "--user", json.loads((box / "queries.jsonl").read_text())["user_id"],
                      "--out", place / "answer.md", "--quiet"],
        "reproduce": ["papers", "reproduce", "--shop", box / "shop", "--queries", box / "queries.jsonl", "--out", place / "all", "--model", "offline", "--quiet"],
    }  # fmt: skip


def run(place: Path, box: Path, made: Path, *, quick: bool) -> dict[str, tuple[int | None, str]]:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", place], check=True)
    shutil.copytree(made, place / "study")
    (place / "report").mkdir()
    found = {}
    for spared in (0,) if quick else (0, 20_000):
        for name, words in commands(place, box, made).items():
            if (quick and name not in QUICK) or (spared and not name.startswith(MADE)):
                continue
            filled(place, spared)
            found[f"{name}, {spared} bytes left"] = told(words)
    (place / "filler").unlink()
    found["what is left of the study"] = told(["status", place / "study"])
    found["run, when there is room again"] = told(
        ["run", place / "study", "--shop", box / "shop", "--trials", 3, "--quiet"]
    )
    return found


if __name__ == "__main__":
    print(json.dumps(run(*map(Path, sys.argv[1:4]), quick=sys.argv[4] == "quick")))
