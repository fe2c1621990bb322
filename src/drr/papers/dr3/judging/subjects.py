"""The subjects of a task's facts, and the subject to which a value in a sentence belongs.

A subject is recognised by its maker's name or its common noun. Another model or maker in the sentence is a stranger, and a value of a
stranger is a value of no fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from drr.eval.evidence.claims import ReportSentence
from drr.eval.evidence.passages import content_words
from drr.papers.dr3.truth import KnownPage, TaskFact
from drr.papers.dr3.value_forms import StatedPlace, StatedValue
from drr.wording.vocabulary import Wordbook, vocabulary

STRANGER = "\0"
_HOME = "the "
_CLAUSE_END = re.compile(
    r"[;:]\s|,\s|\s[–—-]\s|—|\s(?:and|but|while|whereas|though|although|against|versus|vs\.?|than|compared\swith|compared\sto|or)\s"
)
_WORD_BEFORE = re.compile(r"([\w'’.-]{1,40})\s{1,8}$")
_REACH = 50
"""Limit on the characters before a noun in which the word before it is looked for."""
_OWN = re.compile(
    r"\b(?:my|our|(?:I|we)\s(?:own|already\shave|bought)\s(?:an?|the))\s{1,4}(?:[\w'’-]{1,24}\s{1,4}){0,2}$",
    re.I,
)
_YOURS = re.compile(r"(?<!\w)(?:yours|mine|ours)(?!\w)", re.I)


class SubjectMention(NamedTuple):
    start: int
    end: int
    key: str
    """Key of a subject, or `STRANGER`."""

    def meets(self, other: SubjectMention, behind: int = 0) -> bool:
        """Tell whether two mentions overlap, or `other` begins within `behind` characters after this mention's end."""
        return self.start < other.end and other.start < self.end + behind


@dataclass(frozen=True)
class _Thing:
    """A subject that sentences may name. Facts with one maker's name belong to one subject: the product, or the company behind it."""

    key: str
    name: re.Pattern[str]
    noun: re.Pattern[str] | None
    """Pattern of the last word of the subject's common noun."""
    modifiers: frozenset[str]


class TaskSubjects:
    def __init__(
        self, facts: Sequence[TaskFact], pages: Iterable[KnownPage] = (), question: str = ""
    ) -> None:
        self._keys = {fact.subject: subject_key(fact.subject) for fact in facts if fact.made}
        nouns: dict[str, set[str]] = {}
        for subject, key in self._keys.items():
            nouns.setdefault(key, set()).add(_parts(subject)[1])
        self._things = [_thing(key, own - {""}) for key, own in nouns.items()]
        self._sisters = _sisters(facts, pages)
        self._known: dict[str, list[SubjectMention]] = {}
        self._owned = next((key for key in nouns if _is_owned(key, question)), None)
        self._roles = list(self._only_ones())

    def _only_ones(self) -> Iterator[tuple[re.Pattern[str], str]]:
        """Yield patterns such as `the seller`, `your shelf`, `yours`, with the subject's key, if only one subject can be meant."""
        home = {key for subject, key in self._keys.items() if subject.startswith(_HOME)}
        doors = {key for key in home if FACT_WORDS.doors.search(key)}
        things = {one.key for one in self._things if one.noun is not None}
        houses = {one.key for one in self._things if one.noun is None} - home
        owned = {key for key in self._keys.values() if key == self._owned}
        roles = [(FACT_WORDS.sellers, houses), (FACT_WORDS.doors, doors), (FACT_WORDS.places, home - doors)]
        for role, keys in (*roles, (FACT_WORDS.makers, things), (_YOURS, owned)):
            if len(keys) == 1:
                yield role, keys.pop()

    def of(self, subject: str) -> str:
        return self._keys.get(subject, STRANGER)

    def mentions(self, text: str) -> list[SubjectMention]:
        """List the mentions of subjects in a text, in order. A stranger replaces a mention that begins its name."""
        if text not in self._known:
            found = list(_named_subjects(text, ((one.name, one.key) for one in self._things)))
            for more in (self._by_noun(text), _named_subjects(text, self._roles)):
                found += [one for one in more if not any(one.meets(other) for other in found)]
            strangers = list(
                _named_subjects(text, [] if self._sisters is None else [(self._sisters, STRANGER)])
            )
            kept = [one for one in found if not any(one.meets(other, 2) for other in strangers)]
            self._known[text] = sorted([*kept, *strangers])
        return self._known[text]

    def only_one(self, text: str) -> str | None:
        """Return the subject that a text names, if it names exactly one."""
        keys = {one.key for one in self.mentions(text)}
        return keys.pop() if len(keys) == 1 else None

    def _by_noun(self, text: str) -> Iterator[SubjectMention]:
        """Find mentions by common noun. Only one subject may be called so, and no other maker's name may stand before the noun."""
        places: dict[tuple[int, int], list[_Thing]] = {}
        for thing in self._things:
            for match in thing.noun.finditer(text) if thing.noun else ():
                places.setdefault(match.span(), []).append(thing)
        for (start, end), called in places.items():
            keys = {thing.key for thing in called}
            before = _word_before(text, start, frozenset().union(*(thing.modifiers for thing in called)))
            if before is not None and _is_name(text, *before):
                yield SubjectMention(before[0], end, STRANGER)
            elif len(keys) == 1:
                yield SubjectMention(start, end, keys.pop())
            elif self._owned in keys and before is not None and before[1].casefold() in ("your", "my", "our"):
                yield SubjectMention(start, end, str(self._owned))


