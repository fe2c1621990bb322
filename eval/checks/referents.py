"""Of whom a place of a sentence speaks: what is named in it, in order, and how the figure stands to that: in its brackets, behind it, or led to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.places_meant import PlaceMeant, PlacesMeant
from drr.eval.checks.prose import Prose
from drr.eval.checks.strangers import Strangers

_LONGEST = 60
"""Characters between a name and what is said of it in brackets, or between a figure and the name it leads to."""
_FORWARD = re.compile(
    r"[\s*_★⭐]{0,4}(?:stars?\s|ratings?\s|reviews?\s|dollars?\s|bucks\s|each\s|apiece\s)?(?:for|from|of|on|goes to|buys|gets you)\s(?:(?:the|an?|one|your|its)\s)?[\s*_(\[]{0,4}",
    re.I,
)
"""Between a figure and the name behind it that it is of."""
_ARTICLE = re.compile(r"[\s*_]{0,3}\s(?:for\s)?the\s[\s*_\[]{0,3}", re.I)
"""`110 people rated the one, only 19 the other`: a figure without a verb, and the name."""
_APART = re.compile(
    r"\b(?:than|against|versus|vs|compared|whereas|while|another|each|both|either|neither|respectively|together|combined)\b|[;?]",
    re.I,
)
"""Between a name and a figure: the figure may be somebody else's, or of several."""
_BESIDE = re.compile(
    r"\b(?:than|against|versus|vs|compared|another|each|both|either|together|combined)\b", re.I
)
"""The same within brackets, whose parts are set off in any way."""
_SUBJECT = re.compile(
    r"(?:(?:[,:;]|\b(?:and|but|so|then|plus|though|although|because|since|when|where)\b|\s[–—-])\s(?:so\s|then\s|still\s)?"
    r"(?:(?:the|your|my|our|that|this|these|those|an?)\s(?P<noun>[\w-]{1,24})|(?:you(?!\s(?:get|have)\b)|you['’]\w+|we|i|i['’]\w+|they|there)\s)"
    r"|\b(?:and|but|so|then)\s(?:would|will|could|still|stay|end|spend|pay)\b)",
    re.I,
)
"""Between a name and a figure: another subject, or a predicate of the reader's."""
_ATTRIBUTE = re.compile(r"[\s*_]{1,4}")
"""Between a figure and the name that it belongs to: `a six-litre Clearair`."""
_OF_IT = re.compile(r"(?:[\s-][a-z]{2,14}){0,2}\sof\s(?:the\s)?[*_\[(]{0,3}", re.I)
_SOME = re.compile(r"\b(?:an?|one|another|the)\s$", re.I)
"""`a 40-pound sack of Bluestem`"""
_CONTRAST = re.compile(
    r"\b(?:than|against|versus|vs|compared|rival|other|others|former|latter|both|either|neither|each|respectively|one|another|instead)\b",
    re.I,
)
_CLAUSE = re.compile(r"[;:,]\s|\s[–—-]\s|—")


_LED_AS_COMPARAND = re.compile(
    r"\b(?:than|as|unlike|versus|vs\.?|against|over)\s(?:the\s|your\s|its\s)?[*_\[(]{0,3}$", re.I
)
_RELATIVE = re.compile(r"['’]s?\s|[\s*_\])]{0,4}(?:,?\s(?:which|whose|that|at|with|and its)\b|\s?\(|:)", re.I)
"""Behind a name: what follows is said of it."""
_DEFINITE = re.compile(r"\bthe\s$", re.I)
"""Before a figure: it names a thing, as in `the 63-piece`."""


class Referent(NamedTuple):
    """Whom a figure speaks of."""

    products: frozenset[str]
    certain: bool
    bound: Certainty


