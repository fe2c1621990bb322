"""Without a model nobody judges: code makes what it can, and what takes a judge is unknown and says how it is made."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest
from drr.eval.checks import RULES
from drr.study.study import Study

from tests.commands import Drr
from tests.commands import drr as typed
from tests.once import made_once

MAKES_IT = "no model judged; `drr judge STUDY --judge MODEL` makes it"


@pytest.fixture(scope="module")
def unjudged(judged_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(home: Path) -> None:
        agent = files("drr.app.demo") / "careless.py"
        shop, queries = judged_study.parent / "shop", judged_study / "queries.jsonl"
        where = ("--shop", shop, "--queries", queries, "--variants", f"react,{agent}:careless", "--quiet")
        assert typed("run", home / "study", *where) == 0

    return made_once("unjudged", tmp_path_factory, make) / "study"


@pytest.fixture
def study(unjudged: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(unjudged, tmp_path / "study"))


def _tasks(study: Path) -> Counter[str]:
    with Study.read(study) as opened:
        return Counter(str(one.key_fields["task"]) for one in opened.records("judgement"))


def test_code_judges_what_it_can_and_one_line_names_the_option(study: Path, drr: Drr) -> None:
    code, out, err = drr("judge", study)
    assert code == 0 and _tasks(study).keys() == {"claims", "rules"}
    (line,) = [one for one in err.splitlines() if "--judge" in one]
    assert all(name in line for name in ("support", "rating", "pairwise"))
    assert "No model judged" in " ".join(out.split()) and "faithfulness by" not in out
    figures = drr.json("report", study)["metrics"]["careless.py:careless"]
    assert figures["fr"]["value"] is not None and figures["rule_price"]["value"] == 0
    unknown = [figures[name] for name in ("fp", "fp_web_zero_filled", "fr_supported", "fp_citation")]
    assert all(row["value"] is None and row["reason"] == MAKES_IT for row in unknown)
    assert "overall" not in figures


def test_a_build_that_asks_for_faithfulness_fails_by_name(study: Path, drr: Drr) -> None:
    drr.out("judge", study, "--quiet")
    asked = ("--require", "faithfulness>=0.1", "--require", "overall>=1", "--require", "cited share>=0")
    code, out, _ = drr("study", "gate", study, *asked, "--against", "react", "--json")
    failed = {row["check"]: row["why"] for row in json.loads(out)["checks"] if not row["holds"]}
    unjudged = {check for check, why in failed.items() if why == f"unknown: {MAKES_IT}"}
    assert code == 1
    assert unjudged == {"fp >= 0.1", "overall >= 1", "fp against react", "overall against react"}
    compared = " ".join(drr.out("study", "compare", study, "react", "careless.py:careless").split())
    assert "Faithfulness, grades and pairs are unknown; `drr judge STUDY --judge MODEL`" in compared


def test_what_takes_a_judge_alone_is_misuse_without_one(study: Path, drr: Drr) -> None:
    for what in ("quality", "pairwise", "mistakes", "quality,pairwise"):
        assert "name a model with --judge" in drr.err("judge", study, "--what", what)
    assert "--judge" in drr.err("judges", "canaries")
    assert not _tasks(study)


def test_a_page_of_an_answer_says_that_nobody_judged_its_claims(
    study: Path, tmp_path: Path, drr: Drr
) -> None:
    drr.out("judge", study, "--quiet")
    drr.out("view", study, "--static", tmp_path / "pages")
    pages = [path.read_text(encoding="utf-8") for path in (tmp_path / "pages" / "r").glob("*.html")]
    assert pages and all("by the judge:" not in page for page in pages)
    assert any("claims, not judged:" in page for page in pages)


@pytest.mark.slow
def test_rules_that_somebody_names_lead_nothing(study: Path, tmp_path: Path, drr: Drr) -> None:
    drr.out("judge", study, "--judge", "offline", "--quiet")
    assert _tasks(study)["support"]
    drr.out("judge", study, "--quiet")
    document = drr.json("report", study)
    assert document["judge"]["name"] == "rules-2", "code alone stands behind what somebody asked for"
    assert document["metrics"]["react"]["fp"]["value"] is not None
    drr.out("report", study, "--out", tmp_path / "report", "--quiet")
    page = " ".join((tmp_path / "report" / "index.html").read_text(encoding="utf-8").split())
    assert "no judge says who is better" in page
    drr.out("board", study, "--out", tmp_path / "board", "--quiet")
    listed = (tmp_path / "board" / "index.json").read_text(encoding="utf-8")
    assert listed.count('"variant":') == 2, "each system once, though rules and code left figures"
    assert '"rule_price":' in listed and not any(f'"{name}":' in listed for name in ("fp", "overall", "fr"))


def test_errors_of_an_answer_are_listed_in_the_order_of_the_rules(
    study: Path, tmp_path: Path, drr: Drr
) -> None:
    drr.out("judge", study, "--quiet")
    drr.out("view", study, "--static", tmp_path / "pages", "--quiet")
    pages = [one.read_text("utf-8") for one in (tmp_path / "pages" / "r").glob("*.html")]
    listed = [re.findall(r'id="wrong-\d+">.*?<p><small>([a-z ]+)', one, re.DOTALL) for one in pages]
    ranks = [[[*RULES].index(name.strip().replace(" ", "_")) for name in own] for own in listed]
    assert max(map(len, ranks)) > 3 and all(own == sorted(own) for own in ranks)
