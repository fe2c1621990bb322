"""Numbers, units, money, dates and tolerance: one reading of each, and where two meet, they agree."""

from __future__ import annotations

import re

import pytest
from drr.papers.dr3.value_forms import StatedValue, stated_figures
from drr.wording.dates import dates
from drr.wording.excerpt import excerpt, range_of_words
from drr.wording.figures import (
    CARDINALS,
    HEDGES,
    SPOKEN,
    money_slack,
    number_of,
    same_number,
    same_stars,
    spoken_number,
    written_number,
)
from drr.wording.money import amounts, money
from drr.wording.quantities import numbers, quantities
from drr.wording.states import CODES, STATES
from drr.wording.vocabulary import any_word_pattern
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases
from tests.work import lines_run


@given(st.integers(1, 9_999_999))
def test_an_amount_as_we_set_it_reads_as_itself(cents: int) -> None:
    text = f"It costs {money(cents / 100)}, no less."
    (amount,) = amounts(text)
    assert (amount.value, amount.whole, amount.approx) == (cents / 100, False, False)
    assert text[amount.start : amount.end] == money(cents / 100)


@pytest.mark.parametrize(
    ("text", "value"), cases("wording", "test_money_is_read_alike_as_an_amount_and_as_a_figure")
)
def test_money_is_read_alike_as_an_amount_and_as_a_figure(text: str, value: float) -> None:
    assert [amount.value for amount in amounts(text)] == [value]
    assert [(figure.kind, figure.value) for figure in numbers(text)] == [("money", value)]


@pytest.mark.parametrize("word", CARDINALS)
def test_a_number_in_words_is_the_number_in_digits(word: str) -> None:
    assert number_of(word) == number_of(str(CARDINALS.index(word)))


@pytest.mark.parametrize(
    ("said", "number"), cases("wording", "test_numbers_in_words_are_found_however_they_begin")
)
def test_numbers_in_words_are_found_however_they_begin(said: str, number: int) -> None:
    assert [match[0] for match in re.finditer(rf"\b{SPOKEN}\b", f"Get {said} of them.", re.I)] == [said]
    assert spoken_number(said) == number
    assert written_number(said) == written_number(str(number)) == written_number(f"{number:,}") == number


_WORDS = st.text("aAbc -.", min_size=1, max_size=5)


@given(st.lists(_WORDS, min_size=1, max_size=24), st.text("aAbc -.", max_size=40))
def test_alternatives_that_stand_together_find_what_they_find_one_by_one(words: list[str], text: str) -> None:
    one_by_one = "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))
    for flags in (0, re.I):
        for form in ("{}", r"(?:{})\b"):
            mine, theirs = (form.format(one) for one in (any_word_pattern(words), one_by_one))
            found = [match.span() for match in re.finditer(mine, text, flags)]
            assert found == [match.span() for match in re.finditer(theirs, text, flags)]


@pytest.mark.parametrize(
    ("claimed", "stated", "same"), cases("wording", "test_two_figures_are_the_same_as_said")
)
def test_two_figures_are_the_same_as_said(claimed: str, stated: str, same: bool) -> None:
    assert same_number(numbers(claimed)[0], numbers(stated)[0]) is same


def test_what_is_rounded_may_be_off_by_half_of_the_last_place() -> None:
    (whole,), (cents,) = amounts("$13"), amounts("$12.50")
    assert abs(whole.value - 12.5) <= whole.tolerance < abs(whole.value - 12.49)
    assert abs(cents.value - 12.504) <= cents.tolerance < abs(cents.value - 12.51)
    assert money_slack(whole=True) > money_slack(whole=False)
    assert same_stars(4.5, 4.45)
    assert not same_stars(4.5, 4.4)


@pytest.mark.parametrize(("text", "read"), cases("wording", "test_a_date_is_as_precise_as_it_was_written"))
def test_a_date_is_as_precise_as_it_was_written(text: str, read: list[list[int | None]]) -> None:
    assert [[when.year, when.month, when.day] for when in dates(text, 0, len(text))] == read


def test_every_state_has_a_code_and_mail_goes_to_more() -> None:
    assert len(STATES) == 51
    assert {STATES[CODES[name.casefold()]] for name in STATES.values()} == set(STATES.values())
    assert CODES["puerto rico"] == "PR"


