"""The attributes that a study's agents were given, and those that their reports tell, as far as code can say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from drr.app.giving import RECALLED
from drr.env.errors import DrrError
from drr.env.given import Setting, setting_of
from drr.env.profile import BY_KEY
from drr.env.query import Query
from drr.env.text import tokens
from drr.eval.evidence.answers import Answer, questions
from drr.papers.pdr.context import MANIFEST, PERSONS, Contexts, ItemTruth, read_contexts, read_truth
from drr.papers.pdr.memory.truth import COVERED, SENTENCE, Statements
from drr.papers.pdr.person import Attribute, Person, read_persons
from drr.papers.pdr.records import spoken_theme
from drr.papers.pdr.remembering import RecalledRow, read_recalled, recall_id
from drr.papers.pdr.words import invented_traits
from drr.study.study import Study
from drr.wording.vocabulary import Wordbook, vocabulary

_WHOLE = frozenset({"brands", "goods", "replenishment", "rhythm", "price_level", "returns"})
"""Blocks whose words stand in any good report of a shop: a brand, a kind of product, a price. Only the whole statement tells them."""
_ALONE = frozenset({"place", "pets", "children"})
"""Blocks in which one word will do: "your dog". Elsewhere one is too common: "your order" is no interest in order at home."""
_MARKUP = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)|[*_`#>|]+")


class ToldOfReader(NamedTuple):
    """The findings on one report about one person. Attributes are by id, what is wrong is by its statement."""

    decided: frozenset[str]
    """Attributes of which the question says nothing."""
    found: frozenset[str]
    """Attributes in the report."""
    stated: frozenset[str]
    """Attributes in the report by the whole statement, as strictly as wrong ones."""
    wrong: tuple[str, ...]
    contradictions: tuple[str, ...]

    def recall(self, of: frozenset[str]) -> float | None:
        """Return the recall of those attributes that are decided; `None` where there are none."""
        known = self.decided & of
        return len(self.found & of) / len(known) if known else None

    @property
    def precision(self) -> float | None:
        """`None` where nothing was stated."""
        count = len(self.stated) + len(self.wrong)
        return len(self.stated) / count if count else None


class ReaderStatements:
    """Every statement of a file of persons, and how to find them in reports."""

    def __init__(self, persons: Iterable[Person]) -> None:
        every = list(persons)
        self._statements = Statements(every)
        by_block: dict[str, set[str]] = {block: set(values) for block, values in _known().items()}
        for person in every:
            for one in person.attributes:
                by_block.setdefault(one.block, set()).add(one.statement)
        self._holding = {
            block: Counter(word for statement in statements for word in _words(statement))
            for block, statements in by_block.items()
        }

    def found_in(self, report: str, question: str, attributes: Sequence[Attribute]) -> ToldOfReader:
        text = _MARKUP.sub(lambda match: match[1] or " ", report)
        asked, own = frozenset(tokens(question)), {one.statement: one.id for one in attributes}
        telling = {one.id: self.telling(one) for one in attributes}
        decided = frozenset(key for key, ways in telling.items() if all(map(asked.isdisjoint, ways)))
        expressed = self._statements.stated_in(text)
        to_reader = [frozenset(tokens(one)) for one in SENTENCE.split(text) if tells_reader(one)]
        stated = frozenset(own[statement] for statement in expressed & own.keys()) & decided
        named = set()
        for one in attributes:  # by some of its words, where these are not in any good report of a shop
            ways = [way for way in telling[one.id] if len(way) > 1 or one.block in _ALONE]
            if one.block not in _WHOLE and any(_covered(way, words) for way in ways for words in to_reader):
                named.add(one.id)
        undecided = {statement for statement in expressed if not asked.isdisjoint(_words(statement))}
        wrong = tuple(sorted(expressed - own.keys() - undecided))
        against = tuple(self._statements.contradicting(wrong, attributes))
        return ToldOfReader(decided, stated | (named & decided), stated, wrong, against)

    def telling(self, attribute: Attribute) -> list[frozenset[str]]:
        """List the words that reveal it, any of these sets. They are of a name that it bears, else what no
        other statement of its block has."""
        if attribute.names:
            return [frozenset(tokens(name)) for name in attribute.names]
        words, holding = _words(attribute.statement), self._holding.get(attribute.block, Counter())
        least = min((holding[word] for word in words), default=0)
        return [frozenset(word for word in words if holding[word] == least)]


def _words(statement: str) -> frozenset[str]:
    return frozenset(tokens(statement)) - _FUNCTION


def _covered(telling: frozenset[str], words: frozenset[str]) -> bool:
    return bool(telling) and len(telling & words) >= COVERED * len(telling)


_FUNCTION = frozenset(word for one in vocabulary("shopping")["function_words"] for word in tokens(one))


@cache
def _known() -> dict[str, frozenset[str]]:
    """Statements by block that rules may make of anybody: a small file of persons has few of them."""
    found: dict[str, set[str]] = {}
    for theme in BY_KEY:
        block, _, statement = spoken_theme(theme)
        found.setdefault(block, set()).add(statement)
    for block, values in invented_traits().items():
        found[block] = {texts.statement for texts in values.values() if texts.statement}
    return {block: frozenset(statements) for block, statements in found.items()}


_MOST_CACHED = 8
"""Persons whose truth is kept in memory."""
KEPT = "persons.jsonl"
"""File in a study's folder that says who its persons are."""


