"""The loop that aligns a judge with experts: a sealed split, versions, figures on dev, and a test half that nobody sees."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.eval.labels import PairwiseLabel, RatingLabel
from drr.papers.reporteval.alignment.figures import (
    JudgedThing,
    Run,
    rank_agreement,
    reason_to_end,
    ten_largest_distances,
)
from drr.papers.reporteval.alignment.tasks import ALIGNED, JudgeWord, items_of, split_dev_test
from drr.papers.reporteval.judging.grades import SIDES

from tests.commands import Drr
from tests.eval.nursery import SONNET, ScriptedJudge, section_of, system
from tests.wire import Request, Wire

SECRET = "onlyforthetesthalf"


def quality(
    queries: int, label: Callable[[int, str, str], float], reports: str = "ab"
) -> list[dict[str, Any]]:
    """Two experts each."""
    rows = []
    for query, report, side, who in product(range(queries), reports, ("clarity", "overall"), ("ann", "bob")):
        row = {
            "id": f"q{query}/{report}/{side}",
            "query": f"Question {query}?",
            "dimension": side,
            "judge": who,
        }
        row |= {
            "answer": f"Report {report} of question {query}.",
            "comment": f"{who} says so of {query}{report}",
        }
        rows.append({**row, "label": label(query, report, side)})
    return rows


def write(path: Path, rows: Sequence[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


class GradeJudge(ScriptedJudge):
    """Grades as told by the version of the prompt, which the first line of `prompt` names."""

    def __init__(self, grade: Callable[[str, str, str], int]) -> None:
        super().__init__()
        self.grade = grade

    def task(self, system: str, message: str) -> str:
        return "grades"

    def _grades(self, request: Request) -> dict[str, Any]:
        report = section_of(request, "answer")
        grades = {side: self.grade(system(request), report, side) for side in SIDES}
        return {side: {"reason": f"as told of {side}", "grade": grade} for side, grade in grades.items()}


@pytest.fixture
def align(drr: Drr) -> Any:
    def call(*words: object, code: int = 0) -> Any:
        return drr.err("judges", "align", *words, code=code) if code else drr.json("judges", "align", *words)

    return call


def begin(align: Any, study: Path, rows: Sequence[dict[str, Any]]) -> str:
    """A study that holds the loop of these labels, which lie beside it."""
    align("new", study, "--labels", write(study.with_suffix(".jsonl"), rows), "--task", "quality")
    return str(study)


def by_model(wire: Wire) -> list[str]:
    return ["--judge", SONNET, "--base-url", wire.url, "--quiet"]


def halves(study: str) -> tuple[set[str], set[str]]:
    """The questions of dev; the ids of test."""
    told = json.loads(Path(study, "align", "quality", "split.json").read_text("utf-8"))
    lines = Path(study, "align", "quality", "dev.jsonl").read_text("utf-8").splitlines()
    return {json.loads(line)["query"] for line in lines}, set(told["test"])


@pytest.mark.long
def test_the_split_is_by_question_fixed_and_sealed(tmp_path: Path, align: Any) -> None:
    rows = quality(10, lambda query, report, side: query % 5)
    labels, study = write(tmp_path / "experts.jsonl", rows), str(tmp_path / "study")
    made = align("new", study, "--labels", labels, "--task", "quality", "--seed", "3")
    assert (made["dev"], made["test"], made["target"], made["test_read"]) == (10, 10, 0.72, 0)
    dev, test = halves(study)
    assert len(dev) == 5 and len(test) == 10
    again = align("new", str(tmp_path / "other"), "--labels", labels, "--task", "quality", "--seed", "3")
    assert again["seal"] == made["seal"]
    assert "is split already" in align("new", study, "--labels", labels, "--task", "quality", code=2)
    kept = Path(study, "align", "quality", "dev.jsonl")
    kept.write_text(kept.read_text("utf-8").replace('"label":1.0', '"label":2.0'), encoding="utf-8")
    assert "not what was sealed" in align("run", study, "--judge", "offline", "--quiet", code=1)


def test_labels_that_cannot_be_aligned_are_refused(tmp_path: Path, align: Any) -> None:
    study = str(tmp_path / "study")

    def refused(rows: list[dict[str, Any]], task: str = "quality") -> str:
        return str(align("new", study, "--labels", write(tmp_path / "l.jsonl", rows), "--task", task, code=2))

    assert "two questions or more" in refused(quality(1, lambda *_: 2))
    assert "5 is not from 0 to 4" in refused(quality(2, lambda *_: 5))
    assert "no side 'depth'" in refused([{**row, "dimension": "depth"} for row in quality(2, lambda *_: 1)])
    assert "two questions or more" in refused(quality(2, lambda *_: 1), "support")
    assert "l.jsonl" in refused(quality(2, lambda *_: 5)) and not Path(study).exists()


@pytest.mark.long
def test_a_version_is_read_on_dev_and_the_next_one_beside_it(tmp_path: Path, align: Any, drr: Drr) -> None:
    rows = quality(12, lambda query, report, side: 1 if report == "a" else 3)
    labels, study = write(tmp_path / "experts.jsonl", rows), str(tmp_path / "study")
    align("new", study, "--labels", labels, "--task", "quality", "--target", "1.7")

    def grade(prompt: str, report: str, side: str) -> int:
        expert = 1 if "Report a" in report else 3
        return expert if "milder" in prompt else expert + (1 if side == "overall" else 0)

    with Wire(GradeJudge(grade)) as wire:
        first = align("run", study, *by_model(wire))
        assert len(wire.requests) == 12, "one call gives all sides"
        figures, sides = first["figures"], first["sides"]
        assert figures["mad"]["value"] == figures["bias"]["value"] == 0.5 and figures["mad_of_range"] == 0.125
        assert [sides[side]["mad"]["value"] for side in ("clarity", "overall")] == [0, 1]
        assert {(figures[name]["value"], figures[name]["chance"]) for name in ("pca", "rank")} == {(1, 0.5)}
        assert first["ended"] is None
        worst_one = first["disagreements"][0]
        assert (len(first["disagreements"]), worst_one["side"]) == (10, "overall")
        assert worst_one["judge"] - worst_one["people"] == 1
        assert worst_one["judge_says"] == "as told of overall"
        assert [word.partition(":")[0] for word in worst_one["people_say"]] == ["ann", "bob"]
        assert align("run", study, *by_model(wire))["figures"] == first["figures"]
        assert len(wire.requests) == 12, "what is kept is asked for no more"
        assert align("edit", study)["version"] == 2
        file = Path(study, "align", "quality", "v2", "re_quality.md")
        file.write_text(file.read_text("utf-8") + "\nBe milder.\n", encoding="utf-8")
        second = align("run", study, *by_model(wire))
        assert (second["version"], second["figures"]["mad"]["value"]) == (2, 0.0)
        assert second["ended"] == "reached: the interval of v2's MAD lies under 1.7"
        # Every number is made of things that are named, with the unit that judged each.
        each = align("show", study, "--version", "1")["things"]
        assert each == first["things"] and len(each) == 24
        assert sum(one["apart"] for one in each) / len(each) == first["figures"]["mad"]["value"]
        assert [one["side"] for one in each[:12]] == ["overall"] * 12
        for one in (each[0], align("show", study)["things"][0]):
            traced = drr.json("study", "trace", study, one["unit"])
            assert traced["label"].endswith(one["id"]) and "as told of overall" in json.dumps(traced)
        file.write_text("Something else.", encoding="utf-8")
        assert "changed after it was run" in align("run", study, *by_model(wire), code=2)
    told = drr.out("judges", "align", "status", study)
    assert "v1 (" in told and "v2 (" in told and "test read 0 times" in told
    drr.err("judges", "align", "show", study, "--version", "7")
    assert each[0]["unit"][:12] in drr.out("judges", "align", "show", study, "--version", "1")
    assert "was changed after it was run" in drr.err("judges", "align", "show", study)


def test_what_experts_said_of_the_test_half_is_nowhere(
    tmp_path: Path, align: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Searched in every request, in all that is printed, and in every file of the study."""
    rows = quality(8, lambda query, report, side: 2)
    study = begin(align, tmp_path / "study", rows)
    dev, _ = halves(study)
    marked = [
        row if row["query"] in dev else {**row, "label": 3.0625, "comment": f"{SECRET} {row['id']}"}
        for row in rows
    ]
    study = begin(align, tmp_path / "marked", marked)
    assert halves(study)[0] == dev, "the split does not hang on what was said"
    judge = GradeJudge(lambda prompt, report, side: 1)
    with Wire(judge) as wire:
        assert main(["judges", "align", "run", study, *by_model(wire)[:-1]]) == 0
        assert main(["judges", "align", "run", study, "--test", *by_model(wire)[:-1]]) == 0
        assert main(["judges", "align", "status", study]) == 0
    seen = "".join(capsys.readouterr())
    everything = [seen.encode(), *(text.encode() for text in judge.prompts)]
    everything += [path.read_bytes() for path in Path(study).rglob("*") if path.is_file()]
    for told in everything:
        assert SECRET.encode() not in told and b"3.0625" not in told
    assert "test read 1 time" in seen


