"""A disk that is full and a folder that is closed: one sentence, and nothing is left half-written."""

from __future__ import annotations

import json
import os
import re
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
        assert drr("judge", study, "--judge", "offline", "--quiet")[0] == 0
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

    def is_told(name: str, code: int, err: str) -> bool:
        first, *rest = err.rstrip("\n").split("\n")
        few = len(rest) <= name.startswith("reproduce")
        return code == 0 or (
            code == 1 and few and bool(re.search("disk is full|No space left on device", first))
        )

    wrong = {name: told for name, told in found.items() if not is_told(name, *told)}
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
import json, os, sys
umask = sys.argv[1]
os.umask(int(umask, 8))
from drr.app.cli import main
from drr.app.training.environment import Environment
from drr.env.web.base import Page
from drr.env.web.record import Snapshots
from datetime import datetime
from pathlib import Path
study, shop, queries = sys.argv[2], sys.argv[4], Path(sys.argv[6])
assert main(["run", *sys.argv[2:], "--quiet"]) == 0
if umask != "022":
    assert main(["run", study, "--trials", "2", "--quiet"]) == 0
    assert main(["judge", study, "--judge", "offline", "--what", "quality", "--quiet"]) == 0
pages = Snapshots(Path(study, "pages"), datetime.now, closed=True)
pages.put("http://a.example/", Page("http://a.example/", "http://a.example/", "ok", "A", "text", "r/1"), {"body": b"text"})
query = json.loads(queries.read_text().splitlines()[0])
for words in (
    ["judge", study, "--judge", "offline", "--quiet"],
    ["data", "sample", "raw", "--seed", "7", "--quiet"],
    ["data", "ingest", "raw", "--shop", "out/shop", "--quiet"],
    ["report", study, "--out", "out/report", "--quiet"],
    ["view", study, "--static", "out/viewer", "--quiet"],
    ["export", study, "--out", "out/tables"],
    ["judges", "annotate", study, "--pairs", "1", "--bundle", "out/bundles"],
    ["judges", "annotate", study, "--export", "out/labels.jsonl"],
    ["ask", query["query"], "--user", query["user_id"], "--shop", shop, "--out", "out/answer.md", "--quiet"],
):
    assert main(words) == 0, words
with Environment(shop="out/shop", transcripts="out/episodes.jsonl") as env:
    env.reset(1)
    env.step({"report": "none"})
assert main(["bundle", "make", study, "--out", "published.bundle", "--shop", shop]) == 0
assert main(["board", "published.bundle", "--out", "board"]) == 0
"""


@pytest.mark.parametrize(
    ("umask", "folders", "files"),
    [("022", 0o700, 0o600), pytest.param("027", 0o750, 0o640, marks=pytest.mark.endurance)],
)
def test_a_study_and_what_quotes_it_are_their_owners(
    new: Callable[..., list[str]], tmp_path: Path, umask: str, folders: int, files: int
) -> None:
    config = str(tmp_path / "config")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "XDG_CONFIG_HOME": config}
    (tmp_path / "out").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", _CODE, umask, *new("react,hybrid-react")], capture_output=True, text=True, env=environment,
        cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    study, out = tmp_path / "study", tmp_path / "out"
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (study, *study.rglob("*"), *out.rglob("*"))}
    assert {path.name for path in out.iterdir()} == {
        "shop", "report", "viewer", "tables", "bundles", "labels.jsonl", "answer.md", "episodes.jsonl"
    }  # fmt: skip
    allowed = {True: {folders}, False: {files, 0o600}}  # a plan with tokens is 600 whatever the umask
    wrong = {str(path): oct(mode) for path, mode in modes.items() if mode not in allowed[path.is_dir()]}
    assert not wrong
    board = [path for path in (tmp_path / "board").rglob("*") if path.is_file() and path.suffix != ".bundle"]
    mode = 0o666 & ~int(umask, 8)
    assert board and {stat.S_IMODE(path.stat().st_mode) for path in board} == {mode}, "it is published"
