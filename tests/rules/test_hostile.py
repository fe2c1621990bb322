"""A text made to be slow ends, and no text breaks a rule. A limit of the CPU guards against a hang; nothing is timed."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from asked import DIFFUSER, LA, LB, READER, WEB, A, checked
from drr.env.shop import Shop
from drr.eval.checks import RULES, document
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from benchmarks.first_contact import ROUNDS, FirstContact, read_round, run
from tests.sizes import examples, mostly_at_night

ROOT = Path(__file__).parent.parent.parent
SECONDS = 60
"""For all of a run, far above what they take; a quadratic expression takes minutes, an exponential one for ever."""
SLOW_ONCE = {
    "empty lines before no greeting": ("", "\n", ""),
    "lines of blanks before no greeting": ("", "\n \t", ""),
    "marks at the beginning of lines": ("", "\n> *_", ""),
    "blanks behind a place's cue": ("Your location", " ", "x"),
    "empty lines behind a place's cue": ("This is where you live", "\n", "x"),
    "stars behind a greeting": ("Hello", "*", "x"),
    "blanks behind a number's cue": ("All your orders", " ", "x"),
    "blanks behind an order's cue": ("Your order", " ", "x"),
    "years of an order": ("You bought it: the ", "2020 ", "x"),
    "years and ordinals of an order": ("You ordered the ", "past 2020 ", "x"),
    "blanks behind a quantity": ("You bought it, quantity", " ", "x"),
    "blanks in a rule of a table": ("| a | b |\n| --", " ", "x\n| 1 | 2 |"),
    "cells of a rule of a table": ("| a | b |\n", "|--", "x\n| 1 | 2 |"),
    "blanks behind a heading's amount": ("# Plan $20", " ", "+\n- A Heavy Iron Feeder $20"),
    "a name of capitals and hyphens": (LA + " is an ", "A-", "!"),
    "brackets beside a product": (LA + " is in ", "[", "!"),
    "blanks behind a name": ("- Heavy Iron", " ", "x " + LA),
    "blanks behind a rating's cue": (LA + " is rated", " ", "x"),
    "stars behind a material's cue": (LA + " material", "*", "x"),
    "amounts without an end": ("", "$1,", ""),
    "shares of amounts without an end": ("", "5% of $20, ", ""),
    "blanks inside an offer": ("- Heavy Iron", " ", "x for $20"),
    "rules of a page": ("", "---\n", ""),
    "stars of a page": ("", "* * *\n", ""),
    "returns": ("", "\r\n", ""),
    "openings of a link": ("", "[](", ""),
    "openings of a mark": ("", "【", ""),
    "small tables": ("", "| A | $3 |\n|---|---|\n| Total | $3 |\n", ""),
    "totals of a table": ("", "| Total | $3 |\n", ""),
    "phases": ("", "## Phase 1: $120\n- A $100\n", ""),
    "quotations": ("", '"a b c d e f g h" [x](http://a.org). ', ""),
    "blanks before a link": ("", " ", f"x {LA}"),
    "totals of a list": ("", "- A: $3\n- Total: $3\n", ""),
    "bills": ("", "- Feeder: $20.00\n- House: $15.00\n- Total: $35.00\n\n", ""),
    "totals within a limit": ("", "Total: $35.00 within your $60\n", ""),
    "ids in one line": ("", f"{DIFFUSER} ", ""),
    "prices behind links in one line": ("", f"{LA}. It costs $17.95. ", ""),
    "prices behind marks in one line": ("", "Name [1], $17.95. ", f"\n\n[1] Name: {A}"),
    "marks without an entry": ("", "[2]. [3]. [4]. ", ""),
    "somebody spoken to": ("", "They are, Chad: fine. ", ""),
}
"""What was slow before the rules were written anew."""
HEAD = "| Item | Price | Rating | Ratings |\n|---|---|---|---|\n"
PLACES = {
    "rows": (HEAD, f"| {LA} | $17.95 | 4.3 | 71 |\n", ""),
    "products as columns": (f"| | {LA} | {LB} |\n|---|---|---|\n", "| Price | $17.95 | $11.99 |\n", ""),
    "keyed tables": ("", f"### {LA}\n\n| Field | Value |\n|---|---|\n| Price | $17.95 |\n| Capacity | 300 ml |\n\n", ""),
    "items": ("", f"- {LA}, $17.95, 4.3 stars (71 ratings)\n", ""),
    "parentheses": ("", f"Take {LA} ($17.95, 4.3 stars) or {LB} ($11.99).\n", ""),
    "labels": ("", f"**{LA}**\n\n- Price: $17.95\n- Rating: 4.3 (71 ratings)\n\n", ""),
    "labels of one product": (f"**{LA}**\n\n", "- Price: $17.95\n", ""),
    "sentences behind": ("", f"{LA}. It costs $17.95.\n", ""),
    "marks": ("", "Brightpulse Ultrasonic Essential Oil Diffuser [1], $17.95.\n", f"\n## Sources\n\n[1] Brightpulse diffuser: {A}\n"),
    "stars and counts": ("", "One has 4.3 stars from 71 ratings.\n", ""),
    "rows of a bill": ("| Item | Qty | Cost |\n|---|---|---|\n", "| Feeder | 2 | $20.00 |\n", "| Total | | $40.00 |\n"),
    "items of a bill": ("", "- Feeder: $20.00\n", "- Total: $40.00\n"),
    "sums": ("", "$19.00 + $12.50 = $31.50.\n", ""),
    "one sum": ("", "$19.00 + ", "$3 = $31.50"),
    "what is left": ("- A: $3\n- B: $3\n- Total: $6, ", "leaving $54.00 of your $60 ", ""),
    "orders": ("", f"- Order 4517698977967507 (2023-08-19): {LA}, Delivered\n", ""),
    "figures of all orders": ("", "- Total orders: 139\n", ""),
    "greetings": ("", "Hello Chad,\n", ""),
    "names and places": ("", "Name: Chad Williams\nLocation: Jersey City, NJ 07351\n", ""),
    "others": ("", "Brian Lee of Montgomery, 4009 Christine Haven, brian.lee.g8ni9jf@post.example.\n", ""),
    "paragraphs": ("", "The first thing to look at is how the feeder keeps the seed dry, because wet seed spoils within a few days.\n\n", ""),
    "ids": ("", f"{DIFFUSER} `{DIFFUSER}` BOI00OI1LO\n", ""),
    "other shops": ("", "Not at Walmart, says Amazon, so [a](https://www.ebay.com/itm/1).\n", ""),
    "figures of a page": ("", "An oven is $1,300, 62% of all [1].\n", f"\n## Sources\n\n[1] A page: {WEB}\n"),
    "steps of a model": ("", '<think {"a": [12-3] Thought: \n', ""),
}  # fmt: skip
"""Each place that is read, over and over."""
RUN = """
import json, sys
from drr.env.settings import resolve
from drr.env.shop import open_shop
from drr.eval.checks import Subject, check_report

