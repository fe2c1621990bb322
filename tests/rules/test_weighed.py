"""Accusations weighed: what something in sight explains is too unsure to be made, and what nothing explains is made."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import RULES, Check, Subject, check_report
from drr.eval.checks.accusing.seconded import unseconded
from drr.eval.checks.accusing.traits import TRAITS
from drr.eval.checks.accusing.weighed import fitted
from drr.eval.checks.base import Accusation, CheckTally
from drr.eval.checks.certainty import BARS, Certainty
from drr.eval.checks.mentions import Mentions
from drr.eval.tasks import checked
from test_money import A, B, C

LITTER = "http://ecommerce.example/B0GWWTJBXZ"
"""Forty pounds, $33.99."""


def raw(shop: Shop, rule: str, text: str) -> Check:
    """A rule's own answer, unweighed."""
    subject = Subject(text, query="something quiet, up to $40", shop=shop)
    return RULES[rule].check(subject, Mentions(subject))


def weighed(shop: Shop, rule: str, text: str, bar: float | None = None) -> Check:
    return check_report(Subject(text, query="something quiet, up to $40", shop=shop), bar)[rule]


def test_a_cost_per_unit_beside_a_link_is_no_wrong_price(rules_shop: Shop) -> None:
    text = f"The litter of 40 pounds, cheap at {{}} ({LITTER})."
    assert raw(rules_shop, "price", text.format("85 cents")).status == "fail"
    told = weighed(rules_shop, "price", text.format("85 cents"))
    assert told.status == "unverifiable" and not told.spans
    assert told.value == {"checked": 0, "failed": 0, "unverifiable": 1}
    assert "said 85 cents, is $33.99" in told.evidence[0] and "a chance of about 0." in told.evidence[0]
    assert weighed(rules_shop, "price", text.format("$27.31")).status == "fail"


@pytest.mark.parametrize("prices", [("$31.17", "$19.42", "$8.63"), ("$31.17", "$31.17", "$31.17")])
def test_a_report_with_many_wrong_prices_is_accused_of_all(rules_shop: Shop, prices: tuple[str, ...]) -> None:
    links = zip((A, B, C), prices, strict=True)
    text = "\n".join(f"- [This one]({link}) costs {price}." for link, price in links)
    assert weighed(rules_shop, "price", text).value["failed"] == 3


def test_a_long_list_of_wrong_ratings_is_accused(rules_shop: Shop) -> None:
    """Each wrong rating is that of some other product of the list: among so many that says nothing."""
    rated = [one for one in rules_shop.store.iter_products() if 3 <= (one.average_rating or 0) <= 4.2][:60]
    text = "\n".join(
        f"- [Pick {n}]({one.product_url}) has {(one.average_rating or 0) + 0.3 + n % 5 / 10:.1f} stars."
        for n, one in enumerate(rated)
    )
    assert raw(rules_shop, "rating", text).value["failed"] == 60
    assert weighed(rules_shop, "rating", text).value["failed"] >= 57


def test_the_bar_is_what_one_asks_for(rules_shop: Shop) -> None:
    text = f"The litter of 40 pounds, cheap at 85 cents ({LITTER})."
    assert weighed(rules_shop, "price", text, 0.0).status == "fail"
    assert (
        weighed(rules_shop, "price", f"The litter is cheap at $27.31 ({LITTER}).", 1.0).status
        == "unverifiable"
    )
    address = "[It](http://ecommerce.example/B000000000) is good."
    assert weighed(rules_shop, "in_catalogue", address, 1.0).status == "fail"  # nothing is weighed there


@pytest.mark.parametrize(
    ("text", "accused"),
    [
        (f"The black one ({C}) is $24.95. You bought it for {{}} less than the diffuser ({A}).", True),
        (f"The plan is [this one]({A}), $17.95. Assuming a voucher, you save {{}} on it.", False),
    ],
)
def test_a_doubt_about_what_no_record_shows_stands(rules_shop: Shop, text: str, accused: bool) -> None:
    """Of prices in sight nothing explains the figure; of a voucher nothing in sight could."""
    said = text.format("$13.37")
    assert raw(rules_shop, "total", said).doubted
    told = weighed(rules_shop, "total", said)
    assert (told.status == "fail") is accused
    assert any("$13.37" in one for one in told.evidence)


def test_a_promoted_doubt_is_told_once() -> None:
    tally = CheckTally()
    for _ in range(2):
        tally.accuse("price", (0, 5), "said $5, is $6", Certainty.SENTENCE, "a doubt")
    assert [one.doubt for one in tally.check("").doubted] == ["a doubt"]
    assert tally.check("").evidence == ("said $5, is $6: a doubt",)


def test_nothing_that_explains_speaks_for_an_accusation() -> None:
    weights = fitted()
    assert set(weights.traits) == set(TRAITS) and set(weights.kinds) <= set(BARS)
    for kind in weights.kinds:
        free = weights.chance(kind, dict.fromkeys(TRAITS, 0.0))
        for name in TRAITS:
            assert weights.chance(kind, dict.fromkeys(TRAITS, 0.0) | {name: 1.0}) <= free


def test_new_weights_check_every_report_again(monkeypatch: pytest.MonkeyPatch) -> None:
    before = checked.rules_version(3)
    monkeypatch.setattr(checked, "weights_version", lambda: "another")
    assert checked.rules_version(3) != before


def test_a_kind_that_was_wrong_at_first_contact_asks_for_a_second_reader() -> None:
    alone = Accusation("attribute", (10, 20), "said blue", Certainty.SENTENCE)
    elsewhere = Accusation("order_date", (30, 40), "said May", Certainty.SENTENCE)
    beside = elsewhere._replace(span=(18, 25))
    doubted = beside._replace(doubt="it may be another order's")
    assert [one for one, _ in unseconded([alone, elsewhere])] == [alone]
    assert [one for one, _ in unseconded([alone, doubted])] == [alone]
    assert list(unseconded([alone, beside])) == []
