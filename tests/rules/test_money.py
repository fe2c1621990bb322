"""Money by what it is: each sentence is true as written, and false with the figure behind the arrow."""

from __future__ import annotations

import pytest
from drr.env.entities import Product
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.ledger import ledger_of

IDS = ("B09248YNC1", "B07X4L3M14", "B09FUUHWK0")
"""$17.95, $11.99 and $24.95 in the sample shop: a diffuser and two thermometers."""
A, B, C = (f"http://ecommerce.example/{one}" for one in IDS)
RIGHT_OR_WRONG = [
    # whose price it is: beside the link, in the same parenthesis, cell, item
    (f"The diffuser ({A}, $17.95) and the red one ({B}, $11.99).", "$17.95", "$18.95"),
    (f"The diffuser ({A}, $17.95) and the red one ({B}, $11.99).", "$11.99", "$17.95"),
    (f"- Diffuser, quiet: $17.95 → {A}\n- Thermometer, red: $11.99 → {B}", "$11.99", "$12.99"),
    (
        f"| What | Asking price |\n|---|---|\n| Diffuser {A} | $17.95 |\n| Red {B} | $11.99 |",
        "$11.99",
        "$17.95",
    ),
    (
        f"| | Diffuser | Red |\n|---|---|---|\n| Page | {A} | {B} |\n| Price | $17.95 | $11.99 |",
        "$17.95",
        "$16.95",
    ),
    (f"Look at {A} first. Nobody will call $17.95 too much.", "$17.95", "$27.95"),
    # sums
    (
        f"Take the diffuser ({A}) for $17.95 and the red one ({B}) for $11.99. That's $29.94 before tax.",
        "$29.94",
        "$31.94",
    ),
    (
        f"The diffuser ({A}) is $17.95, the red one ({B}) $11.99. Buying both would cost $29.94.",
        "$29.94",
        "$28.94",
    ),
    (
        f"1. {A} at $17.95\n2. {B} at $11.99\n3. {C} at $24.95\n\nThe three add up to $54.89.",
        "$54.89",
        "$55.89",
    ),
    (f"Red ({B}) and black ({C}), the pair: $36.94.", "$36.94", "$34.94"),
    # several of one
    (f"Two of the red ones ({B}) come to $23.98.", "$23.98", "$25.98"),
    (f"A pair of them ({A}) runs $35.90; one alone is $17.95.", "$35.90", "$33.90"),
    (f"- 3 × the red thermometer ({B}) = $35.97", "$35.97", "$38.97"),
    # as many as are said, for a club or a school: a count that stands with its product is arithmetic, however large
    (f"- 40 × the red thermometer ({B}): $479.60", "$479.60", "$489.60"),
    (f"- Red thermometer ({B}) x 120, $1,438.80\n\nTotal: $1,438.80", "x 120, $1,438.80", "x 120, $1,428.80"),
    (
        f"| Item | Price | Qty | Cost |\n|---|---|---|---|\n| Red {B} | $11.99 | 40 | $479.60 |",
        "$479.60",
        "$469.60",
    ),
    (f"| Item | Cost |\n|---|---|\n| Red {B}, 40 × $11.99 | $479.60 |", "$479.60", "$497.60"),
    (f"- 1,200 units of the red one ({B}): $14,388.00", "$14,388.00", "$14,888.00"),
    # what is left, and how far a limit is passed
    (f"The diffuser ({A}) is $17.95, which leaves $22.05 of your $40.", "$22.05", "$24.05"),
    (f"The diffuser ({A}) is $17.95. That is $22.05 under your limit.", "$22.05", "$21.05"),
    (f"Diffuser {A}: $17.95. Red {B}: $11.99. You have $10.06 to spare.", "$10.06", "$12.06"),
    # differences
    (f"The diffuser ({A}) is $17.95 and the red one ({B}) $11.99, so you save $5.96.", "$5.96", "$7.96"),
    (f"The black one ({C}) is $12.96 dearer than the red one ({B}).", "$12.96", "$13.96"),
    (
        f"The black one ({C}, $24.95) costs exactly seven dollars more than the diffuser ({A}, $17.95).",
        "seven",
        "nine",
    ),
    # per unit
    (f"The diffuser ({A}) holds 300 ml at $17.95, or about 6 cents a ml.", "6 cents", "9 cents"),
    (f"The diffuser ({A}) holds 300 ml at $17.95: 6c/ml, as I make it.", "6c", "9c"),
    # without a sign, in a text that writes its prices so
    (f"2x diffuser @ 17.95 = 35.90. OK.\n{A}", "35.90", "36.90"),
    (f"- diffuser, 17.95 ({A})\n- red one, 11.99 ({B})\nTotal: 29.94, off you go.", "29.94", "27.94"),
    (f"Respectively they run 17.95, 11.99 and 24.95. ({A}, {B}, {C})", "11.99", "15.49"),
    (f"|what|price|\n|-|-:|\n|diffuser {A}|17.95|\n|red {B}|11.99|", "11.99", "13.99"),
    # a coupon
    (f"With 10% off, the black one ({C}) at $24.95 would be $22.46.", "$22.46", "$20.46"),
]
TRUE = [
    # the rows of a table may be numbered
    f"| # | What | Price |\n|---|---|---|\n| 1 | Diffuser {A} | $17.95 |\n| 2 | Red {B} | $11.99 |\n| | **Total** | **$29.94** |",
    # a sum without one thing, and what is dearer by what is not linked
    f"Diffuser ({A}) $17.95, red ({B}) $11.99, black ({C}) $24.95: $54.89. Leave out the black one, and $29.94 is left to pay.",
    f"The diffuser ({A}) is $17.95. It's $5.04 less than the Gillwater diffuser you have.",
    # other people's money, ranges, periods, other currencies, great sums: no claim about the shop
    f"The diffuser ({A}) is $17.95; drugstores ask $20 to $40 for such a thing (https://example.org/prices).",
    f"The diffuser ({A}) is $17.95, roughly £14, while the trade is worth $537 billion.",
    f"If the black one ({C}) fell to $19 I would buy it. At $24.95 I wait.",
    f"The diffuser ({A}) is $17.95. A Fernhollow costs $39.50, and I could not find it here.",
    f"Elsewhere the black thermometer ({C}) was listed at $31.40 last winter.",
    # without a sign, and no money
    f"- diffuser, 17.95 ({A})\n- its box: 12.25, 9.50 and 8.75, in inches.",
    f"- diffuser, 17.95 ({A}), 300 ml.\n- It stands only 10.25, and weighs, all in all, 1.30 lb.\n- Version: 12.10.",
    f"Diffuser {A} at 17.95. Scores of its kind: 6.50, 7.25 and 8.10. Depth 5.51, height 6.20.",
    # a saving said per piece
    f"Others ask $29.95 (https://example.org/offer); the diffuser ({A}) at $17.95 is a saving of $12.00 per unit.",
    f"The diffuser ({A}) costs C$24.50, A$27.40 or HK$139; another month it was NZ$29.95.",
    f"The diffuser ({A}) costs C$24.50, or 24.50 CAD.",
    f"The diffuser ({A}) costs $24.50 CAD, that is US$17.95.",
    f"The diffuser ({A}) costs CAD $24.50, Canadian money.",
    # rounded
    f"The diffuser ({A}) is just under $18, the black one ({C}) around $25.",
    f"The diffuser ({A}) is in the high teens; call it eighteen dollars.",
    # which is whose is open, and one of the readings is right
    f"They are $11.99 and $24.95 respectively: {B}, {C}.",
]


