"""Reports under the criteria of the other persons of their task: does P see the person, and was anybody advised otherwise?"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from drr.env.shop import Shop
from drr.eval.agreement.study import agreement_document, study_labels
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.labels import CriterionLabel
from drr.eval.metrics.document import study_document
from drr.eval.stats.intervals import Statistic
from drr.eval.tasks.judgements import Judged
from drr.papers.pdr.metrics.swap import corpus, per_report
from drr.study.study import Study
from drr.study.unit import Unit

from tests.commands import Drr
from tests.eval.foreign_files import lines
from tests.eval.nursery import SONNET, answer, put, section_of, sections_of
from tests.eval.nursery import message as told
from tests.eval.pqr_judge import CriteriaJudge, judging
from tests.tools.small_shop import ANNA, BEN, FEEDER, GRINDER
from tests.wire import Request, Wire

SHOP = "http://ecommerce.example"
QUERIES = {ANNA: "q-ann", BEN: "q-ben"}
TRAITS = {ANNA: "feeds wild birds", BEN: "keeps a dog"}
OWN = {ANNA: FEEDER, BEN: GRINDER}


class PersonJudge(CriteriaJudge):
    """Nine where the report says what the criterion says of the person, else four."""

    def _scores(self, request: Request) -> dict[str, Any]:
        report = section_of(request, "answer")

        def score(name: str, text: str) -> int:
            return 9 if any(trait in text and trait in report for trait in TRAITS.values()) else 4

        self.score = score
        return super()._scores(request)


async def asked(study: Study, script: CriteriaJudge, shop: Shop) -> Judged:
    with Wire(script) as wire:
        assert (await judging(study, wire.url, "swap", shop=shop, rounds=1)).summary.ok
    return read_judged(study, choose_judging(study))


async def with_reports(study: Study, trials: int = 1) -> None:
    """`fitted` writes for the person, `general` the same for everybody."""
    text = "What of a bird or a dog, within a budget of $100?"
    lines = [{"id": name, "query": text, "user_id": user, "task_id": "t1"} for user, name in QUERIES.items()]
    (study.folder / "queries.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    units = []
    general = f"# A plan\n\nTake [this]({SHOP}/{FEEDER}) or [that]({SHOP}/{GRINDER})."
    for (user, name), trial in product(QUERIES.items(), range(trials)):
        fitted = f"# For you\n\nAs one who {TRAITS[user]}, take [this]({SHOP}/{OWN[user]})."
        for variant, report in (("fitted", fitted), ("general", general)):
            unit = answer("a", variant, f"{report}\n\n{trial}", user_id=user, trial=trial)
            fields = {**unit.spec, "query_id": name, "query": text}
            units.append(Unit("answer", {**fields, "made": "by hand"}, fields, f"{name}/{variant}/{trial}"))
    await put(study, *units)


def of_variant(judged: Judged, name: str) -> dict[str, Statistic]:
    return dict(corpus(judged, [a for a in judged.answers if a.variant == name]))


async def test_a_fitted_report_is_told_from_one_for_somebody_else(study: Study, shop: Shop) -> None:
    await with_reports(study)
    script = PersonJudge()
    judged = await asked(study, script, shop)
    # Of P four dimensions of four reports under two persons' criteria, of Q three of four reports.
    assert script.asked.count("scores") == 4 * 4 * 2 + 3 * 4
    fitted, general = (of_variant(judged, name) for name in ("fitted", "general"))
    assert (fitted["pqr_swap_p"].value, fitted["pqr_delta"].value) == (pytest.approx(9), pytest.approx(5))
    assert (fitted["pqr_cfa_min"].value, fitted["pqr_a_min"].value) == (pytest.approx(5), pytest.approx(9))
    assert (general["pqr_delta"].value, general["pqr_cfa_min"].value) == (pytest.approx(0), pytest.approx(0))
    assert (fitted["pqr_same_products"].value, general["pqr_same_products"].value) == (0, 1)
    assert fitted["pqr_price_ratio"].value == pytest.approx(31.0 / 19.99)
    assert general["pqr_price_ratio"].value == 1
    for one in judged.answers:
        assert per_report(judged, one)["pqr_delta"] == pytest.approx(5 if one.variant == "fitted" else 0)
    again = PersonJudge()
    await asked(study, again, shop)
    assert not again.asked, "what was scored is never asked again"
    document = study_document(study)["metrics"]
    assert document["fitted"]["pqr_delta"]["value"] == pytest.approx(5)


@pytest.mark.long
async def test_trials_are_averaged_and_what_is_missing_is_unknown(study: Study, shop: Shop) -> None:
    await with_reports(study, trials=2)

    class Silent(PersonJudge):
        """Has no word for Ben's report under his own criteria."""

        def _scores(self, request: Request) -> dict[str, Any]:
            shown = {section.label: section.text for section in sections_of(told(request))}
            own = TRAITS[BEN] in shown.get("profile", "") and TRAITS[BEN] in shown["answer"]
            return {"scores": []} if own else super()._scores(request)

    judged = await asked(study, Silent(), shop)
    fitted = of_variant(judged, "fitted")
    assert fitted["pqr_delta"].value == pytest.approx(5), "of Anna alone"
    assert fitted["pqr_delta"].n_unscored == 1
    assert fitted["pqr_a_min"].value == pytest.approx(9)


@pytest.mark.long
async def test_a_judges_scores_are_labels_under_criteria(study: Study, shop: Shop) -> None:
    """People's scores of the same criteria are held against them, whatever the rounds."""
    await with_reports(study)
    judged = await asked(study, PersonJudge(), shop)
    labels = [one for one in study_labels(judged) if isinstance(one, CriterionLabel)]
    assert len(labels) == 4 * 7 * 8, "four reports under their own person's and their task's criteria"
    people = [one.model_copy(update={"judge": "anna", "label": one.label - 1}) for one in labels]
    document = agreement_document(study, people)
    assert document is not None
    (pair,) = document["criteria"]["pairs"]
    levels = pair["dimensions"]["GOAL"]
    assert levels["criterion"]["mard"]["value"] == pytest.approx(1)
    assert levels["criterion"]["pca"]["value"] == 1
    assert levels["system"] is not None
    assert set(levels["system"]["systems"]) == {"fitted", "general"}
    assert document["cost"][SONNET]["queries"] == 2
    assert document["cost"][SONNET]["usd_per_query"]


def test_swap_by_rules_as_a_user_types_it(tmp_path: Path, shop: Shop, drr: Drr) -> None:
    rows = []
    for user, system in product((ANNA, BEN), ("fitted", "general")):
        text = f"# A plan\n\nTake [this]({SHOP}/{OWN[user] if system == 'fitted' else FEEDER})."
        asked = {"query": "Which thing for a garden?", "user_id": user}
        rows.append({"id": f"{system}-{user}", "system": system, **asked, "report_markdown": text})
    study, reports = tmp_path / "study", lines(tmp_path / "reports.jsonl", *rows)
    drr.out("import", study, reports, "--shop", shop.spec, "--quiet")
    words = ("judge", study, "--what", "swap", "--judge", "offline", "--rounds", "1", "--quiet")
    metrics = drr.json(*words)["metrics"]
    assert metrics["fitted"]["pqr_same_products"]["value"] == 0
    assert metrics["general"]["pqr_same_products"]["value"] == 1
    assert {"pqr_p", "pqr_violations", "pqr_delta", "pqr_cfa_min"} <= set(metrics["general"])
    drr.out("report", study, "--out", tmp_path / "report")
    assert "P tells" in (tmp_path / "report" / "index.html").read_text("utf-8")
