"""A full disk is one sentence in every command, and what was there before it is there after it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from drr.env.errors import DrrError, no_room

from tests.commands import Drr

pytestmark = pytest.mark.long


def _namespace() -> list[str] | None:
    """How this machine lets one mount a small disk of one's own, if it does."""
    try:
        words = ["unshare", "-rm"]
        tried = subprocess.run(
            [*words, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, check=False
        )
    except OSError:
        return None
    return words if tried.returncode == 0 else None


@pytest.mark.skipif(_namespace() is None, reason="this machine lets nobody mount a small disk")
@pytest.mark.parametrize("lane", ["quick", pytest.param("every command", marks=pytest.mark.endurance)])
def test_a_full_disk_is_one_sentence(box: Path, drr: Drr, tmp_path: Path, lane: str) -> None:
    study, words = tmp_path / "made", ("--shop", box / "shop", "--queries", box / "queries.jsonl")
    variants = "react" if lane == "quick" else "plan-to-function,react"
    assert drr("run", study, *words, "--sandbox", box / "sandbox", "--variants", variants, "--quiet")[0] == 0
    row = {"id": "a", "system": "theirs", "query": "Which?", "report_markdown": "text " * 20_000}
    (box / "import.jsonl").write_text(json.dumps(row) + "\n")
    if lane != "quick":
        assert drr("judge", study, "--quiet")[0] == 0
        assert drr("data", "sample", box / "raw", "--products", 60, "--users", 20, "--quiet")[0] == 0
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(
        [*(_namespace() or []), sys.executable, "-m", "tests.security.on_a_full_disk", place, box, study, lane],
        capture_output=True, text=True, check=False, timeout=300, cwd=Path(__file__).parents[2],
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for name in ("what is left of the study", "run, when there is room again"):
        code, err = found.pop(name)
        assert code == 0, err
    wrong = {
        name: told
        for name, told in found.items()
        if told[0] not in (0, 1)
        or (
            told[0] == 1
            and (
                told[1].count("\n") not in (1, 1 + (name.startswith("reproduce")))
                or not any(
                    said in told[1].split("\n")[0] for said in ("disk is full", "No space left on device")
                )
            )
        )
    }
    assert not wrong, "\n".join(f"{name}: {code}\n{err}" for name, (code, err) in wrong.items())
    nothing_left = [name for name, (code, _) in found.items() if name.endswith(" 0 bytes left") and code == 0]
    assert not nothing_left


def test_what_is_printed_into_a_full_device_is_one_sentence() -> None:
    for words in (["--help"], ["--version"]):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "drr.app.cli", *words], stdout=full, stderr=subprocess.PIPE,
                text=True, check=False,
            )  # fmt: skip
        assert done.returncode == 1, done.stderr
        assert done.stderr.count("\n") == 1
        assert "the disk is full" in done.stderr


def test_only_what_says_so_is_a_full_disk() -> None:
    import errno
    import sqlite3

    assert no_room(OSError(errno.ENOSPC, "No space left on device", "/x")) is not None
    assert no_room(OSError(errno.EACCES, "Permission denied", "/x")) is None
    assert no_room(sqlite3.OperationalError("database or disk is full")) is not None
    assert no_room(ValueError("An IO error occurred: 'No space left on device (os error 28)'")) is not None
    assert no_room(ValueError("a page says: no space left on device")) is None
    assert no_room(DrrError("line 3: 'the disk is full' is no query")) is None
    error = RuntimeError("wrapped")
    error.__cause__ = OSError(errno.EDQUOT, "Disk quota exceeded")
    assert no_room(error) is not None
