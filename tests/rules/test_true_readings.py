"""Before it is accused, a figure or a word is asked whether any reading makes it true; what no reading explains is accused as before."""

from __future__ import annotations

from collections import Counter

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report
from drr.eval.checks.accusing.reach import ASKED, SELDOM, basket_chance
from drr.eval.checks.accusing.true_readings import MAY_BE_TRUE
from drr.eval.checks.certainty import BARS
from drr.eval.checks.leftover.said import SaidFigure
from drr.eval.tasks import checked

SHOP = "http://ecommerce.example"
QUIET, TIDEWELL, SALT = (f"{SHOP}/{one}" for one in ("B00RVYAAE5", "B08VDHA5O6", "B0XQDY6YFV"))
"""Purifiers: $61.00, 4.6 from 40; $65.99, 4.4 from 80; $77.99, 4.1 from 92; 219 square feet each."""
BLUEPOINT, FOOLSCAP = f"{SHOP}/B0A94B2AAB", f"{SHOP}/B0A38OH74O"
"""Shredders: $33.99, P-5; $110.99, P-4."""
WRENDELL, SPARROWROOT = f"{SHOP}/B01G72RT1S", f"{SHOP}/B0DKS26SVB"
"""$54.99 and $106.99."""
SHEETS_60, SHEETS_160 = f"{SHOP}/B0NQUDH633", f"{SHOP}/B0ZKUKSNAA"
"""$10.99 and $19.99."""
BED = f"{SHOP}/B0IC931BW1"
"""$71.95, 4 x 4 feet."""
SCALE, CLEARAIR = f"{SHOP}/B0YHTPJ4GY", f"{SHOP}/B03K9UBT76"
COOK = "AHV4YBHUV6DK4NSDYZQTJ34VDDSN"
"""Ordered the Hollyline scale 21 times, and 19 things more by its maker; the Clearair one 6 times."""
PETS = "AEKVULKUG3BFCDCDMF4C2TT6ERK5"
"""Ordered a Purrdale fountain on 2022-11-12, and Muddy Otter's in 2018 and 2019."""

TABLE = (
    f"| | [Whitmore Quiet]({QUIET}) | [Tidewell]({TIDEWELL}) | [Salt & Sill]({SALT}) |\n|---|---|---|---|\n| Price | $61.00 | $65.99 | $77.99 |\n"
    "| Room (sq ft) | 219 | 219 | 219 |\n| $ per 100 sq ft | $27.85 | {} | $35.61 |\n"
)
READ = [
    # an amount by a number in sight, for a hundred of it
    ("price", TABLE, "$30.13", "$33.13"),
    # by an area
    ("price", f"The [Bluestem]({BED}), 4 x 4 feet, is $71.95: {{}} a square foot.", "$4.50", "$5.90"),
    # so many of each thing in sight
    (
        "total",
        f"You took the [Foolscap]({FOOLSCAP}) at $110.99 and the [Bluepoint]({BLUEPOINT}) at $33.99, both of them twice. All of it would come to {{}} today.",
        "$289.96",
        "$299.96",
    ),
    # a part of an amount
    (
        "total",
        f"The [Wrendell]({WRENDELL}) at $54.99 is about {{}} more than half of what the [Sparrowroot]({SPARROWROOT}) costs, $106.99.",
        "$1.50",
        "$6.50",
    ),
    # so many times the difference of two costs per unit
    (
        "total",
        f"The [Tidewell sheets]({SHEETS_60}) are $10.99 for 60 loads, the [Harrow]({SHEETS_160}) $19.99 for 160. Over 160 loads the second saves {{}}.",
        "$9.32",
        "$7.32",
    ),
    # what a cost is over a limit that the report names
    (
        "total",
        f"The [Bluepoint]({BLUEPOINT}) and the [Tidewell sheets]({SHEETS_60}) are $44.98 together. If forty is the limit, it does not fit; it is {{}} over.",
        "$4.98",
        "$6.98",
    ),
]
"""Rule, text, a figure that a reading makes true, one that none does."""


def failed(shop: Shop, rule: str, text: str, user_id: str | None = None, query: str | None = None) -> bool:
    return check_report(Subject(text, query=query, user_id=user_id, shop=shop))[rule].status == "fail"


