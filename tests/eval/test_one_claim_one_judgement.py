"""A claim that cites several types of source has one judgement: what each type counts, what is asked for it, and where it is unknown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from drr.app.report.system_table import judged_text
from drr.env.shop import Shop
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.judging.run import JudgeOptions, forecast
from drr.eval.metrics.document import study_document
from drr.eval.stats.faithfulness import Joint, JudgedClaim, on_pages, report_values
from drr.eval.tasks.support import bare_verdict
from drr.study.study import Study

from tests.eval.nursery import (
    Judge,
    answer,
    asked_for,
    by_wire,
    citation_verdicts,
    desk,
    evidence_for,
    message,
    offline,
    put,
    sentences,
    system,
    web,
)
from tests.tools.small_shop import FEEDER
from tests.wire import Reply, Request, Say

Own = Mapping[str, Any]
LEFT_OUT = "left out"
HALVES = {"web": "partial", "product": "partial"}
SILENT = {"web": "none", "product": "none"}


@pytest.mark.parametrize(
    ("own", "together", "keeps", "counts", "fp"),
    [
        pytest.param({"web": "full", "product": "full"}, None, (), {"web": 1, "product": 1}, 1, id="both full"),
        pytest.param({"web": "none", "product": "full"}, None, (), {"product": 1}, 1, id="one full, one silent"),
        pytest.param({"web": "full", "product": "partial"}, None, (), {"web": 1}, 1, id="one full, one half"),
        pytest.param(
            {"web": "full", "product": "none"}, None, ["product"], {"web": 1, "product": 0}, 0.5,
            id="one full, the record contradicts",
        ),
        pytest.param({"user": "full", "product": "none"}, None, (), {"user": 1}, None, id="the order says it all"),
        pytest.param(HALVES, "full", (), {"web": 1, "product": 1}, 1, id="halves that make a whole"),
        pytest.param(HALVES, "partial", (), {"web": 0.5, "product": 0.5}, 0.5, id="the same half twice"),
        pytest.param(HALVES, "none", (), {"web": 0.5, "product": 0.5}, 0.5, id="together no less than the best alone"),
        pytest.param({"product": "full"}, None, None, {"product": 1}, 1, id="two product pages only together"),
        pytest.param(
            {"web": "none", "product": "partial"}, "partial", (), {"web": 0, "product": 0.5}, 0.25,
            id="a false web claim beside a trivial link",
        ),
        pytest.param(SILENT, "full", (), {"web": 1, "product": 1}, 1, id="neither alone, both together"),
        pytest.param(SILENT, "none", (), {"web": 0, "product": 0}, 0, id="neither says any of it"),
        pytest.param(
            {"web": "unreachable", "product": "full"}, None, (), {"web": 0, "product": 1}, 0.5, id="unreachable"
        ),
        pytest.param(
            {"web": "unquoted", "product": "partial"}, "full", (), {"web": None, "product": 1}, 1, id="unquoted"
        ),
        pytest.param(
            {"web": "partial", "product": "partial"}, "full", ["product"], {"web": 1, "product": 0.5}, 0.75,
            id="code capped the record",
        ),
        pytest.param(
            {"web": "none", "product": "partial"}, "judge_error", (), {"web": None, "product": None}, None,
            id="the joint judgement failed",
        ),
        pytest.param(
            {"web": "unquoted", "product": "none"}, "full", (), {"web": None, "product": None}, None,
            id="which type says it is unknown",
        ),
        pytest.param(HALVES, None, None, {"web": None, "product": None}, None, id="judged before there was one"),
    ],
)  # fmt: skip
def test_what_each_type_counts(
    own: Own, together: Any, keeps: list[str] | None, counts: Mapping[str, float | None], fp: float | None
) -> None:
    joint = None if keeps is None else Joint(keeps, together, together)
    claim = JudgedClaim("c1", own, own, joint=joint)
    assert on_pages(claim) == counts
    values = report_values([claim])
    assert values["fp"] == values["fp_strict"] == values["fp_seen"] == fp
    for t in own:
        assert values[f"fp_{t}"] == counts.get(t)


def test_an_unread_type_counts_in_no_figure_of_what_could_be_reached() -> None:
    claim = JudgedClaim("c1", {"web": "unreachable", "product": "full"}, joint=Joint())
    assert (report_values([claim])["fp"], report_values([claim])["fp_reachable"]) == (0.5, 1)
    unread = report_values([JudgedClaim("c1", {"web": "unreachable", "product": "empty"}, joint=Joint())])
    assert (unread["fp"], unread["fr_supported"], unread["fp_reachable"]) == (0, 0, None)


def test_todays_figure_stays_beside_it() -> None:
    """Before, the product of "you ordered this pillowcase on 2019-11-06" was worth 0 beside the order that says so."""
    claim = JudgedClaim("c1", {"user": "full", "product": "none"}, joint=Joint())
    values = report_values([claim])
    assert (values["fp_split"], values["fp"], values["fr_supported"]) == (0.0, None, 1.0)
    told = report_values([JudgedClaim("c1", SILENT, joint=Joint(page="partial"))])
    assert told["fr_supported"] == 1.0, "all together say a part of it"


GUIDE = "https://birds.example/guide"
REPORT = f"""The Panorama feeder is cleaned once a week and has six ports [1][2].
The Panorama feeder has six ports [2].

