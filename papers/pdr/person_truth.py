"""The persons as a study's agents were given them, and what of it their reports show, as far as code can say.

It is read beside the study when figures are made: neither agents nor judges are handed any of it. Contexts or persons that are no
longer those an answer was made from leave its figures unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from drr.app.giving import RECALLED
from drr.env.errors import DrrError
from drr.env.given import Setting, setting_of
from drr.env.query import Query
from drr.eval.evidence.answers import Answer, questions
from drr.papers.pdr.context import MANIFEST, PERSONS, Contexts, ItemTruth, read_contexts, read_truth
from drr.papers.pdr.memory.truth import Statements
from drr.papers.pdr.person import Person, read_persons
from drr.papers.pdr.recalled import RecalledRow, read_recalled, recall_id
from drr.papers.pdr.told import ReaderStatements, ToldOfReader
from drr.study.study import Study

_MOST_CACHED = 8
"""Persons whose truth is kept in memory."""
KEPT = "persons.jsonl"
"""In a study's folder: who its persons are."""


class GivenAttributes(NamedTuple):
    """The attributes given beside the question."""

    held: frozenset[str]
    """Attributes that it says or shows."""
    tokens: int | None
    false: int | None = None
    """Statements that are another person's only; looked for in what a memory wrote."""
    contradictions: int | None = None

    def recall(self, of: frozenset[str]) -> float | None:
        return len(self.held & of) / len(of) if of else None

    @property
    def precision(self) -> float | None:
        if self.false is None or not (self.held or self.false):
            return None
        return len(self.held) / (len(self.held) + self.false)


class AnswerAttributes(NamedTuple):
    """The attributes in one answer to a person who is known."""

    of: frozenset[str]
    """What there is to be known: attributes that the whole context shows, without contexts all of them."""
    setting: Setting
    given: GivenAttributes | None
    """`None` where the setting gives nothing of the person, and where it is no longer known what it gave."""
    told: ToldOfReader

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
        return AnswerAttributes(
            self._shown(person),
            setting,
            self._given(setting, person, answer),
            self._readers.told(answer.report, answer.query, person.attributes),
        )

    def _contexts_of(self, person: Person) -> Contexts | None:
        """`None` where there are none of this person, or of one who was told otherwise."""
        gathered = self.gathered.get(person.person_id)
        return self.contexts if gathered is not None and gathered.attributes == person.attributes else None

    def _shown(self, person: Person) -> frozenset[str]:
        every, contexts = frozenset(one.id for one in person.attributes), self._contexts_of(person)
        if contexts is None:
            return every
        return every & self._truths(person.person_id)[1]

    def _given(self, setting: Setting, person: Person, answer: Answer) -> GivenAttributes | None:
        keyed, tokens = answer.record.key_fields, answer.record.result.get("person_tokens")
        if setting.has_persona:
            known = keyed.get("person") == person.content_hash
            return GivenAttributes(frozenset(one.id for one in person.attributes), tokens) if known else None
        contexts = self._contexts_of(person)
        if not setting.has_context or contexts is None:
            return None
        if setting.kind == "context":
            return self._of_context(contexts, setting, person, keyed.get("context"), tokens)
        return self._of_memory(contexts, setting, person, answer)

    def _of_context(
        self, contexts: Contexts, setting: Setting, person: Person, keyed: object, tokens: int | None
    ) -> GivenAttributes | None:
        sizes = contexts.manifest.sizes.items()
        size = next((name for name, asked in sizes if asked == setting.tokens), None)
        if size is None or contexts.hash(person.person_id, size) != keyed:
            return None
        truths, _ = self._truths(person.person_id)
        items = contexts.items(person.person_id, size)
        shown = {key for item in items if item.id in truths for key in truths[item.id].expresses}
        return GivenAttributes(frozenset(shown), tokens)

    def _of_memory(
        self, contexts: Contexts, setting: Setting, person: Person, answer: Answer
    ) -> GivenAttributes | None:
        size, keyed = contexts.sizes[-1], answer.record.key_fields.get("memory")
        row = self.recalled.get(recall_id(setting.name, person.person_id, answer.query))
        observed = keyed.get("context") if isinstance(keyed, dict) else None
        if row is None or row["failure"] or observed != contexts.hash(person.person_id, size):
            return None
        if row["fed"] != answer.record.result.get("person_tokens"):
            return None  # recalled anew since
        truths, _ = self._truths(person.person_id)
        items = contexts.items(person.person_id, size)
        found = self._statements.remembered(row["text"], person.attributes, items, truths)
        return GivenAttributes(
            found.said | found.shown, row["fed"], len(found.false), len(found.contradictions)
        )


def attributes_of(answers: Iterable[Answer]) -> dict[str, AnswerAttributes | None]:
    """Find by answer the attributes of those whose study knows who asked. `None` where their sources cannot be read any more."""
    found: dict[str, AnswerAttributes | None] = {}
    asking: dict[Path, Mapping[str, Query]] = {}
    for answer in answers:
        study = answer.study
        persons = study_persons(study)
        if persons is None:
            continue
        if study.folder not in asking:
            asking[study.folder] = questions(study)
        asked = asking[study.folder].get(answer.query_id)
        person_id = answer.record.spec.get("person_id") or (asked.person_id if asked else None)
        try:
            own = persons.of(answer, person_id)
        except DrrError:
            found[answer.key] = None
        else:
            if own is not None:
                found[answer.key] = own
    return found


def study_persons(study: Study) -> StudyPersons | None:
    """`None` for a study that knows no persons."""
    named = study.config.get("run", {}).get("contexts")
    contexts = Path(named) if isinstance(named, str) else None
    read = [study.folder / KEPT, study.folder / RECALLED, *([contexts / MANIFEST] if contexts else ())]
    return _opened(study.folder, contexts, tuple(_stamp(path) for path in read))


@lru_cache(4)
def _opened(
    folder: Path, named: Path | None, stamps: tuple[tuple[int, int] | None, ...]
) -> StudyPersons | None:
    """Once for every state of the files. Contexts that are gone leave unknown what they gave."""
    contexts, gathered = _gathered(named)
    kept = folder / KEPT
    try:
        persons = read_persons(kept) if kept.is_file() else gathered
        recalled = read_recalled(folder / RECALLED)
    except DrrError:
        return None
    return StudyPersons(persons, contexts, gathered, recalled) if persons else None


def _gathered(named: Path | None) -> tuple[Contexts | None, Mapping[str, Person]]:
    if named is None:
        return None, {}
    try:
        return read_contexts(named), read_persons(named / PERSONS)
    except DrrError:
        return None, {}


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
