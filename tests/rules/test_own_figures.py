"""Means, ranges, costs over a time and lowered prices: right if what stands in sight comes to them in any way."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

KINDS = frozenset(("mean_told", "range_told", "spread_cost", "lowered_to"))
URL = "http://ecommerce.example/"
FOUNTAINS = (
    f"- [Hearthcat]({URL}B07CJ41RJW), $20.00\n- [Softsnout]({URL}B02HK3W3ZV), $22.95\n"
    f"- [Purrdale]({URL}B0F482D6QE), $23.99\n\n"
)
TUBS = (
    f"The [Pipkin]({URL}B046ZW54GW) is $21.00 and good for six months, the [Sproutling Bay]({URL}B0EPQXEJNJ) "
    "$36.00, from birth to 24 months. "
)
PURIFIED = f"The [Ashware diffuser]({URL}B05QASFNU3) is $33.99. "
TABLETS = f"The [Wrendell tablets]({URL}B0MY6BBC1Q) are $14.99 for twelve, and one a month is what the machine needs. "

PAIRS = [
    (FOUNTAINS + "Their mean price is {}.", "$22.31", "$24.31"),
    (FOUNTAINS + "The average of the three: {}.", "$22.31", "$21.13"),
    (FOUNTAINS + "On the cheaper two the average is {}.", "$21.48", "$20.48"),
    (FOUNTAINS + "The median of the three is {}, by the way.", "$22.95", "$22.05"),
    (FOUNTAINS + "| What | Amount |\n|---|---|\n| Average | {} |", "$22.31", "$23.31"),
    (FOUNTAINS + "These three run from $20.00 to {}.", "$23.99", "$26.89"),
    (FOUNTAINS + "Prices of such fountains lie between {} and $23.99.", "$20.00", "$11.37"),
    (FOUNTAINS + "All three are priced from $20.00 (the Hearthcat) to {}.", "$23.99", "$22.95"),
    (TUBS + "Over its 24 months the larger one costs {} a month.", "$1.50", "$2.10"),
    (TUBS + "So the Pipkin is {} a month, for as long as it fits.", "$3.50", "$4.25"),
    (PURIFIED + "Kept for two and a half years it is {} a month.", "$1.13", "$1.42"),
    (PURIFIED + "Over a year and a half that is {} a month.", "$1.89", "$2.83"),
    (TABLETS + "That makes {} per month.", "$1.25", "$1.75"),
    (PURIFIED + "With your 20% coupon it drops to {}.", "$27.19", "$25.19"),
    (PURIFIED + "A $5 voucher brings it down from $33.99 to {}.", "$28.99", "$27.99"),
    (PURIFIED + "Your ten percent code reduces it by $3.40 to {}.", "$30.59", "$31.59"),
]  # fmt: skip


def accused(shop: Shop, text: str) -> list[str]:
    check = check_report(Subject(text, query="Which of these should I buy?", shop=shop))["product_claims"]
    return [f"{one.kind}: {one.why}" for one in check.accused if one.kind in KINDS]


@pytest.mark.parametrize(("text", "right", "wrong"), PAIRS)
def test_a_figure_that_nothing_in_sight_comes_to_is_wrong(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    assert accused(rules_shop, text.format(right)) == []
    assert accused(rules_shop, text.format(wrong)), wrong


@pytest.mark.parametrize(
    "said",
    [
        "The average fountain in this shop is $41.13.",
        "On average, other shops ask $41.13.",
        "A magazine found a mean of $41.13 [1].\n\n[1] https://cats.example/fountains",
        "If you took the large one too, the average would be $41.13.",
        "Your own median price is $41.13.",
        "The mean of the eleven that have a price is $41.13.",
        "Elsewhere such fountains run from $11.37 to $61.38.",
        "Half of what you bought lies between $11.37 and $61.38.",
        "Fountains cost between $10 and $60, and filters from $2.50 to $9.75 per month.",
        "Going from $11.37 to $61.38 would be steep.",
        "The pump takes perhaps $2.37 a month in power.",
        "A sale might bring it down to $17.13.",
        "It comes to $66.94 for all of them.",
        "They average 4.3 stars between them.",
        "Together they cost $66.94, so $22.31 apiece on average.",
    ],
)
def test_what_is_not_in_sight_is_left(rules_shop: Shop, said: str) -> None:
    assert accused(rules_shop, FOUNTAINS + said) == []
