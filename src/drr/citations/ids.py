"""Finds entries that name a product of the shop by its id and give no address. Examples: `[1] B08BASHAWX · [2]
B0GZJU9HVJ`, `[3] Slateline serum (B0IOG73MBD)`.

A line counts only if it consists of such entries. An id stands for the product's page in the shop that the report is about. An
id of another form (`0316769487`, `SKU-1234`) counts if the shop has it and it stands without a title.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from drr.citations.links import Link, Scan

IdLookup = Callable[[Sequence[str]], Collection[str]]
"""A function that asks a shop which of the given texts are ids of its products."""

_MARK = re.compile(r"\[\d{1,3}\]:?(?=\s)")
_ID = re.compile(r"(?<![\w/-])B0[A-Z0-9]{8}(?![\w-])")
_LABEL = re.compile(r"[\s>*_-]*(?:[^\W\d_]{2,20}[*_]{0,2}\s?[:：][*_]{0,2}\s?)?")
_TITLE = re.compile(r"[^$€£¥?!\n]{0,160}[\s(:,;|–—-]{1,3}")
_BEHIND = re.compile(r"[\s)*_.,;·•|–—-]*")
_TOKEN = re.compile(
    r"[\s(*_]{1,8}(?P<token>[A-Za-z0-9][A-Za-z0-9_-]{2,38}[A-Za-z0-9])(?P<behind>[^A-Za-z0-9]*)"
)
_MOST = 1_000
"""Maximum number of words of one report that are looked up in the shop as product ids."""


class IdEntry(NamedTuple):
    """An entry: the position of its mark, and the link to the product's page."""

    mark: int
    link: Link


def with_ids(found: Scan, home: str, lookup: IdLookup | None = None) -> Scan:
    """Add a link to the shop's page for each id that stands alone in an entry; return the scan."""
    named = [one.link for line in named_by_id(found, home, lookup) for one in line]
    found.links = sorted([*found.links, *named], key=lambda one: one.start)
    return found


def named_by_id(found: Scan, home: str, lookup: IdLookup | None = None) -> Iterator[list[IdEntry]]:
    """Yield the entries of each line that consists of such entries."""
    home, starts = home.rstrip("/"), [link.start for link in found.links]
    asked: list[list[IdEntry]] = []
    for start, end in _lines(found.plain):
        marks = list(_MARK.finditer(found.plain, start, end))
        if not marks or bisect_left(starts, start) < bisect_left(starts, end):
            continue
        if _LABEL.fullmatch(found.plain, start, marks[0].start()) is None:
            continue
        places = list(pairwise([*(one.start() for one in marks), end]))
        if entries := _of_one_form(found.plain, marks, places, home):
            yield entries
        elif lookup is not None and (entries := _entries_of_lone_ids(found.plain, marks, places, home)):
            asked.append(entries)
    if lookup is not None and asked:
        yield from _known_entries(asked, lookup)


def is_id(report: str, link: Link) -> bool:
    """Tell whether the report gives an id instead of an address where the link stands."""
    return link.kind == "bare" and report[link.start : link.end] == link.text != link.url


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        if len(line) < 4_000:
            yield start, start + len(line)
        start += len(line) + 1


def _of_one_form(
    text: str, marks: Sequence[re.Match[str]], places: Sequence[tuple[int, int]], home: str
) -> list[IdEntry]:
    """Return one entry for each mark of a line with a recognisable product id, or none at all."""
    ids = list(_ID.finditer(text, places[0][0], places[-1][1]))
    if len(marks) != len(ids):
        return []
    for mark, one, (_, until) in zip(marks, ids, places, strict=True):
        if not mark.end() < one.start() < until or _BEHIND.fullmatch(text, one.end(), until) is None:
            return []
        if _TITLE.fullmatch(text, mark.end(), one.start()) is None:
            return []
    return [_entry(mark, one.span(), one[0], home) for mark, one in zip(marks, ids, strict=True)]


def _entries_of_lone_ids(
    text: str, marks: Sequence[re.Match[str]], places: Sequence[tuple[int, int]], home: str
) -> list[IdEntry]:
    """Return one entry for each mark of a line followed only by a possible product id, or none at all."""
    entries: list[IdEntry] = []
    for mark, (_, until) in zip(marks, places, strict=True):
        found = _TOKEN.fullmatch(text, mark.end(), until)
        if (
            found is None
            or _BEHIND.fullmatch(found["behind"]) is None
            or not any(map(str.isdigit, found["token"]))
        ):
            return []
        entries.append(_entry(mark, found.span("token"), found["token"], home))
    return entries


def _entry(mark: re.Match[str], span: tuple[int, int], product_id: str, home: str) -> IdEntry:
    return IdEntry(mark.start(), Link(*span, f"{home}/{product_id}", product_id, "bare"))


def _known_entries(lines: Sequence[Sequence[IdEntry]], lookup: IdLookup) -> Iterator[list[IdEntry]]:
    """Yield the lines' entries whose ids all belong to the shop, which is asked once for all lines."""
    ids: dict[str, None] = {}
    wanted: list[Sequence[IdEntry]] = []
    for line in lines:
        more = [one.link.text for one in line if _ID.fullmatch(one.link.text) is None]
        if len(ids) + len(more) > _MOST:
            break
        ids.update(dict.fromkeys(more))
        wanted.append(line)
    known = frozenset(lookup(list(ids)) if ids else ())
    for line in wanted:
        if all(one.link.text in known or one.link.text not in ids for one in line):
            yield list(line)
