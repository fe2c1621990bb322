"""Citations of a report: what it points to, where, and what is wrong with the pointing.

`parse` is pure and total: any text gives an answer, in time linear in its length, without network or model. Offsets are
into the report as given. A report's *body* is everything but its reference lists; a citation is counted once per place
and source in the body.
"""

from __future__ import annotations

import gc
import threading
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from drr.citations.addresses import address, canonical_url
from drr.citations.links import Link, Scan, blank, number_in, scan
from drr.citations.lists import Entry, ReferenceList, find_lists
from drr.citations.markers import Mark, find_marks

__all__ = ["Citations", "CitedSource", "Defect", "Marker", "Reference", "canonical_url", "parse"]

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
        """As one would ask for it."""
        return address(self.url_raw)


class Reference(NamedTuple):
    """An entry of a reference list."""

    numbers: tuple[str, ...]
    start: int
    end: int
    urls: tuple[str, ...]
    """Canonical, each once; a number means the first."""
    links: tuple[Link, ...] = ()


class Defect(NamedTuple):
    kind: DefectKind
    id: str
    start: int
    end: int
    detail: str


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

    def document(self) -> dict[str, Any]:
        """The form that `drr check --json` prints."""
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


class _Canonical(dict[str, str]):
    """Each spelling is worked out once."""

    def __missing__(self, raw: str) -> str:
        self[raw] = url = canonical_url(raw)
        return url


