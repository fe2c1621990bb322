"""Forms of lists and marks as strangers write them: each citation leads to its own address, and what is none is none."""

from __future__ import annotations

import pytest
from drr.citations.parse import parse
from drr.eval.evidence.claims import extract_by_rules

from tests.cases import cases

A, B, C = "https://a.org/one", "https://b.org/two", "https://c.org/three"
LIST = f"\n\n## Sources\n1. Cedar {A}\n2. Oak {B}\n3. Pine {C}\n"


def led(report: str) -> list[tuple[str, str | None]]:
    return [(marker.id, marker.url) for marker in parse(report).markers]


def cited(report: str) -> dict[str, tuple[str, ...]]:
    return {claim.text: claim.urls for claim in extract_by_rules(report, parse(report))}


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize("head", ["", "## References\n\n"])
def test_an_address_that_stands_again_under_its_entry_is_the_same_entry(gap: str, head: str) -> None:
    report = (
        f"The sky is blue. [1] [4]\n\nGrass is green [2] [3], and water is wet [5].\n\n{head}"
        f"[1] [4] {A}{gap}{A}{gap}[2] [3] {B}{gap}{B}{gap}[5] {C}{gap}{C}\n"
    )
    assert led(report) == [("1", A), ("4", A), ("2", B), ("3", B), ("5", C)]
    found = parse(report)
    assert [one.numbers for one in found.references] == [("1", "4"), ("2", "3"), ("5",)]
    assert not found.defects


def test_lists_without_headings_addresses_or_digits() -> None:
    claims = cited(f"# Wood\n\nCedar rots slowly.\n\nIt needs no paint.\n\n{A}\n\nBirds like cedar.\n")
    assert claims == {"Cedar rots slowly.": (), "It needs no paint.": (A,), "Birds like cedar.": ()}
    assert not parse(f"Two hold so:\n[1] {A} says yes and [2] {B} too.\n").references
    report = f"Cedar rots slowly [1]. It needs no paint [2].\n\n## Sources\n[1] The cedar book\n[2] A handbook\n\nMore text.\n\n## References\n[1] {A}\n[2] {B}\n"
    assert led(report) == [("1", A), ("2", B)]
    alone = report.partition("More text")[0]
    assert {marker.reason for marker in parse(alone).markers} == {"entry_without_url"}
    report = f"Cedar is good [a]. Oak is too [B], [c].\n\n[a] {A}\n[b] {B}\n[c] {C}\n"
    assert led(report) == [("a", A), ("b", B), ("c", C)]
    done = parse(f"- [x] Read [the book]({A})\n- [x] Buy [the wood]({B})\n\nMore was not to be done then.\n")
    assert [marker.form for marker in done.markers] == ["link", "link"]
    report = f"**1. Introduction**\n\nCedar is good [1].\n\n**2. Methods**\n\nWe looked [2].\n\n**References**\n\n1. {A}\n2. {B}\n"
    assert led(report) == [("1", A), ("2", B)]
    assert len(parse(report).references) == 2
    assert not parse("**1. Introduction**\n\nCedar is good.\n").references
    lists = f"\n\n## Notes\n[1] Acme, A study of roses\n[2] Bolt, On lawns\n\n## Sources\n[1] {A}\n[2] {B}\n"
    report = "Foo holds a lot [1]. Roses grow fast [2]." + lists
    assert forms_led(report) == [("bracket", A), ("bracket", B)]
    assert cited(report) == {"Foo holds a lot.": (A,), "Roses grow fast.": (B,)}
    assert not parse(report).defects
    stated = report.replace("[1] Acme, A study of", "[1] says much of")
    assert len(cited(stated.replace("[2] Bolt, On", "[2] says more of"))) == 3


@pytest.mark.parametrize("between", ["  ", " | ", "; "])
def test_a_line_of_numbers_and_addresses_is_a_list_without_a_heading(between: str) -> None:
    report = f"The sky is blue [1]. Grass is green [2], and water is wet [3].\n\n[1] {A}{between}[2] {B}{between}[3] {C}\n"
    assert led(report) == [("1", A), ("2", B), ("3", C)]
    assert not parse(report).defects


def test_numbers_that_are_marks_without_brackets() -> None:
    assert led(f'Who asks for cedar?.2 Birds do.1 Oak is "hard."3{LIST}') == [("2", B), ("1", A), ("3", C)]
    assert led(f"Cedar improves outcomes 3: it lasts. Oak is hard.1 Pine is soft.2{LIST}")[0] == ("3", C)
    assert led(f"In step 3: paint it. Oak is hard.1 Pine is soft.2{LIST}") == [("1", A), ("2", B)]
    assert led(f"Cedar has outcomes 3: it lasts.{LIST}") == []
    report = f"| Wood | Years | Source |\n|---|---|---|\n| Cedar | 20 | 1 |\n| Oak | 3 | 2, 3 |{LIST}"
    assert led(report) == [("1", A), ("2", B), ("3", C)]
    assert cited(report) == {"Wood: Cedar; Years: 20": (A,), "Wood: Oak; Years: 3": (B, C)}
    glued = f"| Wood | Note |\n|---|---|\n| Cedar | It lasts.1 |\n| Oak | It is hard.2 |\n| Pine | It rots3 |{LIST}"
    assert led(glued) == [("1", A), ("2", B), ("3", C)]
    assert led(f"| Wood | Years |\n|---|---|\n| Cedar | 2 |\n| Oak | 3 |{LIST}") == []
    report = f"The law passed in December 20221 and changed on May 3, 20232. Cedar is good.3{LIST}"
    assert led(report) == [("1", A), ("2", B), ("3", C)]
    assert "The law passed in December 2022 and changed on May 3, 2023." in cited(report)


