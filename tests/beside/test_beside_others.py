"""The wheel in a fresh environment, beside packages that bear the names of our folders."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_wheel import build_wheel

ROOT = Path(__file__).parents[2]
STUBS = ("tools", "env", "app", "eval", "study", "llm", "citations", "offline")

pytestmark = pytest.mark.wheel


def said(*words: object, cwd: Path) -> str:
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, capture_output=True, text=True, timeout=1_200
    )
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-4_000:]
    return done.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`venv` with the locked packages (OpenAI's `agents` is one of them), our wheel, and the others' packages."""
    place = tmp_path_factory.mktemp("beside")
    said(sys.executable, "-m", "venv", place / "venv", cwd=place)
    pip = (place / "venv/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    said(*pip, "--require-hashes", "--no-deps", "-r", ROOT / "requirements.lock", cwd=place)
    said(*pip, "--no-deps", build_wheel(place / "source"), cwd=place)
    (packages,) = (place / "venv/lib").glob("python3.*/site-packages")
    for name in STUBS:
        (packages / name).mkdir()
        (packages / name / "__init__.py").write_text("WHOSE = 'theirs'\n", encoding="utf-8")
    shutil.copy2(Path(__file__).with_name("neighbour.py"), packages / "neighbour.py")
    told = packages / "neighbour-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: neighbour\nVersion: 1.0\n", encoding="utf-8")
    (told / "entry_points.txt").write_text(
        "[drr.variants]\nopenai-shopper = neighbour:answer\n", encoding="utf-8"
    )
    return place


def test_the_demo_works(place: Path) -> None:
    out = said(place / "venv/bin/python", "-m", "drr", "demo", place / "demo", cwd=place)
    assert "hybrid-react" in out and "Code alone caught:" in out


def test_a_clone_as_working_folder_hides_nothing_of_what_is_installed(place: Path) -> None:
    out = said(place / "venv/bin/python", "-c", "import drr.app.cli; print(drr.app.cli.__file__)", cwd=ROOT)
    assert Path(out.strip()).is_relative_to(place)


def test_theirs_import_and_so_do_ours(place: Path) -> None:
    code = (
        f"import importlib, drr.app.cli\nfor name in {STUBS}:\n"
        "    assert importlib.import_module(name).WHOSE == 'theirs', name\n"
        "    assert importlib.import_module('drr.' + name).__name__ == 'drr.' + name\n"
        "from agents import Agent\n"
    )
    said(place / "venv/bin/python", "-c", code, cwd=place)


def test_an_agent_of_openais_library_answers_in_a_study(place: Path) -> None:
    drr = place / "venv/bin/drr"
    said(drr, "data", "sample", "raw", "--products", "300", "--users", "60", "--reviews", "4000", cwd=place)
    said(drr, "data", "ingest", "raw", "--shop", "shop", "--min-reviews", "1", "--quiet", cwd=place)
    code = "import sys; from drr.env.settings import resolve; from drr.env.shop import open_shop\nwith open_shop('shop', resolve().settings) as shop: print(*shop.store.sample_users(2, seed=1))"
    users = said(place / "venv/bin/python", "-c", code, cwd=place).split()
    lines = [json.dumps({"query": "a quiet dog nail grinder", "user_id": user}) for user in users]
    (place / "queries.jsonl").write_text("\n".join(lines), encoding="utf-8")
    said(
        *(drr, "run", "study", "--shop", "shop", "--queries", "queries.jsonl"),
        *("--variants", "openai-shopper,react", "--quiet"),
        cwd=place,
    )
    said(drr, "judge", "study", "--judge", "offline", "--what", "rules,faithfulness", "--quiet", cwd=place)
    metrics = json.loads(said(drr, "report", "study", "--json", cwd=place))["metrics"]["openai-shopper"]
    assert metrics["tool_calls"]["value"] == 1.0
    assert metrics["rule_fabricated_citation"]["value"] == 1.0
    assert metrics["n_cited"]["value"] == 1.0


def test_the_tasks_with_files_come_along(place: Path) -> None:
    drr = place / "venv/bin/drr"
    said(drr, "papers", "tasks", "drawer", "--out", "filed", "--n", "2", "--sizes", "32k,512k", cwd=place)
    assert "2 of 2 tasks pass every check" in said(drr, "papers", "tasks", "check", "filed", cwd=place)
