"""Figures and values that a sentence denies, or says of nothing that the shop sells.

`It isn't 1500 watts`, `neither the A nor the B clumps in 15 seconds`, `there is no 1.7-liter version`, `you'd need 18 pounds`, `most kettles hold
1.7 liters`: that the record has something else makes none of them wrong.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import combinations

from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.cast import cast_of
from drr.eval.checks.measures import MeasureSaid, measures_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.records import record_text
from drr.wording.dates import dates
from drr.wording.money import every_amount
from drr.wording.numbers import DIGITS, SPOKEN, number_said
from drr.wording.tolerance import money_slack

VERSION = 2
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
    "provides?|delivers?|counts?|says?|claims?|stands?|covers?|moves?|needs?|stops?|goes|go|pour|put|fill|expect|find|available|designed|meant|built|intended|offered"
)
_SMALL = "an?|the|its|it|it['’]s|this|that|in|of|to|up|you|us|quite|exactly|actually|really|even|some|any|their|my|your|our|full|whole|with|out|did|do|does|will|can|for|from|into"
_SPACE = r"[\s*_\"“”'‘(]{1,4}"
_LED = rf"(?:{_SPACE}(?:{_VERBS}|{_SMALL}))"
_NOT = r"(?:\b(?:not|never|no|cannot|hardly|without|lacks?|lacking|nowhere\snear|far\sfrom|unlike|neither|nor|(?:falls?|comes?|stops?|stopping|falling)\s(?:well\s|far\s)?short\sof|refus(?:es|ed|ing)\sto|fail(?:s|ed|ing)?\sto)|n['’]t)"
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
_SOMEBODYS = re.compile(
    r"[\s*_>-]{0,6}(?:my|his|her)\s(?!(?:pick|choice|advice|recommendation|favou?rite|suggestion|vote|top|first|second)\b)[a-z]",
    re.I,
)
"""`My neighbor's humidifier has 7 liters.`"""
_UNEXPECTED = re.compile(
    r"(?:\bnot|\bnever|n['’]t)\s(?:expect|count\son|hope\sfor|ask|rely\son)\b[^.;:!?,]{0,120}$", re.I
)
"""`Don't expect it to hold 1.7 liters.`"""
_UNFULFILLED = re.compile(
    rf"\b(?:should|could|would|might)\shave\s(?:been|had|held|taken|cost|weighed|come\swith){_LED}{{0,3}}{_SPACE}$",
    re.I,
)
_ONE_OF_A_KIND = re.compile(
    r"\b(?:compared\s(?:with|to)|next\sto|beside|like|than|versus|vs\.?)\san?\s[*_]{0,3}$", re.I
)
"""`slow, compared with a 1500-watt kettle`"""
_DENIED_BEHIND = re.compile(
    r"[\s*_-]{0,3}(?:[a-z-]{1,14}[\s*_]{1,3}){0,3}(?:(?:it|they)\s(?:isn['’]t|is\snot|aren['’]t|are\snot)(?=[\s*_]{0,3}(?:[.,;:!—–]|$))"
    r"|(?:isn['’]t|is\snot|aren['’]t|are\snot)\s(?:offered|available|sold|made|there|on\soffer|in\sstock|an\soption)\b|would\s(?:be|have|do|make)\b)",
    re.I,
)
"""`a 4.8-star kettle it isn't`, `the 0.8-liter size isn't offered`, `1500 watts would be faster`"""
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
_APART = re.compile(
    r"\b(?:difference|gap|margin|spread|lead)\b[^.;:!?]{0,160}\b(?:is|are|of|to|makes?|lies?)\s(?:about\s|just\s|only\s|some\s|roughly\s|exactly\s|a\smere\s)?[*_]{0,3}$",
    re.I,
)
"""`the difference between the two is 1.5 liters`"""
_MORE_THAN = re.compile(
    r"[\s*_-]{0,3}(?:(?:feet|foot|meters?|ounces?|inch-pounds?)[\s*_]{1,3})?(?:more|less|fewer|[a-z]{3,10}er)[\s*_]{1,3}(?:[a-z]{3,10}[\s*_]{1,3}){0,2}than\b",
    re.I,
)
"""`22 cubic feet roomier than`"""
_LEFT = ("left_count", "left_measure")
_PACE = re.compile(
    r"[\s*_]{0,3}(?:[a-z]{1,12}[\s*_]{1,3}){0,2}(?:an?|per|every|each)\s(?:second|minute|hour|day|night|week|month|year)\b",
    re.I,
)
_BARE = re.compile(
    rf"(?<![\w.,$€£/#-])(?:{DIGITS}|{SPOKEN})(?=[*_]{{0,3}}(?:[.,;:!?)—–]|$|\s(?:behind|instead|rather|is)\b))(?![.,]\d)",
    re.I,
)
_COMPARED = re.compile(
    r"[\s*_-]{0,3}(?!(?:rather|other|over|after|under|never|whether|either|together|however)\b)(?:more|less|fewer|[a-z]{3,10}er)\b",
    re.I,
)
_COMPARING = re.compile(
    r"[\s*_-]{0,3}(?:(?:feet|foot|ounces?)[\s*_]{1,3})?(?:on\s(?:them|it|both|the\sother)|behind|ahead|apart|short|to\sspare|in\shand|away)\b",
    re.I,
)
_FEW = 6
"""Things that a sentence may name whose figures are set against each other."""
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
        said = self._why_said(one, place, before)
        if said is not None:
            return said
        if one.kind == "price" and self._is_saved(one, place):
            return "two things that are named cost so much more and less"
        besides = self._why_besides(one.kind, place)
        if besides is not None:
            return besides
        return self._why_left(one) if one.kind in _LEFT else None

    def _why_said(self, one: Accusation, place: int, before: str) -> str | None:
        """What the words right before a figure and right behind it say."""
        if _DENIED.search(before) or _UNEXPECTED.search(before) or self._is_of_none(before):
            return "its sentence says that it is not so"
        if _DENIED_BEHIND.match(self._text, one.span[1]):
            return "what stands behind it says that it is not so"
        if _NEEDED.search(before) or _UNFULFILLED.search(before):
            return "its sentence says what is needed"
        if one.kind in _MEASURED and _ONE_OF_A_KIND.search(before):
            return "its sentence speaks of one of a kind"
        if _SOMEBODYS.match(before) and not self._cast.within(place - len(before), place):
            return "its sentence speaks of what somebody has"
        if _OF_MOST.search(before):
            return "its sentence speaks of most of a kind"
        if one.kind in _VALUED and not self._text[place].isdigit() and _AGAINST.search(before):
            return "it is what the thing's own is held against"
        if one.kind in _MEASURED and (
            _BY_SO_MUCH.search(before) or _APART.search(before) or _MORE_THAN.match(self._text, one.span[1])
        ):
            return "it is by how much two things differ"
        return None

    def _why_besides(self, kind: str, place: int) -> str | None:
        """What a figure with its unit is beside the things that its sentence names."""
        if kind not in _MEASURED:
            return None
        line, span = self._cast.prose.line_at(place), self._cast.prose.sentence_at(place)
        if line is None or line.cells:
            return None
        every = self._cast.prose.measures(span)
        said = next((one for one in every if one.start <= place < one.end), None)
        if said is None or said.kind.endswith(" grade"):
            return None
        if self._is_between(said, span):
            return "two things that are named differ by so much"
        if self._is_besides(said, span):
            return "what the thing itself has stands in its sentence too"
        return None

    def _is_saved(self, one: Accusation, place: int) -> bool:
        """Whether two things of its sentence are so far apart in price: `you gain a preset and three dollars`."""
        amount = next(iter(every_amount(self._text[slice(*one.span)])), None)
        named = self._cast.within(*self._cast.prose.sentence_at(place))
        keys = {key for each in named for key in each.products}
        if amount is None or len(keys) > _FEW:
            return False
        prices = [each.price for key in sorted(keys) if (each := self._cast.products.get(key)) and each.price]
        slack = money_slack(whole=amount.whole)
        return any(abs(abs(a - b) - amount.value) <= slack for a, b in combinations(prices, 2))

    def _is_between(self, said: MeasureSaid, span: Span) -> bool:
        """Whether two things of its sentence, or of the text before where a word compares, differ by so much: `moving up from the A to the B adds 5 pounds`."""
        low = max(0, span[0] - _REACH) if _COMPARING.match(self._text, said.end) else span[0]
        keys = {key for one in self._cast.within(low, span[1]) for key in one.products}
        if not 1 < len(keys) <= _FEW:
            return False
        known = [self._known(key, said) for key in sorted(keys)]
        return any(
            abs(abs(a - b) - said.value) < 1e-6
            for one, other in combinations(known, 2)
            for a in one
            for b in other
        )

    def _why_left(self, one: Accusation) -> str | None:
        """Of a figure that no reader gives to a thing."""
        if _PACE.match(self._text, one.span[1]):
            return "it is so much in a time"
        _, end = self._cast.prose.sentence_at(one.span[0])
        if self._text[:end].endswith("?"):
            return "its sentence asks"
        return None if self._cast.within(0, end) else "nothing that is sold has been named before it"

    def _before(self, place: int) -> str:
        """What stands in a sentence or a cell before a place."""
        line = self._cast.prose.line_at(place)
        cells = [low for low, high in line.cells or () if low <= place < high] if line is not None else []
        low = cells[0] if cells else self._cast.prose.sentence_at(place)[0]
        return self._text[max(low, place - _REACH) : place]

    def _is_besides(self, said: MeasureSaid, span: Span) -> bool:
        """Whether its sentence says of all that it names, in a bare number, what they have of the kind: another figure is then of something else (`I wish it had 76 inches rather than 71`)."""
        named = self._cast.within(*span)
        keys = {key for one in named for key in one.products} or self._cast.meant_at(*span).products
        known = [self._known(key, said) for key in sorted(keys)]
        if _COMPARED.match(self._text, said.end):
            return False  # a difference, which others work out
        days = [range(one.start, one.end) for one in dates(self._text, *span)]
        told = {
            number_said(one[0])
            for one in _BARE.finditer(self._text, *span)
            if not said.begins <= one.start() < said.end
            and not any(each.start <= one.start() < each.end for each in named)
            and not any(one.start() in each for each in days)
        }
        return any(known) and all(own <= told for own in known if own)

    def _known(self, key: str, said: MeasureSaid) -> set[float]:
        """What a record has in a unit."""
        product = self._cast.products.get(key)
        every = measures_of(record_text(product)) if product is not None else ()
        return {one.value for one in every if one.unit == said.unit}

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
