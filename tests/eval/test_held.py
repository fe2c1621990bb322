"""People and models on either side of a comparison, one form for both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.env.errors import DrrError, Misuse
from drr.eval.agreement.judges import agreement
from drr.eval.agreement.study import across_systems, stability, study_labels
from drr.eval.judging.plan import JudgeOptions
from drr.eval.judging.read import choose, judgings, read_judged
from drr.eval.judging.run import judge
from drr.eval.labels import PairwiseLabel, RatingLabel, SupportLabel, pair_id, read_labels
from drr.study.study import Study

from tests.eval.nursery import Judge, answer, desk, put, scripted, web
from tests.wire import Wire


def pair(
    n: int, label: str, judge: str, *, turned: bool = False, dimension: str = "depth", **more: str
) -> PairwiseLabel:
    a, b = f"answer of x to {n}", f"answer of y to {n}"
    values = (
        {"answer_a": b, "answer_b": a, "system_a": "y", "system_b": "x"}
        if turned
        else {"answer_a": a, "answer_b": b, "system_a": "x", "system_b": "y"}
    )
    fields = {
        "id": f"{judge}-{n}" if turned else f"p{n}",
        "query": f"question {n}",
        "label": label,
        "judge": judge,
        "dimension": dimension,
    }
    return PairwiseLabel.model_validate(fields | values | more)


def test_turned_pairs_are_turned_back_before_they_are_counted() -> None:
    labels = [pair(n, "A", "anna") for n in range(4)] + [pair(n, "B", "ben", turned=True) for n in range(4)]
    (found,) = agreement(labels)["pairwise"]["pairs"]
    assert found["dimensions"]["depth"]["exact"]["value"] == 1.0


def test_both_bad_counts_as_a_tie_and_soft_disagreements_are_told() -> None:
    anna = [pair(n, label, "anna") for n, label in enumerate(("A", "both_bad", "B", "A"))]
    ben = [pair(n, label, "ben") for n, label in enumerate(("A", "tie", "tie", "B"))]
    row = agreement([*anna, *ben])["pairwise"]["pairs"][0]["dimensions"]["all"]
    assert row["exact"]["value"] == 0.5
    assert row["soft_disagreement"]["value"] == 0.5
    assert row["kappa_no_ties"]["n"] == 2
    assert row["kappa_no_ties"]["n_dropped"] == row["kappa_no_ties"]["n_unscored"] == 2


def test_one_id_is_one_thing_even_if_the_texts_were_cleaned() -> None:
    labels = [pair(1, "A", "anna"), pair(1, "A", "ben", answer_a="cleaned")]
    (found,) = agreement(labels)["pairwise"]["pairs"]
    assert found["dimensions"]["all"]["exact"]["n"] == 1


def test_rankings_of_people_and_judges_stand_side_by_side() -> None:
    labels = [
        label
        for n in range(3)
        for judge in ("anna", "model")
        for label in (
            pair(n, "A", judge),
            PairwiseLabel(
                id=f"z{n}",
                judge=judge,
                query=f"question {n}",
                answer_a=f"answer of y to {n}",
                answer_b=f"answer of z to {n}",
                system_a="y",
                system_b="z",
                dimension="depth",
                label="A",
            ),
        )
    ]
    ranking = agreement(labels)["pairwise"]["pairs"][0]["rankings"]["depth"]
    assert ranking["same_order"]
    assert ranking["spearman"]["value"] == pytest.approx(1.0)
    assert ranking["systems"] == {"x": [1.0, 1.0], "y": [0.5, 0.5], "z": [0.0, 0.0]}


def test_support_and_ratings() -> None:
    support = [
        SupportLabel(id=str(n), judge=judge, claim=f"c{n}", evidence=f"e{n}", label=label)  # type: ignore[arg-type]
        for judge, labels in {"anna": ("full", "none", "partial"), "model": ("full", "none", "none")}.items()
        for n, label in enumerate(labels)
    ]
    ratings = [
        RatingLabel(
            id=f"{n}", judge=judge, query=f"q{n // 2}", answer=f"a{n}", dimension="overall", label=score
        )
        for judge, scores in {"anna": (7.0, 5.0, 6.0, 6.0), "model": (8.0, 5.0, 7.0, 4.0)}.items()
        for n, score in enumerate(scores)
    ]
    document = agreement([*support, *ratings])
    assert document["support"]["pairs"][0]["exact"]["value"] == pytest.approx(2 / 3)
    assert document["support"]["pairs"][0]["mad"]["value"] == pytest.approx(0.5 / 3)
    row = document["rating"]["pairs"][0]["dimensions"]["overall"]
    assert row["mard"]["value"] == pytest.approx((1 + 0 + 1 + 2) / 4)
    assert row["bias"]["value"] == pytest.approx((-1 + 0 - 1 + 2) / 4)
    assert (row["pca"]["value"], row["pca"]["n"]) == (0.5, 2)
    assert "report level" in row["spearman"]["method"]


def test_a_judge_that_judged_nothing_in_common_is_not_compared() -> None:
    assert agreement([pair(1, "A", "anna"), pair(2, "B", "ben")])["pairwise"]["pairs"] == []


@pytest.mark.long
async def test_a_study_judge_stands_beside_people(study: Study) -> None:
    page = web("https://birds.example/care", "Clean feeders weekly.")
    await put(study, *(answer(q, v, f"# {v} {q}", [page]) for q in "abc" for v in ("x", "y")))
    with Wire(Judge(winner=lambda a, b: "A" if "# x" in a else "B")) as wire:
        models = scripted(wire.url)
        await judge(study, desk(study, models), models, JudgeOptions(["quality", "pairwise"]))
        await judge(study, desk(study, models, repeat=1), models, JudgeOptions(["quality", "pairwise"]))
        await models.aclose()
    judged = read_judged(study, choose(study))
    people = [
        PairwiseLabel(
            id=pair_id(f"q-{q}", "x", "y"),
            judge="anna",
            query=f"What of {q}, under $100?",
            answer_a=f"# x {q}",
            answer_b=f"# y {q}",
            label=label,
            dimension="depth",
        )  # type: ignore[arg-type]
        for q, label in zip("abc", ("A", "A", "tie"), strict=True)
    ]
    labels = study_labels(judged)
    assert len(labels) == 3 * 7 + 6 * 7
    found = agreement([*people, *labels])["pairwise"]["pairs"][0]
    assert found["judges"] == ["anna", "anthropic:claude-sonnet-5-5"]
    assert found["dimensions"]["depth"]["exact"]["value"] == pytest.approx(2 / 3)
    again = [read_judged(study, j) for j in judgings(study) if j.repeat]
    told = stability([judged, *again])
    assert told is not None
    assert (told["rating"]["value"], told["rating"]["n"], told["support"]["value"]) == (1.0, 20, None)
    assert across_systems(judged, judged)["depth"]["spearman"]["value"] is None  # two systems are too few


def test_a_broken_line_of_labels_is_named(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    good = {"id": "1", "claim": "c", "evidence": "e", "label": "full", "judge": "anna"}
    for bad, told in (
        ("{", "line 2: not JSON"),
        ('{"id": "x"}', "line 2: no label"),
        (json.dumps({**good, "label": "maybe"}), "line 2: label"),
        (json.dumps({"id": "1", "query": "q", "answer": "a", "label": float("inf")}), "line 2"),
    ):
        path.write_text(json.dumps(good) + "\n" + bad + "\n")
        with pytest.raises(DrrError, match=told):
            read_labels(path)
    with pytest.raises(Misuse, match="cannot be read"):
        read_labels(tmp_path / "none.jsonl")
    path.write_text(json.dumps(good) + "\n", encoding="utf-8-sig")
    assert [label.judge for label in read_labels(path)] == ["anna"]


@pytest.mark.parametrize(
    ("words", "inside", "beyond", "told"),
    [
        (("agreement", "STUDY", "--human", "FILE"), 10, 80, "from 0 to 10 here"),
        (("plan", "STUDY", "--half-width", "1", "--labels", "FILE"), 0, -1, "from 0 to 10 here"),
        (("calibrate", "FILE", "--task", "rating", "--scale", "1", "5"), 5, 6, "from 1 to 5 here"),
    ],
)
def test_a_grade_beyond_the_scale_it_is_read_on_is_named_by_its_line(
    words: Sequence[str],
    inside: float,
    beyond: float,
    told: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Before, a judge's 8 beside a person's 80 was a distance of 72 points, with an interval that ended at 10."""
    file = tmp_path / "grades.jsonl"
    lines = [grade(f"r{n}", "anna", value).model_dump_json() for n, value in enumerate((inside, beyond))]
    file.write_text("\n".join(lines), encoding="utf-8")
    places = {"STUDY": str(tmp_path / "study"), "FILE": str(file)}
    Study.create(tmp_path / "study", {"schema": 1, "run": {}}).close()
    assert main([places.get(word, word) for word in words]) == 2
    said = capsys.readouterr().err
    assert f"line 2: label: a grade of {beyond:g}" in said
    assert told in said


