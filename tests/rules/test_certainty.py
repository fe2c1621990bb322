"""From which certainty of a binding on a rule accuses, and what keeps a figure from it."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Check, Subject, check_report
from drr.eval.checks.certainty import BARS, Certainty, held_back
from test_money import A, C

PRICE, DEARER = 17.95, 24.95
"""What the two cost."""


def checked(shop: Shop, text: str, query: str | None = None) -> dict[str, Check]:
    return check_report(Subject(text, query=query, shop=shop))


def test_a_finding_says_how_it_is_bound(rules_shop: Shop) -> None:
    told = checked(rules_shop, f"| Item | Price |\n|---|---|\n| [This one]({A}) | $27.31 |\n")["price"]
    assert told.status == "fail" and told.value["certainty"] == ["cell"]
    told = checked(rules_shop, f"[This one]({A}) costs $27.31.")["price"]
    assert told.status == "fail" and told.value["certainty"] == ["adjoined"]


@pytest.mark.parametrize("kind", sorted(BARS))
def test_a_doubt_keeps_back_what_is_below_the_outright_mark(kind: str) -> None:
    bar = BARS[kind]
    for bound in Certainty:
        assert (held_back(kind, bound) is None) is (bound >= bar.parsed)
        assert (held_back(kind, bound, "a doubt") is None) is (bound >= max(bar.parsed, bar.outright))


@pytest.mark.parametrize(
    "said",
    [
        "Assuming a voucher, you save $13.37 on it.",
        "It is $13.37 less than your Truemere.",
        "With 8 % tax it adds up to $13.37.",
        "At five loads a week the bill is $13.37.",
        "Put together they come to $13.37, $14.41 and $17.53.",
    ],
)
def test_an_amount_of_a_sentence_that_is_not_read_to_its_end_accuses_nobody(
    rules_shop: Shop, said: str
) -> None:
    found = checked(rules_shop, f"The plan is [this one]({A}), ${PRICE:.2f}. {said}", "up to $100")
    assert {name: one.evidence for name, one in found.items() if one.status == "fail"} == {}


def test_what_amounts_and_numbers_in_sight_come_to_is_not_accused(rules_shop: Shop) -> None:
    text = f"We need 7 in all. [This one]({A}) is ${PRICE:.2f}. The outlay is $"
    assert checked(rules_shop, f"{text}{7 * PRICE:.2f}.", "up to $200")["total"].status != "fail"
    assert checked(rules_shop, f"{text}{7 * PRICE + 3.17:.2f}.", "up to $200")["total"].status == "fail"


def test_an_amount_before_for_is_the_next_link_s(rules_shop: Shop) -> None:
    text = f"They are ${PRICE:.2f} for [the first]({A}) and ${DEARER:.2f} for [the second]({C})."
    assert checked(rules_shop, text)["price"].status == "pass"
    assert checked(rules_shop, text.replace("24.95", "26.95"))["price"].status == "fail"
