"""Recognises the entries of a reference list: their beginnings, the lines they span, and several on one line."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from drr.citations.lines import RAISED, WORD, Line
from drr.citations.links import Link, number_in

EntryForm = Literal["bracket", "definition", "dot", "label", "row", "plain"]


@dataclass(slots=True)
class Entry:
    numbers: list[str]
    """Numbers as written; empty if the list has none. Footnotes may have names."""
    start: int
    end: int
    links: list[Link]
    form: EntryForm
    indent: int = 0
    footnote: bool = False
    """True if the number has a caret: `[^1]` refers to this entry, and `[1]` does not."""

    def take(self, line: Line) -> None:
        """Extend the entry by a line."""
        self.end = line.end
        self.links.extend(line.links)


_ID = r"(?:[A-Za-z]{0,3}\d{1,4}|[A-WYZa-wyz](?=\\?[\]】］](?!\()))"
_START = r"[\s>]*+(?:[-*+•·‣▪–]\s++)?(?:\*\*|__|\*|<)?"
_BRACKETED = re.compile(
    rf"{_START}(?P<ids>(?:\\?[\[【［]\^?{_ID}\\?[\]】］][\s,]*)+|\\?\[\[\^?{_ID}\]\])(?:\*\*|__|\*)?(?P<colon>[:：])?"
)
_DEFINITION = re.compile(r"[ \t>]*+\\?\[(?P<n>\^?[^\s\[\]\\][^\[\]\n\\]{0,80})\\?\]:(?=\s|<|http|$)")
_DOTTED = re.compile(rf"{_START}(?P<n>\d{{1,4}})(?:\\?[.．)）]|、)(?:\*\*|__)?(?=\s|\*|\[|<|https?:|[^\d\s])")
_PARENTHESISED = re.compile(rf"{_START}[(（](?P<n>\d{{1,4}})[)）]\s")
_INSIDE_LINK = re.compile(
    rf"{_START}\[(?:\\?\[(?=\d{{1,4}}\\?\]\s))?(?P<n>\d{{1,4}})(?:\\?\](?=\s)|(?:\\?[.．、)])(?:\s+|(?=\D)))"
)
_DASHED = re.compile(rf"{_START}#?(?P<n>\d{{1,3}})\s*[-–—:：|]\s")
_LABELLED = re.compile(
    rf"{_START}(?:source|ref(?:erence)?|citation|来源|引用|参考)\s*#?\[?(?P<n>\d{{1,4}})\]?(?:\*\*)?\s*[:：.]\s*",
    re.I,
)
_SUPERSCRIPT = re.compile(rf"{_START}(?P<n>[⁰¹²³⁴-⁹]{{1,3}})\s+")
_HALF_ESCAPED = re.compile(rf"{_START}\\\[(?P<n>\d{{1,4}})\]?\s")
_ROW = re.compile(r"\s*\|\s*(?:\*\*)?\\?\[?(?P<n>\d{1,4})\\?\]?\.?(?:\*\*)?\s*\|")
_NUMBER_BEHIND = re.compile(r"\[(\d{1,4})\]\s{0,5}$")
_RUN_ON = re.compile(r"\\?\[(\d{1,4})\\?\](?!\()")
_SUPERSCRIPTS = str.maketrans(RAISED, "0123456789")
_IDS = re.compile(_ID)
_ACADEMIC = re.compile(r"\((?:19|20)\d\d[a-z]?(?:,[^()]{0,20})?\)|\b(?:19|20)\d\d\b|n\.d\.|et al\.", re.I)
_MARKED = re.compile(r"\[\d+\]")
_PRICE = re.compile(r"[$€£¥]\s?\d")


class _Form(NamedTuple):
    pattern: re.Pattern[str]
    name: EntryForm
    anywhere: bool = True
    """True if the form is also recognised outside a section of references."""


_OF_BRACKETS = (
    _Form(_DEFINITION, "definition"),
    _Form(_BRACKETED, "bracket"),
    _Form(_HALF_ESCAPED, "bracket"),
    _Form(_INSIDE_LINK, "bracket"),
)
_OF_DIGITS = (_Form(_DOTTED, "dot"), _Form(_DASHED, "dot", anywhere=False))
_BY_SIGN: dict[str, tuple[_Form, ...]] = {
    **dict.fromkeys("[\\【［", _OF_BRACKETS),
    **dict.fromkeys("(（", (_Form(_PARENTHESISED, "dot"),)),
    **dict.fromkeys("|", (_Form(_ROW, "row", anywhere=False),)),
    **dict.fromkeys(RAISED, (_Form(_SUPERSCRIPT, "dot"),)),
    **dict.fromkeys("sSrRcC来引参", (_Form(_LABELLED, "label"),)),
}
"""Forms of entry by their first character other than a digit: brackets, a table row, or the word before a number."""


def entry_of(line: Line, *, in_section: bool) -> Entry | None:
    """Return a line as the first line of an entry, by its beginning; `None` if it is none."""
    first = line.first if line.first.isalnum() else line.text[:200].lstrip(" \t>-*+•·‣▪–_<")[:1]
    forms = _BY_SIGN.get(first) or (_OF_DIGITS if first.isdecimal() else ())
    text = line.text[:200] if forms else ""
    for pattern, name, anywhere in forms:
        match = pattern.match(text) if anywhere or in_section else None
        if match:
            footnote = name in ("bracket", "definition") and "^" in match[0]
            return Entry(_ids(match), line.start, line.end, [*line.links], name, footnote=footnote)
    return None


def _ids(match: re.Match[str]) -> list[str]:
    if match.re is _BRACKETED:
        return [plain_number(one) for one in _IDS.findall(match["ids"])]
    number: str = match["n"]
    if not number.isascii():
        number = number.translate(_SUPERSCRIPTS)
    return [plain_number(number.strip("^ "))]


def plain_number(text: str) -> str:
    if not (text.isascii() and text.isdecimal()):
        return text.casefold()
    return text.lstrip("0") or "0"


def named_by_heading(line: Line) -> Entry | None:
    """Return a heading such as `### [3] Title` among references as an entry. A negative indent makes all lines below part of it."""
    entry = entry_of(replace(line, text=line.text.replace("#", " ")), in_section=True)
    if entry is None or entry.form != "bracket":
        return None
    entry.indent = -1
    return entry


def entry_without_number(line: Line) -> Entry:
    """Return the line as an entry whose number, if any, stands at its end."""
    behind = _NUMBER_BEHIND.search(line.text) if line.links else None
    numbers = [plain_number(behind[1])] if behind else []
    return Entry(numbers, line.start, line.end, [*line.links], "plain")


def is_dotted(text: str) -> bool:
    """Tell whether a text begins like `1. ...`, in any emphasis."""
    return _DOTTED.match(text) is not None


def same_kind(last: Entry, entry: Entry) -> bool:
    return last.form == entry.form or {last.form, entry.form} <= {"bracket", "definition"}


def is_link_definition(entry: Entry, text: str) -> bool:
    """Tell whether an entry is a definition such as `[1]: https://...`. A sentence may begin with a marker and a colon too."""
    if not entry.links:
        return False
    head = text[entry.start : entry.links[0].start]
    return head.rstrip(" \t<").endswith(":")


def continues_entry(entry: Entry, line: Line) -> bool:
    """Tell whether the line after an entry continues the entry."""
    if not entry.links:
        return not line.after_blank or (bool(line.links) and len(line.text) < 300)
    if entry.form in ("bracket", "definition") and not line.after_blank and not line.links:
        return len(line.text) < 200 and "[" not in line.text and not line.bulleted
    return line.indent > entry.indent and _fits_below(line)


def is_address_again(last: Entry, line: Line) -> bool:
    """Tell whether a line below an entry only repeats the entry's address, as copied from a page."""
    if (
        len(line.links) != 1
        or len(last.links) > 2
        or line.links[0].url not in [one.url for one in last.links]
    ):
        return False
    return not line.words_beside() and entry_of(line, in_section=True) is None


