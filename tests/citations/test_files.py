"""Addresses of files and places in them: one spelling each, and what two of them have in common."""

from __future__ import annotations

import pytest
from drr.citations.addresses import canonical_url
from drr.citations.files import canonical_file, column_letters, column_number, file_address, file_place
from drr.citations.parse import parse
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases import cases

NAMES = st.text(min_size=1, max_size=20).filter(lambda name: "/" not in name and name == name.strip())


@pytest.mark.parametrize(("raw", "canonical"), cases("citations", "test_a_place_has_one_spelling"))
def test_a_place_has_one_spelling(raw: str, canonical: str) -> None:
    assert canonical_url(raw) == canonical == canonical_url(canonical)


@given(NAMES, st.sampled_from(["", "page=3", "row=7", "cell=A%20b!C4:D9", "region=0,0,9,9", "x y"]))
@example("a&amp;b:~:text=x?y#z%20(1).pdf", "page=3")
def test_any_name_comes_back(name: str, fragment: str) -> None:
    address = file_address(name, fragment)
    assert canonical_url(address) == address
    place = file_place(address)
    assert place is not None and place.name == name.encode("utf-8", "replace").decode()
    assert canonical_file(address.removeprefix("file://").partition("#")[0], f"#{fragment}") == address


def test_places_survive_in_a_report_in_running_text_and_in_its_list() -> None:
    addresses = [
        "file://budget.xlsx#cell=Living%20room!B4:D9",
        "file://orders.csv#row=12",
        "file://sketch.png#region=40,60,220,90",
        "file://manual.pdf#page=2",
    ]
    bare = parse("".join(f"The room is 3 m wide ({one}). It is so, {one}.\n\n" for one in addresses))
    assert [source.url for source in bare.sources] == addresses
    listed = parse("A [1], b [2], c [3], d [4].\n\n## Sources\n" + "\n".join(
        f"[{number}] Title: {one}" for number, one in enumerate(addresses, 1)
    ))  # fmt: skip
    assert [source.url for source in listed.sources] == addresses
    linked = parse(f"The room is [3 m wide]({addresses[0]}).")
    assert [source.url for source in linked.sources] == addresses[:1]


@pytest.mark.parametrize(("one", "other", "meet"), cases("citations", "test_what_two_places_have_in_common"))
def test_what_two_places_have_in_common(one: str, other: str, meet: bool) -> None:
    first, second = file_place(one), file_place(other)
    assert first is not None and second is not None
    assert first.meets(second) is second.meets(first) is meet


@given(st.integers(1, 16_384))
def test_columns_are_counted_as_sheets_count_them(number: int) -> None:
    assert column_number(column_letters(number)) == number


def test_no_other_address_is_a_files() -> None:
    assert file_place("https://a.example/x.pdf#page=2") is None
    assert [column_letters(n) for n in (1, 26, 27, 702, 703)] == ["A", "Z", "AA", "ZZ", "AAA"]
