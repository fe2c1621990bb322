"""The contents of a marker's brackets: numbers, ranges, footnotes, names; worked out once however often it recurs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from drr.citations.marks import MarkForm

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
"""The id, and `number`, `range`, `malformed`, `footnote` or `named`."""
Member = tuple[str, MarkForm, str]
"""Id, form and note of a mark."""
_BLANKET = 10
"""Sources that one range may cite before it is one for all."""


class Group(NamedTuple):
    """The contents of two brackets, worked out once however often they stand in the text."""

    items: list[Member]
    members: list[Member]
    """The same with its ranges expanded, where both ends are known."""
    only: tuple[str, str] | None
    """Both ends, where it is one item."""
    resolved: int
    footnotes: bool
    """All are."""
    strange: bool
    """Some name is in no list."""
    named: bool
    repeats: bool
    """Some number stands there twice, or a nought."""
    ascending: bool
    small: bool
    """All between 1 and 999."""


def group_of(items: list[Item], known: frozenset[str], ration: int) -> Group:
    """Group the items by what they say together. Ranges are expanded while there are fewer than `ration` members."""
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
"""Form and note of a mark by the kind of its item."""


@dataclass(slots=True)
class _Reading:
    known: frozenset[str]
    ration: int
    plain: list[Member] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    ends: tuple[str, str] = ("", "")
    """Of the last item."""
    resolved: int = 0
    strange: bool = False

    def take(self, name: str, kind: str) -> None:
        low, high = self.ends = _ends(name, kind)
        self.numbers += [int(one) for one in dict.fromkeys((low, high)) if one.isdecimal()]
        self.resolved += low in self.known or high in self.known
        self.strange = self.strange or (kind == "named" and name not in self.known)
        self.plain.append((name, *_FORMS[kind]))
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
    """Read the items in the brackets; nothing where that is no citation."""
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
    """Drop Pandoc's second caret and a word before the number."""
    if body[0] == "^":
        body = body.removesuffix("^")
    return body if body[0].isdecimal() else _PREFIX.sub("", body, count=1)


def _numbers(body: str) -> list[Item] | None:
    """The quick way for what is nearly always there: numbers and commas. `None` where it is something else."""
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
