"""What each rule decides, at its borders."""

from __future__ import annotations

import sys

import pytest
from drr.env.entities import Product
from drr.env.query import Constraints
from drr.env.session import Session
from drr.env.shop import Shop
from drr.eval.checks import RULES, Check, Subject, check_report, document, returned_by
from drr.wording.states import STATES
from figure9 import QUERY, REPORT, TWIN
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.planted import Scene, short_title

NAMES = [
    "in_catalogue", "outside_shop", "name_matches_id", "price", "rating", "total", "budget", "order_facts", "privacy",
    "profile_facts", "statistics", "duplicates", "citation_hygiene", "fabricated_citation", "numbers_in_evidence",
    "product_claims", "process_text", "figures",
]  # fmt: skip


def checked(report: str, **known: object) -> dict[str, Check]:
    return check_report(Subject(report, **known))  # type: ignore[arg-type]


def test_the_registry_has_the_eighteen_names() -> None:
    assert list(RULES) == NAMES


class TestTheShowcaseOfThePaper:
    def test_its_plan_breaks_the_budget_and_a_heading_its_section(self) -> None:
        found = checked(REPORT, query=QUERY)
        assert found["budget"].status == "fail"
        assert found["budget"].value["computed"] == 330
        assert found["total"].status == "fail"
        assert len(found["total"].spans) == 1
        start, end = found["total"].spans[0]
        assert REPORT[start:end] == r"\$120"
        assert "128.96" in found["total"].evidence[0]

    def test_its_twin_with_the_amounts_put_right_passes(self) -> None:
        found = checked(TWIN, query=QUERY)
        assert (found["budget"].status, found["total"].status) == ("pass", "pass")
        assert found["budget"].value["computed"] == 295

    @pytest.mark.parametrize("query", ["keep it under $330", "budget: $330"])
    def test_a_budget_that_is_met_exactly_holds(self, query: str) -> None:
        assert checked(REPORT, query=query)["budget"].status == "pass"

    def test_the_table_may_have_pipes(self) -> None:
        lines = [
            "| " + line.replace("\t", " | ") + " |" if "\t" in line else line for line in REPORT.splitlines()
        ]
        at = next(index for index, line in enumerate(lines) if line.startswith("| Phase"))
        piped = "\n".join([*lines[: at + 1], "|---|---|---|---|", *lines[at + 1 :]])
        found = checked(piped, query=QUERY)
        assert found["budget"].value["computed"] == 330
        assert len(found["total"].spans) == 1


def test_without_shop_user_and_question_what_needs_them_is_unverifiable() -> None:
    found = checked("A [feeder](http://ecommerce.example/B0XXXXXXXX) for $20.\n")
    alone = {"total", "duplicates", "citation_hygiene", "process_text"}
    assert {name for name, check in found.items() if check.status == "fail"} == set()
    assert {name for name, check in found.items() if check.status != "unverifiable"} <= alone


def test_no_tool_calls_known_is_not_no_tool_calls() -> None:
    report = "See [a](https://a.org) and [b](https://b.org/x)."
    assert checked(report)["fabricated_citation"].status == "unverifiable"
    assert checked(report, returned=frozenset())["fabricated_citation"].status == "fail"
    returned = returned_by([{"name": "web_search", "result": "1. A https://a.org/\n2. B (https://b.org/x)."}])
    assert checked(report, returned=returned)["fabricated_citation"].status == "pass"


def test_a_host_given_by_hand_counts_as_the_shop() -> None:
    report = "Buy the [Heavy Iron Feeder](http://ecommerce.com/B0ABCDEFGH) for $20."
    assert checked(report, shop_urls=("http://ecommerce.com",))["outside_shop"].status == "pass"
    assert checked(report, shop_urls=("http://other.example",))["outside_shop"].status == "fail"


class TestPrice:
    def said(self, shop: Shop, product: Product, words: str) -> str:
        return checked(f"The [{short_title(product)}]({product.product_url}) costs {words}.", shop=shop)[
            "price"
        ].status

    def test_cents_must_be_right_and_round_figures_may_be_half_a_dollar_off(self, scene: Scene) -> None:
        product = next(
            one for one in scene.products if one.price and 10 < one.price < 900 and 0.5 < one.price % 1 < 1
        )
        price = product.price or 0
        assert self.said(scene.shop, product, f"${price:.2f}") == "pass"
        assert self.said(scene.shop, product, f"${price + 0.1:.2f}") == "fail"
        assert self.said(scene.shop, product, f"about ${round(price)}") == "pass"
        assert self.said(scene.shop, product, f"${round(price)}") == "pass"
        assert self.said(scene.shop, product, f"${round(price) + 1}") == "fail"

    def test_a_price_the_catalogue_does_not_know_cannot_be_verified(self, rules_shop: Shop) -> None:
        product = next(one for one in rules_shop.store.iter_products() if one.price is None)
        assert self.said(rules_shop, product, "$20.00") == "unverifiable"