def test_dev_figures_do_not_hang_on_the_test_half(tmp_path: Path, align: Any) -> None:
    plain = quality(6, lambda query, report, side: query % 4)
    found = []
    for name, label in (("one", 0), ("two", 4)):
        dev, _ = halves(begin(align, tmp_path / name, plain))
        rows = [row if row["query"] in dev else {**row, "label": label} for row in plain]
        study = begin(align, tmp_path / f"{name}-changed", rows)
        found.append(align("run", study, "--judge", "offline", "--quiet"))
    assert found[0] == found[1]
    assert "rules-2" in found[0]["banner"]


def test_the_test_half_is_read_once_a_version_and_counted(tmp_path: Path, align: Any, drr: Drr) -> None:
    rows = quality(6, lambda query, report, side: 2)
    study = begin(align, tmp_path / "study", rows)
    with Wire(GradeJudge(lambda prompt, report, side: 3)) as wire:
        first = align("run", study, "--test", *by_model(wire))
        assert (first["half"], first["test_read"], first["disagreements"]) == ("test", 1, [])
        calls = len(wire.requests)
        again = align("run", study, "--test", *by_model(wire))
        assert again["read_before"] and again["run"]["figures"] == first["figures"]
        assert (again["test_read"], len(wire.requests)) == (1, calls)
        align("edit", study)
        prompt = Path(study, "align", "quality", "v2", "re_quality.md")
        prompt.write_text(prompt.read_text("utf-8") + "Be strict.\n", encoding="utf-8")
        moved = tmp_path / "moved.jsonl"
        (tmp_path / "study.jsonl").rename(moved)
        assert "say with --labels" in align("run", study, "--test", *by_model(wire), code=2)
        other = write(tmp_path / "other.jsonl", [{**row, "label": 1} for row in rows])
        words = ("run", study, "--test", "--labels", other, *by_model(wire))
        assert "not what was sealed" in align(*words, code=2)
        second = align("run", study, "--test", "--labels", str(moved), *by_model(wire))
        assert second["test_read"] == 2
    assert align("status", study)["alignments"][0]["test_read"] == 2
    assert "test read 2 times" in drr.out("judges", "align", "status", study)


