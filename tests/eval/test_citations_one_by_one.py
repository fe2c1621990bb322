"""A verdict for each claim and address: what is asked for it, what code settles, and the share of citations that bear their claim."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from drr.app.judge.text import unread_text
from drr.env.shop import Shop
from drr.env.source import Source
from drr.eval.judging.read import choose_judging, judgings, read_judged
from drr.eval.judging.run import JudgeOptions, forecast, judge
from drr.eval.metrics.document import study_document
from drr.eval.metrics.faithfulness import metrics as of_faithfulness
from drr.eval.stats.citations import CitationVerdict, is_needed, report_values
from drr.eval.stats.faithfulness import Status
from drr.eval.tasks.citations import SOURCES_MOST, CitationsTask
from drr.study.study import Study

from tests.cases import cases
from tests.eval.nursery import (
    Judge,
    answer,
    by_rules,
    by_wire,
    citation_verdicts,
    desk,
    message,
    offline,
    put,
    sections_of,
    sentences,
    web,
)
from tests.tools.small_shop import FEEDER
from tests.wire import Reply, Request, Say

GOOD = "Clean every feeder once a week."
IDLE = "The harbour opens at nine."
ALL = JudgeOptions(["faithfulness", "citations"])


def place(n: int) -> str:
    return f"https://site{n}.example/page"


def report(*claims: tuple[str, Sequence[int]]) -> str:
    """Each claim with the numbers of the sources it cites."""
    cited = sorted({n for _, numbers in claims for n in numbers})
    lines = [f"{text[:-1]} {''.join(f'[{n}]' for n in numbers)}." for text, numbers in claims]
    return "\n\n".join([*lines, "## Sources", "\n".join(f"[{n}] {place(n)}" for n in cited)]) + "\n"


def claims_of(text: str) -> list[dict[str, Any]]:
    return [claim | {"claim": claim["claim"].replace(" .", ".")} for claim in sentences(text)]


def good(claim: str, evidence: str) -> str:
    return "no_support" if IDLE in evidence and GOOD not in evidence else "full_support"


async def judged_by(
    script: Judge, study: Study, options: JudgeOptions = ALL, shop: Shop | None = None
) -> list[Request]:
    script.claims = script.claims or claims_of
    ran, requests = await by_wire(study, script, options, shop)
    assert not ran.summary.bugs
    return requests


def figures(study: Study, variant: str = "x") -> dict[str, Any]:
    found: dict[str, Any] = study_document(study)["metrics"][variant]
    return found


def rows(study: Study) -> list[CitationVerdict]:
    return list(citation_verdicts(study))


def pages(*texts: str | None) -> list[Source]:
    return [web(place(n), text, status="ok" if text else "unreachable") for n, text in enumerate(texts, 1)]


def verdict(status: Status | None, needed: bool | None = None, **more: Any) -> CitationVerdict:
    """Each of an address of its own, unless told otherwise."""
    url = f"u{next(_NUMBERS)}"
    made = CitationVerdict(
        *("a", "v", "q", 0, "c1", "", "c1", url),
        "web",
        status,
        None,
        needed,
        True,
        "",
        None,
        "j",
        "ours",
        None,
    )
    return replace(made, **more)


_NUMBERS = count()


@pytest.mark.parametrize(("alone", "together", "without", "expected"), cases("eval", "test_leaving_one_out"))
def test_leaving_one_out(
    alone: list[Status | None], together: Status, without: Status | None, expected: bool | None
) -> None:
    statuses = Counter(alone)
    assert is_needed(statuses, together, without) is expected
    assert is_needed(statuses, together) in (expected, None)


def test_a_report_by_hand() -> None:
    """8 citations: full, partial, needed, irrelevant, made up count; dead, failed and open ones do not: 3 of 5, strictly 3 of 6."""
    cited = [
        verdict("full"), verdict("partial"), verdict("none", needed=True), verdict("none", needed=False),
        verdict("unreachable", is_source=False), verdict("blocked"), verdict("judge_error"),
        verdict("none", needed=None),
    ]  # fmt: skip
    values = {"fp_citation": 3 / 5, "fp_citation_strict": 3 / 6, "n_citations": 8, "citations_unread": 1 / 7}
    assert report_values(cited) == values
    waiting = report_values([*cited, verdict(None)])
    assert waiting["fp_citation"] is waiting["fp_citation_strict"] is None
    assert report_values([])["fp_citation"] is None
    assert set(report_values(None).values()) == {None}


def test_a_citation_of_a_group_of_statements_bears_one_of_them() -> None:
    """Three addresses under two statements: one bears the first, one neither; of the third one verdict is missing."""
    cited = [
        *(verdict("full", url="u", claim="c1"), verdict("none", needed=False, url="u", claim="c2")),
        *(verdict("none", needed=False, url="v", claim=claim) for claim in ("c1", "c2")),
        *(verdict("none", needed=False, url="w", claim="c1"), verdict("judge_error", url="w", claim="c2")),
    ]
    values = report_values(cited)
    assert (values["fp_citation"], values["n_citations"]) == (1 / 2, 3)


async def test_nine_irrelevant_addresses_lower_it_and_leave_fp_and_fr_as_they_are(study: Study) -> None:
    told = (GOOD, "Feeders last for years.")
    texts = [GOOD + " Feeders last for years.", *(f"{IDLE} Number {n}." for n in range(9))]
    plain = report(*((claim, [1]) for claim in told))
    padded = report(*((claim, range(1, 11)) for claim in told))
    await put(study, answer("a", "plain", plain, pages(texts[0])))
    await put(study, answer("a", "padded", padded, pages(*texts)))
    script = Judge(support=good, alone=good)
    await judged_by(script, study)
    assert Counter(script.asked) == {"claims": 2, "support": 2, "citations": 2}
    plainly, with_nine = figures(study, "plain"), figures(study, "padded")
    for name in ("fp", "fr", "n_cited"):
        assert plainly[name]["value"] == with_nine[name]["value"]
    assert (plainly["fp_citation"]["value"], with_nine["fp_citation"]["value"]) == (1.0, 0.1)
    assert with_nine["n_citations"]["value"] == 20
    assert Counter(row.standing for row in rows(study)) == {"full": 4, "irrelevant": 18}


async def test_faithfulness_is_the_same_to_a_digit_before_and_after(study: Study) -> None:
    text = report((GOOD, [1, 2]), ("Seed spoils in rain.", [2, 3]), ("Rain falls.", [3]))
    variants = ("x", "y")
    await put(study, *(answer(q, v, text, pages(GOOD, IDLE, "Seed.")) for q in "abc" for v in variants))
    script = Judge(support=lambda c, e: "partial_support" if "Seed" in e else "full_support", alone=good)
    await judged_by(script, study, JudgeOptions(["faithfulness"]))
    names = {metric.name for metric in of_faithfulness()}

    def of_old() -> dict[str, Any]:
        document = study_document(study)["metrics"]
        return {v: {name: one for name, one in document[v].items() if name in names} for v in variants}

    before = of_old()
    assert before["x"]["fp"]["value"] is not None
    unknown = figures(study)["fp_citation"]
    assert (unknown["value"], unknown["n_unscored"]) == (None, 3)
    assert unknown["reason"].startswith("12 of 15 citations were not judged one by one")
    assert "citations" not in script.asked
    await judged_by(script, study, JudgeOptions(["citations"]))
    assert Counter(script.asked) == {"claims": 6, "support": 6, "citations": 6}
    assert of_old() == before
    assert figures(study)["fp_citation"]["value"] is not None
    assert await judged_by(script, study) == [], "nothing is asked twice"


async def test_a_claim_with_one_address_of_a_type_costs_nothing_more(study: Study, shop: Shop) -> None:
    text = f"Care is easy [1][2].\n\n## Sources\n[1] {place(1)}\n[2] http://ecommerce.example/{FEEDER}\n"
    await put(study, answer("a", "x", text, pages(GOOD)))
    script = Judge(support=lambda c, e: "partial_support")
    await judged_by(script, study, shop=shop)
    assert Counter(script.asked) == {"claims": 1, "support": 2}, "one more by both together"
    judged = [(row.type, row.status, row.by) for row in rows(study)]
    assert judged == [(kind, "partial", "judge") for kind in ("web", "product")]
    assert figures(study)["fp_citation"]["value"] == 1.0


async def test_halves_that_only_together_support_are_needed(study: Study) -> None:
    text = report(("Both cost $30 together.", [1, 2, 3]))
    await put(study, answer("a", "x", text, pages("One is $10 of 30.", "The other is $20 of 30.", IDLE)))

    def both(claim: str, evidence: str) -> str:
        return "full_support" if evidence.count("of 30") == 2 else "no_support"

    script = Judge(support=both)
    await judged_by(script, study)
    assert script.asked.count("citations") == 2, "the sets without one: one question"
    assert [row.standing for row in rows(study)] == ["needed", "needed", "irrelevant"]
    assert figures(study)["fp_citation"]["value"] == pytest.approx(2 / 3)


Pieces = list[list[set[int]]]
"""Of a claim; each is stated by any of these sets of sources."""


def says(pieces: Pieces, sources: set[int]) -> str:
    stated = [any(group <= sources for group in groups) for groups in pieces]
    return "full_support" if all(stated) else "partial_support" if any(stated) else "no_support"


def bears(pieces: Pieces, sources: set[int], one: int) -> bool:
    """ALCE's rule as it stands: it supports something alone, or less is supported without it."""
    return says(pieces, {one}) != "no_support" or says(pieces, sources - {one}) != says(pieces, sources)


