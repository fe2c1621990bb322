"""Reports are scored by criteria: matched by id, missing is unscored, and only what was changed is asked again."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from drr.app.report.grids import section
from drr.app.report.material import ReportData
from drr.app.report.metric_tables import metric_tables
from drr.app.report.tables import Cell, Table, headings, markdown
from drr.eval.asking.judge import KeptAnswers
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.judging.run import JudgeOptions, Work, forecast
from drr.eval.metrics.document import study_document
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.registry import task_stages, tasks
from drr.papers.pdr.judging.choices import PqrChoices
from drr.papers.pdr.judging.forms import ScoredCriterion
from drr.papers.pdr.judging.making import criteria_owners
from drr.papers.pdr.judging.rows import DIMENSIONS, CriteriaOwner, GivenCriteria, rubric_of, scores_of
from drr.papers.pdr.judging.scoring import SCORES_TASK, score_row, totals_under, without_citations
from drr.papers.pdr.metrics import pqr as metrics
from drr.study.run import run
from drr.study.study import Study

from tests.cases import cases
from tests.commands import Drr
from tests.eval.nursery import answer, by_wire, desk, message, put, scripted, sections_of, system
from tests.eval.pqr_judge import PERSONS, CriteriaJudge, judged_by, judging
from tests.tools.small_shop import ANNA, BEN
from tests.wire import Fail, Request, Say, Wire

TASK = "What of a, within a budget of $100?"
OF_ANNA = CriteriaOwner("t1", "p-anna")
REPORT = "A steel feeder [1].\n\n## Sources\n[1] http://ecommerce.example/B0BN7FLXLV\n"


def ask(study: Study, *users: str) -> None:
    named = {"q-a": ANNA} if not users else {f"q-{n}": user for n, user in enumerate(users)}
    rows = [{"id": n, "query": TASK, "user_id": user, "task_id": "t1"} for n, user in named.items()]
    (study.folder / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


async def reported(study: Study, *names: str) -> None:
    """Answers of one question, or of one system alone."""
    ask(study)
    texts = {name: f"Of {name}. {REPORT}" for name in names} or {"x": REPORT}
    await put(study, *(answer("a", name, text, user_id=ANNA) for name, text in texts.items()))


def scored(script: CriteriaJudge) -> list[str]:
    return [text for text in script.prompts if text.startswith("You score a report")]


def values(judged: Judged, variant: str = "x") -> dict[str, float | None]:
    (found,) = (one for one in judged.answers if one.variant == variant)
    return dict(metrics.per_report(judged, found))


def test_what_is_taken_for_a_score() -> None:
    taken: list[tuple[Any, int | None]] = [
        (9, 9), ("9", 9), (" 10 ", 10), (0, 0), (9.0, 9), (8.5, None), ("8.5", None), (11, None), (-1, None), ("nine", None), (None, None), ("", None),
    ]  # fmt: skip
    rows = [score_row(ScoredCriterion(id="x", score=value)) for value, _ in taken]
    assert [row["score"] for row in rows] == [number for _, number in taken]
    assert [bool(row.get("reason")) for row in rows] == [number is None for _, number in taken]
    assert rows[5].get("reason") == "8.5 is no integer from 0 to 10"


def test_citations_are_taken_out_and_the_words_stay() -> None:
    text = "Buy the [Panorama feeder](http://ecommerce.example/B0X) [1], it is good [^2].\n\n## Sources\n[1] A: http://a.example\n[^2]: http://b.example\n"
    assert without_citations(text) == "Buy the Panorama feeder, it is good.\n\n## Sources\n"


async def test_reworded_and_reordered_answers_land_right_and_what_is_missing_is_unscored(
    study: Study,
) -> None:
    """The judge answers backwards, under upper-case ids, with the criterion in other words."""
    await reported(study)
    said: dict[str, Any] = {"goal1": 10, "goal2": "9", "goal3": 8.5, "goal4": 0}

    def score(name: str, text: str) -> Any:
        if name == "goal5":
            raise KeyError(name)
        return said.get(name, 4)

    script = CriteriaJudge(score)
    judged = await judged_by(study, script)
    rubric = rubric_of(judged, OF_ANNA)
    scores = scores_of(judged, judged.answers[0].key)
    assert rubric is not None and scores is not None
    (first,) = (found for place, found in scores.items() if place.owner == OF_ANNA and place.round == 0)
    by_id = {row["id"]: first[rubric.hash_of("GOAL", row)] for row in rubric.rows("GOAL")}
    assert [by_id[f"goal{n}"]["score"] for n in range(1, 9)] == [10, 9, None, 0, None, 4, 4, 4]
    assert by_id["goal3"].get("reason") == "8.5 is no integer from 0 to 10"
    assert by_id["goal5"].get("reason") == "the judge left this id out, also when asked for it alone"
    assert script.shown.count(["goal5"]) == 3, "asked for once more in each round"
    found = values(judged)
    assert found["pqr_goal"] == pytest.approx((10 + 9 + 0 + 4 + 4 + 4) / 6), (
        "no average stands for what is missing"
    )
    assert found["pqr_p"] == pytest.approx(0.25 * found["pqr_goal"] + 0.75 * 4)
    assert found["pqr_unscored"] == 6.0
    assert found["pqr_p_sd_rounds"] == 0.0


@pytest.mark.long
async def test_three_settings_and_two_variants_share_the_criteria(study: Study) -> None:
    """17 calls for criteria, whatever is scored; seven for each report and round."""
    ask(study)
    names = [
        f"{variant}-{setting}" for variant in ("react", "p2f") for setting in ("task", "context", "persona")
    ]
    reports = (f"By {index}. {REPORT}" for index in range(len(names)))
    await put(study, *(answer("a", *one, user_id=ANNA) for one in zip(names, reports, strict=True)))
    script = CriteriaJudge()
    await judged_by(study, script, rounds=2)
    assert Counter(script.asked) == {"weights": 10, "criteria": 7, "scores": 6 * 7 * 2}
    blind = [*names, "context", ANNA, "B0BN7FLXLV"]  # and without citations
    assert not any(word in text for text in script.prompts for word in blind)
    again = CriteriaJudge()
    judged = await judged_by(study, again, rounds=2)
    assert not again.asked
    v = metrics.corpus(judged, judged.answers)["pqr_p"]
    assert (v.value, v.n, v.n_unscored) == (pytest.approx(7.0), 6, 0)


@pytest.mark.long
async def test_as_printed_the_same_criteria_are_scored_in_the_papers_way_and_made_once(study: Study) -> None:
    """Two calls a round; a dimension without a score counts 0. What a person has nothing to do with has no ceiling in either."""
    await reported(study)
    ours = CriteriaJudge(lambda name, text: 6)
    await judged_by(study, ours, rounds=1)
    printed = CriteriaJudge(lambda name, text: None if name.startswith("goal") else 8)
    options = JudgeOptions(["criteria"])
    options.stages = task_stages({name: tasks()[name] for name in ("criteria", "scores")})
    choices = {PqrChoices: PqrChoices(PERSONS, rounds=1)}
    assert (await by_wire(study, printed, options, protocol="paper", choices=choices))[0].summary.ok
    assert Counter(printed.asked) == {"scores": 2}, "criteria are those that were made for ours"
    assert sorted(map(len, printed.shown)) == [3 * 8, 4 * 8]
    assert all("6-8 good" in text and "7 or 8" not in text for text in printed.prompts)
    told = scored(ours) + scored(printed)
    assert len(told) == 7 + 2 and not any("suit anybody" in text for text in told)
    document = study_document(study)
    found = document["as_printed"]["metrics"]["x"]
    assert (found["pqr_p"]["value"], found["pqr_q"]["value"]) == (pytest.approx(0.75 * 8), pytest.approx(8))
    assert found["pqr_goal"]["value"] is None and found["pqr_pres"]["value"] == 8.0
    assert document["metrics"]["x"]["pqr_p"]["value"] == pytest.approx(6)


async def test_quality_is_scored_without_the_person(study: Study) -> None:
    await reported(study)
    script = CriteriaJudge()
    await judged_by(study, script, rounds=1)
    known = [any(s.label == "profile" for s in sections_of(text)) for text in scored(script)]
    assert (known.count(True), known.count(False)) == (4, 3)


async def test_after_an_edit_only_what_was_changed_is_asked(study: Study) -> None:
    await reported(study)
    first = await judged_by(study, CriteriaJudge(lambda name, text: 5))
    rubric = rubric_of(first, OF_ANNA)
    assert rubric is not None and rubric.weights is not None
    rows = {name: [dict(row) for row in rubric.rows(name)] for name in DIMENSIONS["p"]}
    rows["CONT"][2]["criterion"] = "It says how to keep squirrels away."
    rows["CONT"][3]["weight"] = 2.0
    given: Any = {OF_ANNA: GivenCriteria(rubric.weights["weights"], rows)}  # type: ignore[arg-type]
    script = CriteriaJudge(lambda name, text: 10)
    second = await judged_by(study, script, given=given)
    assert Counter(script.asked) == {"scores": 3} and script.shown == [["cont3"]] * 3
    weights = [1 / 8, 1 / 8, 1 / 8, 2.0, 1 / 8, 1 / 8, 1 / 8, 1 / 8]
    scores = [5, 5, 10, 5, 5, 5, 5, 5]
    expected = sum(w * s for w, s in zip(weights, scores, strict=True)) / sum(weights)
    assert values(second)["pqr_cont"] == pytest.approx(expected)
    back = CriteriaJudge()
    third = await judged_by(study, back)
    assert not back.asked and values(third) == values(first), "what was made counts again, and costs nothing"


@pytest.mark.long
async def test_a_report_that_waits_for_a_changed_criterion_has_no_figure(study: Study) -> None:
    """One of two reports was scored by the new criterion when the judging stopped: no table holds both versions."""
    await reported(study, *"xy")
    rubric = rubric_of(await judged_by(study, CriteriaJudge(), rounds=1), OF_ANNA)
    assert rubric is not None and rubric.weights is not None
    rows: Any = {name: [dict(row) for row in rubric.rows(name)] for name in DIMENSIONS["p"]}
    rows["CONT"][2]["criterion"] = "It says how to keep squirrels away."
    given = {OF_ANNA: GivenCriteria(rubric.weights["weights"], rows)}

    def instead(task: str, request: Request) -> Fail | None:
        return Fail(401, "authentication_error") if "Of y." in message(request) else None

    with Wire(CriteriaJudge(instead=instead)) as wire:
        assert not (await judging(study, wire.url, given=given, rounds=1)).summary.ok
    judged = read_judged(study, choose_judging(study))
    assert (values(judged, "y")["pqr_p"], values(judged, "y")["pqr_q"]) == (None, pytest.approx(7.0))
    v = metrics.corpus(judged, [one for one in judged.answers if one.variant == "y"])["pqr_p"]
    assert (v.n, v.n_unscored) == (0, 1)
    done = await judged_by(study, CriteriaJudge(), given=given, rounds=1)
    assert values(done, "y")["pqr_p"] == pytest.approx(7.0)


async def test_all_dimensions_at_once_as_published(study: Study) -> None:
    await reported(study)
    script = CriteriaJudge()
    await judged_by(study, script, rounds=1, at_once=True)
    assert sorted(map(len, script.shown)) == [24, 32]


@pytest.mark.long
async def test_a_dimension_without_criteria_makes_the_whole_unknown(study: Study) -> None:
    await reported(study)

    def instead(task: str, request: Request) -> Say | None:
        presentation = task == "criteria" and "the side Presentation fit" in system(request)
        return Say("no JSON") if presentation else None

    script = CriteriaJudge(instead=instead)
    with Wire(script) as wire:
        await judging(study, wire.url)

    judged = read_judged(study, choose_judging(study))
    found = values(judged)
    assert (found["pqr_p"], found["pqr_pres"], found["pqr_goal"]) == (None, None, 7.0)
    assert found["pqr_p_printed"] == pytest.approx(0.75 * 7)
    assert found["pqr_overall"] is None
    v = metrics.corpus(judged, judged.answers)["pqr_p"]
    assert (v.value, v.n, v.n_unscored) == (None, 0, 1)


@pytest.mark.long
async def test_other_persons_criteria_leave_a_reports_own_figures_alone(study: Study) -> None:
    """What a swap plans: the same unit under another owner."""
    ask(study, ANNA, BEN)
    unit = answer("0", "x", REPORT, user_id=ANNA)
    await put(study, unit)
    script = CriteriaJudge(lambda name, text: 2 if "keeps a dog" in text else 8)
    with Wire(script) as wire:
        await judging(study, wire.url, rounds=1)
        models = scripted(wire.url)
        made = desk(study, models, choices={PqrChoices: PqrChoices(PERSONS, rounds=1)})
        judged = read_judged(study, choose_judging(study))
        (found,) = judged.answers
        of_ben = next(one for one in criteria_owners(made, "q-1", TASK, BEN) if one.person is not None)
        units = list(SCORES_TASK.units(made, found, of_ben, judged, own=False))
        assert len(units) == 4
        summary = await run(study, units, Work(made, KeptAnswers(study)), models=models)
        await models.aclose()
    assert summary.ok
    judged = read_judged(study, choose_judging(study))
    assert values(judged)["pqr_p"] == pytest.approx(8.0)
    swapped = totals_under(judged, found.key, of_ben.owner, own=False)
    assert swapped is not None and swapped.total == pytest.approx(2.0)


@pytest.mark.long
def test_the_command_judges_without_a_model_and_shows_every_table(tmp_path: Path, drr: Drr) -> None:
    folder = tmp_path / "study"
    with Study.create(folder, {"schema": 1, "run": {}}) as study:
        asyncio.run(reported(study, "x", "y"))
    persons = tmp_path / "persons.jsonl"
    persons.write_text("\n".join(one.model_dump_json() for one in PERSONS.values()), encoding="utf-8")
    words = ("judge", folder, "--judge", "offline", "--quiet", "--what", "pqr")
    found = drr.json(*words, "--persons", persons, "--rounds", "2")["metrics"]["x"]
    for name in cases("eval", "test_the_command_judges_without_a_model_and_shows_every_table"):
        assert {"value", "ci_low", "ci_high", "n", "n_unscored", "method"} <= found[name].keys(), name
    assert found["pqr_p"]["value"] is not None and found["pqr_p_sd_rounds"]["value"] == 0.0
    told = drr.out(*words)
    assert "(rules-2)" in told and re.search(r"^variant .* P$", told, re.MULTILINE)
    with Study.open(folder) as study:
        keys = [record.key_fields for record in study.records("judgement")]
    rounds = {one["round"] for one in keys if one["task"] == "scores"}
    assert rounds == {0, 1}, "what was asked for once counts until something else is"
    drr.out("report", folder, "--out", tmp_path / "report")
    for name in ("pqr", "pqr-dimensions"):
        drawn = (tmp_path / "report" / "tables" / f"{name}.md").read_text("utf-8")
        assert "P SD rounds" in drawn and "rules-2" in drawn
    drr.out("view", folder, "--static", tmp_path / "pages", "--quiet")
    (question,) = (tmp_path / "pages" / "q").glob("*.html")
    assert "<b>goal1</b> " in question.read_text("utf-8")
    pages = [page.read_text("utf-8") for page in (tmp_path / "pages" / "r").glob("*.html")]
    assert all("<b>dein1</b> (rule): It deals with this part of the task" in page for page in pages)
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}", encoding="utf-8")
    assert drr.err(*words, "--persons", bad).startswith(f"drr: {bad}, line 1: ")


def test_what_is_within_the_noise_is_grey() -> None:
    table = Table("t", "T", headings("P"), [("a", [Cell(7.0)]), ("b", [Cell(6.9, slight=True)])])
    assert "| 6.90 ≈ |" in markdown(table)
    assert '<td class="slight">≈ 6.90' in section(table, {})


@pytest.mark.long
async def test_a_variant_is_grey_where_it_is_no_further_off_than_the_rounds_are_apart(study: Study) -> None:
    """The judge gives 5, 7, 9 in turn of rounds: reports that differ by 1 are within that, one that differs by 5 is not."""
    off = {"best": 0, "near": 1, "far": 5}
    await reported(study, *off)
    rounds: dict[str, Iterator[int]] = {}

    def instead(task: str, request: Request) -> Say | None:
        if task != "scores":
            return None
        shown = message(request)
        apart = next(off[one] for one in off if f"Of {one}." in shown)
        score = 5 + 2 * next(rounds.setdefault(shown, count())) - apart
        ids = re.findall(r"^Criterion `([^`]+)`", shown, re.MULTILINE)
        return Say(json.dumps({"scores": [{"id": name, "analysis": "", "score": score} for name in ids]}))

    script = CriteriaJudge(instead=instead)
    judged = await judged_by(study, script)
    material = ReportData(study, judged, study_document(study))
    (table,) = (one for one in metric_tables(material) if one.name == "pqr")
    place = [column.key for column in table.columns].index("pqr_p")
    assert {name: (cells[place].value, cells[place].slight) for name, cells in table.rows} == {
        "best": (pytest.approx(7.0), False),
        "near": (pytest.approx(6.0), True),
        "far": (pytest.approx(2.0), False),
    }


async def test_a_forecast_counts_criteria_and_scores(study: Study) -> None:
    await reported(study, *"xy")
    models = scripted("http://127.0.0.1:9")
    made = desk(study, models, choices={PqrChoices: PqrChoices(PERSONS)})
    rows = forecast(study, made, models, JudgeOptions(["pqr"]))["tasks"]
    await models.aclose()
    assert (rows["criteria"]["calls"], rows["scores"]["calls"]) == (17, 2 * 7 * 3)
    assert not list(study.records("judgement", None))