@pytest.mark.parametrize(("rule", "text", "true", "wrong"), READ)
def test_what_amounts_in_sight_come_to_is_not_accused(
    rules_shop: Shop, rule: str, text: str, true: str, wrong: str
) -> None:
    assert not failed(rules_shop, rule, text.format(true))
    assert failed(rules_shop, rule, text.format(wrong))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        # of so many purchases, and two things stand there: which came how often, nobody can say
        (
            f"The [Foolscap]({FOOLSCAP}), $110.99, and the [Bluepoint]({BLUEPOINT}), $33.99, were bought twice or three times. The five purchases come to {{}}.",
            "$400.95",
        ),
        # two prices shared by two
        (
            f"The [Foolscap]({FOOLSCAP}) is $110.99 and the [Bluepoint]({BLUEPOINT}) $33.99. Of a limit of $150 that leaves each of you {{}} to pay.",
            "$72.49",
        ),
        # a price with what is added to it
        (
            f"Wrapping adds four dollars to any: [Foolscap]({FOOLSCAP}) {{}}, and a bow for nothing.",
            "$114.99",
        ),
        # a column of what is left of something
        (
            f"| Shredder | Price | To $150 |\n|---|---|---|\n| [Foolscap]({FOOLSCAP}) | $110.99 | $39.01 |\n| [Bluepoint]({BLUEPOINT}) | $33.99 | {{}} |",
            "$116.01",
        ),
    ],
)
def test_what_may_be_meant_otherwise_is_not_accused(rules_shop: Shop, text: str, wrong: str) -> None:
    assert not any(
        failed(rules_shop, rule, text.format(wrong)) for rule in ("price", "total", "budget", "figures")
    )


BOUGHT = f"The [Foolscap]({FOOLSCAP}), $110.99, and the [Bluepoint]({BLUEPOINT}), $33.99, were bought twice or three times. The five purchases come to {{}}."
ROWS = f"| Shredder | Price |\n|---|---|\n| [Foolscap]({FOOLSCAP}) | $110.99 |\n| [Bluepoint]({BLUEPOINT}) | $33.99 |\n| [sheets]({SHEETS_60}) | $10.99 |\n\nMind the oil, too.\n\nThe three together list at {{}}."


@pytest.mark.parametrize(
    ("text", "true", "wrong"),
    [
        # no five of two prices come to it, however often each is taken
        (BOUGHT, "$323.95", "$341.93"),
        # what is counted stands further up, each once
        (ROWS, "$155.97", "$165.97"),
        # so many of the one thing
        (
            f"The [Bluepoint]({BLUEPOINT}) costs $33.99.\n\nTwo of them, one a floor, come to {{}}.",
            "$67.98",
            "$76.98",
        ),
    ],
)
def test_so_many_of_what_is_in_sight_come_to_a_sum_or_do_not(
    rules_shop: Shop, text: str, true: str, wrong: str
) -> None:
    assert not failed(rules_shop, "total", text.format(true))
    assert failed(rules_shop, "total", text.format(wrong))


def test_a_verdict_on_what_stands_before_too_is_not_accused(rules_shop: Shop) -> None:
    text = f"The [Bluepoint]({BLUEPOINT}), $33.99, and the [sheets]({SHEETS_60}), $10.99. {{}} the [Harrow]({SHEETS_160}) at $19.99 breaks the limit."
    assert not failed(rules_shop, "budget", text.format("With them"), query="up to $50")
    assert failed(
        rules_shop, "budget", f"The [Harrow]({SHEETS_160}) at $19.99 breaks the limit.", query="up to $50"
    )


def test_a_short_name_is_that_of_what_the_text_links(rules_shop: Shop) -> None:
    text = f"The [Hollyline]({SCALE}) and the [Clearair]({CLEARAIR}) are $13.99 each.\n\nYou have ordered the Hollyline {{}} times, the Clearair 6."
    held, doubted = (
        check_report(Subject(text.format(times), user_id=COOK, shop=rules_shop))["order_facts"]
        for times in (21, 27)
    )
    assert any("said 21 of" in one and "it may be true" in one for one in held.evidence)
    assert any("said 27 of" in one and "no other reader" in one for one in doubted.evidence)


