"""The adapter for mem0ai: without the package a sentence, with it the real thing on a scripted model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import Drr
from tests.persons.remembering import folder

ROOT = Path(__file__).parent.parent.parent
PACKAGE = "mem0ai==2.2.1"


def test_without_the_package_it_says_what_to_install(tmp_path: Path, drr: Drr) -> None:
    assert "pip install 'deepresearch-retail[mem0]'" in drr.err(
        "memory", "test", "mem0", str(folder(tmp_path)), "--quiet"
    )


@pytest.mark.wheel
def test_the_real_package_remembers_by_our_model_and_speaks_with_nobody_else(tmp_path: Path) -> None:
    home = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True, timeout=120)
    (packages,) = home.glob("lib/python*/site-packages")
    ours = [path for path in sys.path if path.endswith("site-packages")]
    lines = [f"import site; site.addsitedir({path!r})" for path in ours]
    (packages / "ours.pth").write_text("\n".join(lines))
    python = home / "bin" / "python"
    installing = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE]
    subprocess.run(installing, check=True, timeout=600)
    done = subprocess.run(
        [python, "-m", "tests.persons.mem0_on_the_wire", tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["code"] == 0, done.stderr[-3000:]
    assert found["addresses"] == ["127.0.0.1"]
    assert found["asked"] == found["row"]["build"]["calls"] >= 60, "each item is told to it"
    assert found["row"]["recall"]["value"] == pytest.approx(0.1)
    assert found["row"]["precision"]["value"] == 1.0
