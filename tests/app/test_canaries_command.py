"""`drr judges canaries`: a pass table of any judge; what it said is kept, and another judge stands beside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.eval.canaries.planted_errors import QUESTION, WEB, planted_answers, planted_claims
from drr.eval.canaries.reports import ANNA, write_shop
from drr.eval.canaries.table import SHOP_URL, planted_rows
from drr.eval.checks import check_report
from drr.eval.checks.base import Subject

from tests.commands import Drr
from tests.eval.nursery import Judge
from tests.eval.pqr_judge import CriteriaJudge
from tests.eval.proofreader import Proofreader, false
from tests.wire import Wire

pytestmark = pytest.mark.long

SONNET = "anthropic:claude-sonnet-5-5"


def run(drr: Drr, *words: object) -> tuple[int, Any]:
    code, out, _ = drr("judges", "canaries", "--quiet", "--json", *words)
    return code, json.loads(out)


def test_a_judge_without_a_model_is_told_apart_from_the_clean_one(tmp_path: Path, drr: Drr) -> None:
    code, document = run(drr, "--judge", "offline", "--study", tmp_path / "c")
    rows = {(one["part"], one["name"], one["asked"]): one for one in document["rows"]}
    assert document["judge"] == "rules-2"
    assert document["banner"]
    reports = [one for one in document["rows"] if one["part"] == "reports"]
    assert len({one["name"] for one in reports}) == 17
    assert all(one["passed"] is True for one in reports)
    assert (code, document["passed"]) == (1, False)
    planted = {name: row for (part, name, _), row in rows.items() if part == "planted"}
    told = "who counts words is taken in by one word that turns a sentence"
    assert planted["all errors"]["value"] == pytest.approx(28 / 48), told
    verdicts = {
        name: planted[name]["passed"]
        for name in ("all errors", "turned round", "other page", "false alarms", "stated claims")
    }
    assert verdicts == dict(zip(verdicts, (False, False, True, True, True), strict=True))


def test_a_judge_that_is_taken_in_fails_and_what_it_said_is_kept(tmp_path: Path, drr: Drr) -> None:
    words = ("--what", "planted", "--judge", SONNET, "--study", tmp_path / "c")
    with Wire(Judge()) as wire:
        code, credulous = run(drr, *words, "--base-url", wire.url)
        asked = len(wire.requests)
        again, same = run(drr, *words, "--base-url", wire.url)
        assert len(wire.requests) == asked > 60
    assert (code, again) == (1, 1)
    assert same["rows"] == credulous["rows"]
    assert not next(one for one in credulous["rows"] if one["name"] == "all errors")["passed"]


@pytest.mark.parametrize(
    ("stated", "planted", "failed"),
    [
        ("full", "none", set()),
        ("full", "partial", set()),
        ("partial", "partial", {"stated claims"}),
        ("none", "none", {"stated claims", "false alarms"}),
    ],
)
def test_who_calls_everything_the_same_has_found_nothing(stated: str, planted: str, failed: set[str]) -> None:
    claims = list(planted_claims())
    said: Any = {(c.id, ""): {"status": stated if c.is_true else planted} for c in claims}
    rows = planted_rows(claims, said, {claim.id: claim.id for claim in claims})
    assert {one["name"] for one in rows if one["passed"] is False} == failed
    said[claims[0].id, ""] = None
    unknown = planted_rows(claims, said, {claim.id: claim.id for claim in claims})
    assert {one["name"] for one in unknown if one["passed"] is None} == {"stated claims", "false alarms"}


@pytest.mark.parametrize(
    ("accuses", "failed"), [(False, "all errors"), (True, "false alarms")], ids=["nothing", "everything"]
)
def test_who_accuses_nothing_or_everything_fails(
    tmp_path: Path, drr: Drr, accuses: bool, failed: str
) -> None:
    word = "wrong" if accuses else "right"
    script = Proofreader(lambda text: false(text[:5]) if accuses else None, lambda charge: word)
    words = ("--what", "mistakes", "--judge", SONNET, "--study", tmp_path / "c")
    with Wire(script) as wire:
        code, document = run(drr, *words, "--base-url", wire.url)
    rows = {one["name"]: one["passed"] for one in document["rows"]}
    assert code == 1 and rows[failed] is False
    assert rows[{"all errors": "false alarms", "false alarms": "all errors"}[failed]] is True
    assert len(rows) == 2 + len([one for one in planted_answers() if one.kind is not None])


def test_mistakes_need_a_model_and_canaries_a_study_of_their_own(tmp_path: Path, drr: Drr) -> None:
    words = ["judges", "canaries", "--judge", "offline", "--study", tmp_path / "c", "--quiet"]
    assert "name a model with --judge" in drr.err(*words, "--what", "mistakes")
    reports = tmp_path / "reports.jsonl"
    reports.write_text(json.dumps({"id": "r", "system": "s", "query": "q", "report_markdown": "# R"}) + "\n")
    drr.out("import", tmp_path / "study", reports, "--quiet")
    assert "is a study of its own" in drr.err(
        "judges", "canaries", "--judge", "offline", "--study", tmp_path / "study"
    )
    drr.err("judges", "canaries", "--judge", "offline", "--what", "birds")


def test_every_planted_claim_has_one_thing_wrong_and_rules_accuse_no_true_one(tmp_path: Path) -> None:
    every = list(planted_answers())
    assert len({one.name for one in every}) == len({one.report for one in every}) == len(every)
    spec = str(tmp_path / "shop")
    write_shop(spec, Settings(shop_url=SHOP_URL))
    with open_shop(spec, Settings(shop_url=SHOP_URL)) as shop:
        for one in every:
            subject = Subject(one.report, query=QUESTION, user_id=ANNA, shop=shop)
            wrong = [name for name, check in check_report(subject).items() if check.status == "fail"]
            assert one.kind is not None or not wrong, one
    claims = list(planted_claims())
    assert len({claim.id for claim in claims}) == len(claims)
    assert all(claim.url in WEB for claim in claims)
    stated = {claim.claim for claim in claims if claim.is_true}
    assert not [c for c in claims if not c.is_true and c.kind != "other page" and c.claim in stated]
    assert len([claim for claim in claims if not claim.is_true]) >= 40


@pytest.mark.parametrize(("gained", "passed"), [(0, True), (3, False)])
def test_naming_the_traits_of_a_person_gains_no_p(
    gained: int, passed: bool, tmp_path: Path, drr: Drr
) -> None:
    judge = CriteriaJudge()
    judge.score = lambda name, text: 4 + gained * ("What I know of you" in judge.prompts[-1])
    with Wire(judge) as wire:
        words = ("--what", "persons", "--judge", SONNET, "--base-url", wire.url, "--study", tmp_path / "c")
        code, document = run(drr, *words)
    (row,) = document["rows"]
    assert (row["part"], row["value"], row["passed"]) == ("persons", 4 + gained, passed)
    assert code == int(not passed)
