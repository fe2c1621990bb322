"""What the tests of rules speak of, and how they ask: three products of the sample shop and two of its users."""

from __future__ import annotations

from typing import Any

from drr.env.shop import Shop
from drr.eval.checks import check_report
from drr.eval.checks.base import Subject
from drr.eval.checks.results import Check

DIFFUSER, RED, BLACK = "B09248YNC1", "B07X4L3M14", "B09FUUHWK0"
"""$17.95, 4.3 stars from 71; $11.99, 4.2 from 28; $24.95, 4.9 from 26."""
A, B, C = (f"http://ecommerce.example/{one}" for one in (DIFFUSER, RED, BLACK))
LA = f"[Brightpulse Ultrasonic Essential Oil Diffuser]({A})"
LB = f"[Bramwick Folding Meat Thermometer]({B})"
LC = f"[Maplehand Folding Meat Thermometer]({C})"
UNPRICED = "http://ecommerce.example/B004E3XV25"
READER = "AE0IFS55N7SP9CV1I60GN2ZPYN36"
"""Chad Williams of Jersey City, NJ 07351; 139 orders."""
OTHER = "AE06VNBLZ23SQLMZRTTURBEGZ6P5"
"""Brian Lee of Montgomery, AL 36177."""
WEB = "https://example.org/ovens"


def checked(report: str, **known: Any) -> dict[str, Check]:
    return check_report(Subject(report, **known))


def failing(report: str, **known: Any) -> dict[str, list[str]]:
    """What is held against a report, by rule."""
    found = checked(report, **known)
    return {name: [one.why for one in each.findings] for name, each in found.items() if each.status == "fail"}


def is_kept_apart(shop: Shop, rule: str, text: str, right: str, wrong: str, **known: Any) -> None:
    """As written nothing is wrong and the rule says so; with one part replaced this rule alone fails, with one finding."""
    assert text.count(right) >= 1, right
    found = checked(text, shop=shop, **known)
    assert {name: one.findings for name, one in found.items() if one.status == "fail"} == {}
    assert found[rule].status == "pass", found[rule]
    told = failing(wrong.join(text.rsplit(right, 1)), shop=shop, **known)
    assert set(told) == {rule}, told
    assert len(told[rule]) == 1, told
