"""What stands in the text itself: repeats, leaked process, citations, evidence, other shops, ids and the names beside them."""

from __future__ import annotations

import pytest
from asked import DIFFUSER, LA, LB, READER, RED, WEB, A, B, checked, failing, is_kept_apart
from drr.env.shop import Shop
from drr.eval.checks import returned_by

from tests.cases import cases

LONG = (
    "The first thing to look at is how the feeder keeps the seed dry, because wet seed spoils within a few days and then "
    "draws mice and rats to the garden, which nobody wants near the house."
)
OTHER_LONG = LONG.replace("feeder", "box").replace("seed", "hay").replace("first thing", "matter").replace(
    "mice and rats", "birds"
)  # fmt: skip


def test_a_paragraph_that_stands_twice_is_found_once() -> None:
    told = failing(f"{LONG}\n\nAnother thought.\n\n{LONG}\n")
    assert told == {"duplicates": ["Paragraph: repeats the one at 0"]}
    assert set(failing(f"{LONG}\n\n{LONG.replace('the house', 'a house')}\n")) == {"duplicates"}
    assert set(failing(f"{LONG}\n\nIn short: {LONG} That is all.\n")) == {"duplicates"}
    short = "Take the red thermometer, for it reads in a second and folds away."
    assert set(failing(f"{short}\n\n- one\n\n{short}\n")) == {"duplicates"}


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
    assert "duplicates" not in failing(text)


@pytest.mark.parametrize(
    "leaked",
    cases("rules", "test_what_a_model_says_to_itself_is_found"),
)
def test_what_a_model_says_to_itself_is_found(leaked: str) -> None:
    assert set(failing(f"Two are good.\n\n{leaked}\n\nThe end.")) >= {"process_text"}


@pytest.mark.parametrize(
    "text",
    [
        "Think of a search for seed. The user of a feeder wants quiet.",
        "This action is simple; an observation of mine: birds like it.",
        "I will need to know your size, and I would look for a sale.",
        "The set of {a, b} and f(x) are no calls; <b>bold</b> and a < b > c neither.",
        "The tool that you own returned to its drawer.",
    ],
)
def test_plain_words_are_no_process_text(text: str) -> None:
    assert failing(text) == {}


CITED = f"Seed spoils [1], and so does suet [2].\n\n## Sources\n\n[1] Seed: {WEB}\n[2] Suet: https://example.org/suet\n"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("suet [2]", "suet [7]"),
        ("[2] Suet: https://example.org/suet", "[2] Suet: "),
        ("[2] Suet: https://example.org/suet", f"[2] Suet: {WEB}"),
    ],
)
def test_a_mark_leads_somewhere_and_no_entry_is_empty_or_twice(right: str, wrong: str) -> None:
    assert checked(CITED)["citation_hygiene"].status == "pass"
    assert set(failing(CITED.replace(right, wrong))) == {"citation_hygiene"}


def test_what_is_only_untidy_is_a_remark() -> None:
    found = checked(CITED.replace("suet [2]", "suet"))["citation_hygiene"]
    assert found.status == "pass" and found.remarks
    own = CITED.replace("[2] Suet: https://example.org/suet", "[2] Your order history")
    assert failing(own) == {}
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


