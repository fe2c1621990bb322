"""A judging as study work: what is asked, what is kept, what a new judge, prompt or protocol adds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from drr.env.errors import Misuse
from drr.env.shop import Shop
from drr.env.web.base import Page
from drr.env.web.fetch import Fetcher
from drr.env.web.live import LiveWeb, Serper
from drr.env.web.record import Snapshots
from drr.eval.agreement.study import latest_judgings
from drr.eval.asking.conversation import box_prompts
from drr.eval.asking.rules import VERSION
from drr.eval.evidence.answers import read_answers
from drr.eval.judging.difference import difference
from drr.eval.judging.read import choose_judging, judgings, read_judged, repetitions, store_judging
from drr.eval.judging.run import JudgeOptions, cited_pages, forecast, judge, refetch
from drr.eval.metrics.compare import ValueTable, compare_systems
from drr.eval.metrics.document import banner, study_document
from drr.eval.tasks.judgements import JudgingRun
from drr.offline.judge import RulesJudge
from drr.study.study import Study

from tests.cases import cases
from tests.commands import Drr
from tests.eval.nursery import (
    Judge,
    answer,
    by_rules,
    by_wire,
    desk,
    message,
    offline,
    put,
    scripted,
    sentences,
    system,
    web,
)
from tests.tools.small_shop import ANNA, FEEDER
from tests.web.hostile import READER, redirect, reply, serving, to_loopback
from tests.wire import Request, Say, Wire

CARE = "https://birds.example/care"
PAGE = web(CARE, "Clean every feeder once a week.")


def report(mark: str, claims: int = 1) -> str:
    lines = "\n".join(f"{mark} claim number {i} about care [1]." for i in range(claims))
    return f"# {mark}\n{lines}\n\n## Sources\n[1] {CARE}\n[2] http://ecommerce.example/{FEEDER}"


async def judged_by(
    script: Judge, study: Study, options: JudgeOptions, shop: Shop | None = None, **more: Any
) -> list[Any]:
    return (await by_wire(study, script, options, shop, **more))[1]


async def test_each_dimension_is_a_call_of_its_own_and_sees_shop_and_profile(
    study: Study, shop: Shop
) -> None:
    await put(study, answer("a", "react", report("plain"), [PAGE], user_id=ANNA))
    requests = await judged_by(Judge(), study, JudgeOptions(["quality"]), shop)
    assert len(requests) == 7
    assert all("http://ecommerce.example" in system(r) for r in requests)
    assert all("Norman" in message(r) for r in requests)
    assert len({system(r) for r in requests}) == 1
    told = [message(r).rpartition("</answer ") for r in requests]
    assert len({before for before, _, _ in told}) == 1, "they begin alike, up to the criterion"
    assert sum("How well does the answer fit the one person who asked" in asked for *_, asked in told) == 1
    for request in requests:
        form = request.body["output_config"]["format"]["schema"]
        assert list(form["properties"]) == ["justification", "rating"]


async def test_every_pair_meets_in_both_orders_trial_by_trial(study: Study) -> None:
    for t, v in ((t, v) for t in (0, 1) for v in ("react+ws", "hybrid-react+ws")):
        await put(study, *(answer(q, v, report(v), [PAGE], trial=t) for q in "ab"))
    await put(study, *(answer(q, "react", report("react"), [PAGE]) for q in "ab"))
    requests = await judged_by(Judge(winner=lambda a, b: "A"), study, JudgeOptions(["pairwise"]))
    assert len(requests) == 2 * 2 * 2
    document = study_document(study)
    assert {(row["a"], row["b"]) for row in document["pairwise"]} == {("hybrid-react+ws", "react+ws")}
    row = document["pairwise"][0]
    assert (row["ties"], row["inconsistent"], row["unreliable"]) == (4, 4, True)
    gate = document["pairwise_detail"]["positions"]["depth"]
    assert (gate["position_consistency"]["value"], gate["first_position_rate"]["value"]) == (0.0, 1.0)


async def test_a_second_judge_adds_and_never_overwrites(study: Study) -> None:
    await put(study, answer("a", "react", report("plain"), [PAGE]))
    await judged_by(Judge(rating=lambda text: 8), study, JudgeOptions(["quality"]))
    await by_rules(study, ["quality"])
    model, rules = study_document(study), study_document(study, "rules-2")
    assert model["judge"]["name"] == "anthropic:claude-sonnet-5-5"
    assert model["metrics"]["react"]["overall"]["value"] == 8.0
    assert rules["judge"]["rule_written"]
    assert "rules-2" in rules["banner"]
    assert rules["metrics"]["react"]["overall"]["value"] != 8.0
    with pytest.raises(Misuse, match="has not judged it"):
        choose_judging(study, "nobody")


@pytest.mark.parametrize(("name", "version"), [("rules-1", 21), ("rules-2", 1)])
async def test_figures_by_rules_of_before_say_that_they_stand_apart(
    study: Study, monkeypatch: pytest.MonkeyPatch, name: str, version: int
) -> None:
    await put(study, answer("a", "react", report("plain"), [PAGE]))
    models = offline()
    with monkeypatch.context() as older:
        older.setattr(RulesJudge, "name", name)
        older.setattr(RulesJudge, "version", version)
        older.setattr(RulesJudge, "banner", None)
        await judge(study, desk(study, models), models, JudgeOptions(["quality"]))
    kept = read_judged(study, judgings(study)[-1])
    notice = f"By version {version} of {name}, today's rules are version {VERSION} of rules-2: not comparable"
    assert notice in (banner(kept) or "") and notice in study_document(study)["banner"]
    await judge(study, desk(study, models), models, JudgeOptions(["quality"]))
    assert "not comparable" not in study_document(study, "offline")["banner"]
    told = difference(*(read_judged(study, one) for one in judgings(study)))["warning"]
    named = f"versions 1 and {VERSION} of rules-2" if name == "rules-2" else "rules-1 and rules-2"
    assert told is not None and told.startswith(named)
    assert list(latest_judgings(study)) == ["rules-2"], "others are compared with nobody"
    before = study_document(study, name) if name == "rules-1" else None
    assert before is None or before["metrics"]["react"]["overall"]["value"] is not None


async def test_a_changed_prompt_judges_again_and_the_difference_is_told(study: Study, tmp_path: Path) -> None:
    await put(study, answer("a", "react", report("plain"), [PAGE]))
    await judged_by(Judge(rating=lambda text: 8), study, JudgeOptions(["quality"]))
    (tmp_path / "criterion_depth.md").write_text("How deep does it go? Stricter than before.")
    prompts = box_prompts().overridden(tmp_path)
    stricter = Judge(rating=lambda text: 5)
    assert len(await judged_by(stricter, study, JudgeOptions(["quality"]), prompts=prompts)) == 1
    old, new = (read_judged(study, judging) for judging in judgings(study))
    assert (old.ratings != new.ratings, len(judgings(study))) == (True, 2)
    told = difference(old, new)["tasks"]["rating"]
    assert (told["both"], told["changed"]) == (7, 1)
    assert told["changes"] == [{"answer": "q-a/react/0", "item": "depth", "old": 8, "new": 5}]


async def test_what_a_judging_was_not_asked_for_stays_as_it_was(study: Study, tmp_path: Path) -> None:
    """Before, a judging of pairs had today's version of every task, and no grades of before."""
    await put(
        study, *(answer("a", variant, report(variant), [PAGE]) for variant in ("react", "hybrid-react"))
    )
    await judged_by(Judge(rating=lambda text: 8), study, JudgeOptions(["quality"]))
    (tmp_path / "criterion_depth.md").write_text("How deep does it go? Stricter than before.")
    prompts = box_prompts().overridden(tmp_path)
    await judged_by(Judge(winner=lambda a, b: "A"), study, JudgeOptions(["pairwise"]), prompts=prompts)
    (one,) = judgings(study)
    found = study_document(study)
    assert found["metrics"]["react"]["depth"]["value"] == 8.0 and found["pairwise"]
    assert {name.partition("/")[0] for name in one.versions} == {"rating", "pairwise"}


