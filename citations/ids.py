"""Entries that name a product of the shop by its id and give no address: `[1] B08BASHAWX · [2] B0GZJU9HVJ`, `[3] Slateline serum (B0IOG73MBD)`.

A line counts only if it is nothing but such entries. What an id stands for is its page in the shop that the report is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from drr.citations.links import Link, Scan

_MARK = re.compile(r"\[\d{1,3}\]:?(?=\s)")
_ID = re.compile(r"(?<![\w/-])B0[A-Z0-9]{8}(?![\w-])")
_LABEL = re.compile(r"[\s>*_-]*(?:[^\W\d_]{2,20}[*_]{0,2}\s?[:：][*_]{0,2}\s?)?")
_TITLE = re.compile(r"[^$€£¥?!\n]{0,160}[\s(:,;|–—-]{1,3}")
_BEHIND = re.compile(r"[\s)*_.,;·•|–—-]*")


class IdEntry(NamedTuple):
    """An entry: where its mark stands, and the link to the page of its id."""

    mark: int
    link: Link


def with_ids(found: Scan, home: str) -> Scan:
    """The same with a link to the shop's page for each id that an entry gives alone."""
    named = [one.link for line in named_by_id(found, home) for one in line]
    found.links = sorted([*found.links, *named], key=lambda one: one.start)
    return found


def named_by_id(found: Scan, home: str) -> Iterator[list[IdEntry]]:
    """The entries of each line that is nothing but such entries."""
    for start, end in _lines(found.plain):
        if entries := _entries(found, start, end, home.rstrip("/")):
            yield entries


def is_id(report: str, link: Link) -> bool:
    """Whether the report gives an id where the link stands, and no address."""
    return link.kind == "bare" and report[link.start : link.end] == link.text != link.url


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        if len(line) < 4_000:
            yield start, start + len(line)
        start += len(line) + 1


def _entries(found: Scan, start: int, end: int, home: str) -> list[IdEntry]:
    """One for each entry of a line, or none at all."""
    text = found.plain
    ids = list(_ID.finditer(text, start, end))
    marks = list(_MARK.finditer(text, start, end)) if ids else []
    if not ids or len(marks) != len(ids) or _LABEL.fullmatch(text, start, marks[0].start()) is None:
        return []
    if any(start <= link.start < end for link in found.links):
        return []
    ends = [*(one.start() for one in marks[1:]), end]
    for mark, one, until in zip(marks, ids, ends, strict=True):
        if not mark.end() < one.start() < until or _BEHIND.fullmatch(text, one.end(), until) is None:
            return []
        if _TITLE.fullmatch(text, mark.end(), one.start()) is None:
            return []
    links = [Link(one.start(), one.end(), f"{home}/{one[0]}", one[0], "bare") for one in ids]
    return [IdEntry(mark.start(), link) for mark, link in zip(marks, links, strict=True)]
