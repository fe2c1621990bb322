"""Repairs a report: takes out citations of unknown sources and marks that lead nowhere.

The repair uses the same parser as the judge, so accepted citations are never removed and counted ones never overlooked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from drr.citations.addresses import BARE, canonical_url
from drr.citations.ids import IdLookup, named_by_id
from drr.citations.links import scan
from drr.citations.parse import Citations, Marker, parse

_OPENING = re.compile(r"<sup[^<>]*>|\\?[\[【［]\^?|\^|")
_CLOSING = re.compile(r"</sup>|\^?\\?[\]】］]|\^|")
_LABEL = re.compile(r"\[([^\[\]\n]+)\]")
_SPACE = " \t"
_BETWEEN = _SPACE + "·•|,;–—"
_NO_SPACE = re.compile(r"(?P<space>[ \t]*)(?P<stop>[.,;:!?](?!\S)|\)|[\r\n]|\Z)?")


def dangling_ids(citations: Citations) -> list[str]:
    """Return the ids, each once, of marks that lead to no address."""
    return list(dict.fromkeys(marker.id for marker in citations.markers if marker.url is None))


def unknown_urls(citations: Citations, known: Callable[[str], bool]) -> list[str]:
    """Return the cited addresses that are not known, each in one spelling."""
    return [source.address for source in citations.sources if not known(source.url)]


def with_addresses(
    report: str, known: Callable[[str], bool], home: str, lookup: IdLookup | None = None
) -> str:
    """Return the report with known addresses in place of ids that stand alone in its list of sources.

    Outside the shop at `home` nobody can follow an id. Entries on one line are put on lines of their own, so that
    each can be read, and removed, without the others.
    """
    changes: list[_Change] = []
    for line in named_by_id(scan(report), home, lookup) if home else ():
        links = [link for _, link in line if known(link.url)]
        changes += [_Change(link.start, link.end, link.url) for link in links]
        if links and len(line) > 1:
            changes += [_on_its_own_line(report, mark) for mark, _ in line if _follows_words(report, mark)]
    return _Edited(report).with_changes(sorted(changes))


def _on_its_own_line(report: str, at: int) -> _Change:
    """Put an entry on a line of its own, in place of the separator before it."""
    start = at
    while start and report[start - 1] in _BETWEEN:
        start -= 1
    return _Change(start, at, "\n")


def _follows_words(report: str, at: int) -> bool:
    """Tell whether words precede this position in its line."""
    return any(map(str.isalnum, report[report.rfind("\n", 0, at) + 1 : at]))


def remove(report: str, urls: Collection[str], home: str = "", lookup: IdLookup | None = None) -> str:
    """Return the report without the citations of these addresses and without marks that lead nowhere.

    Only marks, links and list entries go: the sentences stay, now visibly uncited, because this function must not
    change a report's claims. `home` and `lookup` are as `home` and `ids` of `parse`.
    """
    citations = parse(report, home, lookup)
    bad = {canonical_url(url) for url in urls}
    changes = sorted([*_in_text(report, citations, bad), *_in_lists(report, citations, bad)])
    return _Edited(report).with_changes(changes)


class _Change(NamedTuple):
    start: int
    end: int
    text: str
    """The replacement."""


def _in_text(report: str, citations: Citations, bad: set[str]) -> Iterator[_Change]:
    places: dict[tuple[int, int], list[Marker]] = {}
    for marker in citations.markers:
        places.setdefault((marker.start, marker.end), []).append(marker)
    for (start, end), markers in places.items():
        kept = [marker for marker in markers if marker.url is not None and marker.url not in bad]
        if len(kept) == len(markers):
            continue
        written = report[start:end]
        yield _Change(start, end, _with_only(written, kept) if kept else _words(written, markers[0]))


def _with_only(written: str, kept: list[Marker]) -> str:
    """Return a mark such as `[1, 4]` or `[3-5]` reduced to the numbers that stay, in the same brackets."""
    opening = _OPENING.match(written)
    closing = next(match for at in range(len(written) + 1) if (match := _CLOSING.fullmatch(written, at)))
    numbers = ", ".join(dict.fromkeys(marker.id for marker in kept))
    return f"{opening[0] if opening else ''}{numbers}{closing[0]}"


def _words(written: str, marker: Marker) -> str:
    """Return the text that stays of a removed mark or link. Words of the sentence stay, never a number or an address."""
    words = marker.id if marker.form in ("link", "html") else ""
    if marker.form == "label":
        label = _LABEL.match(written)
        words = label[1] if label and not label[1].strip()[-1:].isdecimal() else ""
    return "" if BARE.search(words) or words.casefold().startswith("www.") else words


def _in_lists(report: str, citations: Citations, bad: set[str]) -> Iterator[_Change]:
    """Yield the removals of list entries: those whose address is bad, and those without an address that were cited."""
    nowhere = {marker.id for marker in citations.markers if marker.url is None}
    for entry in citations.references:
        # Marks lead to an entry's first address, so the entry goes with that one.
        if entry.urls[0] in bad if entry.urls else not nowhere.isdisjoint(entry.numbers):
            # A whole line goes with its line end, so that the list keeps no blank line.
            whole = report[entry.start - 1 : entry.start] in ("", "\n")
            yield _Change(entry.start, entry.end + (whole and report[entry.end : entry.end + 1] == "\n"), "")
            continue
        for link in entry.links:
            if canonical_url(link.url) in bad:
                words = link.text if link.kind == "link" and not BARE.search(link.text) else ""
                yield _Change(link.start, link.end, words)


class _Edited:
    """A report copied with changes. After a removal, no space is left before a full stop or at a line's end."""

    def __init__(self, report: str) -> None:
        self._report = report
        self._parts: list[str] = []

    def with_changes(self, changes: list[_Change]) -> str:
        position = 0
        for start, end, text in changes:
            # The entry around this link is gone already.
            if start < position:
                continue
            self._parts.append(self._report[position:start])
            position = end
            if text:
                self._parts.append(text)
            elif self._report[end - 1] != "\n":
                position = self._closed_up(end)
        self._parts.append(self._report[position:])
        return "".join(self._parts)

    def _closed_up(self, position: int) -> int:
        """Remove spaces that a removal made superfluous; return where to continue."""
        following = _NO_SPACE.match(self._report, position)
        assert following is not None
        stop, at = following["stop"], following.end("space")
        if stop is None and at == position:
            return position
        before = self._before()
        if before in ("", "\n"):
            return at
        self._strip()
        if before == "(" and stop == ")":
            self._parts[-1] = self._parts[-1][:-1]
            self._strip()
            return at + 1
        return position if stop is None else at

    def _before(self) -> str:
        """Return the last character kept, ignoring spaces."""
        return next((kept[-1] for part in reversed(self._parts) if (kept := part.rstrip(_SPACE))), "")

    def _strip(self) -> None:
        while self._parts and not self._parts[-1].rstrip(_SPACE):
            self._parts.pop()
        if self._parts:
            self._parts[-1] = self._parts[-1].rstrip(_SPACE)
