"""Answers of judges that are a little untidy are read; what they leave open is asked for again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from drr.env.shop import Shop
from drr.eval.evidence.quotations import locate
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.judging.run import JudgeOptions
from drr.study.study import Study

from tests.eval.nursery import Judge, answer, by_wire, put, sentences, web
from tests.wire import Reply, Request, Say

CARE, LATER = "https://birds.example/care", "https://birds.example/later"
TEXT = "Clean every feeder once a week. It\u2019s the birds\u2019 health \u2013 wet seed spoils."
REPORT = f"Feeders are cleaned once a week [1].\n\n## Sources\n[1] {CARE}\n"
FAITH = JudgeOptions(["faithfulness"])


@pytest.mark.parametrize("name", ["[c1-web]", " C1-Web ", "`c1-web`", "c1 - web"])
async def test_an_id_is_read_whatever_its_brackets_blanks_and_case(study: Study, name: str) -> None:
    await put(study, answer("a", "x", REPORT, [web(CARE, TEXT)]))
    row = {
        "id": name,
        "justification": "",
        "quote": "once a week",
        "absent": False,
        "support": "full_support",
    }

    def odd(task: str, request: Request) -> Reply | None:
        told = f"<think>So.</think>\nHere it is: {json.dumps({'verdicts': [row]})}"
        return Say(told) if task == "support" else None

    _, requests = await by_wire(study, Judge(claims=sentences, instead=odd), FAITH)
    judged = read_judged(study, choose_judging(study))
    assert len(requests) == 2, "nothing is asked twice"
    assert [v["status"] for own in judged.support.values() for v in own.values()] == ["full"]


def test_a_copied_quotation_may_have_other_dashes_and_quotation_marks() -> None:
    span = locate("it's the birds' health - wet seed", TEXT)
    assert (
        span is not None and TEXT[span.start : span.end] == "It\u2019s the birds\u2019 health \u2013 wet seed"
    )
    assert locate("it's the birds' health - dry seed", TEXT) is None
    exact = locate("seed", "SEED seed", 0, 9)
    assert exact is not None and exact.start == 5, "the same words in the same case come first"


async def test_an_unlisted_address_is_dropped_and_its_claim_stays(study: Study, shop: Shop) -> None:
    await put(study, answer("a", "x", REPORT, [web(CARE, TEXT)]))

    def claims(report: str) -> list[dict[str, Any]]:
        return [one | {"sources": [CARE, LATER]} for one in sentences(report)]

    await by_wire(study, Judge(claims=claims), FAITH, shop)
    judged = read_judged(study, choose_judging(study))
    (found,) = judged.claims["all"].values()
    assert [claim["urls"] for claim in found.claims or ()] == [[CARE]]
    assert found.rejects == {"url_not_cited": 1}


def _as_0_2_kept_it(study: Study) -> None:
    """Leave pairs without a winner as that version did: failed, with the one answer that it had asked for."""
    rows = study.ledger.db.rows(
        "SELECT key, result, blobs FROM records JOIN units USING (key) WHERE kind = 'judgement'"
    )
    lost = [
        (key, json.loads(blobs)) for key, result, blobs in rows if json.loads(result) == {"preferences": {}}
    ]
    assert lost
    with study.ledger.db.writing() as db:
        for key, blobs in lost:
            first = {name: blob for name, blob in blobs.items() if not name.endswith(":1")}
            db.execute(
                "UPDATE records SET status = 'failed', reason = 'malformed', transient = 0, result = '{}', blobs = ? WHERE key = ?",
                (json.dumps(first), key),
            )


@pytest.mark.parametrize("by_0_2", [False, True])
async def test_a_pair_whose_answer_named_another_criterion_is_asked_again(
    study: Study, *, by_0_2: bool
) -> None:
    """Before, the answer was read from the store for ever."""
    await put(study, answer("a", "x", "Short."), answer("a", "y", "Long."))
    untidy = [True]

    def other(task: str, request: Request) -> Reply | None:
        asked = json.dumps(request.body).rpartition("Criteria:")[2]
        if task != "pairwise" or not untidy or "depth" not in asked:
            return None
        row = {"criterion": "beauty", "justification": "as told", "winner": "A"}
        return Say(json.dumps({"verdicts": [row]}))

    script = Judge(instead=other)
    await by_wire(study, script, JudgeOptions(["pairwise"]), all_pairs=True)
    judged = read_judged(study, choose_judging(study))
    lost = {dimension for (*_, dimension), verdict in judged.pairs.items() if verdict.value is None}
    assert "depth" in lost and judged.failed["pairwise"] == 2 * len(lost)
    if by_0_2:
        _as_0_2_kept_it(study)
    untidy.clear()
    retry = JudgeOptions(["pairwise"], retry_failed=True)
    _, requests = await by_wire(study, script, retry, all_pairs=True)
    judged = read_judged(study, choose_judging(study))
    assert all(v.value for (*_, dimension), v in judged.pairs.items() if dimension == "depth")
    assert len(requests) == 2 * len(lost)