@pytest.mark.long
async def test_the_papers_protocol_stands_beside_ours_and_is_labelled(study: Study, shop: Shop) -> None:
    text = f"Cited care claim number 7 [1].\nFeeder claim [2].\nAn uncited claim.\n\n## Sources\n[1] {CARE}\n[2] http://ecommerce.example/{FEEDER}"
    await put(study, *(answer(q, v, text, [PAGE]) for q in "ab" for v in ("react+ws", "hybrid-react+ws")))
    everything = JudgeOptions(["faithfulness", "quality", "pairwise"])
    verdict = lambda claim, text: "no_support" if "care" in claim else "full_support"  # noqa: E731
    await judged_by(Judge(claims=sentences, support=verdict), study, everything, shop)
    script = Paper(claims=sentences, support=verdict)
    requests = await judged_by(script, study, everything, shop, protocol="paper")
    assert script.asked.count("claims") == 2 * 4
    assert script.asked.count("pairwise") == 2 * 7
    rating = next(r for r in requests if "grade" in system(r)[:20])
    assert list(rating.body["output_config"]["format"]["schema"]["properties"]) == ["rating", "justification"]
    pair = next(r for r in requests if "compare" in system(r)[:20])
    assert pair.body["output_config"]["format"]["schema"]["properties"]["winner"]["enum"] == ["A", "B"]
    document = study_document(study)
    as_printed = document["as_printed"]
    printed, coverage = as_printed["metrics"]["react+ws"], as_printed["coverage"]
    assert (as_printed["label"], coverage["invalid"]) == ("as printed", False)
    assert coverage["tasks"]["claims"]["judged"] == 2 * len(read_answers(study))
    assert printed["fp"]["value"] == pytest.approx((0 + 1) / 2)
    assert printed["fr"]["value"] == pytest.approx(2 / 3)
    assert document["metrics"]["react+ws"]["overall"]["value"] == 7.0


