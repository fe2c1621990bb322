"""The citations of a report with their sources and reference lists, and the defects among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypedDict

from drr.citations.addresses import canonical_url, requested_address
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
    """A citation at one place of the report's body. `[1, 4]` is two markers at the same place."""

    id: str
    """The number or footnote name as written; for a link its text; for a bare URL the URL."""
    start: int
    end: int
    form: str
    """bracket, range, footnote, label, glued, superscript; link, numbered_link, bare, html."""
    url: str | None
    """The canonical URL; `None` if the marker leads to none."""
    reason: str | None = None
    """The reason for a missing URL: `dangling`, `malformed`, `entry_without_url`."""

    @property
    def dangling(self) -> bool:
        return self.reason in ("dangling", "malformed")


@dataclass(slots=True)
class CitedSource:
    """A distinct URL of the report, in the text or a list, cited or not."""

    url: str
    url_raw: str
    numbers: list[str] = field(default_factory=list)
    list_spans: list[Span] = field(default_factory=list)
    inline_spans: list[Span] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Return the address to request."""
        return requested_address(self.url_raw)


class Reference(NamedTuple):
    """An entry of a reference list."""

    numbers: tuple[str, ...]
    start: int
    end: int
    urls: tuple[str, ...]
    """Canonical URLs, each once; a citation by number means the first."""
    links: tuple[Link, ...] = ()
    note: bool = False
    """True for a footnote or the definition of a label, which may stand beside a list of the same sources."""


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


class CitationsDocument(TypedDict):
    """The document that `drr judges check --json` prints."""

    sources: list[SourceEntry]
    markers: list[dict[str, object]]
    """Each `Marker` by its fields."""
    n_distinct_urls: int
    inline_citation_count: int
    inline_resolvable_count: int
    n_reference_entries: int
    dangling: list[str]
    entries_without_url: list[str | None]
    defects: list[dict[str, object]]
    """Each `Defect` by its fields."""


@dataclass(slots=True)
class Citations:
    markers: list[Marker]
    sources: list[CitedSource]
    """Sources in the order of their first appearance."""
    references: list[Reference]
    defects: list[Defect]
    body: str
    """The report with lists, code and images replaced by spaces: same length, same offsets."""

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
            "markers": [marker._asdict() for marker in self.markers],
            "n_distinct_urls": len(self.sources),
            "inline_citation_count": self.inline_count,
            "inline_resolvable_count": self.resolvable_count,
            "n_reference_entries": len(self.references),
            "dangling": [marker.id for marker in self.markers if marker.dangling],
            "entries_without_url": [", ".join(r.numbers) or None for r in self.references if not r.urls],
            "defects": [defect._asdict() for defect in self.defects],
        }


_SHOWN = 80
"""Most characters shown of a link that never ends."""


def find_defects(
    length: int,
    references: Sequence[Reference],
    markers: Sequence[Marker],
    sources: Sequence[CitedSource],
    blankets: Iterable[Span],
    unterminated: Iterable[int],
) -> list[Defect]:
    """Return all defects, in the order of the text. `blankets` and `unterminated` are as the scanner found them."""
    found = [
        *_dangling_defects(markers),
        *_blanket_ranges(blankets),
        *_empty_entries(references),
        *_list_without_markers(references, markers),
        *_uncited_defects(sources),
        *_duplicates(sources, references),
        *_unterminated_defects(unterminated, length),
    ]
    return sorted(found, key=lambda defect: (defect.start, defect.kind))


def _dangling_defects(markers: Sequence[Marker]) -> Iterator[Defect]:
    """Yield one defect for each id that leads nowhere, with the number of its occurrences."""
    places = Counter([(marker.id, marker.reason) for marker in markers if marker.dangling])
    for marker in markers if places else ():
        times = places.pop((marker.id, marker.reason), 0) if marker.dangling else 0
        if times and marker.reason == "malformed":
            why = f"no list has such an id; {times} places"
            yield Defect("malformed_id", marker.id, marker.start, marker.end, why)
        elif times:
            why = f"no entry has this number; {times} places"
            yield Defect("dangling", marker.id, marker.start, marker.end, why)


def _blanket_ranges(blankets: Iterable[Span]) -> Iterator[Defect]:
    for start, end in sorted(blankets):
        yield Defect("blanket_range", "", start, end, "one marker cites more than ten sources")


def _empty_entries(references: Sequence[Reference]) -> Iterator[Defect]:
    addressed = {number for one in references if one.urls for number in one.numbers}
    for one in references:
        if not one.urls and not (one.numbers and addressed.issuperset(one.numbers)):
            yield Defect("empty_entry", ", ".join(one.numbers), one.start, one.end, "an entry without a URL")


def _list_without_markers(references: Sequence[Reference], markers: Sequence[Marker]) -> Iterator[Defect]:
    numbered = [reference for reference in references if reference.numbers]
    if numbered and not markers:
        start, end = numbered[0].start, numbered[-1].end
        yield Defect("list_without_markers", "", start, end, "the text cites none of the list")


def _uncited_defects(sources: Sequence[CitedSource]) -> Iterator[Defect]:
    for source in sources:
        if source.list_spans and not source.inline_spans:
            yield Defect("uncited", ", ".join(source.numbers), *source.list_spans[0], source.url)


def _duplicates(sources: Sequence[CitedSource], references: Sequence[Reference]) -> Iterator[Defect]:
    """Yield the sources that are listed twice. A footnote and a list entry do not count as two, nor do two entries under one number."""
    under: dict[tuple[str, bool], list[Reference]] = {}
    for one in references:
        for url in one.urls:
            under.setdefault((url, one.note), []).append(one)
    for source in sources:
        for listed in (under.get((source.url, note), ()) for note in (False, True)):
            named = {one.numbers for one in listed}
            if len(listed) > 1 and (len(named) > 1 or () in named):
                numbers = ", ".join(source.numbers)
                start, end = listed[1].start, listed[1].end
                yield Defect("duplicate_url", numbers, start, end, f"listed {len(listed)} times")


def _unterminated_defects(positions: Iterable[int], length: int) -> Iterator[Defect]:
    for start in positions:
        end = min(start + _SHOWN, length)
        yield Defect("unterminated_link", "", start, end, "a link without its end")
