"""Tests of the limit that a question sets for all that is bought together."""

from __future__ import annotations

import pytest
from drr.wording.budgets import stated_limit
from drr.wording.currency import DOLLARS, Currency

from tests.cases import cases


@pytest.mark.parametrize(("language", "question", "most"), cases("wording", "LIMITS_OF_ALL"))
def test_a_limit_of_all_is_read_with_its_language_known_or_not(
    language: str, question: str, most: float
) -> None:
    for money in (DOLLARS, Currency("USD", language)):
        read = stated_limit(question, money)
        assert read is not None and read.most == most, money


@pytest.mark.parametrize(("language", "question"), cases("wording", "LIMITS_IN_DOUBT"))
def test_a_limit_that_may_be_anothers_or_of_each_thing_is_not_understood(
    language: str, question: str
) -> None:
    for money in (DOLLARS, Currency("USD", language)):
        read = stated_limit(question, money)
        assert read is not None and read.most is None, money


def test_a_limit_is_in_the_shops_currency() -> None:
    euros = Currency("EUR", "de")
    assert stated_limit("Alles zusammen höchstens 1.300 €", euros) == (1300.0,)
    assert stated_limit("Alles zusammen höchstens 300 $", euros) == (None,)
    assert stated_limit("Alles zusammen, bitte leise", euros) is None
