"""A judge corrected by labels: intervals that keep their word in simulated studies, and figures that are those of the document."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drr.app.annotate.annotation_plan import BlindReport, make_plan
from drr.app.annotate.labels import Mark, Notebook
from drr.app.annotate.sheets import labels_of
from drr.app.cli import main
from drr.eval.agreement.corrected import corrected_document
from drr.eval.agreement.samples import draw_places, rated_reports, support_places
from drr.eval.evidence.answers import read_answers
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.labels import Label, PairwiseLabel, RatingLabel, Sample, SupportLabel, read_labels
from drr.eval.metrics.document import study_document
from drr.eval.stats.corrected import LEAST_LABELS, ScoredThing, corrected, label_variances, ways_to_half_width
from drr.study.study import Study
from numpy.random import Generator

from benchmarks.corrected import FP_JUDGES, P_JUDGES, coverage, measured, study_of_claims, study_of_criteria
from tests.commands import Drr


def simulated(rng: Generator, questions: int = 40, labels: int = 120) -> list[ScoredThing]:
    return study_of_claims(rng, FP_JUDGES["biased"], questions, labels)


@pytest.mark.long
def test_an_interval_holds_the_truth_where_the_judges_own_does_not() -> None:
    held, alone, _ = coverage("FP", "biased", 80)
    assert held >= 0.88 and alone < 0.4
    held, _, narrower = coverage("FP", "near-perfect", 40)
    assert held >= 0.85 and narrower < 0.7


@pytest.mark.endurance
def test_intervals_of_2000_studies_cover_in_93_to_97_percent() -> None:
    found = measured(2000)
    assert all(0.93 <= one.corrected <= 0.97 for one in found.values())
    for figure, widest in (("FP", 0.7), ("P", 0.75)):
        assert found[figure, "near-perfect"].width < widest and found[figure, "biased"].width < 0.8


def test_the_estimate_is_the_mean_plus_the_mean_difference_of_what_code_did_not_settle() -> None:
    units = [
        ScoredThing(f"q{n % 13}", 1.0, (n % 3) / 2, ((n + 1) % 3) / 2 if n % 2 else None) for n in range(130)
    ]
    found = corrected(units)
    labelled = [u for u in units if u.person is not None]
    mean = sum(u.judge for u in units) / len(units)
    shift = sum((u.person or 0.0) - u.judge for u in labelled) / len(labelled)
    assert found.value.value == pytest.approx(mean + shift)
    assert found.people.value == pytest.approx(sum(u.person or 0.0 for u in labelled) / len(labelled))
    assert (found.n_labelled, found.n_questions, found.value.n) == (65, 13, 130)
    judged = [ScoredThing(f"q{n % 20}", 1.0, 1.0, 0.0) for n in range(60)]
    settled = [ScoredThing(f"q{n % 20}", 1.0, 0.0, settled=True) for n in range(60)]
    assert corrected([*judged, *settled]).value.value == pytest.approx(0.0)
    agreed = [ScoredThing(u.question, 1.0, 1.0, 1.0) for u in judged]
    assert corrected([*agreed, *settled]).value.value == pytest.approx(0.5)


@pytest.mark.parametrize(("labels", "questions"), [(LEAST_LABELS - 1, 20), (60, 9)])
def test_too_few_labels_are_no_figure(labels: int, questions: int) -> None:
    units = [ScoredThing(f"q{n % questions}", 1.0, 1.0, 1.0 if n < labels else None) for n in range(200)]
    found = corrected(units)
    assert found.value.value is None and found.reason is not None and f"{labels} labels" in found.reason
    assert found.judge.value == 1.0


@pytest.mark.long
def test_a_plan_reaches_its_half_width() -> None:
    """Planned from a pilot, then done: the interval is about as wide as was said."""
    pilot = label_variances(simulated(np.random.default_rng(4), questions=80, labels=300))
    assert pilot is not None
    rows = ways_to_half_width(pilot, 0.05)
    assert len(rows) == 4 and rows[0]["questions"] == 80 and rows[0]["trials"] == 1
    assert sorted(row["questions"] for row in rows[1:]) == [row["questions"] for row in rows[1:]]
    for row in rows:
        widths = []
        for seed in range(12):
            rng = np.random.default_rng([seed, 3])
            v = corrected(simulated(rng, row["questions"], row["labels"])).value
            assert v.ci_low is not None and v.ci_high is not None
            widths.append((v.ci_high - v.ci_low) / 2)
        assert 0.035 < sum(widths) / len(widths) < 0.065
    assert all(row["questions"] != 80 for row in ways_to_half_width(pilot, 0.005))


def pairs(rng: Generator, questions: int) -> list[ScoredThing]:
    """One comparison a question, each labelled: the judge always prefers the first, people do in three of four."""
    return [ScoredThing(f"q{n}", 0.5, 1.0, float(rng.random() < 0.75)) for n in range(questions)]


def test_a_plan_asks_for_no_more_labels_than_there_are_things_to_label() -> None:
    """Before, 106 labels of 40 comparisons, and the same row three times: 106 labels of ten."""
    found = label_variances(pairs(np.random.default_rng(6), 40))
    assert found is not None
    rows = ways_to_half_width(found, 0.08)
    assert rows and all(row["labels"] <= row["questions"] for row in rows)
    assert len({row["questions"] for row in rows}) == len(rows)
    for row in rows:
        v = corrected(pairs(np.random.default_rng(7), row["questions"])).value
        assert v.ci_low is not None and v.ci_high is not None
        assert 0.06 < (v.ci_high - v.ci_low) / 2 < 0.1


@pytest.mark.long
def test_a_plan_of_labels_under_criteria_is_of_whole_reports() -> None:
    """Before, single labels were planned: 119 for +/- 0.4, which are three reports, and the figure that they correct is unknown."""
    judge = P_JUDGES["biased"]
    pilot = label_variances(study_of_criteria(np.random.default_rng(5), judge, 80, 30), drawn_whole=True)
    assert pilot is not None
    rows = ways_to_half_width(pilot, 0.4)
    assert len(rows) == 4
    for row in rows:
        widths = []
        for seed in range(2):
            rng = np.random.default_rng([seed, 3])
            v = corrected(study_of_criteria(rng, judge, row["questions"], row["reports"] or 0)).value
            assert v.ci_low is not None and v.ci_high is not None
            widths.append((v.ci_high - v.ci_low) / 2)
        assert 0.25 < sum(widths) / len(widths) < 0.5
    assert all(row["questions"] != 80 for row in ways_to_half_width(pilot, 0.05))


def test_trials_stand_in_for_questions_where_they_differ() -> None:
    rng = np.random.default_rng(2)
    units = [
        ScoredThing(f"q{q}", 0.5, 0.5 + float(rng.normal(0, 0.3)), 0.5, report=f"{q}/{trial}")
        for q in range(40)
        for trial in range(2)
    ]
    found = label_variances(units)
    assert found is not None and found.within is not None and found.within > found.between
    assert found.within == pytest.approx(0.09, rel=0.5) and found.trials == 2
    first = ways_to_half_width(found, 0.05)[0]
    assert first["questions"] == 40 and first["trials"] > 2


def test_a_draw_is_by_lot_again_the_same_and_pairs_carry_it(judged_study: Path, tmp_path: Path) -> None:
    places = [(str(n), "") for n in range(100)]
    one, sample = draw_places(places, 30, 5)
    assert draw_places(places, 30, 5) == (one, sample) and draw_places(places, 30, 6)[0] != one
    assert sample == Sample(seed=5, drawn=30, population=100) and len(set(one)) == 30
    assert draw_places(places, 300, 5)[1].drawn == 100
    with Study.open(judged_study) as study:
        answers = read_answers(study)
    reports = [
        BlindReport(query_id=a.query_id, query=a.query, profile="", system=a.variant, trial=a.trial, text="")
        for a in answers
    ]
    plan = make_plan(reports, annotators=["ann"], pairs=4, seed=5, by_lot=True)
    again = make_plan(reports, annotators=["ann"], pairs=4, seed=5, by_lot=True)
    one, other = ([(p.query_id, p.system_a, p.system_b) for p in made.pairs] for made in (plan, again))
    assert one == other
    assert plan.sample == Sample(seed=5, drawn=4, population=len(answers) * 1)
    assert make_plan(reports, annotators=["ann"], pairs=4, seed=5).sample is None
    ann = Notebook(tmp_path, plan, plan.annotators[0])
    ann.add(Mark(pair=plan.annotators[0].turns[0].pair, dimension="overall", choice="left"))
    assert [PairwiseLabel.model_validate(line).sample for line in ann.labels()] == [plan.sample]


def every_label(study: Path, sheets: Path) -> list[Label]:
    """Sheets of the whole study, every label what the judge says turned around where that can be seen."""
    labels: list[Label] = []
    for task in ("support", "rating"):
        assert (
            main(["annotate", str(study), "--sample", "99999", "--task", task, "--export", str(sheets)]) == 0
        )
        assert read_labels(sheets) == []
        rows = [json.loads(line) for line in sheets.read_text().splitlines()]
        for row in rows:
            row |= {"label": "none" if task == "support" else 3.0, "judge": "anna"}
        sheets.write_text("".join(json.dumps(row) + "\n" for row in rows))
        labels += labels_of(study / "annotation", [sheets])
    return labels


def test_the_figures_are_those_of_the_document(judged_study: Path, tmp_path: Path) -> None:
    labels = every_label(judged_study, tmp_path / "sheet.jsonl")
    with Study.open(judged_study) as study:
        document = study_document(study)
        judged = read_judged(study, choose_judging(study))
        comparisons = [c for c in judged.comparisons() if c.score is not None]
        pairs = [pair_label(judged, c) for c in comparisons]
        found = corrected_document(judged, [*labels, *pairs])
        assert len(support_places(judged)) == sum(isinstance(label, SupportLabel) for label in labels)
        graded = [label for label in labels if isinstance(label, RatingLabel)]
        assert len(rated_reports(judged)) == len({label.id for label in graded})
    assert found["unmatched"] == 0
    rows = {(row["metric"], row["variant"]): row for row in found["figures"]}
    for variant, metrics in document["metrics"].items():
        assert rows["fp_split", variant]["judge"]["value"] == pytest.approx(metrics["fp_split"]["value"])
        assert rows["overall", variant]["judge"]["value"] == pytest.approx(metrics["overall"]["value"])
        assert rows["fp_split", variant]["people"]["value"] in (0.0, pytest.approx(0.0))
        assert rows["overall", variant]["biased"] is None
    for pair in document["pairwise"]:
        row = rows[f"win_rate {pair['dimension']}", f"{pair['a']} : {pair['b']}"]
        assert row["judge"]["value"] == pytest.approx(pair["win_rate"]["value"])
        assert row["people"]["value"] == 1.0
        assert row["biased"] is not None and row["biased"].startswith("biased sample: ")
        assert row["value"] is None and row["reason"] is not None


def pair_label(judged: Any, one: Any) -> PairwiseLabel:
    """Somebody who always likes the first system, with the sides at random."""
    text = {(a.query_id, a.variant, a.trial): a for a in judged.answers}
    a, b = text[one.query, one.a, one.trial], text[one.query, one.b, one.trial]
    label = PairwiseLabel(
        id=f"{one.query}/{one.a}/{one.b}/{one.trial}", judge="anna", query=a.query, answer_a=a.report, answer_b=b.report,
        system_a=one.a, system_b=one.b, dimension=one.dimension, label="A",
    )  # fmt: skip
    return label.turned() if random.Random(label.id).random() < 0.5 else label


@pytest.mark.long
def test_a_part_of_a_draw_is_told(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    sheet = tmp_path / "sheet.jsonl"
    words = ("annotate", judged_study, "--task", "support", "--export", sheet)
    assert "20 of" in drr.out(*words, "--sample", "20", "--seed", "3")
    rows = [json.loads(line) for line in sheet.read_text().splitlines()]
    assert all(row["evidence"].strip() and row["label"] is None for row in rows)
    with Study.open(judged_study) as study:
        variants = {answer.variant for answer in read_answers(study)}
    assert len({row["id"] for row in rows}) == 20
    assert not any(variant in row["id"] for row in rows for variant in variants)
    for row in rows[:15]:
        row |= {"label": "full", "judge": "anna"}
    stray = {"id": "no/such/thing", "claim": "x", "evidence": "y", "label": "full", "judge": "anna"}
    sheet.write_text("".join(json.dumps(row) + "\n" for row in [*rows, stray]))
    out = tmp_path / "report"
    told = drr.out("report", judged_study, "--labels", sheet, "--out", out)
    assert "labels alone" in (out / "index.html").read_text(encoding="utf-8")
    assert "5 of the 20 drawn have no label" in told
    assert "1 of 16 labels are of nothing that this judge judged" in told
    assert f"at least {LEAST_LABELS}" in told and "corrected by labels of people" in told
    drr.err(*words)


@pytest.mark.long
def test_the_command_plans_from_a_pilot(judged_study: Path, drr: Drr, tmp_path: Path) -> None:
    words = ["judges", "plan", str(judged_study), "--half-width", "0.05"]
    told = drr.out(*words)
    assert "None is known, as nobody labelled anything" in told and "0 labels; how the judge errs is" in told
    every_label(judged_study, tmp_path / "sheet.jsonl")
    document = drr.json(*words, "--metric", "overall")
    assert document["judging_usd"] == 0.0 and document["figures"][0]["sd_trials"] is not None
    assert document["figures"][0]["ways"] == []
    assert "judged: fp_split, clarity" in drr.err(*words, "--metric", "beauty")
