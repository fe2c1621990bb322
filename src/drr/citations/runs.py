"""Gathers runs of entries: neighbouring lines of a report that form a list."""

from __future__ import annotations

import re

from drr.citations.entries import (
    Entry,
    continues_entry,
    entry_of,
    entry_without_number,
    has_price,
    is_address_again,
    is_bare_list,
    is_counted,
    is_dotted,
    is_link_alone,
    is_link_definition,
    is_plain_entry,
    is_pure,
    is_remark,
    named_by_heading,
    same_kind,
    split_run_on,
)
from drr.citations.lines import Line, Lines, is_of_links, is_reference_heading

_HEADING = re.compile(r"[\s>]*+(#{1,6})\s*+(.+)$")
_BOLD_LINE = re.compile(r"[\s>]*(?:\*\*|__)([^*_\n]{1,80})(?:\*\*|__)\s*+[:：]?\s*+$")
_HEADS = frozenset("#*_")
_BOLD = 7
"""The depth of a bold line on its own, below any heading, and of a list that only a label opens."""
_RULE = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,}|={3,}|⁂|\* \* \*)\s*$")
_RULES = frozenset("-*_=⁂")
_ELLIPSIS = re.compile(r"\s*(?:\.{3,}|…+)\s*$")
_LABELLED_RUN = re.compile(r"[\s>*_]*([^\W\d_][\w ]{1,30})[*_]*\s*[:：][*_\s]*(?=\\?\[\d)")
_NOTES = re.compile(r"\W*(?:foot|end)?notes\W*|\W*(?:anmerkungen|notas|note|注释|注)\W*", re.I)
_TITLED = re.compile(r"\W*\d{1,4}\W+[^\W\d_a-z]")
_END = re.compile(r"[\s*_⁂-]*\Z")


class Runs:
    """A pass over the lines that gathers consecutive entries. The line that ends a run decides whether the run is a list."""

    def __init__(self, lines: Lines, text: str) -> None:
        self._lines = lines
        self._text = text
        self.accepted: list[list[Entry]] = []
        self.loose: list[list[Entry]] = []
        """Accepted lists that no heading names and whose numbers any numbered text might have."""
        self._run: list[Entry] = []
        self._run_in_section = False
        self._level: int | None = None
        """Depth of the heading of the current section of references; `None` outside such a section."""
        self._section_entries = 0
        self._under_notes = False
        """True if the heading above is one of notes."""

    def read(self) -> None:
        lines = self._lines
        for index in range(len(lines)):
            if self._run or self._level is not None or not lines.says_nothing(index):
                self._read(index, lines[index])
        self._close()

    def _read(self, index: int, line: Line) -> None:
        """Process a line as the first kind of line that fits."""
        known = (
            (line.first in _HEADS and self._heading(index, line))
            or self._under_its_heading(line)
            or (line.links and (self._list_on_one_line(line) or self._address_again(line)))
            or self._entry(line)
            or self._plain_entry(line)
            or self._more_of_the_last(line)
            or self._rule(line)
            or self._prose_of_section(line)
        )
        if not known:
            self._close()
            self._label(index, line)

    def _heading(self, index: int, line: Line) -> bool:
        level, title = _heading_of(line)
        if level == 0:
            return False
        notes = _NOTES.fullmatch(title) is not None
        if is_reference_heading(title) or (is_of_links(title) and self._is_link(index + 1)):
            self._close()
            self._under_notes = False
            self._open(level)
            return True
        outer = self._level
        named = named_by_heading(line) if outer is not None and outer < level < _BOLD else None
        if named is not None:
            self._add([named], in_section=True)
            return True
        self._close()
        self._under_notes = notes
        if outer is not None and (level <= outer or level == outer == _BOLD):
            self._level = None
        return True

    def _under_its_heading(self, line: Line) -> bool:
        if self._level is None:
            return False
        if self._run and self._run[-1].indent < 0:
            self._run[-1].take(line)
            return True
        return _is_label(line)

    def _list_on_one_line(self, line: Line) -> bool:
        """Accept a list on one line, such as `Sources: [1] title url [2] title url`."""
        labelled = _LABELLED_RUN.match(line.text) if len(line.links) > 1 else None
        if not (labelled and is_reference_heading(labelled[1])):
            return False
        first = line.start + labelled.end(1)
        split = split_run_on(Entry([], first, line.end, [*line.links], "bracket"), self._text)
        if split:
            self._close()
            self.accepted.append(split)
        return bool(split)

    def _address_again(self, line: Line) -> bool:
        again = bool(self._run) and is_address_again(self._run[-1], line)
        if again:
            self._run[-1].end = line.end
        return again

    def _entry(self, line: Line) -> bool:
        in_section = self._level is not None
        entry = entry_of(line, in_section=in_section)
        if entry is None or self._is_no_entry(entry, line):
            return False
        if len(entry.links) > 1:
            split = split_run_on(entry, self._text)
            if split and (in_section or is_bare_list(split, self._text)):
                self._add(split, in_section=in_section)
                return True
        self._take(entry, line)
        return True

    def _is_no_entry(self, entry: Entry, line: Line) -> bool:
        if entry.form == "row":
            return not entry.links
        if entry.form != "definition" or self._level is not None or is_link_definition(entry, self._text):
            return False
        return not line.text.lstrip(" >").startswith("[^")

    def _plain_entry(self, line: Line) -> bool:
        last = self._run[-1] if self._run else None
        if self._level is None or not is_plain_entry(line) or (last and is_remark(last, line)):
            return False
        if last and last.numbers and line.indent > last.indent:
            last.take(line)
            return True
        if last and not line.bulleted and continues_entry(last, line):
            return False
        self._take(entry_without_number(line), line)
        return True

    def _more_of_the_last(self, line: Line) -> bool:
        if not (self._run and continues_entry(self._run[-1], line)):
            return False
        self._run[-1].take(line)
        return True

    def _rule(self, line: Line) -> bool:
        if is_rule(line):
            if self._level is None:
                self._close()
            return True
        return line.first in (".", "…") and _ELLIPSIS.match(line.text) is not None

    def _prose_of_section(self, line: Line) -> bool:
        """Process a line without an entry in a section of references. Prose after entries ends the section, unless it is a remark on the entries."""
        if self._level is None:
            return False
        prose = line.after_blank and (self._level == _BOLD or len(line.text) >= 120)
        if self._section_entries and prose and not line.links:
            self._close()
            self._level = None
        return True

    def _label(self, index: int, line: Line) -> None:
        """Open a section at a label such as `Sources:`, if a possible entry follows."""
        if index + 1 >= len(self._lines) or not _is_label(line):
            return
        after = self._lines[index + 1]
        if after.links or is_plain_entry(after) or entry_of(after, in_section=True) is not None:
            self._open(_BOLD)

    def _is_link(self, index: int) -> bool:
        return index < len(self._lines) and is_link_alone(self._lines[index], 6)

    def _open(self, level: int) -> None:
        self._level, self._section_entries = level, 0

    def _take(self, entry: Entry, line: Line) -> None:
        entry.indent = line.indent
        in_section = self._level is not None
        run = self._run
        if run and (self._run_in_section != in_section or not (in_section or same_kind(run[-1], entry))):
            self._close()
        self._add([entry], in_section=in_section)

    def _add(self, entries: list[Entry], *, in_section: bool) -> None:
        if not self._run:
            self._run_in_section = in_section
        self._run += entries
        self._section_entries += len(entries)

    def _close(self) -> None:
        run, self._run = self._run, []
        if not run:
            return
        if (
            self._run_in_section
            or _is_list(run, self._text)
            or _is_lone(run, self._text)
            or self._is_of_notes(run)
            or _is_last(run, self._text)
        ):
            self.accepted.append(run)
            if not self._run_in_section and run[0].form == "dot":
                self.loose.append(run)
            return
        definitions = [
            entry for entry in run if entry.form == "definition" and is_link_definition(entry, self._text)
        ]
        if definitions:
            self.accepted.append(definitions)

    def _is_of_notes(self, run: list[Entry]) -> bool:
        """Tell whether a run is the numbered titles without addresses under a heading of notes: these are entries, not claims."""
        if not self._under_notes or run[0].form != "bracket" or len(run) < 2:
            return False
        return _is_titled(run, self._text)


