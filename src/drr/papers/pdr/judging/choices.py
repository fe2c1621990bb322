"""The options of `drr judge` for persons and criteria, their storage in a study, and the owners of criteria."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drr.env.errors import DrrError, Misuse
from drr.env.files import write_file
from drr.env.query import Constraints, Query
from drr.env.shop import Shop
from drr.env.source import text_hash
from drr.eval.labels import content_id
from drr.eval.tasks.desk import JudgingContext
from drr.papers.pdr.judging.rows import CRITERIA_FILE, CriteriaOwner, GivenCriteria
from drr.plugin import Count, Options, option
from drr.study.form import naming_errors, table
from drr.study.study import Study

if TYPE_CHECKING:
    from drr.papers.pdr.person import Person

PERSONS = "persons.jsonl"
_META = "pqr"
ROUNDS = 3
"""Default number of scorings of each criterion, from the published code; the paper gives none."""


@dataclass(frozen=True)
class PqrChoices:
    """The options as given now, else as the study stored them."""

    persons: Mapping[str, Person] = field(default_factory=dict)
    given: Mapping[CriteriaOwner, GivenCriteria] = field(default_factory=dict)
    rounds: int = ROUNDS
    at_once: bool = False
    """True if all dimensions are scored in one call, as published."""

    @property
    def mark(self) -> str:
        """Return a short hash of persons and given criteria; empty without any. No table may mix those of two files."""
        persons = sorted(person.person_id + person.content_hash for person in self.persons.values())
        given = [
            label + name for label, name in sorted((owner.label, one.id) for owner, one in self.given.items())
        ]
        return content_id("persons", *persons, "criteria", *given)[:8] if persons or given else ""


def kept_persons(study: Study) -> dict[str, Person]:
    """Return the persons that the study was given, by id; empty if none were."""
    if not (study.folder / PERSONS).is_file():
        return {}
    try:
        return _read(study.folder / PERSONS)
    except Misuse as error:  # the user did not name this file: the study is broken
        again = f"`drr judge {study.folder} --what pqr --persons FILE` puts another in its place"
        raise DrrError(f"{error} ({again})") from error


def _kept_numbers(study: Study) -> tuple[int, bool]:
    """Return the stored rounds, and whether all dimensions are scored at once."""
    text = study.ledger.meta(_META)
    if text is None:
        return ROUNDS, False
    with naming_errors(f"{study.folder}, how its reports are scored"):
        kept = table(text)
        return int(kept["rounds"]), bool(kept["at_once"])


EXAMPLES = (
    "  drr judge study --what criteria                               # what PQR will score by; drr papers criteria study shows it",
    "  drr judge study --what pqr --persons persons.jsonl            # personalization, quality, reliability (docs/persons.md)",
)


class PersonOptions(Options):
    """The options of `drr judge` for persons and criteria."""

    persons: Path | None = option(
        "source", "for --what pqr: who asks, JSONL (default: made of the shop's records by rule); kept with the study", "FILE")  # fmt: skip
    rounds: Count | None = option(
        "units", "for --what pqr: each criterion is scored so many times (default 3); kept with the study", "N")  # fmt: skip
    at_once: bool | None = option(
        "key", "for --what pqr: all dimensions in one call, as published (default: a call for each)"
    )


OPTIONS = PersonOptions


def chosen(
    study: Study, desk: JudgingContext, options: PersonOptions, what: Sequence[str]
) -> Mapping[type, Any]:
    check_tasks(desk.questions)
    persons = kept_persons(study) if options.persons is None else _read(options.persons)
    pairs = zip(_numbers(options), _kept_numbers(study), strict=True)
    numbers: list[Any] = [kept if given is None else given for given, kept in pairs]
    return {PqrChoices: PqrChoices(persons, _given(study), *numbers)}


def _numbers(options: PersonOptions) -> tuple[int | None, bool | None]:
    return options.rounds, options.at_once


def keep(study: Study, options: PersonOptions, chosen: Mapping[type, Any]) -> None:
    found: PqrChoices = chosen[PqrChoices]
    if options.persons is not None:
        lines = (f"{person.model_dump_json(exclude_none=True)}\n" for person in found.persons.values())
        write_file(study.folder / PERSONS, "".join(lines))
    if _numbers(options) != (None, None):
        kept = {"rounds": found.rounds, "at_once": found.at_once}
        text = json.dumps(kept, sort_keys=True)
        if study.ledger.meta(_META) != text:
            study.ledger.set_meta(_META, text)


def _given(study: Study) -> Mapping[CriteriaOwner, GivenCriteria]:
    if not (study.folder / CRITERIA_FILE).is_file():
        return {}
    from drr.papers.pdr.judging.file import given_criteria

    return given_criteria(study)


def _read(path: Path) -> dict[str, Person]:
    from drr.papers.pdr.person import read_persons

    return read_persons(path)


@dataclass(frozen=True)
class OwnerText:
    """An owner of criteria (a task, or a task and person), and its text for the judge."""

    owner: CriteriaOwner
    task: str
    person: Person | None
    constraints: Constraints | None = None

    @property
    def known(self) -> str:
        """Return the person's attributes as text, without ids and evidence; empty for a task alone."""
        attributes = () if self.person is None else self.person.attributes
        return "\n".join(f"- {one.block.replace('_', ' ')}: {one.statement}" for one in attributes)

    @property
    def shown(self) -> str:
        """Return a short hash of task and attributes; a score is valid for one such hash."""
        return content_id(self.task, self.known)


