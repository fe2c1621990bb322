"""Checks by code, proposed failures and metric families, as parts of a judging."""

from __future__ import annotations

import json
from typing import Any

import pytest
from drr.app.report.calls import tool_calls
from drr.citations.parse import parse
from drr.env.errors import DrrError
from drr.env.shop import Shop
from drr.eval.agreement.study import extraction_stability
from drr.eval.checks import RULES, check_report
from drr.eval.evidence.answers import read_answers
from drr.eval.evidence.claims import extract_by_rules
from drr.eval.judging.plan import JudgeOptions
from drr.eval.judging.read import choose, read_judged
from drr.eval.judging.run import judge
from drr.eval.metrics.diagnosis import FILE, LABELS
from drr.eval.metrics.document import study_document
from drr.eval.tasks.checked import returned, subject
from drr.eval.tasks.extraction import distinct
from drr.study.study import Study

from tests.eval.nursery import Judge, answer, desk, offline, put, scripted, sentences, web
from tests.tools.small_shop import ANNA, FEEDER
from tests.wire import Say, Wire

CARE = "https://birds.example/care"
GOOD = f"The **Panorama wild bird feeder with six ports** costs $19.99 [1].\n\n## Sources\n[1] Panorama wild bird feeder: http://ecommerce.example/{FEEDER}\n"
BAD = GOOD.replace("$19.99", "$29.99")


async def test_each_report_is_checked_once_by_all_rules_without_a_call(study: Study, shop: Shop) -> None:
    await put(study, answer("a", "good", GOOD, user_id=ANNA), answer("a", "bad", BAD, user_id=ANNA))
    models = offline()
    made = desk(study, models, shop)
    ran = await judge(study, made, models, JudgeOptions(["rules"]))
    assert (ran.summary.done, ran.summary.ok) == (2, True)
    assert (await judge(study, made, models, JudgeOptions(["rules"]))).summary.done == 0
    judged = read_judged(study, choose(study))
    by_variant = {a.variant: judged.rules[a.key] for a in judged.answers}
    assert set(by_variant["good"]) == set(RULES)
    assert by_variant["good"]["price"]["status"] == "pass"
    assert by_variant["bad"]["price"]["status"] == "fail"
    metrics = study_document(study)["metrics"]
    assert (metrics["good"]["rule_price"]["value"], metrics["bad"]["rule_price"]["value"]) == (1.0, 0.0)
    assert metrics["good"]["rule_statistics"]["value"] is None


