"""Reports in the manner of many systems: every URL found, every citation counted, nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from corpus import CORPUS, Counted
from drr.citations.parse import parse

from tests.cases import each


@each("counted", CORPUS)
def test_a_report_is_counted_as_by_hand(counted: Counted) -> None:
    found = parse(counted.report)
    assert {source.url for source in found.sources} == counted.urls
    assert found.inline_count == counted.inline
    assert len(found.references) == counted.entries
    assert sum(marker.dangling for marker in found.markers) == counted.dangling


@each("counted", CORPUS)
def test_markers_and_sources_lie_where_they_say(counted: Counted) -> None:
    found = parse(counted.report)
    urls = {source.url for source in found.sources}
    for marker in found.markers:
        assert 0 <= marker.start < marker.end <= len(counted.report)
        assert marker.url is None or marker.url in urls
        if marker.form in ("bracket", "glued", "footnote") and not marker.reason:
            assert marker.id in counted.report[marker.start : marker.end].casefold()
    for source in found.sources:
        assert source.url_raw in counted.report
        for start, end in source.list_spans:
            assert source.url_raw in counted.report[start:end] or source.list_spans.index((start, end)) > 0
    assert len(found.body) == len(counted.report)


DRESSES: dict[str, Callable[[str], str]] = {
    "windows line ends": lambda text: text.replace("\r\n", "\n").replace("\n", "\r\n"),
    "hard breaks": lambda text: re.sub(r"(?m)(\S)$", r"\1  ", text),
    "deeper headings": lambda text: re.sub(r"(?m)^(#{1,4}) ", r"#\1 ", text),
    "a title before": lambda text: "# A Report: Birds in 2025\n\nIt was asked what birds eat (see below).\n\n---\n\n" + text,
    "a bold title before": lambda text: "**Executive Summary**\n\n" + text,
    "a date behind": lambda text: text.rstrip() + "\n\n---\n\n*Report prepared on April 25, 2025.*\n",
    "an offer behind": lambda text: text.rstrip() + "\n\nWould you like me to look at any part of it more closely?\n",
}  # fmt: skip


@pytest.mark.parametrize("dress", DRESSES.values(), ids=DRESSES)
def test_the_dress_of_a_report_changes_no_count(dress: Callable[[str], str]) -> None:
    for counted in CORPUS:
        found = parse(dress(counted.report))
        assert {source.url for source in found.sources} == counted.urls, counted.name
        assert found.inline_count == counted.inline, counted.name
