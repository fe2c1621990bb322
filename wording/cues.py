"""What kind of amount the words beside it make it: a price, a sum, a rest, a difference, a cost per unit, a limit."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from drr.wording.numbers import DIGITS, SPOKEN
from drr.wording.vocabulary import Wordbook, vocabulary

CueKind = Literal["total", "rest", "gap", "unit", "limit", "void", "price", "none"]
_NEAR = 48
"""Characters beside an amount within which its cues stand."""
_STOPS = ".;!?()|"
_APART = re.compile(rf"[{re.escape(_STOPS)}]|\s[–—]\s|\n")
_DECORATION = re.compile(r"[*_`\"“”~≈]+")
_RATE = re.compile(rf"(?:{DIGITS}|\b{SPOKEN})[\s-](?!dollars?\b|bucks\b|cents?\b)[a-z]{{2,14}}\s$", re.I)
"""Before `an hour`: so many of something that is no money."""
_ARTICLE = re.compile(r"\ban?\s$", re.I)
_NOUN = re.compile(
    r"\s[a-z]{3,16}\b(?<!\seach)(?<!\sfor)(?<!\sper)(?<!\sand)(?<!\sor)(?<!\swhile)(?<!\swith)"
)
"""`a $60 kit`: an amount between an article and a noun is what that thing costs."""
_TWO_UNITS = re.compile(
    r"\s?(?:per|an?|/)\s?[a-z]{3,14}(?:\sand\s|\sper\s|\sa\s|/)(?:year|month|week|day|night|use)\b", re.I
)
"""`per alarm and year`"""
_KEPT_BEFORE = re.compile(
    r"\b(?:with|have|having|still)\s(?:(?:about|around|just|only|exactly|roughly|some)\s)?$", re.I
)
"""Before `$17 over`: it is left."""
_ANY_UNIT = re.compile(
    r"\b(?:per|by the|each|every)\s(?P<unit>(?:fl\.?\s|fluid\s)?[a-z-]+)|\b(?P<same>[a-z]{3,14})\sfor\s(?P=same)\b",
    re.I,
)
_SPACES = re.compile(r"\s+")


class Cue(NamedTuple):
    """A kind, and the word that shows it."""

    kind: CueKind
    word: str = ""
    per: str = ""
    """Of a cost per unit, what the unit is; empty for each thing."""


class CueReader:
    def __init__(self, words: Wordbook) -> None:
        def compiled(expression: str) -> re.Pattern[str]:
            return re.compile(expression, re.I)

        some = words.either
        articles = r"(?:(?:a|an|the|your|my|our|its|that|this|about|around|just|only|exactly|roughly|some|another)\s){0,3}"
        self._total_before = compiled(rf"\b(?:{some('total_before')})\b[^$]{{0,40}}$")
        self._total_right_before = compiled(
            rf"\b(?:{some('total_before', 'total_right_before')}):?\s{articles}$"
        )
        # A feeder with six ports is one thing: what follows such a word is no subject.
        many = rf"(?<![\w.,/÷×*+$-])(?<!\bwith\s)(?<!\bof\s)(?<!\bin\s)(?<!\bhas\s)(?:{SPOKEN}|\d{{1,2}}|both|(?:a|the|one) pair|a set)(?<!\bone)(?:\sof\s(?:them|these|those|it))?"
        word = r"(?:\s(?!and\b|or\b)[a-z-]{2,14})"
        self._many = compiled(
            rf"{many}(?:{word}{{0,2}}?\s(?:{some('many_cost')}):?|{word}{{1,2}}\s?=)\s{articles}$"
        )
        self._total_after = compiled(rf"^\s?(?:{some('total_after')})\b")
        self._rest_before = compiled(
            rf"\b(?:{some('rest_before')})\b(?!(?:\s[a-z]{{1,10}}){{1,2}}\sout\b)[^$]{{0,32}}$"
        )
        self._rest_after = compiled(rf"^\s?(?:{some('rest_after')})\b")
        self._gap_before = compiled(
            rf"\b(?:{some('gap_before')})\b(?:(?!\b(?:at|for|costs?|is)\b)[^$]){{0,24}}$"
        )
        self._gap_noun = compiled(_gap_noun(some("gap_nouns"), articles))
        self._gap_right_before = compiled(
            rf"\b(?:{some('gap_right_before')})(?:\s(?!at\b|for\b|is\b)(?-i:[a-z]{{1,12}})){{0,3}}\s$"
        )
        self._gap_after = compiled(rf"^\s?(?:{some('gap_after')})\b")
        self._limit_after = compiled(rf"^[\s-]?(?:\w+\s)?(?:{some('limit_nouns')})\b")
        self._limit_right_before = compiled(
            rf"\b(?:(?:{some('limit_right_before')})\s|(?:{some('limit_nouns')})(?:\s(?:of|is|was|were))?:?\s){articles}$"
        )
        self._limit_before = compiled(
            rf"(?:\b(?:{some('limit_before')})|\b(?:{some('limit_nouns')}):?)\s?{articles}$"
        )
        self._each = compiled(rf"^\s?(?:{some('every')})\b")
        self._per = compiled(rf"^(?:{some('per')})(?P<unit>(?:[a-z-]+\s){{0,1}}?[a-z-]+)")
        self._per_before = compiled(rf"\bper\s(?P<unit>[a-z-]{{3,14}}),\s{articles}$")
        self._head = compiled(
            r"(?:^|\b(?:price|cost|costs)\s|\b)per\s(?P<unit>(?:fl\.?\s|fluid\s)?[a-z-]+)|/\s?(?P<short>[a-z-]+)|\b(?:each|apiece|unit (?:cost|price))\b"
        )
        self._sum_label = compiled(r"\W{0,9}(?:grand\s|sub-?)?(?:total|totals|sum)\W{0,9}$")
        self._rest_label = compiled(rf"\W{{0,9}}(?:{some('rest_before')})\b(?!\s(?:in|over)\b)")
        self._opening = compiled(
            r"^\W{0,9}(?:on\san?\s)?(?:(?:price|cost)\s)?(?:per|by the|(?:counted|reckoned|compared|priced)\s(?:by|per)(?:\sthe)?)[\s-](?:\d{1,4}\s?)?(?P<unit>(?:fl\.?\s|fluid\s)?[a-z-]+)"
        )
        self._is_period = compiled(some("periods"))
        self._over_time = compiled(
            rf"\b(?:(?:a|an|per|each|every)\s(?P<time>{some('periods')})|(?:{some('times', 'over_time')}))\b"
        )
        self._period = compiled(rf"^(?:(?:{some('per')})\s?(?:{some('periods')})\b|\s?(?:{some('times')})\b)")
        self._free = compiled(rf"\b(?:{some('elsewhere', 'unreal')})\b")
        self._swapped = compiled(rf"\b(?:{some('swapped')})\b")
        self._past = compiled(rf"\b(?:{some('past')})\s{articles}$")
        self._priced = compiled(rf"\b(?:{some('priced')})\b[:\s]*{articles}$")
        self._price_phrase = compiled(
            rf"(?:[\s*_)\],:;(–—-]*\b(?:{some('priced')}|an?|it|its|which|and|of|this|one|today|here|the|shop)\b){{1,6}}[\s:(*_~-]*"
        )

    def cue(self, before: str, after: str) -> Cue:
        """Of an amount by what stands before and behind it, in its sentence and without other amounts."""
        low, high = _tidy(_behind_stop(before)), _tidy(_before_stop(after))
        if _ARTICLE.search(low) and _NOUN.match(high) and self._by_after(low, high) is None:
            return Cue("none")
        for kind in (self._by_after, self._by_before):
            if (cue := kind(low, high)) is not None:
                return cue
        return Cue("price") if self._priced.search(low) else Cue("none")

    def of_label(self, label: str) -> Cue | None:
        """What the head of a column or row makes of the amounts in it, where that is no price."""
        if self._sum_label.match(label):
            return Cue("total", "label")
        if self._rest_label.match(label):
            return Cue("rest", "label")
        match = self._head.search(label)
        return Cue("unit", "label", (match["unit"] or match["short"] or "").casefold()) if match else None

    def of_opening(self, sentence: str) -> Cue | None:
        """What a sentence that begins with "Per gallon" makes of its amounts."""
        match = self._opening.match(sentence)
        if match is None:
            return None
        per = match["unit"].casefold()
        return Cue("unit", "period" if self._is_period.fullmatch(per) else "opening", per)

    def units_in(self, sentence: str) -> frozenset[str]:
        """The units that a sentence speaks of costs per: `per ounce`, `by the sheet`, `foot for foot`."""
        found = _ANY_UNIT.finditer(_tidy(sentence))
        return frozenset((match["unit"] or match["same"]).casefold() for match in found)

    def is_elsewhere(self, before: str, after: str) -> bool:
        """Whether an amount is by the words of its clause other people's money, or what would be."""
        return self._free.search(_tidy(_behind_stop(before)) + " $ " + _tidy(_to_comma(after))) is not None

    def times_in(self, sentence: str) -> frozenset[str]:
        """The times over which a sentence speaks of use or spending: `a week`, `annual`."""
        return frozenset(
            (match["time"] or match[0]).casefold()
            for match in self._over_time.finditer(sentence)
            if not _RATE.search(sentence[max(0, match.start() - 24) : match.start()])
        )

    def is_swapped(self, sentence: str) -> bool:
        """Whether a sentence puts one thing in the place of another, so that a sum changes by both."""
        return self._swapped.search(sentence) is not None

    def is_price_phrase(self, text: str) -> bool:
        """Whether a text holds nothing but words that lead from a thing to its price."""
        return self._price_phrase.fullmatch(text) is not None

    def _by_after(self, before: str, after: str) -> Cue | None:
        if _TWO_UNITS.match(after):
            return Cue("void", "period")
        if self._period.match(after):
            match = self._per.match(after)
            return (
                Cue("unit", "period", match["unit"].casefold().split()[-1])
                if match
                else Cue("void", "period")
            )
        if self._limit_after.match(after):
            return Cue("limit")
        if match := self._rest_after.match(after):
            return Cue("rest", match[0].strip())
        if match := self._gap_after.match(after):
            if match[0].strip() == "over" and _KEPT_BEFORE.search(before):
                return Cue("rest", "over")  # `with $17 over`
            unit = self._per.match(after[match.end() :])
            return Cue("gap", match[0].strip(), unit["unit"].casefold() if unit else "")
        if match := self._total_after.match(after):
            return Cue("total", match[0].strip())
        each, match = self._each.match(after), self._per.match(after)
        if each is None and match is None:
            return None
        per = match["unit"].casefold() if match is not None and each is None else ""
        kept = self._by_before(before, after)
        if kept is not None and kept.kind in ("gap", "rest"):
            return kept._replace(per=per)
        return Cue("unit", per=per)

    def _by_before(self, before: str, after: str) -> Cue | None:
        if match := self._per_before.search(before):
            return Cue("unit", "opening", match["unit"].casefold())
        if self._total_right_before.search(before):
            return Cue("total", "before")
        if self._many.search(before):
            return Cue("total", "many")
        if self._gap_right_before.search(before):
            return Cue("gap", "by")
        if self._limit_right_before.search(before):
            return Cue("limit")
        if match := self._gap_noun.search(before):
            return Cue("gap", match[0].split()[0])
        if match := self._rest_before.search(before):
            return Cue("rest", match[0].split()[0])
        if match := self._gap_before.search(before):
            return Cue("gap", match[0].split()[0])
        if self._past.search(before):
            return Cue("void", "past")
        if self._limit_before.search(before):
            return Cue("limit")
        if match := self._total_before.search(before):
            return Cue("total", match[0].split()[0])
        return None


def _gap_noun(nouns: str, articles: str) -> str:
    """`the difference is`, `a gap of`, at the end of what stands before an amount."""
    of = r"(?:\s(?:between|of|in|over|per|to|here)(?:\s[\w'’-]{1,14}){1,4})?"
    verb = r"(?:\sis|\swas|\sof|:|\s=|\scomes? to|\samounts? to|\sworks? out (?:at|to))"
    return rf"\b(?:{nouns}){of}{verb}\s?{articles}$"


def _tidy(text: str) -> str:
    return _SPACES.sub(" ", _DECORATION.sub("", text))


def _behind_stop(text: str) -> str:
    text = text[-3 * _NEAR :]
    last = None
    for last in _APART.finditer(text):  # noqa: B007 - the last one counts
        pass
    return text[last.end() :] if last else text


def _before_stop(text: str) -> str:
    text = text[:_NEAR]
    first = _APART.search(text)
    return text[: first.start()] if first else text


def _to_comma(text: str) -> str:
    return _before_stop(text.partition(",")[0])


CUES = CueReader(vocabulary("cues"))
