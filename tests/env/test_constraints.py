"""What people demand in a question is read as they meant it, and no text breaks the reading."""

from __future__ import annotations

from typing import Any

from drr.env.constraints import parse_constraints
from drr.env.query import Constraints
from drr.wording.states import STATES
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases, each

SAID: list[tuple[str, dict[str, Any]]] = cases("env", "SAID")


@each(("text", "expected"), SAID)
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