PAGE = {WEB: 'Ovens reach 250 degrees. "They heat up in nine minutes at most", a baker says; 62 % own one, for $1,200 or less.'}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (f"An oven may cost $1,200 [it says]({WEB}).", "$1,200", "$1,300"),
        (f"Of all bakers 62% own one [it says]({WEB}).", "62%", "26%"),
        (f"Of all bakers 62 percent own one [it says]({WEB}).", "62", "72"),
        (f"A baker says “they heat up in nine minutes at most” [here]({WEB}).", "nine", "five"),
    ],
)
def test_amounts_shares_and_quotations_stand_on_the_one_page_cited(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    is_kept_apart(rules_shop, "numbers_in_evidence", text, right, wrong, texts=PAGE)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        (f"About 70% own one [it says]({WEB}).", None),
        (f"For $300 there is none [it says]({WEB}).", "an oven under $300"),
        (f"Of 250 people 62%, that is 155, and 38% do not [it says]({WEB}).", None),
        (f"It is 15% dearer [one]({WEB}), [two](https://example.org/two).", None),
        (f"{LA} is 91% wood, so the record.", None),
        ("An unread page says 91% [it says](https://example.org/unread).", None),
        (f'The "best oven" is small [it says]({WEB}).', None),
    ],
)
def test_a_figure_that_may_come_from_elsewhere_is_not_called_missing(
    rules_shop: Shop, text: str, query: str | None
) -> None:
    assert failing(text, shop=rules_shop, texts=PAGE, query=query) == {}


@pytest.mark.parametrize(
    "text",
    [
        "Buy it at [another shop](https://www.amazon.com/dp/B0ABCDEFGH).",
        "See https://shop.maker.example/feeder for more.",
        "The [page](https://acme.example/gp/product/B0ABCDEFGH) has it.",
        "You can also get it at Walmart for less.",
        "It is cheaper on Amazon.",
        "Order it from Target today.",
    ],
)
def test_another_shop_is_named_by_address_or_name(rules_shop: Shop, text: str) -> None:
    assert set(failing(text, shop=rules_shop)) == {"outside_shop"}


@pytest.mark.parametrize(
    "text",
    [
        "I did not look at Walmart or eBay.",
        "Unlike Amazon, we list the ratings.",
        "The target is a quiet room, and my wish is yours; petco is a word.",
        f"The [test]({WEB}) and [a blog](https://blog.target.example/post) say so.",
        "A developer writes at [AWS](https://aws.amazon.com/what-is).",
        f"{LA} is in our shop; see user://{READER}.",
    ],
)
def test_what_is_set_aside_or_no_shop_is_not_accused(rules_shop: Shop, text: str) -> None:
    assert "outside_shop" not in failing(text, shop=rules_shop, user_id=READER)


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
    ("text", "right", "wrong"),
    [
        (f"Take {LA}.", "Brightpulse Ultrasonic Essential Oil Diffuser", "Maplehand Folding Meat Thermometer"),
        (f"Take the Bramwick Folding Meat Thermometer ({RED}).", "Bramwick Folding Meat Thermometer", "Copperfold Nonstick Baking Sheet"),
        (f"- Bramwick Folding Meat Thermometer `{RED}`", "Bramwick Folding Meat Thermometer", "Brightpulse Oil Diffuser"),
        (f"It folds [1].\n\n## Sources\n\n[1] Bramwick Folding Meat Thermometer: {B}\n", "Bramwick Folding Meat Thermometer", "Brightpulse Oil Diffuser"),
        (f"| Item | Page |\n|---|---|\n| Bramwick Folding Meat Thermometer | {B} |\n", "Bramwick Folding Meat Thermometer", "Brightpulse Oil Diffuser"),
    ],
)  # fmt: skip
def test_a_name_stands_beside_its_own_id(rules_shop: Shop, text: str, right: str, wrong: str) -> None:
    is_kept_apart(rules_shop, "name_matches_id", text, right, wrong)


@pytest.mark.parametrize(
    "text",
    [
        f"Take [the quiet wooden one]({A}).",
        f"Take [The Best Choice For You]({A}).",
        f"Buy It Now: {A}",
        f"[View Product Page]({B})",
        f"- My First Choice ({RED})",
        f"### Why It Is Good\n\n{LB} folds.\n",
        f"Unlike the Maplehand Folding Meat Thermometer, the red one is cheap ({RED}).",
        f"[Brightpulse Diffuser, Dark Wood]({A}) and [Bramwick Red]({B})",
    ],
)
def test_words_that_are_no_name_of_another_product_are_not_accused(rules_shop: Shop, text: str) -> None:
    assert failing(text, shop=rules_shop) == {}
