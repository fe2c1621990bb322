"""Numbers without brackets that cite: glued to a sentence, before its stop, or raised."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from string import ascii_letters

from drr.citations.marks import Mark, MarkForm

_PUNCTUATION = ".,;:!?。，；：！？"
_TAIL = (
    rf"[{_PUNCTUATION}]{{1,2}}[\"'”’)）*]{{0,3}}"
    r"(\d{1,3}(?:,\d{1,3}){0,4})(?=\s|$|[)）|*\]”\"<—–]|_(?=\s|$))"
)
_GLUED = re.compile(
    r"(?<=[A-Za-z\u00c0-\u024f\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af)\]）%’”\"'*|_;:+…™®°])"
    + _TAIL
)
_GLUED_TAIL = re.compile(_TAIL)
_BEFORE_TAIL = re.compile(r"(\d{1,3}(?:, ?\d{1,3}){0,4})(?=[.;:!?。，；：！？、](?:[\s*|]|$))")
_BEFORE_STOP = re.compile(
    r"(?:(?<=[a-z\u00df-\u00ff\u0430-\u044f][a-z\u00df-\u00ff\u0430-\u044f])|(?<=[\"”’»)）\]*]))"
    r"(\d{1,3}(?:, ?\d{1,3}){0,4})(?=[.;:!?](?:[\s*|]|$)|, |[ \t]*(?:\n|$|\|))"
    r"|(?<=[A-Za-z\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af”』」）》】\"*)])[ \u00a0]?(\d{1,3}(?:[,，、] ?\d{1,3}){0,4})(?=[。，；：！？、])"
)
"""`Blender3.`, `地图 3。`: the number stands before the sentence's mark."""
_RAISED = re.compile(
    r"(?:(?<=[^\W\d_][^\W\d_])|(?<=[.,;:!?)”\"'’%\]»*。，；：！？）」』】]))(?<![kcdmn]m)(?<!ft)(?<!\bin)[⁰¹²³⁴-⁹]{1,3}"
    r"|(?<![\d\[\\^])(?<![^\W\d_]\^)\^\d{1,3}(?:,\\? ?\d{1,3}){0,9}\^"
)
"""`growth²`, and `growth^2^` as Pandoc writes it."""
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_DIGITS = re.compile(r"\d{1,4}")
_ANY_DIGIT = re.compile(r"[\d⁰¹²³⁴-⁹]")
_GLUED_YEAR = re.compile(r"(?<![\d.])(?:19|20)\d\d[.。](\d{1,3})(?=\s+[A-Z\u4e00-\u9fff]|\s*$)", re.M)
_ABBREVIATED = re.compile(
    r"(?:nos?|figs?|vols?|pp?|pg|ch|sec|eqs?|vs?|ver|ca|approx|art|para?|app|tab|table|item|st|mt|nr|ref|rev|ed|rule|step|pt|ser|ex|al|www)"
)
_MAY_END = frozenset(
    ["art", "app", "table", "tab", "item", "rule", "step", "para", "ex", "al", "no", "pt", "st", "ch", "ed"]
)
"""Abbreviations that are also what a sentence may end with: `the state of the art.3 The next`."""
_BEFORE_COLON = re.compile(r"(?<![\w-])(?P<word>[a-z]{2,24}) (?P<n>\d{1,3})(?=[:;](?:\s|$))")
"""`outcomes 9:`"""
_IN_CELL = re.compile(r"(?<=[a-z)%”\"’.])(?P<n>\d{1,3}(?:, ?\d{1,3}){0,4})(?=[ \t]*\|)")
_BEHIND_YEAR = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.? (?:\d{1,2}, )?"
    r"(?:19|20)\d\d(?P<n>\d{1,2})(?![\d.,]\d|\d)"
)
"""`December 20221`: a date, and the number of its source."""
_COUNTED = re.compile(
    r"step|phase|day|week|month|year|option|part|chapter|section|table|figure|item|number|no|stage|tier|level|rule|page|zone|question|point|version|model|season"
    r"|grade|group|class|type|size|line|row|room|act|book|volume|issue|note|at|of|to|in|and|or|by|from|than|about|over|under|least|most|only|top|scored|rated|got"
    r"|ha[sd]|have|is|are|was|were|with|for|around|age[sd]?"
)
"""Words whose number is their own."""
_TABLE_ROW = re.compile(r"^[ \t>]*\|[^\n]*", re.M)
_CELL = re.compile(r"(?<=\|)[^|\n]+(?=\|)")
_OF_SOURCES = re.compile(
    r"(?:sources?|refs?\.?|references?|citations?|cites?|来源|引用|参考)(?: ?(?:nos?\.?|#|numbers?))?", re.I
)
_ONLY_NUMBERS = re.compile(r"\s*(\d{1,3}(?:\s?[,;]\s?\d{1,3}){0,9})\s*")
_NEXT_SENTENCE = re.compile(r"\s+[A-Z\"“*(\[\u4e00-\u9fff]|\s*(?:\n|$)")


