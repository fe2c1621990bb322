"""The shapes of criteria and scores. Whose they are, what was made, the score of each, and where a judging keeps them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, NotRequired, TypedDict, cast

from drr.eval.labels import Dimension, content_id
from drr.eval.tasks.judgements import Judged

CRITERIA, SCORES = "criteria", "scores"
"""The two tasks, and where a judging keeps what they found."""
CRITERIA_FILE = "criteria.jsonl"
Half = Literal["p", "q"]
"""Personalization is of a task and a person, quality of a task alone."""
CriteriaDimension = Literal["GOAL", "CONT", "PRES", "ACTI", "DEIN", "LOGC", "CLAR"]
DIMENSIONS: Mapping[Half, tuple[CriteriaDimension, ...]] = {
    "p": ("GOAL", "CONT", "PRES", "ACTI"),
    "q": ("DEIN", "LOGC", "CLAR"),
}
TITLES: Mapping[CriteriaDimension, str] = {
    "GOAL": "Goal alignment", "CONT": "Content alignment", "PRES": "Presentation fit", "ACTI": "Actionability and practicality",
    "DEIN": "Depth and insight", "LOGC": "Logical coherence", "CLAR": "Clarity and readability",
}  # fmt: skip
CriterionOrigin = Literal["model", "rule", "person"]


class CriteriaOwner(NamedTuple):
    """The owner of criteria: a task and a person, or without a person the task for all of its persons."""

    task_id: str
    person_id: str | None = None

    @property
    def half(self) -> Half:
        return "q" if self.person_id is None else "p"

    @property
    def label(self) -> str:
        return self.task_id if self.person_id is None else f"{self.task_id}/{self.person_id}"


class CriterionRow(TypedDict):
    id: str
    """Unique within its owner: `goal3`."""
    criterion: str
    explanation: str
    weight: float
    origin: CriterionOrigin
    gist: NotRequired[str]
    """Words particular to this task and person, for a judge without a model."""
    surface: NotRequired[Dimension]
    """Trait of a report's surface that meets it, for a judge without a model."""


class WeightsRow(TypedDict):
    """The weights of the dimensions: the mean of the usable samples."""

    weights: dict[str, float]
    samples: list[dict[str, float]]
    """Empty where rules or people gave the weights."""
    refused: list[str]
    """Reasons why samples count nothing."""


@dataclass
class Rubric:
    """The rubric that a report is scored by under one owner. A part is `None` where it could not be made, or is not made yet."""

    weights: WeightsRow | None = None
    criteria: dict[CriteriaDimension, Sequence[CriterionRow] | None] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    """Reasons for missing parts, by part."""
    shown: str = ""
    """Hash of a judge's material beside the criteria, task and person: a score holds for one hash."""

    def hash_of(self, dimension: CriteriaDimension, row: CriterionRow) -> str:
        """Hash all of a criterion that a judge sees, for a score to name. Its weight and its id may change
        without another word of a judge."""
        return content_id(self.shown, dimension, row["criterion"], row["explanation"])

    def rows(self, dimension: CriteriaDimension) -> Sequence[CriterionRow]:
        return self.criteria.get(dimension) or ()


class ScoreRow(TypedDict):
    """The score of one criterion in one round."""

    score: int | None
    analysis: str
    reason: NotRequired[str]
    """Reason why there is no score."""
    failed: NotRequired[bool]
    """The whole answer could not be had: `--retry-failed` asks again."""


class ScoredUnder(NamedTuple):
    """The criteria under which a report was scored, and the round."""

    owner: CriteriaOwner
    seed: int
    round: int
    own: bool
    """The person is the one that the report was written for."""


Scores = Mapping[ScoredUnder, Mapping[str, ScoreRow]]
"""Keyed by the hash of the criterion."""


def rubric_of(judged: Judged, owner: CriteriaOwner, seed: int = 0) -> Rubric | None:
    """`None` where nobody made any yet."""
    return _rubrics(judged).get((owner, seed))


def open_rubric(judged: Judged, owner: CriteriaOwner, seed: int) -> Rubric:
    """The one that is being read."""
    return _rubrics(judged).setdefault((owner, seed), Rubric())


def owners_of(judged: Judged, seed: int = 0) -> list[CriteriaOwner]:
    """List whose criteria were made, by task and person."""
    found = [owner for owner, number in _rubrics(judged) if number == seed]
    return sorted(found, key=lambda owner: (owner.task_id, owner.person_id or ""))


def _rubrics(judged: Judged) -> dict[tuple[CriteriaOwner, int], Rubric]:
    rubrics = judged.others.setdefault(CRITERIA, {}).setdefault("rubrics", {})
    return cast("dict[tuple[CriteriaOwner, int], Rubric]", rubrics)


def scores_of(judged: Judged, answer: str) -> Scores | None:
    """`None` where the report was not scored yet."""
    return cast("Scores | None", judged.others.get(SCORES, {}).get(answer))


def enter_scores(judged: Judged, answer: str, under: ScoredUnder, scores: Mapping[str, ScoreRow]) -> None:
    here = judged.others.setdefault(SCORES, {}).setdefault(answer, {})
    cast("dict[ScoredUnder, dict[str, ScoreRow]]", here).setdefault(under, {}).update(scores)


def rubric_id(rows: Iterable[CriterionRow]) -> str:
    return content_id(json.dumps(list(rows), sort_keys=True, ensure_ascii=False))


@dataclass(frozen=True)
class GivenCriteria:
    """The criteria that people gave for one owner, in the place of what would be made."""

    weights: Mapping[str, float]
    criteria: Mapping[CriteriaDimension, Sequence[CriterionRow]]

    @property
    def id(self) -> str:
        parts = [f"{name} {rubric_id(rows)}" for name, rows in sorted(self.criteria.items())]
        return content_id(json.dumps(dict(self.weights), sort_keys=True), *parts)
