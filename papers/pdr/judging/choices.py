"""The choices of a judging of criteria, and where a study keeps them. Persons, criteria that people gave, rounds and seeds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from drr.env.errors import DrrError, Misuse
from drr.env.files import write_file
from drr.eval.labels import content_id
from drr.papers.pdr.judging.rows import CriteriaDimension, CriteriaOwner, CriterionRow, rubric_id
from drr.papers.pdr.person import Person, read_persons
from drr.study.form import reading, table
from drr.study.study import Study

PERSONS = "persons.jsonl"
_META = "pqr"
ROUNDS = 3
"""As the published code has it; the paper does not say."""


@dataclass(frozen=True)
class GivenCriteria:
    """The criteria that people gave for one owner, in the place of what would be made."""

    weights: Mapping[str, float]
    criteria: Mapping[CriteriaDimension, Sequence[CriterionRow]]

    @property
    def id(self) -> str:
        parts = [f"{name} {rubric_id(rows)}" for name, rows in sorted(self.criteria.items())]
        return content_id(json.dumps(dict(self.weights), sort_keys=True), *parts)


@dataclass(frozen=True)
class PqrChoices:
    """The choices as given now, else as the study keeps them."""

    persons: Mapping[str, Person] = field(default_factory=dict)
    given: Mapping[CriteriaOwner, GivenCriteria] = field(default_factory=dict)
    rounds: int = ROUNDS
    seeds: int = 1
    """Sets of criteria that are made for each owner; figures are of the first, the others say how much they sway."""
    at_once: bool = False
    """All dimensions in one call, as published."""

    @property
    def mark(self) -> str:
        """Mark persons and given criteria: no table has those of two files."""
        persons = [person.person_id + person.content_hash for person in self.persons.values()]
        given = [
            owner.label + one.id for owner, one in sorted(self.given.items(), key=lambda kv: kv[0].label)
        ]
        return content_id("persons", *sorted(persons), "criteria", *given)[:8] if persons or given else ""


class KeptChoices:
    """The choices of one study."""

    def __init__(self, study: Study) -> None:
        self._study = study

    @property
    def persons_file(self) -> Path:
        return self._study.folder / PERSONS

    def persons(self) -> dict[str, Person]:
        """The persons that the study was given."""
        if not self.persons_file.is_file():
            return {}
        try:
            return read_persons(self.persons_file)
        except Misuse as error:  # nobody named this file: the study is broken
            again = f"`drr judge {self._study.folder} --what pqr --persons FILE` puts another in its place"
            raise DrrError(f"{error} ({again})") from error

    def numbers(self) -> tuple[int, int, bool]:
        """Rounds, seeds, and whether all dimensions are asked at once."""
        text = self._study.ledger.meta(_META)
        if text is None:
            return ROUNDS, 1, False
        with reading(f"{self._study.folder}, how its reports are scored"):
            kept = table(text)
            return int(kept["rounds"]), int(kept["seeds"]), bool(kept["at_once"])

    def keep_persons(self, persons: Mapping[str, Person]) -> None:
        lines = [person.model_dump_json(exclude_none=True) for person in persons.values()]
        write_file(self.persons_file, "".join(f"{line}\n" for line in lines))

    def keep_numbers(self, choices: PqrChoices) -> None:
        kept = {"rounds": choices.rounds, "seeds": choices.seeds, "at_once": choices.at_once}
        text = json.dumps(kept, sort_keys=True)
        if self._study.ledger.meta(_META) != text:
            self._study.ledger.set_meta(_META, text)
