"""The six things that the rules do, read from a question by literal cues. One is done only where each word beside it was read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from drr.env.text import stem
from drr.offline.agents.account import ShopLimits, WordAccount, least_rating
from drr.offline.agents.phrases import WORD, Phrase, PhraseReader
from drr.wording.money import money, sign_first
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
    unread: tuple[str, ...] = ()
    """Words beside it that no rule reads. They may be conditions, so it is not answered."""

    @property
    def thing(self) -> str:
        return self.things[0] if self.things else ""

    @property
    def seeks(self) -> bool:
        return self.kind in ("find", "sold")

    @property
    def most(self) -> float | None:
        """The highest price of one."""
        return min((one for one in (self.limits.each, self.limits.whole) if one is not None), default=None)

    def limits_in_words(self) -> str:
        limits = [f"at most {money(self.most)}"] if self.most is not None else []
        limits += [f"at least {money(self.limits.least)}"] if self.limits.least is not None else []
        limits += [f"rated at least {self.rating:g} stars"] if self.rating is not None else []
        return ", ".join(limits)

    def __str__(self) -> str:
        """The sentence that asks for this alone; it is read the same, without what was not read."""
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

    @property
    def tasks(self) -> tuple[ShopErrand, ...]:
        """List what is looked up: what was read whole, and listings to show beside what was not."""
        return tuple(ask for ask in self.asks if ask.seeks or ask.kind == "which" or not ask.unread)

    def of(self, *kinds: AskKind) -> tuple[ShopErrand, ...]:
        """List the errands of some kinds that were read whole."""
        return tuple(ask for ask in self.asks if ask.kind in kinds and not ask.unread)


class _Cue(NamedTuple):
    kind: AskKind
    start: int
    end: int
    order: Order = "rating"


class AskReader:
    def __init__(self, words: Wordbook) -> None:
        some = words.either
        self._phrases = PhraseReader(words)
        self._account = WordAccount(words, self._phrases)
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
        text = sign_first(text[:_LONGEST].replace("’", "'"))
        asks: list[ShopErrand] = []
        rest: list[str] = []
        statements: list[tuple[re.Match[str], int, int]] = []
        latest = 0
        for sentence in _SENTENCE.finditer(text):
            cues = self._found(text, *sentence.span())
            if found := list(self._of_sentence(text, sentence.start(), sentence.end(), cues, asks)):
                if len({ask.group for ask in found if ask.seeks}) == 1:
                    found = list(_limited(sentence[0], found))
                limited = {(bool(ask.limits.costs), ask.rating) for ask in found if ask.seeks}
                unread = self._unread(sentence, cues, found, figures=len(limited) == 1)
                latest = len(asks)
                asks += [replace(ask, unread=unread) for ask in found]
            elif self._is_question(sentence[0]):
                rest.append(" ".join(sentence[0].split()))
            else:
                statements.append((sentence, latest, len(asks)))
        if not asks and (asks := self._named(text)):
            rest, statements = [], []
        own = any(ask.limits.costs for ask in asks)
        for (
            sentence,
            low,
            high,
        ) in statements:  # of what was asked just before, and a condition of what is sought
            unread = self._unread(sentence, [], [], figures=not own)
            asks = [
                replace(ask, unread=ask.unread + unread) if low <= n < high or ask.seeks else ask
                for n, ask in enumerate(asks)
            ]
        if not own:  # a limit that stands apart is for all that is sought
            asks = [replace(ask, group=-1) if ask.seeks else ask for ask in _limited(text, asks)]
        rest = rest if asks else rest or [" ".join(text.split())]
        kept = tuple(dict.fromkeys(asks))[:MOST_ASKS]
        return Asked(text, kept, tuple(dict.fromkeys(rest))[:3], self._place.search(text) is not None)

    def _unread(
        self, sentence: re.Match[str], cues: list[_Cue], asks: list[ShopErrand], *, figures: bool
    ) -> tuple[str, ...]:
        things = " ".join(thing for ask in asks for thing in ask.things)
        year = next((ask.year for ask in asks if ask.year), None)
        spans = [(cue.start, cue.end) for cue in cues]
        return self._account.unread(sentence, spans, things, year, figures=figures)

    def _named(self, text: str) -> list[ShopErrand]:
        """Read things and their limit where nothing else is said: "dog bed, $40 at most"."""
        phrases = self._row(text, 0, len(text)) if ShopLimits.of(text).costs else ()
        asks = [ShopErrand("find", (phrase.words,)) for phrase in phrases]
        sentences = _SENTENCE.finditer(text) if asks else ()
        return [] if any(self._unread(one, [], asks, figures=True) for one in sentences) else asks

    def _is_question(self, sentence: str) -> bool:
        return sentence.rstrip().endswith("?") or self._asking.match(sentence.strip()) is not None

    def _of_sentence(
        self, text: str, start: int, end: int, cues: list[_Cue], before: list[ShopErrand]
    ) -> Iterator[ShopErrand]:
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
            phrases = list(self._row(text, cue.end, end))
            if not phrases or self._owned.intersection(WORD.findall(text[phrases[0].end : end].lower())[:1]):
                phrases = pointed
            limits, rating = ShopLimits.of(part), least_rating(part)
            stars = rating and rating.value
            for phrase in phrases:
                yield ShopErrand(cue.kind, (phrase.words,), limits, stars, cue.order, group=cue.start)
            return
        spots = [(cue.end, end, cue.kind == "spent")]
        spots += [] if cue.kind == "return" else [(cue.start, cue.end, True)]
        read = self._phrases.phrase
        named = [one for low, high, deep in spots if (one := read(text, low, high, anywhere=deep))] or pointed
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


def _limited(text: str, asks: list[ShopErrand]) -> Iterator[ShopErrand]:
    """Give all that is sought the limits of a text."""
    limits, rating = ShopLimits.of(text), least_rating(text)
    for ask in asks:
        rated = ask.rating or (rating and rating.value)
        yield replace(ask, limits=limits, rating=rated) if ask.seeks else ask


_ASKS = AskReader(vocabulary("shopping"))


@lru_cache(maxsize=256)
def read(text: str) -> Asked:
    return _ASKS.read(text)