def test_a_list_that_goes_on_from_the_last_sentence_is_one(rules_shop: Shop) -> None:
    text = f"The Whitmore [1] is cheaper than the Tidewell [2]. [1] {QUIET} {{}} {TIDEWELL}"
    assert not failed(rules_shop, "citation_hygiene", text.format("[2]"))
    assert failed(rules_shop, "citation_hygiene", text.format("[3]"))


def test_a_row_that_says_by_how_much_it_misses_the_limit_advises_nothing(rules_shop: Shop) -> None:
    rows = f"| Purifier | Price | In? |\n|---|---|---|\n| [Whitmore]({QUIET}) | $61.00 | {{}} |\n| [Tidewell]({TIDEWELL}) | $65.99 | {{}} |"
    query = "air purifiers, each at most $62"
    assert not failed(rules_shop, "budget", rows.format("in", "out, by $3.99"), query=query)
    assert failed(rules_shop, "budget", rows.format("in", "our pick"), query=query)


def test_the_reason_says_what_makes_it_true(rules_shop: Shop) -> None:
    told = check_report(Subject(TABLE.format("$30.13"), shop=rules_shop))["price"]
    assert any(
        "said $30.13" in one and "it may be true, for an amount for 100" in one for one in told.evidence
    )
    assert check_report(Subject(TABLE.format("$30.13"), shop=rules_shop), 0.0)["price"].status == "fail"


HEARTHCAT, PURRDALE = f"{SHOP}/B07CJ41RJW", f"{SHOP}/B0F482D6QE"
ELSE = [
    # stars: so many of several together, a half behind them
    (
        "rating",
        f"The [Whitmore]({QUIET}), the [Tidewell]({TIDEWELL}) and the [Salt & Sill]({SALT}) stand side by side. None of the counts is large: {{}} ratings for all three taken together.",
        "212",
        "312",
    ),
    (
        "rating",
        f"The [Whitmore]({QUIET}) has its {{}} but is white.",
        "4 stars and a half",
        "4 stars and a lamp",
    ),
    # a word of what something is set against
    (
        "product_claims",
        f"You had the Foolscap ({FOOLSCAP}) first. The Bluepoint ({BLUEPOINT}) has the finer security level{{}}.",
        ", P-5 to P-4",
        ", P-4",
    ),
    # two years in one; a day of what was named right before
    (
        "order_facts",
        f"You bought the [Purrdale fountain]({PURRDALE}) in the winter of {{}}.",
        "2022-23",
        "January 2021",
    ),
    # a count of several years
    ("statistics", "I count seven orders of yours {}, not many.", "between 2014 and 2016", "in 2014"),
    # several things before one verb
    (
        "price",
        f"One [Whitmore]({QUIET}), $61.00, is enough. {{}} is $97.13.",
        "One jug, one bag and one Whitmore",
        "The Whitmore",
    ),
    # so many things are in sight, each with one
    (
        "rating",
        f"The [Whitmore]({QUIET}), the [Tidewell]({TIDEWELL}) and the [Salt & Sill]({SALT}) hold 4.6, 4.4 and 4.1. None of the {{}} is low.",
        "three scores",
        "312 scores",
    ),
    # so much more, not so much
    (
        "product_claims",
        f"The [Salt & Sill]({SALT}) is $77.99, the [Whitmore]({QUIET}) $61.00. The first costs {{}} the second.",
        "a quarter as much again as",
        "half as much as",
    ),
    # what has the name is in the catalogue
    (
        "price",
        f"The [Gridline mat]({SHOP}/B0C85Q5MDG) is $88.95. The {{}} at $52.95 is what I would buy.",
        "Tallyho mat",
        "grey mat",
    ),
    # an average of what is in sight
    (
        "price",
        f"The [Whitmore]({QUIET}), the [Tidewell]({TIDEWELL}) and the [Salt & Sill]({SALT}) are $61.00, $65.99 and $77.99. The three average {{}}.",
        "$68.33",
        "$63.38",
    ),
    # by how much two measures differ
    (
        "product_claims",
        f"The [Tidewell]({TIDEWELL}) asks $4.99 more than the [Whitmore]({QUIET}). For that the Tidewell buys {{}} cubic feet a minute.",
        "46",
        "76",
    ),
    # money, and no rating
    (
        "rating",
        f"The [Whitmore]({QUIET}) is $61.00, or {{}}, against $65.99 and 4.4 stars from 80 ratings for the [Tidewell]({TIDEWELL}).",
        "28¢ a foot",
        "312 ratings",
    ),
    # what bills that are handed over leave
    (
        "price",
        f"The [Whitmore]({QUIET}) is $61.00. A fifty and a twenty give you {{}} back.",
        "$9.00",
        "$7.00",
    ),
    # a mark to reach is no rating
    (
        "rating",
        f"The [Whitmore]({QUIET}) is $61.00. It {{}} stars.",
        "is the only one below 4.9",
        "has 4.9",
    ),
    # a rate is no measure
    (
        "product_claims",
        f"The [Foolscap]({FOOLSCAP}) shreds {{}}.",
        "25 sheets to the dollar",
        "25 sheets",
    ),
    # what somebody else's page says
    (
        "rating",
        f"The [Whitmore]({QUIET}) has 4.6 stars from 40 ratings here. {{}} is what a friend read.",
        'Her "4.9 stars from 900 ratings"',
        "Its 4.9 stars from 900 ratings",
    ),
    # a figure that is set against a measure
    (
        "figures",
        f"Swap the tube feeder for the [Calmgate]({SHOP}/B03B10MKCT), $56.99, which {{}}. It is rated 4.6.",
        "holds 6.5 pounds instead of 2.6",
        "has 2.6",
    ),
    # a verdict on a multiple of the limit
    (
        "budget",
        f"The [Foolscap]({FOOLSCAP}) at $110.99 is {{}}.",
        "not far from double your limit",
        "within your limit",
    ),
]
"""Rule, text, words by which it may be true, words by which it is not."""


