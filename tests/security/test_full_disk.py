"""A disk that is full and a folder that is closed: one sentence, and nothing is left half-written."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
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


def test_a_full_device_is_one_sentence() -> None:
    for words in (["--help"], ["--version"]):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "drr.app.cli", *words], stdout=full, stderr=subprocess.PIPE,
                text=True, check=False,
            )  # fmt: skip
        assert done.returncode == 1, done.stderr
        assert done.stderr.count("\n") == 1
        assert "the disk is full" in done.stderr
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


_CODE = """
import os, sys
umask = sys.argv[1]
os.umask(int(umask, 8))
from drr.app.cli import main
from drr.env.web.base import Page
from drr.env.web.record import Snapshots
from datetime import datetime
from pathlib import Path
assert main(["run", *sys.argv[2:], "--quiet"]) == 0
if umask != "022":
    assert main(["run", sys.argv[2], "--trials", "2", "--quiet"]) == 0
    assert main(["judge", sys.argv[2], "--what", "quality", "--quiet"]) == 0
assert main(["export", sys.argv[2], "--out", "tables"]) == 0
pages = Snapshots(Path(sys.argv[2], "pages"), datetime.now, closed=True)
pages.put("http://a.example/", Page("http://a.example/", "http://a.example/", "ok", "A", "text", "r/1"), {"body": b"text"})
"""


@pytest.mark.parametrize(
    ("umask", "folders", "files", "exported"),
    [("022", 0o700, 0o600, 0o644), pytest.param("027", 0o750, 0o640, 0o640, marks=pytest.mark.endurance)],
)
def test_what_a_study_writes_is_its_owners(
    new: Callable[..., list[str]], tmp_path: Path, umask: str, folders: int, files: int, exported: int
) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    done = subprocess.run(
        [sys.executable, "-c", _CODE, umask, *new()], capture_output=True, text=True, env=environment,
        cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    study = tmp_path / "study"
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (study, *study.rglob("*"))}
    assert len(modes) > 15
    wrong = {
        str(path): oct(mode) for path, mode in modes.items() if mode != (folders if path.is_dir() else files)
    }
    assert not wrong
    assert stat.S_IMODE((tmp_path / "tables" / "units.jsonl").stat().st_mode) == exported
