"""The present criteria of a study, by owner (a task, or a task and person). Those given by people replace those that were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.eval.evidence.answers import questions, read_answers
from drr.eval.judging.read import choose_judging, read_judged
from drr.papers.pdr.judging.choices import kept_persons, owner_ids
from drr.papers.pdr.judging.file import given_criteria
from drr.papers.pdr.judging.rows import (
    DIMENSIONS,
    TITLES,
    CriteriaDimension,
    CriteriaOwner,
    GivenCriteria,
    Rubric,
    owners_of,
    rubric_of,
)
from drr.papers.pdr.sums import spread

if TYPE_CHECKING:
    from drr.study.study import Study


class OwnCriteria(NamedTuple):
    owner: CriteriaOwner
    task: str
    """Text of the task; empty if no question of the study asks it any more."""
    rubric: Rubric
    state: str
    """State in a word or two, for lists."""

    @property
    def dimensions(self) -> Sequence[CriteriaDimension]:
        return DIMENSIONS[self.owner.half]

    @property
    def given(self) -> GivenCriteria | None:
        """Return weights and criteria in the form that people give them; `None` if there are none yet."""
        return _given_criteria(self.owner, self.rubric)

    def short(self) -> JsonObject:
        counts = {name: len(self.rubric.rows(name)) for name in self.dimensions}
        return {**self.owner._asdict(), "state": self.state, "criteria": counts}

    def document(self) -> JsonObject:
        rubric = self.rubric
        criteria = {name: rubric.criteria.get(name) for name in self.dimensions}
        made = {"task": self.task, "weights": rubric.weights, "weights_sd": self._spreads()}
        return {**self.short(), **made, "criteria": criteria, "not_made": rubric.reasons}

    def text(self) -> str:
        lines, spreads = [f"{self.owner.label} ({self.state})", f"  {self.task}"], self._spreads()
        weights = self.rubric.weights["weights"] if self.rubric.weights else {}
        for name in self.dimensions:
            weight = f"{weights[name]:.2f}" if name in weights else "no weight"
            sd = spreads.get(name)
            between = "" if sd is None else f", SD {sd:.3f} between samples"
            lines.append(f"\n{name} {TITLES[name]}: {weight}{between}")
            if name in self.rubric.reasons:
                lines.append(f"  not made: {self.rubric.reasons[name]}")
            for row in self.rubric.rows(name):
                lines.append(f"  {row['id']:<7} {row['weight']:.2f}  {row['criterion']} ({row['origin']})")
                lines.append(f"                {row['explanation']}")
        return "\n".join(lines)

    def _spreads(self) -> Mapping[str, float | None]:
        """Return the standard deviation of each dimension's weight over the samples."""
        samples = self.rubric.weights["samples"] if self.rubric.weights else []
        return {name: spread([one.get(name) for one in samples]) for name in (samples[0] if samples else ())}


class CriteriaBook:
    def __init__(self, study: Study, judge: str | None = None) -> None:
        answers, asked, persons = read_answers(study), questions(study), kept_persons(study)
        self.judging = choose_judging(study, judge)
        self._judged = read_judged(study, self.judging, answers=answers)
        self.kept = given_criteria(study)
        self.tasks: dict[str, str] = {}
        """Text of each task by id."""
        self.asked_by: dict[CriteriaOwner, str] = {}
        """First question of each task and person."""
        wishes = {query.id: (query.query, query.user_id) for query in asked.values()}
        for one in answers:
            if one.query_id not in asked:
                wishes[one.query_id] = (one.query, one.user_id or "")
        for query_id, (text, user_id) in wishes.items():
            task, *person = owner_ids(asked.get(query_id), text, user_id, persons)
            self.tasks.setdefault(task.task_id, text)
            for owner in person:
                self.asked_by.setdefault(owner, query_id)
        made = [owner for owner in owners_of(self._judged) if owner.task_id in self.tasks]
        found = dict.fromkeys([*map(CriteriaOwner, self.tasks), *self.asked_by, *made, *self.kept])
        self.owners = sorted(found, key=lambda owner: (owner.task_id, owner.person_id or ""))
        """Owners of criteria in order, each task before its persons."""

    def every(self) -> list[OwnCriteria]:
        return [self.of(owner) for owner in self.owners]

    def of(self, owner: CriteriaOwner) -> OwnCriteria:
        made, kept = rubric_of(self._judged, owner) or Rubric(), self.kept.get(owner)
        rubric = made
        if kept is not None:
            weights = {"weights": dict(kept.weights), "samples": [], "refused": []}
            rubric = Rubric(weights, dict(kept.criteria))  # type: ignore[arg-type]
        state = _state(owner, rubric, made, is_given=kept is not None)
        return OwnCriteria(owner, self.tasks.get(owner.task_id, ""), rubric, state)

    def named(self, words: str) -> OwnCriteria:
        """Return the criteria of an owner by its label, `TASK` or `TASK/PERSON`; raise `Misuse` if there is none."""
        task_id, _, person_id = words.partition("/")
        owner = CriteriaOwner(task_id, person_id or None)
        if owner not in self.owners:
            known = ", ".join(one.label for one in self.owners[:6]) or "none"
            more = ", ..." if len(self.owners) > 6 else ""
            raise Misuse(f"{words}: no task or task/person of this study; it has {known}{more}")
        return self.of(owner)


def _given_criteria(owner: CriteriaOwner, rubric: Rubric) -> GivenCriteria | None:
    if rubric.weights is None:
        return None
    rows = {name: list(rubric.rows(name)) for name in DIMENSIONS[owner.half]}
    return GivenCriteria(rubric.weights["weights"], rows)


def _state(owner: CriteriaOwner, rubric: Rubric, made: Rubric, *, is_given: bool) -> str:
    if rubric.weights is None and not rubric.criteria:
        return "not made yet"
    if rubric.weights is None or not all(map(rubric.rows, DIMENSIONS[owner.half])):
        return "incomplete"
    if not is_given:
        return "made"
    return (
        "given" if _given_criteria(owner, made) == _given_criteria(owner, rubric) else "given, not judged yet"
    )