async def test_as_printed_a_long_page_is_shown_whole_and_under_ours_by_what_concerns_the_claim(
    study: Study,
) -> None:
    text = "Head.\n" + "Filler without use.\n" * 400 + "Zinc rusts late.\n" + "More filler.\n" * 400
    cited = f"Care claim [1].\n\n## Sources\n[1] {CARE}"
    await put(study, answer("a", "react", cited, [web(CARE, text)]))
    faithful = JudgeOptions(["faithfulness"])
    ours = await judged_by(Judge(claims=sentences), study, faithful)
    theirs = await judged_by(Paper(claims=sentences), study, faithful, protocol="paper")
    assert not any("Zinc rusts late." in message(r) for r in ours)
    assert sum("Zinc rusts late." in message(r) for r in theirs) == 1
    asked = [(one.key_fields, one.result) for one in study.records("judgement")]
    (support,) = (said for of, said in asked if (of["task"], of["protocol"]) == ("support", "paper"))
    (verdict,) = support["verdicts"].values()
    assert verdict["sources"][0]["passages"] == [[0, len(text)]]


class Paper(Judge):
    """Answers in the order the paper asked for."""

    def _support(self, request: Request) -> dict[str, Any]:
        said = super()._support(request)["verdicts"]
        return {"verdicts": [{name: v[name] for name in ("id", "support", "justification")} for v in said]}

    def _pairwise(self, request: Request) -> dict[str, Any]:
        told = super()._pairwise(request)
        return told if "verdicts" in told else {"winner": "A", "justification": "as told"}


async def test_equation_2_is_undefined_without_one_of_its_terms(study: Study) -> None:
    await put(study, answer("a", "react", f"Care claim [1].\n\n## Sources\n[1] {CARE}", [PAGE]))
    await judged_by(Paper(claims=sentences), study, JudgeOptions(["faithfulness"]), protocol="paper")
    printed = study_document(study)["as_printed"]["metrics"]["react"]["fp"]
    assert printed["value"] is None
    assert "product" in printed["reason"]


async def test_repetitions_bypass_the_cache_for_a_sample_and_leave_the_figures_alone(study: Study) -> None:
    await put(study, *(answer(str(i), "react", report(f"r{i}"), [PAGE]) for i in range(8)))
    await judged_by(Judge(), study, JudgeOptions(["quality"]))
    before = json.dumps(study_document(study))
    requests = await judged_by(Judge(rating=lambda text: 3), study, JudgeOptions(["quality"]), repeat=1)
    assert len(requests) == 5 * 7, "whole reports"
    assert json.dumps(study_document(study)) == before


