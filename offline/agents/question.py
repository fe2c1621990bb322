"""The rules' reading of a question or sub-problem: what to find, within which limits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from drr.env.constraints import parse_constraints
from drr.env.query import Constraints
from drr.env.text import stem, tokens
from drr.offline.agents.cues import Cues, NeedFinder, WallReader, WordRun
from drr.wording.states import STATES
from drr.wording.vocabulary import Wordbook, vocabulary

_LONGEST = 6000
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|['’-])*[^\W\d_]|[^\W\d_]|\S")
_NAMES = re.compile(r"(?<![.?!:] )(?<!^)\b([A-Z][\w'’-]{1,60}(?:[\s&]{1,8}[A-Z][\w'’-]{0,60}){2,12})")
_FIND = re.compile(r"^Find (.+?) in this shop's catalogue", re.IGNORECASE)
_RECORDS = re.compile(r"shop's records", re.IGNORECASE)
_ON_THE_WEB = re.compile(r"^Find out on the web (.+?)(?:\.\s|\.?$)", re.IGNORECASE | re.DOTALL)
_SENTENCE = re.compile(r"[^.?!]+")
_LOOK_THROUGH = "Look through this shop for what serves this question: "
_FROM_FILES = "Find out from the files that belong to it what they say on this question: "
_BREAK = re.compile(r",| [-–—] |[(\[:|/]| for | with ", re.IGNORECASE)
PLACE_WORDS = re.compile(r"\b(?:state|region|area|local|climate|city|town)\b", re.IGNORECASE)
_SHOUT = re.compile(r"^\s*【[^】]{0,40}】\s*")


@dataclass(frozen=True)
class Asked:
    """A problem as the rules understand it."""

    text: str
    needs: tuple[str, ...]
    """Things to look for in the catalogue, most wanted first."""
    firm: tuple[str, ...]
    """Those of them that are named as wanted: behind a verb that asks for them, or, by more than a word, in a list."""
    wishes: tuple[str, ...]
    """Qualities asked for: "weather-resistant", "quiet"."""
    topic: str
    """The word that the question is about."""
    asks: tuple[str, ...]
    """Words for a web search for what must be known besides products."""
    constraints: Constraints
    named: tuple[str, ...]
    """Runs of capitals inside a sentence: things that were bought, by name."""
    personal: bool
    about_place: bool
    about_history: bool
    again: bool
    outgrown: bool
    """Something owned does not serve any more."""
    no_more: bool
    """Nobody wants more of what is owned: "please not another"."""
    spares_walls: bool
    """Nothing may be fixed to walls: "no drilling", "we rent"."""

    @property
    def limit(self) -> float | None:
        """The limit for the whole purchase."""
        limits = self.constraints
        if limits.total_max is not None:
            return limits.total_max
        if limits.month_max is not None:
            return limits.month_max * (limits.months or 1)
        return None

    @property
    def item_limit(self) -> float | None:
        limits = [x for x in (self.constraints.item_max, self.limit) if x is not None]
        return min(limits, default=None)


class Aside(NamedTuple):
    """An aside where a sentence asks for knowledge or names criteria: nothing there is to be bought."""

    start: int
    end: int


class QuestionReader:
    def __init__(self, words: Wordbook) -> None:
        self.cues = Cues(words)
        self.walls = WallReader(words)

    def read(self, text: str) -> Asked:
        """Total on any text."""
        cues = self.cues
        text = text.removeprefix(_LOOK_THROUGH).removeprefix(_FROM_FILES).replace("’", "'")
        text = cues.compound.sub(r"\1-\2", cues.container.sub(r"\1 ", text[:_LONGEST]))
        constraints = parse_constraints(text)
        chunks = self._chunks(text)
        topic = _topic(chunks)
        asides = self._asides(text)
        needs, firm = self._needs(text, _wanted(chunks, constraints), topic, asides)
        wishes = dict.fromkeys(word for chunk in chunks for word in chunk.words if cues.is_quality(word))
        return Asked(
            text=text,
            needs=tuple(needs),
            firm=tuple(firm),
            wishes=tuple(wishes)[:4],
            topic=topic or (tokens(needs[0])[-1] if needs else ""),
            asks=tuple(self._asks(text, asides)),
            constraints=constraints,
            named=tuple(dict.fromkeys(_NAMES.findall(text)))[:3],
            personal=cues.personal.search(text) is not None,
            about_place=cues.place.search(text) is not None,
            about_history=cues.history.search(text) is not None,
            again=cues.again.search(text) is not None,
            no_more=cues.no_more.search(text) is not None,
            spares_walls=self.walls.spares(text),
            outgrown=(cues.outgrown.search(text) or cues.replaced.search(text)) is not None,
        )

    def content_words(self, text: str) -> list[str]:
        stops = self.cues.stops
        return [word for word in tokens(text) if word not in stops and not word.isdigit() and len(word) > 1]

    def _needs(
        self, text: str, chunks: list[WordRun], topic: str, asides: list[Aside]
    ) -> tuple[list[str], list[str]]:
        if (found := _FIND.match(text)) is not None:
            need = " ".join(found[1].split())
            return [need], [need]
        if _RECORDS.search(text) or _ON_THE_WEB.match(text):
            return [], []
        finder = NeedFinder(self.cues, text, topic, asides, _listing(text, chunks))
        return finder.needs(chunks), finder.firm

    def _chunks(self, text: str) -> list[WordRun]:
        """Runs of words that name something: the words, where they start, whether they stand in a list."""
        chunks: list[WordRun] = []
        run: list[str] = []
        start, joined, listed = 0, False, False
        for match in _WORD.finditer(text + " ."):
            word = match[0].lower().replace("’", "'").removesuffix("'s")
            if self._goes_on(word, run):
                if not run:
                    start, listed = match.start(), joined
                    if joined and chunks:
                        chunks[-1] = chunks[-1]._replace(listed=True)
                run.append(word)
                continue
            if run:
                chunks.append(WordRun(run, start, listed))
                run, joined = [], False
            joined = word in self.cues.joins or (joined and word in self.cues.articles)
        return chunks

    def _goes_on(self, word: str, run: list[str]) -> bool:
        """A single letter belongs to the name before it: "vitamin c"."""
        if self.cues.names_something(word):
            return True
        return bool(run) and len(word) == 1 and word.isalpha() and word not in self.cues.stops

    def _asides(self, text: str) -> list[Aside]:
        """Each ends where its sentence does, or where a verb wants something again."""
        found = []
        for sentence in _SENTENCE.finditer(text):
            for aside in self.cues.aside.finditer(text, sentence.start(), sentence.end()):
                opens = not text[sentence.start() : aside.start()].strip()
                if not opens or not self.cues.choice.match(text, aside.start()):
                    end = self.cues.wishes.search(text, aside.end(), sentence.end())
                    found.append(Aside(aside.start(), end.start() if end else sentence.end()))
        return found

    def _asks(self, text: str, asides: list[Aside]) -> list[str]:
        """List what the question wants to know besides products: its wh-clauses, reduced to the words that a search needs."""
        found: list[tuple[tuple[bool, bool], str]] = []
        covered = -1
        for aside in asides:
            clause = text[aside.start : aside.end]
            asked = self.cues.research.search(text[max(0, aside.start - 40) : aside.start]) is not None
            if (aside.start < covered and not asked) or not self._wants_to_know(clause):
                continue
            covered = aside.end
            if len(self.content_words(clause)) >= 2:
                found.append(((not asked, self.cues.outside.search(clause) is None), self._searched(clause)))
        if not found:
            return self._whole_questions(text)
        return [words for _, words in sorted(found, key=lambda entry: entry[0])][:2]

    def _wants_to_know(self, clause: str) -> bool:
        return self.cues.question.match(clause) is not None and self.cues.shall.search(clause) is None

    def _searched(self, clause: str) -> str:
        words = re.findall(r"[^\W\d_][\w'’-]+|\d+", clause)
        return " ".join([word for word in words if word.lower() not in self.cues.small][:10])

    def _whole_questions(self, text: str) -> list[str]:
        small = self.cues.small
        asked = [
            one
            for one in re.split(r"(?<=[.?!])\s+", text)
            if one.endswith("?") and self.cues.outside.search(one)
        ]
        return [" ".join(w for w in re.findall(r"[\w'-]+", one) if w.lower() not in small) for one in asked][
            :2
        ]


_QUESTIONS = QuestionReader(vocabulary("shopping"))
is_quality = _QUESTIONS.cues.is_quality
is_fixed = _QUESTIONS.walls.is_fixed
content_words = _QUESTIONS.content_words
"""The words that carry meaning, as the catalogue indexes them."""


def is_stop(word: str) -> bool:
    return word.lower() in _QUESTIONS.cues.stops


def asides_of(text: str) -> list[str]:
    """The clauses that ask for knowledge, each up to where the next one, or a part behind a semicolon, begins."""
    cues = _QUESTIONS.cues
    return [
        part
        for sentence in _SENTENCE.findall(text)
        for part in re.split(r"[;:]", sentence)
        if cues.aside.search(part) is not None
    ]


@lru_cache(maxsize=256)
def read(text: str) -> Asked:
    return _QUESTIONS.read(text)


def with_history(task: Asked, titles: Sequence[str]) -> Asked:
    """Complete the question by the latest purchase where "again" names nothing."""
    if task.needs or not task.again or not titles:
        return task
    named = [word for word in titles[0].split(",")[0].split(" - ")[0].split() if word[:1].isalpha()][-3:]
    return replace(task, needs=(" ".join(named).lower(),)) if named else task


def look_through(text: str) -> str:
    """The sub-problem of finding what a whole question is after."""
    return _LOOK_THROUGH + text


def from_files(text: str) -> str:
    """The sub-problem of reading the files for a whole question."""
    return _FROM_FILES + text


def in_own_words(text: str) -> bool:
    """A shopper's question, and no sub-problem that names what is to be found."""
    return not any(form.search(text) for form in (_FIND, _RECORDS, _ON_THE_WEB))


