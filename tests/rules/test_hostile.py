"""A text made to be slow ends, and no text breaks a rule. A limit of the CPU guards against a hang; nothing is timed."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path

import asked
import pytest
from asked import DIFFUSER, LA, LB, READER, WEB, A, checked
from drr.env.shop import Shop
from drr.eval.checks import RULES, document
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from benchmarks.first_contact import ROUNDS, FirstContact, read_round, run
from tests.cases import cases
from tests.sizes import examples, mostly_at_night

ROOT = Path(__file__).parent.parent.parent
SECONDS = 60
"""For all of a run, far above what they take; a quadratic expression takes minutes, an exponential one for ever."""
SLOW_ONCE = cases("rules", "SLOW_ONCE", vars(asked), globals())
"""What was slow before the rules were written anew."""
HEAD = "| Item | Price | Rating | Ratings |\n|---|---|---|---|\n"
PLACES = cases("rules", "PLACES", vars(asked), globals())
"""Each place that is read, over and over."""
RUN = """
import json, sys
from drr.env.settings import resolve
from drr.env.shop import open_shop
from drr.eval.checks import check_report
from drr.eval.checks.base import Subject

with open_shop(sys.argv[1], resolve({}, environ={}).settings) as shop:
    for name, text in json.load(sys.stdin).items():
        subject = Subject(
            text, query="A plan under $300", user_id=sys.argv[2], shop=shop, returned=frozenset()
        )
        check_report(subject)
        print(name, flush=True)
"""


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def all_end(shop: Shop, forms: dict[str, tuple[str, str, str]], length: int) -> None:
    parts = {
        name: (before, again * (length // len(again)), end) for name, (before, again, end) in forms.items()
    }
    told = json.dumps({name: "".join(text) for name, text in parts.items()})
    words = [sys.executable, "-c", RUN, shop.spec, READER]
    done = subprocess.run(words, input=told, capture_output=True, text=True, cwd=ROOT, preexec_fn=limited)
    assert done.stdout.splitlines() == list(forms), done.stderr[-2000:]
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.long
def test_every_text_that_was_slow_once_ends(rules_shop: Shop) -> None:
    all_end(rules_shop, SLOW_ONCE, 12_000)


LONG_ONCE = {
    "ids in one line": ("", f"{DIFFUSER} $17.95, ", ""),
    "values behind a link": (f"{LA} ", "$17.95, 4.3 stars, ", ""),
    "totals of lines": ("", "- A thing, $5.99\n- **Total:** $5.99\n", ""),
    "links in an item": ("- All\n", f"  - {LA}\n", ""),
}
"""What takes minutes at this length where each line or value is read with all others."""


@pytest.mark.long
def test_a_long_report_ends(rules_shop: Shop) -> None:
    all_end(rules_shop, LONG_ONCE, 250_000)


@pytest.mark.long
def test_every_place_over_and_over_ends(rules_shop: Shop) -> None:
    all_end(rules_shop, PLACES, 20_000)


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES)
def test_half_a_megabyte_of_one_place_ends(rules_shop: Shop, place: str) -> None:
    all_end(rules_shop, {place: PLACES[place]}, 500_000)


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
    known |= {"query": "under $30, each under $3, $5 a month for two months"}
    found = checked(report, user_id=READER if with_user else None, **known)
    assert list(document(found)) == list(RULES)
    for one in found.values():
        assert one.status in ("pass", "fail", "remark", "unverifiable")
        assert (one.status in ("fail", "remark")) is bool(one.findings)
        assert all(0 <= low <= high <= len(report) for low, high in (found.span for found in one.findings))
        assert one.status != "unverifiable" or (len(one.remarks) == 1 and " " not in one.remarks[0])


@pytest.mark.long
@given(st.text(max_size=400))
@examples(100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_signs_break_a_rule(rules_shop: Shop, report: str) -> None:
    found = checked(report, shop=rules_shop, user_id=READER, query=report, returned=frozenset())
    assert list(document(found)) == list(RULES)


FOUND = {"round79": 11, "round80": 12, "round81": 11, "round82": 14, "round83": 8, "round84": 8}
"""Planted errors found, of 60, 60, 60, 62, 60 and 40."""
_LONG = (4, 1, 3, 2, 3, 6, 3, 1, 3, 4, 3, 2, 2, 1, 3, 2, 3, 2)
LONG = {f"long{number}": found for number, found in enumerate(_LONG, 1)}
"""Of 24 each: 48 in all, 65 before an order's day was held to labels that call it the order's."""
STRANGE_PLACES = cases("rules", "STRANGE_PLACES")
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
    assert (seen.caught + seen.remarked).total() >= FOUND[name], seen.misses


@pytest.mark.parametrize("name", mostly_at_night(LONG, lambda name: name == "long1"))
def test_no_true_long_report_is_accused(name: str, rules_shop: Shop) -> None:
    seen = seen_in(rules_shop, name)
    assert seen.clean["report"] == 12
    assert (seen.caught + seen.remarked).total() >= LONG[name], seen.misses


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
        caught += seen.caught + seen.remarked
        misses += seen.misses
    every = len(numbers) == 10
    assert set(planted.values()) == {64 if every else 20}
    assert not every or set(planted) == set(STRANGE_PLACES)
    floors = {kind: STRANGE_PLACES[kind][0 if every else 1] for kind in planted}
    lost = {kind: (caught[kind], floor) for kind, floor in floors.items() if caught[kind] < floor}
    assert lost == {}, "\n".join(one for one in misses if one.split()[1].rstrip(":") in lost)
