"""What stands beside a figure or a name and is of something else: a person's name before his state, a count of the rating before, a cost under its unit."""

from __future__ import annotations

import pytest
from drr.env.entities import User
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report
from drr.eval.checks.person.residence import CITIES
from drr.wording.states import STATES

from benchmarks.planted import Scene

SHOP = "http://ecommerce.example"
QUIET, TIDEWELL = f"{SHOP}/B00RVYAAE5", f"{SHOP}/B08VDHA5O6"
"""Purifiers: 4.6 from 40; 4.4 from 80."""
FOLDAWAY, FOX, STONEPAN = (f"{SHOP}/{one}" for one in ("B0US5UUQJA", "B05NECYZ4Z", "B04AURU7BW"))
"""Kettles: $35.99 and $50.99, of 0.8 liters each; the third has 4 presets, the second 5."""
CALMGATE, ROWANYARD = f"{SHOP}/B03B10MKCT", f"{SHOP}/B0DBQOWFW4"
"""Feeders: $56.99, 4.6 from 51; $52.99, 4.5 from 15."""
PINESHORE = f"{SHOP}/B0A57A3KAJ"
"""A French press."""
OVAL, ROUND = f"{SHOP}/B0Z5GACPUE", f"{SHOP}/B01QX687PY"
"""Dutch ovens: $39.99 for 3.5 quarts, $150.95 for 7.5."""
BOTANARY, KINDRED = f"{SHOP}/B09IFYI4Z6", f"{SHOP}/B00JD5WN2O"
"""Conditioners: $92.99 for 16 ounces, $14.99 for 12."""


def kinds(shop: Shop, text: str, user_id: str | None = None) -> set[str]:
    """The kinds of statements that are accused."""
    checks = check_report(Subject(text, user_id=user_id, shop=shop))
    return {one.kind or "" for check in checks.values() for one in check.accused}


@pytest.fixture
def reader(first_scene: Scene) -> User:
    """Somebody who is called as no town and no state is."""
    taken = CITIES | set(STATES.values())
    return next(one for one in first_scene.users if not taken & {one.first_name, one.last_name})


@pytest.mark.parametrize("name", ["{first} {last}", "{last}", "Mrs {last}"])
def test_the_name_of_the_reader_is_no_town(rules_shop: Shop, reader: User, name: str) -> None:
    state = STATES.get(reader.address.state, reader.address.state)
    called = name.format(first=reader.first_name, last=reader.last_name)
    for said, expected in ((called, False), (f"{called}, Harwick Falls", True), ("Harwick Falls", True)):
        text = f"# Inventory\n\n**Client:** {said}, {state}\n**Pages:** two\n"
        assert ("place" in kinds(rules_shop, text, reader.user_id)) is expected, text


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("4.6 with 40 votes and 4.4 with 80", False),
        ("4.6 with 40 votes, 4.4 with 80", False),
        ("4.4 with 40 votes and 4.6 with 80", True),
        ("4.6 with 40 votes and 4.4 with 87", True),
        ("4.6 with 80 votes and 4.4 with 80", True),
    ],
)
def test_a_count_that_stands_with_one_rating_is_not_given_to_another(
    rules_shop: Shop, said: str, expected: bool
) -> None:
    text = f"Two would do: the [Whitmore]({QUIET}) and the [Tidewell]({TIDEWELL}). Their ratings: {said}."
    assert ("rated_nowhere" in kinds(rules_shop, text)) is expected


@pytest.mark.parametrize("label", ["## Cost per liter\n\n", "**Per liter.** ", "Per liter: "])
def test_amounts_under_a_unit_are_costs_of_it(rules_shop: Shop, label: str) -> None:
    text = (
        f"Both kettles hold 0.8 liters: the [Foldaway]({FOLDAWAY}) at {{}}, the [Drowsy Fox]({FOX}) at $50.99.\n\n"
        f"{label}Foldaway $44.99; Drowsy Fox {{}}. That is all there is to say."
    )
    assert not kinds(rules_shop, text.format("$35.99", "$63.74"))
    assert kinds(rules_shop, text.format("$35.99", "$69.74")) & {"unit_cost", "cost_per_unit"}
    assert "price" in kinds(rules_shop, text.format("$38.99", "$63.74"))


@pytest.mark.parametrize(("label", "expected"), [("Cost per brew", False), ("In the shop", True)])
def test_a_cost_per_something_that_no_record_counts_is_no_price(
    rules_shop: Shop, label: str, expected: bool
) -> None:
    """Under that heading $54.99 is the price of nothing; under another one it is."""
    text = f"Both hold 0.8 liters.\n\n## {label}\n\n- [Foldaway]({FOLDAWAY}): $35.99\n- [Drowsy Fox]({FOX}): $54.99\n"
    assert ("price" in kinds(rules_shop, text)) is expected


def test_a_heading_speaks_of_its_own_section(rules_shop: Shop) -> None:
    text = (
        f"# Kettles\n\n## Cost per liter\n\nThe [Foldaway]({FOLDAWAY}) costs $44.99.\n\n"
        f"## What they are\n\n- [Drowsy Fox]({FOX}): {{}}\n"
    )
    assert not kinds(rules_shop, text.format("$50.99"))
    assert "price" in kinds(rules_shop, text.format("$57.99"))


