"""Finds reference lists, first by their shape, then by their heading, in any language, with or without numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from drr.citations.entries import Entry, entry_of, is_link_alone, is_pure
from drr.citations.lines import WORD, Line, Lines
from drr.citations.links import Scan, number_in
from drr.citations.runs import Runs, is_end_of_text, is_rule


@dataclass(slots=True)
class ReferenceList:
    entries: list[Entry]
    by_number: dict[str, Entry] = field(default_factory=dict)
    """Entries by number; a footnote's number begins with a caret."""

    @property
    def start(self) -> int:
        return self.entries[0].start


_CITING = re.compile(
    r"[\[【［][\d\s,，、;^\[\]–—-]{1,80}[\]】］](?!\()|(?<=[^\W\d_])\d{1,3}(?=[\s.,;，。]|$)|(?<=[.!?,;:)”\"%。])\d{1,3}(?=[\s,，]|$)|[¹²³⁴-⁹]+"
)
_TABLE_RULE = re.compile(r"[\s:|-]+")
_CITING_COLUMN = re.compile(
    r"\|\s*(?:sources?|urls?|links?|references?|address(?:es)?|citations?)\s*(?:\||$)", re.I
)
_DIGITS = re.compile(r"\d{1,4}")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def find_lists(scan: Scan) -> list[ReferenceList]:
    """Return every reference list, in the order of the text."""
    lines = Lines(scan)
    runs = Runs(lines, scan.plain)
    runs.read()
    accepted = _without_body_lists(runs.accepted, runs.loose, scan.plain)
    accepted += _tables(lines, scan.plain, {entry.start for entries in accepted for entry in entries})
    tail = _closing_links(lines, {entry.start for entries in accepted for entry in entries})
    if tail:
        accepted.append(tail)
    accepted.sort(key=lambda entries: entries[0].start)
    return [_numbered_list(entries) for entries in _join_lists(accepted, scan.plain)]


def _without_body_lists(
    accepted: list[list[Entry]], loose: list[list[Entry]], text: str
) -> list[list[Entry]]:
    """Leave out numbered links that are the answer itself. None of their numbers is cited and they do not end the report.

    If another list defines the numbers, the markers refer to that list.
    """
    if not loose:
        return accepted
    cited = _cited_numbers(accepted, text)
    own = {id(entries) for entries in loose}
    defined = {
        n for entries in accepted if id(entries) not in own for entry in entries for n in entry.numbers
    }

    # Numbered picks look like a list of sources; taken for one, the answer itself would state nothing.
    def is_body(entries: list[Entry]) -> bool:
        numbers = {n for entry in entries for n in entry.numbers}
        if numbers & defined:
            return True
        if all(link.kind == "bare" for entry in entries for link in entry.links):
            return False
        return not numbers & cited and not is_end_of_text(text, entries[-1].end)

    return [entries for entries in accepted if id(entries) not in own or not is_body(entries)]


def _cited_numbers(accepted: list[list[Entry]], text: str) -> set[str]:
    """Return every number outside these lists that may be a citation."""
    cited: set[str] = set()
    position = 0
    for start, end in [*sorted((run[0].start, run[-1].end) for run in accepted), (len(text), len(text))]:
        for match in _CITING.finditer(text, position, start):
            cited.update(str(int(n)) for n in _DIGITS.findall(match[0].translate(_SUPERSCRIPTS)))
        position = max(position, end)
    return cited


def _tables(lines: Lines, text: str, taken: set[int]) -> Iterator[list[Entry]]:
    """Yield tables with a number and an address in each row, numbered from 1, whose numbers are cited."""
    rows: list[Line] = []
    for index, line in enumerate([*lines.texts, ""]):
        is_row = line.lstrip().startswith("|")
        if rows and (not is_row or lines[index].after_blank):
            yield from _table(rows, text, taken)
            rows = []
        if is_row:
            rows.append(lines[index])