def grade(id: str, judge: str, label: float, *, answer: str = "the same words", **more: str) -> RatingLabel:
    fields = {"id": id, "query": "q", "answer": answer, "label": label, "judge": judge, "dimension": "depth"}
    return RatingLabel.model_validate(fields | more)


@pytest.mark.parametrize("names", [("react", "react+ws"), ("row 1", "row 2")])
def test_equal_reports_of_two_variants_are_two_things_under_whatever_ids(names: tuple[str, str]) -> None:
    judge = [grade("react", "rules-2", 3), grade("react+ws", "rules-2", 5)]
    people = [grade(name, "anna", label) for name, label in zip(names, (3, 5), strict=True)]
    for labels in ([*judge, *people], [*people, *judge]):
        found = agreement(labels)["rating"]
        assert found["pairs"][0]["dimensions"]["depth"]["mard"]["n"] == 2
        assert found["pairs"][0]["dimensions"]["depth"]["mard"]["value"] == 0.0
        assert found["repeated"] == 0


def test_an_id_that_a_judge_gave_to_several_answers_names_none_of_them() -> None:
    labels = [grade("q1", judge, n, answer=f"answer {n}") for judge in ("anna", "ben") for n in (2, 7)]
    row = agreement(labels)["rating"]["pairs"][0]["dimensions"]["depth"]
    assert row["mard"]["n"] == 2 and row["mard"]["value"] == 0.0


def test_a_label_given_again_replaces_the_earlier_one_and_is_counted() -> None:
    labels = [grade("a", "anna", 2), grade("a", "anna", 4), grade("a", "ben", 4)]
    found = agreement(labels)["rating"]
    assert found["repeated"] == 1
    assert found["pairs"][0]["dimensions"]["depth"]["mard"]["value"] == 0.0


def test_one_id_a_dimension_is_one_answer() -> None:
    anna = [grade(f"x-{d}", "anna", 2, dimension=d) for d in ("depth", "clarity")]
    ben = [grade("x", "ben", 2, dimension=d) for d in ("depth", "clarity")]
    row = agreement([*anna, *ben])["rating"]["pairs"][0]["dimensions"]["all"]
    assert row["mard"]["n"] == 2
