"""Reports in the manner of many systems: every URL found, every citation counted, nothing else."""

from __future__ import annotations

import pytest
from corpus import CORPUS, Counted

from eval.citations import parse


@pytest.mark.parametrize("counted", CORPUS, ids=[one.name for one in CORPUS])
def test_a_report_is_counted_as_by_hand(counted: Counted) -> None:
    found = parse(counted.report)
    assert {source.url for source in found.sources} == counted.urls
    assert found.inline_count == counted.inline
    assert len(found.references) == counted.entries
    assert sum(marker.dangling for marker in found.markers) == counted.dangling


@pytest.mark.parametrize("counted", CORPUS, ids=[one.name for one in CORPUS])
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