class GivenAttributes(NamedTuple):
    """The attributes given beside the question."""

    attributes: frozenset[str]
    """Attributes that it says or shows."""
    tokens: int | None
    false: int | None = None
    """Statements that are another person's only; looked for in what a memory wrote."""
    contradictions: int | None = None

    def recall(self, of: frozenset[str]) -> float | None:
        return len(self.attributes & of) / len(of) if of else None

    @property
    def precision(self) -> float | None:
        if self.false is None or not (self.attributes or self.false):
            return None
        return len(self.attributes) / (len(self.attributes) + self.false)


class AnswerAttributes(NamedTuple):
    """The attributes in one answer to a person who is known."""

    of: frozenset[str]
    """Attributes that could be known: those of the whole context, or without contexts all."""
    setting: Setting
    given: GivenAttributes | None
    """`None` where the setting gives nothing of the person, and where it is no longer known what it gave."""
    report: ToldOfReader

    @property
    def gives(self) -> bool:
        """Tell whether the setting hands on anything of the person with the question."""
        return self.setting.has_persona or self.setting.has_context


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

    @cached_property
    def _readers(self) -> ReaderStatements:
        return ReaderStatements(self.persons.values())

    @cached_property
    def _truths(self) -> Callable[[str], tuple[Mapping[str, ItemTruth], frozenset[str]]]:
        """Read the truth of a context, and all that it shows. Answers come by question, and so by person."""

        @lru_cache(_MOST_CACHED)
        def read(person_id: str) -> tuple[Mapping[str, ItemTruth], frozenset[str]]:
            truths = {} if self.contexts is None else read_truth(self.contexts, person_id)
            return truths, frozenset(key for truth in truths.values() for key in truth.expresses)

        return read

    def of(self, answer: Answer, person_id: str | None) -> AnswerAttributes | None:
        """`None` where nothing is known of who asked; `DrrError` where contexts cannot be read any more."""
        person = self.persons.get(person_id or "")
        if person is None:
            return None
        setting = setting_of(answer.record.spec.get("setting") or "records")
        every = frozenset(one.id for one in person.attributes)
        shown = every if self._contexts_of(person) is None else every & self._truths(person.person_id)[1]
        found = self._readers.found_in(answer.report, answer.query, person.attributes)
        return AnswerAttributes(shown, setting, self._given(setting, person, answer), found)

    def _contexts_of(self, person: Person) -> Contexts | None:
        """`None` where there are none of this person, or of one who was told otherwise."""
        gathered = self.gathered.get(person.person_id)
        return self.contexts if gathered is not None and gathered.attributes == person.attributes else None

    def _given(self, setting: Setting, person: Person, answer: Answer) -> GivenAttributes | None:
        keyed, tokens = answer.record.key_fields, answer.record.result.get("person_tokens")
        if setting.has_persona:
            known = keyed.get("person") == person.content_hash
            return GivenAttributes(frozenset(one.id for one in person.attributes), tokens) if known else None
        contexts = self._contexts_of(person)
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
        truths, _ = self._truths(person.person_id)
        items = contexts.items(person.person_id, size)
        if setting.kind == "context":
            known = [truths[item.id] for item in items if item.id in truths]
            return GivenAttributes(frozenset(key for truth in known for key in truth.expresses), tokens)
        row = self.recalled.get(recall_id(setting.name, person.person_id, answer.query))
        if row is None or row["failure"] or row["fed"] != tokens:
            return None  # recalled anew since
        found = self._statements.remembered(row["text"], person.attributes, items, truths)
        wrong = (len(found.false), len(found.contradictions))
        return GivenAttributes(found.stated | found.shown, row["fed"], *wrong)


def attributes_of(answers: Iterable[Answer]) -> dict[str, AnswerAttributes | None]:
    """Find by answer the attributes of those whose study knows who asked. `None` where their sources cannot be read any more."""
    found: dict[str, AnswerAttributes | None] = {}
    asking: dict[Path, Mapping[str, Query]] = {}
    for answer in answers:
        study = answer.study
        if (persons := study_persons(study)) is None:
            continue
        if study.folder not in asking:
            asking[study.folder] = questions(study)
        asked = asking[study.folder].get(answer.query_id)
        person_id = answer.record.spec.get("person_id") or (asked.person_id if asked else None)
        try:
            own = persons.of(answer, person_id)
        except DrrError:
            found[answer.key] = None
            continue
        if own is not None:
            found[answer.key] = own
    return found


def study_persons(study: Study) -> StudyPersons | None:
    """`None` for a study that knows no persons."""
    named = study.config.get("run", {}).get("contexts")
    contexts = Path(named) if isinstance(named, str) else None
    read = [study.folder / KEPT, study.folder / RECALLED, *([contexts / MANIFEST] if contexts else ())]
    return _opened_persons(study.folder, contexts, tuple(_stamp(path) for path in read))


@lru_cache(4)
def _opened_persons(
    folder: Path, named: Path | None, stamps: tuple[tuple[int, int] | None, ...]
) -> StudyPersons | None:
    """Once for every state of the files. Contexts that are gone leave unknown what they gave."""
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
