"""Lists of references that name products of a shop by their ids."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from drr.citations.parse import parse
from drr.citations.repair import remove, with_addresses

from tests.cases import cases, each

HOME = "http://shop.example"
BODY = "The tube [1] is fine, the jar [2] too, and so is [3].\n\n"
PAGES = {str(n): f"{HOME}/B0{n}AAAAAAA" for n in (1, 2, 3)}
IDS = [url.rsplit("/", 1)[1] for url in PAGES.values()]


FORMS = cases("citations", "FORMS")


@pytest.mark.parametrize("form", FORMS)
def test_an_id_alone_in_an_entry_is_the_page_of_the_shop(form: str) -> None:
    cited = parse(BODY + form.format(*IDS), HOME)
    assert {marker.id: marker.url for marker in cited.markers if marker.end < len(BODY)} == PAGES
    assert [source.url for source in cited.sources] == [*PAGES.values()]
    assert not cited.defects
    assert IDS[0] not in cited.body


def test_an_id_leads_nowhere_without_a_shop_or_beside_an_address() -> None:
    cited = parse(BODY + "\n".join(f"[{n}] {one}" for n, one in enumerate(IDS, 1)))
    assert {marker.reason for marker in cited.markers} == {"entry_without_url"} and not cited.sources
    text = f"{BODY}[1] {IDS[0]} https://other.example/a\n[2] https://other.example/b\n[3] https://other.example/c"
    assert {source.url.partition("//")[2][:13] for source in parse(text, HOME).sources} == {"other.example"}


@pytest.mark.parametrize("text", cases("citations", "test_an_id_in_what_is_said_is_no_link"))
def test_an_id_in_what_is_said_is_no_link(text: str) -> None:
    assert not parse(text, HOME).sources


@pytest.mark.parametrize("form", FORMS)
def test_with_its_addresses_a_list_says_the_same_outside_the_shop(form: str) -> None:
    report = BODY + form.format(*IDS)
    written = with_addresses(report, lambda url: True, HOME)
    inside, outside = parse(report, HOME), parse(written)
    assert [(one.id, one.url) for one in outside.markers] == [(one.id, one.url) for one in inside.markers]
    assert [one.url for one in outside.sources] == [*PAGES.values()] and not outside.defects
    assert with_addresses(written, lambda url: True, HOME) == written


@each("kept", range(8))
@each("form", FORMS)
def test_only_known_ids_get_an_address_and_the_others_can_be_taken_out(form: str, kept: int) -> None:
    known = {url for n, url in enumerate(PAGES.values()) if kept >> n & 1}
    report = BODY + form.format(*IDS)
    written = with_addresses(report, known.__contains__, HOME)
    assert {url for url in PAGES.values() if url in written} == known
    assert all(one in written for one in IDS)
    assert {source.url for source in parse(written, HOME).sources} == {*PAGES.values()}
    left = parse(remove(written, {*PAGES.values()} - known, HOME))
    assert {marker.url for marker in left.markers} == {source.url for source in left.sources} == known


def test_entries_of_one_line_stand_on_their_own_lines_once_they_have_addresses() -> None:
    a, b, c = IDS
    report = f"{BODY}**Sources:** [1] {a}; [2] Jar ({b}) \u00b7 [3] {c}.\n"
    assert with_addresses(report, {PAGES["1"], PAGES["3"]}.__contains__, HOME) == (
        f"{BODY}**Sources:**\n[1] {HOME}/{a}\n[2] Jar ({b})\n[3] {HOME}/{c}.\n"
    )
    for known, home in ((False, HOME), (True, "")):
        assert with_addresses(report, lambda url, known=known: known, home) == report  # type: ignore[misc]
    named = f"The tube ({IDS[0]}) at $9.99 is the one that `[1] {IDS[1]}` names."
    report = f"{named}\n\n[1] https://a.example/x\n"
    assert with_addresses(report, lambda url: True, HOME) == report


class Shelf:
    """The ids of a shop, which counts how often it is asked for how many."""

    def __init__(self, *ids: str) -> None:
        self.ids, self.asked = frozenset(ids), list[int]()

    def held(self, ids: Sequence[str]) -> set[str]:
        self.asked.append(len(ids))
        return {one for one in ids if one in self.ids}


OTHERS = ["0316769487", "SKU-1234", "gt_40-b"]
WITHOUT_TITLES = [form for form in FORMS if "tube" not in form]


@pytest.mark.parametrize("form", [*WITHOUT_TITLES, "**Sources**\n\n- [1] **{}**\n- [2] ({})\n- [3] {}."])
@pytest.mark.parametrize("ids", [OTHERS, [*OTHERS[:2], IDS[2]]])
def test_any_token_that_the_shop_holds_is_an_id_where_nothing_else_stands(form: str, ids: list[str]) -> None:
    shelf = Shelf(*OTHERS)
    report = BODY + form.format(*ids)
    cited = parse(report, HOME, shelf.held)
    pages = [f"{HOME}/{one}" for one in ids]
    assert [marker.url for marker in cited.markers if marker.end < len(BODY)] == pages
    assert [source.url for source in cited.sources] == pages and not cited.defects
    assert len(shelf.asked) == 1
    written = parse(with_addresses(report, lambda url: True, HOME, shelf.held))
    assert [source.url for source in written.sources] == pages and not written.defects
    assert not parse(report, HOME).sources or ids[2] == IDS[2]


@pytest.mark.parametrize(
    "text", cases("citations", "test_what_the_shop_does_not_hold_or_what_stands_among_words_is_no_id")
)
def test_what_the_shop_does_not_hold_or_what_stands_among_words_is_no_id(text: str) -> None:
    found = parse(f"{BODY}{text}\n", HOME, Shelf(*OTHERS).held)
    assert not [source for source in found.sources if source.url.startswith(HOME)]


def test_a_shop_is_asked_once_and_for_so_many_only() -> None:
    many = [f"SKU-{n:05}" for n in range(10_000)]
    shelf = Shelf(*many)
    lines = [f"[{n % 999 + 1}] {one}" for n, one in enumerate(many)]
    found = parse("\n".join(lines), HOME, shelf.held)
    assert shelf.asked == [1_000] and len(found.sources) == 1_000
    shelf = Shelf(*OTHERS)
    found = parse("The jar [1] is fine.\n" * 500 + "\n[1] https://a.example/x\n", HOME, shelf.held)
    assert shelf.asked == []
