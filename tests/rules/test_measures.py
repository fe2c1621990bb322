"""Figures with a unit, as records and reports write them: both ends of a range, and no digits of a code."""

from __future__ import annotations

import pytest
from drr.eval.checks.measures import measures


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("(30–40 mmHg)", [30, 40]),
        ("rated 30–40 mmHg", [30, 40]),
        ("it weighs 2.5 to 3 lb", [2.5, 3]),
        ("mild at 8-15 mmHg", [8, 15]),
        ("**8** to **15** pounds", [8, 15]),
        ("a mat of 30 by 20 inches", [30, 20]),
        ("fits between 20 and 30 pounds", [20, 30]),
        ("12 or 16 oz", [12, 16]),
        ("is 22 x 28 in", [22, 28]),
        ("rated 4.6 and 12 inches wide", [12]),
        ("given 4.6 by 302 fans", [302]),
        ("the XR-40 inches along", []),
        ("sizes 1-20-40 inches", []),
        ("$20-30 lights", []),
        ("of 2021-08-14 days", []),
    ],
)
def test_both_ends_of_a_range_are_read_behind_any_word(text: str, read: list[float]) -> None:
    assert [one.value for one in measures(text)] == read


@pytest.mark.parametrize("text", ["weighs about 2 to 3 lb", "weighs about 2-3 lb"])
def test_a_hedge_before_a_range_is_one_of_both_ends(text: str) -> None:
    assert [(one.value, one.hedged, text[one.begins :]) for one in measures(text)] == [
        (value, True, text[len("weighs about ") :]) for value in (2, 3)
    ]