async def test_it_is_what_leaving_out_each_in_turn_would_give(study: Study) -> None:
    """16 claims whose pieces are stated by sources alone or together; a judge who knows which, asked as little as may be."""
    rng = random.Random(5)
    worlds: list[Pieces] = []
    claims: list[dict[str, Any]] = []
    sources: list[Source] = []
    for world in range(16):
        count = rng.randint(2, 5)
        sets = [set(rng.sample(range(count), rng.randint(1, min(3, count)))) for _ in range(4)]
        worlds.append([sets[:2], sets[2:]] if rng.random() < 0.5 else [sets[:1], sets[1:2]])
        urls = [f"https://w{world}.example/{n}" for n in range(count)]
        sources += [web(url, f"Page {n} of world {world}.") for n, url in enumerate(urls)]
        claim = f"Claim of world number {world}"
        quote = f"{claim} {' '.join(f'([p]({url}))' for url in urls)}."
        claims.append({"quote": quote, "claim": claim, "sources": urls})
    await put(study, answer("a", "x", "\n\n".join(one["quote"] for one in claims), sources))

    def knows(claim: str, evidence: str) -> str:
        world = int(re.findall(r"number (\d+)", claim)[0])
        return says(worlds[world], {int(n) for n in re.findall(r"Page (\d+) of", evidence)})

    script = Judge(support=knows, claims=lambda report: claims)
    await judged_by(script, study)
    found = {row.url: row.supports for row in rows(study)}
    of = [(pieces, claim["sources"]) for pieces, claim in zip(worlds, claims, strict=True)]
    every = [(url, pieces, len(urls), n) for pieces, urls in of for n, url in enumerate(urls)]
    expected = {url: bears(pieces, set(range(count)), n) for url, pieces, count, n in every}
    assert found == expected
    assert False in expected.values() and "needed" in {row.standing for row in rows(study)}
    # of two questions for each, one alone and one without it
    assert script.asked.count("citations") < len(expected) / 2


