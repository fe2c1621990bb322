"""Two reports side by side: outcomes, ratings, and what a judge of both says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from drr.env.errors import DrrError
from drr.eval.evidence.answers import Answer
from drr.eval.judging.run import JudgeOptions, forecast
from drr.eval.metrics import relative as metrics
from drr.eval.stats.pairs import overall, pair_results, positions
from drr.eval.stats.question import Comparison, combine_orders
from drr.eval.stats.ratings import davidson, length_coefficient
from drr.eval.tasks.judgements import GRADED, Judged, Verdict, relative_of
from drr.eval.tasks.relative import reference_of
from drr.study.study import Study

from tests.cases import cases
from tests.commands import Drr
from tests.eval.nursery import (
    ScriptedJudge,
    answer,
    desk,
    judged_by_wire,
    put,
    scripted,
    section_of,
    system,
)
from tests.late import Late
from tests.wire import Request

choix, api = Late("choix"), Late("statsmodels.api")


@pytest.mark.parametrize(("first", "second", "outcome"), cases("eval", "test_two_orders_become_one_outcome"))
def test_two_orders_become_one_outcome(first, second, outcome):
    assert combine_orders(first, second) == outcome


def make(outcomes: str, a="x", b="y", dimension="depth", start=0, **more) -> list[Comparison]:
    verdicts = {"w": ("a", "a"), "l": ("b", "b"), "t": ("tie", "tie"), "i": ("a", "b"), "e": (None, "a")}
    return [
        Comparison(f"q{start + i}", dimension, a, b, *verdicts[code], **more)
        for i, code in enumerate(outcomes)
    ]


def test_holm_runs_over_all_pairs_and_dimensions():
    comparisons = make("w" * 9 + "l") + make("w" * 10, dimension="breadth") + make("wl" * 5, a="x", b="z")
    results = {(r["dimension"], r["b"]): r for r in pair_results(comparisons)}
    assert results["breadth", "y"]["p_holm"] == pytest.approx(3 * results["breadth", "y"]["p_sign"])
    assert results["depth", "y"]["p_holm"] == pytest.approx(2 * results["depth", "y"]["p_sign"])
    assert results["depth", "z"]["p_holm"] == 1.0


def test_inconsistency_closes_the_gate():
    gate = positions(make("wwiiii"))["depth"]
    assert gate.consistency.value == pytest.approx(1 / 3)
    assert gate.unreliable
    assert gate.first_rate.value == pytest.approx(10 / 12)
    assert pair_results(make("wwiiii"))[0]["unreliable"]
    assert not positions(make("wwwwwi"))["depth"].unreliable


def test_trials_of_one_question_are_no_proof_that_the_first_shown_wins():
    often = [Comparison("q0", "depth", "x", "y", "a", "b", trial=t) for t in range(30)]
    gate = positions(often)["depth"]
    assert (gate.first_rate.value, gate.first_rate.n, gate.p_first) == (1.0, 60, 1.0)
    assert gate.first_rate.ci_low is None
    assert positions(make("iiiiiiiiiiii"))["depth"].p_first == pytest.approx(2 / 2**12)


PUDDINGS = """12 19 22 16, 13 16 19 12, 23 19 19 10, 14 18 23 13, 24 23 19 9, 34 19 20 15, 15 13 19 18, 25 16 20 12,
35 16 15 17, 45 17 14 16, 16 18 21 12, 26 22 20 12, 36 13 18 10, 46 14 19 18, 56 11 21 12"""
"""Chocolate puddings (Davidson 1970): two of six, how often the first, the second and neither was preferred."""


def test_the_rating_of_davidsons_puddings_is_the_one_that_he_published():
    made = []
    for row in PUDDINGS.replace("\n", " ").split(", "):
        (a, b), *counts = row.split()
        outcomes = "".join(code * int(count) for code, count in zip("wlt", counts, strict=True))
        made += make(outcomes, a=a, b=b, start=len(made))
    rating = davidson(made, ridge=1e-9)
    worth = np.exp([rating.strengths[name].value for name in "123456"])
    assert list(worth / worth.sum()) == pytest.approx([0.139, 0.173, 0.162, 0.165, 0.159, 0.202], abs=6e-4)
    assert rating.nu == pytest.approx(0.747, abs=6e-4)


@pytest.mark.long
def test_without_ties_and_ridge_the_rating_is_bradley_terry():
    rng = np.random.default_rng(5)
    strength = {"a": 1.0, "b": 0.2, "c": -0.4, "d": -0.8}
    names, comparisons, data = list(strength), [], []
    for query in range(60):
        for i, a in enumerate(names):
            for j, b in enumerate(names[i + 1 :], i + 1):
                won = rng.random() < 1 / (1 + np.exp(strength[b] - strength[a]))
                comparisons += make("w" if won else "l", a=a, b=b, start=query)
                data.append((i, j) if won else (j, i))
    rating = davidson(comparisons, ridge=1e-9)
    reference = choix.opt_pairwise(4, data, alpha=1e-9)
    mine = [rating.strengths[name].value for name in names]
    assert mine == pytest.approx(list(reference - reference.mean()), abs=1e-4)
    assert rating.nu == 0.0
    assert all(v.ci_low < v.value < v.ci_high for v in rating.strengths.values())


@pytest.mark.parametrize("outcomes", ["w" * 50, "l" * 50, "t" * 20, "w" * 49 + "t"])
def test_complete_separation_stays_finite(outcomes):
    rating = davidson(make(outcomes))
    assert all(abs(v.value) < 12 for v in rating.strengths.values())
    assert sum(v.value for v in rating.strengths.values()) == pytest.approx(0)
    assert rating.nu is None or rating.nu >= 0


def test_systems_that_never_met_are_not_rated_together():
    with pytest.raises(DrrError, match="never met"):
        davidson(make("wl", a="a", b="b") + make("wl", a="c", b="d"))
    document = overall(make("wl", a="a", b="b") + make("wl", a="c", b="d"))
    assert "never met" in document["ratings"]["depth"]["refused"]


@pytest.mark.long
def test_length_coefficient_finds_a_judge_that_prefers_the_longer():
    rng = np.random.default_rng(2)
    biased, fair = [], []
    for i in range(120):
        words = {"words_a": int(rng.integers(200, 900)), "words_b": int(rng.integers(200, 900))}
        longer = words["words_a"] > words["words_b"]
        biased += make("w" if longer != (rng.random() < 0.1) else "l", start=i, **words)
        fair += make("w" if rng.random() < 0.5 else "l", start=i, **words)
    assert length_coefficient(biased).ci_low > 1
    v = length_coefficient(fair, ridge=1e-9)
    assert v.ci_low < 0 < v.ci_high
    ratios = np.log([c.words_a / c.words_b for c in fair])
    fit = api.Logit([c.score for c in fair], api.add_constant(ratios)).fit(disp=0)
    assert v.value == pytest.approx(fit.params[1], abs=1e-5)


def test_length_coefficient_without_lengths_or_variation_is_none():
    assert length_coefficient(make("wlwl")).value is None
    assert length_coefficient(make("wlwl", words_a=100, words_b=100)).value is None


def unasked(variant: str) -> Answer:
    nothing = cast(Any, None)  # neither the study nor the record is read
    return Answer(variant, "q", "?", None, variant, 0, None, False, False, 3, None, {}, (), nothing, nothing)


def test_one_order_alone_decides_nothing_and_is_counted() -> None:
    judged = Judged(None, [unasked("alpha"), unasked("beta")])
    judged.pairs["alpha", "beta", "overall"] = Verdict("first", None, None)
    (result,) = pair_results(judged.comparisons())
    rate = result["win_rate"]
    assert (result["wins"], result["errors"]) == (0, 1)
    assert (rate["value"], rate["n"], rate["n_unscored"]) == (None, 0, 1)
    judged.pairs["beta", "alpha", "overall"] = Verdict("second", None, None)
    (result,) = pair_results(judged.comparisons())
    assert (result["wins"], result["errors"], result["win_rate"]["value"]) == (1, 0, 1.0)


TITLES = ("Clarity", "Depth", "Breadth", "Insightfulness", "Constraint Following", "Personalization")
Worth = Callable[[str, str, bool], int]


class SideBySide(ScriptedJudge):
    """Grades by `worth` of a report, a criterion and whether it stood first; the criteria last to first."""

    def __init__(self, worth: Worth, *, leaves_out: str = "", spelt: Callable[[str], str] = str) -> None:
        super().__init__()
        self.worth, self.leaves_out, self.spelt = worth, leaves_out, spelt
        self.listed: list[list[str]] = []

    def task(self, system: str, message: str) -> str:
        return "grades"

    def _grades(self, request: Request) -> dict[str, Any]:
        listed = re.findall(r"^\*\*([^*]+)\*\*:", system(request), re.MULTILINE)
        self.listed.append(listed)
        a, b = (section_of(request, f"answer_{side}") for side in "ab")
        grades = []
        for name in reversed(listed):
            if name != self.leaves_out or len(listed) == 1:
                said = {"criterion": self.spelt(name), "justification": "as told"}
                grades.append(said | {"a": self.worth(a, name, True), "b": self.worth(b, name, False)})
        return {"grades": grades}


async def judged_by(study: Study, script: SideBySide, reference: str = "ref") -> Judged:
    return await judged_by_wire(study, script, JudgeOptions(["relative"]), reference=reference)


def values(judged: Judged, variant: str = "x", trial: int = 0) -> Mapping[str, float | None]:
    (found,) = (a for a in judged.answers if (a.variant, a.trial) == (variant, trial))
    return metrics.per_report(judged, found)


@pytest.fixture
async def two(study: Study) -> Study:
    await put(study, answer("a", "x", "The target."), answer("a", "ref", "The reference."))
    return study


async def test_the_figure_by_hand_with_a_judge_who_likes_what_stands_first(two: Study) -> None:
    """The target is worth 6 (8 on depth), the reference 4; whatever stands first gains 2."""

    def worth(report: str, criterion: str, first: bool) -> int:
        own = 4 if "reference" in report else 8 if criterion == "Depth" else 6
        return own + 2 * first

    script = SideBySide(worth)
    judged = await judged_by(two, script)
    assert [len(listed) for listed in script.listed] == [6, 6], "one call for both reports, two orders"
    first, second = 50 / (50 + 24), 38 / (38 + 36)
    found = values(judged)
    assert found["rel_score"] == pytest.approx((first + second) / 2, abs=1e-12)
    assert found["rel_position"] == pytest.approx(first - second, abs=1e-12)
    assert found["rel_depth"] == pytest.approx((10 / 14 + 8 / 14) / 2, abs=1e-12)
    assert found["rel_clarity"] == pytest.approx((8 / 12 + 6 / 12) / 2, abs=1e-12)
    assert values(judged, "ref") == {}, "nothing is graded against itself"
    again = SideBySide(worth)
    assert values(await judged_by(two, again)) == found and again.asked == []


async def test_criteria_are_matched_by_name_and_those_left_out_are_asked_for_alone(two: Study) -> None:
    names = {"Constraint Following": "constraint_following", "Depth": "**depth**"}
    script = SideBySide(lambda *_: 5, leaves_out="Breadth", spelt=lambda name: names.get(name, name))
    found = values(await judged_by(two, script))
    assert sorted(script.listed, key=len) == [["Breadth"]] * 2 + [[*TITLES]] * 2
    assert set(found.values()) == {0.5, 0.0} and found["rel_position"] == 0.0


async def test_what_a_judge_leaves_out_twice_is_unknown(two: Study) -> None:
    script = SideBySide(lambda *_: 5, spelt=lambda name: "Brevity" if name == "Breadth" else name)
    judged = await judged_by(two, script)
    found = values(judged)
    assert found["rel_score"] is None and found["rel_breadth"] is None and found["rel_position"] is None
    assert found["rel_depth"] == 0.5
    assert judged.failed["relative"] == 2


async def test_two_reports_worth_nothing_have_no_ratio(two: Study) -> None:
    judged = await judged_by(two, SideBySide(lambda *_: 0))
    assert set(values(judged).values()) == {None}
    (x,) = (a for a in judged.answers if a.variant == "x")
    v = metrics.corpus(judged, [x])["rel_score"]
    assert (v.value, v.n, v.n_unscored) == (None, 0, 1)


async def test_a_trial_meets_its_own_else_the_first_and_a_question_without_reference_is_unknown(
    study: Study,
) -> None:
    await put(
        study,
        *(answer("a", "x", f"Target {k}.", trial=k) for k in (0, 1, 2)),
        *(answer("a", "ref", f"reference {k}.", trial=k) for k in (0, 1)),
        answer("b", "x", "Target of b."),
    )
    models = scripted("http://127.0.0.1:9")
    at = desk(study, models, reference="ref")
    met = {a.label: reference_of(at, a) for a in at.answers.values() if a.variant == "x"}
    first, second = "q-a/ref/0", "q-a/ref/1"
    expected = {"q-a/x/0": first, "q-a/x/1": second, "q-a/x/2": first, "q-b/x/0": None}
    assert {name: one and one.label for name, one in met.items()} == expected
    row = forecast(study, at, models, JudgeOptions(["relative"]))["tasks"]["relative"]
    await models.aclose()
    assert row["calls"] == 6
    judged = await judged_by(study, SideBySide(lambda report, *_: 4 if "reference" in report else 6))
    v = metrics.corpus(judged, [a for a in judged.answers if a.variant == "x"])["rel_score"]
    assert (v.value, v.n, v.n_unscored) == (pytest.approx(0.6), 3, 1)


async def test_another_reference_is_another_judging(two: Study) -> None:
    await put(two, answer("a", "other", "Another."))
    worth = {"The target.": 6, "The reference.": 4, "Another.": 2}
    script = SideBySide(lambda report, *_: worth[report])
    assert values(await judged_by(two, script))["rel_score"] == pytest.approx(0.6)
    second = await judged_by(two, script, reference="other")
    assert values(second)["rel_score"] == pytest.approx(0.75)
    assert values(second, "other") == {}
    asked = len(script.listed)
    assert values(await judged_by(two, script))["rel_score"] == pytest.approx(0.6)
    assert len(script.listed) == asked
    assert {*(relative_of(second, second.answers[-1].key) or {})} == {"first", "second"}


def test_the_command_needs_a_reference_keeps_it_and_shows_the_figures(tmp_path: Path, drr: Drr) -> None:
    folder = tmp_path / "study"
    long = (
        "- The steel feeder costs $19.99 because steel lasts, while plastic cracks in winter.\n"
        "- Hang it 5 feet high, since squirrels jump; a baffle for $12.49 keeps them away.\n"
        "- Clean it every 2 weeks with warm water, so that wet seed does not spoil.\n"
    )
    with Study.create(folder, {"schema": 1, "run": {}}) as study:
        texts = {"x": f"# Feeders\n\n{long}"}
        texts["ref"] = f"# Feeders\n\n## Choice\n\n{long}It holds 6 pounds of seed."
        asyncio.run(put(study, *(answer("a", name, text) for name, text in texts.items())))
    words = ("judge", folder, "--judge", "offline", "--quiet", "--what", "relative")
    assert drr.err(*words).endswith("name one of ref, x\n")
    assert "--reference nobody" in drr.err(*words, "--reference", "nobody")
    drr.out(*words, "--reference", "ref", "--dry-run")
    drr.err(*words)  # a dry run keeps nothing
    assert "surface rules" in drr.out(*words, "--reference", "ref")
    found = drr.json(*words)["metrics"]
    assert 0 < found["x"]["rel_score"]["value"] <= 0.5 and found["x"]["rel_position"]["value"] == 0.0
    assert not any(name.startswith("rel_") for name in found["ref"])
    assert {f"rel_{one}" for one in GRADED} <= set(found["x"])
