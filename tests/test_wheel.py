"""The wheel holds what the rooms need beside code: prompts, templates, tables of facts, the sandbox, the built-in queries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parent.parent
ROOMS = ("env", "data_ingest", "tools", "llm", "agents", "querygen", "study", "eval", "app")


def test_every_tracked_file_of_every_room_is_in_the_wheel(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    inside = set(ZipFile(wheel).namelist())
    listed = subprocess.run(
        ["git", "ls-files", *ROOMS], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    tracked = {name for name in listed.splitlines() if (ROOT / name).is_file()}
    assert len(tracked) > 100
    assert sorted(tracked - inside) == []
    assert not [name for name in inside if name.startswith(("tests/", "benchmarks/"))]
