"""Reads the contents of a marker's brackets: numbers, ranges, footnotes, names. Equal contents are read once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from string import ascii_letters
from typing import Literal, NamedTuple

MarkForm = Literal["bracket", "range", "footnote", "label", "superscript", "glued"]
Mark = tuple[int, int, str, MarkForm, str]
"""Start, end, id, form and note. The note is `malformed` for an id that no list could have (`4-2`, `41-23`), `blanket` for a member of a
range of more than ten. A plain tuple, because there may be hundreds of thousands."""


_PREFIX = re.compile(
    r"(?:sources?|refs?|references?|citations?|cites?|see|web ?pages?|web|docs?|documents?|search results?|results?|e\.g|cf|来源|引用|参考|文献|参考文献)\s*+[:#.：]?,?\s*+(?=\d)",
    re.I,
)
_SPLIT = re.compile(r"\s*[,;，、；&]\s*|\s+and\s+|\s+")
_LOCATED = re.compile(
    r"(\d{1,4})\s*[,:;]\s*(?:pp?\.|pages?|sec(?:tion)?\b|§|tab(?:le)?\b|fig(?:ure)?\b|ch(?:apter)?\b|para\b|eq\b|line)",
    re.I,
)
_NO_COMMAS = str.maketrans("", "", ", \t")
_ONLY_NUMBERS = str.maketrans("", "", "^,- \t")
_NUMBER = re.compile(r"[#^]?(\d{1,4})$")
_RANGE = re.compile(r"\^?(\d{1,4})(?:-|–|—|‑|−|~|～|\.\.|至|到)\^?(\d{1,4})$")
_SPACED_RANGE = re.compile(r"(?<=\d)\s*(-|–|—|‑|−|~|～|\bto\b|至)\s*(?=\d)")
_SUFFIXED = re.compile(r"(\d{1,4})(?::\d{1,4})?(?:†|‡|\+L\d|:L\d|#L\d).{0,40}$")
_SECOND_SUFFIX = re.compile(r"[,;]\s*\d+\s*†")
_NAMED = re.compile(r"[A-Za-z]{1,3}\d{1,4}$")
_PAIR = re.compile(r"([0-9]{1,4}) ?, ?([0-9]{1,4})")

Item = tuple[str, str]
"""The id and its kind: `number`, `range`, `malformed`, `footnote` or `named`."""
Member = tuple[str, MarkForm, str]
"""The id, the form and the note of a mark."""
_BLANKET = 10
"""Most sources that one range may cite; a larger range is a blanket citation: nobody means so many."""


class Group(NamedTuple):
    """The contents of a pair of brackets, parsed once for all places where the same contents occur."""

    items: list[Member]
    members: list[Member]
    """The items with ranges expanded, if both ends are known."""
    only: tuple[str, str] | None
    """Both ends of the only item; `None` if there are several."""
    resolved: int
    footnotes: bool
    """True if all items are footnotes."""
    strange: bool
    """True if a name occurs in no list."""
    named: bool
    repeats: bool
    """True if a number occurs twice or is 0."""
    ascending: bool
    small: bool
    """True if all numbers are between 1 and 999."""


def group_of(items: list[Item], known: frozenset[str], ration: int) -> Group:
    """Summarise the items as a group. Ranges are expanded as long as fewer than `ration` members result."""
    if len(items) == 2 and items[0][1] == items[1][1] == "number":
        return _pair(items[0][0], items[1][0], known)  # most, and a report may hold many thousands
    reading = _Reading(known, ration)
    for name, kind in items:
        reading.take(name, kind)
    numbers = reading.numbers
    in_order = sorted(numbers)
    return Group(
        reading.plain,
        reading.members,
        reading.ends if len(items) == 1 else None,
        reading.resolved,
        all(kind == "footnote" for _, kind in items),
        reading.strange,
        any(kind == "named" for _, kind in items),
        len(set(numbers)) < len(numbers) or ("0", "number") in items,
        numbers == in_order,
        not numbers or (in_order[0] > 0 and in_order[-1] < 1000),
    )


def _pair(low: str, high: str, known: frozenset[str]) -> Group:
    plain: list[Member] = [(low, "bracket", ""), (high, "bracket", "")]
    first, last = int(low), int(high)
    return Group(
        plain,
        plain,
        None,
        (low in known) + (high in known),
        False,
        False,
        False,
        first == last or not first or not last,
        first <= last,
        0 < first < 1000 and 0 < last < 1000,
    )


_FORMS: dict[str, tuple[MarkForm, str]] = {
    "number": ("bracket", ""),
    "named": ("bracket", ""),
    "range": ("range", ""),
    "malformed": ("bracket", "malformed"),
    "footnote": ("footnote", ""),
}
"""The form and note of a mark by the kind of its item."""


@dataclass(slots=True)
class _Reading:
    known: frozenset[str]
    ration: int
    plain: list[Member] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    ends: tuple[str, str] = ("", "")
    """Both ends of the last item."""
    resolved: int = 0
    strange: bool = False

    def take(self, name: str, kind: str) -> None:
        low, high = self.ends = _ends(name, kind)
        self.numbers += [int(one) for one in dict.fromkeys((low, high)) if one.isdecimal()]
        self.resolved += low in self.known or high in self.known
        self.strange = self.strange or (kind == "named" and name not in self.known)
        self.plain.append((name, *_FORMS[kind]))
        # `[12-18] months` is an age: unless the list has both ends, a range is not several sources.
        if kind == "range" and low in self.known and high in self.known:
            first, last = int(low), int(high)
            if len(self.members) + last - first < self.ration:
                note = "blanket" if last - first + 1 > _BLANKET else ""
                self.members += [(str(number), "range", note) for number in range(first, last + 1)]
                return
        self.members.append(self.plain[-1])


def _ends(name: str, kind: str) -> tuple[str, str]:
    low, _, high = name.partition("-") if kind in ("range", "malformed") else (name, "", name)
    return low, high


def items_of(body: str) -> list[Item]:
    """Return the items in the brackets; empty if these are no citation."""
    if body[0] == "^" and not body.translate(_ONLY_NUMBERS).isdecimal():
        return [(body[1:].rstrip("^").casefold(), "footnote")]
    simple = _numbers(body)
    if simple is not None:
        return simple
    footnote = body[0] == "^"
    body = _bare(body)
    alone = _LOCATED.match(body) or (_SUFFIXED.match(body) if not _SECOND_SUFFIX.search(body) else None)
    if alone:
        return [(str(int(alone[1])), "number")]
    written = _SPLIT.split(_SPACED_RANGE.sub(lambda m: "-" if m[1] == "to" else m[1], body))
    found = [_item(part, footnote) for part in written if part]
    known = [item for item in found if item is not None]
    return known if len(known) == len(found) else []


def _bare(body: str) -> str:
    """Remove Pandoc's second caret and a word before the number."""
    if body[0] == "^":
        body = body.removesuffix("^")
    return body if body[0].isdecimal() else _PREFIX.sub("", body, count=1)


