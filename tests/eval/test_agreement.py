"""Agreement of judges with people and with each other."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from drr.eval.agreement.judges import criteria_agreement, pairwise_agreement
from drr.eval.agreement.labelled import PEOPLE
from drr.eval.agreement.people import labelled_cases
from drr.eval.labels import CriterionLabel, read_labels
from drr.eval.stats import agreement as ag
from drr.eval.stats import correlation
from drr.eval.stats.aggregate import aggregate

from tests.commands import Drr
from tests.kept import is_as_kept


def test_kappa_standard_error_at_21_items_is_as_wide_as_the_notes_say():
    a = ["A"] * 10 + ["B"] * 11
    b = ["A"] * 7 + ["B"] * 3 + ["B"] * 8 + ["A"] * 3
    v = ag.cohen_kappa(a, b)
    assert v.value == pytest.approx(0.43, abs=0.02)
    assert 0.30 < (v.ci_high - v.ci_low) / 2 < 0.45


def test_ac1_survives_a_dominant_class():
    skewed = (["A"] * 96 + ["B"] * 2 + ["A"] * 2, ["A"] * 96 + ["A"] * 2 + ["B"] * 2)
    assert ag.cohen_kappa(*skewed).value < 0
    assert ag.gwet_ac1(*skewed).value == pytest.approx((0.96 - 0.0392) / (1 - 0.0392))


@pytest.mark.parametrize("mine", [correlation.pearson, correlation.spearman, correlation.kendall_tau_b])
def test_correlation_of_too_little_or_without_variance_is_none(mine):
    assert mine([1.0, 2.0], [2.0, 1.0], unit="system").value is None
    assert mine([1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 3.0, 4.0], unit="system").value is None
    v = mine([1.0, None, 2.0, 3.0], [1.0, 2.0, 2.0, 5.0], unit="system")
    assert (v.n, v.n_unscored) == (3, 1)


def test_kendall_of_two_far_apart_scales_is_one():
    assert correlation.kendall_tau_b(
        [1, 2, 3, 4.5], [100, 2e9, 3e9, 4e9], unit="system"
    ).value == pytest.approx(1)


def test_a_bias_stays_on_its_scale_where_two_questions_are_drawn():
    found = correlation.bias([1.0, 0.0], [0.0, 0.0], clusters=["a", "b"], width=1.0)
    assert found.value == 0.5 and -1.0 <= found.ci_low < 0 < found.ci_high <= 1.0
    apart = correlation.mean_absolute_deviation([1.0, 0.0], [0.0, 0.0], clusters=["a", "b"], width=1.0)
    assert apart.ci_low >= 0.0 and apart.ci_high <= 1.0


def test_repeat_stability_leaves_out_units_with_a_failure():
    v = ag.repeat_stability([["full"] * 3, ["full", "none", "full"], ["full", None, "full"]], ["a", "b", "b"])
    assert v.value == pytest.approx(0.5)
    assert (v.n, v.n_unscored) == (2, 1)


def test_claim_overlap_needs_equal_urls_and_close_words():
    words = frozenset(["the", "feeder", "is", "made", "of", "steel", "and", "holds", "two", "pounds"])
    near = words - {"two"} | {"2"}
    urls = frozenset({"u"})
    assert ag.claim_overlap([(words, urls)], [(near, urls)]) == 1.0
    assert ag.claim_overlap([(words, urls)], [(near, frozenset())]) == 0.0
    assert ag.claim_overlap([(words, urls)], [(words, urls), (frozenset({"x"}), urls)]) == pytest.approx(0.5)
    assert ag.claim_overlap([], []) is None


def test_clusters_widen_the_interval_of_dependent_items():
    a = ["A", "B"] * 30
    b = [x if (i // 6) % 2 else "A" for i, x in enumerate(a)]
    alone = ag.exact_agreement(a, b)
    together = ag.exact_agreement(a, b, clusters=[str(i // 6) for i in range(60)])
    assert together.ci_high - together.ci_low > alone.ci_high - alone.ci_low


def test_a_correlation_that_no_question_moves_has_no_interval():
    """Two judges who give the same grades: 1.00 is what was seen, and nobody knows how sure it is."""
    same = [float(n) for n in (1, 2, 3, 4, 2, 3, 1, 2, 4, 3)]
    found = correlation.spearman(same, same, unit="report")
    assert found.value == pytest.approx(1.0)
    assert (found.ci_low, found.ci_high) == (None, None)
    other = [1.0, 3.0, 2.0, 4.0, 3.0, 2.0, 2.0, 1.0, 3.0, 4.0]
    assert correlation.spearman(same, other, unit="report").ci_low is not None
    few = correlation.spearman(same[:9], other[:9], unit="report")
    assert few.value is not None and few.ci_low is None


SYSTEMS = ("react", "hybrid", "plan")
CRITERIA = {"g1": "GOAL", "g2": "GOAL", "c1": "CONT"}


def label(judge: str, query: int, system: str, criterion: str, score: float) -> CriterionLabel:
    said = {"judge": judge, "dimension": CRITERIA[criterion], "criterion": criterion, "label": score}
    texts = {"query": f"question {query}", "answer": f"report of {system} on {query}"}
    return CriterionLabel.model_validate({"id": f"q{query}/{system}/0", **texts, **said})


def given(seed: int, queries: int = 12) -> list[CriterionLabel]:
    rng = random.Random(seed)
    return [
        label(judge, query, system, criterion, rng.randint(0, 10))
        for query in range(queries)
        for system in SYSTEMS
        for criterion in CRITERIA
        for judge in ("model", "anna", "ben")
    ]


@pytest.fixture(scope="module")
def labels() -> list[CriterionLabel]:
    return given(2)


@pytest.fixture(scope="module")
def found(labels: list[CriterionLabel]) -> Any:
    systems = {one.id: one.id.split("/")[1] for one in labels}
    return criteria_agreement(labels, {"anna", "ben"}, systems)


def pair(found: Any, *judges: str) -> Any:
    return next(one["dimensions"] for one in found["pairs"] if one["judges"] == list(judges))


def test_two_reports_give_what_drr_aggregate_gives(labels: list[CriterionLabel], tmp_path: Path) -> None:
    two = [one for one in labels if "plan" not in one.id]
    levels = pair(criteria_agreement(two, {"anna", "ben"}), "model", "anna")["all"]
    said = {(one.judge, one.id, one.criterion): one.label for one in two}
    file = tmp_path / "rows.jsonl"
    with file.open("w") as rows:
        for query in range(12):
            for criterion in CRITERIA:
                row: dict[str, Any] = {"query": query, "criterion": criterion}
                for side, judge in (("judge", "model"), ("human", "anna")):
                    row[side] = {
                        letter: said[judge, f"q{query}/{system}/0", criterion]
                        for letter, system in (("A", "react"), ("B", "hybrid"))
                    }
                rows.write(json.dumps(row) + "\n")
    values = aggregate("agreement", file)["values"]
    by_criterion, by_report = levels["criterion"], levels["report"]
    found = {name: by_report[name]["value"] for name in ("par", "pearson", "spearman")}
    found |= {"mad_by_report": by_report["mad"]["value"], "mard": by_criterion["mard"]["value"]}
    found |= {"pca": by_criterion["pca"]["value"], "pca_chance": by_criterion["pca"]["chance"]}
    assert found == pytest.approx({name: values[name] for name in found}, abs=1e-9)
    assert levels["system"] is None, "nobody told whose the reports are"


def test_three_systems_at_three_levels_and_several_people_together(found: Any) -> None:
    judges = [["model", PEOPLE], ["model", "anna"], ["model", "ben"], ["anna", "ben"]]
    assert [one["judges"] for one in found["pairs"]] == judges
    is_as_kept("criteria", [found["pairs"][0], pair(found, "model", "ben")["GOAL"]])


def test_a_criterion_is_no_dimension_of_quality(labels: list[CriterionLabel]) -> None:
    """Before, a score under a criterion would have stood among the grades of a whole report."""
    assert pairwise_agreement(labels)["rating"]["labels"] == 0
    assert labelled_cases(labels, "rating") == []
    again = [*labels, labels[0].model_copy(update={"label": 3.0})]
    assert criteria_agreement(again)["repeated"] == 1


def test_labels_come_in_by_file(tmp_path: Path, drr: Drr) -> None:
    lines = [one.model_dump(exclude_none=True) for one in given(2, 3) if one.judge != "model"]
    file = tmp_path / "labels.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert all(isinstance(one, CriterionLabel) for one in read_labels(file))
    study, reports = tmp_path / "study", tmp_path / "reports.jsonl"
    reports.write_text(json.dumps({"id": "r", "system": "s", "query": "q", "report_markdown": "# A report"}))
    drr.out("import", study, reports, "--quiet")
    document = drr.json("agreement", study, "--human", file)
    assert document["criteria"]["labels"] == len(lines)
    assert document["criteria"]["pairs"][0]["judges"] == ["anna", "ben"]
    assert document["cost"] == {}
    printed = " ".join(drr.out("agreement", study, "--human", file).split())
    assert "Agreement on criteria, score by score" in printed and "anna and ben" in printed


@pytest.mark.parametrize("score", [11, -1, "7", True, None])
def test_a_score_beyond_the_scale_is_named_by_its_line(tmp_path: Path, drr: Drr, score: Any) -> None:
    line = {"id": "r", "query": "q", "answer": "a", "criterion": "g1", "judge": "anna", "label": score}
    file = tmp_path / "labels.jsonl"
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert "line 1: label: " in drr.err("calibrate", file, "--task", "rating")