def unbracketed(text: str, known: frozenset[str], closed: list[int]) -> list[Mark]:
    """Numbers without brackets. After a stop they can hardly mean anything else; before it, and raised, they may be a name
    (`GT3.`) or a power (`m²`), so that they have to name half of the list to count."""
    if _ANY_DIGIT.search(text) is None:
        return []
    after = list(_glued(text, known, closed))
    enough = (sum(name.isdecimal() for name in known) + 1) // 2
    for found in (_before_stop(text, known, closed), _raised(text, known)):
        if len(found) > len(after) and len({mark[2] for mark in found}) >= max(2, enough):
            return _with_others(text, known, found)
    return _with_others(text, known, after)


def _with_others(text: str, known: frozenset[str], found: list[Mark]) -> list[Mark]:
    """Add those behind a year. Where numbers without brackets certainly cite, add those at the end of a cell,
    and before a colon if nothing else cites them."""
    found = found + _others(_BEHIND_YEAR, text, known, found)
    cited = {mark[2] for mark in found}
    numbered = sum(name.isdecimal() for name in known)
    if len(cited) < 2 or len(cited) * 2 < numbered:
        return found
    found += _others(_IN_CELL, text, known, found)
    return found + [mark for mark in _others(_BEFORE_COLON, text, known, found) if mark[2] not in cited]


def _others(pattern: re.Pattern[str], text: str, known: frozenset[str], found: list[Mark]) -> list[Mark]:
    taken = {(start, end) for start, end, *_ in found}
    more: list[Mark] = []
    for match in pattern.finditer(text):
        counted = pattern is _BEFORE_COLON and _COUNTED.fullmatch(match["word"]) is not None
        if match.span("n") not in taken and not counted:
            more += _marks(match.span("n"), _DIGITS.findall(match["n"]), known, "glued")
    return more


def in_columns(text: str, known: frozenset[str]) -> list[Mark]:
    """Numbers that are all of a cell under the heading `Source`."""
    if "|" not in text:
        return []
    found: list[Mark] = []
    columns: set[int] = set()
    rows = [(match.start(), match[0]) for match in _TABLE_ROW.finditer(text)]
    for (start, row), (after, following) in pairwise([*rows, (-1, "")]):
        headed = after == start + len(row) + 1 and set(following.strip()) <= set("|-: ")
        cells = list(_CELL.finditer(row))
        if headed:
            columns = {at for at, cell in enumerate(cells) if _OF_SOURCES.fullmatch(cell[0].strip(" *_"))}
        for at, cell in enumerate(cells) if columns and not headed else ():
            numbers = _ONLY_NUMBERS.fullmatch(cell[0]) if at in columns else None
            if numbers:
                span = start + cell.start() + numbers.start(1), start + cell.start() + numbers.end(1)
                found += _marks(span, _DIGITS.findall(numbers[1]), known, "glued")
    return found


def _before_stop(text: str, known: frozenset[str], closed: list[int]) -> list[Mark]:
    found: list[Mark] = []
    for match in [*_BEFORE_STOP.finditer(text), *_behind(closed, _BEFORE_TAIL, text)]:
        group = 1 if match[1] else 2
        found += _marks(match.span(group), _DIGITS.findall(match[group]), known, "glued")
    return found


def _behind(closed: list[int], tail: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    return filter(None, (tail.match(text, end) for end in closed))


def _raised(text: str, known: frozenset[str]) -> list[Mark]:
    found: list[Mark] = []
    for match in _RAISED.finditer(text):
        found += _marks(
            match.span(), _DIGITS.findall(match[0].translate(_SUPERSCRIPTS)), known, "superscript"
        )
    return found


def _glued(text: str, known: frozenset[str], closed: list[int]) -> Iterator[Mark]:
    for match in _GLUED.finditer(text):
        if not _is_abbreviation(text, match):
            yield from _marks(match.span(1), match[1].split(","), known, "glued")
    for found in (_GLUED_YEAR.finditer(text), _behind(closed, _GLUED_TAIL, text)):
        for match in found:
            yield from _marks(match.span(1), match[1].split(","), known, "glued")


def _marks(
    span: tuple[int, int], written: Iterable[str], known: frozenset[str], form: MarkForm
) -> list[Mark]:
    """One for each number, if a list has them all."""
    numbers = [str(int(one)) for one in written]
    return [(*span, number, form, "") for number in numbers] if known.issuperset(numbers) else []


def _is_abbreviation(text: str, match: re.Match[str]) -> bool:
    """`fig.2`, `vol.3`: a number of something."""
    before = text[max(0, match.start() - 12) : match.start()]
    bare = before.rstrip(ascii_letters)
    word = before[len(bare) :]
    whole = not bare or bare[-1].isspace() or bare[-1] in "(（["
    if not whole or _ABBREVIATED.fullmatch(word.lower()) is None:
        return False
    return word not in _MAY_END or _NEXT_SENTENCE.match(text, match.end()) is None