@pytest.mark.parametrize(("rule", "text", "true", "wrong"), ELSE)
def test_what_words_may_mean_otherwise_is_not_accused(
    rules_shop: Shop, rule: str, text: str, true: str, wrong: str
) -> None:
    query = "a shredder, up to $60"
    assert not failed(rules_shop, rule, text.format(true), PETS, query)
    assert failed(rules_shop, rule, text.format(wrong), PETS, query)


def test_what_many_prices_come_to_by_chance_explains_nothing() -> None:
    said = SaidFigure(0, 7, 289.96, 289.955, 289.965, "money", "289.96", False, "")
    few = basket_chance([110.99, 33.99], [1, 2], said)
    assert few is not None and few <= SELDOM
    many = basket_chance([110.99, 33.99, *(9.99 + 7 * n for n in range(10))], [1, 2], said)
    assert many is not None and many > ASKED
    assert basket_chance([110.99, 33.99], [1, 2], said._replace(low=299.955, high=299.965)) is None
    alone = said._replace(value=33.99, low=33.985, high=33.995)
    assert basket_chance([110.99, 33.99], [1, 2], alone) is None  # an error looks like the price of another


def test_a_count_may_be_of_what_its_sentence_or_its_heading_names(rules_shop: Shop) -> None:
    orders = rules_shop.store.orders(PETS, limit=500).items
    bought = {one.product_id for one in orders}
    made = {one.product_id: one.store for one in rules_shop.store.products([*bought])}
    makers = Counter(made[one.product_id] for one in orders if made.get(one.product_id))
    maker, count = next((name, n) for name, n in makers.most_common() if 3 <= n < len(orders))
    text = "## {}\n\nThose are your true love: {} orders."
    assert not failed(rules_shop, "statistics", text.format(maker, count), PETS)
    assert not failed(rules_shop, "statistics", f"{maker} has your trust, with {count} orders.", PETS)


def test_every_kind_that_is_asked_is_a_kind_of_statement() -> None:
    assert set(BARS) >= MAY_BE_TRUE


def test_other_readings_check_every_report_again(monkeypatch: pytest.MonkeyPatch) -> None:
    before = checked.rules_version(3)
    monkeypatch.setattr("drr.eval.checks.accusing.weighed.READ_BY", 99)
    assert checked.rules_version(3) != before