with open_shop(sys.argv[1], resolve({}, environ={}).settings) as shop:
    for name, text in json.load(sys.stdin).items():
        subject = Subject(
            text, query="A plan under $300", user_id=sys.argv[2], shop=shop, returned=frozenset(), texts={sys.argv[3]: "It is so."}
        )
        check_report(subject)
        print(name, flush=True)
"""


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def all_end(shop: Shop, forms: dict[str, tuple[str, str, str]], length: int) -> None:
    texts = {
        name: before + repeated * (length // len(repeated)) + behind
        for name, (before, repeated, behind) in forms.items()
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN, shop.spec, READER, WEB],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        cwd=ROOT,
        preexec_fn=limited,
        check=False,
    )
    assert done.stdout.splitlines() == list(forms), done.stderr[-2000:]
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.long
def test_every_text_that_was_slow_once_ends(rules_shop: Shop) -> None:
    all_end(rules_shop, SLOW_ONCE, 12_000)


@pytest.mark.long
def test_every_place_over_and_over_ends(rules_shop: Shop) -> None:
    all_end(rules_shop, PLACES, 20_000)


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES)
def test_a_megabyte_of_one_place_ends(rules_shop: Shop, place: str) -> None:
    all_end(rules_shop, {place: PLACES[place]}, 1_000_000)


PIECES = [
    "\n", "\n\n", "| ", "|---|---|\n", "- ", "1. ", "**", "# ", "[1]", "[^2] ", "[1]: ", "…\n", "\t", "(", ")", ". ", "It ", "This one is ",
    LA, LB, A, f"{DIFFUSER} ", "B0ABCDEFGH ", f"`{DIFFUSER}`", f"<{WEB}>", "http://ecommerce.example/ ", f"user://{READER}/orders/1 ",
    "$17.95 ", "\\$3 ", "$1,000,000,000,000 ", "4.3 stars ", "(71 ratings) ", "★ ", "Price: ", "Rating", "Total: ", "Budget ", "left ", "under ",
    "2 x ", " + ", " = ", "costs ", "each ", "order 4517698977967507 ", "2023-08-19 ", "March 32, 0000 ", "Delivered ", "Total orders: ",
    "Hello Chad,", "Chad ", "Jersey City, NJ 07351", "brian.lee.g8ni9jf@post.example ", "001-334-555-0177 ", "4111 1111 1111 1111 ",
    "Walmart ", "<think>", '{"a": ', "## Sources\n", "not ", "\x00", "\ud800", "\u202e", "İ", "٣", "é" * 9, "word ", '"a b c d e f g h" ',
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join), st.booleans(), st.booleans())
@examples(200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_breaks_a_rule(rules_shop: Shop, report: str, in_shop: bool, with_user: bool) -> None:
    known = {"shop": rules_shop} if in_shop else {"shop_urls": ("http://ecommerce.example",)}
    query = "under $30, each under $3, $5 a month for two months"
    found = checked(
        report, query=query, user_id=READER if with_user else None, texts={WEB: "It is so."}, **known
    )
    assert list(document(found)) == list(RULES)
    for one in found.values():
        assert one.status in ("pass", "fail", "unverifiable")
        assert (one.status == "fail") is bool(one.findings)
        assert all(0 <= low <= high <= len(report) for (low, high), _ in one.findings)
        assert one.status != "unverifiable" or (len(one.remarks) == 1 and " " not in one.remarks[0])


@pytest.mark.long
@given(st.text(max_size=400))
@examples(100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_signs_break_a_rule(rules_shop: Shop, report: str) -> None:
    found = checked(report, shop=rules_shop, user_id=READER, query=report, returned=frozenset())
    assert list(document(found)) == list(RULES)


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
STRANGE_PLACES = {
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
    assert set(planted.values()) == {64 if every else 20} and (
        not every or set(planted) == set(STRANGE_PLACES)
    )
    floors = {kind: STRANGE_PLACES[kind][0 if every else 1] for kind in planted}
    lost = {kind: (caught[kind], floor) for kind, floor in floors.items() if caught[kind] < floor}
    assert lost == {}, "\n".join(one for one in misses if one.split()[1].rstrip(":") in lost)
