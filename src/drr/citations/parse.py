"""Parses a report's citations: the sources cited, the places, and the defects.

`parse` is pure and total: any text gives an answer, in time linear in its length, without network or model. Offsets refer
to the given report. A report's *body* is everything but its reference lists; a citation is counted once per place
and source in the body.

    The gate fits [1].                     marker: id 1, in the body, at the address of its entry
    It is [steel](https://a.example/x).    marker: a link, with its own address
    ## Sources
    [1] Gate: https://a.example/gate       reference: an entry of a list, which states nothing
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from operator import itemgetter

from drr.citations.addresses import canonical_url
from drr.citations.cited import Citations, CitedSource, Defect, Marker, Reference, Span, find_defects
from drr.citations.entries import Entry
from drr.citations.hidden import blank_spans, hidden_code
from drr.citations.ids import IdLookup, with_ids
from drr.citations.links import Link, Scan, number_in, scan
from drr.citations.lists import ReferenceList, find_lists
from drr.citations.markers import Mark, find_marks


def without_form(report: str) -> tuple[str, str | None]:
    """Split off the last block named `form`: return the report without it, and the block. A form that is the whole report stays in the report.

    Agents hand in a form as a part of the report, and judges are not to read it.
    """
    for start, end in reversed(hidden_code(report)):
        first, *lines = report[start:end].splitlines()
        rest = f"{report[:start].rstrip()}\n{report[end:].lstrip()}"
        if first.strip("`~> \t") == "form" and rest.strip():
            return rest, "\n".join(line for line in lines if line.strip("`~> \t"))
    return report, None


__all__ = ["Citations", "CitedSource", "Defect", "Marker", "Reference", "canonical_url", "parse"]


class _Canonical(dict[str, str]):
    """A cache of canonical URLs by their spelling."""

    def __missing__(self, raw: str) -> str:
        self[raw] = url = canonical_url(raw)
        return url


def parse(report: str, home: str = "", ids: IdLookup | None = None) -> Citations:
    """Parse all citations of the report. An entry that gives only a product's id stands for the product's page below
    the shop's address `home`, if given.

    `ids` asks the shop about ids of an unusual form: once, and about a thousand at most.
    """
    found = scan(report)
    if home:
        found = with_ids(found, home, ids)
    lists = find_lists(found)
    canonical = _Canonical()
    body_links, list_spans = _body_links(found, lists)
    lookup = _Lookup(lists)
    # A number in an entry or in a link's text would count as one more citation.
    elsewhere = [*list_spans, *((link.start, link.end) for link in body_links)]
    marks = find_marks(
        blank_spans(found.plain, elsewhere),
        lookup.numbers,
        numbered=lookup.numbered,
        labels=lookup.labels,
        raised=found.raised,
        closed=found.closed,
    )
    markers = _markers(marks, body_links, lookup, canonical)
    references = [
        Reference(tuple(e.numbers), e.start, e.end, tuple(_urls(e, canonical)), tuple(e.links), _is_note(e))
        for one in lists
        for e in one.entries
    ]
    sources = _sources(found.links, references, markers, canonical)
    blankets = {(start, end) for start, end, _, _, note in marks if note == "blanket"}
    defects = find_defects(len(report), references, markers, sources, blankets, found.unterminated)
    return Citations(markers, sources, references, defects, blank_spans(found.plain, list_spans))


def _is_note(entry: Entry) -> bool:
    return entry.footnote or entry.form == "definition"


def _urls(entry: Entry, canonical: _Canonical) -> list[str]:
    """Return the canonical URLs of an entry, each once."""
    if len(entry.links) < 2:
        return [canonical[link.url] for link in entry.links]
    return list(dict.fromkeys([canonical[link.url] for link in entry.links]))


def _body_links(found: Scan, lists: list[ReferenceList]) -> tuple[list[Link], list[Span]]:
    """Return the links outside the lists, and the spans of the lists' entries; entries on successive lines share a span."""
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
    """Finds the entry for a number. It is in the next list after the citation that has the number, else in the last list before."""

    def __init__(self, lists: list[ReferenceList]) -> None:
        leading = [one for one in lists if _leads_somewhere(one)]
        empty = [one for one in lists if not _leads_somewhere(one)] if len(leading) < len(lists) else []
        self._empty = {number: entry for one in reversed(empty) for number, entry in one.by_number.items()}
        """Entries of lists without any address: they lead nowhere, and do not hide entries with an address."""
        self._only: dict[str, Entry] = leading[0].by_number if len(leading) == 1 else {}
        self._places = _places(leading) if len(leading) > 1 else {}
        keys = (self._only.keys() or self._places.keys()) | self._empty.keys()
        names = {key.removeprefix("^") for key in keys}
        self.labels = frozenset(name for name in names if not name.isdecimal())
        self.numbers = frozenset(names)
        self.numbered = len(self.labels) < len(names)

    def entry(self, number: str, position: int, *, footnote: bool) -> Entry | None:
        """Return the entry for a mark. If both exist, a footnote's mark means the footnote, and a number in brackets the list's entry."""
        # Notes and sources are numbered apart, so `[^1]` and `[1]` may mean two things in one report.
        keys = (f"^{number}", number) if footnote else (number, f"^{number}")
        found = self._entry_for(keys[0], position) or self._entry_for(keys[1], position)
        return found or self._empty.get(keys[0]) or self._empty.get(keys[1])

    def _entry_for(self, key: str, position: int) -> Entry | None:
        if key not in self._places:
            return self._only.get(key)
        starts, entries = self._places[key]
        return entries[min(bisect_right(starts, position), len(entries) - 1)]


def _leads_somewhere(one: ReferenceList) -> bool:
    return any(entry.links for entry in one.entries)


def _places(lists: list[ReferenceList]) -> dict[str, tuple[list[int], list[Entry]]]:
    """Return for each number the positions of the lists that have it, and their entries."""
    found: dict[str, tuple[list[int], list[Entry]]] = {}
    for one in lists:
        for number, entry in one.by_number.items():
            starts, entries = found.setdefault(number, ([], []))
            starts.append(one.start)
            entries.append(entry)
    return found


def _markers(marks: list[Mark], links: list[Link], lookup: _Lookup, canonical: _Canonical) -> list[Marker]:
    markers: list[Marker] = []
    for start, end, name, form, note in marks:
        malformed = note == "malformed"
        url = reason = None
        entry = None if malformed else lookup.entry(name, start, footnote=form == "footnote")
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
    # Marks alone come sorted from `find_marks`.
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
            source = numbers[url]
            for number in reference.numbers:
                source[number] = None
    for marker in markers:
        if marker.url is not None:
            sources[marker.url].inline_spans.append((marker.start, marker.end))
    for url, named in numbers.items():
        sources[url].numbers = list(named)
    return list(sources.values())
