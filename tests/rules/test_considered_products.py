"""Multiples, and what a record has otherwise, considered once more: by all signs together, and never where readings bear them out."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import RULES, Subject, check_report
from drr.eval.checks.accusing.weighed import raised_by
from drr.eval.checks.considered.multiples import (
    considered_multiples,
    is_held,
    multiple_weights,
)
from drr.eval.checks.considered.ratios import RatioSigns, ratios_said
from drr.eval.checks.considered.statements import (
    considered_statements,
    statement_weights,
)
from drr.eval.checks.mentions import Mentions

AT = "http://ecommerce.example/"
ROUND, OVAL = f"[Thistlegate Round]({AT}B01QX687PY)", f"[Stonepan Oval]({AT}B0Z5GACPUE)"
CLEARAIR, SCALE = f"[Clearair]({AT}B0N707GCC5)", f"[Clearair Labs]({AT}B03K9UBT76)"
MULTIPLE = [
    f"The {ROUND}, which you ordered in 2020, is $150.95 and might be {{}} what the {OVAL} costs at $39.99.",
    f"Would you pay more? The {ROUND} at $150.95 might be {{}} as dear as the {OVAL} at $39.99.",
]
SAID = [
    (f"The {CLEARAIR} would run {{}} a fill, and it holds six liters for $84.99.", "60 hours", "20 hours"),
    (f"| Scale | Price | Load |\n|---|---|---|\n| {SCALE} | $13.99 | {{}} |\n| [Bramwick]({AT}B0X0Q3G2X7) | $27.99 | 15 kg |\n", "5 kg", "15 kg"),
    (f"- [Muddy Otter]({AT}B0L25LV4DR): 25 to 50 pounds, {{}}, $18.99 for 14\n- [Muddy Otter Vegetable-Based]({AT}B08FMH50QP): 50 to 100 pounds, peanut butter, $16.99\n", "chicken", "peanut butter"),
]  # fmt: skip


def read(shop: Shop, text: str) -> tuple[list[str], list[str]]:
    """What is said of multiples, and of records, that all signs together hold to be wrong."""
    subject = Subject(text, query="What should I buy?", shop=shop)
    mentions = Mentions(subject)
    raised = raised_by(
        subject, mentions, {name: rule.check(subject, mentions) for name, rule in RULES.items()}
    )
    multiples = [text[one.said.start : one.said.end] for one in considered_multiples(mentions, raised)]
    return multiples, [one.said.why for one in considered_statements(mentions, raised)]


def failed(shop: Shop, text: str) -> list[str]:
    found = check_report(Subject(text, query="What should I buy?", shop=shop))
    return [one.evidence[0] for one in found.values() if one.status == "fail"]


@pytest.mark.parametrize("text", MULTIPLE)
def test_a_multiple_that_nothing_comes_to_is_accused_whatever_stands_beside_it(
    rules_shop: Shop, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    right, wrong = text.format("close to four times"), text.format("close to seven times")
    assert failed(rules_shop, right) == []
    assert failed(rules_shop, wrong) == ["said 'seven times', which no two values around it come to"]
    nobody = tuple(one.model_copy(update={"bar": 1.1}) for one in multiple_weights())
    monkeypatch.setattr("drr.eval.checks.considered.multiples.multiple_weights", lambda: nobody)
    assert failed(rules_shop, wrong) == []


@pytest.mark.parametrize(("text", "right", "wrong"), SAID)
def test_what_a_record_has_otherwise_is_accused_by_all_signs(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    assert read(rules_shop, text.format(right))[1] == [] == failed(rules_shop, text.format(right))
    (why,) = read(rules_shop, text.format(wrong))[1]
    assert why.startswith(f"said {wrong!r}, the record") and failed(rules_shop, text.format(wrong))


@pytest.mark.parametrize(
    "text",
    [
        # a share of something, and a rate: no figures of the record
        f"Together $401.97; the [Stonepan]({AT}B0QYOZ9OKD) alone is 31% of that.",
        f"Hours by liters, the {CLEARAIR} is ahead with 10 hours a liter.",
        # one of two that are left open
        f"Chicken was out; peanut butter or beef for the [Muddy Otter]({AT}B0L25LV4DR) was left open.",
    ],
)
def test_what_is_no_statement_of_the_record_is_left(
    rules_shop: Shop, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    every = statement_weights().model_copy(update={"bar": 0.0})
    monkeypatch.setattr("drr.eval.checks.considered.statements.statement_weights", lambda: every)
    assert read(rules_shop, text)[1] == []


@pytest.mark.parametrize(
    ("said", "many", "bound"),
    [
        ("about twice the price", 2.0, "near"),
        ("three and a half times the money", 3.5, "exact"),
        ("more than a third of what", 1 / 3, "more"),
        ("half as dear again as", 1.5, "exact"),
        ("costs 40% more than", 1.4, "exact"),
        ("40 percent less than", 0.6, "exact"),
    ],
)
def test_multiples_are_read_as_people_write_them(said: str, many: float, bound: str) -> None:
    (one,) = ratios_said(f"It is {said} the other.")
    assert one.many == pytest.approx(many) and one.bound == bound


def test_what_more_readings_come_to_than_would_by_chance_is_never_accused(rules_shop: Shop) -> None:
    text = f"The {ROUND} is $150.95 and the {OVAL} $39.99, nearly {{}} times as much."
    signs = [_signs(rules_shop, text.format(many)) for many in ("four", "nine")]
    assert [is_held(one) for one in signs] == [True, False]
    assert signs[0]["reached_price_here"] == 1.0 and "reached_price_here" not in signs[1]


def _signs(shop: Shop, text: str) -> dict[str, float]:
    signs = RatioSigns(Mentions(Subject(text, shop=shop)), {})
    (one,) = signs.every()
    return signs.of(one)