@pytest.mark.parametrize(
    ("head", "expected"),
    [("Presets", True), ("Times", False), ("Your orders", False), ("Cupboards", False)],
)
def test_a_bare_figure_is_a_property_where_its_column_names_one(
    rules_shop: Shop, head: str, expected: bool
) -> None:
    table = (
        f"| Kettle | {head} |\n|---|---|\n| [Stonepan]({STONEPAN}) | 4 |\n| [Drowsy Fox]({FOX}) | {{}} |\n"
    )
    assert ("measure" in kinds(rules_shop, table.format(8))) is expected
    assert "measure" not in kinds(rules_shop, table.format(5))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("51 ratings against the other's 15", False),
        ("51 ratings to that one's 15", False),
        ("57 ratings against the other's 15", True),
    ],
)
def test_of_two_numbers_of_ratings_each_is_of_its_own(rules_shop: Shop, said: str, expected: bool) -> None:
    seed = "Safflower is a seed that cardinals like and that squirrels leave alone, so it goes with a feeder that shuts under their weight. "
    text = (
        f"# Birds at the window\n\n- [Calmgate feeder]({CALMGATE}), $56.99\n\n## On seed\n\n{seed * 12}\n\n## On the feeder\n\nBoth hold the same. "
        f"The feeder above (4.6) is $4.00 dearer than the Rowanyard ({ROWANYARD}, $52.99, 4.5), yet it has {said}.\n\n## On cakes\n\nThose are for the winter.\n"
    )
    assert bool(kinds(rules_shop, text) & {"left_raters", "stars", "rated_nowhere"}) is expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Pineshore's press ({})", False),
        ("Loafwell's press costs four cents less than the [Pineshore]({})", False),
        ("Loafwell's press is all but as dear as the [Pineshore]({})", False),
        ("Loafwell's press ({})", True),
        ("Loafwell's press with its spare screens ({})", True),
    ],
)
def test_somebodys_thing_is_shown_by_the_link_right_behind_it(
    rules_shop: Shop, said: str, expected: bool
) -> None:
    text = f"For one cup at a time a press will do. {said.format(PINESHORE)}, and that is that."
    assert ("name" in kinds(rules_shop, text)) is expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("holds less than half as much", False),
        ("holds less than a fifth as much", True),
        ("costs about a quarter as much", False),
        ("costs about half as much", True),
    ],
)
def test_what_holds_half_as_much_is_half_as_large(rules_shop: Shop, said: str, expected: bool) -> None:
    text = f"Two pots of enamel. The [Stonepan]({OVAL}) {said} as the [Thistlegate]({ROUND})."
    assert bool(kinds(rules_shop, text) & {"multiple", "ratio"}) is expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [("more than twice", False), ("just over twice", True), ("more than five times", True)],
)
def test_more_than_so_many_times_is_so_by_however_much(rules_shop: Shop, said: str, expected: bool) -> None:
    """The one costs 3.77 times the other."""
    text = f"Two pots of enamel. The [Thistlegate]({ROUND}) is {said} as dear as the [Stonepan]({OVAL})."
    assert bool(kinds(rules_shop, text) & {"multiple", "ratio"}) is expected


def test_so_many_times_as_dear_may_be_said_of_costs_per_unit(rules_shop: Shop) -> None:
    text = (
        f"A [Botanary conditioner]({BOTANARY}), 16 ounces, is $92.99. That is $5.81 an ounce. A [Kindred Curl]({KINDRED}), 12 ounces, is $14.99, or $1.25. "
        "Ounce for ounce the Botanary is more than {} times as dear."
    )
    assert not kinds(rules_shop, text.format("four"))
    assert "multiple" in kinds(rules_shop, text.format("seven"))


@pytest.mark.parametrize(
    ("joint", "fails"), [("), {other}", False), ("]; {other}", False), (" is the {other}", True)]
)
def test_what_stands_behind_an_id_in_parentheses_is_the_next_thing(
    rules_shop: Shop, joint: str, fails: bool
) -> None:
    """`Salt & Sill Folding $10.00 (B0KXQHSWKV), Loafwell Backlit $10.99 (B0ARX9NTLX)`."""
    head = "" if fails else "Salt & Sill Folding $10.00 " + ("[" if "]" in joint else "(")
    text = f"{head}B0KXQHSWKV{joint.format(other='Loafwell Backlit')} $10.99 (B0ARX9NTLX)."
    check = check_report(Subject(text, shop=rules_shop))["name_matches_id"]
    assert (check.status == "fail") is fails, check.evidence


@pytest.mark.parametrize(
    ("owned", "accused"),
    [("your October order", True), ("your Monday order", True), ("your Truemere order", False)],
)
def test_a_month_behind_your_is_nobodys_name(rules_shop: Shop, owned: str, accused: bool) -> None:
    text = f"The [Fox]({FOX}) ($50.99) of {owned} costs three times as much as the [Foldaway]({FOLDAWAY}) ($35.99)."
    assert bool({"ratio", "multiple"} & kinds(rules_shop, text)) is accused
