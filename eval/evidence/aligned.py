"""A claim laid beside the sentences of its evidence: which of them speak of it, and how much of it they say, by words alone.

A word weighs the more the fewer sentences hold it. What in these sentences speaks against the claim, other modules ask: `amounting` of
figures, `naming` of names, `opposing` of denials and opposites, `doubting` of what is said with less certainty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from math import fsum, log
from typing import NamedTuple

from drr.env.text import tokens
from drr.wording.assertions import ASSERTIONS
from drr.wording.dates import CALENDAR
from drr.wording.units import UNITS

GRAMMAR = frozenset(
    tokens(
        "a an the this that these those it its they their them he his she her you your yours we our i me my of in on at to for from by with "
        "as is are was were be been being am do does did have has had having and or but if then than so such also too very can could will would "
        "should may might must there here which who whom whose what when where how why all any each every both more most other some into over "
        "about up out off only own same just per via one"
    )
)
"""Words that hold a sentence together and mean nothing alone."""
Words = Callable[[str], frozenset[str]]
_JOINED = 0.12
"""Of the claim's weight, that a further sentence must bring to be read with the first."""
_ENDINGS = tuple(
    sorted(["ations", "ation", "ments", "ment", "nesses", "ness", "ings", "ing", "edly", "ed", "ers", "er", "ors", "or", "ies", "ied", "ily", "ly", "es", "s", "e", "y", "al", "ally", "ance", "ence", "ive", "ion", "ions", "able", "ible", "ful", "ity"], key=len, reverse=True)
)  # fmt: skip
_NAME = re.compile(r"(?<![\w'’-])(?:[A-Z][\w&]*(?:[-’'][A-Za-z0-9]\w*)?|[a-z]{1,2}[A-Z]\w*)(?![\w])")
_STARTS = re.compile(r"(?:^\s{0,8}|[.!?:;\"“”(|]\s{0,8}|\n\s{0,8}|^[AQ]\.?\s)$")
_TIMES = frozenset(
    word.casefold() for group in ("months", "short_months", "weekdays") for word in CALENDAR[group]
)
CLAUSE = re.compile(
    r"(?<=[,;:])\s++|(?<!\s)\s++(?=(?:but|although|though|while|whereas|however|except|against)\b)|[()]"
)
_PART = re.compile(r",\s++(?:and|but|which|while)\s++|[,;]\s++|(?<!\s)\s++(?:and|but|because|which)\s+")


