"""`drr demo`: the recorded study out of its bundle, the lies of the careless agent, and the price of the README."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from drr.app.bundles.regrade import restore
from drr.app.commands.demo import _standing, _unpack, demo, worst_lie
from drr.eval.labels import SupportLabel, read_labels
from drr.study.study import Study

from tests.commands import Drr, python

ROOT = Path(__file__).parent.parent.parent
MOST = 1_500_000
LABELS = "labels-by-models.jsonl"
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
    assert text.startswith("None of 4 systems is shown to be better by overall.")
    assert (
        "Mistakes a report: plan-to-function 1.80, plan-to-function+ws 0.33, hybrid-react 0.00 and 1 more."
        in text
    )


@pytest.mark.slow
def test_the_readme_has_what_code_says_of_the_changed_answer(
    sample_home: Path, tmp_path: Path, drr: Drr
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (wrong, right), (shown,) = (
        re.findall(r"\$\d\d\.99", readme)[:2],
        re.findall(r"```text\n(.*?)```", readme, re.S),
    )
    _unpack(tmp_path / "study", tmp_path)
    lines = (tmp_path / "report.md").read_text(encoding="utf-8").splitlines()
    changed = "\n".join(line.replace(wrong, right, 1) for line in lines)
    (tmp_path / "wrong.md").write_text(changed, encoding="utf-8")
    code, said, _ = drr("judges", "check", tmp_path / "wrong.md", "--shop", sample_home / "shop")
    assert code == 1 and [line for line in shown.splitlines() if line not in said.splitlines()] == []


def test_the_labels_of_the_recorded_studys_judge_are_in_the_box() -> None:
    with as_file(files("drr.app.demo") / LABELS) as file:
        labels = read_labels(file)
    assert Counter(type(one) for one in labels) == {SupportLabel: 120}
    assert all("a language model" in one.judge for one in labels)


@pytest.mark.slow
def test_the_recorded_studys_judge_stands_with_its_accuracy_on_labels_that_are_in_the_box(
    recorded: Path, tmp_path: Path, drr: Drr
) -> None:
    drr.out("report", recorded, "--out", tmp_path / "report", "--quiet")
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    told = re.search(rf"accuracy (0\.\d\d) \[0\.\d\d, [01]\.\d\d\] on 120 labels of {LABELS}", page)
    assert told and "accuracy not measured" not in page
    failing = page.partition('id="failing"')[2].partition("</p>")[0]
    assert re.search(r'Code found no error\. The judge found <a href="#mistakes">\d+ mistakes</a>\.', failing)
    assert 'id="mistakes"' in page
    card = (files("drr.app.demo") / "card.md").read_text(encoding="utf-8")
    assert told.group(1) in card and LABELS in card


@pytest.mark.slow
def test_a_report_of_the_recorded_study_names_each_agent(recorded: Path, tmp_path: Path, drr: Drr) -> None:
    drr.out("report", recorded, "--out", tmp_path / "report", "--quiet")
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
    wide = "avx512f" in Path("/proc/cpuinfo").read_text(encoding="utf-8")  # elsewhere it is no instruction
    for kernel in ("Haswell", "Prescott", *(["SkylakeX"] if wide else [])):
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
