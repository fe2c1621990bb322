"""The person's attributes that a study's agents were given, and that their reports tell, found by code.

An attribute is *shown* if an item that expresses it is passed on unchanged, and *said* if a sentence has the words that distinguish
its statement from all others of the file. A statement that is said and is only another person's is wrong. Paraphrases are not
found: the recall of memories that rephrase is a lower bound.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log
from pathlib import Path
from typing import NamedTuple

from drr.env.errors import DrrError
from drr.env.person_setting import Setting, setting_of
from drr.env.profile import BY_KEY
from drr.env.query import Query
from drr.env.text import tokens
from drr.eval.evidence.answers import Answer, questions
from drr.eval.stats.question import grouped
from drr.papers.pdr.checking import SINGLE
from drr.papers.pdr.context import (
    MANIFEST,
    PERSONS,
    ContextItem,
    Contexts,
    ItemTruth,
    read_contexts,
    read_truth,
)
from drr.papers.pdr.memory_units import RecalledRow, read_recalled, recall_id
from drr.papers.pdr.person import Attribute, Person, read_persons
from drr.papers.pdr.records import spoken_theme
from drr.papers.pdr.words import invented_traits
from drr.plugin import RECALLED
from drr.study.study import Study
from drr.wording.vocabulary import Wordbook, vocabulary

_COVERED = 0.75
"""Share of a statement's words, weighted by rarity among statements, that one sentence must have."""
_WHOLE = frozenset({"brands", "goods", "replenishment", "rhythm", "price_level", "returns"})
"""Blocks whose words stand in any good report of a shop, e.g. brand or price. Only the whole statement counts."""
_ALONE = frozenset({"place", "pets", "children"})
"""Blocks in which one word is enough, e.g. "your dog". In other blocks one word is too common: "your order" is no interest in tidiness."""
_MARKUP = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)|[*_`#>|]+")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_DENIES = frozenset({"not", "no", "never", "without", "neither", "stop", "former", "longer"})
_FUNCTION = frozenset(word for one in vocabulary("shopping")["function_words"] for word in tokens(one))


class FoundAttributes(NamedTuple):
    """The attributes of one person found in a text, by id, and the wrong statements."""

    found: frozenset[str]
    right: frozenset[str]
    """Attributes found as strictly as wrong ones: by the whole statement, or by an item passed on."""
    wrong: Sequence[str] | None = None
    """Statements that are only another person's; `None` if wrong statements were not looked for."""
    contradictions: Sequence[str] = ()
    """Wrong statements in blocks of which a person has only one attribute."""
    decided: frozenset[str] | None = None
    """Attributes that the question does not mention; `None` if there is no question."""

    def recall(self, of: frozenset[str]) -> float | None:
        """Return the share of the given attributes that were found, without those the question mentions; `None` without any."""
        known = of if self.decided is None else of & self.decided
        return len(self.found & known) / len(known) if known else None

    @property
    def precision(self) -> float | None:
        """Return the share of found statements that are right; `None` if none was found."""
        if self.wrong is None or not (self.right or self.wrong):
            return None
        return len(self.right) / (len(self.right) + len(self.wrong))


class Statements:
    """All statements of a file of persons, and the search for them in texts."""

    def __init__(self, persons: Iterable[Person]) -> None:
        every = [one for person in persons for one in person.attributes]
        self._block = {one.statement: one.block for one in every}
        self._tokens = {statement: frozenset(tokens(statement)) for statement in self._block}
        holding = Counter(word for words in self._tokens.values() for word in words)
        self._weight = {word: log(1 + len(self._tokens) / count) for word, count in holding.items()}
        self._holders = grouped(
            (max(words, key=lambda word: (self._weight[word], word)), statement)
            for statement, words in self._tokens.items()
            if words
        )
        by_block = grouped({*_statements_of_rules(), *((one.block, one.statement) for one in every)})
        self._holding = {
            block: Counter(word for statement in statements for word in _words(statement))
            for block, statements in by_block.items()
        }

    def remembered(
        self,
        text: str,
        attributes: Sequence[Attribute],
        items: Sequence[ContextItem] = (),
        truth: Mapping[str, ItemTruth] | None = None,
    ) -> FoundAttributes:
        """Find the attributes in a memory's text. If an item stands in the text unchanged, the attributes that it expresses count."""
        handed = [item for item in items if item.text in text]
        for item in sorted(handed, key=lambda item: -len(item.text)):
            text = text.replace(item.text, "\n")
        shown = expressing_items(handed, truth or {}).intersection(one.id for one in attributes)
        stated, wrong, against = self._expressed_attributes(text, attributes)
        return FoundAttributes(stated | shown, stated | shown, wrong, against)

    def in_report(self, report: str, question: str, attributes: Sequence[Attribute]) -> FoundAttributes:
        """Find the attributes that a report states to its reader."""
        text, asked = _MARKUP.sub(lambda match: match[1] or " ", report), frozenset(tokens(question))
        telling = {one.id: self._distinctive_words(one) for one in attributes}
        decided = frozenset(key for key, ways in telling.items() if all(map(asked.isdisjoint, ways)))
        stated, wrong, against = self._expressed_attributes(text, attributes, asked)
        to_reader = [frozenset(tokens(one)) for one in _SENTENCE.split(text) if tells_reader(one)]
        named = set()
        for one in attributes:  # some of its words are enough, unless any good report of a shop has them
            ways = [way for way in telling[one.id] if len(way) > 1 or one.block in _ALONE]
            if one.block not in _WHOLE and any(_covers(words, way) for way in ways for words in to_reader):
                named.add(one.id)
        stated &= decided
        return FoundAttributes(stated | (named & decided), stated, wrong, against, decided)

    def _expressed_attributes(
        self, text: str, attributes: Sequence[Attribute], asked: frozenset[str] = frozenset()
    ) -> tuple[frozenset[str], list[str], list[str]]:
        """Return the ids of rightly stated attributes, the wrong statements, and the contradictory statements. A wrong statement that shares a word with the question is left out."""
        own, expressed = {one.statement: one.id for one in attributes}, self._stated_in(text)
        wrong = sorted(one for one in expressed - own.keys() if asked.isdisjoint(_words(one)))
        single = {one.block for one in attributes} & SINGLE
        return (
            frozenset(own[one] for one in expressed & own.keys()),
            wrong,
            [one for one in wrong if self._block[one] in single],
        )

    def _stated_in(self, text: str) -> set[str]:
        """Return the statements found in a text. Sentences with a negation are skipped, as code cannot tell what they say of the person."""
        found: set[str] = set()
        for words in (frozenset(tokens(sentence)) for sentence in _SENTENCE.split(text)):
            if words.isdisjoint(_DENIES):
                near = (statement for word in words for statement in self._holders.get(word, ()))
                found.update(statement for statement in near if self._share(statement, words) >= _COVERED)
        return found

    def _share(self, statement: str, words: frozenset[str]) -> float:
        own = self._tokens[statement]
        return sum(self._weight[word] for word in own & words) / sum(self._weight[word] for word in own)

    def _distinctive_words(self, attribute: Attribute) -> list[frozenset[str]]:
        """Return sets of words, any of which reveals the attribute. They are the words of a name, else the statement's words that
        are rarest in its block."""
        if attribute.names:
            return [frozenset(tokens(name)) for name in attribute.names]
        words, holding = _words(attribute.statement), self._holding[attribute.block]
        least = min((holding[word] for word in words), default=0)
        return [frozenset(word for word in words if holding[word] == least)]


def _words(statement: str) -> frozenset[str]:
    return frozenset(tokens(statement)) - _FUNCTION


def _covers(words: frozenset[str], telling: frozenset[str]) -> bool:
    return bool(telling) and len(telling & words) >= _COVERED * len(telling)


def _statements_of_rules() -> Iterator[tuple[str, str]]:
    """Yield block and statement of all that rules may state, as a small file of persons has few statements."""
    for block, _, statement in map(spoken_theme, BY_KEY):
        yield block, statement
    for block, values in invented_traits().items():
        yield from ((block, texts.statement) for texts in values.values() if texts.statement)


def expressing_items(items: Iterable[ContextItem], truths: Mapping[str, ItemTruth]) -> frozenset[str]:
    return frozenset(key for item in items if item.id in truths for key in truths[item.id].expresses)


KEPT = "persons.jsonl"
"""Name of the file of persons in a study's folder."""


class AnswerAttributes(NamedTuple):
    """The attributes in one answer to a known person."""

    of: frozenset[str]
    """Attributes that could be known: those of the whole context, or all if there are no contexts."""
    setting: Setting
    given: FoundAttributes | None
    """Attributes given to the agent; `None` if the setting gives nothing, or it is no longer known what was given."""
    tokens: int | None
    """Number of tokens given."""
    report: FoundAttributes

    @property
    def gives(self) -> bool:
        """Tell whether the setting gives anything about the person with the question."""
        return self.setting.has_persona or self.setting.has_context


@lru_cache(8)
def _truths(contexts: Contexts, person_id: str) -> Mapping[str, ItemTruth]:
    """Return the truth of a person's items, cached: answers come by question, and so by person."""
    return read_truth(contexts, person_id)


@dataclass(frozen=True)
class StudyPersons:
    persons: Mapping[str, Person]
    contexts: Contexts | None
    gathered: Mapping[str, Person]
    """The persons as they were when the contexts were built."""
    recalled: Mapping[str, RecalledRow]

    @cached_property
    def _statements(self) -> Statements:
        return Statements(self.persons.values())

    def of(self, answer: Answer, person_id: str | None) -> AnswerAttributes | None:
        """Return the attributes in an answer; `None` if the person is unknown. Raise `DrrError` if contexts are unreadable."""
        person = self.persons.get(person_id or "")
        if person is None:
            return None
        setting = setting_of(answer.record.spec.get("setting") or "records")
        shown, contexts = frozenset(one.id for one in person.attributes), self._contexts_of(person)
        if contexts is not None:
            truths = _truths(contexts, person.person_id).values()
            shown = shown.intersection(key for truth in truths for key in truth.expresses)
        found = self._statements.in_report(answer.report, answer.query, person.attributes)
        given = self._given_to_agent(setting, person, answer, contexts)
        return AnswerAttributes(shown, setting, given, answer.record.result.get("person_tokens"), found)

    def _contexts_of(self, person: Person) -> Contexts | None:
        """Return the contexts; `None` if they lack this person, or were built from other attributes."""
        gathered = self.gathered.get(person.person_id)
        return self.contexts if gathered is not None and gathered.attributes == person.attributes else None

    def _given_to_agent(
        self, setting: Setting, person: Person, answer: Answer, contexts: Contexts | None
    ) -> FoundAttributes | None:
        keyed = answer.record.key_fields
        if setting.has_persona:
            every = frozenset(one.id for one in person.attributes)
            return FoundAttributes(every, every) if keyed.get("person") == person.content_hash else None
        if not setting.has_context or contexts is None:
            return None
        size, observed = contexts.sizes[-1], keyed.get("context")
        if setting.kind == "context":
            sizes = contexts.manifest.sizes.items()
            size = next((name for name, asked in sizes if asked == setting.tokens), "")
        else:
            memory = keyed.get("memory")
            observed = memory.get("context") if isinstance(memory, dict) else None
        if not size or contexts.hash(person.person_id, size) != observed:
            return None
        truths, items = _truths(contexts, person.person_id), contexts.items(person.person_id, size)
        if setting.kind == "context":
            shown = expressing_items(items, truths)
            return FoundAttributes(shown, shown)
        row = self.recalled.get(recall_id(setting.name, person.person_id, answer.query))
        if row is None or row["failure"] or row["fed"] != answer.record.result.get("person_tokens"):
            return None  # the memory has recalled again since
        return self._statements.remembered(row["text"], person.attributes, items, truths)


def attributes_of(answers: Iterable[Answer]) -> dict[str, AnswerAttributes | None]:
    """Return the attributes in each answer whose person is known, by answer; `None` if files can no longer be read."""
    found: dict[str, AnswerAttributes | None] = {}
    opened: dict[Path, tuple[StudyPersons, Mapping[str, Query]] | None] = {}
    for answer in answers:
        folder = answer.study.folder
        if folder not in opened:
            persons = study_persons(answer.study)
            opened[folder] = None if persons is None else (persons, questions(answer.study))
        if (known := opened[folder]) is None:
            continue
        persons, asked = known
        query = asked.get(answer.query_id)
        person_id = answer.record.spec.get("person_id") or (query.person_id if query else None)
        try:
            own = persons.of(answer, person_id)
        except DrrError:
            found[answer.key] = None
            continue
        if own is not None:
            found[answer.key] = own
    return found


def study_persons(study: Study) -> StudyPersons | None:
    """Return the persons of a study; `None` if the study knows none."""
    named = study.config.get("run", {}).get("contexts")
    contexts = Path(named) if isinstance(named, str) else None
    read = [study.folder / KEPT, study.folder / RECALLED, *([contexts / MANIFEST] if contexts else ())]
    return _open_persons(study.folder, contexts, tuple(map(_stamp, read)))


@lru_cache(4)
def _open_persons(
    folder: Path, named: Path | None, stamps: tuple[tuple[int, int] | None, ...]
) -> StudyPersons | None:
    """Open a study's persons, once for every state of the files. If contexts are gone, what they gave is unknown."""
    contexts, gathered, kept = None, dict[str, Person](), folder / KEPT
    if named is not None:
        with suppress(DrrError):
            contexts, gathered = read_contexts(named), read_persons(named / PERSONS)
    try:
        persons = read_persons(kept) if kept.is_file() else gathered
        recalled = read_recalled(folder / RECALLED)
    except DrrError:
        return None
    return StudyPersons(persons, contexts, gathered, recalled) if persons else None


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


class AddressReader:
    def __init__(self, words: Wordbook) -> None:
        self._reader = re.compile(rf"(?<!\w)(?:{words.either('reader')})(?!\w)", re.I)
        open_ = words.either("supposing", "advising", "denying")
        self._open = re.compile(
            rf"(?<!\w)(?:{open_})(?!\w)|(?<=\w)(?:{words.either('contracted')})(?!\w)", re.I
        )

    def tells_reader(self, sentence: str) -> bool:
        straight = sentence.replace("’", "'")
        asked = straight.rstrip().endswith("?")
        return not asked and bool(self._reader.search(straight)) and not self._open.search(straight)


tells_reader = AddressReader(vocabulary("addressing")).tells_reader
