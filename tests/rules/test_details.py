"""Figures and materials of parts that the one product meant has otherwise in its table of details, and true ones that are like them."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

THINGS = {
    name: f"http://ecommerce.example/{key}"
    for name, key in {
        "plugs": "B00PQLV3S7",
        "drill": "B05SSPDAEB",
        "socks": "B0DGJLQHG6",
        "shredder": "B0YN8FJUU6",
        "machine": "B096BIS0NT",
        "tail": "B0AKTL95OZ",
        "otter": "B08BJ3T3AQ",
        "harness": "B0S9ZQC831",
        "pillow": "B0ERHOGDJS",
        "serum": "B0IOG73MBD",
    }.items()
}
"""Smart plugs: 10 amps; a nail drill: 25,000 RPM; socks: 8-15 mmHg, with a word on 20; a shredder: 10 minutes, oiled every 30; a noise machine: 20 hours;
grinders: 2 and 6 hours; a harness with buckles of aluminum; a pillow with polyester fill; a serum with 15 % of vitamin C."""


def accused(said: str, shop: Shop) -> list[str]:
    text = said.format(**THINGS)
    check = check_report(Subject(text, query="Tell me about this one, please.", shop=shop))["product_claims"]
    return [text[slice(*one.span)].strip() for one in check.accused if one.kind in ("detailed", "part_value")]


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        ("The [Watchlight]({plugs}) of your October order is rated for {{}}.", "10 amps", "16 amps"),
        ("**How much may it carry?** The [Watchlight]({plugs}) takes up to {{}}.", "ten amps", "thirteen amps"),
        ("[Oat & Ember]({drill}): up to {{}}, forward and reverse.", "25,000 RPM", "18,000 RPM"),
        ("The [Steadyhand]({socks}) is rated at {{}}, the mild sort.", "8-15 mmHg", "25-35 mmHg"),
        ("The [Papershed]({shredder}) is a P-5 that runs {{}} before it must cool.", "10 minutes", "30 minutes"),
        ("- [Silverfold]({machine}), $47.99, with a run time of {{}}", "20 hours", "34 hours"),
        ("Take the [Silverfold]({machine}) for its {{}} run time.", "20-hour", "36-hour"),
        ("The [Slateline]({serum}) has {{}} vitamin C.", "fifteen percent", "ten percent"),
        ("Next to the [Muddy Otter]({otter}) the [Tailfield]({tail}) is quieter, but it runs 2 hours rather than {{}}.", "6 hours", "5 hours"),
        ("The [Tailfield]({harness}) has buckles of {{}}.", "aluminium", "plastic"),
        ("**[Tailfield]({harness})**, $22.99\n- Pro: {{}} buckles and a handle", "aluminum", "steel"),
        ("[Nestaway]({pillow}): 30 to 56 inches around the waist, {{}} fill, $48.99.", "polyester", "soft cotton"),
    ],
)  # fmt: skip
def test_what_the_details_have_otherwise_is_wrong(
    rules_shop: Shop, said: str, right: str, wrong: str
) -> None:
    said = said.format(**THINGS)
    assert accused(said.format(right), rules_shop) == []
    assert len(accused(said.format(wrong), rules_shop)) == 1


@pytest.mark.parametrize(
    "said",
    [
        "Two of the [Watchlight]({plugs}) side by side are good for 20 amps.",
        "A heater that draws 13 amps is too much for the [Watchlight]({plugs}).",
        "The [Watchlight]({plugs}) would need to be rated for 15 amps.",
        "The [Watchlight]({plugs}) is rated for 5 amps less than your heater draws.",
        "If you want 35,000 RPM, the [Oat & Ember]({drill}) is too slow.",
        "The [Oat & Ember]({drill}) does over 20,000 RPM.",
        "Oil the blades of the [Papershed]({shredder}) every 30 minutes of use.",
        "Per dollar the [Silverfold]({machine}) runs 25 minutes.",
        "The [Silverfold]({machine}) runs 14 hours more than a night of 6 hours asks.",
        "The [Silverfold]({machine}) was ordered 32 hours ago.",
        "Doctors ask for 25-35 mmHg; the [Steadyhand]({socks}) is milder.",
        "The [Tailfield]({tail}) runs 2 hours rather than the four hours that you hoped for.",
        "Your old harness had steel buckles; the [Tailfield]({harness}) is lighter.",
        "Unlike harnesses with plastic buckles, the [Tailfield]({harness}) lasts.",
        "The [Nestaway]({pillow}) is no pillow with cotton fill.",
    ],
)
def test_what_is_said_of_others_or_of_a_need_is_left(rules_shop: Shop, said: str) -> None:
    assert accused(said, rules_shop) == []
