"""What another harness scored is compared, repeated and ranked like any figure, and is called what it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import Drr


def _reports(path: Path, chance: dict[str, int]) -> Path:
    """Three epochs of 30 questions by each system, scored 1 in so many of a hundred."""
    lines = []
    for system, share in chance.items():
        for question in range(30):
            for trial in range(3):
                score = float((question * 37 + trial * 11) % 100 < share)
                logged = {
                    "scorer": "match",
                    "score": score,
                    "usage": {"m": {"input_tokens": 90, "cache_read_tokens": 30, "output_tokens": 10}},
                }
                lines.append({"system": system, "query": f"Question {question}?", "query_id": f"task-{question}", "trial": trial,
                              "report_markdown": f"The answer is {trial}.", "logged": logged})  # fmt: skip
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


@pytest.mark.slow
def test_scores_of_a_log_are_tested_in_pairs_repeated_and_ranked(drr: Drr, tmp_path: Path) -> None:
    study = tmp_path / "study"
    drr.out(
        "study",
        "import",
        study,
        _reports(tmp_path / "log.jsonl", {"one": 90, "two": 20, "three": 21}),
        "--quiet",
    )
    figures = drr.json("report", study)["metrics"]["one"]
    assert 0.8 < figures["logged_score"]["value"] < 1 and figures["logged_score"]["ci_low"] is not None
    assert figures["pass_log_1"]["value"] == figures["logged_score"]["value"] > figures["pass_log_3"]["value"]
    assert figures["input_tokens"]["value"] == 90 and figures["output_tokens"]["value"] == 10
    row = drr.json("study", "compare", study, "one", "two")
    assert row["metrics"]["logged_score"]["p_holm"] < 0.05 and row["noise"]["logged_score"]["by"] == "trials"
    drr.out("bundle", "make", study, "--out", tmp_path / "x.bundle")
    drr.out("board", tmp_path / "x.bundle", "--out", tmp_path / "site", "--quiet", "--without-answers")
    feed = json.loads((tmp_path / "site" / "index.json").read_text())
    (judging,) = feed["sets"][0]["judgings"]
    assert judging["ranked_by"] == "logged_score"
    assert {one["variant"]: one["rank"] for one in judging["systems"]} == {"one": 1, "two": 2, "three": 2}
    assert {one["contained"] for one in judging["systems"]} == {None}


def test_a_score_that_is_no_share_is_refused(drr: Drr, tmp_path: Path) -> None:
    line = {"system": "one", "query": "Why?", "report_markdown": "So.", "logged": {"score": 7}}
    (tmp_path / "log.jsonl").write_text(json.dumps(line))
    assert "logged.score" in drr.err("study", "import", tmp_path / "study", tmp_path / "log.jsonl")
    assert "--scorer is for logs" in drr.err(
        "study", "import", tmp_path / "study", tmp_path / "log.jsonl", "--scorer", "x"
    )
