"""The last reader of figures: what nothing in play comes to is named with its chance of being wrong, and accused where that is high enough."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Check, Subject, check_report
from drr.eval.checks.leftover.slips import slips
from drr.eval.checks.leftover.weighing import leftover_of
from drr.eval.checks.mentions import Mentions
from drr.eval.tasks import checked
from test_money import A, B, C

RIGHT_OR_WRONG = [
    (f"Per thermometer: $11.99 for the red one ({B}), $24.95 for the black ({C}), which is {{}} on top.", "$12.96", "$21.96"),
    (f"The red one ({B}) asks $11.99, so a dozen of them sets you back {{}}.", "$143.88", "$134.88"),
    (f"The diffuser ({A}) is $17.95 and the black one ({C}) $24.95: of your fifty you keep {{}}.", "$7.10", "$17.10"),
]  # fmt: skip


def told(shop: Shop, text: str, bar: float | None = None) -> Check:
    return check_report(Subject(text, query="something quiet, up to $50", shop=shop), bar)["figures"]


@pytest.mark.parametrize(("text", "right", "wrong"), RIGHT_OR_WRONG)
def test_a_figure_that_nothing_comes_to_is_accused_with_what_it_would_be(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    assert told(rules_shop, text.format(right)).status == "pass"
    found = told(rules_shop, text.format(wrong))
    assert found.status == "fail" and len(found.spans) == 1
    low, high = found.spans[0]
    assert text.format(wrong)[low:high] == wrong
    assert found.evidence[0] == f"said {wrong}, which nothing in play comes to; {right} would be explained"


@pytest.mark.parametrize(
    "portion", ["Counted by 100 mg", "Reckoned per 100 mg", "By the 100 milligrams", "For every 100 mg"]
)
def test_what_a_cost_is_counted_by_is_no_figure_of_a_thing(rules_shop: Shop, portion: str) -> None:
    text = (
        "The [Brackenpaw](http://ecommerce.example/B0ESJWP1OZ) is $32.99 for 90 pieces of {} mg, "
        "the [Barkwell & Sons](http://ecommerce.example/B0R21AQNLB) $61.99 for 180 pieces of 600 mg. "
        f"{portion}, the Brackenpaw costs about 4.1 cents and the Barkwell about 5.7."
    )
    right, wrong = told(rules_shop, text.format(900)), told(rules_shop, text.format(950))
    assert right.status == "pass" and not any("said 100" in one for one in right.evidence)
    assert [text.format(950)[slice(*one)] for one in wrong.spans] == ["950"]


TREES = "Six cat trees show a price: $53.99, {}, $60.99, $67.99, $69.99 and $94.99."
SHOWN = " The cheapest is the [Muddy Otter 36-inch](http://ecommerce.example/B03BT2F9Z5), the dearest its [61-inch](http://ecommerce.example/B0UQWOQIR6)."


def test_a_price_in_a_list_that_names_nothing_may_be_of_whatever_the_shop_has_of_that_kind(
    rules_shop: Shop,
) -> None:
    """Trees of other makers cost $54.99, $60.99 and $69.99, and none $57.99."""
    assert not _accused(rules_shop, TREES.format("$54.99") + SHOWN)
    assert _accused(rules_shop, TREES.format("$57.99") + SHOWN) == ["$57.99"]


def test_a_price_in_a_list_beside_a_name_is_of_what_is_named(rules_shop: Shop) -> None:
    text = TREES.format("$54.99").replace("cat trees", "sizes of the Muddy Otter cat tree") + SHOWN
    assert "$54.99" in _accused(rules_shop, text)


def _accused(shop: Shop, text: str) -> list[str]:
    subject = Subject(text, query="What does a cat tree cost on average here?", shop=shop)
    return [text[slice(*one)] for one in check_report(subject)["figures"].spans]


@pytest.mark.parametrize(("said", "fails"), [("$20.01", False), ("$22.01", True)])
def test_what_is_left_of_a_limit_that_the_question_writes_without_a_sign(
    rules_shop: Shop, said: str, *, fails: bool
) -> None:
    text = (
        "The [glitter set](http://ecommerce.example/B02H9XBTGK) is $19.99, the [oil](http://ecommerce.example/B0ZORBCU27) $10.00. "
        f"Together $29.99, comfortably below fifty, with {said} in hand."
    )
    checks = check_report(Subject(text, query="restock my manicure, keep it below 50", shop=rules_shop))
    assert any(one.status == "fail" for one in checks.values()) is fails


def test_a_measure_in_another_unit_than_its_records_is_no_slip(rules_shop: Shop) -> None:
    text = "Folded out, the [Whiskerwell](http://ecommerce.example/B0EI2FHHQA) reaches {} centimeters; the 71 inches of the record say the same."
    assert told(rules_shop, text.format(180)).status == "pass"
    assert told(rules_shop, text.format(190)).status == "fail"


def test_what_nothing_says_the_right_value_of_is_named_and_never_accused(rules_shop: Shop) -> None:
    text = f"The diffuser ({A}) is $17.95. My aunt paid $41.37 for hers, if I recall."
    subject = Subject(text, shop=rules_shop)
    (one,) = (each for each in leftover_of(Mentions(subject)).figures if each.said.value == 41.37)
    assert 0.3 <= one.chance < 0.8
    found = told(rules_shop, text)
    assert found.status != "fail" and "a chance" not in found.evidence[0]
    assert any("$41.37" in each for each in found.evidence)
    assert told(rules_shop, text, 0.0).status != "fail"


def test_a_report_of_other_things_is_left_alone(rules_shop: Shop) -> None:
    assert told(rules_shop, "The market grew to $4,310 million in 31 states.").status == "unverifiable"
    amounts = ("$3,471.13", "$917.46", "$21,118.32", "$604.71", "$1,853.27", "$77.64")
    foreign = " ".join(f"It took {one} of paint." for one in amounts)
    found = told(rules_shop, f"The diffuser ({A}) is $17.95. {foreign}", 0.0)
    assert found.status != "fail" and any("misread" in one for one in found.evidence)


def test_a_slip_is_one_digit_or_two_in_each_others_place() -> None:
    assert {19.08, 92.08, 9.08, 129.08} <= {*slips("29.08")}
    assert {12, 81, 8, 118, 1, 183} <= {*slips("18")} and 18 not in {*slips("18")}


def test_new_weights_check_every_report_again(monkeypatch: pytest.MonkeyPatch) -> None:
    before = checked.rules_version(3)
    monkeypatch.setattr("drr.eval.checks.accusing.weighed.left_version", lambda: "another")
    assert checked.rules_version(3) != before
