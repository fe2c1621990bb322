"""Texts by writers who had never seen the rules: no true text is accused, and what was found of their planted errors is kept.

`round79` to `round84` are mostly running text, which rules leave to a judge; `places1` to `places10` have each error in one of the named
places of docs/judging.md; `long1` to `long18` are reports of 5,000 to 10,000 characters and passages. Floors are what was found when
the rules were written anew; finding one error fewer in the same texts is a loss.
"""

from __future__ import annotations

from collections import Counter

import pytest
from drr.env.shop import Shop

from benchmarks.first_contact import ROUNDS, FirstContact, read_round, run
from tests.sizes import mostly_at_night

FOUND = {"round79": 12, "round80": 14, "round81": 13, "round82": 14, "round83": 12, "round84": 10}
"""Planted errors found, of 60, 60, 60, 62, 60 and 40."""
LONG = dict(
    zip(
        (f"long{number}" for number in range(1, 19)),
        (6, 4, 7, 8, 6, 8, 5, 5, 5, 8, 8, 6, 5, 5, 5, 8, 7, 5),
        strict=True,
    )
)
"""Of 24 each."""
PLACES = {
    "budget": (53, 13),
    "contact_data": (55, 14),
    "hygiene": (58, 17),
    "it_costs": (58, 20),
    "item_price": (64, 20),
    "item_rating": (61, 20),
    "label_price": (63, 19),
    "label_rating": (64, 20),
    "labelled_attribute": (52, 16),
    "made_up_id": (64, 20),
    "name_of_id": (57, 18),
    "order_line": (61, 19),
    "outside_shop": (58, 17),
    "profile": (54, 16),
    "rated_nowhere": (61, 18),
    "repeat_or_markup": (64, 20),
    "row_price": (62, 18),
    "row_rating": (64, 20),
    "total": (56, 16),
}
"""Of 64 each in all ten sets, and of 20 each in the last three, where each kind is in one."""
ACCUSED: dict[str, str] = {}
"""True texts that are accused all the same, and why: none."""


def seen_in(shop: Shop, name: str) -> FirstContact:
    """Read one file; whoever is accused stands in the list."""
    seen = run(shop, read_round(ROUNDS / f"{name}.jsonl"))
    assert [one for one in seen.alarms if one.split()[0] not in ACCUSED] == []
    return seen


@pytest.mark.parametrize("name", mostly_at_night(FOUND, lambda name: name == "round79"))
def test_no_true_text_of_a_round_is_accused(name: str, rules_shop: Shop) -> None:
    seen = seen_in(rules_shop, name)
    assert seen.caught.total() >= FOUND[name], seen.misses


@pytest.mark.parametrize("name", mostly_at_night(LONG, lambda name: name == "long1"))
def test_no_true_long_report_is_accused(name: str, rules_shop: Shop) -> None:
    seen = seen_in(rules_shop, name)
    assert seen.clean["report"] == 12
    assert seen.caught.total() >= LONG[name], seen.misses


@pytest.mark.parametrize(
    "numbers",
    mostly_at_night([(9,), (8, 10), tuple(range(1, 11))], lambda numbers: numbers == (9,)),
    ids=lambda numbers: f"{numbers[0]}-{numbers[-1]}",
)
def test_errors_in_the_named_places_are_found_and_no_true_text_is_accused(
    numbers: tuple[int, ...], rules_shop: Shop
) -> None:
    planted, caught, misses = Counter[str](), Counter[str](), list[str]()
    for number in numbers:
        seen = seen_in(rules_shop, f"places{number}")
        planted += seen.planted
        caught += seen.caught
        misses += seen.misses
    every = len(numbers) == 10
    assert set(planted.values()) == {64 if every else 20} and (not every or set(planted) == set(PLACES))
    floors = {kind: PLACES[kind][0 if every else 1] for kind in planted}
    lost = {kind: (caught[kind], floor) for kind, floor in floors.items() if caught[kind] < floor}
    assert lost == {}, "\n".join(one for one in misses if one.split()[1].rstrip(":") in lost)