## Sources
[1] {GUIDE}
[2] http://ecommerce.example/{FEEDER}
"""
PAGE = web(GUIDE, "Clean the Panorama feeder once a week.")
FAITH = JudgeOptions(["faithfulness"])


def halves(claim: str, evidence: str) -> str:
    """Each source says its half of the first claim."""
    both = "Clean the Panorama" in evidence and "ecommerce" in evidence
    return "full_support" if both or "once a week" not in claim else "partial_support"


async def judged_by(
    study: Study, shop: Shop, script: Judge, options: JudgeOptions = FAITH, **more: Any
) -> int:
    """Judge, and return the number of requests about support."""
    before = len(script.asked)
    ran, _ = await by_wire(study, script, options, shop, **more)
    assert not ran.summary.bugs
    return script.asked[before:].count("support")


def claims_of(study: Study) -> Sequence[JudgedClaim]:
    judged = read_judged(study, choose_judging(study))
    found = judged.judged_claims(judged.answers[0])
    assert found is not None and found.claims is not None
    return found.claims


def figures(study: Study) -> dict[str, Any]:
    found: dict[str, Any] = study_document(study)["metrics"]["x"]
    return found


async def test_halves_of_two_types_are_asked_for_once_more_together(study: Study, shop: Shop) -> None:
    await put(study, answer("a", "x", REPORT, [PAGE]))
    script = Judge(claims=sentences, support=halves)
    assert await judged_by(study, shop, script) == 2, "each type, then both together"
    (claim, other) = claims_of(study)
    assert (claim.joint, other.joint) == (Joint([], "full", "full"), None)
    assert (claim.status, [*claim.verdicts]) == ("full", ["c1-product", "c1-web", "c1-joint"])
    told = figures(study)
    assert [told[name]["value"] for name in ("fp", "fp_web", "fp_product", "fp_split")] == [1, 1, 1, 0.625]
    assert await judged_by(study, shop, script) == 0, "nothing is asked twice"


@pytest.mark.parametrize(("second", "page"), [("full_support", "full"), ("no_support", "none")])
async def test_all_that_say_nothing_of_what_one_says_in_part_are_asked_about_once_more(
    study: Study, shop: Shop, second: str, page: str
) -> None:
    await put(study, answer("a", "x", REPORT, [PAGE]))
    told = iter(["no_support", second])

    def together(claim: str, text: str) -> str:
        return next(told) if "ports" in text and "Clean" in text else halves(claim, text)

    script = Judge(claims=sentences, support=together)
    assert await judged_by(study, shop, script) == 3
    (claim, _) = claims_of(study)
    assert claim.joint is not None and claim.joint.page == page
    assert await judged_by(study, shop, script) == 0, "a kept verdict stands"


async def test_where_a_type_alone_says_all_nothing_more_is_asked(study: Study, shop: Shop) -> None:
    await put(study, answer("a", "x", REPORT, [PAGE]))
    script = Judge(
        claims=sentences, support=lambda claim, text: "full_support" if "ports" in text else "no_support"
    )
    assert await judged_by(study, shop, script) == 1
    assert [figures(study)[name]["value"] for name in ("fp", "fp_web", "fp_split")] == [1, None, 0.5]


async def test_a_record_that_holds_another_figure_keeps_its_own_score(study: Study, shop: Shop) -> None:
    said = "The Panorama feeder, cleaned once a week (Price: $99.99) [1][2].\n"
    page = web(GUIDE, "Clean the Panorama feeder, price $99.99, once a week.")
    await put(study, answer("a", "x", said + REPORT[REPORT.index("\n## Sources") :], [page]))
    script = Judge(
        claims=sentences, support=lambda claim, text: "full_support" if "Clean" in text else "no_support"
    )
    assert await judged_by(study, shop, script) == 1
    told = figures(study)
    assert [told[name]["value"] for name in ("fp", "fp_web", "fp_product")] == [0.5, 1, 0]


async def test_what_the_agent_saw_has_a_joint_judgement_of_its_own(study: Study, shop: Shop) -> None:
    await put(
        study,
        answer("a", "x", REPORT, [web(GUIDE, "Clean the Panorama feeder once a week.", seen="Feeders.")]),
    )
    script = Judge(claims=sentences, support=halves)
    assert await judged_by(study, shop, script) == 4
    (claim, _) = claims_of(study)
    assert claim.joint == Joint([], "full", "partial")
    assert (figures(study)["fp"]["value"], figures(study)["fp_seen"]["value"]) == (1, 0.625)


async def test_a_study_of_before_has_no_figure_until_the_joint_judgement_is_there(
    study: Study, shop: Shop
) -> None:
    """The figure of before stands beside it, and nothing ranks by the one that is unknown."""
    await put(
        study,
        answer("a", "x", REPORT, [PAGE]),
        answer("b", "x", "Plain.\n" + REPORT[REPORT.index("\n## S") :]),
    )
    before = JudgeOptions(["faithfulness"])
    before.stages.pop()
    script = Judge(claims=sentences, support=halves)
    assert await judged_by(study, shop, script, before) == 1
    told = figures(study)
    assert (told["fp"]["value"], told["fp"]["n"], told["fp"]["n_unscored"]) == (None, 0, 2)
    assert "fp_split" in told["fp"]["reason"] and told["fp_split"]["value"] == 0.625
    assert "fp_split has each type alone" in " ".join(judged_text(study_document(study)).split())
    assert await judged_by(study, shop, script) == 1
    assert figures(study)["fp"]["value"] == 1


async def test_a_joint_judgement_that_failed_is_left_out_and_asked_again(study: Study, shop: Shop) -> None:
    await put(study, answer("a", "x", REPORT, [PAGE]))

    def mute(task: str, request: Request) -> Reply | None:
        return Say('{"verdicts": []}') if "c1-joint" in message(request) else None

    script = Judge(claims=sentences, support=halves, instead=mute)
    await judged_by(study, shop, script)
    told = figures(study)
    assert [told[name]["value"] for name in ("fp", "fp_web", "fp_product")] == [1, None, 1]
    script.instead = lambda task, request: None
    assert await judged_by(study, shop, script, JudgeOptions(["faithfulness"], retry_failed=True)) == 1
    assert figures(study)["fp_web"]["value"] == 1


async def test_the_paper_is_shown_in_both_readings(study: Study, shop: Shop) -> None:
    await put(study, answer("a", "x", REPORT, [PAGE]))
    script = Judge(claims=sentences, support=halves, instead=as_the_paper_asks)
    await judged_by(study, shop, script, protocol="paper")
    await judged_by(study, shop, script)
    printed = study_document(study)["as_printed"]["metrics"]["x"]
    assert (printed["fp"]["value"], printed["fp_split"]["value"]) == (1, 0.625)


def as_the_paper_asks(task: str, request: Request) -> Reply | None:
    if task != "support" or "backed by the sources" not in system(request):
        return None
    text = message(request)
    rows = [
        {"id": name, "support": halves(claim, evidence_for(text, name)), "justification": ""}
        for name, claim in asked_for(text)
    ]
    return Say(json.dumps({"verdicts": rows}))


async def test_a_forecast_counts_joint_judgements_of_a_third_of_such_claims(study: Study, shop: Shop) -> None:
    await put(study, answer("a", "x", REPORT, [PAGE]))
    models = offline()
    rows = forecast(study, desk(study, models, shop), models, FAITH)["tasks"]
    assert {name: row["calls"] for name, row in rows.items()} == {"support": 3, "joint": 1}


async def test_a_needed_source_is_one_of_all_types(study: Study, shop: Shop) -> None:
    """The page says nothing alone, and all say more with it. Before, it was alone in its type and so of no use."""
    await put(study, answer("a", "x", REPORT, [PAGE]))
    script = Judge(claims=sentences, support=lambda claim, text: _needs_both(claim, text))
    await judged_by(study, shop, script, JudgeOptions(["faithfulness", "citations"]))
    rows = [(row.type, row.standing) for row in citation_verdicts(study) if row.claim == "c1"]
    assert rows == [("web", "needed"), ("product", "partial")]


def _needs_both(claim: str, text: str) -> str:
    if "Clean the Panorama" in text and "ecommerce" not in text:
        return "no_support"
    return halves(claim, text)


async def test_a_claim_that_something_is_not_stated_rests_on_absence(study: Study) -> None:
    """Of two claims one has nothing to quote: it counts, is shown as such, and its share is told."""
    text = f"The page gives no price [1].\nThe feeder is cleaned weekly [1].\n\n[1] {GUIDE}\n"
    await put(study, answer("a", "x", text, [PAGE]))

    def absent(task: str, request: Request) -> Reply | None:
        if task != "support":
            return None
        rows = [
            {"id": name, "justification": "", "support": "full_support", "absent": "price" in claim}
            | {"quote": "" if "price" in claim else "once a week"}
            for name, claim in asked_for(message(request))
        ]
        return Say(json.dumps({"verdicts": rows}))

    await by_wire(study, Judge(claims=sentences, instead=absent), FAITH)
    document = study_document(study)
    assert (document["metrics"]["x"]["fp"]["value"], document["metrics"]["x"]["fp_absent"]["value"]) == (
        1,
        0.5,
    )
    assert "50.0% of the claims in its faithfulness score have the form" in judged_text(document)


def test_a_claim_rests_on_absence_where_no_quotation_supports_it_as_well() -> None:
    """Before, one verdict by absence was enough, beside a record that says it in words."""

    def share(**absent: bool) -> float | None:
        rows = {t: bare_verdict("c1", t, "page", "full", "") | {"absent": how} for t, how in absent.items()}
        claim = JudgedClaim("c1", dict.fromkeys(absent, "full"), verdicts=rows, joint=Joint())  # type: ignore[arg-type]
        return report_values([claim])["fp_absent"]

    assert (share(web=True), share(web=True, product=False), share(web=True, product=True)) == (1, 0, 1)
