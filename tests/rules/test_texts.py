"""What stands in the text itself: repeats, leaked process, citations, evidence, other shops, ids and the names beside them."""

from __future__ import annotations

import asked
import pytest
from asked import DIFFUSER, LA, READER, RED, WEB, A, checked, failing, is_kept_apart
from drr.env.shop import Shop
from drr.eval.checks.base import returned_by

from tests.cases import cases

LONG = (
    "The first thing to look at is how the feeder keeps the seed dry, because wet seed spoils within a few days and then "
    "draws mice and rats to the garden, which nobody wants near the house."
)
OTHER_LONG = LONG.replace("feeder", "box").replace("seed", "hay").replace("first thing", "matter").replace(
    "mice and rats", "birds"
)  # fmt: skip


def remarked(report: str) -> dict[str, list[str]]:
    found = checked(report)
    assert not any(one.status == "fail" for one in found.values())
    return {
        name: [each.why for each in one.findings] for name, one in found.items() if one.status == "remark"
    }


def test_a_paragraph_that_stands_twice_is_remarked_once() -> None:
    told = remarked(f"{LONG}\n\nAnother thought.\n\n{LONG}\n")
    assert told == {
        "duplicates": ["Paragraph: says again what stands in “The first thing to look at is how the feeder…”"]
    }
    assert remarked(f"{LONG}\n\n{LONG.replace('the house', 'a house')}\n") == {}
    short = "Take the red thermometer, for it reads in a second and folds away."
    assert set(remarked(f"{short}\n\n- one\n\n{short}\n")) == {"duplicates"}


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG}\n\n{OTHER_LONG}\n",
        "Buy it.\n\nBuy it.\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n" * 3,
        f"{LONG}\n\n## Sources\n\n[1] A page: {WEB}\n",
    ],
)
def test_what_is_only_alike_is_no_repeat(text: str) -> None:
    assert "duplicates" not in remarked(text)


@pytest.mark.parametrize("leaked", cases("rules", "test_what_a_model_says_to_itself_is_found"))
def test_what_a_model_says_to_itself_is_found(leaked: str) -> None:
    assert set(failing(f"Two are good.\n\n{leaked}\n\nThe end.")) >= {"process_text"}


@pytest.mark.parametrize("text", cases("rules", "test_plain_words_are_no_process_text"))
def test_plain_words_are_no_process_text(text: str) -> None:
    assert failing(text) == {}


CITED = f"Seed spoils [1], and so does suet [2].\n\n## Sources\n\n[1] Seed: {WEB}\n[2] Suet: https://example.org/suet\n"


@pytest.mark.parametrize(
    ("right", "wrong"),
    cases("rules", "test_a_mark_leads_somewhere_and_no_entry_is_empty_or_twice", vars(asked), globals()),
)
def test_a_mark_leads_somewhere_and_no_entry_is_empty_or_twice(right: str, wrong: str) -> None:
    assert checked(CITED)["citation_hygiene"].status == "pass"
    assert set(remarked(CITED.replace(right, wrong))) == {"citation_hygiene"}


def test_what_is_only_untidy_is_a_remark() -> None:
    found = checked(CITED.replace("suet [2]", "suet"))["citation_hygiene"]
    assert found.status == "pass" and found.remarks
    assert checked("No mark.")["citation_hygiene"].remarks == ("absent",)


def test_an_address_that_no_tool_returned_is_fabricated() -> None:
    report = "See [a](https://a.org) and [b](https://b.org/x)."
    returned = returned_by([{"name": "web_search", "result": "1. A https://a.org/\n2. B (https://b.org/x)."}])
    assert checked(report)["fabricated_citation"].remarks == ("calls",)
    assert checked(report, returned=returned)["fabricated_citation"].status == "pass"
    assert failing(report, returned=returned - {"https://b.org/x"}) == {
        "fabricated_citation": ["Address: https://b.org/x; no tool returned it"]
    }


def test_what_a_model_wrote_itself_no_tool_returned() -> None:
    asked = {"name": "fetch", "arguments": {"url": "https://a.org/x"}, "result": "https://a.org/x: not found"}
    failed = {"name": "web_search", "error": "timeout", "result": "https://b.org/"}
    thought = {"name": "think", "kind": "thought", "result": "https://c.org/"}
    assert returned_by([asked, failed, thought]) == frozenset()


