"""Amounts of lists with how many of each, of times between days, of areas and of rounded measures, and prices of a question that limit nothing: each text is true with the
first words and false with the second."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

URL = "http://ecommerce.example/"


def link(name: str, key: str) -> str:
    return f"[{name}]({URL}{key})"


LONG, SHORT, FLAT = (
    link("Fielder's 75-foot", "B0XZIS43J3"),
    link("Rowanyard 25-foot", "B04W7YFEQ6"),
    link("Oriole House 50-foot", "B037IVZVMJ"),
)
"""Hoses of $23.99, $18.49 and $22.99."""
QUIET, SMART, LARGE = (
    link("Whitmore Home Quiet", "B00RVYAAE5"),
    link("Salt & Sill Smart", "B0XQDY6YFV"),
    link("Stonepan Smart", "B0QYOZ9OKD"),
)
"""Purifiers of $61.00, $77.99 and $123.99."""
KETTLE, FAST, PRESS, SCALE = (
    link("Loafwell Variable-Temperature", "B0DVICV2HB"),
    link("Stonepan Fast-Boil", "B04AURU7BW"),
    link("Pineshore Large-Capacity", "B0A57A3KAJ"),
    link("Clearair Labs Rechargeable", "B03K9UBT76"),
)
"""$124.99, $46.99, $22.99 and $13.99."""
PRUNER, SHEETS = link("Loamworks Ratchet", "B0NZPSG98L"), link("Foldaway 60-load sheets", "B0U160XN60")
"""$19.99 and $10.99."""
CONTRACTOR, NORTHBEAM = link("Plumbright Contractor", "B05XOX4QMI"), f"{URL}B0OC4753RC"
"""Stud finders of $34.00 and $62.99."""
SUNSCREEN, TINTED = (
    link("Pure Tidewater Sport Mineral Sunscreen", "B0NDE0DBE2"),
    link("Botanary Tinted", "B0WGUKW3N9"),
)
"""1.7 ounces for $9.99 and eight for $21.99."""
MAT, OTHER_MAT = link("Tallyho", "B0E8918DG3"), link("Papershed", "B0RA2DOWL8")
"""$52.95 for 32 x 20 inches and $75.99 for 39 x 20."""

HOSES = f"Five of the {LONG} at $23.99, three of the {SHORT} at $18.49 and two of the {FLAT} at $22.99. "
ONE_HOSE_EACH = f"{LONG} at $23.99, {SHORT} at $18.49, {FLAT} at $22.99. "
PURIFIERS = f"Seven purifiers, five of them priced: two {QUIET} at $61.00, two {SMART} at $77.99 and one {LARGE} at $123.99. "
IN_ITEMS = f"- two {QUIET}, $61.00 each\n- two {SMART}, $77.99 each\n- one {LARGE}, $123.99\n\n"
IN_ROWS = f"| Purifier | Number | Price |\n|---|---|---|\n| {QUIET} | 2 | $61.00 |\n| {SMART} | 2 | $77.99 |\n| {LARGE} | 1 | $123.99 |\n\n"
GEAR = f"- kettles: two {KETTLE} at $124.99, one {FAST} at $46.99\n- presses: two {PRESS} at $22.99\n- scale: one {SCALE} at $13.99\n\n"
FAR = "\n\n" + "Rinse the press after each use and let it dry with the plunger up. " * 24
"""What stands so far off is not read with it."""
TWO_DAYS = f"The {PRUNER} came on 2016-04-28 and again on 2020-05-21"
THREE_DAYS = f"The {SHEETS} came on 2020-09-15, 2022-01-26 and 2023-08-01. "
THINGS = f"""1. {link("Stonecrop Wide-View Birding Binoculars", "B012BNXD1C")}, 8x32, $58.49
2. {link("Sturdiwell Latex-Free Kinesiology Tape", "B05TDA33AV")}, four rolls, $16.95
3. {link("Copperline Tools Pocket Flashlight", "B0K5232QAV")}, $11.99
4. {SUNSCREEN}, SPF 30, $9.99

## Why

The binoculars come with a harness, and 43 people have given them a straight 5.0 on average. Better known is the {link("Emberyard Fog-Proof", "B0B2LFYGVD")}, 8x42, with 445 ratings at 4.5 stars, but it's $88.99 and would use up about four fifths of your money.

