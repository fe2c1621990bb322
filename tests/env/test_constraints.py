"""What people demand in a question is read as they meant it, and no text breaks the reading."""

from __future__ import annotations

from typing import Any

import pytest
from drr.env.constraints import parse_constraints
from drr.env.query import Constraints
from drr.env.search.read_query import Lexicon, QueryReader
from drr.wording.currency import Currency
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


@pytest.mark.parametrize(
    ("language", "currency", "text", "bounds"),
    [
        ("de-CH", "CHF", "Lampe unter Fr. 30.-", (None, 30)),
        ("fr", "EUR", "lampe jusqu'à 30,50 €", (None, 30.5)),
        ("fr", "EUR", "lampe de 20 à 40 €", (20, 40)),
        ("es", "EUR", "lámpara por menos de 30 €", (None, 30)),
        ("es-MX", "MXN", "lámpara desde $300", (300, None)),
        ("it", "EUR", "lampada tra 20 e 40 €", (20, 40)),
        ("nl", "EUR", "lamp onder de 1.300 €", (None, 1300)),
        ("pl", "PLN", "kubek do 100 zł", (None, 100)),
        ("pl", "PLN", "kubek od 20 do 40 zł", (20, 40)),
        ("pl", "PLN", "mug up to 200 zł", (None, 200)),
        ("pt-BR", "BRL", "lâmpada até R$ 30,00", (None, 30)),
        ("en-IN", "INR", "lamp under ₹1,500", (None, 1500)),
        (None, "EUR", "lamp under 30 euro", (None, 30)),
        ("es", "USD", "lámpara hasta $30", (None, 30)),
        ("es-US", "USD", "lámpara hasta 30 dólares", (None, 30)),
        ("de", "USD", "Lampe zwischen $20 und $40", (20, 40)),
        ("pl", "PLN", "lampa do 200 złotych", (None, 200)),
        ("en-IN", "INR", "lamp under 2,419/-", (None, 2419)),
        ("de", "EUR", "Lampe unter 150,- €", (None, 150)),
        ("tr", "TRY", "lamba 500 TL altı", (None, None)),
        ("ja", "JPY", "ランプ 3000円以下", (None, None)),
        ("de", "EUR", "lamp under $30", (None, None)),
    ],
)
def test_a_search_reads_limits_of_any_country_and_keeps_no_amount(
    language: str | None, currency: str, text: str, bounds: tuple[float | None, float | None]
) -> None:
    reader = QueryReader(lambda *_: 1, lambda: Lexicon(b""), Currency(currency, language))
    read = reader.read(text)
    assert (read.min_price, read.max_price) == bounds
    assert not any(map(str.isdigit, read.words))
    assert any("max_price" in note for note in read.notes) == (bounds == (None, None))


@pytest.mark.parametrize(
    ("language", "text", "total"),
    [
        ("de", "Ein Set für die Küche, insgesamt höchstens 200 €.", 200),
        ("de", "Eine Lampe unter 1.299 € bitte.", 1299),
        ("de", "Lampen für jeweils höchstens 20 €.", None),
        ("de", "Lampen bis 20 € pro Stück.", None),
        ("de", "Eine Lampe unter 50 € und ein Tisch unter 100 €.", None),
        ("de", "Ich habe 30 € bezahlt, kostenloser Versand ab 50 €.", None),
        ("de", "Eine Lampe für 30 €.", None),
        ("it", "Una lampada, al massimo 30 €.", 30),
    ],
)
def test_a_question_of_a_shop_in_euros_sets_one_limit_or_none(
    language: str, text: str, total: float | None
) -> None:
    assert parse_constraints(text, Currency("EUR", language)) == Constraints(total_max=total)
