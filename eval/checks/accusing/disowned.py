"""Figures and values that a sentence denies, or says of nothing that the shop sells.

`It isn't 1500 watts`, `neither the A nor the B clumps in 15 seconds`, `there is no 1.7-liter version`, `you'd need 18 pounds`, `most kettles hold
1.7 liters`: that the record has something else makes none of them wrong.
"""

from __future__ import annotations

import re
from functools import lru_cache

from drr.eval.checks.base import Accusation
from drr.eval.checks.cast import cast_of
from drr.eval.checks.mentions import Mentions

VERSION = 1
KINDS = frozenset(
    {
        *("price", "stars", "rated_nowhere", "nowhere", "nowhere_amount", "stated", "measure", "detailed"),
        *("weighed_figure", "weighed_value", "grade", "attribute"),
        *("left_amount", "left_stars", "left_raters", "left_count", "left_measure"),
    }
)
_VERBS = (
    "is|isn|are|aren|was|were|be|been|being|has|hasn|have|haven|had|got|gets?|having|comes?|costs?|holds?|takes?|weighs?|measures?|carr(?:y|ies)|runs?|lasts?|reach(?:es)?|"
    "gives?|offers?|makes?|made|supports?|rated|rates?|scores?|scored|sells?|sold|priced|listed|lists?|shows?|clumps?|serves?|fits?|draws?|uses?|includes?|contains?|ships?|puts?|"
    "provides?|delivers?|counts?|says?|claims?|stands?|covers?|moves?|needs?|stops?|goes|go"
)
_SMALL = "an?|the|its|it|it['’]s|this|that|in|of|to|up|you|us|quite|exactly|actually|really|even|some|any|their|my|your|our|full|whole|with|out|did|do|does|will|can"
_SPACE = r"[\s*_\"“”'‘(]{1,4}"
_LED = rf"(?:{_SPACE}(?:{_VERBS}|{_SMALL}))"
_NOT = r"(?:\b(?:not|never|no|cannot|hardly|without|lacks?|lacking|nowhere\snear|far\sfrom|unlike|neither|nor|(?:falls?|comes?|stops?|stopping|falling)\s(?:well\s|far\s)?short\sof)|n['’]t)"
_DENIED = re.compile(rf"{_NOT}{_LED}{{0,6}}{_SPACE}$", re.I)
"""Right before a figure: so much it is not, or there is none."""
_NEEDED = re.compile(
    rf"(?:\b(?:would|could|might|you['’]ll|you|I|we|they|people|who)|['’]d)\s(?:ideally\s|probably\s|really\s|only\s)?(?:need|want|do\swith|have\sto\shave|like|expect|look\sfor|aim\sfor|allow|budget)"
    rf"{_LED}{{0,3}}(?:{_SPACE}(?:about|around|roughly|at\sleast|something\slike|some|maybe|perhaps))?{_SPACE}$",
    re.I,
)
"""So much somebody needs."""
_OF_MOST = re.compile(
    rf"(?:^|[.;:,—–]\s|\b(?:and|but|while|where|whereas|since|because|though)\s)[\s*_]{{0,4}}(?:most|many|few|ordinary|typical|standard|normal|regular|other|an?\s(?:typical|standard|normal|ordinary|regular|usual))"
    rf"\s[a-z-]{{2,16}}(?:\s[a-z-]{{2,16}}){{0,3}}\s(?:{_VERBS}){_LED}{{0,3}}{_SPACE}$",
    re.I,
)
"""So much have most of a kind."""
_NEITHER = re.compile(r"\b(?:neither|none|nothing|nobody)\b|\bno\s(?:other\s)?[a-z]", re.I)
_VERB = re.compile(rf"\b(?:{_VERBS})\b(?!['’])", re.I)
_OBJECT = re.compile(rf"\b(?:{_VERBS})(?:{_SPACE}(?:{_SMALL})){{0,3}}{_SPACE}$", re.I)
_NO_MORE = re.compile(r"[;:!?—–]|\bbut\b", re.I)
_BETWEEN = re.compile(
    r"[\s*_-]{0,3}(?P<n>\d{1,6}(?:[.,]\d{1,3})?|[a-z]{3,9})\s(?:or|to|and)[\s*_]{1,3}$", re.I
)
"""The one end of a range before the other."""
_MEASURED = (
    "stated",
    "measure",
    "detailed",
    "weighed_figure",
    "nowhere",
    "nowhere_amount",
    "left_measure",
    "left_count",
)
_BY_SO_MUCH = re.compile(
    r"(?<!\d)(?<!\d\s)(?<!inch)(?<!inches)(?<!feet)(?<!foot)(?<!ft)(?<!cm)(?<!mm)(?<!in)\sby\s(?:about\s|just\s|only\s|some\s|roughly\s|around\s|exactly\s|nearly\s|almost\s|another\s|"
    r"a\s(?:full|mere|good|whole)\s|an\seven\s)?[*_]{0,3}$",
    re.I,
)
"""`heavier by 0.85 pounds`, no `15 inches by 10`."""
_VALUED = ("weighed_value", "grade", "attribute", "nowhere")
_AGAINST = re.compile(
    r"\b(?:beats?|tops|outranks?|surpass(?:es)?|(?:[a-z]{2,9}er|more|less)\sthan|versus|vs\.?|against|compared\s(?:to|with))\s(?:an?\s|the\s)?[*_]{0,3}$",
    re.I,
)
"""`P-5 beats P-3`"""
_LEFT = ("left_count", "left_measure")
_PACE = re.compile(
    r"[\s*_]{0,3}(?:[a-z]{1,12}[\s*_]{1,3}){0,2}(?:an?|per|every|each)\s(?:second|minute|hour|day|night|week|month|year)\b",
    re.I,
)
_FIRST = re.compile(r"[\w$€£]")
_REACH = 260