async def test_what_could_not_be_read_is_unknown_and_what_is_made_up_is_not(study: Study) -> None:
    never = {"url": place(2), "page_status": None}
    both = report((GOOD, [1, 2]))
    await put(
        study, answer("a", "dead", both, pages(None, None)), answer("a", "half", both, pages(GOOD, None))
    )
    await put(study, answer("a", "made-up", both, pages(GOOD), fabricated=[never]))
    script = Judge(alone=good)
    await judged_by(script, study)
    assert "citations" not in script.asked, "one text at most could be read"
    found = {v: figures(study, v) for v in ("dead", "half", "made-up")}
    assert found["dead"]["fp_citation"]["value"] is None
    assert found["dead"]["fp_citation"]["reason"] == "unknown for each of 2 citations: 2 unreachable"
    assert found["dead"]["fp_citation_strict"]["value"] == 0.0
    assert found["dead"]["citations_unread"]["value"] == 1.0
    assert (found["half"]["fp_citation"]["value"], found["half"]["fp_citation_strict"]["value"]) == (1.0, 0.5)
    assert found["made-up"]["fp_citation"]["value"] == 0.5
    counted = study_document(study)["coverage"]["variants"]["made-up"]["citations"]
    assert {name: n for name, n in counted.items() if n} == {"full": 1, "made_up": 1}
    assert found["made-up"]["citations_unread"]["value"] == 0.0, "it has nothing to read"
    told = "3 of 5 citations could not be read (3 blocked) and 1 of 5 citations is made up"
    assert unread_text(counted | {"blocked": 3}) == told


