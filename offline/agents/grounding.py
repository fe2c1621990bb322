"""The aims of a question in the shop's terms: kinds of listing that its words name.

A shopper's prose names few things as a list would; the listings that answer its sentences say which kinds of things it may speak of, and
the words around say whether one is wanted or told as owned. Where only owned things are named, the question is about these.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from drr.env.text import stem
from drr.offline.agents import question as offline_question
from drr.offline.agents.choice import WORD, Kind, Kinds, candidates, kind_of_name, same_word
from drr.offline.agents.cues import MOST_NEEDS
from drr.offline.agents.memory import Memory, SeenProduct
from drr.offline.agents.question import Asked, content_words

_SENTENCES, _MOST_WORDS, _MOST, _SHORT, _FEW = 4, 14, 24, 6, 3
_TOGETHER, _NEAR, _ALONE, _ONLY, _SHARED, _ELSEWHERE = 3.0, 2.2, 1.3, 1.0, 0.3, 0.5
"""Degrees of evidence for a kind: its name with what says which, the name alone, only what says which."""
_FIRST, _AMONG, _BOUGHT = 0.8, 0.3, 2.2
_WANTED, _NEW, _OWNED = 0.7, 0.3, -2.0
_LEAST, _DESCRIBED, _BEHIND, _FOUND = 1.5, 2.0, 1.5, 0.7
_MAKER, _NAMED = 2, 3
"""First words of a title that may be its maker's name."""
_CAPITAL = re.compile(r"\b[A-Z][a-z'’]{2,}")
_NAME = re.compile(r"(?<![\w'’-])[A-Z][\w'’-]*+(?:[\s&]++[A-Z][\w'’-]*+)+")
_SENTENCE = re.compile(r"[^.?!;:]+")


@dataclass(frozen=True)
class KindMention:
    """A kind as the question speaks of it."""

    kind: Kind
    evidence: float
    """The clarity with which its words say it."""
    place: float
    """Evidence of the words around it: above 0 where they want it, below where it is owned already."""
    start: int
    places: frozenset[int]
    """Positions of its own words."""
    stems: frozenset[str]
    named: bool

    @property
    def score(self) -> float:
        return self.evidence + self.place

    @property
    def rank(self) -> int:
        """Rank the mention. A clear name comes before an owned thing, and that before what may be a word in passing."""
        if self.place < 0:
            return 1
        return 2 if self.evidence >= (_ALONE if self.place >= _WANTED else _NEAR) else 0


class _SaidWord(NamedTuple):
    start: int
    raw: str
    stem: str


def wide_searches(task: Asked) -> tuple[str, ...]:
    """List the words of the fullest sentences of a question, and of the whole question, as searches."""
    if not offline_question.in_own_words(task.text):
        return ()
    word_lists = [list(dict.fromkeys(content_words(one[0]))) for one in _SENTENCE.finditer(task.text)]
    full = sorted((-len(words), place) for place, words in enumerate(word_lists) if words)[:_SENTENCES]
    whole = list(dict.fromkeys(content_words(task.text)))[:_MOST]
    searches = [word_lists[place][:_MOST_WORDS] for _, place in sorted(full, key=lambda one: one[1])]
    return tuple(dict.fromkeys(" ".join(words) for words in [*searches, whole] if words))


def grounded(task: Asked, memory: Memory) -> Asked:
    """Express the needs in the shop's words. A named wish that is not sold stays, so that the report can mention it."""
    if not memory.products or not offline_question.in_own_words(task.text):
        return task
    needs = list(memory.sought) or [str(kind) for kind in _Reading(task, memory).kinds_sought()]
    if not needs:
        return task
    met = _met(task, memory)
    needs = [_in_full(need, met) for need in needs]
    spoken = {word for need in needs for word in content_words(need)}
    unmet = [n for n in task.firm if " " in n and n not in met and not spoken.intersection(content_words(n))]
    topic = task.topic or needs[0].split()[-1]
    return replace(task, needs=tuple(dict.fromkeys([*needs, *unmet]))[:MOST_NEEDS], topic=topic)


def _in_full(need: str, met: Iterable[str]) -> str:
    """Name the thing as the question does, where that is more exact and something fits it: "bird house kit"."""
    words = set(content_words(need))
    return next((one for one in met if words <= set(content_words(one))), need)