def _fits_below(line: Line) -> bool:
    if line.bulleted:
        return len(line.text) < 300 and not (line.after_blank and line.links)
    return len(line.text) < 400


def is_plain_entry(line: Line) -> bool:
    """Tell whether a line of a reference section is an entry without a number. It names one source; several links in a row are prose."""
    if line.text.lstrip().startswith("|"):
        return bool(line.links)
    if line.links:
        return line.bulleted or len({link.url for link in line.links}) == 1 or _is_copied_twice(line)
    return len(line.text) > 8 if line.bulleted else _is_academic(line.text)


def _is_copied_twice(line: Line) -> bool:
    """Tell whether a line is a title with its address and the address of a copy."""
    return len(line.links) == 2 and len(line.words_beside()) > 3 and _ACADEMIC.search(line.text) is not None


def _is_academic(text: str) -> bool:
    return (
        len(text) < 500
        and ". " in text
        and _ACADEMIC.search(text) is not None
        and _MARKED.search(text) is None
    )


def is_remark(last: Entry, line: Line) -> bool:
    """Tell whether a line after a numbered list is a sentence with a link, and no entry."""
    return (
        bool(last.numbers)
        and line.after_blank
        and not line.bulleted
        and any(link.text.strip() != link.url for link in line.links)
        and len(line.words_beside()) > 10
        and _ACADEMIC.search(line.text) is None
    )


