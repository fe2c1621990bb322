"""What joins parts of a history in a text: a count before `pet supplies and office products` is of both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from drr.eval.checks.base import Span
from drr.eval.checks.mentions import words
from drr.eval.checks.person.tallies import name_form, plain_name

GOODS = r"(?:[\s*_]{1,3}(?:things|stuff|goods|supplies|products|items|gear|orders|purchases|ones)\b)?"
_OF = r"(?:(?:for|in|of|to|from|under|on)\s)?(?:(?:the|your|a|an|some|other)\s){0,2}[*_\[]{0,3}"
JOINT = re.compile(
    rf"{GOODS}[\s*_]{{0,3}}(?:,?\s(?:and|or|plus|as well as)\s|,?\s?&\s|/|(?P<comma>,\s))[*_]{{0,3}}{_OF}",
    re.I,
)
"""From one part to the next one."""
ANOTHER_CLAUSE = re.compile(
    r"\d|\b(?:i|you|your|it|its|they|that|this|these|those|which|who|so|but|while|with|not|no|none|nothing|never|as|at|by|since|then|there|what|all|both|each|one|two|three|four|five|six|seven|"
    r"eight|nine|ten|only|just|about|nearly|roughly|over|more|is|are|was|were|has|have|had|last|latest|first|another)\b",
    re.I,
)
"""Behind a joint: what begins here is counted by itself, or is no part at all."""
_NEXT = re.compile(r"[A-Za-z][\w'’]{1,20}")
_LAST = re.compile(r"([A-Za-z][\w'’]{1,20})[*_\]]{0,3}$")
_FAR = 60


class Joints:
    """Reads whether one of a reader's categories is named in one breath with another."""

    def __init__(self, body: str, categories: Iterable[str], telling: Set[str]) -> None:
        self._body, self._telling = body, telling
        """Words that only categories have, in the singular."""
        names = sorted((name_form(plain_name(one)) for one in categories), key=len, reverse=True)
        self._name = re.compile(rf"(?<![\w$/-])(?:{'|'.join(names) or '(?!)'})(?![\w/-])", re.I)

    def is_joined(self, at: Span, span: Span, name: str) -> bool:
        return self._goes_on(at[1], span, stems(name)) or self._comes_on(at[0], span, stems(name))

    def _goes_on(self, end: int, span: Span, own: Set[str]) -> bool:
        """Behind a comma with another category, behind `and` with whatever begins no clause."""
        joint = JOINT.match(self._body, end, span[1])
        if joint is None:
            return False
        at = joint.end()
        if self._name.match(self._body, at, span[1]):
            return True
        said = _NEXT.match(self._body, at, span[1])
        word = stems(said[0]) if said is not None else set[str]()
        if not word or word & own:
            return False
        return bool(word & self._telling) if joint["comma"] else not ANOTHER_CLAUSE.match(self._body, at)

    def _comes_on(self, start: int, span: Span, own: Set[str]) -> bool:
        low = max(span[0], start - _FAR)
        for joint in JOINT.finditer(self._body, low, start):
            if joint.end() == start:
                last = _LAST.search(self._body[low : joint.start()])
                named = any(one.end() == joint.start() for one in self._name.finditer(self._body, low, start))
                return named or (last is not None and bool(stems(last[1]) & (self._telling - own)))
        return False


def stems(name: str) -> set[str]:
    """The words of a category's name, or of another, in the singular."""
    return {word.removesuffix("s") for word in words(name.replace("_", " "))}