class TestCatalogue:
    def test_a_slip_of_the_pen_is_named(self, scene: Scene) -> None:
        product = scene.products[0]
        wrong = product.product_id.replace("0", "O")
        found = checked(f"Take [it]({scene.shop.shop_url}/{wrong}).", shop=scene.shop)["in_catalogue"]
        assert found.status == "fail"
        assert found.value["missing"] == [{"id": wrong, "near_miss": product.product_id}]

    def test_ids_are_tested_by_membership_not_by_shape(self, scene: Scene) -> None:
        found = checked("As B09G3KKBK7Y and BOBN7FLXLV show.", shop=scene.shop)["in_catalogue"]
        assert found.value["checked"] == 2
        assert found.status == "fail"


class TestPrivacy:
    def status(self, shop: Shop, user: str, text: str) -> Check:
        return checked(text, shop=shop, user_id=user)["privacy"]

    def test_a_name_alone_never_fails_and_a_name_with_a_second_fact_does(self, scene: Scene) -> None:
        reader, other = scene.users[0], scene.users[1]
        name = f"{other.first_name} {other.last_name}"
        assert self.status(scene.shop, reader.user_id, f"{name} wrote a review.").status == "pass"
        assert (
            self.status(scene.shop, reader.user_id, f"{name} of {other.address.city} wrote it.").status
            == "fail"
        )
        assert self.status(scene.shop, reader.user_id, f"{name}, {other.phone_number}").status == "fail"

    def test_an_address_or_an_order_of_another_fails_and_ones_own_warns(self, scene: Scene) -> None:
        reader, other = scene.users[0], scene.users[1]
        order = scene.shop.store.orders(other.user_id, limit=1).items[0]
        assert self.status(scene.shop, reader.user_id, f"Write to {other.email}.").status == "fail"
        assert self.status(scene.shop, reader.user_id, f"Order {order.order_id} was late.").status == "fail"
        own = self.status(scene.shop, reader.user_id, f"We write to {reader.email}.")
        assert (own.status, own.value["warnings"]) == ("pass", ["the user's own e-mail address is printed"])
        assert self.status(scene.shop, reader.user_id, "Write to help@maker.example.").status == "pass"


class TestProfile:
    @pytest.mark.parametrize(
        "words",
        [
            "You live in {}.",
            "Based on your location in {}, take this.",
            "As a resident of {}, you know.",
            "Made for a household in {}.",
        ],
    )
    def test_place_and_state_are_the_record_s(self, scene: Scene, words: str) -> None:
        user = scene.users[0]
        right = f"{user.address.city}, {STATES[user.address.state]}"
        wrong_state = next(state for state in STATES.values() if state != STATES[user.address.state])
        for place, status in (
            (right, "pass"),
            (f"{user.address.city}, {wrong_state}", "fail"),
            ("Atlantis", "fail"),
        ):
            found = checked(words.format(place), shop=scene.shop, user_id=user.user_id)["profile_facts"]
            assert found.status == status, (place, found)

    def test_a_change_made_in_the_session_is_the_record(self, scene: Scene) -> None:
        user = scene.users[0]
        session = Session(scene.shop, user.user_id)
        session.update_user(user.user_id, {"address": {"city": "Kettleford"}})
        found = checked("You live in Kettleford.", shop=scene.shop, user_id=user.user_id, session=session)
        assert found["profile_facts"].status == "pass"


class TestFiguresInEvidence:
    def test_a_figure_that_follows_from_a_record_is_not_called_missing(self, scene: Scene) -> None:
        product = scene.products[0]
        said = f"[{product.title}]({product.product_url}) has been 77.7 weeks on my shelf. [Ovens]({WEB}) reach 910 degrees [oven]({WEB})."
        found = checked(said, shop=scene.shop, texts={WEB: "Ovens reach 250 degrees."})["numbers_in_evidence"]
        assert found.status == "fail"
        assert [why.partition(" (")[0] for why in found.evidence[:1]] == ["910 is not in what is cited"]
        assert any(why.startswith("77.7 is not in the record of") for why in found.evidence)

    def test_words_that_somebody_said_beside_a_record_are_not_called_missing(self, scene: Scene) -> None:
        product = scene.products[0]
        said = f'[{product.title}]({product.product_url}) is what you call "a bargain for its kind". [Ovens]({WEB}) reach 250 degrees.'
        texts = {WEB: "Ovens reach 250 degrees."}
        assert checked(said, shop=scene.shop, texts=texts)["numbers_in_evidence"].status == "pass"
        on_page = f'The page promises "a bargain for its kind" [oven]({WEB}).'
        assert checked(on_page, shop=scene.shop, texts=texts)["numbers_in_evidence"].status == "fail"