def _named_subjects(text: str, names: Iterable[tuple[re.Pattern[str], str]]) -> Iterator[SubjectMention]:
    for name, key in names:
        yield from (SubjectMention(*match.span(), key) for match in name.finditer(text))


def subject_key(subject: str) -> str:
    """Return the key of a subject: the maker's name, or the whole name of a place at home."""
    return _parts(subject)[0].casefold()


def _parts(subject: str) -> tuple[str, str]:
    """Split a subject into the maker's name and the common noun; a place at home has only its name."""
    if subject.startswith(_HOME):
        return subject, ""
    maker = " ".join(takewhile(lambda word: not word[:1].islower(), subject.split())) or subject
    return maker, subject[len(maker) :].strip()


def _thing(key: str, nouns: Iterable[str]) -> _Thing:
    words = key.split()
    full = r"\s+".join(map(re.escape, words))
    if len(words) > 2 and not key.startswith(_HOME):  # `Harbor Lane` of Harbor Lane Supply
        full = rf"{full}|" + r"\s+".join(map(re.escape, words[:2]))
    called = [noun.split() for noun in nouns]
    heads = "|".join(rf"{re.escape(words[-1].rstrip('s'))}(?:e?s)?" for words in called)
    return _Thing(
        key,
        re.compile(rf"(?<!\w)(?:{full})(?!\w)", re.I),
        re.compile(rf"(?<![\w-])(?:{heads})(?!\w)", re.I) if heads else None,
        frozenset(word.casefold() for words in called for word in words[:-1]),
    )


def _sisters(facts: Iterable[TaskFact], pages: Iterable[KnownPage]) -> re.Pattern[str] | None:
    """Return a pattern of the names that recorded changes give to other models and companies, e.g. `Classic`, `Second Edition`."""
    subjects = {fact.id: fact.subject for fact in facts}
    found: set[str] = set()
    for page in pages:
        change = page.change
        if change is not None and change.kind == "other_model" and change.after:
            name = change.after.rpartition(": ")[0].removeprefix(subjects[change.fact]).strip()
            found |= {name} if name else set()
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(found)))})(?!\w)") if found else None


def _is_owned(key: str, question: str) -> bool:
    at = question.casefold().find(key)
    return at > 0 and _OWN.search(question[max(0, at - 80) : at]) is not None