class _Reading:
    """One question beside the listings that were found for it."""

    def __init__(self, task: Asked, memory: Memory) -> None:
        self.task, self.memory, text = task, memory, task.text
        self.words = [
            _SaidWord(m.start(), m[0].lower(), stem(m[0].lower().removesuffix("'s")))
            for m in WORD.finditer(text)
        ]
        self.sentences = [(m.start(), m.end()) for m in _SENTENCE.finditer(text)]
        purchases = _Purchases(task, memory, self.words)
        self.bought, self.claimed = purchases.places, purchases.claimed
        self.kinds = Kinds(memory.products.values(), self.bought)
        self.ranks = self._ranks()
        self.called = [(m.start(), m.end()) for m in _NAME.finditer(text) if m.start()]
        self.unwanted = {w for phrase in task.constraints.exclusions for w in content_words(phrase)}

    def kinds_sought(self) -> list[Kind]:
        """List the kinds in the order of the text; where its words name none, what the searches for them find."""
        mentions = self.kind_mentions()
        if mentions and mentions[0].rank > 0:
            return [one.kind for one in sorted(mentions, key=lambda one: one.start)]
        return self._found() or self._shared() or [one.kind for one in mentions[:1]]

    def kind_mentions(self) -> list[KindMention]:
        """The clearest first; a word that names one thing names no other."""
        taken: frozenset[int] = frozenset()
        chosen: list[KindMention] = []
        left = [kind for kind in self.kinds.names if kind.head not in self.unwanted]
        while left and len(chosen) < MOST_NEEDS:
            rated = [one for kind in left if (one := self._best(kind, taken)) is not None]
            if not rated:
                break
            best = max(rated, key=lambda one: (one.rank, one.score, self.kinds.counts[one.kind], one.kind))
            left = [kind for kind in left if kind != best.kind]
            if not chosen or self._stands_beside(best, chosen[0]):
                chosen.append(best)
                taken |= best.places
        return chosen

    def _stands_beside(self, one: KindMention, first: KindMention) -> bool:
        if one.rank == 1 or first.rank == 1:
            return one.rank == first.rank
        least = _LEAST if one.named else _TOGETHER
        return one.evidence >= least and one.score >= min(first.score, _TOGETHER) - _BEHIND

    def _best(self, kind: Kind, taken: frozenset[int]) -> KindMention | None:
        """Find how the question speaks of a kind in all; `None` where it hardly does."""
        found = [self._in(kind, start, end, taken) for start, end in self.sentences]
        rated = [one for one in found if one is not None]
        if kind in self.bought:
            rated.append(KindMention(kind, 0.0, 0.0, self.bought[kind], frozenset(), frozenset(), False))
        if not rated:
            return None
        best = max(rated, key=lambda one: (one.evidence, one.place))
        others = {word for one in rated for word in one.stems} - best.stems
        bought = _BOUGHT if kind in self.bought else 0.0
        more = _ELSEWHERE * len(others) + self._of_searches(kind) + bought
        all_places = frozenset(place for one in rated for place in one.places)
        named = any(one.named for one in rated)
        place = self._place(kind, rated)
        if place < 0 and (self.task.no_more or best.evidence + bought < _NEAR):
            return None
        best = replace(best, evidence=best.evidence + more, place=place, places=all_places, named=named)
        return best if best.evidence + max(0.0, place) >= (_LEAST if named else _DESCRIBED) else None

    def _place(self, kind: Kind, rated: Sequence[KindMention]) -> float:
        """Wanted in one place is wanted; told as owned where it is said as clearly as anywhere is owned."""
        clearest = max(one.evidence for one in rated)
        if (
            wanted := max(
                (one.place for one in rated if one.evidence == clearest or one.place == _WANTED), default=0.0
            )
        ) > 0:
            return wanted
        owned = any(one.place < 0 and one.evidence >= min(clearest, _TOGETHER) for one in rated)
        if owned or (kind in self.bought and not self._is_renewed(rated)):
            return 0.0 if self.task.again else _OWNED
        return 0.0

    def _is_renewed(self, rated: Sequence[KindMention]) -> bool:
        spoken = [
            self.task.text[low:high]
            for low, high in self.sentences
            if any(low <= one.start < high for one in rated)
        ]
        return any(map(offline_question.renewed, spoken))

    def _in(self, kind: Kind, start: int, end: int, taken: frozenset[int]) -> KindMention | None:
        """Find how one sentence speaks of a kind."""
        words = [w for w in self.words if start <= w.start < end]
        free = [w for w in words if w.start not in taken and self.claimed.get(w.start, kind) == kind]
        names = [w for w in free if _one_of(w, self.kinds.names[kind])]
        described = [w for w in free if w not in names and _one_of(w, self.kinds.modifiers[kind])]
        if not names and not described:
            return None
        at = next((w.start for w in names if w.stem == kind.head), (names or described)[0].start)
        own = [w.start for w in described if self.kinds.describing[w.stem] <= 1]
        return KindMention(
            kind,
            self._of_words(kind, words, names, described),
            self._of_place(at, self.task.text[start:end]),
            at,
            frozenset([*own, *(w.start for w in names)]),
            frozenset(w.stem for w in (*names, *described)),
            bool(names),
        )

    def _of_words(
        self,
        kind: Kind,
        words: Sequence[_SaidWord],
        names: Sequence[_SaidWord],
        described: Sequence[_SaidWord],
    ) -> float:
        order = {word.start: place for place, word in enumerate(words)}
        if len({word.stem for word in (*names, *described)}) > 1 and names:
            close = (
                0 < order[n.start] - order[d.start] <= 2 and n.stem != d.stem
                for n in names
                for d in (*described, *names)
            )
            return _TOGETHER if any(close) else _NEAR
        if names:
            things = [n for n in names if _is_thing(n, words[max(0, order[n.start] - 2) : order[n.start]])]
            if not things:
                return _SHARED
            own = any(n.stem == kind.head and self.kinds.naming[n.stem] <= 1 for n in things)
            return _ALONE if own else _ONLY
        alone = any(self.kinds.describing[d.stem] <= 1 for d in described)
        return _ONLY if alone else _SHARED * min(len(described), 3)

    def _of_searches(self, kind: Kind) -> float:
        ranks = self.ranks.get(kind, [])
        return _FIRST * sum(rank == 0 for rank in ranks) + _AMONG * sum(0 < rank < 3 for rank in ranks)

    def _of_place(self, at: int, sentence: str) -> float:
        text = self.task.text
        if offline_question.goal_at(text, at) or offline_question.denied_at(text, at):
            return _OWNED
        if offline_question.owned_at(text, at) or any(low <= at < high for low, high in self.called):
            return _WANTED if offline_question.renewed(sentence) else _OWNED
        if offline_question.wanted_at(text, at):
            return _WANTED
        return _NEW if offline_question.new_at(text, at) or offline_question.renewed(sentence) else 0.0

    def _ranks(self) -> dict[Kind, list[int]]:
        """Find at which places the kinds first stand in the answers to the wide searches."""
        ranks: dict[Kind, list[int]] = defaultdict(list)
        for search in wide_searches(self.task):
            first: dict[Kind, int] = {}
            for place, url in enumerate(self.memory.found.get(search, ())):
                if (kind := self.kinds.of.get(url)) is not None:
                    first.setdefault(kind, place)
            for kind, place in first.items():
                ranks[kind].append(place)
        return ranks

    def _found(self) -> list[Kind]:
        """The kind that more than one of the searches finds early."""
        counted = {
            kind: sum(1 / (2 + rank) for rank in ranks)
            for kind, ranks in self.ranks.items()
            if len(ranks) > 1
        }
        best = max(counted, key=lambda kind: (counted[kind], kind), default=None)
        return [] if best is None or counted[best] < _FOUND else [best]

    def _shared(self) -> list[Kind]:
        """A short question that names no thing means things for what it names."""
        asked = set(content_words(self.task.text))
        if len(asked) > _SHORT:
            return []
        by_head = {kind.head: kind for kind, _ in reversed(self.kinds.counts.most_common())}
        return [kind for kind in reversed(by_head.values()) if asked.intersection(kind.stems)][:_FEW]


