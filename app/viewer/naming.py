"""The names of sources in a report, and what of its text leads to them on its page."""

from __future__ import annotations

from drr.app.viewer.highlight import LinkTag
from drr.app.viewer.model import ReportView, SourceView
from drr.citations.files import KnownPlaces
from drr.citations.ids import is_id
from drr.citations.parse import canonical_url


class SourceNames:
    """The names of a report's sources on its page: as the report itself numbers them."""

    def __init__(self, report: ReportView) -> None:
        self._sources = {canonical_url(source.url): source for source in reversed(report.sources)}
        self._places = KnownPlaces(self._sources)
        self._numbers = _numbers(report)
        claimed = [self.source_of(url) for claim in report.claims for url in claim.urls]
        self.cited = {source.number for source in claimed if source is not None}
        self.cited |= {s.number for s in report.sources if canonical_url(s.url) in self._numbers}

    def source_of(self, url: str) -> SourceView | None:
        """Find for a place in a file, or a piece of a page, what was returned that it shares something with."""
        url = canonical_url(url)
        behind = (self._sources[known] for known in self._places.meeting(url))
        return self._sources.get(url) or next(behind, None)

    def named(self, source: SourceView) -> str:
        own = self._numbers.get(canonical_url(source.url))
        return f"[{own}]" if own else "cited" if source.number in self.cited else "not cited"


def _numbers(report: ReportView) -> dict[str, str]:
    """Canonical address to the number that the report gives it; a link or a bare address has none."""
    found: dict[str, str] = {}
    for marker in report.citations.markers:
        if marker.url is not None:
            found.setdefault(
                marker.url, marker.id if len(marker.id) <= 8 and "://" not in marker.id else "link"
            )
    return found


def links_of(report: ReportView) -> list[LinkTag]:
    """Link each marker that leads to a source of this run to the source's place on the page, and likewise each id of its list."""
    if not report.sources:
        return []
    names, cited = SourceNames(report), report.citations
    listed = [
        (one.start, one.end, one.url)
        for entry in cited.references
        for one in entry.links
        if is_id(report.report, one)
    ]
    return [
        LinkTag(start, end, f"source-{source.number}")
        for start, end, url in [*((one.start, one.end, one.url) for one in cited.markers), *listed]
        if url is not None and (source := names.source_of(url)) is not None
    ]