def _word_before(text: str, position: int, modifiers: frozenset[str]) -> tuple[int, str] | None:
    """Return the position and text of the word before a noun, skipping the noun's modifiers."""
    while found := _WORD_BEFORE.search(text, max(0, position - _REACH), position):
        if found[1].casefold() not in modifiers:
            return found.start(1), found[1]
        position = found.start(1)
    return None


def _is_name(text: str, start: int, word: str) -> bool:
    """Tell whether a word is a name: capitalised within a sentence, or at its beginning and no function word."""
    return word[:1].isupper() and bool(text[:start].strip(" \t*_\"'“(") or content_words(word))


def subject_of_value(mentions: Sequence[SubjectMention], text: str, start: int, end: int) -> str | None:
    """Return the subject of a value. The only one named, else the nearest in the value's own clause, else the last before
    the value, else the first after it."""
    keys = {one.key for one in mentions}
    if len(keys) <= 1:
        return next(iter(keys), None)
    low, high = clause_of(text, start, end)
    here = [one for one in mentions if low <= one.start < high]
    if here:
        return min(here, key=lambda one: (max(one.start - end, start - one.end), one.start)).key
    before = [one for one in mentions if one.end <= start]
    return (before[-1] if before else mentions[0]).key


def clause_of(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the start and end of the clause that contains a place of a sentence."""
    low, high = 0, len(text)
    for match in _CLAUSE_END.finditer(text):
        if match.end() <= start:
            low = match.end()
        elif match.start() >= end:
            return low, match.start()
    return low, high


LEADS_IN = (":", "：")


@dataclass
class ReportStanding:
    sentences: Sequence[ReportSentence]

    def is_own(self, number: int, true: StatedValue) -> bool:
        """Tell whether the report stands by a sentence; `true` is the value that the report ought to settle on."""
        around = (self.sentences[number].text, *self._over[number])
        if any(map(FACT_WORDS.disowns, around)):
            return False
        return not self._is_taken_back(number, true) and not self._is_announced(number, true)

    def settles_on(self, number: int, place: StatedPlace) -> bool:
        """Tell whether a statement is the report's own conclusion. Another statement in the same sentence may be disowned."""
        text = self.sentences[number].text
        low, high = clause_of(text, place.start, place.end)
        return not self.sets_aside(number) and not FACT_WORDS.disowns(text[low:high])

    def sets_aside(self, number: int) -> bool:
        """Tell whether the report sets a sentence aside: the writer does not rely on it."""
        return any(map(FACT_WORDS.sets_aside, (self.sentences[number].text, *self._over[number])))

    def _is_taken_back(self, number: int, true: StatedValue) -> bool:
        """Tell whether the next sentence of the paragraph takes a sentence back; not if it sets the true value aside."""
        after = self._neighbour(number, 1)
        if FACT_WORDS.sets_aside(after):
            return not true.places(after)
        return FACT_WORDS.turns(after) or FACT_WORDS.disowns(after)

    def _is_announced(self, number: int, true: StatedValue) -> bool:
        """Tell whether the sentence before, in the same paragraph, announces something untrue."""
        before = self._neighbour(number, -1)
        return FACT_WORDS.disowns(before) and not true.places(before)

    def _neighbour(self, number: int, step: int) -> str:
        """Return a neighbouring sentence of the same paragraph; empty if there is none."""
        own, at = self.sentences[number], number + step
        near = self.sentences[at] if 0 <= at < len(self.sentences) else None
        return near.text if near is not None and near.block == own.block else ""

    @cached_property
    def _over(self) -> list[tuple[str, ...]]:
        """Return for each sentence the heading over it and the line that leads into its list or table."""
        found: list[tuple[str, ...]] = []
        heading, lead = "", ""
        for one in self.sentences:
            if one.kind in ("heading", "title"):
                heading, lead = one.text, ""
                found.append(())
                continue
            lead = "" if one.kind == "text" else lead
            found.append((heading, lead))
            if one.kind == "text" and one.text.endswith(LEADS_IN):
                lead = one.text
        return found


_CUE = "cue_"
_AHEAD = 3
"""Limit on the words between a negation and the word that it denies."""


class FactWords:
    def __init__(self, words: Wordbook) -> None:
        def compiled(expression: str) -> re.Pattern[str]:
            return re.compile(expression, re.I)

        def whole(group: str) -> re.Pattern[str]:
            return compiled(rf"(?<![\w-])(?:{words.either(group)})(?![\w-])")

        def known(group: str) -> re.Pattern[str]:
            """Match a group's words after a word that says which one is meant. `your shelf` matches, `gap of 3 in` does not."""
            ahead = rf"(?:{words.either('known')})\s{{1,4}}(?:[\w-]{{1,20}}\s{{1,4}})?"
            return compiled(rf"(?<![\w-]){ahead}(?:{words.either(group)})(?![\w-])")

        few = r"(?:[\w'’-]{1,20}\s{1,4}){0,2}"
        self.places, self.doors = known("places"), known("doors")
        self.sellers, self.makers = known("sellers"), known("makers")
        self.disowned, self.aside, self.others = whole("disowned"), whole("set_aside"), whole("others")
        self.amiss = compiled(
            rf"(?<![\w-])(?:{words.either('amiss')})(?![\w-])(?!\s{{1,4}}{few}(?:{words.either('statements')})(?!\w))"
        )
        self.untrusted = compiled(
            rf"(?<![\w-])(?:{words.either('refusing')})\s{{1,4}}{few}(?:{words.either('trusting')})(?![\w-])"
        )
        self.worked_out = compiled(
            rf"(?<![\w-])(?:{words.either('multiplied')})\s(?:that|this|it|the\s[\w-]{{1,20}})\s(?:is|are|makes?|gives?|comes?\sto)\s{{1,4}}$"
        )
        self.denied = compiled(
            rf"(?<![\w-])(?:{words.either('denied')})\s{{1,4}}(?:[\w'’$-]{{1,24}}\s{{1,4}}){{0,{_AHEAD}}}$"
        )
        self._bounds = compiled(rf"\b(?:{words.either('bounds')})(?:\sthan)?\s{{1,4}}$")
        """Bounds such as `more than`: a denied bound still states the figure."""
        self.turned = compiled(rf"\W{{0,4}}(?:{words.either('turned')})(?![\w-])")
        self.cues = {name: whole(name) for name in words.groups if name.startswith(_CUE)}

    def is_denied(self, text: str, start: int) -> bool:
        """Tell whether the words that begin at `start` are denied."""
        found = self.denied.search(text[max(0, start - 80) : start])
        return found is not None and not self._bounds.search(found[0])

    def is_worked_out(self, text: str, start: int) -> bool:
        """Tell whether a multiple of an earlier figure begins at `start`."""
        return self.worked_out.search(text[max(0, start - 80) : start]) is not None

    def disowns(self, text: str) -> bool:
        """Tell whether a text disowns the statement that it repeats. Words about a product's defects do not count."""
        return self.disowned.search(self.amiss.sub(" ", text)) is not None or self.sets_aside(text)

    def is_general(self, text: str) -> bool:
        """Tell whether a text speaks of other subjects too."""
        return self.others.search(text) is not None

    def sets_aside(self, text: str) -> bool:
        """Tell whether a text mentions a statement without relying on it."""
        return self.aside.search(text) is not None or self.untrusted.search(text) is not None

    def turns(self, text: str) -> bool:
        """Tell whether a sentence takes back the sentence before it."""
        return self.turned.match(text) is not None

    def about(self, text: str) -> frozenset[str]:
        """Return the topics of a text, as names of groups of cue words."""
        return frozenset(name for name, cue in self.cues.items() if cue.search(text))


FACT_WORDS = FactWords(vocabulary("facts"))