def task_id_of(query: Query | None, text: str) -> str:
    """Return the id of a task: the question's own, else one made from the text. Equal texts are one task."""
    if query is not None and query.task_id is not None:
        return query.task_id
    return f"t-{text_hash(' '.join(text.split()).casefold())[:12]}"


def check_tasks(questions: Mapping[str, Query]) -> None:
    """Raise `Misuse` if one task has questions with different texts: criteria made for the task could not fit both."""
    texts: dict[str, tuple[str, str]] = {}
    for query in (query for query in questions.values() if query.task_id is not None):
        text = " ".join(query.query.split())
        first, known = texts.setdefault(query.task_id or "", (query.id, text))
        if text != known:
            same = "a task is the same text for all of its persons"
            raise Misuse(f"the task {query.task_id} has two texts, in {first} and {query.id}; {same}")


def owner_ids(
    query: Query | None, text: str, user_id: str | None, persons: Mapping[str, Person]
) -> list[CriteriaOwner]:
    """Return the owners of a question's criteria: its task, and the task with the person who asks. No shop is needed."""
    task = CriteriaOwner(task_id_of(query, text))
    named = None if query is None else query.person_id
    if named is None and user_id:
        from drr.papers.pdr.build import person_id_of

        own = (one.person_id for one in persons.values() if one.user_id == user_id)
        named = next(own, None) or person_id_of(user_id)
    return [task] if named is None else [task, CriteriaOwner(task.task_id, named)]


class PersonsAtHand:
    """The persons who ask the questions: those of a given file, else those made by rule from the shop's records."""

    def __init__(self, given: Mapping[str, Person], shop: Shop | None) -> None:
        self._given, self._shop = given, shop
        self._by_user = {
            one.user_id: one for one in reversed(list(given.values())) if one.user_id is not None
        }
        self._derived: dict[str, Person | None] = {}
        self._others: dict[int, list[Person]] = {}

    def of(self, query: Query | None, user_id: str | None) -> Person | None:
        """Return the person who asks a question; `None` if nothing is known of the person."""
        if query is None or query.person_id is None:
            return None if user_id is None else self._by_user.get(user_id) or self.derived(user_id)
        if query.person_id not in self._given:
            raise Misuse(
                f"{query.id}: is asked by the person {query.person_id}, whom no file of persons holds; give one with --persons FILE"
            )
        return self._given[query.person_id]

    def derived(self, user_id: str) -> Person | None:
        """Return the person made from a user's records; `None` if the shop knows nothing of the user."""
        if user_id not in self._derived:
            from drr.papers.pdr.build import person_of

            shop, person = self._shop, None
            if shop is not None and shop.store.user(user_id) is not None:
                person = person_of(shop.store, user_id, shop.manifest.as_of, currency=shop.manifest.money)
            self._derived[user_id] = person if person is not None and person.attributes else None
        return self._derived[user_id]

    def others(self, count: int) -> list[Person]:
        """Return the persons of the file, or else some drawn from the shop. Rarity is measured among them."""
        if count not in self._others:
            found = sorted(self._given.values(), key=lambda one: content_id("0", one.person_id))
            if not found and self._shop is not None:
                drawn = self._shop.store.sample_users(count, seed=1, min_orders=1)
                found = [person for user_id in drawn if (person := self.derived(user_id)) is not None]
            self._others[count] = found
        return self._others[count]


def persons_at(desk: JudgingContext) -> PersonsAtHand:
    """Return the persons who ask the questions being judged; made once for each judging run."""
    if PersonsAtHand not in desk.choices:
        desk.choices[PersonsAtHand] = PersonsAtHand(desk.chosen(PqrChoices).persons, desk.shop)
    found: PersonsAtHand = desk.choices[PersonsAtHand]
    return found