def _numbers(body: str) -> list[Item] | None:
    """Return the items of plain numbers and commas, the most frequent case; `None` for anything else."""
    if body.isascii() and body.isdecimal():
        return [(str(int(body)), "number")] if len(body) <= 4 else []
    pair = _PAIR.fullmatch(body)
    if pair:
        return [(str(int(pair[1])), "number"), (str(int(pair[2])), "number")]
    if body.isascii() and body.translate(_NO_COMMAS).isdecimal():
        parts = body.replace(",", " ").split()
        return [(str(int(part)), "number") for part in parts] if max(map(len, parts)) <= 4 else []
    return None


def _item(part: str, footnote: bool) -> Item | None:
    number = _NUMBER.match(part)
    if number:
        return str(int(number[1])), "footnote" if footnote else "number"
    both = _RANGE.match(part)
    if both:
        low, high = int(both[1]), int(both[2])
        return f"{low}-{high}", "range" if low < high else "malformed"
    cut = _SUFFIXED.match(part)
    if cut:
        return str(int(cut[1])), "number"
    return (part.casefold(), "named") if _NAMED.match(part) else None


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
"""A number before the sentence's full stop: `Blender3.`, `地图 3。`."""
_RAISED = re.compile(
    r"(?:(?<=[^\W\d_][^\W\d_])|(?<=[.,;:!?)”\"'’%\]»*。，；：！？）」』】]))(?<![kcdmn]m)(?<!ft)(?<!\bin)[⁰¹²³⁴-⁹]{1,3}"
    r"|(?<![\d\[\\^])(?<![^\W\d_]\^)\^\d{1,3}(?:,\\? ?\d{1,3}){0,9}\^"
)
"""A raised number: `growth²`, and `growth^2^` as Pandoc writes it."""
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
"""Abbreviations that may also end a sentence: `the state of the art.3 The next`."""
_BEFORE_COLON = re.compile(r"(?<![\w-])(?P<word>[a-z]{2,24}) (?P<n>\d{1,3})(?=[:;](?:\s|$))")
"""A number before a colon: `outcomes 9:`."""
_IN_CELL = re.compile(r"(?<=[a-z)%”\"’.])(?P<n>\d{1,3}(?:, ?\d{1,3}){0,4})(?=[ \t]*\|)")
_BEHIND_YEAR = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.? (?:\d{1,2}, )?"
    r"(?:19|20)\d\d(?P<n>\d{1,2})(?![\d.,]\d|\d)"
)
"""A year followed by the number of a source: `December 20221`."""
_COUNTED = re.compile(
    r"step|phase|day|week|month|year|option|part|chapter|section|table|figure|item|number|no|stage|tier|level|rule|page|zone|question|point|version|model|season"
    r"|grade|group|class|type|size|line|row|room|act|book|volume|issue|note|at|of|to|in|and|or|by|from|than|about|over|under|least|most|only|top|scored|rated|got"
    r"|ha[sd]|have|is|are|was|were|with|for|around|age[sd]?"
)
"""Words that are followed by a number of their own, such as `step 3`."""
_TABLE_ROW = re.compile(r"^[ \t>]*\|[^\n]*", re.M)
_CELL = re.compile(r"(?<=\|)[^|\n]+(?=\|)")
_OF_SOURCES = re.compile(
    r"(?:sources?|refs?\.?|references?|citations?|cites?|来源|引用|参考)(?: ?(?:nos?\.?|#|numbers?))?", re.I
)
_NUMBERS_OF_CELL = re.compile(r"\s*(\d{1,3}(?:\s?[,;]\s?\d{1,3}){0,9})\s*")
_NEXT_SENTENCE = re.compile(r"\s+[A-Z\"“*(\[\u4e00-\u9fff]|\s*(?:\n|$)")


