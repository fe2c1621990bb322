"""Finds markers in the body that refer to a reference list. Examples: `[1, 4]`, `[3-5]`, `【1】`, `[^2]`, a number directly after a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from drr.citations.groups import Group, Mark, group_of, in_columns, items_of, unbracketed

__all__ = ["Mark", "find_marks"]

_RATION = 20_000
"""Most members to which ranges may expand in one report; a range beyond this limit counts as one.

Else `[1-999]` again and again would cost a thousand marks each.
"""

_BRACKET = re.compile(
    r"(\\?)[\[【［](\^[^\s\[\]【】\\]{1,60}|[ \t]*(?:[A-Za-z\u4e00-\u9fff]{1,10}[ \t:#.,：]{0,3}){0,2}[#^]?\d[^\[\]【】［］\n\\]{0,300}?)\\?[\]】］]"
)
_ARRAY = re.compile(r"\[\s*\[\s*-?[\d.]+\s*,[-\d\s.,]*\]\s*(?:,\s*\[[-\d\s.,]*\]\s*)*\]?")
_LABEL_BEFORE = re.compile(r"[^\W\d_][\w %()-]*\Z")
_SOURCE_WORD = re.compile(
    r"(?:sources?|references?|refs?|see|citations?|cited|via|from|evidence|support(?:ed by)?|来源|参考|引用|见|出处|文献|资料)\W*$",
    re.I,
)
_INTERVAL_WORDS = (
    "interval",
    "range",
    "range of",
    "between",
    "from",
    "within",
    "∈",
    "区间",
    "范围",
    "$",
    "ci",
    "in",
)
_SHORT_WORDS = ("ci", "in")

_LABELLED = re.compile(r"\[([^\[\]\n]{1,80})\](?![(:])(?:\[([^\[\]\n]{0,80})\])?")
_DIGITS = re.compile(r"\d{1,4}")
_SPACES = " *\u00a0\u202f"


def find_marks(
    text: str,
    known: frozenset[str],
    *,
    numbered: bool,
    labels: frozenset[str],
    raised: list[tuple[int, int, str]],
    closed: list[int],
) -> list[Mark]:
    """Find all markers of the text. `known` are the ids of the lists, `labels` those that are words,
    `closed` the ends of hidden code and images, `raised` the numbers in superscript tags."""
    brackets = _Brackets(text, known)
    marks = brackets.marks()
    marks += [
        (start, end, number, "superscript", "")
        for start, end, content in raised
        for number in _DIGITS.findall(content)
        if number in known
    ]
    if labels:
        marks += _labelled_marks(text, labels)
    # Where brackets cite, a number without them is a figure or a part of a name.
    if numbered and not brackets.some_resolve and not any(mark[3] == "footnote" for mark in marks):
        marks += unbracketed(text, known, closed)
    if numbered:
        marks += in_columns(text, known)
    marks.sort()
    return marks


class _Candidate(NamedTuple):
    """A pair of brackets that has to be examined further."""

    start: int
    end: int
    escaped: bool
    group: Group


class _Brackets:
    """The markers in brackets. The contents of each are read first; then the reader decides for all together whether they cite."""

    def __init__(self, text: str, known: frozenset[str]) -> None:
        self._text = text
        self._known = known
        self._ration = _RATION
        self._single: list[Mark] = []
        self._candidates: list[_Candidate] = []
        self._find()
        self.some_resolve = any(mark[2] in known for mark in self._single) or any(
            item in known for one in self._candidates for item, _, _ in one.group.items
        )
        """True if any bracket names an entry of a list."""
        self._escapes_cite = any(mark[2] in known and text[mark[0]] == "\\" for mark in self._single)

    def _find(self) -> None:
        """Collect single numbers as marks, and all other brackets as candidates."""
        text = self._text
        read: dict[str, str | Group | None] = {}
        arrays_end = -1
        for match in _BRACKET.finditer(text):
            start, end = match.span()
            if text[max(0, start - 2) : start] == "# ":
                continue  # the number of the heading itself
            # `[[1, 2], [3, 4]]` is data, not four citations.
            if start >= arrays_end and "[" in (text[start - 1 : start], text[start + 1 : start + 2]):
                arrays_end = self._array_end(start, arrays_end)
            if start < arrays_end:
                continue
            body = match[2]
            if body not in read:
                read[body] = self._read_body(body)
            group = read[body]
            if isinstance(group, str):
                self._single.append((start, end, group, "bracket", ""))
            elif group is not None:
                self._candidates.append(_Candidate(start, end, match[1] != "", group))

    def _array_end(self, start: int, otherwise: int) -> int:
        """Return the end of a nested array that may begin at the bracket; `otherwise` if there is none."""
        text = self._text
        inside = text[start - 1 : start] == "["
        array = _ARRAY.match(text, start - 1 if inside else start)
        return array.end() if array and array[0].count("[") > 2 else otherwise

    def _read_body(self, body: str) -> str | Group | None:
        """Return a number, a group, or `None` if the contents cannot cite."""
        items = items_of(body.strip())
        if not items:
            return None
        if len(items) == 1 and items[0][1] == "number":
            number = items[0][0]
            plausible = 0 < int(number) < 1000 and "#" not in body  # `[#456]` is an issue of a tracker
            return number if number in self._known or plausible else None
        group = group_of(items, self._known, self._ration)
        self._spend(group)
        return group

    def _spend(self, group: Group) -> None:
        if len(group.members) > len(group.items):
            self._ration -= len(group.members)

    def marks(self) -> list[Mark]:
        """Return the marks of the brackets that cite. After a word the word decides; elsewhere equal brackets mean the same."""
        marks = self._single
        self._ration = _RATION
        decided: dict[tuple[int, bool], bool] = {}
        for one in self._candidates:
            spoken = self._is_spoken(one.start)
            key = (id(one.group), one.escaped)
            cites = None if spoken else decided.get(key)
            if cites is None:
                cites = self._cites(one, spoken)
                if not spoken:
                    decided[key] = cites
            if cites:
                fits = len(one.group.members) <= self._ration
                marks += [
                    (one.start, one.end, *member)
                    for member in (one.group.members if fits else one.group.items)
                ]
                if fits:
                    self._spend(one.group)
        return marks

    def _is_spoken(self, start: int) -> bool:
        """Tell whether a word or a sign before the bracket says what the numbers are."""
        text = self._text
        last = text[start - 1 : start]
        if last in _SPACES:
            last = text[max(0, start - 60) : start].rstrip(_SPACES)[-1:]
        return last.isalpha() or last in (":", "：", "=", "$", "∈")

    def _cites(self, one: _Candidate, spoken: bool) -> bool:
        """Tell whether brackets cite: numbers in brackets may also be ratings, intervals, arrays or formulas."""
        group = one.group
        if group.footnotes or group.strange:
            return group.footnotes
        before = self._text[max(0, one.start - 60) : one.start].rstrip(_SPACES)
        if group.only is not None:
            return _is_plausible(group) and not (spoken and _tells_interval(before))
        # `\[1, 2\]` may be a formula; it cites only in a report that escapes its other marks too.
        escaped = one.escaped and not (self._escapes_cite and group.resolved)
        return not group.repeats and not escaped and self._several_cite(group, before, spoken)

    def _several_cite(self, group: Group, before: str, spoken: bool) -> bool:
        if before[-1:] in (":", "：", "=") and _is_label(before) and not _names_source(before):
            return _is_cited_behind_label(group, before)
        if len(group.items) == 2 and spoken and _tells_interval(before):
            return False
        return group.resolved > 0 or (self.some_resolve and group.ascending and group.small)


def _is_plausible(group: Group) -> bool:
    """Tell whether the only item can cite. A label cannot, nor can numbers that no list could have."""
    if group.named or group.only is None:
        return False
    low, high = map(int, group.only)
    return group.resolved > 0 or (0 < low < 1000 and high < 1000)


def _names_source(before: str) -> bool:
    return _SOURCE_WORD.search(before, max(0, len(before) - 40)) is not None


def _is_cited_behind_label(group: Group, before: str) -> bool:
    quoted = before[:-1].rstrip().endswith(('"', "'", "`"))
    sure = group.resolved == len(group.items) < 3 and group.ascending
    return sure and before[-1:] != "=" and not quoted


def _is_label(before: str) -> bool:
    """Tell whether the text before a bracket is a label with a colon or an equals sign: `Ratings (of 5):`."""
    bare = before[:-1].rstrip().rstrip("\"'`")
    end = bare[-1:]
    return end.isalnum() or end == "_" or _LABEL_BEFORE.search(bare) is not None


def _tells_interval(before: str) -> bool:
    """Tell whether the text before a bracket announces an interval: `95% CI:`, `between`, `a range of`."""
    bare = before.rstrip()
    if bare.endswith((":", "：")):
        bare = bare[:-1].rstrip()
    bare = bare.lower()
    if not bare.endswith(_INTERVAL_WORDS):
        return False
    # `ci` and `in` may end another word, such as `begin`; of these only `within` announces one.
    if not bare.endswith(_SHORT_WORDS) or bare.endswith("within"):
        return True
    ahead = bare[-3:-2]
    return not (ahead.isalnum() or ahead == "_")


def _labelled_marks(text: str, labels: frozenset[str]) -> Iterator[Mark]:
    """Yield marks of the form `[words][id]` and `[id]`, if `[id]: url` is defined in the text."""
    for match in _LABELLED.finditer(text):
        label = (match[2] or match[1]).strip().casefold()
        if label in labels:
            yield match.start(), match.end(), label, "label", ""
