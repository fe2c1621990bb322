"""Taking citations out of a report: marks, links and entries go, the sentences stay, and the judge's parser agrees."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from corpus import CORPUS, Counted
from drr.citations.hidden import blank_spans
from drr.citations.parse import parse
from drr.citations.repair import dangling_ids, remove, unknown_urls

from tests.cases import cases, each
from tests.work import lines_run

REPORT = """# Feeders

The Panorama holds six ports [1]. Cats cannot reach it [2][3], and you bought seed before [4, 9].
See also [the guide](https://garden.example/guide) and https://plain.example/page.

| Item | Price |
| --- | --- |
| Panorama [1] | $43.99 |

## Sources

[1] Panorama: http://ecommerce.example/B0FEEDER01
[2] Cats: https://birds.example/cats
[3] Nothing to see
[4] Order: user://ANNA/orders/12
"""


def listed(report: str) -> dict[str, str | None]:
    return {n: one.urls[0] if one.urls else None for one in parse(report).references for n in one.numbers}


def test_entries_numbers_and_addresses() -> None:
    assert listed(REPORT) == {
        "1": "http://ecommerce.example/B0FEEDER01", "2": "https://birds.example/cats", "3": None, "4": "user://ANNA/orders/12",
    }  # fmt: skip
    assert dangling_ids(parse(REPORT)) == ["3", "9"]
    assert unknown_urls(parse(REPORT), lambda url: "ecommerce" in url) == [
        "https://garden.example/guide", "https://plain.example/page", "https://birds.example/cats", "user://ANNA/orders/12",
    ]  # fmt: skip


@pytest.mark.parametrize("listing", cases("citations", "test_forms_of_the_list"))
def test_forms_of_the_list(listing: str) -> None:
    report = f"One [1], two [2].\n\n{listing}\n"
    assert listed(report) == {"1": "https://a.example/x", "2": "https://b.example/y"}
    assert not dangling_ids(parse(report))
    assert listed(remove(report, ["https://b.example/y"])) == {"1": "https://a.example/x"}


def test_removing_takes_marks_links_and_entries_and_leaves_the_sentences() -> None:
    bad = ["https://birds.example/cats/", "https://garden.example/guide", "https://plain.example/page"]
    cleaned = remove(REPORT, bad)
    assert "Cats cannot reach it, and you bought seed before [4]." in cleaned
    assert "See also the guide and." in cleaned
    assert "birds.example" not in cleaned and "[3]" not in cleaned and "[9]" not in cleaned
    assert "| Panorama [1] | $43.99 |" in cleaned and "[1] Panorama: http" in cleaned
    assert dangling_ids(parse(cleaned)) == []
    clean = "All good [1].  \nYes.\n\n## Sources\n\n[1] A: https://a.example/x\n"
    assert remove(clean, []) == clean == remove(clean, ["https://b.example"])
    report = "In [2025] a list:\n```\nx[1] https://code.example\n```\n"
    assert remove(report, ["https://code.example"]) == report


BAD = "https://bad.example/x"
LIST = "\n\n## Sources\n" + "".join(f"[{n}] T: https://s{n}.example\n" for n in (2, 3, 4, 5)) + f"[1] {BAD}\n"
GONE = cases("citations", "GONE")


@pytest.mark.parametrize(("text", "left"), GONE, ids=[text for text, _ in GONE])
def test_each_form_leaves_the_words_and_the_other_numbers(text: str, left: str) -> None:
    cleaned = remove(text + LIST, [BAD])
    assert cleaned.partition("\n\n## Sources")[0] == left
    assert "bad.example" not in cleaned and "[5] T: https://s5.example" in cleaned


def test_entries_of_several_addresses_and_definitions_go_with_their_own() -> None:
    report = f"A [1], b [2].\n\n## Sources\n[1] {BAD} and https://a.example\n[2] https://b.example or [its copy]({BAD})\n"
    assert remove(report, [BAD]) == "A, b [2].\n\n## Sources\n[2] https://b.example or its copy\n"
    report = f"See [the guide][g] and [S1].\n\n[g]: {BAD}\n[S1]: {BAD}/2\n"
    assert remove(report, [BAD, f"{BAD}/2"]) == "See the guide and.\n\n"


@each("counted", CORPUS)
def test_what_was_taken_out_is_cited_no_more_and_no_word_of_the_text_is_lost(counted: Counted) -> None:
    found = parse(counted.report)
    bad = [source.url for source in found.sources[::2]]
    cleaned = remove(counted.report, bad)
    assert not {source.url for source in parse(cleaned).sources} & set(bad)
    said = blank_spans(found.body, [(marker.start, marker.end) for marker in found.markers])
    before, after = (Counter(re.findall(r"[^\W\d_²³¹⁰-⁹]{2,}", text)) for text in (said, cleaned))
    assert not before - after


@pytest.mark.parametrize(
    "piece",
    ["[", "[1]", "](http://", "\x00[1", "\n", " ", "Sources ", "[1] ", "(", "[9] , ", "**Sources**\n \n"],
)
def test_four_times_the_hostile_report_is_no_more_than_a_small_multiple_of_the_work(piece: str) -> None:
    """What expressions do inside is looked at in `benchmarks/citations.py`."""

    def work(size: int) -> int:
        report = piece * size + f"\nhttps://bad.example [1]{LIST}"
        return lines_run(lambda: remove(report, ["https://bad.example"]))

    assert work(1600) < 6 * work(400) + 2_000


@pytest.mark.parametrize(
    ("report", "left"),
    [
        ("Text\n" + "\n" * 30_000 + "x", "Text\n" + "\n" * 30_000 + "x"),
        ("Sources" + " " * 30_000 + "x", "Sources" + " " * 30_000 + "x"),
        ("a [9]" + " " * 30_000 + "x", "a" + " " * 30_000 + "x"),
        ("[9](" + " " * 30_000, "(" + " " * 30_000),
    ],
    ids=["lines", "a heading", "a mark", "a link"],
)
def test_white_space_without_end_ends(report: str, left: str) -> None:
    assert remove(report, []) == left
