"""Of whom a claim says it, and of whom its evidence does: another name in the same place is another thing."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property

from drr.eval.evidence.aligned import Alignment
from drr.wording.assertions import ASSERTIONS

_CLOSE = 0.3
"""From which share of what the claim tells on a sentence tells the same."""
_HOLDS = 0.55
_REFERS = re.compile(
    r"(?:^|[,;:]\s|\b(?:and|but|that|which)\s)(?:it|its|they|their|he|his|she|her|this|these|the|both|a|an)\b",
    re.I,
)
_ONLY = re.compile(r"\bonly\b", re.I)


class Naming:
    def __init__(self, beside: Alignment) -> None:
        self._beside = beside
        self._known = frozenset().union(*beside.said)

    def unnamed(self) -> list[str]:
        """Names of the claim that the evidence holds in no form."""
        names = self._beside.names(self._beside.claim)
        return sorted({m[0] for m in names if not any(map(self._is_known, self._beside.words(m[0])))})

    def _is_known(self, name: str) -> bool:
        return name in self._known or any(
            _akin(name, other) for names in self._beside.named_at for other in names
        )

    def other(self) -> str | None:
        """Why what the evidence tells is told of another; `None` where it may be the same."""
        beside, own = self._beside, self._beside.name_words
        if not own or self._told(beside.best) < _CLOSE:
            return None
        here = beside.names_in(self._segment)
        subject = beside.subject or own
        known = frozenset(filter(self._is_known, subject))
        others = sorted(name for name in self._subject_there() if not _among(name, own))
        if not known:
            return self._unknown(here)
        if _shared(known, here):
            return self._variant()
        if here and _ONLY.search(self._segment):
            return f"the evidence says it of {min(here)} only"
        if others:
            return f"the closest sentence of the evidence is about {others[0]}"
        return self._referred(known)

    def _told(self, i: int) -> float:
        told = self._beside.told
        return self._beside.share(told & self._beside.said[i]) / (self._beside.share(told) or 1.0)

    def _unknown(self, here: frozenset[str]) -> str | None:
        """The claim is about what the evidence does not name, and the evidence names another there."""
        foreign = sorted(name for name in here if not _among(name, self._beside.name_words))
        if foreign and not _shared(self._beside.name_words, here):
            return f"the closest sentence of the evidence is about {foreign[0]}"
        return None

    def _referred(self, known: frozenset[str]) -> str | None:
        """A sentence without a name of its own is about what was named last, or what the whole text is about."""
        beside = self._beside
        before = beside.names_in(beside.sentences[beside.best].partition(self._segment)[0])
        if before and _POSSESSIVE.match(self._segment) and not _shared(known, before):
            return f"the closest sentence of the evidence is about {min(before)}"
        if _shared(known, self._topic()):
            return None
        for i in range(beside.best - 1, max(-1, beside.best - 3), -1):
            if _shared(known, beside.named_at[i]):
                return None
            if beside.named_at[i]:
                break
        last = next((beside.named_at[i] for i in range(beside.best - 1, -1, -1) if beside.named_at[i]), None)
        if _SPEAKER.search(beside.sentences[beside.best]) and not any(
            _shared(known, names) for names in beside.named_at[: beside.best]
        ):
            return "the closest sentence of the evidence is about who tells it"
        if last is None or not (_REFERS.search(self._segment) or self._is_of_topic()):
            return None
        return f"the closest sentence of the evidence is about {min(last)}"

    def _is_of_topic(self) -> bool:
        """The closest sentence names nobody and says most of it: it goes on about whom it was about."""
        return self._told(self._beside.best) >= _HOLDS and not self._beside.names_in(self._segment)

    def _topic(self) -> frozenset[str]:
        """The names of the first sentence that has any, and those named most."""
        named = [names for names in self._beside.named_at if names]
        counts = Counter(name for names in named for name in names)
        most = max(counts.values(), default=0)
        return (named[0] if named else frozenset[str]()) | {
            name for name, n in counts.items() if n == most > 1
        }

    def _subject_there(self) -> frozenset[str]:
        """Of the closest sentence; one that begins with a pronoun has its subject elsewhere."""
        if _PRONOUN.match(self._segment):
            return frozenset()
        begins = " ".join(self._segment.split()[:_FIRST])
        auxiliary = _AUXILIARY.search(begins)
        return self._beside.names_in(begins[: auxiliary.start()] if auxiliary else begins) - self._speaker()

    def _speaker(self) -> frozenset[str]:
        """Who only tells it, and not of himself."""
        told = ASSERTIONS.telling.search(self._segment)
        if told is None or _OF_SELF.match(self._segment, told.end()):
            return frozenset()
        before = " ".join(self._segment[: told.start()].split()[-_NEAR:])
        behind = " ".join(self._segment[told.end() :].split()[:_NEAR])
        return self._beside.names_in(before) | self._beside.names_in(behind)

    @cached_property
    def _segment(self) -> str:
        """Of the closest sentence what says most between semicolons."""
        beside = self._beside
        parts = [part.strip() for part in beside.sentences[beside.best].split(";")]
        return max(parts, key=lambda part: beside.share(beside.words(part) & beside.told))

    def _runs(self, text: str) -> list[tuple[str, ...]]:
        """Names that stand together, with a figure behind them: `Corrie Mid`, `Pondside 900`."""
        runs, end = list[list[str]](), -1
        for m in self._beside.names(text):
            if text[end : m.start()] == " " and runs and end >= 0:
                runs[-1].append(_bare(m[0]))
            else:
                runs.append([_bare(m[0])])
            end = m.end()
            if figure := _FIGURE.match(text, end):
                runs[-1].append(figure[1])
                end = figure.end()
        return [tuple(run) for run in runs]

    def _variant(self) -> str | None:
        """The clause that says most of it names another of the same maker or series: `Corrie II` for `Corrie Mid`."""
        mine, theirs = self._runs(self._beside.claim), self._runs(self._segment)
        for one in mine:
            for other in theirs:
                own, foreign = frozenset(one) - frozenset(other), frozenset(other) - frozenset(one)
                if (
                    one[0] == other[0]
                    and own
                    and foreign
                    and not any(frozenset(run) >= frozenset(one) for run in theirs)
                ):
                    return f"the closest sentence of the evidence is about {' '.join(other)}"
        return None


_SPEAKER = re.compile(r"\b(?:I|we|my|our)\b", re.I)
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|has|have|had|does|do|did|can|will|may|could|would)\b", re.I)
_FIGURE = re.compile(r"\s(\d{1,4}[A-Za-z]?)(?![\w.,%])")
_POSSESSIVE = re.compile(r"(?:its|it|they|their|he|his|she|her)\b", re.I)
_NEAR = 4
"""Words beside a verb of telling among which stands who tells."""
_FIRST = 7
"""Words of a sentence among which its subject stands."""
_PRONOUN = re.compile(r"(?:it|they|he|she|this|these|those|you|we|i|there)\b", re.I)
_WORD = re.compile(r"[A-Za-z][\w'’]*")


def _akin(one: str, other: str) -> bool:
    """`Asian`, `Asia`."""
    short, long = sorted((one, other), key=len)
    return len(short) >= 4 and long.startswith(short) and len(long) - len(short) <= 2


def _bare(name: str) -> str:
    return name.casefold().removesuffix("'s").removesuffix("\u2019s")


_OF_SELF = re.compile(r"\s(?:that\s)?(?:it|they|he|she|we|I)\b")


def _among(name: str, names: frozenset[str]) -> bool:
    return name in names or any(_akin(name, other) for other in names)


def _shared(one: frozenset[str], other: frozenset[str]) -> bool:
    return any(_among(name, other) for name in one)