class Referents:
    """Reads one report, sentence by sentence."""

    def __init__(self, plain: str, prose: Prose, places: PlacesMeant, strangers: Strangers) -> None:
        self._plain, self._prose = plain, prose
        self._places, self._strangers = places, strangers
        self.groups = places.groups

    def at(self, start: int, end: int) -> Referent | None:
        """Whom the figure there speaks of, by what its sentence names; `None` where that does not say."""
        sentence = self._prose.sentence_at(start)
        groups = self.groups(sentence)
        if not groups:
            return None
        found = self._in_brackets(start, sentence, groups) or self._beside(start, end, sentence, groups)
        if found is None:
            return None
        group, bound = found
        whom = group.together or group.products
        return Referent(whom, len(whom) == 1 and bound > Certainty.INFERRED, bound)

    # How a figure stands to it.

    def _in_brackets(
        self, start: int, sentence: Span, groups: Sequence[PlaceMeant]
    ) -> tuple[PlaceMeant, Certainty] | None:
        """The only one in the same brackets, else the one that the brackets stand behind."""
        opens, closes = self._brackets(start, sentence)
        if opens < 0:
            return None
        inside = [one for one in groups if opens < one.start < closes or opens < one.end <= closes]
        if inside:
            low = max([opens, *(one.end for one in inside if one.end <= start)])
            alone = len({one.products for one in inside}) == 1 and not _BESIDE.search(self._plain, low, start)
            return (inside[0].own, Certainty.ADJOINED) if alone else None
        before = [one for one in groups if one.end <= opens]
        if not before:
            return None
        between = self._plain[before[-1].end : opens]
        if _BESIDE.search(self._plain, opens, start):
            return None
        if len(between) > _LONGEST or re.search(r"[,;:.!?()]|\s[–—-]\s", between):
            return None
        tight = re.fullmatch(r"[\s*_\])”\"]{0,8}", between)
        return before[-1].own, Certainty.ADJOINED if tight else Certainty.CLAUSE

    def _brackets(self, start: int, sentence: Span) -> tuple[int, int]:
        """The innermost brackets around a place of a sentence; negative where it is in none."""
        depth = 0
        for at in range(start - 1, max(sentence[0], start - 4 * _LONGEST) - 1, -1):
            if self._plain[at] == ")":
                depth += 1
            elif self._plain[at] == "(":
                if not depth:
                    close = self._plain.find(")", start, sentence[1])
                    return at, close if close >= 0 else sentence[1]
                depth -= 1
        return -1, -1

    def _beside(
        self, start: int, end: int, sentence: Span, groups: Sequence[PlaceMeant]
    ) -> tuple[PlaceMeant, Certainty] | None:
        around = [one for one in groups if one.start <= start < one.end]
        if around:
            return around[0].own, Certainty.CLAUSE
        before = [one for one in groups if one.end <= start and not self._is_comparand(one)]
        behind = [one for one in groups if one.start >= end]
        if behind:
            between = self._plain[end : behind[0].start]
            led = (
                (_FORWARD.fullmatch(between) and not _DEFINITE.search(self._plain, max(0, start - 6), start))
                or (before and _ARTICLE.fullmatch(between))
                or _ATTRIBUTE.fullmatch(between)
                or (_OF_IT.fullmatch(between) and _SOME.search(self._plain, max(0, start - 8), start))
            )
            if len(between) < _LONGEST and led and behind[0].form != "pronoun":
                return behind[0].own, Certainty.CLAUSE
        if not before:
            return None
        group = self._closed_by(before[-1], behind, end)
        between = self._without_comparands(group.end, start, groups)
        if _APART.search(between) or self._has_another_subject(between, group):
            return group, Certainty.INFERRED
        if group.form == "pronoun":
            alone = _CONTRAST.search(self._plain, *sentence) is None
            return group, Certainty.SCOPE if alone else Certainty.INFERRED
        if group.form in ("thing", "pair"):
            return group, Certainty.SENTENCE
        near = _CLAUSE.search(between) is None
        return group, Certainty.CLAUSE if near or len(groups) == 1 else Certainty.SENTENCE

    def _without_comparands(self, low: int, high: int, groups: Sequence[PlaceMeant]) -> str:
        """A stretch without what is only held against its subject: `than the Whiskerwell`."""
        parts = []
        for one in groups:
            if low <= one.start and one.end <= high and self._is_comparand(one):
                led = _LED_AS_COMPARAND.search(self._plain, low, one.start)
                parts.append(self._plain[low : led.start() if led else one.start])
                low = one.end
        return "".join([*parts, self._plain[low:high]])

    def _has_another_subject(self, between: str, group: PlaceMeant) -> bool:
        """A part of the thing (`the ratchet`) is none."""
        return any(
            match["noun"] is None or not self._strangers.is_part(group.products, match["noun"])
            for match in _SUBJECT.finditer(between)
        )

    def _is_comparand(self, group: PlaceMeant) -> bool:
        """Whether another is held against it, and nothing more is said of it."""
        led = _LED_AS_COMPARAND.search(self._plain, max(0, group.start - 24), group.start)
        return led is not None and _RELATIVE.match(self._plain, group.end) is None

    def _closed_by(self, group: PlaceMeant, behind: Sequence[PlaceMeant], end: int) -> PlaceMeant:
        """A name that may be several things' is its whose link comes next."""
        if behind and behind[0].linked and len(group.products) > 1 and not group.together:
            link = behind[0]
            if link.products < group.products and _CLAUSE.search(self._plain, end, link.start) is None:
                return group._replace(products=link.products)
        return group
