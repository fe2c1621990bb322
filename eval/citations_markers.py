"""Markers in the body that point into a reference list: `[1, 4]`, `[3-5]`, `【1】`, `[^2]`, a number glued to a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

MarkForm = Literal["bracket", "range", "footnote", "label", "superscript", "glued"]
Known = Callable[[str], bool]
"""Is there an entry with this number?"""


@dataclass(frozen=True, slots=True)
class Mark:
    id: str
    start: int
    end: int
    form: MarkForm
    malformed: bool = False
    """An id that no list could have: `4-2`, `41-23`."""
    blanket: bool = False
    """Stands for a range of more than ten."""


_BRACKET = re.compile(
    r"(\\?)[\[【［](\^[^\s\[\]【】]{1,60}|[ \t]*(?:[A-Za-z\u4e00-\u9fff]{1,10}[ \t:#.：]{0,3}){0,2}\d[^\[\]【】［］\n\\]{0,300}?)\\?[\]】］]"
)
_PREFIX = re.compile(
    r"(?:sources?|refs?|references?|citations?|cites?|see|来源|引用|参考|文献|参考文献)\s*[:#.：]?\s*(?=\d)",
    re.I,
)
_SPLIT = re.compile(r"\s*[,;，、；&]\s*|\s+and\s+|\s+")
_NUMBER = re.compile(r"[#^]?(\d{1,4})$")
_RANGE = re.compile(r"\^?(\d{1,4})(?:-|–|—|‑|−|~|～|\.\.|至|到)\^?(\d{1,4})$")
_SPACED_RANGE = re.compile(r"(?<=\d)\s*(-|–|—|‑|−|~|～|\bto\b|至)\s*(?=\d)")
_SUFFIXED = re.compile(r"(\d{1,4})(?::\d{1,4})?(?:†|‡|\+L\d|:L\d|#L\d).{0,40}$")
_NAMED = re.compile(r"[A-Za-z]{1,3}\d{1,4}$")
_ARRAY = re.compile(r"\[\s*\[\s*-?[\d.]+\s*,[-\d\s.,]*\]\s*(?:,\s*\[[-\d\s.,]*\]\s*)*\]?")
_LABEL_BEFORE = re.compile(r"([^\W\d_][\w %()-]*|\w)\s*(?:=|[:：])\s*\**$")
_SOURCE_WORD = re.compile(
    r"(?:sources?|references?|refs?|see|citations?|cited|via|from|evidence|support(?:ed by)?|来源|参考|引用|见|出处|文献|资料)\W*$",
    re.I,
)
_INTERVAL_BEFORE = re.compile(
    r"(?:\bCI|interval|range(?: of)?|between|from|within|∈|\bin|区间|范围|\$)\s*[:：]?\s*$", re.I
)
_SUP = re.compile(r"[ ]{0,60}")

_PUNCTUATION = ".,;:!?。，；：！？"
_GLUED = re.compile(
    rf"(?<=[A-Za-z\u00c0-\u024f\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af)\]）%’”\"'*|])[{_PUNCTUATION}][\"'”’)）*]{{0,3}}"
    r"(\d{1,3}(?:,\d{1,3}){0,4})(?=\s|$|[)）|*\]])"
)
_GLUED_YEAR = re.compile(r"(?<![\d.])(?:19|20)\d\d[.。](\d{1,3})(?=\s+[A-Z\u4e00-\u9fff]|\s*$)", re.M)
_ABBREVIATED = re.compile(
    r"(?:^|[\s(（\[])(?:no|nos|fig|figs|vol|vols|p|pp|pg|ch|sec|eq|eqs|vs|v|ver|ca|approx|art|par|para|app|tab|table|item|st|mt|nr|ref|rev|ed|rule|step|pt|ser|ex|al|www)$",
    re.I,
)


def find_marks(
    text: str, hidden: Callable[[int], int], known: Known, *, numbered: bool, labels: frozenset[str]
) -> list[Mark]:
    """All markers outside the hidden places (`hidden` gives the end of the hidden stretch at a position, else -1)."""
    candidates = list(_bracketed(text, hidden))
    escapes_cite = any(match[1] and len(items) == 1 and known(items[0][0]) for match, items in candidates)
    some_resolve = any(known(item) for _, items in candidates for item, _ in items)
    marks: list[Mark] = []
    for match, items in candidates:
        if _is_citation(text, match, items, known, numbered, some_resolve, escapes_cite):
            marks += _expanded(match, items, known)
    if labels:
        marks += _labelled(text, hidden, labels)
    if numbered and not some_resolve and not any(mark.form == "footnote" for mark in marks):
        marks += _glued(text, hidden, known)
    marks.sort(key=lambda mark: (mark.start, mark.end))
    return marks


_Item = tuple[str, str]
"""The id, and `number`, `range`, `malformed`, `footnote` or `named`."""


def _bracketed(text: str, hidden: Callable[[int], int]) -> Iterator[tuple[re.Match[str], list[_Item]]]:
    arrays_end = -1
    for match in _BRACKET.finditer(text):
        start = match.start()
        if start < arrays_end:
            continue
        if hidden(start) >= 0:
            continue
        if text[start - 1 : start] == "[" or text[start : start + 2] == "[[":
            array = _ARRAY.match(text, start - 1 if text[start - 1 : start] == "[" else start)
            if array and "," in array[0] and array[0].count("[") > 2:
                arrays_end = array.end()
                continue
        items = _items(match[2].strip())
        if items:
            yield match, items


def _items(body: str) -> list[_Item]:
    if body[0] == "^" and not body[1:].replace(",", "").replace("-", "").replace("^", "").isdecimal():
        return [(body[1:], "footnote")]
    if body.isascii() and body.isdecimal():
        return [(str(int(body)), "number")] if len(body) <= 4 else []
    footnote = body[0] == "^"
    body = _PREFIX.sub("", body, count=1) if not body[0].isdecimal() else body
    suffixed = _SUFFIXED.match(body)
    if suffixed and not re.search(r"[,;]\s*\d+\s*†", body):
        return [(str(int(suffixed[1])), "number")]
    found: list[_Item] = []
    for part in _SPLIT.split(_SPACED_RANGE.sub(lambda m: "-" if m[1] == "to" else m[1], body)):
        if not part:
            continue
        number = _NUMBER.match(part)
        if number:
            found.append((str(int(number[1])), "footnote" if footnote else "number"))
            continue
        both = _RANGE.match(part)
        if both:
            low, high = int(both[1]), int(both[2])
            found.append((f"{low}-{high}", "range" if low < high else "malformed"))
            continue
        cut = _SUFFIXED.match(part)
        if cut:
            found.append((str(int(cut[1])), "number"))
        elif _NAMED.match(part):
            found.append((part, "named"))
        else:
            return []
    return found


def _is_citation(
    text: str,
    match: re.Match[str],
    items: list[_Item],
    known: Known,
    numbered: bool,
    some_resolve: bool,
    escapes_cite: bool,
) -> bool:
    """Numbers in brackets may also be years, ratings, intervals, arrays, formulas."""
    ids = [_ends(item) for item in items]
    resolved = sum(any(known(one) for one in pair) for pair in ids)
    kinds = {kind for _, kind in items}
    if kinds == {"footnote"}:
        return True
    if "named" in kinds and not all(known(item) for item, kind in items if kind == "named"):
        return False
    if len(items) == 1:
        item, kind = items[0]
        if kind == "number":
            return known(item) or 0 < int(item) < 1000
        if kind == "named":
            return True
        low, high = ids[0]
        if resolved:
            return not _looks_like_values(text, match, low, high)
        if int(low) > 999 or int(high) > 999 or int(low) == 0:
            return False
        return not _looks_like_values(text, match, low, high)
    if match[1] and not (escapes_cite and resolved):
        return False
    numbers = [int(one) for pair in ids for one in pair if one.isdecimal()]
    before = text[max(0, match.start() - 60) : match.start()]
    if len(set(numbers)) < len([n for pair in ids for n in set(pair)]):
        return False
    if _LABEL_BEFORE.search(before) and not _SOURCE_WORD.search(before):
        return (
            resolved == len(items)
            and before.rstrip()[-1:] not in "="
            and len(items) < 3
            and numbers == sorted(numbers)
        )
    if _INTERVAL_BEFORE.search(before) and len(items) == 2:
        return False
    if resolved:
        return True
    return some_resolve and numbers == sorted(numbers) and all(0 < n < 1000 for n in numbers)


def _looks_like_values(text: str, match: re.Match[str], low: str, high: str) -> bool:
    before = text[max(0, match.start() - 60) : match.start()]
    return _INTERVAL_BEFORE.search(before) is not None


def _ends(item: _Item) -> tuple[str, str]:
    name, kind = item
    if kind in ("range", "malformed"):
        low, _, high = name.partition("-")
        return low, high
    return name, name


def _expanded(match: re.Match[str], items: list[_Item], known: Known) -> Iterator[Mark]:
    start, end = match.span()
    for name, kind in items:
        if kind == "range":
            low, high = (int(one) for one in name.split("-"))
            if known(str(low)) and known(str(high)):
                blanket = high - low + 1 > 10
                for number in range(low, high + 1):
                    yield Mark(str(number), start, end, "range", blanket=blanket)
                continue
            yield Mark(name, start, end, "range")
        elif kind == "malformed":
            yield Mark(name, start, end, "bracket", malformed=True)
        else:
            yield Mark(name, start, end, "footnote" if kind == "footnote" else "bracket")


def _labelled(text: str, hidden: Callable[[int], int], labels: frozenset[str]) -> Iterator[Mark]:
    """`[words][id]` and `[id]`, where `[id]: url` stands somewhere."""
    for match in re.finditer(r"\[([^\[\]\n]{1,80})\](?![(:])(?:\[([^\[\]\n]{0,80})\])?", text):
        if hidden(match.start()) >= 0:
            continue
        label = (match[2] or match[1]).strip().casefold()
        if label in labels:
            yield Mark(label, match.start(), match.end(), "label")


def _glued(text: str, hidden: Callable[[int], int], known: Known) -> Iterator[Mark]:
    for pattern in (_GLUED, _GLUED_YEAR):
        for match in pattern.finditer(text):
            if hidden(match.start()) >= 0 or hidden(match.start(1)) >= 0:
                continue
            numbers = [str(int(one)) for one in match[1].split(",")]
            if not all(known(number) for number in numbers):
                continue
            if pattern is _GLUED and _ABBREVIATED.search(text[max(0, match.start() - 12) : match.start()]):
                continue
            for number in numbers:
                yield Mark(number, match.start(1), match.end(1), "glued")
