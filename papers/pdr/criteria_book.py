"""The criteria of a study as they stand: what was made, and in its place what people gave. By task and person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from drr.env.errors import Misuse
from drr.eval.evidence.answers import questions, read_answers
from drr.eval.judging.read import choose, read_judged
from drr.eval.tasks.judged import Judged
from drr.papers.pdr.judging.choices import GivenCriteria, KeptChoices, owner_ids
from drr.papers.pdr.judging.kept import KeptCriteria, kept_criteria
from drr.papers.pdr.judging.rows import (
    DIMENSIONS,
    CriteriaOwner,
    Rubric,
    WeightsRow,
    owners_of,
    rubric_of,
)

if TYPE_CHECKING:
    from drr.study.study import Study


class OwnCriteria(NamedTuple):
    owner: CriteriaOwner
    rubric: Rubric
    kept: KeptCriteria | None
    made: Rubric | None
    """Rubric of the last judging."""

    @property
    def state(self) -> str:
        """Name the state in one word for lists."""
        if self.rubric.weights is None and not self.rubric.criteria:
            return "not made yet"
        if self.rubric.weights is None or not all(
            self.rubric.rows(name) for name in DIMENSIONS[self.owner.half]
        ):
            return "incomplete"
        if self.kept is None:
            return "made"
        return "given" if self.is_judged else "given, not judged yet"

    @property
    def is_judged(self) -> bool:
        """Tell whether the last judging goes by what stands here."""
        made = self.made
        if made is None or made.weights is None or self.rubric.weights is None:
            return False
        same_weights = made.weights["weights"] == self.rubric.weights["weights"]
        return same_weights and all(
            list(made.rows(name)) == list(self.rubric.rows(name)) for name in DIMENSIONS[self.owner.half]
        )

    @property
    def given(self) -> GivenCriteria | None:
        """`None` where nothing stands here yet."""
        if self.rubric.weights is None:
            return None
        rows = {name: list(self.rubric.rows(name)) for name in DIMENSIONS[self.owner.half]}
        return GivenCriteria(self.rubric.weights["weights"], rows)


class CriteriaBook:
    def __init__(self, study: Study, judge: str | None = None) -> None:
        answers = read_answers(study)
        self.judging = choose(study, judge)
        self._judged: Judged = read_judged(study, self.judging, answers=answers)
        self._kept = kept_criteria(study)
        asked = questions(study)
        persons = KeptChoices(study).persons()
        self.tasks: dict[str, str] = {}
        """Text of each task."""
        self.asked_by: dict[CriteriaOwner, str] = {}
        """The first question of each task and person."""
        wishes = [(query.id, query.query, query.user_id) for query in asked.values()]
        wishes += [
            (one.query_id, one.query, one.user_id or "") for one in answers if one.query_id not in asked
        ]
        for query_id, text, user_id in wishes:
            query = asked.get(query_id)
            task, *person = owner_ids(query, text, user_id, persons)
            self.tasks.setdefault(task.task_id, text)
            for owner in person:
                self.asked_by.setdefault(owner, query_id)
        self._owners = self._all_owners()

    @property
    def persons(self) -> list[CriteriaOwner]:
        return [owner for owner in self._owners if owner.person_id is not None]

    def all(self) -> list[OwnCriteria]:
        """A task before its persons."""
        return [self.of(owner) for owner in self._owners]

    def of(self, owner: CriteriaOwner) -> OwnCriteria:
        made, kept = rubric_of(self._judged, owner), self._kept.get(owner)
        return OwnCriteria(owner, _rubric(kept) if kept else made or Rubric(), kept, made)

    def named(self, words: str) -> OwnCriteria:
        """Find by `TASK` or `TASK/PERSON`."""
        task_id, _, person_id = words.partition("/")
        owner = CriteriaOwner(task_id, person_id or None)
        if owner not in self._owners:
            known = ", ".join(one.label for one in self._owners[:6]) or "none"
            more = ", ..." if len(self._owners) > 6 else ""
            raise Misuse(f"{words}: no task or task/person of this study; it has {known}{more}")
        return self.of(owner)

    def text(self, owner: CriteriaOwner) -> str:
        return self.tasks.get(owner.task_id, "")

    def _all_owners(self) -> list[CriteriaOwner]:
        made = [owner for owner in owners_of(self._judged) if owner.task_id in self.tasks]
        found = dict.fromkeys([*map(CriteriaOwner, self.tasks), *self.asked_by, *made, *self._kept])
        return sorted(found, key=lambda owner: (owner.task_id, owner.person_id or ""))


def _rubric(kept: KeptCriteria) -> Rubric:
    given = kept.given
    weights: WeightsRow = {"weights": dict(given.weights), "samples": [], "refused": []}
    return Rubric(weights, dict(given.criteria))


def spreads(rubric: Rubric) -> Mapping[str, float | None]:
    """The standard deviation of each dimension's weight between the samples."""
    from drr.papers.pdr.sums import spread

    samples = rubric.weights["samples"] if rubric.weights else []
    return {name: spread([one.get(name) for one in samples]) for name in (samples[0] if samples else ())}
