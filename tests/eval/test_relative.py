"""Reports graded against a reference report of the same question: target / (target + reference), the mean of both orders."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.eval.judging.plan import JudgeOptions, forecast
from drr.eval.judging.read import choose, read_judged
from drr.eval.judging.run import judge
from drr.eval.metrics import relative as metrics
from drr.eval.tasks.judged import Judged
from drr.eval.tasks.relative import GRADED, reference_of, relative_of
from drr.study.study import Study

from tests.eval.nursery import answer, desk, put, scripted, sections_of, system
from tests.eval.nursery import message as told
from tests.wire import Request, Say, Wire

TITLES = ("Clarity", "Depth", "Breadth", "Insightfulness", "Constraint Following", "Personalization")
Worth = Callable[[str, str, bool], int]


class SideBySide:
    """Grades by `worth` of a report, a criterion and whether it stood first; the criteria last to first."""

    def __init__(self, worth: Worth, *, leaves_out: str = "", spelt: Callable[[str], str] = str) -> None:
        self.worth, self.leaves_out, self.spelt = worth, leaves_out, spelt
        self.asked: list[list[str]] = []

    def __call__(self, request: Request) -> Say:
        listed = re.findall(r"^\*\*([^*]+)\*\*:", system(request), re.MULTILINE)
        self.asked.append(listed)
        a, b = (next(s.text for s in sections_of(told(request)) if s.label == f"answer_{x}") for x in "ab")
        grades = [
            {
                "criterion": self.spelt(name),
                "justification": "as told",
                "a": self.worth(a, name, True),
                "b": self.worth(b, name, False),
            }
            for name in reversed(listed)
            if name != self.leaves_out or len(listed) == 1
        ]
        return Say(json.dumps({"grades": grades}))


async def judged_by(study: Study, script: SideBySide, reference: str = "ref") -> Judged:
    with Wire(script) as wire:
        models = scripted(wire.url)
        try:
            at = desk(study, models, reference=reference)
            assert (await judge(study, at, models, JudgeOptions(["relative"]))).summary.ok
        finally:
            await models.aclose()
    return read_judged(study, choose(study))


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
    assert [len(listed) for listed in script.asked] == [6, 6], "one call for both reports, two orders"
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
    assert sorted(script.asked, key=len) == [["Breadth"]] * 2 + [[*TITLES]] * 2
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
    met = {
        a.label: r and r.label for a in at.answers.values() if (r := reference_of(at, a)) or a.variant == "x"
    }
    assert met == {
        "q-a/x/0": "q-a/ref/0",
        "q-a/x/1": "q-a/ref/1",
        "q-a/x/2": "q-a/ref/0",
        "q-b/x/0": None,
    }
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
    asked = len(script.asked)
    assert values(await judged_by(two, script))["rel_score"] == pytest.approx(0.6)
    assert len(script.asked) == asked
    assert {*(relative_of(second, second.answers[-1].key) or {})} == {"first", "second"}


def test_the_command_needs_a_reference_keeps_it_and_shows_the_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "study"
    long = (
        "- The steel feeder costs $19.99 because steel lasts, while plastic cracks in winter.\n"
        "- Hang it 5 feet high, since squirrels jump; a baffle for $12.49 keeps them away.\n"
        "- Clean it every 2 weeks with warm water, so that wet seed does not spoil.\n"
    )
    with Study.create(folder, {"schema": 1, "run": {}}) as study:
        texts = {
            "x": f"# Feeders\n\n{long}",
            "ref": f"# Feeders\n\n## Choice\n\n{long}It holds 6 pounds of seed.",
        }
        asyncio.run(put(study, *(answer("a", name, text) for name, text in texts.items())))
    words = ["judge", str(folder), "--judge", "offline", "--quiet", "--what", "relative"]
    assert main(words) == 2
    assert capsys.readouterr().err == (
        "drr: --what relative: no --reference says whose reports the others are graded against; name one of ref, x\n"
    )
    assert main([*words, "--reference", "nobody"]) == 2
    assert "--reference nobody: no answer in this study is by it" in capsys.readouterr().err
    assert main([*words, "--reference", "ref", "--dry-run"]) == 0
    assert main(words) == 2, "a dry run keeps nothing"
    assert main([*words, "--reference", "ref"]) == 0
    shown = capsys.readouterr().out
    assert "Quality relative to the reference report" in shown and "position bias" in shown
    assert "surface rules" in shown
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["metrics"]
    assert 0 < found["x"]["rel_score"]["value"] <= 0.5 and found["x"]["rel_position"]["value"] == 0.0
    assert not any(name.startswith("rel_") for name in found["ref"])
    assert {f"rel_{one}" for one in GRADED} <= set(found["x"])
