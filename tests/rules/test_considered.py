"""Amounts and ratings considered once more: what no reading makes true is accused where all signs together say so, whatever word stands beside it."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import RULES, Subject, check_report
from drr.eval.checks.accusing.weighed import raised_by
from drr.eval.checks.considered.signs import FigureSigns
from drr.eval.checks.considered.weighing import answer, considered_wrong, fitted
from drr.eval.checks.mentions import Mentions
from test_money import A, B, C

QUERY = "something quiet, up to $50"


def failed(shop: Shop, text: str) -> list[str]:
    found = check_report(Subject(text, query=QUERY, shop=shop))
    return [one.evidence[0] for one in found.values() if one.status == "fail"]


def considered(shop: Shop, text: str, bar: float) -> list[float]:
    subject = Subject(text, query=QUERY, shop=shop)
    mentions = Mentions(subject)
    checks = {name: rule.check(subject, mentions) for name, rule in RULES.items()}
    return [one.said.value for one in considered_wrong(mentions, raised_by(subject, mentions, checks), bar)]


RIGHT_OR_WRONG = [
    # what is left, in words that no reader knows for it
    (f"The [diffuser]({A}) is $17.95, the [black one]({C}) $24.95. Together that makes $42.90, and if you skip the wrapping, {{}} of your fifty stays with you.", "$7.10", "$17.10"),
    # what two things come to, beside what others would do
    (f"The [red one]({B}) is $11.99 and the [diffuser]({A}) $17.95. Suppose you take both: the bill shows {{}}, others would pay more.", "$29.94", "$39.94"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "right", "wrong"), RIGHT_OR_WRONG)
def test_an_amount_is_accused_whatever_stands_beside_it(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    assert failed(rules_shop, text.format(right)) == []
    assert failed(rules_shop, text.format(wrong))


@pytest.mark.parametrize(("text", "right", "wrong"), RIGHT_OR_WRONG)
def test_it_is_all_signs_together_that_accuse_it(
    rules_shop: Shop, monkeypatch: pytest.MonkeyPatch, text: str, right: str, wrong: str
) -> None:
    assert considered(rules_shop, text.format(wrong), fitted().bar) == [float(wrong[1:])]
    nobody = fitted().model_copy(update={"bar": 1.0})
    monkeypatch.setattr("drr.eval.checks.accusing.weighed.considered", lambda: nobody)
    assert failed(rules_shop, text.format(wrong)) == []


@pytest.mark.parametrize(
    "said",
    [
        # a voucher of which nobody says how much it takes off
        "Assuming a voucher, you save $13.37 on it.",
        # both are that much together: a reading makes it true
        "The lot of them, bought at once: $29.94.",
        # so many of it, as is said beside it
        f"Three [such diffusers]({A}) would be $53.85, if you ask me.",
    ],
)
def test_what_cannot_be_reckoned_or_is_true_is_not_accused(rules_shop: Shop, said: str) -> None:
    text = f"The [diffuser]({A}) is $17.95 and the [red one]({B}) $11.99. {said}"
    assert not {13.37, 29.94, 53.85} & {*considered(rules_shop, text, 0.0)}


def test_a_reader_that_abstains_leaves_its_condition_as_a_sign(rules_shop: Shop) -> None:
    """The words that keep a reader of ratings from accusing stand among the signs; without them none does."""
    text = f"The [red one]({B}) has 1.3 stars{{}}."
    found = []
    for words in ("", " at least"):
        mentions = Mentions(Subject(text.format(words), shop=rules_shop))
        signs = FigureSigns(mentions, {})
        (one,) = (each for each in signs.every() if each.value == 1.3)
        found.append(signs.of(one))
    assert found[0]["unrated_stars_free"] == 1.0
    assert "unrated_stars_free" not in found[1] and found[1]["unrated_stars_several"] == 1.0


PLAIN = [
    # its words, what it is, what else is said, the reading that makes the one and misses the other
    (f"Two [diffusers]({A}) come to {{}}.", "$35.90", "$53.85", "times_own"),
    (f"The [diffuser]({A}) and the [red one]({B}): together {{}}.", "$29.94", "$39.94", "sum_here"),
    (f"- [diffuser]({A}): $17.95\n- [red one]({B}): $11.99\n- Sum: {{}}", "$29.94", "$39.94", "sum_above"),
    (f"The [diffuser]({A}) costs {{}} more than the [red one]({B}).", "$5.96", "$7.96", "gap_after"),
    (f"The [diffuser]({A}) is $17.95, which leaves {{}}.", "$32.05", "$42.05", "rest_last"),
    (
        f"Swap the [diffuser]({A}) for the [black one]({C}) and $29.94 becomes {{}}.",
        "$36.94",
        "$38.94",
        "far_swap",
    ),
    (f"The [diffuser]({A}) holds 300 ml, {{}} a ml.", "6 cents", "8 cents", "part_before"),
    (f"The [diffuser]({A}) is {{}}, which leaves $32.05.", "$17.95", "$19.95", "implied"),
]


def signs_of(shop: Shop, text: str, said: str) -> dict[str, float]:
    signs = FigureSigns(Mentions(Subject(text.format(said), query=QUERY, shop=shop)), {})
    (one,) = (each for each in signs.every() if each.start == text.index("{}"))
    return signs.of(one)


@pytest.mark.parametrize(("text", "right", "wrong", "reading"), PLAIN)
def test_an_amount_is_held_against_what_its_words_plainly_make_of_it(
    rules_shop: Shop, text: str, right: str, wrong: str, reading: str
) -> None:
    assert f"{reading}_has" in signs_of(rules_shop, text, right)
    missed = signs_of(rules_shop, text, wrong)
    assert f"{reading}_has" not in missed and {f"{reading}_not", f"{reading}_none"} & missed.keys()


def test_another_number_of_a_thing_than_is_said_shows(rules_shop: Shop) -> None:
    text = f"Three [diffusers]({A}) come to {{}}."
    assert "often_said" in signs_of(rules_shop, text, "$53.85")
    assert "often_otherwise" in signs_of(rules_shop, text, "$71.80")
    assert "often_unsaid" not in signs_of(rules_shop, text, "$61.20")


def test_a_figure_of_a_list_is_that_of_the_thing_at_its_place(rules_shop: Shop) -> None:
    text = f"Both are good, the [diffuser]({A}) and the [red one]({B}): $17.95, {{}}."
    assert "has_list_money" in signs_of(rules_shop, text, "$11.99")
    assert "not_list_money" in signs_of(rules_shop, text, "$12.99")


def test_a_tree_asks_two_questions() -> None:
    tree = ("a", 0.5, "b", 0.0, "c", 0.0, 1.0, 2.0, 3.0, 4.0)
    asked = [{}, {"b": 1.0}, {"a": 1.0}, {"a": 1.0, "c": 1.0}]
    assert [answer(tree, signs) for signs in asked] == [1.0, 2.0, 3.0, 4.0]
    assert answer(tree, {"a": 0.5}) == 1.0


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("With your coupon that leaves {} of the $40.", "A diffuser: I have $40 and a coupon for $3 off."),
        ("With the $3 coupon that leaves {} of the $40.", "A diffuser for $40, please."),
    ],
)
def test_a_coupon_of_a_size_that_is_said_leaves_what_can_be_reckoned(
    rules_shop: Shop, text: str, query: str
) -> None:
    for said, wrong in (("$25.05", False), ("$35.05", True)):
        told = f"The [diffuser]({A}) is $17.95, so $14.95 is due. {text.format(said)}"
        checks = check_report(Subject(told, query=query, shop=rules_shop))
        assert any(one.status == "fail" for one in checks.values()) is wrong
