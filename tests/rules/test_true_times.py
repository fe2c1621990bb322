"""When a reader ordered, and how often in which time, in words that were once read as days or counts of something else: true with the first words, false with the others."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop

from tests.rules.test_true_orders import CLERK, check

SHOP = "http://ecommerce.example"
GARDENER = "AFH3MH30LZACC7NA63IWBFDQB0W7"
"""18 orders, none of 2022; two pairs of shears."""
TOOLS = "AHF5FVFVVLUX9DL2P5R5TMJX2ZBJ"
"""37 orders, three of them kits for caulk; one of these by Copperline Tools."""
PACER = "AFH8DLIGEQGE6U25PDVLI1PL946J"
"""24 orders from December 2010 to June 2023, in eleven of these years."""

CUSHION, MAT, FIRST_MAT, TREE, DRIVERS = (
    f"({SHOP}/{one})" for one in ("B0ZVLBM4AX", "B0RA2DOWL8", "B0C85Q5MDG", "B0AAUL4CY2", "B05E0VBWYW")
)
SINCE = f"You bought the [Deskwright cushion]{CUSHION} on {{}}. Since October 1, 2020 you've placed seven of your 15 orders."
FROM_2015 = f"Between 2015 and 2018 you ordered {{}} times, starting with the [Deskwright cushion]{CUSHION} (March 14, 2015)."
NEEDED = f"You ordered the [Papershed mat]{MAT} on {{}}. At one every seven months you would have needed another around February 2022."
BREAK = f"The [Rivetworks screwdrivers]{DRIVERS} came on {{}}. In 2019 you took a year off."
LATER = f"After the [Whiskerwell cat tree]{TREE} of May 31, 2022 you've ordered two more times: dry erase markers {{}} later and a cushion in December."
FOLLOWED = f"Your first Office Products order was the [Gridline mat]{FIRST_MAT} on August 22, 2014; {{}} more have followed, the latest on December 10, 2022."
REST = "Office Products is your main category with 8 of 15 orders (53%); Pet Supplies follows with 2, and the rest comes to {}."
SHEARS = f"The [Finchfield shears]({SHOP}/B07JUYP0MA) date from August 10, 2018; the [Bluestem pair]({SHOP}/B09ACHD7U0) from May 5, 2021. Both have excellent averages, 4.9 from {{}} ratings and 5.0 from 61."
PAUSE = f"Your longest pause was {{}} days, from August 31, 2018 (Rivetworks screwdrivers) to February 26, 2020 ([a baby tub]({SHOP}/B0RM7MVYPO))."
PRECEDE = f"{{}} orders precede the [Uprightly laptop stand]({SHOP}/B0AY6P3ZGC) of February 2, 2021."
LAST_TWO = (
    f"Your first order was the [Gridline mat]{FIRST_MAT} in August 2014, your last two were placed in {{}}."
)
KITS = f"Yes: Dalenest (December 2018), [Plumbright]({SHOP}/B0IQ2XHKRE) (July 2021) and Copperline ({{}}). Only the Plumbright has a price, $23.00."

PAIRS = [
    # a day from which orders are counted, and a stretch of time, need hold no order
    ("order_facts", CLERK, SINCE, ["December 10, 2022"], ["October 10, 2022", "December 10, 2020"]),
    ("order_facts", CLERK, FROM_2015, ["five"], ["eight", "nine"]),
    ("statistics", CLERK, "In the first half of 2021 you placed {} orders.", ["two"], ["five"]),
    ("order_facts", CLERK, BREAK, ["August 31, 2018"], ["August 31, 2017", "August 13, 2018"]),
    # what would be, and what the reader is said to think
    ("order_facts", CLERK, NEEDED, ["July 28, 2021"], ["July 28, 2019", "July 18, 2021"]),
    ("statistics", CLERK, "You mention ten orders, but your record has {} orders.", ["15"], ["18", "25"]),
    # what a bracket behind a count lists is not what it is of
    ("order_facts", CLERK, "2021: {} orders (laptop stand in February, shredder in May, desk mat in July).", ["three"], ["five"]),
    # from what is linked to another kind; more than what was named; what is left
    ("order_facts", CLERK, LATER, ["five weeks"], ["nine weeks"]),
    ("order_facts", CLERK, FOLLOWED, ["seven"], ["twelve"]),
    ("order_facts", CLERK, REST, ["5"], ["9"]),
    ("order_facts", PACER, "From Christmas Eve 2010 to June 16, 2023, so twelve and a half years; your orders fall in {} of them.", ["eleven"], []),
    ("figures", CLERK, PAUSE, ["544"], []),
    ("order_facts", TOOLS, KITS, ["September 2022"], ["September 2021"]),
    # what stands before a day, of a category in a year, behind a colon, and among the last of all
    ("order_facts", CLERK, PRECEDE, ["Eight"], ["Eleven"]),
    ("statistics", GARDENER, "In 2021, {} of your three orders were Patio, Lawn and Garden.", ["two"], ["eleven"]),
    ("statistics", CLERK, "Office Products eight, Pet Supplies two: {} orders of your 15.", ["ten"], ["twelve"]),
    ("order_facts", CLERK, LAST_TWO, ["July 2022 and December 2022"], ["August 2022 and December 2022", "July 2022 and November 2022"]),
    ("statistics", CLERK, "Years with exactly two orders: 2015, 2017. The years with three make {} of your 15 orders.", ["nine"], []),
    ("rating", GARDENER, SHEARS, ["74"], ["47"]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "user_id", "text", "right", "wrong"), PAIRS)
def test_true_times_and_counts_accuse_nobody_and_their_false_twins_do(
    rules_shop: Shop, rule: str, user_id: str, text: str, right: list[str], wrong: list[str]
) -> None:
    for words in right:
        assert check(rules_shop, text.format(words), user_id) == {}
    for words in wrong:
        assert rule in check(rules_shop, text.format(words), user_id), words