def _table(rows: list[Line], text: str, taken: set[int]) -> Iterator[list[Entry]]:
    filled_rows = [row for row in rows if not _TABLE_RULE.fullmatch(row.text)]
    head = filled_rows[0] if filled_rows and not filled_rows[0].links else None
    listed = [entry_of(row, in_section=True) for row in (filled_rows[1:] if head else filled_rows)]
    entries = [
        entry for entry in listed if entry is not None and entry.form == "row" and len(entry.links) == 1
    ]
    if not entries or len(entries) < len(listed) or entries[0].start in taken:
        return
    if [number for entry in entries for number in entry.numbers] != [str(n + 1) for n in range(len(entries))]:
        return
    named = head is not None and _CITING_COLUMN.search(head.text) is not None
    bare = all(
        entry.links[0].kind == "bare" and len(row.words_beside()) <= 1
        for entry, row in zip(entries, filled_rows[-len(entries) :], strict=True)
    )
    # A table of products with links belongs to the answer; a table of sources is cited above itself.
    if (
        (named or bare)
        and all(is_pure(entry, text) for entry in entries)
        and "[1]" in text[: entries[0].start]
    ):
        yield entries


def _closing_links(lines: Lines, taken: set[int]) -> list[Entry]:
    """Return the lines at the very end that hold only one link each; none if a list begins among them. A last remark may
    follow if a rule separates the links from the text."""
    last, remarks = _before_remarks(lines)
    tail: list[Line] = []
    for line in takewhile(_is_nothing_but_link, (lines[index] for index in range(last, -1, -1))):
        if line.start in taken:
            return []
        tail.append(line)
    above = last - len(tail)
    parted = above >= 0 and is_rule(lines[above])
    if len(tail) < 2 or (remarks and not parted):
        return []
    return [Entry([], line.start, line.end, [*line.links], "plain") for line in reversed(tail)]


def _before_remarks(lines: Lines) -> tuple[int, int]:
    """Return the index of the last line above rules and closing remarks, and the number of remarks. There are at most two."""
    remarks = 0
    for last in range(len(lines) - 1, -1, -1):
        line = lines[last]
        if is_rule(line):
            continue
        if remarks == 2 or not _is_last_remark(line):
            return last, remarks
        remarks += 1
    return -1, remarks


def _is_last_remark(line: Line) -> bool:
    return not line.links and len(line.text) < 200 and line.first not in "#|"


def _is_nothing_but_link(line: Line) -> bool:
    if not is_link_alone(line, 2) or line.text.lstrip().startswith(("|", "(", "#")):
        return False
    link = line.links[0]
    return not (number_in(link.text) and WORD.search(line.text[: link.start - line.start]))


def _join_lists(accepted: list[list[Entry]], text: str) -> Iterator[list[Entry]]:
    """Yield the lists with runs joined that only blank lines or sub-headings separate, unless the numbers begin again."""
    current: list[Entry] = []
    for entries in accepted:
        if (
            current
            and not text[current[-1].end : entries[0].start].strip()
            and not _restarts(current, entries)
        ):
            current += entries
            continue
        if current:
            yield current
        current = list(entries)
    if current:
        yield current


def _restarts(current: list[Entry], entries: list[Entry]) -> bool:
    seen = {number for entry in current for number in entry.numbers}
    return any(number in seen for entry in entries for number in entry.numbers)


def _numbered_list(entries: list[Entry]) -> ReferenceList:
    # Markdown counts the items itself: `1.` on every line is shown as 1, 2, 3.
    dotted = [entry for entry in entries if entry.form == "dot"]
    if len(dotted) > 1 and all(entry.numbers == ["1"] for entry in dotted):
        for position, entry in enumerate(dotted, 1):
            entry.numbers = [str(position)]
    found = ReferenceList(entries)
    for entry in entries:
        for number in entry.numbers:
            key = f"^{number}" if entry.footnote else number
            numbered = found.by_number.get(key)
            # An entry without an address must not hide one with an address, to which a mark can lead.
            if numbered is None or (not numbered.links and entry.links):
                found.by_number[key] = entry
    return found