class _Purchases:
    """The purchases that a question names by kind, maker and place; of several, those whose words it has."""

    def __init__(self, task: Asked, memory: Memory, words: Sequence[_SaidWord]) -> None:
        capitals = {m[0]: m.start() for m in _CAPITAL.finditer(task.text)}
        stems = {word.stem for word in words}
        places: dict[Kind, int] = {}
        titles: dict[Kind, set[str]] = defaultdict(set)
        for title in memory.bought:
            kind = kind_of_name(offline_question.head_of(title))
            makers = [word for word in title.split()[:_MAKER] if word in capitals]
            if kind is not None and makers:
                places[kind] = capitals[makers[0]]
                titles[kind] |= {
                    stem(word) for word in re.findall(r"[a-z]+", title.lower().partition(" ")[2])
                }
        shared = {kind: len(stems & titles[kind]) for kind in places}
        most = max(shared.values(), default=0)
        self.places = {
            k: places[k] for k, count in shared.items() if count == most and (most or len(shared) == 1)
        }
        self.claimed: dict[int, Kind] = {}
        """Words behind a maker's name that the title of what was bought of it says: they name that, and nothing else."""
        for kind, start in self.places.items():
            behind = [word for word in words if word.start > start][:_NAMED]
            self.claimed |= {word.start: kind for word in behind if word.stem in titles[kind]}


def _is_thing(word: _SaidWord, before: Sequence[_SaidWord]) -> bool:
    """One of them or several, and no verb: "a kitchen scale", "flashlights"."""
    return word.raw != word.stem or any(offline_question.points(one.raw) for one in before)


def _one_of(word: _SaidWord, stems: frozenset[str]) -> bool:
    return any(same_word(word.stem, one) for one in stems)


def _met(task: Asked, memory: Memory) -> dict[str, SeenProduct]:
    """Each need that something fits, with what fits best."""
    found = {need: candidates(task, need, memory) for need in task.needs}
    return {need: fitting[0] for need, fitting in found.items() if fitting}
