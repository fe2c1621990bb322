"""The value of a rule is printed in words, the same wherever it stands."""

from __future__ import annotations

from typing import Any

import pytest
from drr.eval.checks import RULES, value_told

TOLD = [
    ("price", {"checked": 7, "failed": 0, "unverifiable": 1}, "7 checked, none wrong, 1 open"),
    (
        "price",
        {"checked": 2500, "failed": 2, "unverifiable": 0, "certainty": ["cell", None, "cell", "literal"]},
        "2,500 checked, 2 wrong; bound by cell, literal",
    ),
    ("total", {"checked": 0, "failed": 0, "unverifiable": 0}, "nothing to check"),
    ("total", {"checked": 0, "failed": 0, "unverifiable": 3}, "nothing decided, 3 open"),
    (
        "budget",
        {"checked": 2, "failed": 0, "unverifiable": 0, "computed": 1036.989, "limit": 55},
        "2 checked, none wrong; cost $1,036.99; limit $55.00",
    ),
    (
        "budget",
        {"checked": 1, "failed": 1, "unverifiable": 0, "computed": None, "limit": 9.5},
        "1 checked, 1 wrong; limit $9.50",
    ),
    (
        "duplicates",
        {"checked": 4, "failed": 1, "unverifiable": 0, "share_of_words": 0.126},
        "4 checked, 1 wrong; words that stand twice 13%",
    ),
    (
        "in_catalogue",
        {"checked": 2, "failed": 1, "unverifiable": 0, "share": 0.5, "missing": [{"id": "B1", "near_miss": None}]},
        "2 checked, 1 wrong",
    ),
    ("privacy", {"checked": 1, "failed": 0, "warnings": ["a", "b"]}, "1 checked, none wrong; warnings 2"),
    ("privacy", {"checked": 1, "failed": 0, "warnings": []}, "1 checked, none wrong"),
    ("citation_hygiene", {}, "no fault"),
    ("citation_hygiene", {"empty_entry": 2, "dangling": 1}, "2 × empty entry, 1 × dangling"),
    ("price", None, ""),
    ("price", "as it was", "as it was"),
    ("a_rule_of_before", {"held": True, "shares": [0.5, 2], "none": None}, "held yes, shares 0.5, 2"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "value", "told"), TOLD)
def test_a_value_is_told_in_words(rule: str, value: Any, told: str) -> None:
    assert value_told(rule, value) == told


@pytest.mark.parametrize("rule", RULES)
def test_no_sign_of_the_form_is_left(rule: str) -> None:
    for _, value, _ in TOLD:
        assert not set("{}[]'_") & set(value_told(rule, value))
