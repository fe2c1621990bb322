"""The citations of a report, its sources, its lists, and what is wrong with the pointing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypedDict

from drr.citations.addresses import address, canonical_url
from drr.citations.links import Link

Span = tuple[int, int]
DefectKind = Literal[
    "dangling",
    "uncited",
    "empty_entry",
    "duplicate_url",
    "blanket_range",
    "malformed_id",
    "list_without_markers",
    "unterminated_link",
]


class Marker(NamedTuple):
    """One citation at one place of the body. `[1, 4]` is two markers with one span."""

    id: str
    """The number or footnote name as written; the text of a link; the URL of a bare one."""
    start: int
    end: int
    form: str
    """bracket, range, footnote, label, glued, superscript; link, numbered_link, bare, html."""
    url: str | None
    """Canonical, where the marker leads to one."""
    reason: str | None = None
    """Why there is no URL: `dangling`, `malformed`, `entry_without_url`."""

    @property
    def dangling(self) -> bool:
        return self.reason in ("dangling", "malformed")


@dataclass(slots=True)
class CitedSource:
    """One distinct URL of the report, inline or listed, cited or not."""

    url: str
    url_raw: str
    numbers: list[str] = field(default_factory=list)
    list_spans: list[Span] = field(default_factory=list)
    inline_spans: list[Span] = field(default_factory=list)

    @property
    def address(self) -> str:
        """The address as one would ask for it."""
        return address(self.url_raw)


class Reference(NamedTuple):
    """An entry of a reference list."""

    numbers: tuple[str, ...]
    start: int
    end: int
    urls: tuple[str, ...]
    """Canonical, each once; a number means the first."""
    links: tuple[Link, ...] = ()
    note: bool = False
    """A footnote or the definition of a label, which may stand beside a list of the same sources."""


class Defect(NamedTuple):
    kind: DefectKind
    id: str
    start: int
    end: int
    detail: str


class SourceEntry(TypedDict):
    url: str
    url_raw: str
    numbers: list[str]
    inline_count: int


class MarkerEntry(TypedDict):
    id: str
    start: int
    end: int
    form: str
    url: str | None
    reason: str | None


class DefectEntry(TypedDict):
    kind: DefectKind
    id: str
    start: int
    end: int
    detail: str


class CitationsDocument(TypedDict):
    """The form that `drr judges check --json` prints."""

    sources: list[SourceEntry]
    markers: list[MarkerEntry]
    n_distinct_urls: int
    inline_citation_count: int
    inline_resolvable_count: int
    n_reference_entries: int
    dangling: list[str]
    entries_without_url: list[str | None]
    defects: list[DefectEntry]


@dataclass(slots=True)
class Citations:
    markers: list[Marker]
    """By position."""
    sources: list[CitedSource]
    """By first appearance."""
    references: list[Reference]
    defects: list[Defect]
    body: str
    """The report with lists, code and images blanked: same length, same offsets."""

    @property
    def inline_count(self) -> int:
        return len(self.markers)

    @property
    def resolvable_count(self) -> int:
        return sum(marker.url is not None for marker in self.markers)

    def source(self, url: str) -> CitedSource | None:
        wanted = canonical_url(url)
        return next((source for source in self.sources if source.url == wanted), None)

    def document(self) -> CitationsDocument:
        return {
            "sources": [
                {
                    "url": s.url,
                    "url_raw": s.url_raw,
                    "numbers": s.numbers,
                    "inline_count": len(s.inline_spans),
                }
                for s in self.sources
            ],
            "markers": [
                {"id": m.id, "start": m.start, "end": m.end, "form": m.form, "url": m.url, "reason": m.reason}
                for m in self.markers
            ],
            "n_distinct_urls": len(self.sources),
            "inline_citation_count": self.inline_count,
            "inline_resolvable_count": self.resolvable_count,
            "n_reference_entries": len(self.references),
            "dangling": [marker.id for marker in self.markers if marker.dangling],
            "entries_without_url": [", ".join(r.numbers) or None for r in self.references if not r.urls],
            "defects": [
                {"kind": d.kind, "id": d.id, "start": d.start, "end": d.end, "detail": d.detail}
                for d in self.defects
            ],
        }