def unbracketed(text: str, known: frozenset[str], closed: list[int]) -> list[Mark]:
    """Return the numbers without brackets that cite. After a full stop they can hardly mean anything else; before it, and raised, they may be
    part of a name (`GT3.`) or a power (`m²`), so they count only if they name half of the list."""
    if _ANY_DIGIT.search(text) is None:
        return []
    after = list(_glued_marks(text, known, closed))
    enough = (sum(name.isdecimal() for name in known) + 1) // 2
    for found in (_before_stop(text, known, closed), _superscript_marks(text, known)):
        if len(found) > len(after) and len({mark[2] for mark in found}) >= max(2, enough):
            return _with_others(text, known, found)
    return _with_others(text, known, after)


def _with_others(text: str, known: frozenset[str], found: list[Mark]) -> list[Mark]:
    """Add the numbers after a year. If numbers without brackets certainly cite, add those at the end of a cell too,
    and those before a colon if nothing else cites them."""
    found = found + _other_marks(_BEHIND_YEAR, text, known, found)
    cited = {mark[2] for mark in found}
    numbered = sum(name.isdecimal() for name in known)
    if len(cited) < 2 or len(cited) * 2 < numbered:
        return found
    found += _other_marks(_IN_CELL, text, known, found)
    return found + [mark for mark in _other_marks(_BEFORE_COLON, text, known, found) if mark[2] not in cited]


def _other_marks(pattern: re.Pattern[str], text: str, known: frozenset[str], found: list[Mark]) -> list[Mark]:
    taken = {(start, end) for start, end, *_ in found}
    more: list[Mark] = []
    for match in pattern.finditer(text):
        counted = pattern is _BEFORE_COLON and _COUNTED.fullmatch(match["word"]) is not None
        if match.span("n") not in taken and not counted:
            more += _marks(match.span("n"), _DIGITS.findall(match["n"]), known, "glued")
    return more


def in_columns(text: str, known: frozenset[str]) -> list[Mark]:
    """Return the numbers that fill a table cell under the heading `Source`."""
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
            numbers = _NUMBERS_OF_CELL.fullmatch(cell[0]) if at in columns else None
            if numbers:
                span = start + cell.start() + numbers.start(1), start + cell.start() + numbers.end(1)
                found += _marks(span, _DIGITS.findall(numbers[1]), known, "glued")
    return found


def _before_stop(text: str, known: frozenset[str], closed: list[int]) -> list[Mark]:
    found: list[Mark] = []
    for match in [*_BEFORE_STOP.finditer(text), *_matches_behind(closed, _BEFORE_TAIL, text)]:
        group = 1 if match[1] else 2
        found += _marks(match.span(group), _DIGITS.findall(match[group]), known, "glued")
    return found


def _matches_behind(closed: list[int], tail: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    return filter(None, (tail.match(text, end) for end in closed))


def _superscript_marks(text: str, known: frozenset[str]) -> list[Mark]:
    found: list[Mark] = []
    for match in _RAISED.finditer(text):
        found += _marks(
            match.span(), _DIGITS.findall(match[0].translate(_SUPERSCRIPTS)), known, "superscript"
        )
    return found


def _glued_marks(text: str, known: frozenset[str], closed: list[int]) -> Iterator[Mark]:
    for match in _GLUED.finditer(text):
        if not _is_abbreviation(text, match):
            yield from _marks(match.span(1), match[1].split(","), known, "glued")
    for found in (_GLUED_YEAR.finditer(text), _matches_behind(closed, _GLUED_TAIL, text)):
        for match in found:
            yield from _marks(match.span(1), match[1].split(","), known, "glued")


def _marks(
    span: tuple[int, int], written: Iterable[str], known: frozenset[str], form: MarkForm
) -> list[Mark]:
    """Return one mark for each number, if a list has them all; otherwise none."""
    numbers = [str(int(one)) for one in written]
    return [(*span, number, form, "") for number in numbers] if known.issuperset(numbers) else []


def _is_abbreviation(text: str, match: re.Match[str]) -> bool:
    """Tell whether a number follows an abbreviation and counts something else: `fig.2`, `vol.3`."""
    before = text[max(0, match.start() - 12) : match.start()]
    bare = before.rstrip(ascii_letters)
    word = before[len(bare) :]
    whole = not bare or bare[-1].isspace() or bare[-1] in "(（["
    if not whole or _ABBREVIATED.fullmatch(word.lower()) is None:
        return False
    return word not in _MAY_END or _NEXT_SENTENCE.match(text, match.end()) is None
