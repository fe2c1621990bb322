"""Each check catches what it is for, and lets a true question pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drr.env.constraints import parse_constraints
from drr.env.query import Fact, Query, read_queries
from drr.env.shop import Shop
from drr.env.text import SimilarTexts, text_shingles
from drr.querygen.builtin import FILE, builtin_queries
from drr.querygen.check_list import CHECKS
from drr.querygen.checks import Checker, coherence, spread
from drr.querygen.stock import Stock
from drr.wording.states import STATES

from tests.cases import cases
from tests.commands import Drr


@pytest.fixture(scope="module")
def sound(queries: list[Query], shop: Shop) -> Query:
    """A question that passes everything, with a budget and an order."""
    query = next(
        q
        for q in queries
        if q.constraints and q.constraints.total_max and q.facts_used[0].kind == "order" and q.web_need
    )
    assert Checker(shop).check(query).failed == {}
    return query


def said(query: Query, text: str, **fields: Any) -> Query:
    return query.model_copy(update={"query": text, "constraints": parse_constraints(text), **fields})


def other_state(query: Query, shop: Shop) -> str:
    user = shop.store.user(query.user_id)
    assert user is not None
    return next(name for code, name in STATES.items() if code != user.address.state)


BREAKS: dict[str, tuple[Callable[[Query, Shop], Query], str]] = {
    "user": (lambda q, s: q.model_copy(update={"user_id": "NOBODY"}), "no user"),
    "shop": (lambda q, s: q.model_copy(update={"shop_hash": "0" * 64}), "another shop"),
    "profile": (lambda q, s: q.model_copy(update={"profile_hash": "0" * 64}), "changed"),
    "tools": (lambda q, s: q.model_copy(update={"tools": ["web_search", "oracle"]}), "oracle"),
    "web_need": (lambda q, s: q.model_copy(update={"web_need": None}), "does not say what only the web"),
    "answerable": (lambda q, s: q.model_copy(update={"needs": ["nuclear submarine"]}), "nuclear submarine"),
    "budget": (
        lambda q, s: said(
            q, "What bird feeder should I get for under $1 in total, and how do I keep squirrels off it?", needs=["bird feeder"]
        ),
        "above $1.00",
    ),
    "facts": (
        lambda q, s: q.model_copy(update={"facts_used": [Fact(kind="order", id="1234567890123456")]}),
        "1234567890123456",
    ),
    "ids": (lambda q, s: said(q, q.query + " See order 1234567890123456 and B0ZZZZZZZZ."), "B0ZZZZZZZZ"),
    "states": (lambda q, s: said(q, f"{q.query} I live in {other_state(q, s)}."), "the user lives in"),
    "names": (lambda q, s: said(q, q.query + " I loved the one by Xanthippe Quorfleet."), "Xanthippe"),
    "privacy": (lambda q, s: said(q, q.query + " Write to me at jo@mail.example."), "e-mail"),
    "length": (lambda q, s: said(q, "Which feeder?"), "2 words"),
    "language": (
        lambda q, s: said(q, "Welches Vogelhaus empfehlen Sie mir bitte und warum gerade dieses und nicht jenes?"),
        "English",
    ),
    "coherence": (lambda q, s: q.model_copy(update={"needs": ["aquarium filter"]}), "nothing to do with aquarium"),
    "constraints": (
        lambda q, s: q.model_copy(update={"constraints": parse_constraints("under $7 in total")}),
        "total_max",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BREAKS)
def test_a_check_catches_what_it_is_for(name: str, sound: Query, shop: Shop) -> None:
    change, told = BREAKS[name]
    failed = Checker(shop).check(change(sound, shop)).failed
    assert name in failed, failed
    assert told in failed[name]


def test_what_does_not_apply_says_so_and_every_check_is_tried_here(shop: Shop, sound: Query) -> None:
    assert set(BREAKS) | {"near_duplicate", "tics"} == set(CHECKS)
    user = shop.store.sample_users(1, seed=1, min_orders=1)[0]
    text = "Which bird feeder would you take for a small balcony, and why that one?"
    bare = Query(query=text, user_id=user)
    checked = Checker(shop).check(bare)
    assert checked.failed == {}
    assert checked.verdicts["facts"].status == checked.verdicts["tools"].status == "none"
    checker = Checker(shop)
    assert checker.check(sound).failed == {}
    again = said(sound, sound.query.replace("$", "US $"))
    assert "near_duplicate" in checker.check(again).failed
    one = [sound.model_copy(update={"needs": ["bird feeder"], "id": f"q{n}"}) for n in range(20)]
    verdict, counts = spread(Checker(shop), one)
    assert (verdict.status, counts) == ("fail", {"Patio_Lawn_and_Garden": 20})
    verdict, counts = spread(Checker(shop), builtin_queries())
    assert (verdict.status, len(counts)) == ("pass", 10)


def test_a_set_may_begin_and_end_alike_in_four_of_a_hundred(shop: Shop) -> None:
    written = [query for query in builtin_queries() if not query.rule_written]
    checker = Checker(shop, size=len(written))
    assert [checker.check(query).verdicts["tics"].status for query in written] == ["pass"] * 60
    for way, text in (
        ("begins 'could you tell'", "Could you tell me this. {}"),
        ("ends 'can wait'", "{} And what can wait?"),
    ):
        checker = Checker(shop, size=len(written))
        turned = [said(query, text.format(query.query)) for query in written[:4]]
        told = [checker.check(query).failed.get("tics", "") for query in turned]
        assert [bool(one) for one in told] == [False, False, True, True]
        assert way.split("'")[0] in told[2], told


def test_a_set_whose_purchases_are_of_another_kind_is_refused(shop: Shop, queries: list[Query]) -> None:
    assert coherence(Checker(shop), builtin_queries()).status == "pass"
    assert coherence(Checker(shop), queries).status in ("pass", "none")
    asked = builtin_queries()
    claims_citing = [one for one in asked if any(fact.kind == "product" for fact in one.facts_used)]
    needs = [one.needs for one in claims_citing]
    others = zip(claims_citing, [*needs[1:], needs[0]], strict=True)
    turned = [query.model_copy(update={"needs": other}) for query, other in others]
    assert "ask for such a thing" in coherence(Checker(shop), turned).message


def test_what_the_rules_write_passes_as_a_set(written: Path, shop_folder: Path, drr: Drr) -> None:
    assert "36 of 36" in drr.out("queries", "check", written, "--shop", shop_folder)


@pytest.mark.parametrize(
    "text",
    ["Call me at (555) 010-4477 please.", "I live at 12 Maple Street.", "My card is 4111 1111 1111 1111."],
)
def test_personal_data_is_found_in_every_form(text: str, sound: Query, shop: Shop) -> None:
    assert "privacy" in Checker(shop).check(said(sound, f"{sound.query} {text}")).failed


@pytest.mark.long
@pytest.mark.parametrize("unit", ["A ", "a@", "Aa& ", "1234 ", "$", "no "])
def test_a_huge_question_is_refused_and_not_choked_on(unit: str, sound: Query, shop: Shop) -> None:
    huge = sound.model_copy(update={"query": unit * 60_000, "constraints": None})
    assert "length" in Checker(shop).check(huge).failed or "language" in Checker(shop).check(huge).failed


def test_names_and_what_stands_beside_a_question_are_personal_data(sound: Query, shop: Shop) -> None:
    user = shop.store.user(sound.user_id)
    assert user is not None
    name = f"{user.first_name} {user.last_name}".casefold()
    for fields in (
        {"rationale": f"Write to {user.email} about it."},
        {"web_need": f"Call {user.phone_number} and ask."},
        {"needs": [*sound.needs, user.address.address1]},
        {"query": f"{sound.query} Yours, {name}."},
        {"query": f"{sound.query} Yours, {user.first_name} {user.last_name}."},
    ):
        assert "privacy" in Checker(shop).check(sound.model_copy(update=fields)).failed


def test_likeness_is_jaccard_over_shingles_of_texts_seen() -> None:
    texts = ["a b c d e f", "a b c x y z", "q r s t u v", "a b c d e g", "one", "one"]
    sets = [text_shingles(text) for text in texts]
    seen = SimilarTexts()
    for place, own in enumerate(sets):
        expected = {at: len(own & sets[at]) / len(own | sets[at]) for at in range(place) if own & sets[at]}
        assert dict(seen.alike(own)) == expected
        seen.add(own)
    seen.forget_last(sets[-1])
    assert dict(seen.alike(sets[4])) == {4: 1.0}


def test_the_command_exits_1_and_says_why(sound: Query, shop_folder: Path, tmp_path: Path, drr: Drr) -> None:
    path = tmp_path / "q.jsonl"

    def words(**changes: Any) -> tuple[object, ...]:
        path.write_text(sound.model_copy(update=changes).model_dump_json() + "\n", encoding="utf-8")
        return ("queries", "check", path, "--shop", shop_folder)

    drr.out(*words())
    document = drr.json(*words(tools=["oracle"]), code=1)
    assert document["failed"] == 1 and document["queries"][0]["checks"]["tools"]["status"] == "fail"
    assert "generate them again" in drr.err(*words(shop_hash="0" * 64), code=1)


@pytest.mark.parametrize(("content", "told"), cases("querygen", "test_a_bad_file_is_named_by_its_line"))
def test_a_bad_file_is_named_by_its_line(
    content: str, told: str, shop_folder: Path, tmp_path: Path, drr: Drr
) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(content, encoding="utf-8")
    assert told in drr.err("queries", "check", path, "--shop", shop_folder)


@pytest.mark.long
def test_the_built_in_set_passes_and_says_who_wrote_and_read_it(
    shop: Shop, shop_folder: Path, drr: Drr
) -> None:
    drr.out("queries", "check", FILE, "--shop", shop_folder)
    queries = read_queries(FILE)
    assert len(queries) == 66
    prose = [query for query in queries if not query.rule_written]
    stock = Stock(shop)
    assert Counter(map(stock.category, prose)) == dict.fromkeys(shop.catalog.categories(), 6)
    for query in prose:
        assert (query.review.status, query.review.reviewer) == ("accepted", "model:claude")
        assert [bool(entry.get("found")) for entry in query.review.history] == [True]
        assert query.constraints is not None
    assert {query.review.reviewer for query in queries if query.rule_written} == {"none"}
    assert len({" ".join(query.query.split()[:2]).casefold() for query in prose}) >= 55
    lengths = [len(query.query.split()) for query in prose]
    assert min(lengths) < 20 < 150 < max(lengths)


def test_what_a_question_leans_on_is_told_affordable_and_named(sound: Query, shop: Shop) -> None:
    def claims_citing(kind: Any, value: str) -> dict[str, str]:
        asked = sound.model_copy(update={"facts_used": [Fact(kind=kind, id=value)]})
        return dict(Checker(shop).check(asked).failed)

    for told in ("address.state", "state", "label", "price_quartiles"):
        assert "facts" not in claims_citing("profile", told)
    for secret in ("email", "phone_number", "address.address1", "address", "first_name"):
        assert "facts" in claims_citing("profile", secret)
    lacking = sound.model_copy(update={"tools": ["product_catalog_search"], "web_need": "Prices elsewhere."})
    assert "does not name web_search" in Checker(shop).check(lacking).failed["web_need"]
    offline = sound.model_copy(update={"tools": ["product_catalog_search"], "web_need": None})
    assert "web_need" not in Checker(shop).check(offline).failed
    cheapest = Stock(shop).cheapest("bird feeder")
    assert cheapest is not None
    text = f"Please recommend five options for a bird feeder under ${cheapest + 0.01:.2f} each, and say how each is washed."
    failed = Checker(shop).check(said(sound, text, needs=["bird feeder"])).failed
    assert "5 are asked for" in failed["budget"]
    text = f"{sound.query} We know what I'm after, and what I've got, I'd say; I'll wait."
    assert "names" not in Checker(shop).check(said(sound, text)).failed


@pytest.mark.parametrize(
    ("content", "told"), cases("querygen", "test_what_cannot_be_read_is_refused_clearly")
)
def test_what_cannot_be_read_is_refused_clearly(content: str, told: str, tmp_path: Path, drr: Drr) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(content + "\n", encoding="utf-8")
    error = drr.err("queries", "stats", path)
    assert "line 1" in error
    assert told in error


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"query": "Which feeder?", "user_id": "u"}\n', encoding="utf-8-sig")
    assert [query.query for query in read_queries(path)] == ["Which feeder?"]