class _Collector:
    """The garbage collector, off while anything is parsed: it looks in vain at objects that all live, for a third of the time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._parsing = 0
        self._was_on = False

    @contextmanager
    def resting(self) -> Iterator[None]:
        with self._lock:
            if self._parsing == 0:
                self._was_on = gc.isenabled()
                gc.disable()
            self._parsing += 1
        try:
            yield
        finally:
            with self._lock:
                self._parsing -= 1
                if self._parsing == 0 and self._was_on:
                    gc.enable()


_COLLECTOR = _Collector()


def parse(report: str) -> Citations:
    """Everything the report cites."""
    with _COLLECTOR.resting():
        return _parse(report)


def _parse(report: str) -> Citations:
    found = scan(report)
    lists = find_lists(found)
    canonical = _Canonical()
    body_links, list_spans = _body_links(found, lists)
    lookup = _Lookup(lists)
    elsewhere = [*list_spans, *((link.start, link.end) for link in body_links)]
    marks = find_marks(
        blank(found.plain, elsewhere),
        lookup.numbers,
        numbered=lookup.numbered,
        labels=lookup.labels,
        raised=found.raised,
        closed=found.closed,
    )
    markers = _markers(marks, body_links, lookup, canonical)
    references = [
        Reference(tuple(e.numbers), e.start, e.end, tuple(_urls(e, canonical)), tuple(e.links))
        for one in lists
        for e in one.entries
    ]
    sources = _sources(found.links, references, markers, canonical)
    defects = _defects(found, references, markers, marks, sources)
    return Citations(markers, sources, references, defects, blank(found.plain, list_spans))


def _urls(entry: Entry, canonical: _Canonical) -> list[str]:
    """Each URL of an entry once."""
    if len(entry.links) < 2:
        return [canonical[link.url] for link in entry.links]
    return list(dict.fromkeys([canonical[link.url] for link in entry.links]))


def _body_links(found: Scan, lists: list[ReferenceList]) -> tuple[list[Link], list[Span]]:
    """The links outside the lists, and where these stand: entries on successive lines as one span."""
    spans: list[Span] = []
    for span in sorted([(entry.start, entry.end) for one in lists for entry in one.entries]):
        if spans and span[0] <= spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], max(span[1], spans[-1][1]))
        else:
            spans.append(span)
    starts = [start for start, _ in spans]
    body = []
    for link in found.links:
        index = bisect_right(starts, link.start) - 1
        if index < 0 or link.start >= spans[index][1]:
            body.append(link)
    return body, spans


class _Lookup:
    """A number means the entry of the next list after it that has one, else of the last before it."""

    def __init__(self, lists: list[ReferenceList]) -> None:
        self._only: dict[str, Entry] = lists[0].by_number if len(lists) == 1 else {}
        self._places: dict[str, tuple[list[int], list[Entry]]] = {}
        for one in lists if len(lists) > 1 else ():
            for number, entry in one.by_number.items():
                starts, entries = self._places.setdefault(number, ([], []))
                starts.append(one.start)
                entries.append(entry)
        names = self._only.keys() or self._places.keys()
        self.labels = frozenset(name for name in names if not name.isdecimal())
        self.numbers = frozenset(names)
        self.numbered = len(self.labels) < len(names)

    def entry(self, number: str, position: int) -> Entry | None:
        if number not in self._places:
            return self._only.get(number)
        starts, entries = self._places[number]
        return entries[min(bisect_right(starts, position), len(entries) - 1)]


def _markers(marks: list[Mark], links: list[Link], lookup: _Lookup, canonical: _Canonical) -> list[Marker]:
    markers: list[Marker] = []
    for start, end, name, form, note in marks:
        malformed = note == "malformed"
        url = reason = None
        entry = None if malformed else lookup.entry(name, start)
        if entry is None:
            reason = "malformed" if malformed else "dangling"
        elif entry.links:
            url = canonical[entry.links[0].url]
        else:
            reason = "entry_without_url"
        markers.append(Marker(name, start, end, form, url, reason))
    for link in links:
        name = link.text.strip()
        number = number_in(name) if link.kind == "link" else None
        url = canonical[link.url]
        markers.append(
            Marker(number or name or url, link.start, link.end, "numbered_link" if number else link.kind, url)
        )
    if links:
        markers.sort(key=itemgetter(1, 2))
    return markers


def _sources(
    links: list[Link], references: list[Reference], markers: list[Marker], canonical: _Canonical
) -> list[CitedSource]:
    sources: dict[str, CitedSource] = {}
    numbers: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for link in links:
        url = canonical[link.url]
        if url not in sources:
            sources[url] = CitedSource(url, link.url)
    for reference in references:
        for url in reference.urls:
            sources[url].list_spans.append((reference.start, reference.end))
            held = numbers[url]
            for number in reference.numbers:
                held[number] = None
    for marker in markers:
        if marker.url is not None:
            sources[marker.url].inline_spans.append((marker.start, marker.end))
    for url, named in numbers.items():
        sources[url].numbers = list(named)
    return list(sources.values())


def _defects(
    found: Scan,
    references: list[Reference],
    markers: list[Marker],
    marks: list[Mark],
    sources: list[CitedSource],
) -> list[Defect]:
    defects: list[Defect] = []
    lost = Counter([(marker.id, marker.reason) for marker in markers if marker.url is None])
    for marker in markers if lost else ():
        times = lost.pop((marker.id, marker.reason), 0) if marker.url is None else 0
        if times and marker.dangling:
            kind: DefectKind = "malformed_id" if marker.reason == "malformed" else "dangling"
            why = "no list has such an id" if marker.reason == "malformed" else "no entry has this number"
            defects.append(Defect(kind, marker.id, marker.start, marker.end, f"{why}; {times} places"))
    blankets = {(start, end) for start, end, _, _, note in marks if note == "blanket"}
    for start, end in sorted(blankets):
        defects.append(Defect("blanket_range", "", start, end, "one marker cites more than ten sources"))
    for reference in references:
        name = ", ".join(reference.numbers)
        if not reference.urls:
            defects.append(
                Defect("empty_entry", name, reference.start, reference.end, "an entry without a URL")
            )
    numbered = [reference for reference in references if reference.numbers]
    if numbered and not markers:
        defects.append(
            Defect(
                "list_without_markers",
                "",
                numbered[0].start,
                numbered[-1].end,
                "the text cites none of the list",
            )
        )
    for source in sources:
        if not source.list_spans:
            continue
        if not source.inline_spans:
            start, end = source.list_spans[0]
            defects.append(Defect("uncited", ", ".join(source.numbers), start, end, source.url))
        if len(source.list_spans) > 1:
            start, end = source.list_spans[1]
            counts = Counter(source.list_spans)
            defects.append(
                Defect(
                    "duplicate_url",
                    ", ".join(source.numbers),
                    start,
                    end,
                    f"listed {sum(counts.values())} times",
                )
            )
    for position in found.unterminated:
        defects.append(
            Defect(
                "unterminated_link",
                "",
                position,
                min(position + 80, len(found.plain)),
                "a link without its end",
            )
        )
    return sorted(defects, key=lambda defect: (defect.start, defect.kind))
