"""What the tools say: every fact an agent needs, unknowns as unknown, an address for everything, nobody's line breaks."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from drr.env.entities import Product
from drr.env.records.lines import one_line
from drr.env.records.listing import PAGE, product_page
from drr.env.records.product import product_evidence
from drr.env.records.shopper import order_row, statistics_page
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.source import text_hash
from drr.env.statistics import Purchase, user_statistics
from drr.env.web.sandbox import Sandbox
from drr.tools.base import ToolContext, ToolError, context_for
from drr.tools.registry import call_sync
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases, table
from tests.sizes import examples
from tests.tools.small_shop import ANNA, ANNAS_ORDER, BARE, BEN, EVE, FEEDER, GRINDER, HOSTILE, PRODUCTS

SHOP = "http://ecommerce.example/"


@pytest.fixture
def feeder(shop: Shop) -> Product:
    found = shop.store.product(FEEDER)
    assert found is not None
    return found


def test_a_search_says_what_it_found_and_how_to_get_more(ctx: ToolContext) -> None:
    answer = call_sync("product_catalog_search", {"query": "panorama feeder", "match": "all"}, ctx)
    assert answer.text.splitlines() == [
        "Products 1-1 of 1 for 'panorama feeder' (all words)",
        "1. Panorama wild bird feeder with six ports | $19.99 | 4.5/5 (2,067 ratings) | by Nestwell | Birds > Feeders",
        f"   {SHOP}{FEEDER}",
    ]
    assert answer.data["total"] == 1
    assert answer.data["items"][0]["product_id"] == FEEDER
    assert answer.data["items"][0]["score"] > 0

    def ids(**arguments: Any) -> list[str]:
        found = call_sync("product_catalog_search", {"query": "bird dog", **arguments}, ctx)
        return [item["product_id"] for item in found.data["items"]]

    everything = ids()
    assert len(everything) == 6
    assert ids(limit=2, offset=1) == everything[1:3]
    assert BARE not in ids(min_price=0)
    assert BARE not in ids(min_rating=0)
    assert ids(category="Pet Supplies") == ids(category="pet_supplies") == [GRINDER]
    prices = [p.price for i in ids(sort="price_asc") for p in PRODUCTS if p.product_id == i]
    assert prices == [12.49, 19.99, 19.99, 31.0, 64.5, None]
    assert ids(max_price=20, sort="price_desc")[0] in (FEEDER, HOSTILE)
    limits = {"min_price": 5, "max_price": 40, "min_rating": 4, "category": "Birds", "sort": "price_asc"}
    text = call_sync("product_catalog_search", {"query": "bird", **limits}, ctx).text
    assert "for 'bird' (from $5.00, up to $40.00, rated 4 or more, in Birds, by price_asc)" in text
    unknown = call_sync("product_catalog_search", {"query": "bird", "category": "Petz"}, ctx)
    assert "categories are Patio Lawn and Garden, Pet Supplies" in unknown.text
    assert (unknown.data["items"], unknown.data["total"]) == ([], 0)
    assert "wider filters" in call_sync("product_catalog_search", {"query": "telescope"}, ctx).text
    beyond = call_sync("product_catalog_search", {"query": "bird", "offset": 40}, ctx)
    assert "No products after the first 40 (5 in all)" in beyond.text
    assert beyond.data["total"] == 5
    text = call_sync("product_catalog_search", {"query": "bird", "limit": 2}, ctx).text
    assert text.startswith("Products 1-2 of 5 (offset=2 shows more) for 'bird'")


def test_a_short_form_states_every_field_and_marks_every_cut(ctx: ToolContext) -> None:
    answer = call_sync("get_product_details", {"product_id": FEEDER, "part": "short"}, ctx)
    for fact in (
        FEEDER, "$19.99", "4.5/5 (2,067 ratings)", "by Nestwell", "Birds > Feeders", "six pounds", "Green",
    ):  # fmt: skip
        assert fact in answer.text
    assert answer.text.count("…") == 1
    assert answer.data["product_id"] == FEEDER
    assert answer.data["description"] == PRODUCTS[3].description or len(answer.data["description"][0]) > 400


def test_details_are_said_once_and_none_is_lost(feeder: Product) -> None:
    details = {"Ports": "Six Ports", "Watts": "2,067", "Score": "4.5", "Seed": "seeds", "UPC": "1234567890"}
    text = product_page(feeder.model_copy(update={"details": details, "rating_number": 2067}), "short").text
    assert text.splitlines()[-1] == "Details: Watts: 2,067; Score: 4.5; Seed: seeds"
    changes = {
        "features": ["Yes, it folds flat; none of the parts rust."],
        "details": {"Assembly Required": "Yes", "Batteries": "None", "UPC\u200e": "1234567890"},
    }
    text = product_page(feeder.model_copy(update=changes), "short").text
    assert text.splitlines()[-1] == "Details: Assembly Required: Yes; Batteries: None"
    details = {"Width": "12 in", "Width\u200e": "14 in", " Depth": "3 in "}
    same = feeder.model_copy(update={"details": details})
    assert product_page(same, "short").text.endswith("\nDetails: Width: 12 in; Width: 14 in; Depth: 3 in")
    assert product_page(same).text.splitlines()[-3:] == ["- Width: 12 in", "- Width: 14 in", "- Depth: 3 in"]


@pytest.mark.parametrize("mark", ["", "  "], ids=["clean", "cleaned"])
def test_the_short_form_keeps_the_details_that_the_question_names(
    feeder: Product, ctx: ToolContext, mark: str
) -> None:
    long = "for walls of 2 x 4 studs only, " * 3 + "never for tiles"
    details = {f"Size {k}": f"{k} x 12" for k in range(8)} | {
        "Mounting Type": long + mark,
        "UPC": "123456789012",
    }
    shown = feeder.model_copy(update={"details": details, "features": ["Red" + mark]})
    asked = "How is it mounted, with what type of screw, and what is its UPC?"
    (plain,) = (product_page(shown, "short").text.splitlines()[-1],)
    assert "Mounting" not in plain and plain.endswith("(3 more)")
    kept = product_page(shown, "short", question=asked).text.splitlines()[-1]
    assert kept.startswith(f"Details: Mounting Type: {long}; Size 0: ") and kept.endswith("(3 more)")
    assert "UPC" not in kept and product_page(shown, "short").text.splitlines()[-1] == plain
    assert product_page(shown, "all", question=asked).text == product_page(shown).text
    ctx = replace(ctx, asked="Of which color is it?")
    assert (
        "Details: Color: Green"
        in call_sync("get_product_details", {"product_id": FEEDER, "part": "short"}, ctx).text
    )


@pytest.mark.parametrize("mark", ["", "  "], ids=["clean", "cleaned"])
def test_no_cut_goes_unmarked(feeder: Product, mark: str) -> None:
    changes = {
        "features": ["Holds seed" + mark],
        "description": ["Holds seed. " * 200 + "It bites."],
        "details": {"Sizes": list(range(12)), "Colors": {str(k): 1 for k in range(10)}, "Few": [1, 2]},
    }
    *_, description, details = product_page(feeder.model_copy(update=changes), "short").text.splitlines()
    assert description.startswith("Description: ")
    assert description.endswith("…")
    sizes, colors = ", ".join(map(str, range(12))), ", ".join(f"{k} 1" for k in range(10))
    assert details == f"Details: Sizes: {sizes}; Colors: {colors}; Few: 1, 2"


def _long(product: Product) -> Product:
    """Limits, clearance, sizes and warranty stand where a shortened page would have ended."""
    changes = {
        "features": [
            f"Feature {k}: " + "strong and light and made to last. " * 5 + f"end{k}" for k in range(9)
        ],
        "description": ["It holds seed. " * 40 + "Never load more than 38 pounds."],
        "details": {f"Size {k}": f"{k} x 12 inches " + "of steel " * 8 + f"stop{k}" for k in range(12)}
        | {"Warranty": {"Parts": "2 years", "Motor": ["5 years", "not when wet"]}, "UPC": "123456789012"},
    }
    return product.model_copy(update=changes)


def test_a_page_has_everything_and_a_part_nothing_else(feeder: Product) -> None:
    """And so everything that a judge is shown of it."""
    page = product_page(_long(feeder))
    assert page.pages == 1
    assert "…" not in page.text
    told = " ".join(page.text.split())
    for line in product_evidence(_long(feeder)).text.splitlines():
        _, _, fact = line.partition(": ")
        if not line.startswith(("Average", "Number", "Product", "Categories")):
            assert " ".join(fact.split()) in told, line
    assert "38 pounds" in told
    assert "- Warranty, Motor: 5 years; not when wet" in page.text
    assert "Patio, Lawn & Garden > Birds > Feeders" in told
    whole, parts = product_page(_long(feeder)).text, ("features", "description", "details")
    of = {part: product_page(_long(feeder), part).text for part in parts}
    for part, text in of.items():
        assert text.splitlines()[:2] == whole.splitlines()[:2]
        assert text.split("\n", 2)[2] in whole
        assert [other for other in parts if f"\n{other.title()}:" in text] == [part]
    first = product_page(feeder)
    assert product_page(feeder.model_copy(deep=True)) == first
    assert "| $5.00 |" in product_page(feeder.model_copy(update={"price": 5.0})).text
    assert "| price unknown |" in product_page(feeder.model_copy(update={"price": None})).text
    assert product_page(feeder) == first
    assert product_page(feeder, "short") != first


@examples(30)
@given(
    st.lists(st.tuples(st.text("ab \n|\u200b", min_size=1, max_size=6), st.integers(1, 5_000)), max_size=3),
    st.integers(1, 9_000),
)
def test_a_long_listing_comes_in_whole_pages(repeated: list[tuple[str, int]], words: int) -> None:
    texts = [text * times for text, times in repeated]
    product = PRODUCTS[0].model_copy(
        update={"features": texts, "description": ["word " * words + "x" * words]}
    )
    first = product_page(product)
    pages = [product_page(product, number=k) for k in range(1, first.pages + 1)]
    assert product_page(product, number=first.pages + 1).text == ""
    said = ""
    for page in pages:
        *heading, body = page.text.split("\n", 2)
        assert heading == first.text.split("\n", 2)[:2]
        if first.pages > 1:
            body, _, told = body.rpartition("\nPage ")
            assert told.startswith(f"{page.number} of {first.pages} of this listing")
        assert len(body) <= PAGE
        said += "".join(body.split())
    for text in texts:
        assert "".join(text.replace("\u200b", "").replace("|", "/").split()) in said
    assert "word" * words + "x" * words in said


def test_unknown_is_unknown_and_strangers_text_forges_nothing(ctx: ToolContext) -> None:
    text = call_sync("get_product_details", {"product_id": BARE}, ctx).text
    for words in ("price unknown", "not rated", "store unknown", "No description."):
        assert words in text
    assert "None" not in text
    assert "$0" not in text
    by_id = call_sync("get_product_details", {"product_id": FEEDER}, ctx)
    assert call_sync("get_product_details", {"product_id": SHOP + FEEDER}, ctx).text == by_id.text
    with pytest.raises(ToolError, match="page 2 of 1"):
        call_sync("get_product_details", {"product_id": FEEDER, "page": 2}, ctx)
    search = call_sync("product_catalog_search", {"query": "net"}, ctx).text
    assert [line[:3] for line in search.splitlines()[1:]] == ["1. ", "   "]
    row = search.splitlines()[1]
    assert row.count(" | ") == 4
    assert "\u202e" not in search
    assert "by Evil Store" in row
    details = call_sync("get_product_details", {"product_id": HOSTILE}, ctx).text
    assert "\u200b" not in details
    assert [line.partition(":")[0] for line in details.splitlines()[2:]] == [
        "Features", "- Holds six pounds of seed", "- Rust-resistant steel pole", "Description", "Details",
        "- Color", "- Item Weight", "- Best Sellers Rank, Birds",
    ]  # fmt: skip
    short = call_sync("get_product_details", {"product_id": HOSTILE, "part": "short"}, ctx).text
    assert len(short) < 1500
    before = call_sync("get_user_profile", {}, ctx).text
    call_sync("product_catalog_search", {"query": "net"}, ctx)
    call_sync("get_product_details", {"product_id": HOSTILE}, ctx)
    assert call_sync("get_user_profile", {}, ctx).text == before
    assert ctx.session.changes() == []


def test_a_title_cannot_forge_the_price_of_an_order(shop: Shop) -> None:
    order = shop.store.order(ANNAS_ORDER)
    product = shop.store.product(FEEDER)
    assert order is not None
    assert product is not None
    row = order_row(order, product.model_copy(update={"title": "Feeder | $0.01 | order 7"}))
    assert row.split(" | ")[1:] == ["$19.99", f"order {ANNAS_ORDER}, product {FEEDER}"]


def test_orders_and_statistics_say_what_is_known(ctx: ToolContext) -> None:
    answer = call_sync("get_user_orders", {}, ctx)
    heading, *rows = answer.text.splitlines()
    assert heading.startswith("Orders 1-3 of 3, newest first, at the shop's current prices.")
    assert f"user://{ANNA}/orders/<order>" in heading
    assert rows[0] == (
        "2022-06-12 Delivered: 2 x Panorama wild bird feeder with six ports | $19.99"
        f" | order {ANNAS_ORDER}, product {FEEDER}"
    )
    assert "price unknown" in rows[1]
    assert [item["order_status"] for item in answer.data["items"]] == ["Delivered", "Returned", "Cancelled"]
    only = call_sync("get_user_orders", {"status": "Cancelled", "limit": 1}, ctx)
    assert only.data["total"] == 1
    assert only.text.startswith("Cancelled orders 1-1 of 1")
    assert call_sync("get_user_orders", {"offset": 9}, ctx).text.startswith("No orders after the first 9 ")
    answer = call_sync("get_order_details", {"order_id": ANNAS_ORDER}, ctx)
    for fact in (
        "Delivered", "2022-06-12", "2 x Panorama", "$19.99 each, $39.98 in all", SHOP + FEEDER, "Anna Ortiz",
    ):  # fmt: skip
        assert fact in answer.text
    assert answer.data["product"]["product_id"] == FEEDER
    assert answer.data["customer"]["user_id"] == ANNA
    again = call_sync("get_order_details", {"order_id": f"user://{ANNA}/orders/{ANNAS_ORDER}"}, ctx)
    assert again.text == answer.text
    answer = call_sync("get_user_statistics", {}, ctx)
    assert "3 orders, 4 items, 2021-12-20 to 2022-06-12, the last 8 days ago" in answer.text
    assert "Spend: $39.98; 1 of 3 orders have no known price and are not in it" in answer.text
    assert answer.data["orders_without_price"] == 1
    assert answer.sources[0].url == f"user://{ANNA}/statistics"


@pytest.mark.parametrize(
    ("asked", "orders", "said"),
    [
        (
            {"words": "bird feeders"},
            [3],
            "Orders 1-1 of 1 for 'bird feeders' (1 more share a word), newest first",
        ),
        ({"words": "bird feeder house"}, [3, 2], "Orders 1-2 of 2 for"),
        ({"words": "bird house"}, [2], "Orders 1-1 of 1 for 'bird house' (1 more share a word), newest"),
        ({"words": "Dogs grooming"}, [1], "Orders 1-1 of 1 for 'Dogs grooming'"),
        ({"words": "bird kettle"}, [3, 2], "Orders 1-2 of 2 for 'bird kettle', newest"),
        ({"words": "bird kettle", "limit": 1, "offset": 1}, [2], "Orders 2-2 of 2 for"),
        ({"words": "kettle"}, [], "No orders for 'kettle' of "),
        ({"since": "2022-04-15"}, [3, 2], "Orders 1-2 of 2 since 2022-04-15"),
        ({"before": "2022-06-12"}, [2, 1], "Orders 1-2 of 2 before 2022-06-12"),
        (
            {"since": "2021-01-01", "before": "2022-01-01", "words": "dog"},
            [1],
            "Orders 1-1 of 1 for 'dog' since",
        ),
        ({"words": "bird", "status": "Returned"}, [2], "Returned orders 1-1 of 1 for 'bird'"),
    ],
)
def test_orders_are_found_by_words_and_days(
    asked: dict[str, Any], orders: list[int], said: str, ctx: ToolContext
) -> None:
    answer = call_sync("get_user_orders", asked, ctx)
    assert [int(item["order_id"]) - 1_000_000_000_000_000 for item in answer.data["items"]] == orders
    assert answer.text.startswith(said)


@pytest.mark.parametrize("asked", [{"words": "?!"}, {"since": "2022-13-01"}, {"before": "yesterday!"}])
def test_orders_cannot_be_found_by_what_is_no_word_or_day(asked: dict[str, Any], ctx: ToolContext) -> None:
    with pytest.raises(ToolError, match=next(iter(asked))) as caught:
        call_sync("get_user_orders", asked, ctx)
    assert caught.value.kind == "invalid"


def test_a_user_without_orders(shop: Shop, web: Sandbox) -> None:
    ctx = context_for(Session(shop, EVE), web)
    assert call_sync("get_user_orders", {}, ctx).data == {"items": [], "total": 0}
    assert "No orders yet." in call_sync("get_user_statistics", {}, ctx).text


@pytest.mark.parametrize(
    ("stores", "said"), [(6, "S5 1"), (9, "(3 more)"), (10, "(at least 4 more)"), (15, "(at least 4 more)")]
)
def test_the_stores_that_are_left_out_are_not_undercounted(stores: int, said: str) -> None:
    """The statistics end at ten stores; the user may have bought from more."""
    day, rest = 1_650_000_000_000, (1, "Delivered", 5.0, "Pet_Supplies")
    bought = [Purchase(day + k, *rest, f"S{k}") for k in range(stores)]
    text = statistics_page(user_statistics(ANNA, bought, "2023-01-01"), "user://a/statistics")
    (line,) = [line for line in text.splitlines() if line.startswith("Favourite stores: ")]
    assert line.split("; ")[-1].startswith(said)


def test_an_update_says_what_changed_and_stays_in_its_session(shop: Shop, web: Sandbox) -> None:
    first, second = (context_for(Session(shop, ANNA), web) for _ in range(2))
    given = {"email": "a.ortiz@post.example", "state": "new york", "zip": "73019"}
    answer = call_sync("update_user_profile", given, first)
    assert "anna@post.example -> a.ortiz@post.example; state: OK -> NY." in answer.text.splitlines()[0]
    assert answer.data["changed"] == [
        {"field": "email", "before": "anna@post.example", "after": "a.ortiz@post.example"},
        {"field": "address.state", "before": "OK", "after": "NY"},
    ]
    assert "Norman, NY 73019" in call_sync("get_user_profile", {}, first).text
    assert "Norman, OK 73019" in call_sync("get_user_profile", {}, second).text
    assert shop.store.user(ANNA) == second.session.user(ANNA)
    same = call_sync("update_user_profile", {"state": "NY"}, first)
    assert same.text.startswith("Nothing changed") and same.data["changed"] == []


@table("tools", "phone_numbers_as_people_write_them")
def test_phone_numbers_as_people_write_them(number: str, shop: Shop, web: Sandbox) -> None:
    ctx = context_for(Session(shop, BEN), web)
    assert number in call_sync("update_user_profile", {"phone_number": number}, ctx).text


def test_web_results_carry_title_address_and_dated_snippet(ctx: ToolContext) -> None:
    answer = call_sync("web_search", {"query": "which birds winter in Oklahoma"}, ctx)
    assert "1. Winter birds of Oklahoma\n   https://birds.example/oklahoma\n" in answer.text
    assert "Published 2021-11-02" in answer.text
    assert "northern cardinal winters in Oklahoma" in answer.text
    source = answer.sources[0]
    assert (source.type, source.page, source.page_status) == ("web", None, None)
    assert source.seen.replace("\n", "\n   ") in answer.text
    assert "distractor" not in call_sync("web_search", {"query": "dog ramp"}, ctx).text
    assert call_sync("web_search", {"query": "zzz"}, ctx).data == {"items": [], "total": 0}


CALLS: list[tuple[str, dict[str, Any], str]] = cases("tools", "answers CALLS")


@pytest.mark.parametrize(("name", "arguments", "kind"), CALLS)
def test_sources_freeze_what_they_saw(
    name: str, arguments: dict[str, Any], kind: str, ctx: ToolContext
) -> None:
    answer = call_sync(name, arguments, ctx)
    assert answer.sources
    assert answer.sources[0].type == kind
    assert len({source.url for source in answer.sources}) == len(answer.sources)
    for source in answer.sources:
        assert source.type == kind or (source.type == "product" and "order" in name)
        assert source.seen.replace("\n   ", "\n") in answer.text.replace("\n   ", "\n")
        assert source.sha256 == text_hash(source.seen)
        assert (source.record is None) == (kind == "web")
        if source.type == "product":
            assert source.url == SHOP + str(source.record and source.record["product_id"])
        if source.type == "user":
            assert source.url.startswith(f"user://{ANNA}/")
        # Sources are built without validation, for speed; they must be what validation would accept.
        assert type(source).model_validate(source.model_dump()) == source
    json.dumps(answer.data)


def test_one_line_bounds_its_work_and_its_result() -> None:
    assert one_line("a\n\tb\u200bc\x00", 10) == "a bc"
    assert one_line("word " * 10_000_000, 20) == "word word word word…"
    assert len(one_line("é" * 500, 80)) == 80
    assert one_line("\ud800x", 5) == "x"


@pytest.mark.parametrize("tool", ["get_user_orders", "get_user_statistics", "get_order_details"])
def test_what_one_session_makes_of_an_answer_reaches_no_other(shop: Shop, web: Sandbox, tool: str) -> None:
    arguments = {"order_id": ANNAS_ORDER} if tool == "get_order_details" else {}
    one, other, third = (context_for(Session(shop, ANNA), web) for _ in range(3))
    changed, before = call_sync(tool, arguments, one), call_sync(tool, arguments, other)
    for value in changed.data.values():
        for row in value if isinstance(value, list) else [value]:
            if isinstance(row, dict):
                row.clear()
    changed.data.clear()
    one.session.update_user(ANNA, {"first_name": "Eve"})
    after = call_sync(tool, arguments, third)
    assert after == before and after.data and "Eve" not in after.text


def test_a_least_price_of_zero_says_nothing_against_the_query(ctx: ToolContext) -> None:
    found = call_sync("product_catalog_search", {"query": "bird bath over $50", "min_price": 0}, ctx)
    assert [item["product_id"] for item in found.data["items"]] == ["B0BATH0001"]
    known = call_sync("product_catalog_search", {"query": "bird", "min_price": 0}, ctx).data
    assert None not in [item["price"] for item in known["items"]] and known["unknown_price"] == 1
