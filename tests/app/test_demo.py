"""`drr demo`: the recorded study out of its bundle, the lies of the careless agent, and the README's table."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from drr.app.bundles.regrade import restore
from drr.app.commands.demo import FIGURES, _standing, demo, worst_lie
from drr.app.commands.reproduce import figures_rows
from drr.study.study import Study

from tests.commands import Drr, python

ROOT = Path(__file__).parent.parent.parent
MOST = 1_500_000
COMMAND = "from drr.app.cli import main; raise SystemExit(main())"
AGENTS = {"plan-to-function", "plan-to-function+ws", "react", "hybrid-react"}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded") / "study"
    with as_file(files("drr.app.demo") / "recorded.bundle") as bundle:
        assert bundle.stat().st_size <= MOST
        restore(bundle, folder)
    return folder


@pytest.mark.slow
def test_no_answer_is_left_out(recorded: Path) -> None:
    with Study.read(recorded) as study:
        given = Counter(one.spec["variant"] for one in study.records("answer"))
    assert given == dict.fromkeys(AGENTS, 6)


@pytest.mark.slow
def test_the_last_line_tells_of_mistakes(recorded: Path) -> None:
    text = " ".join(_standing(recorded).split())
    assert text.startswith("None of 4 systems is shown to be better by faithfulness.")
    assert "Mistakes a report: plan-to-function+ws 0.33, react 0.00" in text


@pytest.mark.slow
def test_the_readme_has_the_figures_of_the_raw_answers(recorded: Path, tmp_path: Path, drr: Drr) -> None:
    drr.out("report", recorded, "--out", tmp_path / "report", "--quiet")
    head, rows = figures_rows(tmp_path / "report" / "metrics.json", FIGURES)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| (.+) \|$", readme.partition("<!-- recorded -->")[2], re.MULTILINE)
    assert [line.split(" | ") for line in shown[:1] + shown[2 : 2 + len(rows)]] == [head, *rows]
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert all(name in page for name in AGENTS)


@pytest.mark.long
def test_the_demo_ends_with_pages_that_open_and_its_recorded_study_holds(tmp_path: Path, drr: Drr) -> None:
    assert demo(tmp_path / "demo") == 0
    lie = worst_lie(tmp_path / "demo")
    page, _, place = lie.page.removeprefix("file://").partition("#")
    assert f'id="{place}"' in Path(page).read_text(encoding="utf-8")
    assert {rule for rule, _ in lie.found} >= {"price", "order_facts", "in_catalogue", "total"}
    bundle = ROOT / "src/drr/app/demo/recorded.bundle"
    # another processor's linear algebra rounds the last digits otherwise
    for kernel in ("Haswell", "SkylakeX", "Prescott"):
        verify = ("bundle", "verify", bundle, "--shop", tmp_path / "demo" / "shop", "--json")
        done = python(COMMAND, *verify, env=os.environ | {"OPENBLAS_CORETYPE": kernel})
        assert json.loads(done.stdout)["holds"], (kernel, done.stdout, done.stderr)


@pytest.mark.slow
def test_code_catches_each_lie(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    agent = files("drr.app.demo") / "careless.py"
    shop, queries = judged_study.parent / "shop", judged_study / "queries.jsonl"
    where = ("--shop", shop, "--queries", queries, "--variants", f"{agent}:careless", "--quiet")
    drr.out("run", tmp_path / "study", *where)
    drr.out("judge", tmp_path / "study", "--what", "rules", "--quiet")
    rows = json.loads(drr.out("report", tmp_path / "study", "--json"))["metrics"]["careless.py:careless"]
    for rule in ("price", "order_facts", "in_catalogue", "total"):
        assert rows[f"rule_{rule}"]["value"] == 0
