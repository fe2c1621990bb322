"""What an answer stands on, as judges are shown it."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from drr.agents.evidence import EvidenceLedger
from drr.citations.parse import parse
from drr.env.entities import Product
from drr.env.records.product import product_evidence
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.env.source import FrozenText, Source
from drr.eval.evidence.answers import AnswerEvidence, read_answers
from drr.eval.evidence.claims import claims_citing
from drr.eval.evidence.passages import PASSAGE, WHOLE, passages, shown_spans, whole_within
from drr.eval.evidence.quotations import locate
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.judging.run import JudgeOptions
from drr.eval.stats.faithfulness import STATUSES
from drr.eval.tasks.support_items import SupportItem, contradicted_figures, decide_support
from drr.papers.reporteval.judging.passages import passages_of
from drr.study.study import Study
from hypothesis import given
from hypothesis import strategies as st

from tests.agents import garden
from tests.cases import cases
from tests.citations.spelling import Address, near, spelt
from tests.commands import Drr
from tests.eval.nursery import Judge, answer, by_wire, desk, offline, put, web
from tests.sizes import examples
from tests.tools.small_shop import ANNA, FEEDER, GRINDER, write_shop


@examples(60)
@given(st.text(alphabet="ab .\n#-é", max_size=9000))
def test_passages_are_short_in_order_and_lose_nothing_but_white_space(text: str) -> None:
    spans = passages(text)
    assert all(0 < span.end - span.start <= PASSAGE for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    kept = "".join(text[s.start : s.end] for s in spans)
    assert "".join(kept.split()) == "".join(text.split())


def test_a_short_text_is_shown_whole_and_a_long_one_by_its_head_and_what_concerns_the_claim() -> None:
    assert shown_spans("anything", "x" * (WHOLE - 1)) == [(0, WHOLE - 1)]
    text = "Head. " + "Plain words here.\n" * 1000 + "The anodised widget.\n" + "More of it.\n" * 1000
    assert shown_spans("The widget is anodised", text, whole_within(len(text))) == [(0, len(text))]
    room = 9 * PASSAGE
    spans, filled = (shown_spans("The widget is anodised", text, *how) for how in ((), (whole_within(room),)))
    for found in (spans, filled):
        shown = "".join(text[s.start : s.end] for s in found)
        assert shown.startswith("Head.") and "anodised widget" in shown
        assert all(a.end < b.start for a, b in pairwise(found))
    assert len(spans) <= 6 and sum(s.end - s.start for s in spans) <= 6 * PASSAGE
    assert room - 3 * PASSAGE < len(shown) <= room


def test_a_quote_is_found_across_white_space_and_case_and_never_invented() -> None:
    text = "One.\nThe  Feeder\nholds six pounds."
    span = locate("the feeder holds", text)
    assert span is not None
    assert text[span.start : span.end] == "The  Feeder\nholds"
    assert locate("the feeder lacks", text) is None
    assert locate("  ", text) is None


def test_a_product_is_evidence_in_full(shop: Shop) -> None:
    product = shop.store.product(FEEDER)
    assert product is not None
    shown = ("Price: $19.99", "2,067", "Item Weight: 4 pounds", "Best Sellers Rank, Birds: 12")
    assert all(part in product_evidence(product).text for part in shown)


def test_an_item_without_any_source_is_not_judged() -> None:
    item = SupportItem("c1-web", "c1", "a claim", "web", "page", ())
    assert item.unreadable() == "not_frozen"
    assert item.unreadable() in STATUSES


Cut = list[tuple[str, str, bool]]
"""Heading, text, of a summary."""

MANNERS: dict[str, tuple[str, Cut]] = cases("eval", "MANNERS", cases("eval", "TEXTS"))


@pytest.mark.parametrize("manner", MANNERS)
def test_a_report_is_cut_as_it_is_read(manner: str) -> None:
    report, wanted = MANNERS[manner]
    assert [[one.heading, one.text, one.summary] for one in passages_of(report)] == wanted


async def test_an_agent_knows_an_address_exactly_where_the_judge_resolves_it(study: Study) -> None:
    """10,000 pairs of what a tool returned and what a report cites, each side spelt as it likes."""
    chance = Random(13)
    places = [(f"h{n % 20}.example", f"/A{n}/b_{n % 7}", (f"q={n}",) * (n % 2)) for n in range(100)]
    some = [Address(chance.choice(["http", "https"]), *place) for place in places]
    ledger, sources = EvidenceLedger(), [Source(url=spelt(one, chance), type="web", seen="x") for one in some]
    ledger.add("", sources)
    cited = [spelt(near(one, chance), chance).strip() for one in some for _ in range(100)]
    await put(study, answer("a", "react", "", sources))
    (kept,) = read_answers(study)
    book = AnswerEvidence(kept, None)
    known = [ledger.knows(url) for url in cited]
    assert known == [book.resolves(url) for url in cited]
    assert 2_000 < sum(known) < 8_000


async def test_the_product_behind_an_order_is_known_to_both(study: Study) -> None:
    shop, url = "http://shop.example", "user://ANNA/orders/1"
    order = Source(url=url, type="user", seen="x", record={"product_url": f"{shop}/B1"})
    ledger = EvidenceLedger()
    ledger.add("", [order])
    await put(study, answer("a", "react", "", [order]))
    (kept,) = read_answers(study)
    for url in (f"{shop}/B1/", order.url, order.url.replace("ANNA", "anna"), f"{shop}/B2"):
        assert ledger.knows(url) == AnswerEvidence(kept, None).resolves(url)
    assert ledger.knows("HTTP://SHOP.example/B1?utm_source=x")


async def test_records_that_were_withheld_are_no_source_that_the_shop_holds(
    study: Study, tmp_path: Path
) -> None:
    """Under `task` a report that cites them made the address up, however rightly it guessed."""
    garden.write_shop(str(tmp_path / "shop"), Settings())
    cited = f"user://{garden.ANNA}/profile"
    plain = answer("a", "react", "", user_id=garden.ANNA)
    withheld = {"setting": "task"}
    told = replace(plain, key_fields={**plain.key_fields, **withheld}, spec={**plain.spec, **withheld})
    shown = answer("b", "react", "", [Source(url=cited, type="user", seen="x")], user_id=garden.ANNA)
    await put(study, plain, told, shown)
    with open_shop(str(tmp_path / "shop"), Settings()) as shop:
        answers = {(one.query_id, one.record.spec.get("setting")): one for one in read_answers(study)}
        found = {key: AnswerEvidence(one, shop) for key, one in answers.items()}
        known = {("q-a", None): True, ("q-a", "task"): False, ("q-b", None): True}
        assert {key: book.resolves(cited) for key, book in found.items()} == known
        page = found["q-a", "task"].page(cited)
    assert (page.text, page.status) == (None, "unreachable")
    assert "withheld" in (page.reason or "")


KIT = Product(
    product_id="B0", product_url="http://ecommerce.example/B0", title="ERYTLLY Bird Feeding Station Kit",
    features=["91 inch tall rust-resistant metal pole with 4 adjustable hooks", "Not dishwasher safe."],
    description=[], price=43.99, store=None, categories=[], category="Pet_Supplies", details={},
    average_rating=4.5, rating_number=2067, bought_together=None,
)  # fmt: skip


def evidence(product: Product) -> FrozenText:
    text, places = product_evidence(product)
    return FrozenText(
        product.product_url, "product", "ok", text, product.title, product=product, places=places
    )


def changed(**fields: Any) -> FrozenText:
    return evidence(KIT.model_copy(update=fields))


@pytest.mark.parametrize(("claim", "status"), cases("eval", "test_what_the_record_settles_no_judge_is_asked"))
def test_what_the_record_settles_no_judge_is_asked(claim: str, status: str | None) -> None:
    source = evidence(KIT)
    found = decide_support(claim, [source])
    assert (None if found is None else found.status) == status
    assert decide_support(claim, [source, source]) is None


@pytest.mark.parametrize(
    ("said", "status"), cases("eval", "test_a_title_that_breaks_off_is_the_beginning_of_the_records")
)
def test_a_title_that_breaks_off_is_the_beginning_of_the_records(said: str, status: str | None) -> None:
    found = decide_support(said, [evidence(KIT)])
    assert (found and found.status) == status


@pytest.mark.parametrize(
    ("said", "status"), cases("eval", "test_that_a_price_is_not_known_is_in_a_record_without_one")
)
def test_that_a_price_is_not_known_is_in_a_record_without_one(said: str, status: str | None) -> None:
    found = decide_support(said, [changed(price=None)])
    assert (found and found.status) == status
    own = changed(price=None, title="ERYTLLY No Price Bird Feeding Station Kit")
    assert decide_support("It has no known price", [own]) is not None
    assert decide_support("ERYTLLY No Price Bird Feeding Station Kit has a known price", [own]) is None
    assert decide_support(said, [evidence(KIT)]) is None, "where the record has one, a judge decides"


def test_every_figure_that_a_record_decides_is_marked() -> None:
    source = evidence(KIT)
    decision = decide_support("It costs $43.99 and is rated 3.9 stars", [source])
    assert decision is not None and source.text is not None
    marked = ["Price: $43.99", "Average rating: 4.5 out of 5 stars"]
    assert [source.text[a:b] for a, b in decision.spans] == marked
    assert decision.reason == "the record says otherwise: 3.9 stars (stars 4.5)"


@pytest.mark.parametrize(
    ("claim", "line", "field"), cases("eval", "test_a_seller_who_writes_a_line_like_ours_settles_nothing")
)
def test_a_seller_who_writes_a_line_like_ours_settles_nothing(claim: str, line: str, field: str) -> None:
    source = changed(**{field: None, "description": [f"Great value.\n{line}"]})
    assert source.text is not None and f"\n{line}" in source.text
    decision = decide_support(claim, [source])
    assert decision is not None
    assert (decision.status, decision.spans) == ("none", ())
    assert "unknown" in decision.reason


def test_a_text_without_its_record_settles_nothing() -> None:
    text = "Product: Kit\nPrice: $43.99"
    assert decide_support("It costs $43.99", [FrozenText("http://shop/p/1", "product", "ok", text)]) is None


@pytest.mark.parametrize(
    ("claim", "figures"),
    cases("eval", "test_the_rule_overrules_only_where_a_field_stands_alone_or_behind_its_label"),
)
def test_the_rule_overrules_only_where_a_field_stands_alone_or_behind_its_label(
    claim: str, figures: int
) -> None:
    assert len(contradicted_figures(claim, [evidence(KIT)])) == figures
    assert contradicted_figures(claim, [evidence(KIT), evidence(KIT)]) == []


SHOP, OTHER = "http://ecommerce.example", "https://elsewhere.example"


def report(host: str) -> str:
    """One true statement, a made-up product, a wrong price and a wrong count."""
    return (
        f"The [Panorama feeder]({host}/{FEEDER}) costs $19.99. It has 2,068 ratings.\n\n"
        f"The [dog nail grinder]({host}/{GRINDER}) costs $29.99.\n\n"
        f"The [Quiet Paw Pro]({host}/B0NOSUCH00) costs $19.99.\n"
    )


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_shop("shop", Settings())
    return tmp_path


def imported(text: str, drr: Drr, *options: str) -> dict[str, Any]:
    row = {"system": "other", "query": "What do I buy?", "user_id": ANNA, "report_markdown": text}
    Path("reports.jsonl").write_text(json.dumps(row) + "\n")
    return dict(drr.json("import", "study", "reports.jsonl", "--quiet", *options))


def judged(drr: Drr, *options: str) -> dict[str, float | None]:
    told = ("judge", "study", "--what", "faithfulness,citations", "--judge", "offline", "--quiet")
    found = drr.json(*told, *options)["metrics"]["other"]
    return {name: one["value"] for name, one in found.items()}


def verdicts(drr: Drr) -> dict[tuple[str, str], tuple[str, str]]:
    drr.out("report", "study", "--verdicts", "verdicts.jsonl", "--quiet")
    rows = [json.loads(line) for line in Path("verdicts.jsonl").read_text().splitlines()]
    return {(r["claim"], r["url"].rpartition("/")[2]): (r["status"], r["standing"]) for r in rows}


def test_a_product_that_the_shop_does_not_have_supports_nothing(place: Path, drr: Drr) -> None:
    imported(report(SHOP), drr, "--shop", "shop")
    found = judged(drr)
    assert (found["fp"], found["fp_citation"], found["dr3_fa"]) == (0.25, 0.25, 25.0)
    assert (found["fact_accuracy"], found["re_support"], found["re_strong"]) == (0.25, -0.5, 0.25)
    assert found["citations_unread"] == 0.0
    assert found["fp_reachable"] == pytest.approx(1 / 3), "the other reading leaves the made-up product out"
    assert found["fr"] == 0.75, "an address of nothing is no source"
    assert verdicts(drr) == {
        ("c1", FEEDER): ("full", "full"),
        ("c2", FEEDER): ("none", "irrelevant"),
        ("c3", GRINDER): ("none", "irrelevant"),
        ("c4", "B0NOSUCH00"): ("none", "made_up"),
    }


def test_another_host_is_the_shop_only_where_a_person_says_so(place: Path, drr: Drr) -> None:
    imported(report(OTHER), drr, "--shop", "shop")
    left = judged(drr)
    assert (left["fp"], left["fp_citation"], left["citations_unread"]) == (None, None, 1.0)
    named = judged(drr, "--shop-url", OTHER)
    assert (named["fp"], named["fp_citation"], named["fr"]) == (0.25, 0.25, 0.75)


def test_an_import_says_which_shop_it_is_held_against(place: Path, drr: Drr) -> None:
    told = imported(report(SHOP), drr, "--shop", "shop", "--shop-url", OTHER)
    assert told["held_against"] == {"shop": "shop", "shop_url": OTHER}
    Path("study").rename("held")
    assert imported(report(SHOP), drr)["held_against"] == {"shop": None, "shop_url": SHOP}
    assert OTHER in drr.out("import", "held", "reports.jsonl", "--quiet")
    assert "held against no shop" in drr.out("import", "study", "reports.jsonl", "--quiet")


@pytest.mark.parametrize(
    ("text", "leans"), cases("eval", "test_it_this_and_they_lean_on_the_link_right_before")
)
def test_it_this_and_they_lean_on_the_link_right_before(text: str, leans: dict[str, str]) -> None:
    where = {"a": f"{SHOP}/A1", "b": f"{SHOP}/B1"}
    told = text.format(**where)
    found = {told[one.start : one.end].replace("*", ""): one.urls for one in claims_citing(told, parse(told))}
    assert found == {said: (url.format(**where),) for said, url in leans.items()}


def test_equal_words_behind_two_links_are_two_statements(place: Path, drr: Drr) -> None:
    text = f"The [feeder]({SHOP}/{FEEDER}) is green. It costs $19.99.\n\nThe [grinder]({SHOP}/{GRINDER}) is quiet. It costs $19.99.\n"
    imported(text, drr, "--shop", "shop")
    judged(drr)
    found = verdicts(drr)
    assert (found["c2", FEEDER][0], found["c4", GRINDER][0]) == ("full", "none")


def test_a_web_page_is_not_leaned_on(place: Path, drr: Drr) -> None:
    """What a page says of a thing is not the thing: the next sentence may be the writer's own."""
    imported("Clean it weekly, says [the club](https://birds.example/care). It takes ten minutes.\n", drr)
    assert judged(drr)["n_cited"] == 1


