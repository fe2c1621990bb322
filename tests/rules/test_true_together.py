"""True of several things, or of another than the figure beside it: ends of ranges, multiples of raters, measures of two things, cells worked out from cells. Each
beside a false one that is like it and stays wrong."""

from __future__ import annotations

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report

URL = "http://ecommerce.example/"
KETTLES = (
    f"The three gooseneck kettles run from $35.99 ([Foldaway]({URL}B0US5UUQJA)) {{}} ([Stonepan]({URL}B05YQD15DV)) "
    f"{{}} ([Drowsy Fox]({URL}B05NECYZ4Z))."
)
LISTED = f"The three ([Foldaway]({URL}B0US5UUQJA), [Stonepan]({URL}B05YQD15DV), [Drowsy Fox]({URL}B05NECYZ4Z)) are priced "
"""$35.99, $43.99 and $50.99."""
GUNS = f"The [Sparrowroot Mini]({URL}B0DKS26SVB) weighs 1.22 pounds, the [Wrendell]({URL}B01G72RT1S) 2.09. "
"""$106.99 with 10 heads, rated by 23; $54.99 with 4 heads, rated by 131."""
LIGHTS = (
    f"Two of the [Lampwick Plug-In LED Shop Light]({URL}B0OSIJ00YJ) cost $73.98, which is $14.01 below one more "
    f"[Copperline Tools Slim]({URL}B0W5G8NM5I) at $87.99. "
)
"""60 watts for 3200 lumens, 32 for 5500."""
HOSES = f"The [Calmgate Leakproof]({URL}B0TMT1CLWV) is $18.99, the [Fielder's Heavy-Duty]({URL}B0XZIS43J3) $23.99. "
"""50 and 75 feet."""
ALARMS = (
    "| | Ironfold 4 Pack (B0A5ZPFF1M) | Gaugewell 4 Pack (B0QAL9J0ET) | Shopfox Lane 2 Pack (B0BGL7DTU0) |\n|---|---|---|---|\n"
    "| Pack price | $53.95 | $46.95 | $32.00 |\n| Per alarm | $13.49 | $11.74 | $16.00 |\n"
    "| Service life | ten years | seven years | ten years |\n{}| Per alarm and year | $1.35 | {} | $1.60 |\n"
)
TWO_ALARMS = "| Two alarms | $26.98 | $23.48 | $32.00 |\n"
CUSHIONS = (
    f"The [Deskwright Contoured Lumbar Support Cushion]({URL}B0ZVLBM4AX) is $57.95. "
    f"The [Uprightly Breathable Lumbar Support Cushion]({URL}B0ZO3UEAIF) costs $30.99, "
)
"""3.4 and 3.7 stars."""


def accused(shop: Shop, text: str) -> set[str]:
    checks = check_report(Subject(text, query="Which of these should I buy?", shop=shop))
    return {one.kind for check in checks.values() for one in check.accused if one.kind is not None}


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (KETTLES, ("through $43.99", "to $50.99"), ("through $43.99", "to $52.99")),
        (KETTLES, ("up to $43.99", "and then to $50.99"), ("up to $43.99", "and then to $59.99")),
        (KETTLES, ("via $43.99", "to $50.99"), ("via $43.99", "to $52.99")),
        (LISTED + "$35.99 – {} – {}.", ("$43.99", "$50.99"), ("$43.99", "$50.90")),
    ],
)
def test_what_a_range_passes_through_is_no_end_of_it(
    rules_shop: Shop, text: str, right: tuple[str, str], wrong: tuple[str, str]
) -> None:
    assert accused(rules_shop, text.format(*right)) == set()
    assert "range_told" in accused(rules_shop, text.format(*wrong))


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        ("The Wrendell is $54.99 against $106.99, and more than {} times as many people have rated it — 131 to 23.", "five", "eight"),
        ("The Wrendell is $54.99 against $106.99, and the other is about {} as dear.", "twice", "four times"),
        ("The Wrendell has 131 ratings, {} times as many as the other.", "almost six", "ten"),
        ("From $54.99 to $106.99, nearly {} times as much.", "two", "four"),
    ],
)  # fmt: skip
def test_a_multiple_of_raters_is_not_held_against_prices(
    rules_shop: Shop, said: str, right: str, wrong: str
) -> None:
    assert accused(rules_shop, GUNS + said.format(right)) == set()
    assert "multiple" in accused(rules_shop, GUNS + said.format(wrong))


