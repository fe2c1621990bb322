"""The counting rules one by one, the addresses, the defects, and that no text can break the parser."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from drr.citations.parse import canonical_url, parse
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.citations import HOSTILE
from tests.cases import cases, each
from tests.sizes import examples
from tests.work import lines_run

LIST = "\n\n## Sources\n" + "".join(f"[{n}] Title {n}: https://s{n}.org\n" for n in range(1, 9))

COUNTS = cases("citations", "COUNTS")  # fmt: skip


@each(("text", "count"), COUNTS)
def test_each_form_counts_as_stated(text: str, count: int) -> None:
    assert parse(f"Before {text} after.{LIST}").inline_count == count


def test_what_is_body_and_what_is_a_list() -> None:
    numbered = "\n\nSources\n\n1. A https://a.org\n2. B https://b.org\n"
    assert parse("A map.2 The rest.1" + numbered).inline_count == 2
    assert parse("A map.3 The rest.1" + numbered).inline_count == 1
    assert parse("A map.2 The rest [1]." + numbered).inline_count == 1
    assert parse("A map.2 The rest.1\n\n## Sources\n- https://a.org\n- https://b.org\n").inline_count == 0
    links = ["[a](https://a.org)", "[b](https://b.org)", "[c](https://c.org)"]
    assert parse("Text.\n\n## Sources\n" + ", ".join(links)).inline_count == 3
    assert parse("Text.\n\n## Sources\n" + "\n".join(f"- {link}" for link in links)).inline_count == 0
    assert parse("Text.\n\n## Sources\n" + "\n\n".join(links)).inline_count == 0
    found = parse(f"See https://inline.org and [p](user://U7/profile).{LIST}")
    urls = {source.url for source in found.sources}
    assert urls == {"https://inline.org", "user://U7/profile", *(f"https://s{n}.org" for n in range(1, 9))}
    report = "A [1].\n\nSources:\n[1] https://a.org\n[2] https://b.org\n\n## Two\n\nB [1].\n\nSources:\n[1] https://c.org\n[2] https://d.org\n"
    assert [marker.url for marker in parse(report).markers] == ["https://a.org", "https://c.org"]


@pytest.mark.parametrize(
    ("report", "urls", "inline"),
    [
        ("See ![a plot][img] [1].\n\n[img]: http://i.org/a.png\n[1]: http://a.org\n", {"http://a.org"}, 1),
        ('![Logo]\n\n[logo]: http://i.org/a.png "Logo"\n\nText https://a.org', {"https://a.org"}, 1),
        ("![x][img] and [the page][img].\n\n[img]: http://i.org/a.png\n", {"http://i.org/a.png"}, 1),
        ("Great![1] Good![2]\n\n[1]: http://a.org\n[2]: http://b.org\n", {"http://a.org", "http://b.org"}, 2),
        ("Great![1][2]\n\n[1]: http://a.org\n[2]: http://b.org\n", {"http://a.org", "http://b.org"}, 2),
        ("Data at ftp://a.org/x [1].\n\n[1]: http://a.org\n", {"ftp://a.org/x", "http://a.org"}, 2),
    ],
)
def test_an_image_whose_address_stands_elsewhere_is_no_source(
    report: str, urls: set[str], inline: int
) -> None:
    found = parse(report)
    assert {source.url for source in found.sources} == urls
    assert found.inline_count == inline


def test_the_document_has_the_promised_form() -> None:
    document = parse(f"One [1], two [9].{LIST}[10] nothing\n").document()
    assert list(document) == [
        "sources", "markers", "n_distinct_urls", "inline_citation_count", "inline_resolvable_count", "n_reference_entries",
        "dangling", "entries_without_url", "defects",
    ]  # fmt: skip
    url = "https://s1.org"
    assert document["sources"][0] == {"url": url, "url_raw": url, "numbers": ["1"], "inline_count": 1}
    assert list(document.values())[2:8] == [8, 2, 1, 9, ["9"], ["10"]]
    json.dumps(document)


HEADINGS = cases("citations", "HEADINGS")  # fmt: skip


@each("heading", HEADINGS)
def test_entries_under_whatever_a_list_is_called_are_no_citations(heading: str) -> None:
    entries = "Lee, A. (2020). One. https://a.org\n\nKim, B. (2021). Two. https://b.org\n"
    assert parse(f"A claim.\n\n## {heading}\n\n{entries}").inline_count == 0


@pytest.mark.parametrize(
    "heading", ["Energy Sources", "Notes", "Fuentes de ingresos", "收入来源", "Learn more about birds"]
)
def test_a_section_about_sources_is_body(heading: str) -> None:
    said = "One may see https://a.org for the whole of it.\n\nAnd https://b.org says much the same.\n"
    assert parse(f"A claim.\n\n## {heading}\n\n{said}").inline_count == 2


ADDRESSES = cases("citations", "ADDRESSES")


@pytest.mark.parametrize(("raw", "expected"), ADDRESSES)
def test_one_spelling_per_source(raw: str, expected: str) -> None:
    assert canonical_url(raw) == expected
    assert canonical_url(expected) == expected


DEFECTS = cases("citations", "DEFECTS")


@pytest.mark.parametrize(("report", "kind", "name"), DEFECTS, ids=[kind for _, kind, _ in DEFECTS])
def test_each_defect_is_named(report: str, kind: str, name: str) -> None:
    found = [defect for defect in parse(report).defects if defect.kind == kind]
    assert [defect.id for defect in found] == [name]
    assert all(0 <= defect.start <= defect.end <= len(report) for defect in found)


PIECES = st.sampled_from(
    ["[", "]", "(", ")", "](", "[1]", "[1, 2]", "[3-1]", "[^a]", "`", "```\n", "\\[", "\\]", "$$", "<", ">", "<a href=\"", "![",
     "【1】", "https://a.org/x_(y)", "http://", "#:~:text=", "\n", "\n\n", "## Sources\n", "1. ", "[1] ", "- ", "|", "---\n", "Sources:", " ",
     "。", "word", ".2 The", "<!--", "-->", "user://", "\x00", "\ud800", "\u202e", "⁂", "**", "&amp;", "[1]: "]
)  # fmt: skip


@pytest.mark.long
@given(st.lists(PIECES, max_size=80).map("".join))
@examples(400)
def test_no_mixture_of_marks_breaks_the_parser(report: str) -> None:
    found = parse(report)
    assert len(found.body) == len(report)
    assert all(0 <= marker.start < marker.end <= len(report) for marker in found.markers)
    assert sum(len(source.inline_spans) for source in found.sources) == found.resolvable_count
    assert found.document() == parse(report).document()


@given(st.text())
def test_no_text_breaks_the_parser(report: str) -> None:
    parse(report)


@given(st.text(max_size=60))
def test_no_address_breaks_the_canonical_form(raw: str) -> None:
    once = canonical_url(raw)
    assert isinstance(once, str)


LONG_LIST = "\n\n## Sources\n" + "".join(f"{n}. t http://a.org/{n}\n" for n in range(1, 40))
HOSTILE_PIECES = [*cases("citations", "HOSTILE"), *HOSTILE.values()]


GROWING: list[Callable[[int], str]] = [
    lambda i: f"[{i}] http://a\n[{i + 1}] http://b\n\nText cites [{i}].\n\n",
    lambda i: f"[{i % 90}] http://a\n[{(i + 1) % 90}] http://b\n\nText cites [1].\n\n",
    lambda i: f"# References\n1. http://a/{i}\n# Next\n[1]\n",
    lambda i: f"[1-{i % 30 + 3},{i}] ",
    lambda i: f"[^n{i}] [^n{i}]: http://a/{i}\n",
]


@pytest.mark.long
@pytest.mark.parametrize("make", [*((lambda _, piece=piece: piece) for piece in HOSTILE_PIECES), *GROWING])
def test_four_times_the_hostile_text_is_no_more_than_a_small_multiple_of_the_work(
    make: Callable[[int], str],
) -> None:
    reports = ("".join(map(make, range(size))) + LONG_LIST for size in (300, 1200))
    small, large = (lines_run(lambda report=report: parse(report)) for report in reports)  # type: ignore[misc]
    assert large < 6 * small + 2_000
