"""The defects of a report's pointing: one function for each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from drr.citations.cited import CitedSource, Defect, Marker, Reference, Span

_SHOWN = 80
"""Characters shown of a link that never ends."""


def find_defects(
    length: int,
    references: Sequence[Reference],
    markers: Sequence[Marker],
    sources: Sequence[CitedSource],
    blankets: Iterable[Span],
    unterminated: Iterable[int],
) -> list[Defect]:
    """All of them, in the order of the text. `blankets` and `unterminated` are as the scanners met them."""
    found = [
        *_lost(markers),
        *_blanket_ranges(blankets),
        *_empty_entries(references),
        *_list_without_markers(references, markers),
        *_uncited(sources),
        *_duplicates(sources, references),
        *_unterminated(unterminated, length),
    ]
    return sorted(found, key=lambda defect: (defect.start, defect.kind))


def _lost(markers: Sequence[Marker]) -> Iterator[Defect]:
    """Each id that leads nowhere once, with the number of its places."""
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


def _uncited(sources: Sequence[CitedSource]) -> Iterator[Defect]:
    for source in sources:
        if source.list_spans and not source.inline_spans:
            yield Defect("uncited", ", ".join(source.numbers), *source.list_spans[0], source.url)


def _duplicates(sources: Sequence[CitedSource], references: Sequence[Reference]) -> Iterator[Defect]:
    """Yield sources that are listed twice. A footnote and an entry of a list are none, nor two under one number."""
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


def _unterminated(positions: Iterable[int], length: int) -> Iterator[Defect]:
    for start in positions:
        end = min(start + _SHOWN, length)
        yield Defect("unterminated_link", "", start, end, "a link without its end")
