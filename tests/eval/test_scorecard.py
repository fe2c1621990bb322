"""A judge's scorecard: what it says of labels of ours and of others, of a judge that retired, and of one that is weak."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drr.eval.agreement.scorecard import equivalent_scores
from drr.eval.labels import read_labels
from drr.eval.stats.agreement import f1_score

from tests.commands import Drr
from tests.eval.nursery import SONNET, Judge, sentences
from tests.wire import Wire

WORDS = {"full": "full_support", "partial": "partial_support", "none": "no_support"}


def lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def by_model(wire: Wire) -> tuple[str, ...]:
    return ("--judge", SONNET, "--base-url", wire.url)


def test_published_labels_are_read_as_ours(tmp_path: Path, drr: Drr) -> None:
    wice = {"label": "partially_supported", "claim": "A b.", "evidence": ["A.", "C."], "meta": {"id": "dev1", "claim_title": "T"}}  # fmt: skip
    bench = {"question": "Why?", "claim": "A b.", "references": ["A.", "B."], "attribution_label": "not attributable", "id": "x1"}  # fmt: skip
    (one,), (other,) = (read_labels(lines(tmp_path / "l.jsonl", row)) for row in (wice, bench))
    assert (one.id, one.label, one.evidence, one.query, one.judge) == (
        "dev1",
        "partial",
        "A. C.",
        "T",
        "WiCE",
    )  # type: ignore[union-attr]
    assert (other.label, other.evidence, other.query) == ("none", "A.\nB.", "Why?")  # type: ignore[union-attr]
    odd = lines(tmp_path / "odd.jsonl", wice, {**wice, "label": "maybe"})
    assert "line 2: label: must be" in drr.err("judges", "scorecard", "--on", odd)
    grades = lines(tmp_path / "g.jsonl", {"id": "r", "query": "q", "answer": "a", "label": 3})
    assert "no label of support or of pairs" in drr.err("judges", "scorecard", "--on", grades)


def test_f1_is_that_of_any_book() -> None:
    said, true = ["full", "full", "none", "none", None], ["full", "none", "full", "none", "full"]
    v = f1_score(said, true, "full", clusters=list("abcde"))
    assert (v.value, v.n, v.n_unscored) == (pytest.approx(0.5), 4, 1)
    assert f1_score(["none"], ["none"], "full").value is None, "a class that nobody names has none"


def test_a_link_holds_the_new_judges_figure_as_often_as_it_says() -> None:
    """Two judges whose errors depend on the label alone, of 300 things; a system with other shares of labels."""
    levels = np.array([0.0, 0.5, 1.0])
    old, new = (
        [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.05, 0.15, 0.8]],
        [[0.9, 0.1, 0], [0.3, 0.6, 0.1], [0, 0.2, 0.8]],
    )
    share = np.array([0.1, 0.2, 0.7])
    before, after = (float(share @ np.array(one) @ levels) for one in (old, new))
    held = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        true = rng.integers(0, 3, 300)
        drawn = (
            (rng.random((300, 1)) > np.cumsum(np.array(one)[true], 1)[:, :2]).sum(1) for one in (old, new)
        )
        x, y = (levels[one].tolist() for one in drawn)
        sums = equivalent_scores(levels[true].tolist(), x, y, [str(n) for n in range(300)])
        spans = [(row.old, row.new.ci_low, row.new.ci_high) for row in sums]
        low, high = (
            np.interp(before, [one[0] for one in spans], [one[end] for one in spans]) for end in (1, 2)
        )  # type: ignore[arg-type]
        held += bool(low <= after <= high)
    assert 0.88 <= held / 100 <= 0.99
    flat = equivalent_scores([0.0, 1.0] * 20, [0.5] * 40, [0.0, 1.0] * 20, [str(n) for n in range(40)])
    assert {row.new.value for row in flat} == {None}, "a judge that says one thing links nothing"


def _labels(path: Path, count: int = 60) -> Path:
    rows = [
        {"id": f"s{n}", "claim": f"claim {chr(97 + n % 26) * (3 + n // 26)} is {label}", "evidence": f"page {n // 2}", "query": f"q{n // 2}", "label": label, "judge": "anna"}
        for n in range(count)
        for label in [("full", "partial", "none")[n % 3]]
    ]  # fmt: skip
    return lines(path, *rows)


def _judge(right: float, seed: int = 0) -> Judge:
    """A judge that is right so often, and says any label else; asked again, it throws the dice again."""
    of_claims: dict[str, random.Random] = {}  # the order of requests decides nothing

    def support(claim: str, text: str) -> str:
        dice = of_claims.setdefault(claim, random.Random(f"{seed} {claim}"))
        return WORDS[claim.split()[-1] if dice.random() < right else dice.choice([*WORDS])]

    return Judge(support=support)


@pytest.mark.slow
def test_a_scorecard_and_a_link_to_a_judge_that_retired(tmp_path: Path, drr: Drr) -> None:
    words = ("judges", "scorecard", "--on", _labels(tmp_path / "labels.jsonl"), "--quiet")
    with Wire(_judge(0.8)) as wire:
        own = drr.json(*words, *by_model(wire), "--again", 20)
        assert len(wire.requests) == 80
        assert drr.json(*words, *by_model(wire), "--again", 20) == own and len(wire.requests) == 80
    score, rules = own["scores"]
    assert (rules["judge"], own["items"], [*score["figures"]][2:5]) == (
        "rules-2",
        60,
        ["f1_none", "f1_partial", "f1_full"],
    )
    assert (
        0.5 < score["figures"]["accuracy"]["value"] < 1 and 0.2 < score["figures"]["same_again"]["value"] < 1
    )
    assert (score["figures"]["same_again"]["n"], rules["figures"]["same_again"]["n"]) == (20, 0)
    assert score["usd_per_1000"] > 0 == rules["usd_per_1000"]
    right = [one["figures"]["accuracy"]["value"] for one in own["scores"]]
    assert rules["behind"]["value"] == pytest.approx(right[0] - right[1]) and score["behind"] is None
    assert own["weak"] is None and own["link"] == []
    with Wire(_judge(0.95, 1)) as wire:
        more = ("--judge", f"{SONNET}-x", "--base-url", wire.url, "--was", SONNET, "--again", 0)
        both = drr.json(*words, *more)
        text = drr.out(*words, *more)
    assert [one["judge"] for one in both["scores"]] == [f"{SONNET}-x", "rules-2", SONNET]
    by_old = {round(row["old"], 1): row for row in both["link"]}
    assert by_old[0.5]["new"]["ci_low"] < by_old[0.5]["new"]["value"] < by_old[0.5]["new"]["ci_high"]
    assert by_old[0.7]["people"]["value"] > 0.7, "the old judge pulled figures to the middle"
    assert f"by {SONNET}" in text and "same again" in text
    (alone,) = drr.json(*words, "--judge", "offline")["scores"]
    assert alone["judge"] == "rules-2" and alone["figures"]["same_again"]["n_unscored"] == 0
    told = drr.err(*words, "--judge", "offline", "--was", "ollama:gone")
    assert "ollama:gone judged none of these labels" in told


def test_labels_of_two_classes_count_part_as_not_supported(tmp_path: Path, drr: Drr) -> None:
    rows = [{"question": f"q{n}", "claim": f"a claim {'full' if n % 2 else 'none'}", "references": [f"page {n}"], "id": f"x{n}",
             "attribution_label": "attributable" if n % 2 else "not attributable"} for n in range(30)]  # fmt: skip
    said = Judge(support=lambda claim, text: WORDS["full" if claim.endswith("full") else "partial"])
    with Wire(said) as wire:
        words = ("judges", "scorecard", "--on", lines(tmp_path / "ab.jsonl", *rows), "--quiet")
        found = drr.json(*words, *by_model(wire), "--sample", 24)
        assert "a part counts as not supported" in drr.out(*words, *by_model(wire), "--sample", 24)
    score = found["scores"][0]
    assert (found["items"], score["figures"]["kappa"]["value"]) == (24, 1.0)
    assert [one for one in score["figures"] if one.startswith("f1")] == ["f1_none", "f1_full"]


@pytest.mark.slow
def test_a_weak_judge_is_called_one_wherever_it_decided(
    tmp_path: Path, drr: Drr, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report = {"system": "theirs", "query": "feeders", "report_markdown": "The feeder is red [1].\n\n[1] https://birds.example/1\n",
              "evidence": [{"url": "https://birds.example/1", "type": "web", "text": "The feeder is red."}]}  # fmt: skip
    lines(tmp_path / "reports.jsonl", report)
    drr.out("study", "import", "study", "reports.jsonl", "--quiet")
    judging = ("judge", "study", "--judge", "offline", "--what", "faithfulness", "--quiet")
    words = ("judges", "scorecard", "--on", _labels(tmp_path / "labels.jsonl", 120), "--again", 0, "--quiet")
    turned = {"full": "none", "partial": "full", "none": "partial"}
    with Wire(Judge(support=lambda claim, text: WORDS[turned[claim.split()[-1]]])) as wire:
        assert "has not judged it" in drr.err(*words, *by_model(wire), "--tell", "study")
        with Wire(Judge(claims=sentences)) as good:
            drr.out(*judging, *by_model(good))
        drr.out("report", "study", "--out", "before")
        assert "accuracy not measured (drr judges scorecard" in (tmp_path / "before/index.html").read_text()
        weak = drr.json(*words, *by_model(wire), "--tell", "study")["weak"]
        (tmp_path / "card.json").write_text(drr.out(*words, *by_model(wire), "--json"))
    assert (
        weak.startswith(f"{SONNET} is a weak judge: accuracy 0.00 [") and "120 labels of labels.jsonl" in weak
    )
    document = drr.json("report", "study", "--out", "page")
    assert weak in document["banner"]
    assert f"{SONNET}, accuracy 0.00 [" in (tmp_path / "page/index.html").read_text()
    drr.out("view", "study", "--static", "site")
    pages = [
        tmp_path / "page/index.html",
        tmp_path / "site/index.html",
        *(tmp_path / "site").glob("[rq]/*.html"),
    ]
    assert len(pages) == 4
    for page in pages:
        assert "is a weak judge" in page.read_text(), page
    with Wire(Judge(claims=sentences)) as good:
        drr.out("judge", "study", "--what", "quality", "--quiet", *by_model(good))
    assert weak in drr.json("report", "study")["banner"], "judging more does not take it back"
    drr.out("bundle", "make", "study", "--out", "x.bundle")
    assert json.loads(drr("bundle", "verify", "x.bundle", "--json")[1])["failed"] == []
    drr.out("board", "x.bundle", "--out", "board", "--quiet", "--without-answers")
    assert "is a weak judge" in (tmp_path / "board/index.html").read_text()
    _a_board_says_so_by_its_owners_card(tmp_path, drr, words)


def _a_board_says_so_by_its_owners_card(place: Path, drr: Drr, words: tuple[Any, ...]) -> None:
    shutil.rmtree(place / "labels.jsonl.study")
    with Wire(_judge(1.0)) as wire:
        drr.out(*words, *by_model(wire), "--tell", "study")
    assert "weak" not in str(drr.json("report", "study")["banner"]), "a better card takes it back"
    more = ("judges", "scorecard", "--on", _labels(place / "more.jsonl", 60), "--again", 0, "--quiet")
    with Wire(_judge(1.0)) as wire:
        drr.out(*more, *by_model(wire), "--tell", "study")
    drr.out("report", "study", "--out", "both")
    page = (place / "both/index.html").read_text()
    assert "120 labels of labels.jsonl; accuracy 1.00 [" in page and "60 labels of more.jsonl" in page
    assert "accuracy 0.00" not in page, "a later card on the same labels counts"
    drr.out("bundle", "make", "study", "--out", "y.bundle")
    for name, keys, said in (("named", '["card.json"]', True), ("none", "[]", False)):
        (place / f"{name}.toml").write_text(f"scorecards = {keys}\n")
        drr.out(
            "board", "y.bundle", "--out", name, "--config", f"{name}.toml", "--quiet", "--without-answers"
        )
        page = (place / name / "index.html").read_text()
        assert ("is a weak judge" in page) is said
        told = "accuracy 0.00 [" if said else "accuracy not stated here (this board names"
        assert f"{SONNET}, {told}" in page
    (place / "odd.toml").write_text('scorecards = ["reports.jsonl"]\n')
    assert "reports.jsonl" in drr.err("board", "y.bundle", "--out", "odd", "--config", "odd.toml")
