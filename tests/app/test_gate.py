"""`drr study gate`: a figure holds by the worse end of its interval, the unknown fails, and so does what is surely worse than a base."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from drr.app.commands.gate import JunitCase, junit
from drr.env.errors import Misuse
from drr.eval.metrics.gate import (
    _inverted,
    _not_worse,
    _requirement_row,
    known_metrics,
    requirement,
    unanswered,
)
from drr.eval.stats.differences import paired, with_holm
from drr.eval.stats.intervals import SHARE, Statistic, empty_statistic
from drr.study.units import AnswerTally

from tests.cases import cases
from tests.commands import Drr

pytestmark = pytest.mark.long

VARIANTS = ["plan-to-function+ws", "react", "react+ws"]


def value(low: float | None, high: float | None, middle: float = 0.85) -> Statistic:
    return Statistic(middle, low, high, 50, 0, "mean")


@pytest.mark.parametrize(
    ("text", "variant", "metric", "sign", "bound"), cases("app", "test_a_requirement_is_read")
)
def test_a_requirement_is_read(text: str, variant: str | None, metric: str, sign: str, bound: float) -> None:
    one = requirement(text)
    assert (one.variant, one.metric, one.sign, one.bound) == (variant, metric, sign, bound)


@pytest.mark.parametrize(("text", "said"), cases("app", "test_what_is_no_requirement_is_misuse"))
def test_what_is_no_requirement_is_misuse(text: str, said: str) -> None:
    with pytest.raises(Misuse, match=said):
        requirement(text)


@pytest.mark.parametrize(
    ("text", "v", "why"),
    [
        ("fp>=0.8", value(0.8, 0.9), None),
        ("fp>0.8", value(0.8, 0.9), "the interval's worse end is 0.8"),
        ("fp>=0.8", value(0.79, 0.9), "the interval's worse end is 0.79"),
        ("fp<=0.9", value(0.79, 0.9), None),
        ("fp<0.9", value(0.79, 0.9), "the interval's worse end is 0.9"),
        ("fp>=0.8", value(None, None), "unknown: too few questions for an interval"),
        ("fp>=0.9", value(None, None), "the value itself"),
        ("fp>=0", empty_statistic("mean", 3), "unknown: no answer has a value"),
        ("fp>=0", None, "unknown: nothing of this variant was judged for it"),
    ],
)
def test_the_worse_end_holds_or_the_check_fails(text: str, v: Statistic | None, why: str | None) -> None:
    row = _requirement_row("react", requirement(text), v)
    assert (row["holds"], row["why"]) == (why is None, why)


def test_what_is_judged_or_answered_in_part_is_unknown() -> None:
    row = _requirement_row("react", requirement("fp>=0.1"), value(0.8, 0.9), 2, 12)
    assert row["why"] == "unknown: 2 of 12 answers are not judged for it"
    tallies = [AnswerTally("react", 12, 10, 1), AnswerTally("base", 12, 3, 0), AnswerTally("never", 4, 0, 4)]
    every, of_react = [requirement("fp>=0")], [requirement("react:fp>=0")]
    told = {row["variant"]: row["why"] for row in unanswered(tallies, every, 0.0, "base")}
    assert told["react"] == "unknown: of 12 answers 1 pending and 1 failed"
    assert told.keys() == {"react", "never"}
    assert [row["variant"] for row in unanswered(tallies, of_react, 0.0, None)] == ["react"]
    assert [row["variant"] for row in unanswered(tallies, every, 0.2, None)] == ["base", "never"]


def test_a_study_that_was_stopped_does_not_pass(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    home, study = judged_study.parent, tmp_path / "study"
    asked = ("--shop", home / "shop", "--queries", home / "queries.jsonl", "--variants", "react")
    drr.out("run", study, *asked, "--trials", "2", "--limit", "3", "--quiet")
    drr.out("judge", study, "--what", "rules", "--limit", "2", "--quiet")
    gate = ("study", "gate", study, "--require", "words>=-9999")
    checks = drr.json(*gate, "--require", "rules.price<=1", code=1)["checks"]
    whys = {row["check"]: row["why"] for row in checks}
    assert whys["answered"] == "unknown: of 4 answers 1 pending"
    assert whys["rules.price <= 1"] == "unknown: 1 of 3 answers are not judged for it"
    assert whys["words >= -9999"] is None
    drr.out(*gate, "--unanswered", "0.25")


@pytest.mark.parametrize(
    ("shift", "better", "holds"),
    [
        *((lambda n: 0.3 + 0.01 * (n % 3), "lower", False), (lambda n: 0.2 + 0.01 * (n % 3), "higher", True)),
        *(
            (lambda n: -0.3 - 0.01 * (n % 3), "higher", False),
            (lambda n: 0.1 - 0.2 * (n % 2), "higher", True),
        ),
        (lambda n: 0.0, "higher", True),
    ],
)
def test_what_is_surely_worse_fails(shift: Callable[[int], float], better: str, holds: bool) -> None:
    base: dict[str, list[float | None]] = {f"q{n}": [0.5] for n in range(12)}
    ours: dict[str, list[float | None]] = {f"q{n}": [0.5 + shift(n)] for n in range(12)}
    found = with_holm({"fp": paired(ours, base, SHARE)})["fp"]
    assert _not_worse("react", "fp", better, found, "base")["holds"] is holds  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("step", "others", "better", "holds"),
    [
        *((0.2, 0, "higher", False), (0.2, 0, "lower", True), (0.2, 200, "higher", True)),
        *((0.3, 200, "higher", True), (0.3, 0, "higher", False), (0.0, 0, "higher", True)),
    ],
)
def test_the_corrected_test_alone_sees_a_steady_loss(
    step: float, others: int, better: str, holds: bool
) -> None:
    base: dict[str, list[float | None]] = {f"q{n}": [0.5] for n in range(12)}
    ours: dict[str, list[float | None]] = {f"q{n}": [0.5 - step - 0.01 * (n % 3) * step] for n in range(12)}
    even = paired(base, base, SHARE)
    family = {"fp": paired(ours, base, SHARE)} | {f"x{n}": even for n in range(others)}
    row = _not_worse("react", "fp", better, with_holm(family)["fp"], "base")  # type: ignore[arg-type]
    assert row["holds"] is holds
    assert ("the paired test shows a loss" in (row["why"] or "")) is not holds


def test_what_differs_by_nothing_known_fails_and_a_broken_rule_is_what_is_left() -> None:
    apart = paired({"a": [1.0]}, {"b": [1.0]})
    why = _not_worse("react", "fp", "higher", apart, "base")["why"]
    assert why == "unknown: no question was scored in both"
    one = paired({"a": [1.0]}, {"a": [1.0]})
    assert "too few questions" in (_not_worse("react", "fp", "higher", one, "base")["why"] or "")
    same = paired({"a": [7.0], "b": [9.0]}, {"a": [7.0], "b": [9.0]})
    assert _not_worse("react", "words", "lower", same, "base")["holds"]
    assert not _not_worse("react", "fp", "higher", None, "base")["holds"]
    turned = _inverted(value(0.7, 0.9), 1.0)
    assert (turned.value, turned.ci_low, turned.ci_high) == pytest.approx((0.15, 0.1, 0.3))
    assert known_metrics()["rules.budget"] == "lower"
    text = junit("s", [JunitCase('a<&"', "x\x00\x1b\uffff\ud800", "why\n]]>", "deta\x0bil")])
    case = ElementTree.fromstring(text)[0][0]
    assert case.get("classname") == 'a<&"'
    assert text.count("<testcase") == 1


def test_a_study_passes_or_fails_in_every_form(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    gate, file = ("study", "gate", judged_study, "--require", "fp>=0"), tmp_path / "gate.xml"
    assert "all 6 checks hold" in drr.out(*gate, "--require", "rules.price<=1")
    gate = (*gate, "--require", "react:words<=1")
    assert "1 of 4 checks fail" in drr.out(*gate, "--junit", file, code=1)
    suite = ElementTree.parse(file).getroot().find("testsuite")
    assert suite is not None and (suite.get("tests"), suite.get("failures")) == ("4", "1")
    assert (suite.get("name") or "").startswith("drr study gate ")
    broken = [case for case in suite if case.find("failure") is not None]
    assert [(case.get("classname"), case.get("name")) for case in broken] == [("react", "words <= 1")]
    document = drr.json(*gate, code=1)
    assert not document["holds"] and [row["variant"] for row in document["checks"]][:1] == VARIANTS[:1]
    assert drr.out(*gate, "--quiet", code=1) == ""


def test_a_study_is_not_worse_than_itself(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    def against(base: object) -> tuple[int, list[Any]]:
        code, out, _ = drr("study", "gate", judged_study, "--against", base, "--require", "fp>=0", "--json")
        return code, [row for row in json.loads(out)["checks"] if " against " in row["check"]]

    code, rows = against(shutil.copytree(judged_study, tmp_path / "before"))
    assert (code, [row["variant"] for row in rows]) == (0, VARIANTS)
    assert all(row["figure"]["value"] == 0 for row in rows)
    assert [row["variant"] for row in against("react")[1]] == [VARIANTS[0], VARIANTS[2]]


def test_the_test_against_a_base_is_the_one_that_compare_prints(judged_study: Path, drr: Drr) -> None:
    metrics = drr.json("study", "compare", judged_study, "react+ws", "react")["metrics"]
    gate = ("study", "gate", judged_study, "--against", "react")
    checks = json.loads(drr(*gate, "--json")[1])["checks"]
    rows = [one for one in checks if one["variant"] == "react+ws"]
    assert rows
    for row in rows:
        metric, value = metrics[row["metric"]], row["figure"]["value"]
        assert row["figure"] == {k: metric[k] for k in row["figure"]}
        higher = known_metrics()[row["metric"]] == "higher"
        worse = value is not None and (value < 0) is higher and value != 0
        told = worse and metric["p_holm"] is not None and metric["p_holm"] < 0.05
        assert ("the paired test shows a loss" in (row["why"] or "")) is told
    if broken := [row for row in rows if not row["holds"]]:
        shown = " ".join(drr(*gate)[1].split())
        assert all(row["why"] in shown for row in broken)


def test_no_trial_makes_a_question_checkable(judged_study: Path, drr: Drr) -> None:
    """The gate advised to ask again, however often nobody can tell whether such an answer is right."""
    checks = drr.json("study", "gate", judged_study, "--require", "pass^4>=0.6", code=1)["checks"]
    assert {row["why"] for row in checks} == {"unknown: no answer has the reward: no question is checkable"}
    checks = drr.json("study", "gate", judged_study, "--require", "pass_rules^8>=0.6", code=1)["checks"]
    assert all("--trials N" in row["why"] for row in checks)


def test_misuse_of_the_gate_is_said(judged_study: Path, drr: Drr) -> None:
    for words, said in (
        ([], "say what must hold"),
        (["--require", "nobody:fp>=0"], "no variant 'nobody'"),
        (["--against", "nowhere"], "neither a variant of"),
        (["--require", "n_cited>=1", "--against", "react"], "neither better nor worse"),
        (["--require", "fp>=0", "--junit", "/nowhere/x.xml"], "cannot be written"),
    ):
        assert said in drr.err("study", "gate", judged_study, *words)
