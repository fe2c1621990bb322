"""Rules read the text that a reader sees, however it is spelled, and point at the report as it is written."""

from __future__ import annotations

from itertools import pairwise

import pytest
from asked import LA, A, checked, failing
from drr.citations.parse import parse
from drr.env.shop import Shop
from drr.eval.asking.seen import seen_text
from drr.eval.evidence.claims import extract_by_rules

from tests.cases import each

SPELLINGS = [
    ("$1{}.95", "1{}.95"),
    ("$1{}&period;95", "1{}&period;95"),
    ("&#36;1{}&#46;95", "1{}&#46;95"),
    ("&dollar;1{}&#x2E;95", "1{}&#x2E;95"),
    ("$1\u200b{}\u2060.95", "1\u200b{}\u2060.95"),
    ("$1{}\u00ad.95", "1{}\u00ad.95"),
    ("\u200e$1{}\u202c.9\u20665", "1{}\u202c.9\u20665"),
    ("$1{}\ufe0e.95\ufe0f", "1{}\ufe0e.95"),
    ("$1**{}**.95", "1**{}**.95"),
    ("$**1{}.95**", "1{}.95"),
    ("**$1{}**.95", "1{}**.95"),
    ("***$1{}.95***", "1{}.95"),
    ("_$1{}.95_", "1{}.95"),
    ("`$1{}.95`", "1{}.95"),
    ("\\$1{}\\.95", "1{}\\.95"),
    (f"[$1{{}}.95]({A})", "1{}.95"),
    ("\uff04\uff11{}\uff0e\uff19\uff15", "\uff11{}\uff0e\uff19\uff15"),
    ("$\U0001d7cf{}.95", "\U0001d7cf{}.95"),
    ("<b>$1{}</b>.95", "1{}</b>.95"),
]
"""A spelling of $17.95 with a place for the seven, and the words that a page paints where it is wrong."""
PLACES = [
    "- {LA}, {price}",
    "- {LA}\n  - Price: {price}",
    "| Product | Price |\n| --- | --- |\n| {LA} | {price} |",
    "{LA} costs {price}.",
]


@each(("spelled", "painted"), SPELLINGS)
def test_a_price_is_read_as_it_is_seen_and_painted_where_it_stands(
    rules_shop: Shop, spelled: str, painted: str
) -> None:
    for place in PLACES:
        right, wrong = (place.replace("{LA}", LA).replace("{price}", spelled.format(digit)) for digit in "78")
        assert failing(right, shop=rules_shop) == {}, right
        assert checked(right, shop=rules_shop)["price"].status == "pass", right
        [found] = checked(wrong, shop=rules_shop)["price"].findings
        start, end = found.span
        assert wrong[start:end] == painted.format(8), wrong
        assert found.why == "Price: $18.95; record: $17.95"


@each("text", [
    "**1.** First", "**1**. First", "- **71** ratings", "1\\. no item", "\\- no item", "2 * 3 * 4", "&#42;&#42;", "a &vert; b",
    "`&#36;44`", "```\n&#36;44\n```", "[x](http://a.example/?a=1&copy;=2)", "http://a.example/\u200bb", "~~$50~~ $44", "5\\_000",
    "[$40](http://a.example/) and [$41](http://b.example/)", "[X](http://a.example/) [1](http://a.example/)", "10\u00b2", "1\u00a0299", "\u2460",
])  # fmt: skip
def test_what_is_structure_or_code_or_a_target_stays_as_it_is_written(text: str) -> None:
    assert seen_text(text) == (text, None)


def test_a_narrow_blank_between_thousands_is_no_end_of_a_figure() -> None:
    assert seen_text("$1\u202f272.99 2\u2009059 2\u202f30")[0] == "$1272.99 2059 2\u202f30"


def test_every_character_seen_stood_in_its_place() -> None:
    report = f"x&nbsp;**4**4\\.99 \u200b| [X]({A}) [$4\u00ad4.99]({A}) \U0001d400"
    text, places = seen_text(report)
    assert places is not None
    assert text == f"x\u00a044.99 | [X]({A}) $44.99 A"
    assert len(places) == len(text) + 1
    assert all(low < high <= start for (low, high), (start, _) in pairwise(places))
    same = [
        (one, report[low:high]) for one, (low, high) in zip(text, places, strict=False) if high - low == 1
    ]
    assert [pair for pair in same if pair[0] != pair[1]] == [("A", "\U0001d400")]


@pytest.mark.parametrize("spelled", ["&#36;18&period;95", "$1**8**.95", "$1\u200b8.95", "\\$18\\.95"])
def test_a_claim_by_rules_has_the_words_that_are_seen(spelled: str) -> None:
    report = f"The diffuser costs {spelled} today, says [the shop]({A})."
    [claim] = extract_by_rules(report, parse(report))
    assert "costs $18.95 today" in claim.text
    assert spelled in claim.quote
