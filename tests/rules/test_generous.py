"""Verdicts, sums and gaps that nothing in sight bears out: each text is right with the first words and wrong with the second."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report
from test_money import A, B, C

TABLE = f"| | Diffuser {A} | Red {B} | Black {C} |\n|---|---|---|---|\n| Price | $17.95 | $11.99 | $24.95 |\n"
"""$17.95, $11.99, $24.95."""
VERDICTS = [
    # all of a group, in a table, a list or a sentence
    (f"{TABLE}\nAll three stay under {{}}.", "$25", "$20"),
    (f"{TABLE}\n{{}} of the three are under $20.", "Two", "Only one"),
    (f"- the diffuser ({A}), $17.95\n- the black one ({C}), $24.95\n\n{{}} under $20.", "Only the first is", "Both are"),
    (f"The red one ({B}) and the diffuser ({A}) both {{}}, and both have a clip.", "fit your budget", "miss your budget"),
    # right behind an amount, whatever else its sentence says
    (f"Two of the red ones ({B}) are $23.98, and the diffuser ({A}) brings that to $41.93, which is {{}} your $40.", "over", "just within"),
    (f"The black one ({C}) has a lamp instead of a dial, but at $24.95 it {{}} your limit.", "is inside", "exceeds"),
    (f"One diffuser ({A}) on its own would {{}} at $17.95.", "still fit", "overshoot"),
    (f"With a second black one ({C}) it is $49.90, which {{}} the limit.", "breaks", "stays inside"),
    (f"A pair of the black ones ({C}) is $49.90 and {{}} within that.", "not", "still"),
    (f"Take the diffuser ({A}, $17.95) and the red one ({B}, $11.99). Together $29.94, rest $10.06; the limit {{}}.", "holds", "is broken"),
    (f"The diffuser ({A}, $17.95) and the black one ({C}, $24.95): $17.95 + $24.95 = $42.90. {{}}, just.", "Over the limit", "Within the limit"),
    (f"You named $40. The diffuser ({A}, $17.95) and the black one ({C}, $24.95), in all $42.90: your limit is {{}}.", "not kept", "kept"),
    # yes and no
    (f"The red one ({B}) is $11.99, the diffuser ({A}) $17.95.\n\n- Together: $29.94\n- Within {{}}: yes", "$40", "$25"),
    (f"Spent: $29.94. Left: $10.06. Could add: the red one ({B}) at $11.99? {{}}", "No.", "Yes, that still fits."),
    (f"{TABLE[:-1]}\n| under 40? | yes | {{}} | yes |", "yes", "no"),
    # so much beyond or within
    (f"The diffuser ({A}) and the red one ({B}): together $29.94, or $10.06 {{}} the limit.", "within", "beyond"),
]  # fmt: skip

RESTS_AND_GAPS = [
    (f"| | |\n|---|---|\n| Diffuser {A} | $17.95 |\n| Red {B} | $11.99 |\n| Sum | $29.94 |\n\nThere is {{}} in change.", "$10.06", "$12.06"),
    (f"The diffuser ({A}) and the red one ({B}): $29.94 together, so {{}} stays in the purse.", "$10.06", "$16.60"),
    (f"Pick: the diffuser ({A}), $17.95.\n\nThe limit was $40; {{}} stays in your pocket.", "$22.05", "$20.25"),
    (f"- Diffuser {A} $17.95\n- Red {B} $11.99\n- Sum $29.94\n- Left of $40: {{}}", "$10.06", "$12.06"),
    (f"If the diffuser ({A}, $17.95) ever breaks, the black one ({C}) costs exactly {{}} more than it.", "$7.00", "$8.00"),
    (f"Buying two of the red ones ({B}) instead of one black ({C}) saves you {{}}.", "$0.97", "$1.97"),
    (f"Red ({B}): $11.99 for one. Three would be $35.97, i.e. {{}} more than the black one ({C}).", "$11.02", "$12.20"),
    (f"- Diffuser {A} $17.95\n- Red {B} $11.99\n\nSum $29.94; left over {{}}, enough for a card but not for a third lamp.", "$10.06", "$13.06"),
    (f"The diffuser ({A}, $17.95) and the red one ({B}, $11.99) come to $29.94, so of the $40 {{}}.", "you keep $10.06", "you keep $14.06"),
    (f"The diffuser ({A}, $17.95) and the red one ({B}, $11.99): together that is $29.94, so {{}} of your $40 stays in your pocket.", "$10.06", "$8.06"),
    (f"- Diffuser {A} $17.95\n- Red {B} $11.99\n\nSum: $29.94, so {{}} of the $40 are left.", "$10.06", "$12.00"),
    (f"- Diffuser {A} $17.95\n- Red {B} $11.99\n\nSpent: $29.94. Left in the tin from your $40: {{}}, enough for a card.", "$10.06", "$20.06"),
    (f"Take the red one ({B}) for {{}}, not the black one ({C}, $24.95).", "thirteen dollars less", "sixteen dollars less"),
]  # fmt: skip


def failed(shop: Shop, text: str, query: str | None) -> list[str]:
    found = check_report(Subject(text, query=query, shop=shop))
    return [f"{name}: {one.evidence[0]}" for name, one in found.items() if one.status == "fail"]


@pytest.mark.parametrize(("text", "right", "wrong"), VERDICTS)
def test_a_verdict_on_a_limit_that_nothing_bears_out(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    assert failed(rules_shop, text.format(right), "something quiet, at most $40") == []
    assert failed(rules_shop, text.format(wrong), "something quiet, at most $40") != []


@pytest.mark.parametrize(("text", "right", "wrong"), RESTS_AND_GAPS)
def test_a_rest_or_a_difference_that_nothing_bears_out(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    assert failed(rules_shop, text.format(right), "something quiet, at most $40") == []
    assert failed(rules_shop, text.format(wrong), "something quiet, at most $40") != []


@pytest.mark.parametrize(
    "text",
    [
        f"The diffuser ({A}) is $17.95. Of your spending $617.26 went over 22 orders.",
        f"With a 15% code you pay $15.26 for the diffuser ({A}) and save $2.69.",
        f"The diffuser ({A}), $17.95, remains in the catalogue at $17.95.",
        f"The red one ({B}, $11.99) is $5.96 under the diffuser ({A}, $17.95).",
        f"For the money of one black one ({C}, $24.95) you could buy two of the red ones ({B}), $23.98, and have $0.97 left.",
        f"The diffuser ({A}) is $17.95; with $20 you would keep $2.05.",
        f"A garden blog says such lamps save $288 a season (https://lamps.example/save); the diffuser ({A}) is $17.95.",
    ],
)
def test_a_difference_to_what_is_not_in_sight_accuses_nobody(rules_shop: Shop, text: str) -> None:
    assert failed(rules_shop, text, "something quiet, at most $40") == []


@pytest.mark.parametrize(
    "text",
    [
        f"{TABLE}\nAny one of the three is below $30, and any two are below $50.",
        f"{TABLE}\nAll three would break the $40 limit together.",
        f"The diffuser ({A}) is $17.95, and with a second black one ({C}) that would break the limit.",
        f"The diffuser ({A}) is $17.95, not far from double your limit of $10.",
        f"By the piece the diffuser ({A}, $17.95) is a shade under $1.80.",
        f"The cheapest lamps elsewhere start at about $65 and go past $200. The diffuser ({A}) is $17.95.",
        f"The diffuser ({A}), $17.95, is over your 30 dB limit.",
        f"If you had two of them, the diffuser ({A}, $17.95) would be over the limit.",
    ],
)
def test_a_verdict_that_another_reading_bears_out_accuses_nobody(rules_shop: Shop, text: str) -> None:
    assert failed(rules_shop, text, "something quiet, at most $40") == []


def test_a_limit_of_the_report_s_own_needs_no_question(rules_shop: Shop) -> None:
    text = f"{TABLE}\nAll three stay under {{}}."
    assert failed(rules_shop, text.format("$25"), None) == []
    assert failed(rules_shop, text.format("$20"), None) != []


def test_what_runs_down_item_by_item_is_left(rules_shop: Shop) -> None:
    text = (
        f"With $60 this goes as follows.\n\n1. The diffuser ({A}), $17.95. Running remainder $42.05.\n"
        f"2. The red one ({B}), a bright one with a clip. It costs $11.99. Remainder $30.06.\n"
        f"3. The black one ({C}), the dear one of the three. It costs $24.95. Remainder {{}}."
    )
    for left, fails in (("$5.11", False), ("$8.11", True)):
        check = check_report(Subject(text.format(left), query="three for up to $60", shop=rules_shop))[
            "total"
        ]
        assert any(one.kind == "rest_told" for one in check.accused) is fails


def test_amounts_in_a_row_come_to_their_sum_wherever_they_stand(rules_shop: Shop) -> None:
    text = (
        f"- The diffuser ({A}) costs $17.95.\n- The red one ({B}) costs $11.99.\n- The black one ({C}) costs $24.95.\n\n"
        "Lamp, cord, cup: $20.50, $31.25, $9.00: {} in all."
    )
    right = check_report(Subject(text.format("$60.75"), shop=rules_shop), 0.0)["total"]
    wrong = check_report(Subject(text.format("$66.75"), shop=rules_shop), 0.0)["total"]
    assert right.status == "pass" and wrong.status != "pass", (right.evidence, wrong.evidence)