def statuses(shop: Shop, text: str) -> dict[str, str]:
    found = check_report(Subject(text, query="something quiet, up to $40", shop=shop))
    return {name: found[name].status for name in ("price", "total")}


@pytest.mark.parametrize(("text", "right", "wrong"), RIGHT_OR_WRONG)
def test_a_wrong_figure_is_noticed_and_its_right_twin_is_not(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    assert text.count(right) >= 1
    assert "fail" not in statuses(rules_shop, text).values()
    assert "fail" in statuses(rules_shop, wrong.join(text.rsplit(right, 1))).values()


@pytest.mark.parametrize("text", TRUE)
def test_what_may_be_true_is_not_called_wrong(rules_shop: Shop, text: str) -> None:
    assert "fail" not in statuses(rules_shop, text).values()


def test_the_prices_that_the_cases_stand_on(rules_shop: Shop) -> None:
    products = [rules_shop.store.product(one) for one in IDS]
    assert [one.price if isinstance(one, Product) else None for one in products] == [17.95, 11.99, 24.95]


def test_every_figure_says_how_it_comes_about(rules_shop: Shop) -> None:
    text = f"The diffuser ({A}) is $17.95, the red one ({B}) $11.99; together $29.94, which leaves $10.06."
    entries = ledger_of(Mentions(Subject(text, query="up to $40", shop=rules_shop))).entries
    assert [entry.status for entry in entries] == ["explained"] * 4
    assert [entry.why for entry in entries[:2]] == [f"the price of {one}" for one in IDS[:2]]


@pytest.mark.rounds
def test_too_many_amounts_leave_the_rest_unverifiable(rules_shop: Shop) -> None:
    piece = f"[A diffuser]({A}) costs $17.95, saves $3.33 of $40, together $99.12, 13 cents each. "
    found = check_report(Subject(piece * 400, query="up to $40", shop=rules_shop))
    assert found["total"].status != "pass"
    assert any("too many amounts" in one or "misread" in one for one in found["total"].evidence)


LIMIT_KEPT_OR_NOT = [
    (f"At $24.95 the black one ({C}) exceeds your $20 limit.", "exceeds", "respects"),
    (f"The black one ({C}) is $24.95, sadly above your twenty.", "above", "inside"),
    (f"The black one ({C}) is $24.95 and misses it by $4.95.", "misses", "clears"),
    (f"The diffuser ({A}), $17.95, fits your budget.", "fits", "exceeds"),
    (f"The black one ({C}) does not qualify, being $24.95.", "does not qualify", "qualifies"),
    (f"The black one ({C}) is $24.95, $4.95 over the $20 cap.", "over", "under"),
    (f"The black one ({C}) misses, by $4.95, as it is $24.95.", "misses", "makes it"),
    (f"The diffuser ({A}) is $17.95, which keeps to your $20 with $2.05 to spare.", "$2.05", "$4.05"),
]


@pytest.mark.parametrize(("text", "right", "wrong"), LIMIT_KEPT_OR_NOT)
def test_what_is_said_of_the_limit_is_held_against_the_cost(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    def failed(report: str) -> set[str]:
        found = check_report(Subject(report, query="a diffuser under $20", shop=rules_shop))
        return {name for name in ("price", "total", "budget") if found[name].status == "fail"}

    assert not failed(text)
    assert failed(text.replace(right, wrong))


def test_what_is_owned_to_be_too_dear_breaks_no_budget(rules_shop: Shop) -> None:
    text = f"- Diffuser, $17.95: {A}\n- Black thermometer, $24.95: {C}\n"
    asked = "find things, each under $20"
    assert check_report(Subject(text, query=asked, shop=rules_shop))["budget"].status == "fail"
    text += "\nThe black thermometer is over your limit; I mention it for its 4.9 stars."
    assert check_report(Subject(text, query=asked, shop=rules_shop))["budget"].status != "fail"