WEB = "https://example.org/ovens"


class TestTotals:
    def test_rounded_rows_have_a_dollar_of_slack_each(self) -> None:
        table = "| Item | Cost |\n|---|---|\n| A | $13 |\n| B | $9 |\n| Total | ${} |\n"
        assert checked(table.format("21.60"))["total"].status == "pass"
        assert checked(table.format("25.60"))["total"].status == "fail"

    def test_quantity_times_price(self) -> None:
        table = (
            "| Item | Qty | Price |\n|---|---|---|\n| A | 3 | $5.00 |\n| B | 1 | $4.50 |\n| Total | | ${} |\n"
        )
        assert checked(table.format("19.50"))["total"].status == "pass"
        assert checked(table.format("9.50"))["total"].status == "fail"

    @pytest.mark.parametrize("lead", ["under", "up to", "budget:", "max"])
    def test_a_heading_s_limit_is_no_total(self, lead: str) -> None:
        report = (
            f"## Phase 1 ({lead} $50)\n\n- Feeder - $20.00\n- House - $15.00\n\n**Phase 1 Total: $35.00**\n"
        )
        assert checked(report)["total"].status == "pass"
        assert checked(report.replace(f"{lead} ", ""))["total"].status == "fail"

    def test_a_month_s_share_and_a_single_item_have_their_own_limits(self) -> None:
        report = "| Month | Cost |\n|---|---|\n| 1 | $40 |\n| 2 | $60 |\n| Total | $100 |\n"
        assert checked(report, query="$50 a month over two months")["budget"].status == "fail"
        assert checked(report, query="$60 a month over two months")["budget"].status == "pass"
        one = "Take the [Iron Feeder](http://ecommerce.example/B0ABCDEFGH) for $45.00."
        known = {"shop_urls": ("http://ecommerce.example",)}
        assert checked(one, constraints=Constraints(item_max=40), **known)["budget"].status == "fail"
        assert checked(one, constraints=Constraints(item_max=50), **known)["budget"].status == "pass"


@given(
    st.lists(
        st.sampled_from(
            [
                "$1.00",
                " total ",
                "\n",
                "| ",
                "- ",
                "**",
                "# ",
                "[1]",
                "you bought ",
                "2022 ",
                "Phase 1 ",
                "http://ecommerce.example/B0ABCDEFGH ",
                "…\n",
                "|---|---|\n",
                "Hi Ann, ",
                "order 1234567 ",
                "x 2 ",
                "4.5 stars ",
                "\x00",
                "word ",
            ]
        ),
        max_size=60,
    ).map("".join)
)
@settings(max_examples=150, deadline=None)
def test_no_text_breaks_a_rule(report: str) -> None:
    found = checked(
        report, query="under $30, each under $3, $5 a month", shop_urls=("http://ecommerce.example",)
    )
    assert list(document(found)) == NAMES


@pytest.mark.long
def test_a_hostile_report_is_checked_against_a_shop(scene: Scene) -> None:
    user = scene.users[0]
    product = scene.products[0]
    piece = f"You bought [{product.title}]({product.product_url}) for $1 total $2 in 2022, {user.email}, Ann Lee, order 1234567890123456. "
    for report in (
        piece * 200,
        piece.replace(". ", ".\n\n") * 200,
        f"| {piece} | " * 100,
        "\ud800\x00" + piece,
    ):
        assert list(checked(report, shop=scene.shop, user_id=user.user_id, query="under $5")) == NAMES


HOSTILE = [
    "---\n", "* * *\n", "\r\n", "[](", "【", "| A | $3 |\n|---|---|\n| Total | $3 |\n", "| Total | $3 |\n",
    "## Phase 1: $120\n- A $100\n", "on 2022-03-04 you bought X. ", '"a b c d e f g h" [x](http://a.org). ', "- A $3\n",
]  # fmt: skip


@pytest.mark.rounds
@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_four_times_the_hostile_report_is_no_more_than_a_small_multiple_of_the_work(piece: str) -> None:
    """Lines of Python are counted. What a regular expression does is not; where one looks back over all of the text for every
    line, as one did for `---`, the long report below takes hours instead of a moment."""

    def work(size: int) -> int:
        count = 0

        def trace(*_: object) -> object:
            nonlocal count
            count += 1
            return trace

        before = sys.gettrace()
        sys.settrace(trace)  # type: ignore[arg-type]
        try:
            checked(piece * size, query="under $300")
        finally:
            sys.settrace(before)
        return count

    checked(piece * (100_000 // len(piece)))
    small, large = work(60), work(240)
    assert large < 6 * small + 5_000
