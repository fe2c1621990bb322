"""What a record has otherwise is weighed: accused where little speaks for another meaning, left alone where much does."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report
from drr.eval.checks.base import Accusation, CheckTally
from drr.eval.checks.certainty import BARS, Certainty
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.recorded.weighing import candidates, fitted, group_of, said_otherwise
from drr.eval.tasks import checked

AT = "http://ecommerce.example/"
RIGHT_OR_WRONG = [
    (f"The [Loafwell]({AT}B0QUXY1PXG) asks $48.99, promises an accuracy of {{}} and needs three seconds.", "1.8 degrees", "0.1 degrees"),
    (f"| | [Nuzzleworth]({AT}B08UG29MWT) | [Tailfield]({AT}B0AKTL95OZ) |\n|---|---|---|\n| Price | $25.99 | $27.99 |\n| Noise | {{}} | 40 dB |\n", "45 dB", "60 dB"),
    (f"The [Quiet Hill pan]({AT}B018FLV4SL) is $21.99 and a {{}} pan, enough for one steak.", "8 inch", "10 inch"),
    (f"The [Clearair]({AT}B0N707GCC5) runs {{}} a fill and holds six liters.", "60 hours", "20 hours"),
    (f"The [Papershed]({AT}B0YN8FJUU6) shredder is $57.99 and cuts to {{}}.", "P-5", "P-3"),
    (f"The [Nuzzleworth ramp]({AT}B0GCEZYDRS) at $41.00 is made of {{}}.", "plywood with carpet", "aluminum"),
    (f"The [Ironfold]({AT}B0A5ZPFF1M) alarm has a service life of {{}}.", "10 years", "5 years"),
]  # fmt: skip
LEFT = [
    f"Two of the [Brightpail]({AT}B0DEP8WDVB) make 320 loads for $51.98.",
    f"The [Nuzzleworth ramp]({AT}B0GCEZYDRS) bears 30 pounds more than our dog needs.",
    f"You ordered the [Quiet Hill pan]({AT}B018FLV4SL) 4 in 2021, 3 in May.",
    f"With a coupon for the bigger one the [Nuzzleworth ramp]({AT}B0GCEZYDRS) would bear 300 pounds.",
    f"He is forty pounds, so the [Nuzzleworth ramp]({AT}B0GCEZYDRS) will do?",
    f"A trade page holds that alarms last 7 years (https://alarms.example/life). The [Ironfold]({AT}B0A5ZPFF1M) is $53.95.",
    f"The [Gillwater]({AT}B0VQYMEY0E) is $17, plastic, with two cups.",
    f"You bought the [Ironfold]({AT}B0A5ZPFF1M) on March 3, 2020, and again five days later.",
]


def told(shop: Shop, text: str) -> list[Accusation]:
    subject = Subject(text, query="What should I buy?", shop=shop)
    return list(said_otherwise(Mentions(subject)))


@pytest.mark.parametrize(("text", "right", "wrong"), RIGHT_OR_WRONG)
def test_what_the_record_has_otherwise_is_accused(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    assert told(rules_shop, text.format(right)) == []
    said = text.format(wrong)
    (one,) = told(rules_shop, said)
    assert said[slice(*one.span)].strip() == wrong and one.kind in BARS
    check = check_report(Subject(said, query="What should I buy?", shop=rules_shop))["product_claims"]
    assert check.status == "fail" and any(
        low < one.span[1] and one.span[0] < high for low, high in check.spans
    )


@pytest.mark.parametrize("text", LEFT)
def test_what_may_mean_something_else_is_left(rules_shop: Shop, text: str) -> None:
    assert told(rules_shop, text) == []


def test_what_speaks_for_another_meaning_lowers_the_chance(rules_shop: Shop) -> None:
    def chance(text: str) -> float:
        (one,) = candidates(Mentions(Subject(text, query="What should I buy?", shop=rules_shop)))
        return fitted().groups[group_of(one)].chance(one.traits)

    plain = chance(f"The [Clearair]({AT}B0N707GCC5) runs 20 hours a fill.")
    others = f" The [Hollyleaf]({AT}B0T093UZRP) runs 20 hours."
    assert chance(f"The [Clearair]({AT}B0N707GCC5) is $70. It needs about 20 hours.{others}") < plain


def test_a_place_is_accused_once() -> None:
    tally = CheckTally()
    tally.fail((3, 8), "one reader", Certainty.CELL, "measure")
    tally.accuse_besides(Accusation("weighed_figure", (5, 9), "another", Certainty.SENTENCE))
    tally.accuse_besides(Accusation("weighed_figure", (9, 12), "elsewhere", Certainty.SENTENCE))
    assert [one.why for one in tally.accused] == ["one reader", "elsewhere"]


def test_new_weights_check_every_report_again(monkeypatch: pytest.MonkeyPatch) -> None:
    before = checked.rules_version(3)
    monkeypatch.setattr("drr.eval.checks.accusing.weighed.recorded_version", lambda: "another")
    assert checked.rules_version(3) != before