"""
SUM = "\n\nThe four make $97.42, so you are inside your $110 and have $12.58 left. With the Lampwick in place of the Copperline it is $108.42, still inside, by $1.58."
SIZES = "| Size, inches | 32 x 20 | 39 x 20 | 39 x 20 |\n"


def mats(area: str) -> str:
    head = "| | Tallyho Paper [1] | Papershed [2] | Gridline [3] |\n|---|---|---|---|\n"
    rows = "| Price | $52.95 | $75.99 | $88.95 |\n| Per square foot | {} | $14.03 | $16.42 |\n"
    return f"{head}{area}{rows}\n[1] {URL}B0E8918DG3\n[2] {URL}B0RA2DOWL8\n[3] {URL}B0C85Q5MDG"


MEANS = [
    # a sum said beside it by a measure or a count that is said there
    (HOSES + "That is $221.40 for 550 feet, on average {} a foot.", "about 40¢", "about 60¢"),
    (HOSES + "That is $221.40 in all, {} a hose on average.", "$22.14", "$25.14"),
    (PURIFIERS + "Sum $401.97, mean {}.", "$80.39", "$86.39"),
    (ONE_HOSE_EACH + "That makes $65.47 for 150 feet, {} a foot on average.", "44¢", "61¢"),
    # of what is listed with how many there are of each
    (HOSES + "The mean is {}.", "$22.14", "$25.14"),
    (PURIFIERS + "Counted singly the five average {}.", "$80.39", "$86.39"),
    (IN_ITEMS + "An average of {}.", "$80.39", "$86.39"),
    (
        f"- {QUIET}, bought twice, $61.00\n- {SMART}, bought twice, $77.99\n- {LARGE}, bought once, $123.99\n\nAverage per purchase: {{}}.",
        "$80.39",
        "$86.39",
    ),
    (
        f"{LONG} x5 at $23.99, {SHORT} x3 at $18.49, {FLAT} x2 at $22.99, which averages out at {{}} a hose.",
        "$22.14",
        "$25.14",
    ),
    (IN_ROWS + "The mean is {}.", "$80.39", "$86.39"),
]

PARTS = [
    (GEAR + "Sum: $356.94. The kettles are {} of it, 83%." + FAR, "$296.97", "$279.97"),
    (GEAR + "Sum: $356.94. Of that, {} went on kettles." + FAR, "$296.97", "$279.97"),
    # what the other rows, or the amounts before it, leave of a sum that is said
    (f"The six things come to $356.94.\n\n| Group | Number | Sum |\n|---|---|---|\n| Kettles ({KETTLE}, {FAST}) | 3 | $296.97 |\n| Presses ({PRESS}) | 2 | $45.98 |\n| All else | 1 | {{}} |\n", "$13.99", "$19.39"),
    (f"Of $356.94 in all, the kettles ({KETTLE}, {FAST}) take $296.97, the presses ({PRESS}) $45.98. Everything else is {{}}.", "$13.99", "$19.39"),
    (f"Your orders list at $356.94:\n\n- kettles ({KETTLE}, {FAST}): $296.97\n- presses ({PRESS}): $45.98\n- the rest: {{}}\n", "$13.99", "$19.39"),
]  # fmt: skip

SPREAD = [
    (TWO_DAYS + ", four years and about three weeks apart. At $19.99 that is {} a year.", "$4.92", "$7.92"),
    (TWO_DAYS + ", four years and 23 days apart. At $19.99 that is {} a month.", "41¢", "61¢"),
    (f"The {PRUNER} lasted you four years and three weeks. At $19.99 that is {{}} a year.", "$4.93", "$7.92"),
    (f"The {KETTLE} held out four years and eleven days, from 2018-08-01 to 2022-08-12. At $124.99 that makes {{}} a year.", "$31.01", "$41.01"),
    (f"| Product | First | Next | Price | Per year |\n|---|---|---|---|---|\n| {PRUNER} | 2016-04-28 | 2020-05-21 | $19.99 | {{}} |\n| {KETTLE} | 2018-08-01 | 2022-08-12 | $124.99 | $31.01 |\n", "$4.92", "$7.92"),
    (THREE_DAYS + "The gaps are 498 and 552 days, on average 525. At $10.99 a pack that is {} a month.", "about 64¢", "about 94¢"),
    (f"The {SHEETS} came three times, the gaps 498 and 552 days. A pack at $10.99 costs {{}} a month.", "about 64¢", "about 94¢"),
    (f"The {SHEETS}: 498 days for the first box, 552 for the second. At $10.99 a box the second cost you {{}} a month.", "about 61¢", "about 91¢"),
]  # fmt: skip

SIZED = [
    # what is listed further up, called by a word, or of a size that the text says
    (f"{THINGS}The sunscreen is a small tube of 1.7 ounces, easy on the pack. It's {{}} an ounce, so for a family I'd take a bigger bottle: the {TINTED} has 8 ounces for $21.99.{SUM}", "about $5.88", "about $7.38"),
    # of an area, which is a length by a width, and of a measure that is rounded
    (mats(SIZES + "| Area, square feet | 4.44 | 5.42 | 5.42 |\n"), "$11.91", "$14.91"),
    (mats("| Area, square feet | 4.4 | 5.4 | 5.4 |\n"), "$11.91", "$14.91"),
    (mats(SIZES), "$11.91", "$14.91"),
    (f"The {MAT}, $52.95, is 32 x 20 inches, so 4.44 square feet: {{}} a square foot.", "$11.91", "$14.91"),
    (f"The {MAT} is $52.95, or {{}} a square foot.", "$11.91", "$14.91"),
    (f"| Mat | Area | Price | Per sq ft |\n|---|---|---|---|\n| {MAT} | 4.44 sq ft | $52.95 | {{}} |\n| {OTHER_MAT} | 5.42 sq ft | $75.99 | $14.03 |\n", "$11.91", "$14.91"),
    (f"A box of the {SHEETS} is $10.99 and weighs 1.33 pounds, so {{}} a pound.", "$8.27", "$9.27"),
    (f"| Box | Pounds | Price | Per pound |\n|---|---|---|---|\n| {SHEETS} | 1.33 | $10.99 | {{}} |\n", "$8.27", "$9.27"),
]  # fmt: skip


def failed(shop: Shop, text: str, query: str | None = None) -> list[str]:
    found = check_report(Subject(text, query=query, shop=shop))
    return [f"{name}: {one.evidence[0]}" for name, one in found.items() if one.status == "fail"]


@pytest.mark.parametrize(("text", "right", "wrong"), [*MEANS, *PARTS, *SPREAD, *SIZED])
def test_amounts_that_are_right_accuse_nobody_and_their_false_twins_do(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    assert failed(rules_shop, text.format(right)) == []
    assert failed(rules_shop, text.format(wrong)) != []


@pytest.mark.parametrize(
    ("query", "text", "right", "wrong"),
    [
        # two prices are set against each other
        ("was the $62.99 stud finder a bad buy?", f"**Northbeam 5-in-1** ({NORTHBEAM})\n− at $62.99 it lists {{}} above the {CONTRACTOR} ($34.00)", "$28.99", "$38.99"),
        ("A stud finder, at most $62.99?", f"**Northbeam 5-in-1** ({NORTHBEAM})\n− at $62.99 it lists {{}} above the {CONTRACTOR} ($34.00)", "$28.99", "$38.99"),
        # what something costs, or has cost, is no limit of the question
        ("was the $62.99 stud finder a bad buy?", f"The {CONTRACTOR} is $34.00; the other is **$28.99 over**, at {{}} ({NORTHBEAM}).", "$62.99", "$72.99"),
        ("I paid $62.99 for a stud finder. A cheaper one?", f"The {CONTRACTOR} is {{}}; the Northbeam ({NORTHBEAM}) is $28.99 over.", "$34.00", "$44.00"),
        # what is to be spent is one
        ("Something for my $60 budget: a stud finder?", f"The Northbeam ({NORTHBEAM}) at $62.99 is $2.99 {{}} your limit.", "over", "under"),
        ("A stud finder with my $60 gift card?", f"The Northbeam ({NORTHBEAM}) at $62.99 is $2.99 {{}} that.", "over", "under"),
        ("My limit was $60. A stud finder?", f"The Northbeam ({NORTHBEAM}) at $62.99 is $2.99 {{}}.", "over", "under"),
        ("stud finder, $60", f"The Northbeam ({NORTHBEAM}) at $62.99 is $2.99 {{}}.", "over", "under"),
    ],
)  # fmt: skip
def test_a_price_of_a_question_is_no_limit_unless_words_make_it_one(
    rules_shop: Shop, query: str, text: str, right: str, wrong: str
) -> None:
    assert failed(rules_shop, text.format(right), query) == []
    assert failed(rules_shop, text.format(wrong), query) != []
