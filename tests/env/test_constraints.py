"""What people demand in a question is read as they meant it, and no text breaks the reading."""

from __future__ import annotations

from typing import Any

import pytest
from drr.env.constraints import parse_constraints
from drr.env.query import Constraints
from drr.wording.states import STATES
from hypothesis import given
from hypothesis import strategies as st

SAID: list[tuple[str, dict[str, Any]]] = [
    (r"keep my total spending under \$300 over the next three months", {"total_max": 300, "months": 3}),
    ("under $300", {"total_max": 300}),
    ("between $20 and $40", {"total_min": 20, "total_max": 40}),
    ("feeders between $20 and $40 each", {"item_min": 20, "item_max": 40}),
    ("$50 a month over three months", {"month_max": 50, "months": 3}),
    ("a monthly budget of $40", {"month_max": 40}),
    ("shampoos at $10-20 per bottle", {"item_min": 10, "item_max": 20}),
    ("no more than $60 per item, total budget $200", {"item_max": 60, "total_max": 200}),
    ("with a $1,200 budget for the next half year", {"total_max": 1200, "months": 6}),
    ("I have $150 to spend", {"total_max": 150}),
    ("more than $45 per item would be too much", {"item_max": 45}),
    ("anything above $80 is too expensive for me", {"total_max": 80}),
    ("I don't want to spend more than $55 per item", {"item_max": 55}),
    ("I'd rather not go much over $70", {"total_max": 70}),
    ("$45 is the most I can spend", {"total_max": 45}),
    ("one cushion or two? nothing over $60", {"total_max": 60}),
    ("three gifts, none over $60", {"item_max": 60}),
    ("up to $150 in all, none of them over $60", {"total_max": 150, "item_max": 60}),
    ("at most $150 for the lot and nothing over $60", {"total_max": 150, "item_max": 60}),
    ("no item over $30 please", {"item_max": 30}),
    ("no single product that costs more than $30", {"item_max": 30}),
    ("I dont want to go over $120 all in", {"total_max": 120}),
    ("I wont pay more than $20", {"total_max": 20}),
    ("Cap it at $30", {"total_max": 30}),
    ("I've nothing in mind but it should be more than $20", {"total_min": 20}),
    ("$45 each is my limit", {"item_max": 45}),
    ("I would pay more than $45 for a good one", {"total_min": 45}),
    ("which cleaners must never be mixed", {}),
    ("the same without a drop in ratings", {}),
    ("what would it cost in a year", {}),
    ("what two brands save me over a year", {}),
    ("spread over a year", {"months": 12}),
    ("under $300 over a year", {"total_max": 300, "months": 12}),
    ("compare three of them", {"count": 3}),
    ("shortlist three from this shop", {"count": 3}),
    ("weigh up two or three alternatives", {}),
    ("suggest two combinations", {}),
    ("I need three to five options under $20 each", {"item_max": 20}),
    ("no more than $200 in total and $50 per item", {"total_max": 200, "item_max": 50}),
    ("I never want to spend above $20", {"total_max": 20}),
    ("avoid anything with bleach or ammonia", {"exclusions": ["bleach", "ammonia"]}),
    ("my budget tops out at $65", {"total_max": 65}),
    ("I can stretch to $120", {"total_max": 120}),
    ("less than 90 dollars", {"total_max": 90}),
    ("without going over $90", {"total_max": 90}),
    ("Less than ten dollars. That's all.", {"total_max": 10}),
    ("Thirty dollars would have to cover it.", {"total_max": 30}),
    ("no more than forty-five bucks for the two", {"total_max": 45}),
    ("Twenty dollars, give or take.", {}),
    ("Thirty bucks for both would be great, $35 at most.", {"total_max": 35}),
    ("Ten dollars or so would be right, at most $15 apiece.", {"item_max": 15}),
    ("enough for twelve, I promised to spend about three dollars a head", {}),
    ("I'd like some change from a fifty.", {"total_max": 50}),
    ("some change out of $50", {"total_max": 50}),
    ("wipes for under 50 cents a sheet", {}),
    ("at least $20 but no more than $60", {"total_min": 20, "total_max": 60}),
    ("a 2k limit, I mean $2k max", {"total_max": 2000}),
    ("I spent over $400 last year; keep it under $100", {"total_max": 100}),
    ("save $5 a week on treats", {}),
    ("gifts, each under $25, by December 15", {"item_max": 25, "deadline": "December 15"}),
    ("delivered within two weeks", {"deadline": "within two weeks"}),
    ("recommend 3 durable chew toys for my two dogs", {"count": 3}),
    ("the top five feeders", {"count": 5}),
    ("I need three months of food", {}),
    ("winter birds in Oklahoma", {"region": "Oklahoma"}),
    ("a home gym in Austin, TX", {"region": "Texas"}),
    ("West Virginia winters are hard: I live in West Virginia", {"region": "West Virginia"}),
    ("my Maine Coon needs a brush", {}),
    ("plants for the Pacific Northwest", {"region": "Pacific Northwest"}),
    ("no less than $30", {"total_min": 30}),
    ("it should go for $30 or more", {"total_min": 30}),
    ("toys, no plastic", {"exclusions": ["plastic"]}),
    ("without latex, plastic or rawhide", {"exclusions": ["latex", "plastic", "rawhide"]}),
    ("a charger not from BrandX please", {"exclusions": ["BrandX"]}),
    ("avoid wheat and soy.", {"exclusions": ["wheat", "soy"]}),
    ("a fragrance-free lotion, hassle-free returns", {"exclusions": ["fragrance"]}),
    ("no more than needed, no idea which, without breaking the bank", {}),
    ("What is the best dog bed?", {}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SAID, ids=[text[:40] for text, _ in SAID])
def test_a_demand_is_read_as_it_was_said(text: str, expected: dict[str, Any]) -> None:
    assert parse_constraints(text) == Constraints(**expected)


@given(st.text())
def test_any_text_gives_constraints(text: str) -> None:
    assert isinstance(parse_constraints(text), Constraints)


AMOUNTS = st.integers(1, 9999)


@given(
    AMOUNTS,
    st.sampled_from(
        [
            "under ${}",
            "less than ${}",
            "no more than ${:,}",
            "a budget of ${:,}.00",
            "${} or less",
            "up to {} dollars",
            "spend at most ${}",
        ]
    ),
)
def test_a_budget_survives_its_wording(amount: int, wording: str) -> None:
    assert parse_constraints(f"Plan a bird sanctuary, {wording.format(amount)}, please.").total_max == amount


@given(
    AMOUNTS,
    AMOUNTS,
    st.sampled_from(["between ${} and ${}", "${} to ${}", "${}-{}", "from ${} to ${}"]),
    st.sampled_from(["each", "per item", "apiece"]),
)
def test_a_range_per_item_survives_its_wording(a: int, b: int, wording: str, scope: str) -> None:
    read = parse_constraints(f"Find feeders {wording.format(a, b)} {scope} for my yard")
    assert (read.item_min, read.item_max, read.total_max) == (min(a, b), max(a, b), None)


@given(AMOUNTS, st.integers(2, 12))
def test_a_monthly_budget_is_no_total(amount: int, months: int) -> None:
    read = parse_constraints(f"${amount} per month over {months} months")
    assert (read.month_max, read.months, read.total_max) == (amount, months, None)


@given(st.sampled_from(sorted(STATES.values())))
def test_every_state_is_a_region(state: str) -> None:
    assert parse_constraints(f"What grows in {state}?").region == state


def test_a_long_paste_is_read_in_linear_time_and_keeps_the_question() -> None:
    assert parse_constraints("under $30. " + "no " * 200_000 + "$1 - " * 100_000).total_max == 30