async def test_equal_texts_are_shown_once(study: Study) -> None:
    text = report((GOOD, [1, 2, 3]))
    await put(study, answer("a", "x", text, pages(GOOD, IDLE, GOOD)))
    script = Judge(support=good, alone=good)
    requests = await judged_by(script, study)
    (asked,) = (message(r) for r, task in zip(requests, script.asked, strict=True) if task == "citations")
    shown = [section.text for section in sections_of(asked) if section.label == "evidence"]
    assert sorted(text.split("\n")[-1] for text in shown) == [GOOD, IDLE]
    assert [row.status for row in rows(study)] == ["full", "none", "full"]


async def test_a_price_is_held_against_each_record_without_a_judge(study: Study, shop: Shop) -> None:
    product = shop.store.product(FEEDER)
    assert product is not None and product.price is not None
    links = [f"http://ecommerce.example/{name}" for name in (FEEDER, "B0SEED0001")]
    text = f"The price is ${product.price:.2f} [1][2].\n\n## Sources\n[1] {links[0]}\n[2] {links[1]}\n"
    await put(study, answer("a", "x", text))
    script = Judge()
    await judged_by(script, study, shop=shop)
    assert "citations" not in script.asked
    assert [(row.by, row.standing) for row in rows(study)] == [("rule", "full"), ("rule", "irrelevant")]


@pytest.mark.long
async def test_a_thousand_citations_of_one_claim(study: Study) -> None:
    text = report((GOOD, range(1, 1001)))
    await put(study, answer("a", "x", text, pages(GOOD, *(f"{IDLE} {n}." for n in range(999)))))
    script = Judge(support=good, alone=good)
    await judged_by(script, study)
    assert script.asked.count("citations") == 1000 / SOURCES_MOST
    assert figures(study)["fp_citation"]["value"] == pytest.approx(1 / 1000)
    assert figures(study)["fp"]["value"] == 1.0


async def test_addresses_under_a_group_of_statements_are_cited_by_the_group(study: Study) -> None:
    """Nobody can say which statement each is for; one that bears none of them counts against it once."""
    listed = "\n".join(f"[{n}] {place(n)}" for n in (1, 2, 3))
    text = f"## Care\n\n- {GOOD}\n- Seed spoils in rain.\n\n[1] [2] [3]\n\n## Sources\n{listed}\n"
    await put(study, answer("a", "x", text, pages(GOOD, "Seed spoils in rain.", IDLE)))
    await by_rules(study, ["faithfulness", "citations"])
    bearing = [(row.claim, row.status) for row in rows(study) if row.status != "none"]
    assert bearing == [("c1", "full"), ("c2", "full")]
    assert len(rows(study)) == 6 and {row.scope for row in rows(study)} == {"c1"}
    found = figures(study)
    assert (found["fp_citation"]["value"], found["n_citations"]["value"]) == (pytest.approx(2 / 3), 3)


async def test_several_claims_share_a_question_where_they_may(study: Study) -> None:
    text = report((GOOD, [1, 2]), ("Seed spoils.", [1, 2, 3]), ("Rain falls.", range(1, 10)))
    await put(study, answer("a", "x", text, pages(GOOD, *(f"{IDLE} {n}." for n in range(8)))))
    script = Judge(support=good, alone=good)
    await judged_by(script, study)
    assert Counter(script.asked) == {"claims": 1, "support": 1, "citations": 2}
    assert Counter(row.standing for row in rows(study)) == {"full": 3, "irrelevant": 11}


def leaves_out(task: str, request: Request) -> Reply | None:
    """The last source of the first question, and all of any later one."""
    if task != "citations":
        return None
    told = json.loads(str(Judge(alone=good)(request).text))  # type: ignore[union-attr]
    kept = told["verdicts"][:-1]
    return Say(json.dumps({"verdicts": kept}))


