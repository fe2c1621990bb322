"""The six things that the rules do, read from a question by literal cues. What else it says is a condition or stays unread."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from drr.env.search.read_query import distance
from drr.env.text import stem
from drr.offline.agents.account import ShopLimits, Unread, WordAccount, least_rating
from drr.offline.agents.cues import AskKind, Cue, CueReader, Order, bounded
from drr.offline.agents.periods import PERIOD, Period
from drr.offline.agents.phrases import EITHER, WORD, PhraseReader
from drr.wording.figures import number_of
from drr.wording.limits import signed
from drr.wording.money import money, sign_first
from drr.wording.vocabulary import Wordbook, vocabulary

_LONGEST, MOST_ASKS, _LONG_WORD = 6000, 6, 7
_SENTENCE = re.compile(r"(?:[^.?!\n]|\.(?=\d))+[.?!]*")
_SHORT_FORMS = (
    ("w/ ", "with "),
    (" u ", " you "),
    ("+ star", " star"),
    ("pls ", ""),
    (" pls", ""),
    (" please", ""),
)
_SO_FAR = re.compile(r"\b(?:before(?=\W*$)|over the years)", re.IGNORECASE)
_MANY = re.compile(r"\b(?:orders|purchases)\b", re.IGNORECASE)
_OBJECT = re.compile(r" (?:my|our|the|an?|me|us|it)\b", re.IGNORECASE)
_OWN = re.compile(r"\b(?:my|our)\b", re.IGNORECASE)
_NO_LIMITS, _NONE_UNREAD = ShopLimits(), Unread()


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
    period: Period | None = None
    every: bool = False
    """True where all purchases are asked for, and not the last."""
    group: int = 0
    """Things of one group share a limit for the whole."""
    unread: Unread = _NONE_UNREAD
    bare: bool = False
    """True where nothing but a thing is named: it is sought if the shop has it."""
    sentence: str = field(default="", compare=False)
    """The sentence that asks for it, as it was typed."""

    @property
    def conditions(self) -> tuple[str, ...]:
        """Words beside what is sought, compared or was bought that its name may have."""
        return self.unread.stretches if self.kind != "return" and not self.unread.firm and self.things else ()

    @property
    def is_open(self) -> bool:
        """Tell whether words beside it may change the answer, so that it is not answered."""
        return bool(self.unread.stretches) and not self.conditions and self.kind != "return"

    @property
    def thing(self) -> str:
        return self.things[0] if self.things else ""

    @property
    def seeks(self) -> bool:
        return self.kind in ("find", "sold")

    def needs(self, before: bool) -> bool:
        """Tell whether another sentence may change its answer."""
        return self.seeks or (before and not self.things)

    @property
    def spans_all(self) -> bool:
        """Tell whether all that was ever spent is asked for."""
        return self.kind == "spent" and not self.things and self.period is None

    @property
    def most(self) -> float | None:
        """The highest price of one."""
        return min((one for one in (self.limits.each, self.limits.whole) if one is not None), default=None)

    def limits_in_words(self) -> str:
        limits = [f"at most {money(self.most)}"] if self.most is not None else []
        limits += [f"at least {money(self.limits.least)}"] if self.limits.least is not None else []
        limits += [f"rated at least {self.rating:g} stars"] if self.rating is not None else []
        limits += [f"with “{one}” in its name" for one in self.conditions]
        return ", ".join(limits)

    def __str__(self) -> str:
        """The sentence that asks for this alone; it is read the same, without what was not read."""
        year = f" {self.period}" if self.period else ""
        wanted = "".join(f" with {one}" for one in self.conditions)
        match self.kind:
            case "spent":
                return f"How much have I spent{f' on {self.thing}' if self.thing else ''}{year}?"
            case "bought":
                if not self.thing:
                    return f"What did I buy{year}?" if self.every else f"What was my last order{year}?"
                return f"{'How many times did I buy' if self.every else 'When did I last buy'} {self.thing}{year}?"
            case "return":
                last = "something" if self.every else "my last order"
                return f"How do I return {f'the {self.thing}' if self.thing else last}{year}?"
            case "which":
                better = "cheaper" if self.order == "price_asc" else "better"
                return f"Which is {better}, the {self.things[0]} or the {self.things[1]}{wanted}?"
        verb = "Do you sell" if self.kind == "sold" else "Find"
        ranked = {"rating": "", "price_asc": "the cheapest ", "popularity": "the most popular "}[self.order]
        limits = replace(self, unread=_NONE_UNREAD).limits_in_words()
        return f"{verb} {ranked}{self.thing}{wanted}{f', {limits}' if limits else ''}."


@dataclass(frozen=True)
class Asked:
    """A question as the rules understand it."""

    text: str
    asks: tuple[ShopErrand, ...]
    rest: tuple[str, ...]
    """The questions in it that have no cue; the whole text where it asks nothing."""
    unread: tuple[str, ...] = ()
    """The words of a text that asks for nothing the rules know."""

    @property
    def tasks(self) -> tuple[ShopErrand, ...]:
        """List what is looked up: what was read whole, and listings to show beside what was not."""
        return tuple(ask for ask in self.asks if ask.seeks or ask.kind == "which" or not ask.is_open)

    @property
    def limits(self) -> ShopErrand:
        """The limits of the whole text, for what is shown without being judged."""
        return _limited(self.text, [ShopErrand("find", ())], 0)[0]

    def spelled(self, words: Collection[str]) -> Asked:
        """Read the names of things by the words of what was found, where a long word has one slip."""
        asks = [replace(ask, things=tuple(_spelled(one, words) for one in ask.things)) for ask in self.asks]
        return replace(self, asks=tuple(asks))

    def of(self, *kinds: AskKind) -> tuple[ShopErrand, ...]:
        """List the errands of some kinds that were read whole."""
        return tuple(ask for ask in self.asks if ask.kind in kinds and not ask.is_open)


class AskReader:
    def __init__(self, words: Wordbook) -> None:
        some = words.either
        self._phrases = PhraseReader(words)
        self._account = WordAccount(words, self._phrases)
        self._offers = vocabulary("limits")["offers"]
        self._cues = CueReader(words, self._phrases)
        self._cheap = bounded(some("cheap"))
        self._named = bounded(some("named"))
        self._last = bounded(f"(?:{some('latest')})(?: order| purchase)?")
        self._asking = bounded(f"(?:{some('questions', 'opening')})(?!'t)")
        denied = [word.replace("n't", "n") for word in words["function_words"] if word.endswith("n't")]
        self._unmarked = re.compile(rf"\b(?:{'|'.join(denied)})(?=t\b)", re.IGNORECASE)
        self._introducing = words.single("talk", "best", "cheap") | {"a", "an", "any", "some"}

    def read(self, text: str) -> Asked:
        """Read any text."""
        text = text[:_LONGEST].replace("’", "'")
        typed = [one[0] for one in _SENTENCE.finditer(text)]
        for short, long in _SHORT_FORMS:
            text = text.replace(short, long)
        text = signed(sign_first(self._unmarked.sub(r"\g<0>'", text)))  # "cant", "dont"
        found: list[tuple[re.Match[str], list[Cue], list[ShopErrand]]] = []
        for sentence in _SENTENCE.finditer(text):
            cues, before = self._cues.found(sentence), [ask for *_, some in found for ask in some]
            some = self._of_cues(cues, before)
            if len({ask.group for ask in some if ask.seeks}) == 1:
                some = _limited(sentence[0], some, sentence.start())
            found.append((sentence, cues, some))
        if not any(some for *_, some in found) and not any(
            self._is_question(one[0]) for one, *_ in found[1:]
        ):
            found[:1] = [self._bare(sentence) for sentence, *_ in found[:1]]
        seeking = [ask for *_, some in found for ask in some if ask.seeks]
        as_one = len({ask.group for ask in seeking}) == 1 or not any(ask.limits.costs for ask in seeking)
        if as_one:  # limits that stand apart are for all that is sought
            text_of_all = " ".join(
                one[0] for one, _, some in found if not some or any(ask.seeks for ask in some)
            )
            found = [(sentence, cues, _limited(text_of_all, some, -1)) for sentence, cues, some in found]
        rest: list[str] = []
        groups: list[list[ShopErrand]] = []
        besides: list[tuple[int, Unread]] = []
        left: list[str] = []
        typed = typed if len(typed) == len(found) else [sentence[0] for sentence, *_ in found]
        for asked, (sentence, cues, some) in zip(typed, found, strict=True):
            limits = {(ask.limits, ask.rating) for ask in some if ask.seeks}
            figures = len(limits) == 1 or (as_one and bool(seeking) and not some)
            unread = self._unread(sentence, cues, some, figures=figures)
            left += unread.stretches
            if some:
                groups.append([replace(ask, unread=unread, sentence=" ".join(asked.split())) for ask in some])
            elif self._is_question(sentence[0]):
                rest.append(" ".join(sentence[0].split()))
            else:  # of what was asked just before, a condition of what is sought, the thing of what names none
                besides.append((len(groups) - 1, unread))
        asks = [
            replace(
                ask, unread=ask.unread.with_all(one for at, one in besides if at == n or ask.needs(at < n))
            )
            for n, some in enumerate(groups)
            for ask in some
        ]
        asks = [one for one in asks if not (one.bare and one.kind == "return")] or asks  # what only broke
        rest = rest if asks else rest or [" ".join(text.split())]
        kept = tuple(dict.fromkeys(asks))[:MOST_ASKS]
        return Asked(text, kept, tuple(dict.fromkeys(rest))[:3], tuple(left))

    def _unread(
        self, sentence: re.Match[str], cues: Sequence[Cue], asks: Sequence[ShopErrand], *, figures: bool
    ) -> Unread:
        things = " ".join(thing for ask in asks for thing in ask.things)
        own = any(ask.kind in ("bought", "spent", "return") for ask in asks)
        read = [self._cheap] if asks else []
        if own:
            read = [self._last, _SO_FAR, self._named]
        if own and not any(ask.kind == "spent" for ask in asks):  # "the lamp I bought" is one of perhaps many
            read.append(self._cues.clause)
        spans = [match.span() for one in read for match in one.finditer(sentence.string, *sentence.span())]
        if own and (period := PERIOD.search(sentence.string, *sentence.span())):
            spans.append(period.span())
        cued = [(cue.start, cue.end) for cue in cues]
        many = [span for span in cued if _MANY.search(sentence.string, *span)]  # "my last 3 orders"
        spans += [
            one.span()
            for span in many
            for one in WORD.finditer(sentence.string, *span)
            if number_of(one[0]) or _MANY.search(one[0])
        ]
        return self._account.unread(sentence, cued, spans, things, figures=figures, own=own)

    def _bare(self, sentence: re.Match[str]) -> tuple[re.Match[str], list[Cue], list[ShopErrand]]:
        """Read things with nothing but their limits and conditions: "good dog bed, $40 at most", "a kettle or a lamp"."""
        (start, end), read = sentence.span(), self._phrases.phrase
        phrase = read(sentence.string, start, end, anywhere=True)
        if phrase is None or _OBJECT.match(sentence.string, phrase.end):
            return sentence, [], []
        before = WORD.findall(sentence.string[start : phrase.start].lower())
        known = self._introducing | ({"what", "what's", "whats", "is"} if "good" in before else set())
        if not all(word in known or word.isdecimal() for word in before):
            return sentence, [], []
        kind: AskKind = "sold" if before[:1] == ["any"] else "find"
        heads = sentence.string[phrase.end : phrase.end + 1] == ":" and EITHER.search(
            sentence.string, phrase.end
        )
        kind = "which" if heads or EITHER.match(sentence.string, phrase.end) else kind
        cues = [Cue(kind, sentence, start, phrase.start, end)]
        return sentence, cues, [replace(ask, bare=kind != "sold") for ask in self._of_cues(cues, [])]

    def _is_question(self, sentence: str) -> bool:
        return sentence.rstrip().endswith("?") or self._asking.match(sentence.strip()) is not None

    def _of_cues(self, cues: Sequence[Cue], before: Sequence[ShopErrand]) -> list[ShopErrand]:
        """Read what the cues of a sentence ask for, each with the words behind it up to the next."""
        found: list[ShopErrand] = []
        for cue in cues:
            earlier = [*before, *found]
            match cue.kind:
                case "which":
                    found += self._pair(cue, cue.sentence.end())
                case "find" if not found and EITHER.search(
                    cue.sentence[0][: cue.start - cue.sentence.start()]
                ):
                    found += self._pair(cue, cue.start)  # "a lamp or a kettle, which one should I keep?"
                case "find" | "sold":
                    sought = list(self._sought(cue, earlier))
                    if not sought and found and found[-1].seeks and cue.order != "rating":
                        found[-1] = replace(found[-1], order=cue.order)  # "find a lamp, most reviewed first"
                    found += sought
                case "return":
                    found += self._returned(cue, earlier)
                case _:
                    found += self._purchase(cue, earlier)
        return found

    def _pair(self, cue: Cue, end: int) -> list[ShopErrand]:
        things = self._phrases.pair(cue.sentence.string, cue.sentence.start(), end)
        order: Order = "price_asc" if self._cheap.search(cue.sentence[0]) else "rating"
        return [ShopErrand("which", things, order=order)] if things else []

    def _sought(self, cue: Cue, before: Sequence[ShopErrand]) -> Iterator[ShopErrand]:
        text, rating = cue.sentence.string, least_rating(cue.part)
        phrases = list(self._phrases.row(text, cue.end, cue.to, skip=not cue.close))
        if phrases and _OWN.search(text, cue.end, phrases[0].start):
            return  # nobody seeks here what is theirs
        if not phrases or self._cues.owned.intersection(
            WORD.findall(text[phrases[0].end : cue.to].lower())[:2]
        ):
            phrases = self._cues.pointed_at(cue, before[-1].thing if before else "")
        order = "price_asc" if cue.order == "rating" and self._cheap.search(cue.part) else cue.order
        for phrase in phrases:
            if self._cues.clause.match(text, phrase.end + 1):  # "find the lamp I bought"
                yield ShopErrand("bought", (phrase.words,), period=Period.of(cue.sentence[0]))
            elif phrase.words.lower().split()[0] not in self._offers:
                limits, stars = ShopLimits.of(cue.part), rating and rating.value
                yield ShopErrand(cue.kind, (phrase.words,), limits, stars, order, group=cue.start)

    def _purchase(self, cue: Cue, before: Sequence[ShopErrand]) -> Iterator[ShopErrand]:
        """Read of which purchases it is asked: of a thing, or of all."""
        text = cue.sentence.string
        spots = [(cue.end, cue.to, cue.kind == "spent"), (cue.start, cue.end, True)]
        read = self._phrases.phrase
        named = [one for low, high, deep in spots if (one := read(text, low, high, anywhere=deep))]
        named = named or self._cues.pointed_at(cue, before[-1].thing if before else "")
        part = PERIOD.sub(" ", cue.part)
        latest = self._last.search(part) is not None
        many = _MANY.search(text, cue.start, cue.end) is not None
        every_kind = cue.kind == "spent" or latest or many or part[:4].lower() == "what"
        on_something = {"on", "for"} & set(WORD.findall(part[cue.end - cue.start :].lower()))
        if named or (every_kind and not on_something and not self._cues.points(cue)):
            every = many or not latest
            things, period = tuple(phrase.words for phrase in named[:1]), Period.of(cue.sentence[0])
            yield ShopErrand(cue.kind, things, period=period, every=every and cue.kind == "bought")

    def _returned(self, cue: Cue, before: Sequence[ShopErrand]) -> Iterator[ShopErrand]:
        """Read what may be to go back: the records tell which. What is only said to be broken gives way to what is asked."""
        text, sentence = cue.sentence.string, cue.sentence
        is_fault = self._cues.returning.search(text) is None
        if any(ask.kind == "return" for ask in before):
            return
        read = self._phrases.phrase
        found = [
            *self._cues.spoken(cue),
            read(text, cue.end, cue.to),
            *self._cues.pointed_at(cue, before[-1].thing if before else ""),
        ]
        names = [one.words for one in found if one]
        if not names:
            opening = read(text, sentence.start(), cue.start)
            earlier = self._phrases.introduced(text, 0, sentence.start(), sentence.start())
            names = [one.words for one in [opening, *earlier] if one]
        shorter = [words.rpartition(" ")[0] for words in names]  # "the lamp arrived late"
        things = tuple(dict.fromkeys(filter(None, [*names[:1], *shorter[:1], *names[1:], *shorter[1:]])))
        latest = any(" " in one[0] for one in self._last.finditer(PERIOD.sub(" ", sentence[0])))
        if latest or things or not is_fault:
            every, period = not (latest or things), Period.of(sentence[0])
            yield ShopErrand("return", () if latest else things, period=period, every=every, bare=is_fault)


def _spelled(thing: str, words: Collection[str]) -> str:
    read = []
    for word in thing.split():
        slip = word.lower()
        known = len(slip) < _LONG_WORD or not {slip, stem(slip)}.isdisjoint(words)
        near = [one for one in words if not known and one[0] == slip[0] and distance(stem(slip), one, 1) < 2]
        read.append(near[0] if len(near) == 1 else word)
    return " ".join(read)


def _limited(text: str, asks: Sequence[ShopErrand], group: int) -> list[ShopErrand]:
    """Give all that is sought the limits of a text."""
    limits, rating = ShopLimits.of(text), least_rating(text)
    stars = rating and rating.value
    return [replace(ask, limits=limits, rating=stars, group=group) if ask.seeks else ask for ask in asks]


read = lru_cache(maxsize=256)(AskReader(vocabulary("shopping")).read)
"""The errands of a question."""