@lru_cache(maxsize=65536)
def family(word: str) -> str:
    """A word without what grammar puts behind it: `fermented`, `fermentation`."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


class ClaimPart(NamedTuple):
    """A part of a claim, as commas and conjunctions divide it."""

    text: str
    start: int
    end: int

    @property
    def is_frame(self) -> bool:
        """Whether it only says of when, by whom or beside what the rest is said."""
        return self.start == 0 and ASSERTIONS.frames.match(self.text) is not None


class Alignment:
    """One claim and the sentences of its evidence."""

    def __init__(self, claim: str, sentences: Sequence[str], content: Words) -> None:
        self.claim = claim
        self.sentences = [sentence.strip() for sentence in sentences]
        self._content = content
        self._known: dict[str, frozenset[str]] = {}
        self.asked = self.words(claim)
        self.said = [self.words(sentence) for sentence in self.sentences]
        self._weights = self._weigh()
        self._whole = fsum(self._weights.values()) or 1.0
        self.shares = [self.share(said) for said in self.said]
        self.best = self._closest()
        self.window, self.held = self._window()

    @property
    def covered(self) -> float:
        """Of what the claim says."""
        return self.share(self.held)

    def words(self, text: str) -> frozenset[str]:
        if text not in self._known:
            self._known[text] = frozenset(map(family, self._content(text)))
        return self._known[text]

    def _weigh(self) -> Mapping[str, float]:
        n = len(self.said)
        counts = {word: sum(word in said for said in self.said) for word in self.asked}
        return {word: log((n + 1) / (count + 0.5 if count else 1.5)) for word, count in counts.items()}

    def share(self, words: Iterable[str]) -> float:
        """Of the claim's weight, that these words bear; summed exactly, since sets have no order and shares are compared."""
        return fsum(self._weights[word] for word in self.asked.intersection(words)) / self._whole

    def _closest(self) -> int:
        """The sentence that says most of what the claim tells of its subject; the subject's name alone stands in many."""
        told = self.told if self.share(self.told) >= 0.2 else self.asked
        return max(
            range(len(self.sentences)), key=lambda i: (self.share(told & self.said[i]), self.shares[i], -i)
        )

    def _window(self) -> tuple[list[int], frozenset[str]]:
        """The closest sentence, with up to two others that say what it leaves."""
        window, held = [self.best], self.asked & self.said[self.best]
        for _ in range(2):
            more = [self.share(said - held) if i not in window else 0.0 for i, said in enumerate(self.said)]
            best = max(range(len(more)), key=lambda i: more[i] / (1 + 0.15 * min(abs(i - self.best), 4)))
            if more[best] < _JOINED:
                break
            window.append(best)
            held |= self.asked & self.said[best]
        return window, held

    def place(self, word: str) -> int | None:
        """Where in the claim a word of this family stands first."""
        return next((m.start() for m in _TOKEN.finditer(self.claim) if word in self.words(m[0])), None)

    @cached_property
    def told(self) -> frozenset[str]:
        """What the claim says beside the names that it begins with."""
        return self.asked - (self.subject or self.name_words)

    @cached_property
    def subject(self) -> frozenset[str]:
        """The names before the first other word of weight."""
        rest = self.asked - self.name_words
        at = next(
            (m.start() for m in _TOKEN.finditer(self.claim) if self.words(m[0]) & rest), len(self.claim)
        )
        return self.names_in(self.claim[:at])

    @cached_property
    def parts(self) -> list[ClaimPart]:
        ends = [m.span() for m in _PART.finditer(self.claim)]
        starts = [0, *(end for _, end in ends)]
        stops = [*(start for start, _ in ends), len(self.claim)]
        return [ClaimPart(self.claim[a:b], a, b) for a, b in zip(starts, stops, strict=True)]

    @cached_property
    def read(self) -> list[str]:
        """The sentences of the window."""
        return [self.sentences[i] for i in self.window]

    def clause(self, i: int) -> str:
        """Of a sentence the clause that says most of the claim."""
        return max(CLAUSE.split(self.sentences[i]), key=lambda clause: self.share(self.words(clause)))

    @cached_property
    def _written_large(self) -> frozenset[str]:
        """Words that stand with a capital where no sentence begins."""
        return frozenset(
            m[0]
            for text in (self.claim, *self.sentences)
            for m in _NAME.finditer(text)
            if not _begins(text, m)
        )

    @cached_property
    def _written_small(self) -> frozenset[str]:
        return frozenset(word for said in self.sentences for word in _SMALL.findall(said))

    def names(self, text: str) -> list[re.Match[str]]:
        """Names of a text in their order: what is written with a capital though no sentence begins there, here or elsewhere."""
        found = []
        for m in _NAME.finditer(text):
            word = m[0]
            if word.casefold() in _TIMES or word.casefold() in self._written_small or not self.words(word):
                continue
            if _CODE.fullmatch(word):
                continue
            if UNITS.named(word) is not None and text[: m.start()].rstrip()[-1:].isdigit():
                continue
            marked = any(sign.isupper() or sign.isdigit() for sign in word[1:])
            begins = _begins(text, m) and _TITLED.match(text, m.end()) is None
            if not begins or word in self._written_large or (marked and not word.isupper()):
                found.append(m)
        return found

    def names_in(self, text: str) -> frozenset[str]:
        """By the words of their families."""
        return frozenset(word for m in self.names(text) for word in self.words(m[0]))

    @cached_property
    def name_words(self) -> frozenset[str]:
        return self.names_in(self.claim)

    @cached_property
    def named_at(self) -> list[frozenset[str]]:
        """The names of each sentence."""
        return [self.names_in(sentence) for sentence in self.sentences]


_TOKEN = re.compile(r"[\w'’.-]+")
_CODE = re.compile(r"(?=(?:\D*\d){3})[A-Z0-9]{8,}")
"""What a shop calls a thing by, and nobody else."""
_TITLED = re.compile(r"\s[A-Z][a-z]")
_SMALL = re.compile(r"(?<![\w'’-])[a-z][\w'’]*")


def _begins(text: str, m: re.Match[str]) -> bool:
    return _STARTS.search(text[max(0, m.start() - 3) : m.start()]) is not None or m.start() == 0
