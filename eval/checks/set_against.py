"""Clauses that set another thing against the one that is spoken of: `natural sisal where mine is jute`, `P-5, where the Foolscap has P-4`.

What such a clause says is of what it names, and of nobody in play where it names nothing; what stands right before it is not of what it names.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from weakref import WeakKeyDictionary

from drr.eval.checks.base import Span
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.mentions import Mentions

_OPENS = re.compile(
    r"\b(?:(?:where|while|whereas)\s(?P<subject>[\w’'-]{1,24})|(?:unlike|against|versus|vs\.?|rather than|instead of|as opposed to)\s)",
    re.I,
)
_CLOSES = re.compile(r"[;:()?!]|,\s|\.\s|\s[–—-]\s|—")
_ITSELF = re.compile(
    r"it|its|it[’']s|this|these|they|their|they[’']re|he|she|i|we|you|there|still|also|both|in|of|on|at|made|being|\w{2,20}ing",
    re.I,
)
"""Behind `where` or `while`: no other thing than that which is spoken of."""
_RIGHT_BEFORE = re.compile(r"[*_\"”]{0,3}(?:\s[a-z-]{2,14}){0,2}[\s,–—-]{1,3}", re.I)
_FURTHEST = 40


class SetAgainst:
    """Of one report."""

    def __init__(self, cast: Cast, plain: str) -> None:
        self._cast, self._plain = cast, plain
        self._clauses: dict[Span, list[Span]] = {}

    def is_of_another(self, where: Span, owners: Collection[str]) -> bool:
        """Whether what is said at a place is said of something else than of these products."""
        for low, high in self._in(self._cast.prose.sentence_at(where[0])):
            named = {key for one in self._cast.within(low, high) for key in one.products}
            if low <= where[0] < high:
                return not named & {*owners}
            if where[1] <= low <= where[1] + _FURTHEST and _RIGHT_BEFORE.fullmatch(
                self._plain, where[1], low
            ):
                return bool(named) and named >= {*owners}
        return False

    def _in(self, sentence: Span) -> list[Span]:
        if sentence not in self._clauses:
            found = self._clauses[sentence] = []
            for match in _OPENS.finditer(self._plain, *sentence):
                subject = match["subject"]
                if subject is None or _ITSELF.fullmatch(subject) is None:
                    closes = _CLOSES.search(self._plain, match.end(), sentence[1])
                    found.append((match.start(), sentence[1] if closes is None else closes.start()))
        return self._clauses[sentence]


_read: WeakKeyDictionary[Mentions, SetAgainst] = WeakKeyDictionary()


def set_against_of(mentions: Mentions) -> SetAgainst:
    """Of a report, read once for the rules that ask."""
    if mentions not in _read:
        _read[mentions] = SetAgainst(cast_of(mentions.subject, mentions), mentions.plain)
    return _read[mentions]
