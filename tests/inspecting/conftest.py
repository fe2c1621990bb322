"""An environment of its own with Inspect and our wheel, and a small shop with questions; made once for the lane."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from drr.env.settings import Settings

from tests.agents.garden import ANNA, BEN, DOCUMENTS, write_shop
from tests.test_wheel import build_wheel

ROOT = Path(__file__).parents[2]
PACKAGE = "inspect-ai==0.3.285"
HIDDEN = {"rationale": "SECRET-RATIONALE", "constraints": {"total_max": 30}}
QUESTIONS = (
    {"id": "q-house", "query": "Which bird house under $30?", "user_id": ANNA, **HIDDEN},
    {"id": "q-bath", "query": "Which bird bath?", "user_id": BEN},
    {"id": "q-none", "query": "Please say nothing", "user_id": BEN},
)


class Garden(NamedTuple):
    shop: Path
    queries: Path
    sandbox: Path


@pytest.fixture(scope="session")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Garden:
    folder = tmp_path_factory.mktemp("inspecting")
    found = Garden(folder / "shop", folder / "queries.jsonl", folder / "sandbox")
    write_shop(str(found.shop), Settings())
    found.sandbox.mkdir()
    lines = "\n".join(document.model_dump_json() for document in DOCUMENTS)
    (found.sandbox / "documents.jsonl").write_text(lines + "\n")
    found.queries.write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS))
    return found


@pytest.fixture(scope="session")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Runs a program of that environment, far from the checkout; gives what it prints."""
    place = tmp_path_factory.mktemp("apart")
    subprocess.run([sys.executable, "-m", "venv", str(place / "venv")], check=True, timeout=120)
    (packages,) = place.glob("venv/lib/python*/site-packages")
    for folder in reversed([Path(path) for path in sys.path if path.endswith("site-packages")]):
        shutil.copytree(folder, packages, ignore=_own, copy_function=_linked, dirs_exist_ok=True)
    pip = [place / "venv/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, PACKAGE], check=True, timeout=900)
    subprocess.run([*pip, "--no-deps", build_wheel(place / "source")], check=True, timeout=300)
    helpers = [f"tests/{name}.py" for name in ("cases", "commands", "conftest", "once", "shops", "wire")]
    for name in (*helpers, "tests/agents", "tests/data", "tests/inspecting", "examples", "pyproject.toml"):
        source, there = ROOT / name, place / "work" / name
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, _made(there))

    def run(program: str, *words: object, fails: bool = False, **environment: str) -> str:
        homes = {"XDG_CACHE_HOME": str(place / "cache"), "XDG_CONFIG_HOME": str(place / "config")}
        done = subprocess.run(
            [place / "venv/bin" / program, *map(str, words)],
            cwd=place / "work",
            env={**os.environ, **homes, **environment},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert (done.returncode != 0) == fails, (done.stdout[-2_000:], done.stderr[-4_000:])
        return done.stdout + done.stderr if fails else done.stdout

    return run


def _own(folder: str, names: list[str]) -> list[str]:
    """Of the locked packages that are installed here, all but this checkout, and but pip, which the environment has."""
    ours = ("__editable__", "deepresearch_retail", "pip", "setuptools", "_distutils_hack", "__pycache__")
    return [name for name in names if name.startswith(ours) or name.endswith(".pth")]


def _linked(source: str, target: str) -> None:
    """Nobody writes into what is installed: whoever replaces a file makes it anew."""
    try:
        os.link(source, target)
    except FileExistsError:
        return
    except OSError:  # another disk
        shutil.copy2(source, target)


def _made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
