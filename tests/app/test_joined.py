"""`drr study compare --with`: variants of two studies are compared on the questions that both were asked, by the code that compares within one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from drr.env.query import read_queries
from drr.env.settings import resolve
from drr.env.shop import open_shop

from tests.commands import Drr
from tests.commands import drr as run

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def later(judged_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A later study of the same shop, not judged yet: the first question under another id, and a new one."""
    home, shop = tmp_path_factory.mktemp("later"), judged_study.parent / "shop"
    first, second = read_queries(judged_study / "queries.jsonl")
    rows = [
        {"id": "other-1", "query": f" {first.query.upper()}", "user_id": first.user_id},
        {"id": first.id, "query": "Which kettle is quiet?", "user_id": second.user_id},
    ]
    (home / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    asked = ("--shop", shop, "--queries", home / "queries.jsonl", "--variants", "react", "--quiet")
    assert run("run", home / "study", *asked) == 0
    return home / "study"


def test_a_study_beside_its_copy_gives_what_compare_gives(
    judged_study: Path, tmp_path: Path, drr: Drr
) -> None:
    copy = shutil.copytree(judged_study, tmp_path / "copy")
    words = ("study", "compare", judged_study, "react", "react+ws")
    alone, beside = drr.json(*words), drr.json(*words, "--with", copy)
    assert beside["joined"] == {"other": str(copy), "questions": 2, "only_a": [], "only_b": []}
    assert (beside["a"], beside["b"]) == ("react", f"react+ws ({copy})")
    for part in ("metrics", "same_reports", "reports", "about", "judge"):
        assert beside[part] == alone[part], part
    assert list(beside["figures"].values()) == list(alone["figures"].values())
    shown = " ".join(drr.out(*words, "--with", copy, "--full").split())
    assert shown.startswith("2 questions of both joined by words and user.")
    every = drr.json("study", "compare", judged_study, "--with", copy)["pairs"]
    assert [one["a"] for one in every] == ["plan-to-function+ws", "react", "react+ws"]
    assert all(row["value"] in (0, None) for one in every for row in one["metrics"].values())


def test_questions_are_joined_by_words_and_user(judged_study: Path, later: Path, drr: Drr) -> None:
    words = ("study", "compare", judged_study, "react", "--with", later)
    refused = drr.err(*words)
    assert "judged differently" in refused and "--judge" in refused
    document = drr.json(*words, "--judge", "offline")
    first, second = (one.id for one in read_queries(judged_study / "queries.jsonl"))
    assert document["joined"]["questions"] == 1
    assert (document["joined"]["only_a"], document["joined"]["only_b"]) == ([second], [first])
    assert document["metrics"]["fp"]["n"] == 1 and document["metrics"]["fp"]["n_unscored"] == 0
    assert document["metrics"]["words"]["n"] == 1
    shown = " ".join(drr.out(*words).split())
    assert f"1 question of both joined by words and user; only {judged_study} asked {second}" in shown


def test_imported_reports_meet_those_of_a_run(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    first, second = read_queries(judged_study / "queries.jsonl")
    rows = [
        {
            "query": one.query,
            "user_id": one.user_id,
            "system": "ours",
            "report_markdown": f"# Short\n\nBuy {n} of them.",
        }
        for n, one in enumerate((first, second))
    ]
    (tmp_path / "reports.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    mine = tmp_path / "mine"
    drr.out("study", "import", mine, tmp_path / "reports.jsonl", "--shop", judged_study.parent / "shop")
    words = ("study", "compare", mine, "ours", "react", "--with", judged_study, "--judge", "offline")
    document = drr.json(*words)
    assert document["joined"]["questions"] == 2 and document["metrics"]["words"]["n"] == 2


def test_what_cannot_be_joined_is_refused(judged_study: Path, later: Path, tmp_path: Path, drr: Drr) -> None:
    drr.out("data", "sample", tmp_path / "raw", "--seed", "8", "--quiet")
    drr.out("data", "ingest", tmp_path / "raw", "--shop", tmp_path / "shop", "--quiet")
    with open_shop(str(tmp_path / "shop"), resolve({}, environ={}, file=tmp_path / "none").settings) as shop:
        user = shop.store.sample_users(1, seed=1, min_orders=5)[0]
    row = {"query": "Which kettle is quiet?", "user_id": user}
    (tmp_path / "queries.jsonl").write_text(json.dumps(row), encoding="utf-8")
    asked = ("--queries", tmp_path / "queries.jsonl", "--variants", "react", "--quiet")
    drr.out("run", tmp_path / "study", "--shop", tmp_path / "shop", *asked)
    told = drr.err("study", "compare", later, "--with", tmp_path / "study", "--judge", "offline")
    assert "different shops" in told and str(tmp_path / "study") in told
    words = ("study", "compare", judged_study)
    assert "nobody" in drr.err(*words, "nobody", "react", "--with", later)
    assert "--with STUDY2" in drr.err(*words, "react")