def is_link_alone(line: Line, words: int) -> bool:
    """Tell whether a line is one link with at most `words` other words, and no price."""
    return len(line.links) == 1 and not has_price(line.text) and len(line.words_beside()) <= words


def has_price(text: str) -> bool:
    return _PRICE.search(text) is not None


def is_pure(entry: Entry, text: str) -> bool:
    """Tell whether an entry is only number, title, URL, perhaps a date: no sentences, no price, no citation in parentheses."""
    first = entry.links[0]
    if has_price(text[entry.start : entry.end]):
        return False
    before = text[entry.start : first.start]
    words_before, words_after = (
        len(WORD.findall(words)) for words in (before, text[entry.links[-1].end : entry.end])
    )
    if len(entry.links) > 2 or (number_in(first.text) and words_before > 1):
        return False
    if before.rstrip().endswith(("(", "（")):
        return False
    if first.kind == "bare" or first.text.strip().startswith(("http", "www.")):
        return len(before) < 400 and words_after <= 8
    return words_before <= 12 and words_after <= 12


def split_run_on(entry: Entry, text: str) -> list[Entry]:
    """Split a line such as `[1] title url [2] title url` into its entries. Empty if the line holds anything else."""
    if entry.form != "bracket":
        return []
    marks = list(_marks_outside_links(entry, text))
    if len(marks) < 2:
        return []
    found: list[Entry] = []
    starts = [link.start for link in entry.links]
    for match, end in zip(marks, [*(following.start() for following in marks[1:]), entry.end], strict=True):
        links = entry.links[bisect_left(starts, match.start()) : bisect_left(starts, end)]
        found.append(Entry([plain_number(match[1])], match.start(), end, links, "bracket"))
    return found if all(one.links for one in found) else []


def is_bare_list(split: list[Entry], text: str) -> bool:
    """Tell whether entries are only numbers and addresses, numbered consecutively: `[1] https://... [2] https://...`."""
    numbers = [one.numbers[0] for one in split]
    if not all(one.isdecimal() for one in numbers):
        return False
    first = int(numbers[0])
    counted = numbers == [str(first + at) for at in range(len(split))]
    return counted and all(
        len(one.links) == 1
        and not WORD.findall(text[one.links[0].end : one.end])
        and len(WORD.findall(text[one.start : one.links[0].start])) <= 1
        for one in split
    )


def _marks_outside_links(entry: Entry, text: str) -> Iterator[re.Match[str]]:
    # Links stand in the order of the text: a look at each of them for each mark would take a megabyte four minutes.
    starts = [link.start for link in entry.links]
    for match in _RUN_ON.finditer(text, entry.start, entry.end):
        before = bisect_right(starts, match.start())
        if not before or match.start() >= entry.links[before - 1].end:
            yield match


def is_counted(run: list[Entry]) -> bool:
    """Tell whether entries are short and numbered from 1 on, without a gap."""
    numbers = [int(n) for entry in run for n in entry.numbers if n.isdecimal()]
    in_order = len(run) >= 3 and numbers == list(range(1, len(run) + 1))
    return in_order and all(entry.end - entry.start < 300 for entry in run)
