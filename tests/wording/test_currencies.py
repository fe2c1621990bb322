"""A dollar sign is one of US dollars, unless letters before it or a currency's code beside it say whose it is."""

from __future__ import annotations

import pytest
from drr.wording.money import amounts


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("C$44.90, A$49.90, AU$49.90, NZ$55.00, HK$258, MX$580 or C\\$44.90", []),
        ("$44.90 CAD, $44.90 (AUD), CAD $44.90, $1,258.50 Canadian", []),
        ("$44.90 CAD, that is US$32.99", [32.99]),
        ("US$5, US\\$6, USD 7, USD$8, \\$9, only$10, TOTAL$11", [5, 6, 7, 8, 9, 10, 11]),
        ("$5 a can, $6 Canada-wide", [5, 6]),
    ],
)
def test_only_amounts_of_us_dollars_are_read(text: str, read: list[float]) -> None:
    assert [one.value for one in amounts(text)] == read
