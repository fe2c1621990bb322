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
    (f"The red one ({B}) and the diffuser ({A}) both {{}}, and both have a clip.", "fit your budget", "miss your budget by a dollar"),
    # right behind an amount, whatever else its sentence says
    (f"Two of the red ones ({B}) are $23.98, and the diffuser ({A}) brings that to $41.93, which is {{}} your $40.", "over", "just within"),
    (f"The black one ({C}) has a lamp instead of a dial, but at $24.95 it {{}} your limit.", "is inside", "exceeds"),
    (f"One diffuser ({A}) on its own would {{}} at $17.95.", "still fit", "overshoot"),
    (f"With a second black one ({C}) it is $49.90, which {{}} the limit.", "breaks", "stays inside"),
    (f"A pair of the black ones ({C}) is $49.90 and {{}} within that.", "not", "still"),
    # yes and no
    (f"The red one ({B}) is $11.99, the diffuser ({A}) $17.95.\n\n- Together: $29.94\n- Within {{}}: yes", "$40", "$25"),
    (f"Spent: $29.94. Left: $10.06. Could add: the red one ({B}) at $11.99? {{}}", "No.", "Yes, that still fits."),
    (f"{TABLE[:-1]}\n| under 40? | yes | {{}} | yes |", "yes", "no"),
    # so much beyond or within
    (f"The diffuser ({A}) and the red one ({B}): together $29.94, or $10.06 {{}} the limit.", "within", "beyond"),
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