async def test_a_judge_that_says_the_same_again_has_no_noise(study: Study) -> None:
    """A repetition reads some reports. The figure of a part of a report's claims is no second reading of it."""
    lines = [*(f"Clean the feeder number {n} weekly [1]." for n in range(3)), "Pears are blue [1]."]
    text = "\n\n".join(lines) + f"\n\n## Sources\n[1] {CARE}"
    await put(study, *(answer(str(i), v, text, [PAGE]) for i in range(8) for v in "xy"))
    await by_rules(study, ["faithfulness"], repeat=0)
    await by_rules(study, ["faithfulness"], repeat=1)
    judged = read_judged(study, choose_judging(study))
    noise = compare_systems(ValueTable(judged, again=repetitions(study, judged)), "x", "y")["noise"]
    assert (noise["fp"]["value"], noise["fp"]["n"]) == (0.0, 5)
    assert all(row["value"] == 0.0 for row in noise.values()) and "n_claims" not in noise


async def test_a_forecast_counts_the_calls_that_a_run_then_makes(study: Study, shop: Shop) -> None:
    text = f"Care claim number one [1].\n\nThe feeder has ports [2].\n\n## Sources\n[1] {CARE}\n[2] http://ecommerce.example/{FEEDER}"
    await put(study, *(answer(q, v, text, [PAGE]) for q in "ab" for v in ("x+ws", "y+ws")))
    options = JudgeOptions(["faithfulness", "quality", "pairwise"])
    models = offline()
    made = desk(study, models, shop)
    told = forecast(study, made, models, options)["tasks"]
    calls = {task: row["calls"] for task, row in told.items()}
    assert calls == {"support": 8, "rating": 28, "pairwise": 4}, "rules extract claims without a call"
    await judge(study, made, models, options)
    assert forecast(study, made, models, options)["calls"] == 0
    again = desk(study, models, shop, repeat=1)
    told = forecast(study, again, models, options)
    ran = await judge(study, again, models, options)
    assert told["calls"] == ran.summary.done - 4 == 8 + 28 + 4, "a sample of each task, and claims by rules"
    assert forecast(study, again, models, options)["calls"] == 0


async def test_more_than_two_percent_of_failures_spoil_a_judging(study: Study) -> None:
    await put(study, *(answer(str(i), "react", report(f"r{i}"), [PAGE]) for i in range(2)))

    once = Judge(instead=lambda task, request: Say("no grade from me") if request.number == 3 else None)
    await judged_by(once, study, JudgeOptions(["quality"]))
    coverage = study_document(study)["coverage"]
    assert not coverage["invalid"]  # asked once more, it answered
    always = Judge(instead=lambda task, request: Say("none"))
    await put(study, answer("c", "react", report("late"), [PAGE]))
    await judged_by(always, study, JudgeOptions(["quality"]))
    coverage = study_document(study)["coverage"]
    assert coverage["invalid"]
    assert coverage["tasks"]["rating"] == {"judged": 21, "failed": 7, "failed_share": pytest.approx(1 / 3)}
    overall: Mapping[str, Any] = study_document(study)["metrics"]["react"]["overall"]
    assert (overall["value"], overall["n"], overall["n_unscored"]) == (7.0, 2, 1)


NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
FACT = "A ramp for an old dog rises no more than eighteen degrees, and its surface is rough enough to hold wet paws."
OTHER = "Dogs with sore joints need wider steps, and a rail helps them to trust the ramp in the first week."
REST = "Measure the height of the car before you choose the length of the ramp; a long ramp is a gentle one."


def article(text: str) -> str:
    body = f"<article><h1>Ramps</h1><p>{text}</p><p>{REST}</p></article>"
    return f"<html><head><title>Ramps</title></head><body>{body}</body></html>"