def test_a_page_is_the_same_by_any_scheme_and_with_any_fragment() -> None:
    report = "See [a](https://a.org/x#part) and [b](https://b.org/)."
    returned = frozenset(["http://a.org/x", "https://b.org/#top"])
    assert failing(report, returned=returned) == {}
    assert set(failing(report, returned=frozenset(["http://a.org/y"]))) == {"fabricated_citation"}
    assert failing(report, returned=frozenset(), query="compare https://a.org/x with https://b.org/") == {}


@pytest.mark.parametrize("rule", ["statistics", "numbers_in_evidence"])
def test_a_rule_that_is_given_up_says_so(rules_shop: Shop, rule: str) -> None:
    for report in ("Total orders: 3\n", 'An "oven of the year" is $1,300 [1].\n\n[1]: https://a.org\n'):
        found = checked(report, shop=rules_shop, user_id=READER)[rule]
        assert (found.status, found.value, found.remarks) == ("unverifiable", None, ("given_up",))


@pytest.mark.parametrize("text", cases("rules", "test_another_shop_is_named_by_address_or_name"))
def test_another_shop_is_named_by_address_or_name(rules_shop: Shop, text: str) -> None:
    assert set(failing(text, shop=rules_shop)) == {"outside_shop"}


@pytest.mark.parametrize(
    "text", cases("rules", "test_what_is_set_aside_or_no_shop_is_not_accused", vars(asked), globals())
)
def test_what_is_set_aside_or_no_shop_is_not_accused(rules_shop: Shop, text: str) -> None:
    assert "outside_shop" not in failing(text, shop=rules_shop, user_id=READER)


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("https://www.otto.de/p/lampe-1/", "fail"),
        ("https://www.bol.com/nl/nl/p/lamp/93/", "fail"),
        ("https://www.amazon.com/s?k=lamp", "fail"),
        ("https://www.walmart.com/help/article/returns", "pass"),
        ("https://www.hornbach.de/ratgeber/lampe/", "pass"),
        ("https://corporate.target.com/press", "pass"),
        ("https://lamps.example.org/desk", "unverifiable"),
        ("https://notamazon.com/lamp", "unverifiable"),
    ],
)
def test_only_offers_of_known_shops_are_accused_and_of_an_unlisted_host_nobody_can_tell(
    rules_shop: Shop, address: str, status: str
) -> None:
    assert checked(f"See [this]({address}).", shop=rules_shop)["outside_shop"].status == status


def test_an_id_of_no_product_is_named_with_the_one_that_was_meant(rules_shop: Shop) -> None:
    for text in (
        f"Take [it]({A.replace(DIFFUSER, DIFFUSER.replace('0', 'O', 1))}).",
        f"Take it ({DIFFUSER.replace('0', 'O', 1)}).",
        f"Take `{DIFFUSER.replace('0', 'O', 1)}`.",
    ):
        found = checked(text, shop=rules_shop)["in_catalogue"]
        assert found.status == "fail", text
        assert found.value["missing"] == [{"id": "BO9248YNC1", "near_miss": DIFFUSER}]
    told = failing("Take `B0ZZZZZZZZ`.", shop=rules_shop)
    assert told == {"in_catalogue": ["Id: B0ZZZZZZZZ; catalogue: no such product"]}
    found = checked(f"{LA}, {RED} and `{RED}`.", shop=rules_shop)["in_catalogue"]
    assert (found.status, found.value["checked"], found.value["share"]) == ("pass", 2, 1.0)


@pytest.mark.parametrize(
    ("text", "right", "wrong"), cases("rules", "test_a_name_stands_beside_its_own_id", vars(asked), globals())
)
def test_a_name_stands_beside_its_own_id(rules_shop: Shop, text: str, right: str, wrong: str) -> None:
    is_kept_apart(rules_shop, "name_matches_id", text, right, wrong)


@pytest.mark.parametrize(
    "text",
    cases("rules", "test_words_that_are_no_name_of_another_product_are_not_accused", vars(asked), globals()),
)
def test_words_that_are_no_name_of_another_product_are_not_accused(rules_shop: Shop, text: str) -> None:
    assert failing(text, shop=rules_shop) == {}