class Disowned:
    """Of one report."""

    def __init__(self, mentions: Mentions) -> None:
        self._text, self._cast = mentions.plain, cast_of(mentions.subject, mentions)

    def why(self, one: Accusation) -> str | None:
        """What keeps a figure from being said of a thing; `None` where nothing does."""
        if one.kind not in KINDS:
            return None
        first = _FIRST.search(self._text, *one.span)
        place = one.span[0] if first is None else first.start()
        before = self._before(place)
        ranged = _BETWEEN.search(before)
        if ranged is not None:
            before = before[: ranged.start("n")]
        if _DENIED.search(before) or self._is_of_none(before):
            return "its sentence says that it is not so"
        if _NEEDED.search(before):
            return "its sentence says what is needed"
        if _OF_MOST.search(before):
            return "its sentence speaks of most of a kind"
        if one.kind in _VALUED and not self._text[place].isdigit() and _AGAINST.search(before):
            return "it is what the thing's own is held against"
        if one.kind in _MEASURED and _BY_SO_MUCH.search(before):
            return "it is by how much two things differ"
        return self._why_left(one) if one.kind in _LEFT else None

    def _why_left(self, one: Accusation) -> str | None:
        """Of a figure that no reader gives to a thing."""
        if _PACE.match(self._text, one.span[1]):
            return "it is so much in a time"
        named = self._cast.within(0, self._cast.prose.sentence_at(one.span[0])[1])
        return None if named else "nothing that is sold has been named before it"

    def _before(self, place: int) -> str:
        """What stands in a sentence or a cell before a place."""
        line = self._cast.prose.line_at(place)
        cells = [low for low, high in line.cells or () if low <= place < high] if line is not None else []
        low = cells[0] if cells else self._cast.prose.sentence_at(place)[0]
        return self._text[max(low, place - _REACH) : place]

    def _is_of_none(self, before: str) -> bool:
        """Whether it is said of neither or of none of some, whose names may stand between: with one verb alone, the figure behind it."""
        every = list(_NEITHER.finditer(before))
        if not every:
            return False
        said = before[every[-1].end() :]
        return (
            _OBJECT.search(said) is not None
            and _NO_MORE.search(said) is None
            and sum(1 for _ in _VERB.finditer(said)) == 1
        )


@lru_cache(maxsize=4)
def disowned_of(mentions: Mentions) -> Disowned:
    return Disowned(mentions)
