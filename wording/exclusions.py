"""The things that a question rules out: those named behind "without", "no", "allergic to", and before "-free"."""

from __future__ import annotations

import re
from typing import NamedTuple

from drr.wording.vocabulary import Wordbook, vocabulary

_MOST = 6
"""Things of one list."""
_LONGEST = 4
"""Words of one thing."""
_FREE = re.compile(r"\b([a-z]{3,20})-free\b", re.I)
_WORD = re.compile(r"[A-Za-z0-9&'’][A-Za-z0-9&'’/-]{0,60}")
_GLUE = re.compile(r"\s{0,8}(?:,\s{0,8}(?:and|or|nor)?|\band\b|\bor\b|\bnor\b|/)\s{0,8}", re.I)
_ITEM = r"[\w'-]{1,40}(?:\s[\w'-]{1,40})?"
_LIST_END = re.compile(rf"(?:\s?{_ITEM}\s?,){{0,6}}\s?{_ITEM}\s?,?\s(?:or|and|nor)\s{_ITEM}\s?$", re.I)
_CLAUSE = re.compile(r"[^.;!?\n]{0,80}")
_JOINED = re.compile(r"\b(?:or|and|nor)\s{0,3}$", re.I)
_CUE_AGAIN = re.compile(r"(?:no|any|without|not from)\s{1,8}", re.I)
_SPACE = re.compile(r"[ \t]*")


class _Thing(NamedTuple):
    words: list[str]
    end: int


class ExclusionReader:
    def __init__(self, words: Wordbook) -> None:
        some = words.either
        self._cue = re.compile(
            rf"\b(?:avoid(?:ing)? (?:{some('avoided')}) (?:{some('avoided_for')})|nothing (?:{some('nothing')})|not made (?:{some('not_made')})"
            rf"|(?:{some('cannot')}) (?:{some('cannot_do')})|{some('cues')}"
            rf"|(?:{some('refusals')}) (?:{some('refused')})(?: any(?:thing)? (?:{some('refused_of')}))?)\s{{1,8}}",
            re.I,
        )
        self._words = {name: frozenset(words[name]) for name in words.groups}

    def exclusions(self, text: str) -> list[str]:
        found = [thing for match in self._cue.finditer(text) for thing in self._things(text, match.end())]
        found += [
            match[1]
            for match in _FREE.finditer(text)
            if match[1].casefold() not in self._words["harmless_free"]
        ]
        once: dict[str, str] = {}
        for thing in found:
            once.setdefault(thing.casefold(), thing)
        return list(once.values())

    def _things(self, text: str, position: int) -> list[str]:
        """List the things named behind a cue: `plastic, latex or fragrance` is three."""
        found: list[str] = []
        at: int | None = position
        while at is not None and len(found) < _MOST:
            thing = self._thing(text, at)
            if not thing.words or (found and len(thing.words) == _LONGEST):
                break
            found.append(" ".join(thing.words).rstrip("'"))
            at = _next(text, thing.end)
        return found

    def _thing(self, text: str, position: int) -> _Thing:
        """No words where the cue rules out nothing: `no more than`, `without going over`."""
        found: list[str] = []
        while (word := _WORD.match(text, position)) and len(found) < _LONGEST:
            lower = word[0].casefold()
            if lower in self._words["phrase_end"]:
                break
            if not found and self._is_no_thing(lower):
                return _Thing([], position)
            if found or not self._is_skipped(lower):
                found.append(word[0])
            position = _skip_space(text, word.end())
        return _Thing(found, position)

    def _is_skipped(self, word: str) -> bool:
        return word in self._words["fillers"] or word in self._words["object_of"]

    def _is_no_thing(self, word: str) -> bool:
        action = len(word) > 4 and word.endswith("ing") and word not in self._words["ing_things"]
        return word in self._words["not_excluded"] or (action and not self._is_skipped(word))


def _next(text: str, end: int) -> int | None:
    """Find where the next thing of the list begins."""
    glue = _GLUE.match(text, len(text[:end].rstrip()))
    if glue is None:
        return None
    cue = _CUE_AGAIN.match(text, glue.end())
    if cue is not None:
        return cue.end()
    return glue.end() if "," not in glue[0] or _closes_as_list(text, glue.end()) else None


def _closes_as_list(text: str, position: int) -> bool:
    """Tell whether the list goes on after a comma. Only if it ends like one, `a, b or c`, `a, b, and c`."""
    if _JOINED.search(text[max(0, position - 5) : position]):
        return True
    clause = _CLAUSE.match(text, position)
    return clause is not None and _LIST_END.match(clause[0]) is not None


def _skip_space(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return position if space is None else space.end()


exclusions = ExclusionReader(vocabulary("exclusions")).exclusions
"""Each thing once, as it was written."""
