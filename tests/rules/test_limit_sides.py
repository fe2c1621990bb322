"""Over a limit or within it, where an amount or the one cost shows which; and whose the thing behind an id or a link is."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

URL = "http://ecommerce.example/"
STAND, KETTLE = "B0YQ4U91AQ", "B05NECYZ4Z"
"""A Standwell stand of $26.99; a Drowsy Fox kettle of $50.99."""


def status(shop: Shop, text: str, rule: str = "budget", query: str = "A stand, at most $30?") -> str:
    return check_report(Subject(text, query=query, shop=shop))[rule].status


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        (f"The Standwell stand ({URL}{STAND}) is $26.99 and so $3.01 {{}} your limit.", "under", "over"),
        (f"You said $30. The Standwell stand ({URL}{STAND}) is $26.99 and {{}} that.", "inside", "outside"),
        # by so much the cost before it is off the limit: that is no cost
        (f"You said $30. The Drowsy Fox ({URL}{KETTLE}) is $50.99, $20.99 {{}} it.", "outside", "inside"),
        (f"At $26.99 the Standwell stand ({URL}{STAND}) {{}} by $3.01.", "is within it", "is over it"),
        (f"The Standwell stand ({URL}{STAND}), $26.99, is {{}} $28.", "under", "over"),
    ],
)
def test_an_amount_shows_on_which_side_of_a_limit(rules_shop: Shop, text: str, true: str, false: str) -> None:
    assert status(rules_shop, text.format(true)) != "fail"
    assert status(rules_shop, text.format(false)) == "fail"


@pytest.mark.parametrize(
    "text",
    [
        f"The Standwell stand ({URL}{STAND}) is $26.99, with $3.01 over.",
        f"- one Standwell stand ({URL}{STAND}), $26.99, $3.01 over;",
        f"If the Standwell stand ({URL}{STAND}), $26.99, were $3.01 over your limit, I would say so.",
        f"The Standwell stand ({URL}{STAND}) is $26.99; two of them are over that.",
        f"Under $30, just about not: the Drowsy Fox ({URL}{KETTLE}) at $50.99.",
    ],
)
def test_what_is_left_over_and_what_would_be_accuse_nobody(rules_shop: Shop, text: str) -> None:
    assert status(rules_shop, text) != "fail"


@pytest.mark.parametrize(
    "form", ["{id} is the {maker}", "{id} = {maker} 0.8 litres", "1. {id}, {maker} 0.8 litres"]
)
def test_whose_an_id_is_said_to_be(rules_shop: Shop, form: str) -> None:
    for maker, expected in (("Drowsy Fox", False), ("Whitmore Home", True)):
        text = f"{form.format(id=KETTLE, maker=maker)}, $50.99. The page: {URL}{KETTLE}"
        assert (status(rules_shop, text, "name_matches_id") == "fail") is expected, text


def test_the_name_right_before_a_link_is_of_its_maker(rules_shop: Shop) -> None:
    for maker, expected in (("Drowsy Fox", False), ("Thistlegate", True)):
        text = f"The {maker} black model ({URL}{KETTLE}) is $50.99."
        assert (status(rules_shop, text, "name_matches_id") == "fail") is expected, text
    other = f"It pours as the Thistlegate does ({URL}{KETTLE})."
    assert status(rules_shop, other, "name_matches_id") != "fail"