def _heading_of(line: Line) -> tuple[int, str]:
    """Return depth and title of a heading; depth 0 if the line is none."""
    if line.first == "#":
        match = _HEADING.match(line.text[:300])
        return (len(match[1]), match[2].rstrip(" \t\r#") or "#") if match else (0, "")
    if len(line.text) >= 120 or line.links:
        return 0, ""
    bold = _BOLD_LINE.match(line.text[:300])
    return (_BOLD, bold[1]) if bold and not is_dotted(line.text) else (0, "")


def _is_label(line: Line) -> bool:
    """Tell whether a line on its own names a list without being a heading."""
    if line.links:
        return False
    bare = line.text.strip(" \t*_#>")
    if not 1 < len(bare) <= 40 or not (bare.endswith((":", "：")) or len(bare.split()) <= 3):
        return False
    return is_reference_heading(line.text)


def _is_list(run: list[Entry], text: str) -> bool:
    """Tell whether a numbered run with URLs outside any reference section is a list of references. It may also be part of the answer."""
    linked = [entry for entry in run if entry.links]
    if run[0].form in ("bracket", "definition", "label"):
        return len(linked) >= 2 or all(entry.form == "definition" for entry in run) or is_counted(run)
    return len(linked) >= 2 and len(linked) * 2 >= len(run) and all(is_pure(entry, text) for entry in linked)


def _is_lone(run: list[Entry], text: str) -> bool:
    """Tell whether a run is one numbered entry at the end of a report that cites its number."""
    entry = run[0]
    if len(run) > 1 or not entry.links or not entry.numbers or not is_end_of_text(text, entry.end):
        return False
    return is_pure(entry, text) and f"[{entry.numbers[0]}]" in text[: entry.start]


def _is_last(run: list[Entry], text: str) -> bool:
    """Tell whether a run ends the report: titles and addresses, numbered, each cited above, and no prices."""
    if run[0].form != "bracket" or not is_end_of_text(text, run[-1].end) or not _is_titled(run, text):
        return False
    above = text[: run[0].start]
    return all(
        f"[{entry.numbers[0]}]" in above and not has_price(text[entry.start : entry.end]) for entry in run
    )


def _is_titled(run: list[Entry], text: str) -> bool:
    """Tell whether the entries are numbered from 1 on, short, and each with a title or an address."""
    return [entry.numbers for entry in run] == [[str(n)] for n in range(1, len(run) + 1)] and all(
        entry.end - entry.start < 300 and (entry.links or _TITLED.match(text, entry.start, entry.end))
        for entry in run
    )


def is_rule(line: Line) -> bool:
    return line.first in _RULES and _RULE.match(line.text) is not None


def is_end_of_text(text: str, position: int) -> bool:
    """Tell whether only rules and spaces follow a position."""
    return _END.match(text, position) is not None