async def test_what_the_judge_leaves_out_is_asked_for_once_and_then_unknown(study: Study) -> None:
    await put(study, answer("a", "x", report((GOOD, [1, 2, 3])), pages(GOOD, IDLE, "Else.")))
    script = Judge(support=good, alone=good, instead=leaves_out)
    await judged_by(script, study)
    assert script.asked.count("citations") == 2
    assert [row.standing for row in rows(study)] == ["full", "irrelevant", "judge_error"]
    assert figures(study)["fp_citation"]["value"] == 0.5
    assert study_document(study)["coverage"]["tasks"]["citations"]["failed"] == 1


async def test_a_judge_that_fails_leaves_it_unknown(study: Study) -> None:
    await put(study, answer("a", "x", report((GOOD, [1, 2])), pages(GOOD, IDLE)))
    fails = Judge(instead=lambda task, request: Say("no verdict") if task == "citations" else None)
    await judged_by(fails, study)
    assert [(row.status, row.together) for row in rows(study)] == [("judge_error", "full")] * 2
    found = figures(study)
    assert (found["fp_citation"]["value"], found["fp"]["value"]) == (None, 1.0)
    assert "2 judge_error" in found["fp_citation"]["reason"]


async def test_single_verdicts_stand_where_those_of_the_set_failed(study: Study) -> None:
    await put(study, answer("a", "x", report((GOOD, [1, 2])), pages(GOOD, IDLE)))
    fails = Judge(alone=good, instead=lambda task, request: Say("no verdict") if task == "support" else None)
    await judged_by(fails, study)
    assert [row.standing for row in rows(study)] == ["full", "irrelevant"]
    assert {row.together for row in rows(study)} == {"judge_error"}
    found = figures(study)
    assert (found["fp_citation"]["value"], found["fp"]["value"]) == (0.5, None)


async def test_a_set_that_cannot_be_judged_without_one_leaves_it_open(study: Study) -> None:
    text = report(("Both cost $30 together.", [1, 2, 3]))
    await put(study, answer("a", "x", text, pages("One is $10 of 30.", "The other is $20 of 30.", IDLE)))
    script = Judge(alone=lambda claim, evidence: "no_support")
    script.instead = lambda task, request: Say("?") if "without" in message(request) else None
    await judged_by(script, study)
    assert [row.standing for row in rows(study)] == ["undecided"] * 3
    assert figures(study)["fp_citation"]["value"] is None
    assert "3 undecided" in figures(study)["fp_citation"]["reason"]


async def test_rules_judge_it_without_a_model_and_a_forecast_counts_it(study: Study) -> None:
    text = report((GOOD, [1, 2]), ("The harbour opens at nine.", [2]))
    await put(study, answer("a", "x", text, pages(GOOD, IDLE)))
    models = offline()
    made = desk(study, models)
    told = forecast(study, made, models, ALL)["tasks"]
    assert {name: row["calls"] for name, row in told.items()} == {"support": 2, "citations": 1}
    await judge(study, made, models, ALL)
    assert [row.standing for row in rows(study)] == ["full", "irrelevant", "full"]
    assert forecast(study, made, models, ALL)["calls"] == 0
    assert read_judged(study, choose_judging(study)).units["citations"] == 1


async def test_a_raised_version_reads_the_same_answers_again(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(study, answer("a", "x", report((GOOD, [1, 2])), pages(GOOD, IDLE)))
    await judged_by(Judge(support=good, alone=good), study)
    monkeypatch.setattr(CitationsTask, "version", CitationsTask.version + 1)
    assert await judged_by(Judge(alone=lambda claim, evidence: "full_support"), study) == []
    assert [row.standing for row in rows(study)] == ["full", "irrelevant"]
    assert len(judgings(study)) == 2


async def test_reports_without_such_claims_alone_are_no_fair_sample(study: Study) -> None:
    """Where nobody was asked, a report whose every claim has one address has no figure either."""
    await put(study, answer("a", "x", report((GOOD, [1])), pages(GOOD)))
    script = Judge()
    await judged_by(script, study, JudgeOptions(["faithfulness"]))
    assert figures(study)["fp_citation"]["value"] == 1.0
    await put(study, answer("b", "x", report((GOOD, [1, 2])), pages(GOOD, IDLE)))
    await judged_by(script, study, JudgeOptions(["faithfulness"]))
    assert figures(study)["fp_citation"]["value"] is None
