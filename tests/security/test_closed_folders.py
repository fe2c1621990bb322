"""A study is its owner's: folders 700 and files 600, unless the user chose a umask of their own."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

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
    [
        ("022", 0o700, 0o600, 0o644),
        pytest.param("027", 0o750, 0o640, 0o640, marks=pytest.mark.endurance),
    ],
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