async def test_what_was_read_what_stands_there_and_what_is_left_of_it(study: Study) -> None:
    # claim, frozen page, what the agent saw, the page now
    ways = {
        "overread": (FACT, "A page on ramps.", article(FACT)),
        "misled": (OTHER, FACT, article(OTHER)),
        "invented": (OTHER, "A page on ramps.", article(OTHER)),
        "kept": (FACT, FACT, article(FACT)),
        "moved": (FACT, FACT, article(FACT)),
        "rotten": (FACT, FACT, None),
        "rewritten": (FACT, FACT, article(OTHER)),
        "walled": (None, FACT, article(FACT)),
    }
    async with serving() as site:
        names = list(ways)
        sources = []
        for name, (page, seen, now) in ways.items():
            status = "ok" if page else "blocked"
            sources.append(web(site.url(f"/{name}"), page, seen=seen, status=status))
            if now:
                site.routes[f"/{name}"] = reply(now)
        site.routes["/new"] = site.routes["/moved"]
        site.routes["/moved"] = redirect("/new")
        report = "\n".join(f"Ramps of {name} are gentle [{n}]." for n, name in enumerate(names, 1))
        listed = "\n".join(f"[{n}] {site.url(f'/{name}')}" for n, name in enumerate(names, 1))
        await put(study, answer("a", "react", f"{report}\n\n## Sources\n{listed}\n", sources))

        def live() -> LiveWeb:
            fetcher = Fetcher(timeout=5, respect_robots=False, resolver=to_loopback, loopback_port=site.port)
            return LiveWeb(Serper(None, timeout=5), fetcher, READER)

        script = Judge(
            claims=sentences,
            support=lambda claim, text: "full_support" if "eighteen degrees" in text else "no_support",
        )
        options = JudgeOptions(["faithfulness"])
        with Wire(script) as wire:
            models = scripted(wire.url)
            await judge(study, desk(study, models), models, options)
            pages = await refetch(cited_pages(read_answers(study), frozenset()), live())
            await judge(study, desk(study, models, refetched=pages), models, options)
            asked = len(wire.requests)
            again = await refetch(cited_pages(read_answers(study), frozenset()), live())
            await judge(study, desk(study, models, refetched=again), models, options)
            assert len(wire.requests) == asked
            await models.aclose()
    assert len(pages) == len(ways)
    document = study_document(study)
    # Frozen: overread, kept, moved, rotten, rewritten of eight; without the wall of seven.
    expected = {"fp_web": 5 / 8, "fp_reachable": 5 / 7, "unreadable_rate": 1 / 8}
    # Seen: misled, kept, moved, rotten, rewritten, walled. Now: overread, kept, moved, walled.
    expected |= {"fp_seen": 6 / 8, "fp_web_now": 4 / 8, "fp_now": 4 / 8}
    metrics = document["metrics"]["react"]
    assert {name: metrics[name]["value"] for name in expected} == pytest.approx(expected)
    assert document["coverage"]["variants"]["react"]["reading"] == cases(
        "eval", "test_what_was_read_what_stands_there_and_what_is_left_of_it"
    )


@pytest.mark.parametrize("recording", [False, True])
def test_the_snapshots_of_the_run_are_not_the_pages_of_today(
    recording: bool, tmp_path: Path, drr: Drr, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address is one that the fetcher refuses, which today makes it unreadable whatever was kept of it."""
    monkeypatch.chdir(tmp_path)
    url, folder = "http://10.0.0.1/ramps", tmp_path / "study"
    line: dict[str, Any] = {"id": "1", "system": "alpha", "query": "Which ramp?"}
    line["report_markdown"] = f"{FACT} [1]\n\n## Sources\n[1] {url}\n"
    line["evidence"] = [{"url": url, "type": "web", "text": FACT}]
    (tmp_path / "r.jsonl").write_text(json.dumps(line) + "\n")
    drr.out("import", folder, "r.jsonl", "--quiet")
    kept = tmp_path / "recording" if recording else folder / "pages"
    Snapshots(kept, lambda: NOON).put(url, Page(url, url, "ok", "Ramps", FACT, "by hand"), {})
    command = ("judge", folder, "--judge", "offline", "--what", "faithfulness", "--quiet")
    drr.out(*command)
    now = ("--refetch", "--web", "serper", *(("--web-record", kept) if recording else ()))
    metrics = drr.json(*command, *now)["metrics"]["alpha"]
    assert (metrics["fp_web"]["value"], metrics["fp_web_now"]["value"]) == (1.0, 0.0)


def test_a_judging_of_further_kinds_in_the_same_way_is_the_same_judging(study: Study) -> None:
    first = JudgingRun("m", "m", "ours", {"claims/all": "1", "scores": "4"}, rule_written=False)
    store_judging(study, first)
    store_judging(study, replace(first, versions={"claims/all": "1", "facts": "2"}))
    (both,) = judgings(study)
    assert both.versions == {"claims/all": "1", "scores": "4", "facts": "2"}
    store_judging(study, first)
    assert judgings(study) == [both], "what it judged before is not forgotten"
    store_judging(study, replace(first, versions={"claims/all": "1", "scores": "5"}))
    later = replace(first, versions={"claims/all": "1", "scores": "5", "facts": "2"})
    assert judgings(study) == [both, later], "another version is another judging, with what stayed as it was"
    store_judging(study, replace(first, judge="n"))
    assert judgings(study) == [both, later, replace(first, judge="n")]