def test_years_in_a_line_of_many_dates_are_told_apart_in_one_pass() -> None:
    """Four times the text is no more than about four times the work."""

    def work(times: int) -> int:
        text = "May 5, 2021 or 1999, " * times
        assert [when.year for when in dates(text, 0, len(text))] == [2021] * times + [1999] * times
        return lines_run(lambda: list(dates(text, 0, len(text))))

    assert work(400) < 5 * work(100)


@pytest.mark.parametrize(("text", "read"), cases("wording", "test_only_amounts_of_us_dollars_are_read"))
def test_only_amounts_of_us_dollars_are_read(text: str, read: list[float]) -> None:
    assert [one.value for one in amounts(text)] == read


@pytest.mark.parametrize(("before", "is_bound"), cases("wording", "test_an_arrow_is_no_bound"))
def test_an_arrow_is_no_bound(before: str, *, is_bound: bool) -> None:
    assert (HEDGES.before.search(before) is not None) is is_bound


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("quiet bird feeder", 17, "quiet bird feeder"),
        ("quiet bird feeder", 16, "quiet bird…"),
        ("quiet bird feeder", 11, "quiet bird…"),
        ("quiet bird feeder", 10, "quiet…"),
        ("quiet bird  feeder", 12, "quiet bird…"),
        ("x" * 100, 20, "x" * 19 + "…"),
        ("鳥" * 100, 20, "鳥" * 19 + "…"),
        ("", 5, ""),
    ],
)
def test_an_excerpt_ends_at_a_word(text: str, most: int, shown: str) -> None:
    assert excerpt(text, most) == shown
    assert len(excerpt(text, most)) <= most


TEXT = "Sunflower seed suits cardinals well."


@pytest.mark.parametrize(
    ("start", "end", "kept", "shown"),
    [
        (0, len(TEXT), None, TEXT), (3, 25, None, "seed suits"), (10, 20, None, "seed suits"),
        (9, 21, None, "seed suits"), (3, 25, (3, 25), "flower seed suits card"),
        (2, 27, (10, 14), "seed suits"),
    ],
)  # fmt: skip
def test_a_piece_is_drawn_in_to_whole_words_and_keeps_its_support(
    start: int, end: int, kept: tuple[int, int] | None, shown: str
) -> None:
    first, last = range_of_words(TEXT, start, end, kept)
    assert TEXT[first:last].rstrip() == shown
    assert kept is None or (first <= kept[0] and last >= kept[1])


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("It costs 26 cents.", 0.26, "money"), ("It costs 40$ here.", 40.0, "money"),
        ("It costs $.50 here.", 0.5, "money"), ("It is 1/2 inch wide.", 0.5, "length"),
        ("It is rated 4.5/5.", 4.5, None), ("It holds forty-one of them.", 41.0, None),
    ],
)  # fmt: skip
def test_one_reader_reads_each_quantity_for_everybody(text: str, value: float, kind: str | None) -> None:
    assert [(one.value, one.kind) for one in numbers(text, words=True)][:1] == [(value, kind)]
    assert value in [round(one.amount / one.base, 9) for one in stated_figures(text)]
    assert [one.value for one in amounts(text)] == ([value] if kind == "money" else [])


@pytest.mark.parametrize("text", ["the eighth ones", "a key 5270db2c64", "a lamp of 3-in-1"])
def test_parts_of_words_and_codes_are_no_quantities(text: str) -> None:
    assert [one for one in stated_figures(text) if one.kind != "count"] == []
    assert not any(one.in_words for one in quantities(text))
    assert [one.kind for one in numbers(text) if one.kind not in (None, "length")] == []


@pytest.mark.parametrize(
    ("text", "day"), [("30/05/2024", "2024-05-30"), ("7/17/20", "2020-07-17"), ("2020/07/17", "2020-07-17")]
)
def test_a_day_in_slashes_is_a_day_of_the_calendar(text: str, day: str) -> None:
    (when,) = dates(text, 0, len(text))
    assert when.covers(day)
    assert StatedValue(day).places(text)[0].exact
