"""What was judged by prompts of before goes on by them without a call and says so; told to, it is judged by today's."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.env.plugins import prompt_folders
from drr.env.shop import Shop
from drr.eval.asking.conversation import FOLDER
from drr.eval.judging.difference import earlier_parts
from drr.eval.judging.read import judgings
from drr.eval.labels import DIMENSIONS
from drr.eval.tasks.grading import criterion_name
from drr.eval.tasks.protocol import AS_PRINTED
from drr.study.study import Study

from tests.eval.nursery import Judge, sentences, system
from tests.tools.small_shop import ANNA
from tests.wire import Wire

BEFORE = "before"
"""A folder of all prompts of before."""
CARE = "https://birds.example/care"
ALL = "faithfulness,quality"


@pytest.fixture
def folder(
    tmp_path: Path, shop: Shop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    text = f"# Care\n\nClean every feeder once a week [1].\n\n## Sources\n[1] {CARE}\n"
    row: dict[str, Any] = {
        "id": "a",
        "system": "alpha",
        "query": "Which feeder?",
        "user_id": ANNA,
        "report_markdown": text,
    }
    row["evidence"] = [{"url": CARE, "type": "web", "text": "Clean every feeder once a week."}]
    (tmp_path / "reports.jsonl").write_text(json.dumps(row))
    (tmp_path / BEFORE).mkdir()
    for place in (FOLDER, *prompt_folders("judging_prompts")):
        for prompt in (place / "before").glob("*.md"):
            shutil.copy(prompt, tmp_path / BEFORE)
    study = tmp_path / "study"
    assert main(["import", str(study), "reports.jsonl", "--shop", shop.spec, "--quiet"]) == 0
    capsys.readouterr()
    yield study


def judged(folder: Path, *more: str, what: str = ALL) -> tuple[list[str], list[str]]:
    """The tasks asked about, and the prompts that were sent."""
    script = Judge(claims=sentences)
    with Wire(script) as wire:
        words = ["judge", str(folder), "--what", what, "--judge", "anthropic:claude-sonnet-5-5"]
        assert main([*words, "--base-url", wire.url, "--quiet", "--json", *more]) == 0
        return sorted(script.asked), [system(request) for request in wire.requests]


def test_a_study_of_before_goes_on_without_a_call_and_says_what_is_not_comparable(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, _ = judged(folder, "--prompts", BEFORE)
    assert first == ["claims", *["rating"] * 7, "support"]
    before = json.loads(capsys.readouterr().out)
    assert judged(folder) == ([], [])
    captured = capsys.readouterr()
    assert captured.err.startswith(f"drr: {folder}: goes on by the prompts that judged it before; --renew")
    document = json.loads(captured.out)
    assert document["metrics"] == before["metrics"] and document["judge"]["id"] == before["judge"]["id"]
    named = "claims/all, rating/breadth, rating/clarity, rating/constraint_following, rating/depth, rating/insightfulness, rating/overall, support"
    assert f"Judged by earlier prompts ({named}): not comparable" in document["banner"]
    assert main(["report", str(folder), "--json"]) == 0
    assert "drr judge STUDY --renew" in json.loads(capsys.readouterr().out)["banner"]


def test_what_was_not_judged_before_is_judged_by_the_same_prompts(folder: Path) -> None:
    judged(folder, "--prompts", BEFORE, what="quality")
    _, sent = judged(folder, what="faithfulness")
    assert any("or the evidence contradicts the claim" in one for one in sent)
    assert not any("or contradicted by it" in one for one in sent)
    with Study.read(folder) as study:
        assert len(judgings(study)) == 1


@pytest.mark.long
def test_workers_go_on_by_them_too(folder: Path) -> None:
    judged(folder, "--prompts", BEFORE, what="quality")
    asked, sent = judged(folder, "--workers", "2", what="faithfulness")
    assert asked == ["claims", "support"]
    assert any("or the evidence contradicts the claim" in one for one in sent)


def test_renewed_only_what_reads_otherwise_today_is_asked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judged(folder, "--prompts", BEFORE)
    capsys.readouterr()
    assert judged(folder, "--renew")[0] == ["claims", *["rating"] * 6, "support"], "not personalization"
    captured = capsys.readouterr()
    assert "goes on by" not in captured.err and json.loads(captured.out)["banner"] is None
    assert judged(folder) == ([], []), "today's prompts judged it last"
    assert "goes on by" not in capsys.readouterr().err


def test_a_study_of_today_is_none_of_before(folder: Path) -> None:
    judged(folder)
    with Study.read(folder) as study:
        (made,) = judgings(study)
        assert earlier_parts(made) == []


def test_rules_read_no_prompt_and_are_never_of_before(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words: list[Any] = ["judge", str(folder), "--judge", "offline", "--quiet", "--json"]
    assert main([*words, "--prompts", BEFORE]) == 0
    assert main(words) == 0
    assert "earlier prompts" not in capsys.readouterr().out


def test_the_papers_criteria_read_as_they_did() -> None:
    """Ours are mended; those of the protocol as printed are not, so that nothing judged by it is asked again."""
    for dimension in DIMENSIONS:
        printed = criterion_name(dimension, AS_PRINTED)
        before = FOLDER / "before" / f"criterion_{dimension}.md"
        if dimension in AS_PRINTED.own_criteria:
            assert (FOLDER / f"{printed}.md").read_bytes() == before.read_bytes()
        else:
            assert printed == criterion_name(dimension)
