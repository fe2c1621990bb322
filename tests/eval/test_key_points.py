"""Key points of a question, made before any answer; what a report has of them, and the recall that follows."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from drr.env.errors import Misuse
from drr.env.query import Query
from drr.env.shop import Shop
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.judging.run import JudgeOptions, JudgingResults, forecast
from drr.eval.metrics import key_points as metrics
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.key_points import PointRow, PointVerdictRow, matches_of, points_of, read_points
from drr.study.study import Study

from tests.cases import cases
from tests.commands import Drr
from tests.eval.nursery import (
    ScriptedJudge,
    answer,
    by_model,
    by_rules,
    desk,
    judged_by_wire,
    named_sections,
    put,
    scripted,
)
from tests.tools.small_shop import ANNA, ANNAS_ORDER, FEEDER, GRINDER
from tests.wire import Reply, Request, Say, Wire

QUESTION = "Beside my Nestwell, which bird feeder should I hang in Oklahoma, for at most $30 in all, without plastic?"
Verdict = Mapping[str, str]


def ask(study: Study, query: str = QUESTION, **more: Any) -> None:
    question = Query(id="q-a", query=query, user_id=ANNA, **more)
    (study.folder / "queries.jsonl").write_text(question.model_dump_json(exclude_none=True), encoding="utf-8")


class PointJudge(ScriptedJudge):
    """Makes the points it is told and matches them by `says`; whatever it is asked for, in the order of `order`."""

    def __init__(
        self,
        made: list[tuple[str, str]] | None = None,
        says: Callable[[str], str | None] = lambda text: "support",
        *,
        instead: Callable[[str, Request], Reply | None] = lambda task, request: None,
    ) -> None:
        self.made, self.says = made or [], says
        self.shown: list[list[str]] = []
        super().__init__(instead)

    def task(self, system: str, message: str) -> str:
        return "points" if "prepare the scoring" in system else "matches"

    def _points(self, request: Request) -> dict[str, Any]:
        return {"points": [{"text": point, "weight": weight} for point, weight in self.made]}

    def _matches(self, request: Request) -> dict[str, Any]:
        points = named_sections(request, "point")
        self.shown.append([*points])
        said = [(name, point, self.says(point)) for name, point in reversed(points.items())]
        rows = [
            {"id": name, "justification": f"in other words: {point[::-1]}", "quote": "", "support": support}
            for name, point, support in said
            if support is not None
        ]
        return {"verdicts": rows}


async def judged_by(
    study: Study, script: PointJudge, shop: Shop | None = None, what: str = "recall", **more: Any
) -> Judged:
    return await judged_by_wire(study, script, JudgeOptions([what]), shop, **more)


async def judging(
    study: Study, url: str, shop: Shop | None = None, what: str = "recall", **more: Any
) -> JudgingResults:
    return await by_model(study, url, JudgeOptions([what]), shop, **more)


def rows_of(judged: Judged) -> dict[str, PointRow]:
    points = points_of(judged, "q-a")
    assert points is not None and points.rows is not None
    return {row["id"]: row for row in points.rows}


def texts(judged: Judged) -> dict[str, str]:
    return {name: row["text"] for name, row in rows_of(judged).items()}


def own_point(name: str, text: str) -> PointRow:
    return {"id": name, "text": text, "weight": "vital", "origin": "person"}


def values(judged: Judged, variant: str = "x") -> Mapping[str, float | None]:
    (found,) = (a for a in judged.answers if a.variant == variant)
    return metrics.per_report(judged, found)


async def test_points_come_of_the_question_the_records_and_the_catalogue(study: Study, shop: Shop) -> None:
    facts = [{"kind": "order", "id": ANNAS_ORDER}, {"kind": "profile", "id": "address.state"}]
    ask(study, needs=["bird seed", "bird feeder", "dog nail grinder", "stone bird bath"], facts_used=facts)
    script = PointJudge([("It says how to keep squirrels away.", "okay")])
    rows = rows_of(await judged_by(study, script, shop, what="points"))
    assert {name: [row["weight"], row["text"]] for name, row in rows.items()} == cases(
        "eval", "test_points_come_of_the_question_the_records_and_the_catalogue"
    )
    assert rows["k1"]["products"] == ["B0SEED0001"], "the feeder is hers already, and no example"
    assert script.asked == ["points"], "one call for the question, before any answer is there"


async def test_a_purchase_that_nobody_named_is_a_point_only_where_the_question_names_its_kind(
    study: Study, shop: Shop
) -> None:
    ask(study, "Do my bird feeders need a pole?")
    rows = rows_of(await judged_by(study, PointJudge(), shop, what="points"))
    weights = {name: row["weight"] for name, row in rows.items()}
    assert weights == {"s1": "okay"}, "the grinder was cancelled, and is another thing"


async def test_what_the_question_does_not_name_is_worth_having_and_what_is_bought_again_may_be_owned(
    study: Study, shop: Shop
) -> None:
    facts = [{"kind": "order", "id": ANNAS_ORDER}, {"kind": "profile", "id": "address.city"}]
    ask(study, "Time for a new bird feeder?", intent="reorder", needs=["bird feeder"], facts_used=facts)
    rows = rows_of(await judged_by(study, PointJudge(), shop, what="points"))
    assert {name: row["weight"] for name, row in rows.items()} == {"s1": "okay", "s2": "okay", "k1": "vital"}
    assert rows["s2"]["text"] == "It takes account of where the shopper lives: Norman, Oklahoma."
    assert rows["k1"]["products"] == [FEEDER]


async def test_recall_by_hand_with_a_judge_that_omits_reorders_and_rewords(study: Study) -> None:
    """Vital: c1 full, c2 in part, m1 not; okay: c3 full, m2 in part. m2 is answered only when asked for alone."""
    ask(study)
    await put(study, answer("a", "x", "Hang a steel feeder in Oklahoma.", user_id=ANNA))
    said = cases("eval", "test_recall_by_hand_with_a_judge_that_omits_reorders_and_rewords")
    script = PointJudge([("It says where to hang it.", "vital"), ("It says how to clean it.", "okay")])
    script.says = lambda text: None if "clean" in text and len(script.shown[-1]) > 1 else said[text]
    judged = await judged_by(study, script)
    assert script.asked == ["points", "matches", "matches"]
    assert script.shown == [["c1", "c2", "c3", "m1", "m2"], ["m2"]]
    assert values(judged) == {
        "kp_vital_strict": pytest.approx(1 / 3),
        "kp_vital_lenient": pytest.approx(1.5 / 3),
        "kp_all_strict": pytest.approx(2 / 5),
        "kp_all_lenient": pytest.approx(3 / 5),
        "kp_points": 5.0,
    }
    again = PointJudge()
    assert values(await judged_by(study, again)) == values(judged)
    assert again.asked == [], "what was judged is not judged again"


async def test_a_point_without_a_verdict_makes_recall_unknown_and_never_0(study: Study) -> None:
    ask(study)
    await put(study, answer("a", "x", "A steel feeder.", user_id=ANNA), answer("b", "x", "No limits there."))
    script = PointJudge(says=lambda text: None if "place" in text else "support")
    judged = await judged_by(study, script)
    a, b = judged.answers
    assert (matches_of(judged, a.key) or {})["c3"]["support"] == "judge_error"
    found = metrics.per_report(judged, a)
    assert found["kp_vital_strict"] == 1.0, "the point without a verdict is not vital"
    assert found["kp_all_strict"] is None and found["kp_all_lenient"] is None
    assert judged.failed["matches"] == 1
    v = metrics.corpus(judged, [a])["kp_all_strict"]
    assert (v.value, v.n, v.n_unscored) == (None, 0, 1)
    assert metrics.per_report(judged, b)["kp_all_strict"] == 1.0, "its own points: the limit of its question"


async def test_a_question_without_points_has_no_recall(study: Study) -> None:
    ask(study, "Why do birds sing?")
    await put(study, answer("a", "x", "They like to."), answer("b", "x", "It costs $5."))
    judged = await judged_by(study, PointJudge())
    first, second = judged.answers
    assert set(metrics.per_report(judged, first).values()) == {None}
    v = metrics.corpus(judged, [first, second])["kp_all_strict"]
    assert (v.value, v.n, v.n_unscored) == (1.0, 1, 1)


async def test_points_that_could_not_be_made_leave_recall_unknown(study: Study) -> None:
    ask(study)
    await put(study, answer("a", "x", "A steel feeder.", user_id=ANNA))
    script = PointJudge(instead=lambda task, request: Say("no JSON") if task == "points" else None)
    with Wire(script) as wire:
        assert not (await judging(study, wire.url)).summary.ok
    judged = read_judged(study, choose_judging(study))
    assert "matches" not in script.asked
    assert judged.failed["points"] == 1
    assert values(judged)["kp_all_strict"] is None


async def test_code_decides_what_it_can_and_nobody_is_asked_for_it(study: Study, shop: Shop) -> None:
    """A product that a reader is shown, and a cost that the rule `budget` adds up; a remark shows nobody anything."""
    ask(study, "What of a within a budget of $100?", needs=["bird seed"])
    link = "[Black oil seed](http://ecommerce.example/B0SEED0001)"
    cheap = f"- {link}: $12.49\n- [feeder](http://ecommerce.example/{FEEDER}): $19.99\n\n**Total: $32.48**"
    await put(
        study,
        answer("a", "cheap", cheap, user_id=ANNA),
        answer("a", "dear", f"- {link}: $12.49\n- A bath: $164.50\n\n**Total: $176.99**", user_id=ANNA),
        answer("a", "sly", f"Buy nothing.\n\n[//]: # ({FEEDER} B0SEED0001)", user_id=ANNA),
    )
    script = PointJudge(says=lambda text: "not_support")
    judged = await judged_by(study, script, shop)
    said = {a.variant: matches_of(judged, a.key) or {} for a in judged.answers}
    by = {
        v: [f"{found[n]['support']} by {found[n]['by']}" for n in ("c1", "k1")] for v, found in said.items()
    }
    assert by == {
        "cheap": ["support by rule"] * 2,
        "dear": ["not_support by rule", "support by rule"],
        "sly": ["not_support by judge"] * 2,
    }
    assert script.shown == [["c1", "k1"]]


async def test_a_purchase_is_told_where_one_line_names_the_product_and_its_day(
    study: Study, shop: Shop
) -> None:
    """That a report offers again what she has says nothing of her having it."""
    ask(study, "Which bird feeder?", facts_used=[{"kind": "order", "id": ANNAS_ORDER}])
    name = "Panorama wild bird feeder with six ports"
    texts = {
        "month": f"You bought the {name} in June 2022.",
        "number": f"- {name}, order {ANNAS_ORDER}",
        "offer": f"| {name} | $19.99 |\n\nIn June 2022 birds sang.",
        "other": f"You bought the {name} in May 2022.",
        "hidden": f"Nothing.\n\n[//]: # ({name} June 2022)",
    }
    await put(study, *(answer("a", variant, text, user_id=ANNA) for variant, text in texts.items()))
    script = PointJudge(says=lambda text: "not_support")
    judged = await judged_by(study, script, shop)
    said = {a.variant: (matches_of(judged, a.key) or {})["s1"] for a in judged.answers}
    assert {variant: one["by"] for variant, one in said.items()} == cases(
        "eval", "test_a_purchase_is_told_where_one_line_names_the_product_and_its_day"
    )
    assert said["month"]["reason"] == "says that it was bought: June 2022"
    assert len(script.shown) == 3


async def test_many_points_are_asked_in_batches_of_one_size_each_point_once(study: Study) -> None:
    ask(study)
    rows = [own_point(f"p{n}", f"It names the thing number {n}.") for n in range(1, 24)]
    await put(study, answer("a", "x", "A steel feeder.", user_id=ANNA))
    script = PointJudge()
    judged = await judged_by(study, script, own_points={"q-a": rows})
    assert sorted(map(len, script.shown)) == [7, 8, 8]
    assert sorted(name for shown in script.shown for name in shown) == sorted(row["id"] for row in rows)
    assert "points" not in script.asked, "people's points need no addition"
    assert values(judged)["kp_all_strict"] == 1.0


async def test_other_points_are_another_judging_and_what_was_answered_is_not_paid_again(study: Study) -> None:
    ask(study)
    await put(study, answer("a", "x", "A steel feeder.", user_id=ANNA))
    own = {"q-a": [own_point("p1", "It is of steel.")]}
    first = await judged_by(study, PointJudge(says=lambda text: "not_support"))
    changed = PointJudge()
    second = await judged_by(study, changed, own_points=own)
    assert changed.asked == ["matches"]
    assert (texts(second), values(second)["kp_all_strict"]) == ({"p1": "It is of steel."}, 1.0)
    back = PointJudge()
    third = await judged_by(study, back)
    assert back.asked == []
    assert (texts(third), values(third)) == (texts(first), values(first))


async def test_a_question_that_was_mended_has_one_list_and_is_matched_with_it(study: Study) -> None:
    ask(study)
    await put(study, answer("a", "x", "A steel feeder.", user_id=ANNA))
    await judged_by(study, PointJudge())
    ask(study, "Which bird feeder, for at most $45 in all?")
    judged = await judged_by(study, PointJudge(says=lambda text: "not_support"))
    assert texts(judged) == {"c1": "What it recommends costs at most $45.00 together."}
    assert (judged.units["points"], judged.failed["points"]) == (1, 0)
    assert values(judged)["kp_all_strict"] == 0.0, "what was said of the points of before does not count"


async def test_a_forecast_counts_points_and_matches(study: Study) -> None:
    ask(study)
    await put(study, *(answer("a", name, "A steel feeder.", user_id=ANNA) for name in "xy"))
    models = scripted("http://127.0.0.1:9")
    rows = forecast(study, desk(study, models), models, JudgeOptions(["recall"]))["tasks"]
    await models.aclose()
    assert {name: row["calls"] for name, row in rows.items()} == {"points": 1, "matches": 2}
    assert not list(study.records("judgement", None))


def test_recall_of_nothing_is_unknown() -> None:
    row = own_point("c1", "t")
    said: PointVerdictRow = {"support": "not_support", "reason": "", "by": "judge"}
    assert metrics.recall([], {}, 0.5) is None
    assert metrics.recall([row], {}, 0.5) is None
    assert metrics.recall([row], {"c1": said}, 0.5) == 0.0


@pytest.mark.parametrize(("line", "wrong"), cases("eval", "test_a_broken_line_is_named_and_nothing_is_taken"))
def test_a_broken_line_is_named_and_nothing_is_taken(tmp_path: Path, line: str, wrong: str) -> None:
    path = tmp_path / "points.jsonl"
    path.write_text('{"query_id": "q-a", "text": "First", "weight": "vital"}\n' + line, encoding="utf-8")
    with pytest.raises(Misuse) as caught:
        read_points(path, {"q-a"})
    assert str(caught.value).startswith(f"{path}, {wrong}")


@pytest.mark.long
def test_the_command_exports_takes_in_and_shows_points(tmp_path: Path, drr: Drr) -> None:
    folder, out = tmp_path / "study", tmp_path / "points.jsonl"
    with Study.create(folder, {"schema": 1, "run": {}}) as study:
        ask(study)
        report = "Total: $20.\n\nIn Oklahoma, hang it low."
        asyncio.run(put(study, answer("a", "x", report, user_id=ANNA)))
    words = ("judge", folder, "--judge", "offline", "--quiet", "--what")
    drr.out(*words, "points", "--export-points", out)
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [line["id"] for line in lines] == ["c1", "c2", "c3"]
    own = {"query_id": "q-a", "text": "It says to hang it low.", "weight": "vital"}
    out.write_text("".join(json.dumps(line) + "\n" for line in [*lines[2:], own]), encoding="utf-8")
    found = drr.json(*words, "recall", "--points", out)["metrics"]["x"]
    assert (found["kp_points"]["value"], found["kp_all_strict"]["value"]) == (2.0, 0.0)
    assert found["kp_all_lenient"]["value"] == 0.5, "words alone show at most a part"
    assert "--export-points" in drr.err(*words, "points", "--dry-run", "--export-points", out)
    for place, code in ((tmp_path / "none" / "p.jsonl", 2), (tmp_path, 1)):
        assert str(place) in drr.err(*words, "points", "--export-points", place, code=code)
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}", encoding="utf-8")
    code, printed, said = drr(*words, "recall", "--points", bad)
    assert (code, printed, said) == (2, "", f"drr: {bad}, line 1: query_id: is missing\n")
    told = drr.out(*words, "recall")  # the points that were taken in count until others are given
    assert re.search(r"^variant .*vital, strict", told, re.MULTILINE)
    drr.out("view", folder, "--static", tmp_path / "pages", "--quiet")
    (question,) = (tmp_path / "pages" / "q").glob("*.html")
    assert "<b>p2</b> vital (person): It says to hang it low.</th><td><span" in question.read_text("utf-8")
    (page,) = (tmp_path / "pages" / "r").glob("*.html")
    for shown in (
        "Key points of the question",
        "<b>p2</b> vital (person): It says to hang it low.",
        '<span class="tag point-partial_support">partial support</span>',
        '<blockquote class="passage">In Oklahoma, hang it low.</blockquote>',
    ):
        assert shown in page.read_text("utf-8")


async def test_the_judge_without_a_model_finds_rather_too_little(study: Study) -> None:
    ask(study)
    own: dict[str, list[PointRow]] = cases("eval", "test_the_judge_without_a_model_finds_rather_too_little")
    told = "A baffle on the pole keeps squirrels away.\n\nBuy seed."
    await put(study, answer("a", "x", told, user_id=ANNA))
    judged = await by_rules(study, ["recall"], own_points=own)
    (found,) = judged.answers
    said = {name: one["support"] for name, one in (matches_of(judged, found.key) or {}).items()}
    assert said == {"p1": "partial_support", "p2": "not_support", "p3": "not_support"}
    assert GRINDER not in texts(judged).values()
