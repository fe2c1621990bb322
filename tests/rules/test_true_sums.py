"""What things come to by the piece, over a time and with shares taken off: each text is true with the first words and false with the second."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from test_money import A, B, C
from test_true_money import EIGHT, TWELVE, failed

PAIRS = [
    # so many packs hold so many
    (None, f"Two boxes of the [Truehaven refills]({TWELVE}) cost {{}} for 24 refills. One [Mellow Moth]({EIGHT}) is $17.99 for eight.", "$63.98", "$73.98"),
    # markers side by side are of all that stands before them or behind them, and of no single one
    (None, f"Mean of the two [1][2]: {{}}. The red one is $11.99, the diffuser $17.95.\n\n[1] {B}\n[2] {A}", "$14.97", "$19.97"),
    # a range is of both its ends
    (None, f"You'd need {{}} more to go from the cheapest one here to the dearest ($11.99 to $24.95, [red]({B}) to [black]({C})); the [diffuser]({A}) at $17.95 lies between.", "$12.96", "$15.96"),
    # what comes back of a larger note is no price
    (None, f"With change from fifteen you can have the [red one]({B}), {{}}. With change from twenty, a [diffuser]({A}), and $2.05 back.", "$11.99", "$13.49"),
    # under a head that says a share stand prices with the share
    ("12% off sunscreen", f"| Product | List price | With your 12% |\n|---|---|---|\n| [Diffuser]({A}) | $17.95 | $15.80 |\n| [Black one]({C}) | $24.95 | {{}} |", "$21.96", "$19.96"),
    # under a head that says a time stand costs over the time, at its pace
    (None, f"| Refills | Count | Price | Per month (2 a week) |\n|---|---|---|---|\n| [Truehaven]({TWELVE}) | 12 | $31.99 | $22.85 |\n| [Mellow Moth]({EIGHT}) | 8 | {{}} | $19.27 |", "$17.99", "$15.99"),
    # what is taken off in words
    ("Black Friday 10%", f"Should prices fall by a tenth, the [diffuser]({A}) would come down to $16.16, the [black one]({C}) to $22.46. Now they are {{}} and $24.95.", "$17.95", "$19.95"),
    # the cost of one time comes to that of another
    (None, f"The refills ({TWELVE}) are $2.67 a bag, the others ({EIGHT}) {{}}. At three bags a week the two differ by about $1.26 weekly, or $65.52 a year.", "$2.25", "$3.25"),
    # a limit in words
    ("A thermometer, about a hundred, not more than $20.", f"The [black one]({C}) at $24.95 breaks your $20 by {{}}, and is $75.05 below the hundred.", "$4.95", "$6.95"),
    # the label of what is listed behind it
    ("things by price", f"By price: **under $15** [the red one]({B}) and [another]({B}), $23.98 together; **$17 to $20** [diffuser]({A}), {{}}; **over $20** [black one]({C}), $24.95. Everything: $66.88.", "$17.95", "$19.95"),
    # a verdict on some of what is listed behind it
    ("What fits $15?", f"One of these two fits $15: the [diffuser]({A})? No, {{}} is $2.95 too much.", "$17.95", "$19.95"),
    # links in one parenthesis are of all that stands before it
    (None, f"Going from the red one to the diffuser costs $5.96, from there to the black one another seven dollars ([red]({B}) → [diffuser]({A}) → [black]({C})), {{}} in all.", "$12.96", "$15.96"),
    # what a dollar buys
    (None, f"What $1 buys: 0.38 refills ([Truehaven]({TWELVE}), {{}}), 0.44 refills ([Mellow Moth]({EIGHT}), $17.99).", "$31.99", "$35.99"),
    # what is handed over may be several notes
    ("A gadget; I have two tens.", f"Suppose you pay with two tens. The [diffuser]({A}) costs {{}} and hands you $2.05 back; for the [black one]({C}) you'd have to dig out another $4.95.", "$17.95", "$15.95"),
    # a cost with a link of its own behind it is of that, and not of the price before it
    (None, f"Per piece it's $17.95 ([diffuser]({A})), $2.67 ([Truehaven]({TWELVE})), {{}} ([Mellow Moth]({EIGHT})).", "$2.25", "$3.25"),
    # a share is added to several things together
    ("Both with 9% tax?", f"With tax at 9%, as you gave it, a $17.95 [diffuser]({A}) becomes $19.57, and a $24.95 [thermometer]({C}) $27.20. Both: {{}}.", "$46.76", "$56.76"),
    # a column of what others differ by
    (None, f"| Refills | Price | Count | Each | Extra vs. Mellow Moth each |\n|---|---|---|---|---|\n| [Mellow Moth]({EIGHT}) | $17.99 | 8 | {{}} | |\n| [Truehaven]({TWELVE}) | $31.99 | 12 | $2.67 | $0.42 |", "$2.25", "$2.75"),
    # a head that says a pace and a time
    (None, f"| | Refills | Price | Each | 2 a week, 30 weeks |\n|---|---|---|---|---|\n| [Mellow Moth]({EIGHT}) | 8 | {{}} | $2.25 | $134.93 |\n| [Truehaven]({TWELVE}) | 12 | $31.99 | $2.67 | $159.95 |", "$17.99", "$19.99"),
    # a mean is no price of what it is of
    (None, f"- Least: [red]({B}), {{}}\n- Most: [black]({C}), $24.95\n- Mean of all three (with the [diffuser]({A})): $18.30", "$11.99", "$13.99"),
    # a verdict on each of those that are summed
    ("Gadgets under $20 for each", f"The [red one]({B}) first, the [diffuser]({A}) at $17.95 second. Together they come to {{}}; each is inside your limit.", "$29.94", "$39.94"),
    # of costs the smaller one may be the one ahead
    (None, f"[Mellow Moth]({EIGHT}) ({{}} for 8) is the cheapest by the piece at about $2.25, ahead of the [Truehaven]({TWELVE})'s $2.67.", "$17.99", "$19.99"),
    # what stands in an aside is held against nothing
    (None, f"A [diffuser]({A}) came (July 17), less than three weeks later the [red one]({B}), {{}}.", "$11.99", "$13.99"),
    # what is missing of the money at hand is no difference of two things
    ("A gadget; I have a ten.", f"For the [diffuser]({A}) a twenty does it ({{}} back); for the [red one]({B}) you'd need to find two dollars more than your ten.", "$2.05", "$4.95"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "text", "right", "wrong"), PAIRS)
def test_costs_that_are_right_accuse_nobody_and_their_false_twins_do(
    rules_shop: Shop, query: str | None, text: str, right: str, wrong: str
) -> None:
    assert failed(rules_shop, text.format(right), query) == []
    assert failed(rules_shop, text.format(wrong), query) != []