@pytest.mark.parametrize(
    "said",
    [
        "The Wrendell is $54.99, and nearly six times as many buyers have rated it.",
        "The Wrendell weighs 2.09 pounds, and more than five times as many people have rated it: 131 to 23.",
        "The Wrendell runs at 55 dB, and nearly six times as many people have rated it as the Sparrowroot.",
        "The Wrendell has 4 heads against 10, and nearly six times as many people have rated it as the Sparrowroot.",
    ],
)
def test_a_multiple_of_raters_is_held_against_no_other_figure_before_it(rules_shop: Shop, said: str) -> None:
    assert "multiple" not in accused(rules_shop, GUNS + said)


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (LIGHTS + "In light you gain: 6400 lumens from the pair, 5500 from the single. On the meter you lose, {} watts to 32.", "120", "130"),
        (LIGHTS + "The pair draws {} watts.", "120", "150"),
        (f"Three [Lampwick Plug-In LED Shop Light]({URL}B0OSIJ00YJ) draw {{}} watts for 9,600 lumens.", "180", "190"),
        (f"The [Lampwick]({URL}B0OSIJ00YJ) gives 3200 lumens; a second one makes it 6400 lumens and {{}} watts.", "120", "190"),
        (f"Two of the [Calmgate Leakproof]({URL}B0TMT1CLWV), 50 feet each, come to $37.98; one Calmgate plus one [Fielder's Heavy-Duty]({URL}B0XZIS43J3) comes to $42.98 and gives {{}} feet.", "125", "135"),
        (HOSES + "Add the Calmgate to your Fielder's and you have {} feet.", "125", "145"),
        (HOSES + "Two Calmgates and a Fielder's make {} feet.", "175", "185"),
        (f"You own the [Fielder's Heavy-Duty]({URL}B0XZIS43J3), 75 feet; with the [Calmgate Leakproof]({URL}B0TMT1CLWV) you would have {{}} feet.", "125", "145"),
        (f"| Hose | Feet | Price |\n|---|---|---|\n| [Calmgate Leakproof]({URL}B0TMT1CLWV), two of them | {{}} feet | $37.98 |\n", "100", "120"),
        (f"The [Calmgate Leakproof]({URL}B0TMT1CLWV), $18.99, is {{}} feet long. Two of the [Fielder's Heavy-Duty]({URL}B0XZIS43J3) are $47.98.", "50", "100"),
        (f"The [Calmgate Leakproof]({URL}B0TMT1CLWV) has {{}} feet, unlike the [Fielder's Heavy-Duty]({URL}B0XZIS43J3).", "50", "125"),
    ],
)  # fmt: skip
def test_a_measure_of_several_things_is_what_they_have_together(
    rules_shop: Shop, text: str, right: str, wrong: str
) -> None:
    assert accused(rules_shop, text.format(right)) == set()
    assert accused(rules_shop, text.format(wrong))


@pytest.mark.parametrize("more", ["", TWO_ALARMS])
def test_a_cell_that_two_cells_of_its_column_come_to_is_explained(rules_shop: Shop, more: str) -> None:
    assert accused(rules_shop, ALARMS.format(more, "$1.68")) == set()
    assert accused(rules_shop, ALARMS.format(more, "$1.86")) & {"cost_per_unit", "unit_cost"}


@pytest.mark.parametrize(
    "said",
    [
        "has a 3.7 average, and is $26.96 cheaper.",
        "at 3.7 stars on average, for $26.96 less.",
        "its average rating is the higher one, and it costs $30.99.",
        "with the higher average of the two, for $30.99.",
        "its average is better by three tenths, at $30.99.",
    ],
)
def test_an_amount_with_a_word_of_its_own_is_no_mean(rules_shop: Shop, said: str) -> None:
    assert "mean_told" not in accused(rules_shop, CUSHIONS + said)


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("so the average is $44.47.", False),
        ("so the average is $41.47.", True),
        ("and the average of the two, by the way, is $42.50.", True),
        ("an average of $41.47.", True),
    ],
)
def test_a_mean_beside_nothing_else_is_still_read(rules_shop: Shop, said: str, *, wrong: bool) -> None:
    assert ("mean_told" in accused(rules_shop, CUSHIONS + said)) is wrong
