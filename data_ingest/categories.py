"""The 34 files of Amazon-Reviews-2023, and which of them a recipe means."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from drr.env.errors import Misuse

ALL = (
    "All_Beauty",
    "Toys_and_Games",
    "Cell_Phones_and_Accessories",
    "Industrial_and_Scientific",
    "Gift_Cards",
    "Musical_Instruments",
    "Electronics",
    "Handmade_Products",
    "Arts_Crafts_and_Sewing",
    "Baby_Products",
    "Health_and_Household",
    "Office_Products",
    "Digital_Music",
    "Grocery_and_Gourmet_Food",
    "Sports_and_Outdoors",
    "Home_and_Kitchen",
    "Subscription_Boxes",
    "Tools_and_Home_Improvement",
    "Pet_Supplies",
    "Video_Games",
    "Kindle_Store",
    "Clothing_Shoes_and_Jewelry",
    "Patio_Lawn_and_Garden",
    "Unknown",
    "Books",
    "Automotive",
    "CDs_and_Vinyl",
    "Beauty_and_Personal_Care",
    "Amazon_Fashion",
    "Magazine_Subscriptions",
    "Software",
    "Health_and_Personal_Care",
    "Appliances",
    "Movies_and_TV",
)
EIGHT = (
    "Baby_Products",
    "Beauty_and_Personal_Care",
    "Health_and_Household",
    "Home_and_Kitchen",
    "Office_Products",
    "Patio_Lawn_and_Garden",
    "Pet_Supplies",
    "Tools_and_Home_Improvement",
)
"""The paper's nine phrases read as file names; 8 x 10,000 is its 80k."""
TEN = (*EIGHT, "All_Beauty", "Health_and_Personal_Care")
"""The eight, and the two that make ten: the paper's example product is of All_Beauty."""
NAMED_SETS = {"ten": TEN, "eight": EIGHT}
PRESENT = "all"
"""Stands for every category that lies in the folder."""


def parse_categories(text: str) -> tuple[str, ...] | None:
    """The categories a `--categories` value names, in official order; `None` for all that are there."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    if words == [PRESENT]:
        return None
    chosen: set[str] = set()
    for word in words:
        chosen.update(NAMED_SETS.get(word.casefold()) or (_official(word),))
    if not chosen:
        raise Misuse("--categories: names nothing; give `ten`, `eight`, `all` or names such as Pet_Supplies")
    return in_official_order(chosen)


def in_official_order(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=ALL.index))


def _official(word: str) -> str:
    by_key = {_key(name): name for name in ALL}
    found = by_key.get(_key(word))
    if found:
        return found
    near = [by_key[key] for key in get_close_matches(_key(word), by_key, 3, 0.5)]
    hint = f"did you mean {' or '.join(near)}?" if near else f"the 34 names are {', '.join(sorted(ALL))}"
    raise Misuse(f"--categories: no category {word!r}; {hint}")


def _key(name: str) -> str:
    """`Pet Supplies`, `pet-supplies` and `Pet_Supplies` are one name; `&` is `and`."""
    words = (
        name.casefold().replace("&", " and ").replace(",", " ").replace("_", " ").replace("-", " ").split()
    )
    return " ".join(words)