async def test_what_a_model_leaves_without_a_source_leans_too(study: Study, shop: Shop) -> None:
    """Both halves of the sentence, which the model tells apart."""
    first, second = f"The [feeder]({SHOP}/{FEEDER}) is green.", "It holds six pounds and has a steel pole."
    told = {first: "The feeder is green.", second: "The feeder holds six pounds."}
    told |= {
        "has a steel pole": "The feeder has a steel pole.",
        "Dogs bark at it.": "Dogs bark at the feeder.",
    }
    cites = {first: [f"{SHOP}/{FEEDER}"]}
    split = [{"quote": quote, "claim": said, "sources": cites.get(quote, [])} for quote, said in told.items()]
    await put(study, answer("a", "react", f"{first} {second} Dogs bark at it.", user_id=ANNA))
    await by_wire(study, Judge(claims=lambda report: split), JudgeOptions(["faithfulness"]), shop)
    judged = read_judged(study, choose_judging(study))
    held = judged.checked_claims(judged.answers[0])
    assert held is not None and held.claims is not None
    assert [len(claim["urls"]) for claim in held.claims] == [1, 1, 1, 0]


async def test_of_many_answers_few_are_held_in_memory_and_all_are_read_alike(study: Study) -> None:
    page = "https://birds.example/care"
    await put(study, *(answer(str(n), "react", f"# {n}", [web(page, f"Page {n}.")]) for n in range(150)))
    own = desk(study, offline())
    for _ in range(2):
        for one in own.answers.values():
            told = f"Page {one.report.removeprefix('# ')}."
            assert own.book(one).page(page).text == told
        held = [one for one in own.answers.values() if {"sources", "report"} & vars(one).keys()]
        assert 0 < len(held) <= 64