async def test_what_rules_of_another_version_checked_is_named(
    study: Study, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(study, answer("a", "good", GOOD, user_id=ANNA))
    models = offline()
    made = desk(study, models, shop)
    with monkeypatch.context() as before:
        before.setitem(RULES, "price", RULES["price"]._replace(version="0"))
        await judge(study, made, models, JudgeOptions(["rules"]))
    told = "1 reports were checked by rules of another version"
    assert told in (study_document(study)["banner"] or "")
    await judge(study, made, models, JudgeOptions(["rules"]))
    assert told not in (study_document(study)["banner"] or "")


async def test_the_rules_know_what_the_tools_returned(study: Study, shop: Shop) -> None:
    made_up = f"Care [1] and more [2].\n\n## Sources\n[1] {CARE}\n[2] https://made-up.example/x\n"
    await put(
        study,
        answer(
            "a",
            "react",
            made_up,
            [web(CARE, "Clean feeders.")],
            fabricated=[{"url": "https://made-up.example/x", "page": "Text.", "page_status": "ok"}],
        ),
    )
    (one,) = read_answers(study)
    assert returned(one) == {CARE}
    told = subject(one, shop, "http://ecommerce.example")
    assert told.texts == {CARE: "Clean feeders.", "https://made-up.example/x": "Text."}


INVENTED = "https://invented.example/x"
INVENTING = f"Care [1] and more [2].\n\n## Sources\n[1] {CARE}\n[2] {INVENTED}\n"


def called(name: str, result: str, kind: str = "api", **more: Any) -> dict[str, Any]:
    return {"number": 1, "name": name, "kind": kind, "arguments": {}, "error": None, "result": result} | more


SEARCH = called("web_search", f"1. Care ({CARE})", researcher="r1")
SAID = {
    "a report alone": [SEARCH],
    "a researcher's synthesis": [SEARCH, called("launch_researcher", f"More at {INVENTED}.", "control")],
    "a thought": [SEARCH, called("reason", f"Noted: {INVENTED}", "control")],
    "the end": [SEARCH, called("finalize", f"Noted: {INVENTED}", "control")],
    "a query that the result repeats": [
        SEARCH, called("web_search", f"Nothing found for {INVENTED}.", arguments={"query": INVENTED}),
    ],
    "an error": [
        SEARCH,
        called("web_search", f"Error: no {INVENTED}", error={"kind": "invalid", "message": f"no {INVENTED}"}),
    ],
    "a call that never ran": [
        SEARCH, called("web_search", "Not run.", "refused", error={"kind": "invalid", "message": INVENTED}),
    ],
}  # fmt: skip


@pytest.mark.parametrize("calls", SAID.values(), ids=SAID)
async def test_an_address_that_only_the_agent_said_is_made_up_in_every_architecture(
    study: Study, shop: Shop, calls: list[dict[str, Any]]
) -> None:
    await put(study, answer("a", "any", INVENTING, [web(CARE, "Clean feeders.")], calls=calls))
    (one,) = read_answers(study)
    assert returned(one) == {CARE}
    found = check_report(subject(one, shop, "http://ecommerce.example"))["fabricated_citation"]
    assert (found.status, found.value["failed"]) == ("fail", 1)
    assert [one.why for one in found.findings] == [f"Address: {INVENTED}; no tool returned it"]


async def test_what_a_result_shows_beside_its_sources_is_returned(study: Study, shop: Shop) -> None:
    calls = [called("web_search", f"1. Care ({CARE}), see also {INVENTED}.")]
    await put(study, answer("a", "react", INVENTING, [web(CARE, "Clean feeders.")], calls=calls))
    (one,) = read_answers(study)
    found = check_report(subject(one, shop, "http://ecommerce.example"))["fabricated_citation"]
    assert found.status == "pass"


async def test_a_call_that_never_ran_is_no_tool_call(study: Study) -> None:
    old = {name: value for name, value in SEARCH.items() if name != "kind"}
    kinds = ["api", "refused", "control", "unknown"]
    calls = [old, *(called("web_search", "x", kind) for kind in kinds)]
    await put(study, answer("a", "react", INVENTING, calls=calls))
    assert study_document(study)["metrics"]["react"]["tool_calls"]["value"] == 2.0
    counts = tool_calls({"react": read_answers(study)})["react"]
    assert {asked.query: each for asked, each in counts["web_search"].items()} == {"q-a": [2.0]}


async def test_a_proposed_failure_needs_words_of_the_report(study: Study) -> None:
    await put(study, answer("a", "react", "First line of it.\nSecond line of it."))
    said = Say(
        '{"failures": [{"example": "second LINE of it", "label": "shallow_analysis"}, {"example": "never said", "label": "weak_synthesis"}]}'
    )
    with Wire(lambda request: said) as wire:
        models = scripted(wire.url)
        await judge(study, desk(study, models), models, JudgeOptions(["failures"]))
        await models.aclose()
    judged = read_judged(study, choose(study))
    (found,) = judged.failures.values()
    assert found == [{"label": "shallow_analysis", "start": 18, "end": 35}]


async def test_the_judge_of_rules_proposes_failures_too(study: Study) -> None:
    repeated = "The feeder costs $5 because it is small and holds little seed for birds.\n" * 12
    await put(study, answer("a", "react", repeated))
    models = offline()
    await judge(study, desk(study, models), models, JudgeOptions(["failures"]))
    (found,) = read_judged(study, choose(study)).failures.values()
    assert "redundant_clarity" in {failure["label"] for failure in found}


async def test_two_extractions_are_held_against_each_other(study: Study) -> None:
    report = f"Clean feeders often enough [1].\nSeed spoils when it is wet [1].\n\n## Sources\n[1] {CARE}\n"
    await put(study, answer("a", "react", report, [web(CARE, "Clean feeders.")]))
    seen = 0

    def fickle(text: str) -> list[dict[str, Any]]:
        nonlocal seen
        seen += 1
        return sentences(text)[: 2 if seen == 1 else 1]

    with Wire(Judge(claims=fickle)) as wire:
        models = scripted(wire.url)
        for repeat in (0, 1):
            await judge(study, desk(study, models, repeat=repeat), models, JudgeOptions(["faithfulness"]))
        await models.aclose()
    judging = choose(study)
    assert judging is not None
    told = extraction_stability(study, judging, read_answers(study))
    assert told is not None
    assert told["jaccard"]["value"] == pytest.approx(0.5)
    assert told["n_claims_cv"]["value"] == pytest.approx(2**0.5 / 3)


def test_a_statement_made_twice_is_one_claim_with_both_sources() -> None:
    report = f"Clean it weekly, always [1].\n\nSeed spoils when wet.\n\nClean it weekly, always [2].\n\n## Sources\n[1] {CARE}\n[2] {CARE}/2\n"
    found = distinct(extract_by_rules(report, parse(report)))
    assert [claim.text for claim in found] == ["Clean it weekly, always.", "Seed spoils when wet."]
    assert found[0].urls == (CARE, f"{CARE}/2")


async def test_what_can_only_accuse_makes_no_share(study: Study, shop: Shop) -> None:
    """A broken rule shows a label whose absence no rule can tell: among those it told of, every report has it."""
    twice = "The feeder is small and holds little seed for the birds of a whole winter.\n\n" * 6
    await put(study, answer("a", "x", twice, user_id=ANNA), answer("b", "x", GOOD, user_id=ANNA))
    models = offline()
    await judge(study, desk(study, models, shop), models, JudgeOptions(["rules"]))
    told = study_document(study)["failures"]["variants"]["x"]["redundant_clarity"]
    assert (told["share"]["value"], told["share"]["n"], told["found"]) == (None, 0, 1)
    assert told["examples"][0]["by"] == "rule duplicates"
    await judge(study, desk(study, models, shop), models, JudgeOptions(["failures"]))
    told = study_document(study)["failures"]["variants"]["x"]["redundant_clarity"]
    assert (told["share"]["value"], told["share"]["n"], told["found"]) == (0.5, 2, 1)


async def test_failures_are_counted_per_variant_with_examples_and_a_person_has_the_last_word(
    study: Study, shop: Shop
) -> None:
    dear = (
        "| item | price |\n| --- | --- |\n| Panorama wild bird feeder [1] | $19.99 |\n| Stone bird bath [2] | $64.50 |\n"
        "| Quiet dog nail grinder [3] | $31.00 |\n| **Total** | **$115.49** |\n\n## Sources\n"
        f"[1] Panorama wild bird feeder: http://ecommerce.example/{FEEDER}\n[2] Stone bird bath: http://ecommerce.example/B0BATH0001\n"
        "[3] Quiet dog nail grinder: http://ecommerce.example/B0GRINDER1\n"
    )
    await put(
        study,
        answer("a", "x", dear, user_id=ANNA),
        answer("b", "x", GOOD, user_id=ANNA),
        answer("a", "y", GOOD, user_id=ANNA),
    )
    models = offline()
    await judge(study, desk(study, models, shop), models, JudgeOptions(["rules", "failures"]))
    told = study_document(study)["failures"]["variants"]
    assert set(told["x"]) == set(LABELS)
    broken = told["x"]["budget_break"]
    assert (broken["share"]["value"], broken["share"]["n"]) == (1.0, 1)
    assert broken["examples"][0]["by"] == "rule budget"
    assert told["y"]["fabricated_citation"]["share"]["value"] == 1.0  # no tool returned the feeder's address
    said = [
        {"answer": "q-a/x/0", "label": "budget_break", "present": False, "judge": "anna"},
        {"answer": "q-b/x/0", "label": "budget_break", "present": False, "judge": "anna"},
    ]
    (study.folder / FILE).write_text("".join(json.dumps(line) + "\n" for line in said))
    told = study_document(study)["failures"]
    assert (told["corrected"], told["variants"]["x"]["budget_break"]["share"]["value"]) == (2, 0.0)
    models = offline()
    await judge(study, desk(study, models, shop, repeat=1), models, JudgeOptions(["failures"]))
    said += [
        {
            "answer": "q-a/x/0",
            "label": "weak_synthesis",
            "present": True,
            "judge": "ben",
            "example": "two lists",
        },
        {"answer": "q-z/x/0", "label": "weak_synthesis", "present": True, "judge": "ben"},
    ]
    (study.folder / FILE).write_text("".join(json.dumps(line) + "\n" for line in said))
    told = study_document(study)["failures"]
    assert told["variants"]["x"]["budget_break"]["share"]["value"] == 0.0  # also after it was judged again
    assert told["variants"]["x"]["weak_synthesis"]["examples"][0] == {
        "answer": "q-a/x/0",
        "by": "ben",
        "text": "two lists",
    }
    assert told["corrections_of_no_answer"] == ["q-z/x/0"]
    assert (told["corrected"], [one["judge"] for one in told["corrections"]]) == (
        3,
        ["anna", "ben", "anna", "ben"],
    )
    (study.folder / FILE).write_text('{"answer": "q-a/x/0", "label": "ugly", "present": true}\n')
    with pytest.raises(DrrError, match="line 1: label"):
        study_document(study)


async def test_a_report_too_long_to_read_is_counted_as_failed(study: Study) -> None:
    await put(
        study, answer("a", "short", "Birds need water."), answer("a", "long", "Birds need seed. " * 30_000)
    )
    models = offline()
    await judge(study, desk(study, models), models, JudgeOptions(["rules"]))
    assert sorted(str(r.reason) for r in study.records("judgement", None)) == ["None", "too_slow"]
    judged = read_judged(study, choose(study))
    assert (judged.units["rules"], judged.failed["rules"], len(judged.rules)) == (2, 1, 1)
