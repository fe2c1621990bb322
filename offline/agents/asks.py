"""The six things that the rules do, read from a question by literal cues. What has no cue is left as it was asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from drr.env.constraints import parse_constraints
from drr.env.text import stem
from drr.offline.agents.phrases import WORD, Phrase, PhraseReader
from drr.wording.money import dollar_amounts, money
from drr.wording.stated import RATINGS
from drr.wording.vocabulary import Wordbook, vocabulary

AskKind = Literal["spent", "bought", "return", "which", "sold", "find"]
Order = Literal["rating", "price_asc", "popularity"]
_LONGEST, MOST_ASKS, _MOST_THINGS = 6000, 6, 4
_SENTENCE = re.compile(r"(?:[^.?!\n]|\.(?=\d))+[.?!]*")
_YEAR = re.compile(r"\b(?:in|from|during|of) ((?:19|20)\d\d)\b")
_JOIN = re.compile(
    r"\s*(?:(,)\s*(?:and\s)?|(?:and|plus|&)\s)\s*(?:(?:an?|some|the|another)\s)?", re.IGNORECASE
)
_INTRODUCED = re.compile(r"\b(?:an?|another|new) ", re.IGNORECASE)


class ShopLimits(NamedTuple):
    """Limits of what may be found, in dollars; `None` where there is none."""

    each: float | None = None
    whole: float | None = None
    """Highest cost of all that is bought."""
    least: float | None = None
    without: tuple[str, ...] = ()
    many: int | None = None

    @classmethod
    def of(cls, text: str) -> ShopLimits:
        read = parse_constraints(re.sub(r"\bcosts? (?=less than\b)", "", text))
        month = read.month_max and read.month_max * (read.months or 1)
        whole = min((one for one in (read.total_max, month) if one is not None), default=None)
        least = read.item_min if read.item_min is not None else read.total_min
        return cls(read.item_max, whole, least, tuple(read.exclusions), read.count)

    @property
    def costs(self) -> bool:
        return (self.each, self.whole, self.least) != (None, None, None)


_NO_LIMITS = ShopLimits()


@dataclass(frozen=True)
class ShopErrand:
    """One of the six things."""

    kind: AskKind
    things: tuple[str, ...]
    """The things it names: two for `which`, else one; none where all purchases are meant."""
    limits: ShopLimits = _NO_LIMITS
    rating: float | None = None
    """Lowest rating."""
    order: Order = "rating"
    year: str | None = None
    every: bool = False
    """True where all purchases are asked for, and not the last."""
    group: int = 0
    """Things of one group share a limit for the whole."""

    @property
    def thing(self) -> str:
        return self.things[0] if self.things else ""

    @property
    def most(self) -> float | None:
        """The highest price of one."""
        return min((one for one in (self.limits.each, self.limits.whole) if one is not None), default=None)

    def limits_in_words(self) -> str:
        limits = [f"at most {money(self.most)}"] if self.most is not None else []
        limits += [f"at least {money(self.limits.least)}"] if self.limits.least is not None else []
        limits += [f"rated at least {self.rating:g} stars"] if self.rating is not None else []
        return ", ".join([*limits, *(f"without {one}" for one in self.limits.without)])

    def __str__(self) -> str:
        """The sentence that asks for this alone; it is read the same."""
        year = f" in {self.year}" if self.year else ""
        match self.kind:
            case "spent":
                return f"How much have I spent{f' on {self.thing}' if self.thing else ''}{year}?"
            case "bought":
                often = "How many times did I buy" if self.every else "When did I last buy"
                return f"{often} {self.thing}{year}?" if self.thing else "What was my last order?"
            case "return":
                return f"How do I return the {self.thing}?"
            case "which":
                return f"Which is better, the {self.things[0]} or the {self.things[1]}?"
        verb = "Do you sell" if self.kind == "sold" else "Find"
        ranked = {"rating": "", "price_asc": "the cheapest ", "popularity": "the most popular "}[self.order]
        limits = f", {self.limits_in_words()}" if self.limits_in_words() else ""
        return f"{verb} {ranked}{self.thing}{limits}."


@dataclass(frozen=True)
class Asked:
    """A question as the rules understand it."""

    text: str
    asks: tuple[ShopErrand, ...]
    rest: tuple[str, ...]
    """The questions in it that have no cue; the whole text where it asks nothing."""
    about_place: bool

    def of(self, *kinds: AskKind) -> tuple[ShopErrand, ...]:
        return tuple(ask for ask in self.asks if ask.kind in kinds)


class _Cue(NamedTuple):
    kind: AskKind
    start: int
    end: int
    order: Order = "rating"


class AskReader:
    def __init__(self, words: Wordbook) -> None:
        some = words.either
        self._phrases = PhraseReader(words)
        self._owned = frozenset(words["owned"])
        shopper, few = r"(?:i|we)", r"(?:[\w'-]+ ){0,4}?"
        had = rf"(?:have|did|had) {shopper} (?:(?:{some('adverbs')}) )*"
        spent = rf"(?:how much|what) {few}{had}(?:{some('spending')})"
        shown = rf"(?:{some('telling')})\b[^.?!]{{0,60}}\b(?:my|the) (?:{some('latest')}) (?:order|purchase)"
        bought = rf"(?:(?:{some('questions')}) {few})?{had}(?:{some('buying')})|{shown}"
        last = rf"(?:{some('latest')}) (?:thing|time|one)(?: that)? {shopper} (?:{some('buying')})"
        selling = rf"(?:do|does) (?:you|they|this shop) (?:{some('selling')})|(?:{some('offered')})"
        self._cues: list[tuple[AskKind, re.Pattern[str], Order]] = [
            ("spent", _bounded(spent), "rating"),
            ("bought", _bounded(f"{bought}|{last}"), "rating"),
            ("return", _bounded(some("returning")), "rating"),
            ("which", _bounded(some("pairing")), "rating"),
            ("sold", _bounded(selling), "rating"),
            ("find", _bounded(some("cheapest")), "price_asc"),
            ("find", _bounded(some("popular")), "popularity"),
            ("find", _bounded(rf"{some('best')}|which(?: of (?:your|the|these))?(?=[^.?!]{{0,300}}\b(?:{some('choosing')})\b|(?: [\w'-]+){{1,4}}\?)"), "rating"),
            ("find", _bounded(rf"(?<!not )(?<!n't )(?<!never )(?:{some('finding')})"), "rating"),
        ]  # fmt: skip
        self._every = _bounded(some("every"))
        self._latest = _bounded(
            rf"(?:{some('latest')}) (?:thing|order|purchase)|what (?:did|have) {shopper} (?:{some('buying')})"
        )
        self._place = _bounded(rf"(?:my|our) (?:{some('home_places')})")
        self._asking = _bounded(some("questions", "opening"))

    def read(self, text: str) -> Asked:
        """Read any text."""
        text = text[:_LONGEST].replace("’", "'")
        asks: list[ShopErrand] = []
        rest: list[str] = []
        for sentence in _SENTENCE.finditer(text):
            found = list(self._of_sentence(text, sentence.start(), sentence.end(), asks))
            asks += found
            if not found and self._is_question(sentence[0]):
                rest.append(" ".join(sentence[0].split()))
        phrase = None if asks or not ShopLimits.of(text).costs else self._phrases.phrase(text, 0, len(text))
        if phrase is not None:
            asks, rest = (
                [ShopErrand("find", (phrase.words,))],
                [one for one in rest if phrase.words not in one],
            )
        asks = list(dict.fromkeys(_limited_as_a_whole(text, asks)))[:MOST_ASKS]
        if (amounts := dollar_amounts(text)) and not any(ask.limits.costs for ask in asks):
            asks = [ask for ask in asks if ask.kind not in ("find", "sold")]  # a limit that could not be read
            rest += [
                one[0].strip()
                for one in _SENTENCE.finditer(text)
                if one.start() <= amounts[0].start < one.end()
            ]
        if not asks:
            rest = rest or [" ".join(text.split())]
        return Asked(text, tuple(asks), tuple(dict.fromkeys(rest))[:3], self._place.search(text) is not None)

    def _is_question(self, sentence: str) -> bool:
        return sentence.rstrip().endswith("?") or self._asking.match(sentence.strip()) is not None

    def _of_sentence(self, text: str, start: int, end: int, before: list[ShopErrand]) -> Iterator[ShopErrand]:
        cues = self._found(text, start, end)
        ends = [*(cue.start for cue in cues), end][1:]
        earlier = list(before)
        for cue, to in zip(cues, ends, strict=True):
            made = list(self._asks(text, cue, to, start, earlier))
            earlier += made
            yield from made

    def _found(self, text: str, start: int, end: int) -> list[_Cue]:
        """Find the cues of a sentence. Of two that overlap the earlier kind counts; a rank belongs to the cue before it."""
        found: list[_Cue] = []
        for kind, pattern, order in self._cues:
            for match in pattern.finditer(text, start, end):
                if not any(match.start() < one.end and one.start < match.end() for one in found):
                    found.append(_Cue(kind, match.start(), match.end(), order))
        merged: list[_Cue] = []
        for cue in sorted(found, key=lambda cue: cue.start):
            last = merged[-1] if merged and merged[-1].kind in ("find", "sold") else None
            if cue.kind == "find" and last and self._phrases.phrase(text, last.end, cue.start) is None:
                order = cue.order if cue.order != "rating" else last.order
                merged[-1] = _Cue(last.kind, last.start, cue.end, order)
            else:
                merged.append(cue)
        return merged

    def _asks(
        self, text: str, cue: _Cue, end: int, opening: int, before: list[ShopErrand]
    ) -> Iterator[ShopErrand]:
        """Read what one cue asks for, with the words behind it up to the next."""
        part = text[cue.start : end]
        if cue.kind == "which":
            things = self._phrases.pair(text, cue.end, end)
            yield from [ShopErrand("which", things)] if things else []
            return
        year, pointed = _YEAR.search(part), self._pointed_at(text, cue, end, opening, before)
        if cue.kind in ("find", "sold"):
            phrases = list(self._row(text, cue.end, end)) or pointed
            limits = ShopLimits.of(part)
            for phrase in phrases:
                yield ShopErrand(cue.kind, (phrase.words,), limits, _rating(part), cue.order, group=cue.start)
            return
        spots = ((cue.end, end), *([] if cue.kind == "return" else [(cue.start, cue.end)]))
        named = [
            one for low, high in spots if (one := self._phrases.phrase(text, low, high, anywhere=True))
        ] or pointed
        all_of_them = cue.kind == "spent" or (cue.kind == "bought" and self._latest.search(part))
        on_something = not {"on", "for"}.isdisjoint(WORD.findall(text[cue.end : end].lower()))
        if named or (all_of_them and not on_something and not self._points(text, cue, end)):
            every = cue.kind == "bought" and self._every.search(part) is not None
            things = tuple(phrase.words for phrase in named[:1])
            yield ShopErrand(cue.kind, things, year=year and year[1], every=every)

    def _points(self, text: str, cue: _Cue, end: int) -> bool:
        """Tell whether a word behind the cue points back to a thing: "one", "it"."""
        return not self._owned.isdisjoint(word.lower() for word in WORD.findall(text[cue.start : end]))

    def _pointed_at(
        self, text: str, cue: _Cue, end: int, opening: int, before: list[ShopErrand]
    ) -> list[Phrase]:
        """Find the thing last spoken of: in the sentence behind "a" or "another", else by the errand before."""
        if not self._points(text, cue, end):
            return []
        introduced = list(_INTRODUCED.finditer(text, opening, cue.start))
        spoken = [one for match in introduced if (one := self._phrases.phrase(text, match.end(), cue.start))]
        earlier = [Phrase(before[-1].thing, cue.end, cue.end)] if before and before[-1].things else []
        return [*reversed(spoken), *earlier][:1]

    def _row(self, text: str, start: int, end: int) -> Iterator[Phrase]:
        """The things in a row: "a gate, a lamp and bird feeders"."""
        phrase = self._phrases.phrase(text, start, end)
        for _ in range(_MOST_THINGS):
            if phrase is None:
                return
            yield phrase
            join = _JOIN.match(text, phrase.end, end)
            if join is None:
                return
            phrase = self._phrases.phrase(text, join.end(), end, skip=False)
            several = (
                phrase is not None and stem(phrase.words.split()[-1]) != phrase.words.split()[-1].lower()
            )
            if join[1] and not several and text[join.start() : join.end()].strip() == ",":
                return


def _bounded(expression: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{expression})\b", re.IGNORECASE)


def _rating(text: str) -> float | None:
    """The least rating that is asked for: the first figure of a rating up to five."""
    for start, end in RATINGS.places(text):
        if (figure := re.match(r"\d(?:\.\d+)?(?!\d)", text[start:end])) and 1 <= float(figure[0]) <= 5:
            return float(figure[0])
    return None


def _limited_as_a_whole(text: str, asks: list[ShopErrand]) -> Iterator[ShopErrand]:
    """A limit beside a thing is its own; one that stands apart is for all that have none."""
    own, whole = any(ask.limits.costs for ask in asks), ShopLimits.of(text)
    for ask in asks:
        if ask.kind not in ("find", "sold") or ask.limits.costs:
            yield ask
        elif own:
            yield replace(ask, limits=ask.limits._replace(without=whole.without))
        else:
            yield replace(ask, limits=whole, rating=ask.rating or _rating(text), group=-1)


_ASKS = AskReader(vocabulary("shopping"))


@lru_cache(maxsize=256)
def read(text: str) -> Asked:
    return _ASKS.read(text)