@pytest.mark.long
def test_the_report_says_how_often_test_was_read(tmp_path: Path, align: Any, drr: Drr) -> None:
    study = str(tmp_path / "study")
    line = {"id": "r", "system": "x", "query": "Which?", "report_markdown": "It is light."}
    assert main(["import", study, write(tmp_path / "reports.jsonl", [line]), "--quiet"]) == 0
    labels = write(tmp_path / "experts.jsonl", quality(4, lambda *_: 2))
    align("new", study, "--labels", labels, "--task", "quality")
    align("run", study, "--judge", "offline", "--quiet")
    align("run", study, "--test", "--judge", "offline", "--quiet")
    (row,) = drr.json("report", study)["alignment"]
    assert (row["task"], row["test_read"]) == ("quality", 1)
    assert [run["half"] for run in row["runs"]] == ["dev", "test"]
    drr.out("report", study, "--out", tmp_path / "out")
    drawn = (tmp_path / "out" / "tables" / "alignment.md").read_text("utf-8")
    assert "test read 1 time" in drawn and "v1" in drawn and "rules-2" in drawn
    things = align("show", study)["things"]
    held_back = halves(study)[1]
    assert things and not held_back & {one["text"] for one in things}


def test_redundancy_and_support_and_pairs_are_aligned_too(tmp_path: Path, align: Any) -> None:
    words = "The steel feeder keeps seed dry in heavy rain and its perches fold away in winter. " * 3
    said = "The feeder holds five pounds of seed."
    rows: list[dict[str, Any]] = []
    for n in range(6):
        other = words if n % 2 else "Nothing of that kind is said of lamps number"
        of: dict[str, dict[str, Any]] = {
            "p": {"passage_a": f"{words} {n}", "passage_b": f"{other} {n}", "label": 0 if n % 2 else 4},
            "c": {"claim": said, "evidence": f"Feeder {n}. {said}", "label": "full"},
            "x": {"answer_a": "Short.", "answer_b": "Short.  ", "label": "tie"},
            "r": {"answer": "Short.", "label": 1},
        }
        about = {"query": f"Question {n}?", "judge": "ann"}
        rows += [{"id": f"{name}{n}", **about, **row} for name, row in of.items()]
    study = str(tmp_path / "study")
    labels = write(tmp_path / "experts.jsonl", rows)
    found = {}
    for task in ("redundancy", "support", "pairwise", "rating"):
        align("new", study, "--labels", labels, "--task", task)
        found[task] = align("run", study, "--task", task, "--judge", "offline", "--quiet")["figures"]
    assert [found[task]["mad"]["value"] for task in ("redundancy", "support", "pairwise")] == [0, 0, 0]
    assert found["rating"]["mad"]["n"] == 3
    assert "which one? --task" in align("show", study, code=2)
    assert {one["task"] for one in align("status", study)["alignments"]} == found.keys()


