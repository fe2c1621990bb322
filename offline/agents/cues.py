"""The cues of the six things that the rules do: which words of a sentence ask for which."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from drr.offline.agents.phrases import WORD, Phrase, PhraseReader
from drr.wording.vocabulary import Wordbook

AskKind = Literal["spent", "bought", "return", "which", "sold", "find"]
Order = Literal["rating", "price_asc", "popularity"]


class Cue(NamedTuple):
    kind: AskKind
    sentence: re.Match[str]
    start: int
    end: int
    to: int
    """The start of the next cue, or the end of the sentence."""
    order: Order = "rating"
    close: bool = False
    """True where the thing follows at once."""

    @property
    def part(self) -> str:
        return self.sentence.string[self.start : self.to]


class CueReader:
    def __init__(self, words: Wordbook, phrases: PhraseReader) -> None:
        some = words.either
        self._phrases = phrases
        self.owned = frozenset(words["owned"])
        shopper, few = "(?:i|we)", r"(?:(?!should|can|could|would|will|to)[\w'-]+ ){0,6}?"
        adverbs = f"(?:(?:{some('adverbs')}) )*"
        had = f"(?:have|did|had|do) {shopper} {adverbs}"
        done = f"(?:that )?{shopper}(?:'?ve| have| had)? {adverbs}"
        self.clause = bounded(f"{done}(?:{some('buying')})")
        spent = f"(?:how much|what) {few}(?:{had}|{done})(?:{some('spending')})|how much did (?:my|our|the) {few}(?:{some('costing')})"
        sums = rf"(?:total|my|our) (?:total )?(?:{some('spending')})(?![^.?!]*\$)|total (?:of|for) (?:all )?(?:my|our) (?:orders|purchases)"
        last = f"(?:{some('latest')}) {few}(?:order|purchase)s?"
        own = f"(?:my|our|the) {last}|(?:my|our) (?:order|purchase)s"
        shown = rf"(?:{some('telling')})\b[^.?!]{{0,60}}\b(?:{own})|(?<![\w,'] )(?:{own}|{last})"
        bought = f"(?:(?:{some('questions')}) {few})?(?:have|did|had) {shopper} {adverbs}(?:{some('buying')})"
        which = f"(?:{some('latest', 'questions')}) {few}{done}(?:{some('buying')})"
        owned = f"which {few}do {shopper} (?:{some('owning')})"
        returned = (
            some("returning").replace(r"\ back", rf" {few}back").replace(r"i\ ", f"i {adverbs}(?:still )?")
        )
        selling = f"(?:do|does) (?:you|they|this shop) (?:{some('selling')})|(?:{some('offered')})"
        choosing = rf"which(?: of (?:your|the|these))?(?=[^.?!]{{0,300}}\b(?:{some('choosing')})\b|(?! ones?\b)(?: [\w'-]+){{1,4}}\?)"
        asking = r"(?<![\w,'] )which(?=(?! (?:is|are|of|one)\b)[^.?!]{0,300}? (?:is|are)\b)"
        finding = rf"(?<!not )(?<!n't )(?<!never )(?<!do i )(?<!do we )(?:{some('finding')})"
        self._asking, self.returning = bounded(asking), bounded(returned)
        self._cues: list[tuple[AskKind, re.Pattern[str], Order]] = [
            ("spent", bounded(f"{spent}|{sums}"), "rating"),
            ("which", bounded(some("pairing")), "rating"),
            ("bought", bounded(f"{bought}|{which}|{owned}|{shown}"), "rating"),
            ("return", bounded(f"{returned}|{some('faults')}"), "rating"),
            ("sold", bounded(selling), "rating"),
            ("find", bounded(some("cheapest")), "price_asc"),
            ("find", bounded(some("popular")), "popularity"),
            ("find", bounded(f"{some('best')}|{choosing}"), "rating"),
            ("find", bounded(finding), "rating"),
            ("find", self._asking, "rating"),
        ]

    def found(self, sentence: re.Match[str]) -> list[Cue]:
        """Find the cues of a sentence. Of two that overlap the earlier kind counts; a rank belongs to the cue before it."""
        found: list[Cue] = []
        for kind, pattern, order in self._cues:
            for match in pattern.finditer(sentence.string, *sentence.span()):
                if not any(match.start() < one.end and one.start < match.end() for one in found):
                    close = pattern is self._asking
                    found.append(Cue(kind, sentence, *match.span(), sentence.end(), order, close))
        merged: list[Cue] = []
        for cue in sorted(found, key=lambda cue: cue.start):
            last = merged[-1] if merged else None
            if (
                last and last.part[:5].lower() == "which" and cue.order != "rating"
            ):  # "which lamp is the cheapest"
                last = merged[-1] = last._replace(order=cue.order)
            if (
                last
                and cue.kind == "find"
                and last.kind in ("find", "sold")
                and not self._phrase(cue, last.end)
            ):
                order = cue.order if cue.order != "rating" else last.order
                merged[-1] = last._replace(end=cue.end, order=order)
                continue
            merged[-1:] = [last._replace(to=cue.start)] if last else []
            merged.append(cue)
        return merged

    def points(self, cue: Cue) -> bool:
        """Tell whether a word behind the cue points back to a thing: "one", "it"."""
        return not self.owned.isdisjoint(WORD.findall(cue.part.lower()))

    def spoken(self, cue: Cue) -> list[Phrase]:
        """List the things of the sentence behind "a" or "my"."""
        text, (start, end), read = cue.sentence.string, cue.sentence.span(), self._phrases.introduced
        return [*read(text, start, cue.start, cue.start), *read(text, cue.start, end, cue.to)]

    def pointed_at(self, cue: Cue, earlier: str) -> list[Phrase]:
        """Find the thing last spoken of: in the sentence, else before it."""
        if not self.points(cue):
            return []
        spoken = [one for one in self.spoken(cue) if one.start < cue.start]
        return [*reversed(spoken), *([Phrase(earlier, cue.end, cue.end)] if earlier else [])][:1]

    def _phrase(self, cue: Cue, start: int) -> Phrase | None:
        """The thing between a place and a cue."""
        return self._phrases.phrase(cue.sentence.string, start, cue.start)


def bounded(expression: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{expression})\b", re.IGNORECASE)