def head_of(title: str) -> str:
    """Return a title up to its first break. The name of the thing, with nothing on whom or what it is for."""
    parts = [part for part in _BREAK.split(_SHOUT.sub("", title)) if part.strip()]
    return parts[0] if parts else title


def owned_at(text: str, start: int) -> bool:
    """Tell whether the shopper has what stands there, by the words of its clause before it or right behind it."""
    before, cues = text[max(0, start - 120) : start], _QUESTIONS.cues
    owned = cues.owned.search(before) is not None or cues.is_possessed(before)
    return owned or cues.has(before, text[start : start + 60])


def wanted_at(text: str, start: int) -> bool:
    """Tell whether the words right before it ask for what stands there."""
    near = re.findall(r"[a-z']+", text[max(0, start - 40) : start].lower())[-4:]
    return not _QUESTIONS.cues.wanting.isdisjoint(near)


def new_at(text: str, start: int) -> bool:
    """Tell whether it is one of its kind that nobody has spoken of yet: "a", "another", "some"."""
    near = re.findall(r"[a-z']+", text[max(0, start - 40) : start].lower())[-2:]
    return not _QUESTIONS.cues.indefinite.isdisjoint(near)


def denied_at(text: str, start: int) -> bool:
    """Tell whether the text denies that it is this: "capsules, not tablets"."""
    return (
        re.search(r"\bnot (?:a |an |the |another )?$", text[max(0, start - 16) : start], re.IGNORECASE)
        is not None
    )