def test_pairs_are_the_same_whichever_way_round_and_two_orders_that_differ_are_a_tie() -> None:
    one = PairwiseLabel(id="1", query="q", answer_a="x", answer_b="y", label="A")
    taken = [ALIGNED["pairwise"].taken(label) for label in (one, one.turned())]
    assert taken[0] == taken[1] and taken[0] is not None and taken[0].value == 1


def test_each_expert_counts_once_and_rank_agreement_has_its_chance() -> None:
    def label(query: str, answer: str, value: float, who: str = "ann") -> RatingLabel:
        return RatingLabel(id="i", query=query, answer=answer, dimension="clarity", label=value, judge=who)

    labels = [
        *(label("q1", "a", value) for value in (0, 2)),
        label("q1", "a", 4, "bob"),
        *(label("q1", answer, value) for answer, value in (("b", 3.0), ("c", 4.0))),
        *(label("q2", answer, value) for answer, value in (("d", 1.0), ("e", 1.0), ("f", 2.0))),
    ]
    task = ALIGNED["quality"]
    items = items_of((one, parts) for one in labels if (parts := task.taken(one)) is not None)
    assert items[0].people("clarity") == 2.5
    judge = dict(zip((item.id for item in items), (1.0, 2.0, 3.0, 0.0, 0.0, 4.0), strict=True))
    rows = [JudgedThing(one, "clarity", JudgeWord(judge[one.id], "")) for one in items]
    v, chance = rank_agreement(rows)
    assert (v.value, chance) == (1.0, pytest.approx((1 / 6 + 2 / 6) / 2))
    assert (ten_largest_distances(rows)[0].judge, ten_largest_distances(rows)[0].people) == (4, 2)
    halves_ = split_dev_test(items, 0)
    assert {*map(len, halves_)} == {3}, "no question lies on both sides, and none is empty"


def test_the_loop_ends_by_the_interval_or_when_three_versions_bring_nothing() -> None:
    def run(version: int, mad: float, high: float | None = 3.0) -> Run:
        row: Any = {"mad": {"value": mad, "ci_low": 0.0, "ci_high": high}}
        return Run(version=version, hash="", judge="j", half="dev", at="", items=1, figures=row)

    runs = [run(1, 1.0), run(2, 0.8), run(3, 0.9), run(4, 0.8)]
    assert reason_to_end([], 0.5) is None and reason_to_end(runs, 0.5) is None
    assert reason_to_end([*runs, run(5, 0.85)], 0.5) == "stopped: the last 3 versions bring nothing over v2"
    assert reason_to_end([*runs, run(5, 0.7)], 0.5) is None
    assert reason_to_end([run(1, 0.4, 0.49)], 0.5) == "reached: the interval of v1's MAD lies under 0.5"
    assert reason_to_end([run(1, 0.4, None)], 0.5) is None, "an interval that nobody knows lies under nothing"


def test_a_half_that_was_not_judged_to_its_end_is_no_reading(tmp_path: Path, align: Any) -> None:
    study = begin(align, tmp_path / "study", quality(4, lambda *_: 2))
    with Wire(GradeJudge(lambda prompt, report, side: 3)) as wire:
        part = ("run", study, "--limit", "1", *by_model(wire))
        assert align(*part)["complete"] is False
        assert align("status", study)["alignments"][0]["runs"] == []
        assert "not judged to its end" in align(*part, "--test", code=1)
        assert align("status", study)["alignments"][0]["test_read"] == 0
        assert align("run", study, *by_model(wire))["complete"]


def test_a_version_of_the_same_texts_is_no_new_one(tmp_path: Path, align: Any) -> None:
    """It would count as one that brought nothing, and read the test half again."""
    study = begin(align, tmp_path / "study", quality(4, lambda query, report, side: query % 5))
    align("run", study, "--judge", "offline", "--quiet")
    align("edit", study)
    for half in ([], ["--test"]):
        told = align("run", study, "--judge", "offline", "--quiet", *half, code=2)
        assert "v2 has the texts of v1" in told and "re_quality.md" in told
    assert align("status", study)["alignments"][0]["test_read"] == 0
    prompt = Path(study, "align", "quality", "v2", "re_quality.md")
    prompt.write_text(prompt.read_text("utf-8") + "Be strict.\n", encoding="utf-8")
    assert align("run", study, "--judge", "offline", "--quiet")["version"] == 2


def test_why_there_is_no_order_is_said(tmp_path: Path, drr: Drr) -> None:
    study = str(tmp_path / "study")
    labels = write(tmp_path / "l.jsonl", quality(4, lambda query, report, side: 2, reports="a"))
    assert main(["judges", "align", "new", study, "--labels", labels, "--task", "quality"]) == 0
    assert "no question here has two" in drr.out(
        "judges", "align", "run", study, "--judge", "offline", "--quiet"
    )