def test_links_without_end_dois_and_footnotes_beside_a_list() -> None:
    found = parse(f"Cedar is good [the book]({A} and it lasts. Oak is [fine]({B}).\n")
    assert [source.url for source in found.sources] == [A, B]
    report = "Cedar [1] is good (DOI: 10.1000/xyz.1), as [Miller](doi:10.1000/abc(2)d) says.\n\n## References\n[1] Smith. Cedar. doi:10.1234/ced.2020.1.\n"
    dois = ("10.1234/ced.2020.1", "10.1000/xyz.1", "10.1000/abc(2)d")
    assert [url for _, url in led(report)] == [f"https://doi.org/{doi}" for doi in dois]
    report = f"Cedar is good[^1]. Oak is too[^2].\n\n[^1]: {A}\n[^2]: {B}\n\n## References\n1. [A]({A})\n2. [B]({B})\n"
    assert not parse(report).defects
    twice = parse(f"Cedar [1], oak [2].\n\n[1] {A}\n[2] {A}\n")
    assert [defect.kind for defect in twice.defects] == ["duplicate_url"]
    for name, mark in (("^1", "1"), ("1", "^1")):
        assert forms_led(f"Foo holds a lot [{mark}].\n\n## Sources\n[{name}] {A}\n[2] {B}\n")[0][1] == A


def forms_led(report: str) -> list[tuple[str, str | None]]:
    return [(marker.form, marker.url) for marker in parse(report).markers]


@pytest.mark.parametrize(
    "lists", cases("citations", "test_a_footnote_and_a_number_in_brackets_mean_different_lists")
)
def test_a_footnote_and_a_number_in_brackets_mean_different_lists(lists: str) -> None:
    report = f"Foo holds a lot[^1] and bar holds less [1].\n\n{lists}"
    assert forms_led(report) == [("footnote", A), ("bracket", B)]
    assert not parse(report).defects


@pytest.mark.parametrize(
    ("entries", "urls"),
    [
        ("[1] Order history of the account, 2011 to 2022.", (None,)),
        (f"[1] {A}\n[2] Order history", (A, None)),
        (f"[1] Order history\n[2] {A}", (None, A)),
        ("[1] Order history\n[2] Profile", (None, None)),
    ],
)
def test_the_last_words_may_be_a_list_that_names_what_has_no_address(
    entries: str, urls: tuple[str | None, ...]
) -> None:
    """Counted, cited above and titled: a mark leads to its entry, and no entry states anything."""
    said = "".join(f"Foo number {n} holds a lot [{n}]. " for n, _ in enumerate(urls, 1))
    found = parse(f"{said}\n\n{entries}\n")
    assert [marker.reason for marker in found.markers if marker.form == "bracket"] == [
        "entry_without_url" if url is None else None for url in urls
    ]
    assert len(cited(f"{said}\n\n{entries}\n")) == len(urls)


@pytest.mark.parametrize("entries", cases("citations", "test_last_words_that_are_no_list_of_what_is_cited"))
def test_last_words_that_are_no_list_of_what_is_cited(entries: str) -> None:
    found = parse(f"Foo holds a lot [1]. Bar holds less [2].\n\n{entries}\n")
    assert "entry_without_url" not in {marker.reason for marker in found.markers}


@pytest.mark.parametrize("items", ["- {}\n- {}\n", "- [A page]({})\n- [B page]({})\n"])
def test_footnotes_beside_a_bulleted_list_list_nothing_twice(items: str) -> None:
    report = f"Foo holds a lot.[^1] Bar holds less.[^2]\n\n[^1]: {A}\n[^2]: {B}\n\n## Sources\n"
    assert not parse(report + items.format(A, B)).defects
    twice = f"Foo holds a lot.[^1] Bar less.[^2]\n\n[^1]: {A}\n[^2]: {A}\n"
    assert [defect.kind for defect in parse(twice).defects] == ["duplicate_url"]


@pytest.mark.parametrize("head", ["| # | Source |\n|---|---|\n", "| n | Title | URL |\n|--|--|--|\n", ""])
def test_a_table_of_sources_is_a_list(head: str) -> None:
    title = "| On roses " if "Title" in head else ""
    rows = f"| 1 {title}| {A} |\n| 2 {title}| {B} |\n"
    report = f"Foo holds a lot [1]. Bar holds less [2].\n\n{head}{rows}\nThat is all there is.\n"
    assert forms_led(report) == [("bracket", A), ("bracket", B)]
    assert not parse(report).defects
    assert len(cited(report)) == 3


def test_a_table_of_things_is_none() -> None:
    for head, price in (("| # | Product |", ""), ("| # | Source | Price |", " $5 |")):
        rows = f"| 1 | [Foo]({A}) |{price}\n| 2 | [Bar]({B}) |{price}\n"
        assert not parse(f"These are best [1].\n\n{head}\n|---|---|\n{rows}").references