def renewed(sentence: str) -> bool:
    """Tell whether a sentence's subject does not serve any more, or is wanted again."""
    cues = _QUESTIONS.cues
    return any(cue.search(sentence) is not None for cue in (cues.outgrown, cues.replaced, cues.again))


def goal_at(text: str, start: int) -> bool:
    """Tell whether what stands there is what a thing is for."""
    cues, before = _QUESTIONS.cues, text[max(0, start - 60) : start]
    return cues.for_whom.search(before) is not None and cues.seeking.search(before) is None


def points(word: str) -> bool:
    """Tell whether a thing follows: "a", "the", "another", "which"."""
    return word in _QUESTIONS.cues.pointers


def is_container(word: str) -> bool:
    """Tell whether the word is about packing, and no thing: "set", "kit"."""
    return word in _QUESTIONS.cues.containers or word in _QUESTIONS.cues.stops


def records_only(text: str) -> bool:
    """A sub-problem about the shopper's records."""
    return _RECORDS.search(text) is not None


def web_only(text: str) -> str | None:
    """A sub-problem about the web: what is to be found out."""
    found = _ON_THE_WEB.match(text)
    return " ".join(found[1].split()) if found else None


def state_name(state: str) -> str:
    """The name of a state that a profile gives as two letters, or as name and letters."""
    bare = state.partition(" (")[0]
    return STATES.get(bare.upper(), bare)


def _topic(chunks: list[WordRun]) -> str:
    """The word that more than one run holds."""
    counts = Counter(stem(word) for chunk in chunks for word in chunk.words)
    return next((word for word, count in counts.most_common(1) if count > 1), "")


def _wanted(chunks: list[WordRun], constraints: Constraints) -> list[WordRun]:
    """Drop what the question rules out."""
    unwanted = [phrase for phrase in (set(tokens(one)) for one in constraints.exclusions) if phrase]
    return [
        chunk for chunk in chunks if not any(phrase <= set(map(stem, chunk.words)) for phrase in unwanted)
    ]


def _listing(text: str, chunks: list[WordRun]) -> int:
    """Find where the list behind a colon begins: the words before it in the sentence are its purpose."""
    for match in re.finditer(r":\s", text):
        if any(chunk.listed for chunk in chunks if match.end() <= chunk.start < match.end() + 60):
            return match.start()
    return -1
