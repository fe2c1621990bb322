"""The row types of criteria and scores, and the access to them in a judging run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, NotRequired, TypedDict, cast

from drr.eval.labels import Dimension, content_id
from drr.eval.tasks.judgements import Judged

CRITERIA, SCORES = "criteria", "scores"
"""Names of the two judging tasks, under which a judging run stores their results."""
CRITERIA_FILE = "criteria.jsonl"
Half = Literal["p", "q"]
"""Half of the criteria: personalization `p`, of a task and a person, or quality `q`, of a task alone."""
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
    """The owner of criteria: a task and a person, or, without a person, the task for all its persons."""

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
    """Id that is unique for its owner, e.g. `goal3`."""
    criterion: str
    explanation: str
    weight: float
    origin: CriterionOrigin
    gist: NotRequired[str]
    """Words specific to this task and person, for a judge without a model."""
    surface: NotRequired[Dimension]
    """Surface feature of a report that meets the criterion, for a judge without a model."""


class WeightsRow(TypedDict):
    """The weights of the dimensions: the mean of the usable samples."""

    weights: dict[str, float]
    samples: list[dict[str, float]]
    """Usable samples; empty if rules or people gave the weights."""
    refused: list[str]
    """Reasons why samples were refused."""


@dataclass
class Rubric:
    """The weights and criteria of one owner, by which reports are scored. A part is `None` if it failed or is not made yet."""

    weights: WeightsRow | None = None
    criteria: dict[CriteriaDimension, Sequence[CriterionRow] | None] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    """Reasons why parts are missing, by part."""
    shown: str = ""
    """Hash of the task and person as a judge reads them; a score is valid for one such hash."""

    def hash_of(self, dimension: CriteriaDimension, row: CriterionRow) -> str:
        """Return the hash of all that a judge sees of a criterion, which scores refer to. Its weight and id may
        change without new scores."""
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
    """True if the whole answer failed; `--retry-failed` asks again."""


class ScoredUnder(NamedTuple):
    """The owner of the criteria under which a report was scored, and the round."""

    owner: CriteriaOwner
    round: int
    own: bool
    """True if the report was written for the owner's person."""


Scores = Mapping[ScoredUnder, Mapping[str, ScoreRow]]
"""Scores by place and then by the hash of the criterion."""


def rubric_of(judged: Judged, owner: CriteriaOwner) -> Rubric | None:
    """Return the rubric of an owner; `None` if none was made yet."""
    return _rubrics(judged).get(owner)


def open_rubric(judged: Judged, owner: CriteriaOwner) -> Rubric:
    """Return the rubric of an owner, created if needed, for reading records into it."""
    return _rubrics(judged).setdefault(owner, Rubric())


def owners_of(judged: Judged) -> list[CriteriaOwner]:
    """List the owners whose criteria were made, ordered by task and person."""
    return sorted(_rubrics(judged), key=lambda owner: (owner.task_id, owner.person_id or ""))


def _rubrics(judged: Judged) -> dict[CriteriaOwner, Rubric]:
    rubrics = judged.others.setdefault(CRITERIA, {}).setdefault("rubrics", {})
    return cast("dict[CriteriaOwner, Rubric]", rubrics)


def scores_of(judged: Judged, answer: str) -> Scores | None:
    """Return the scores of a report; `None` if it was not scored yet."""
    return cast("Scores | None", judged.others.get(SCORES, {}).get(answer))


def enter_scores(judged: Judged, answer: str, under: ScoredUnder, scores: Mapping[str, ScoreRow]) -> None:
    here = judged.others.setdefault(SCORES, {}).setdefault(answer, {})
    cast("dict[ScoredUnder, dict[str, ScoreRow]]", here).setdefault(under, {}).update(scores)


def rubric_id(rows: Iterable[CriterionRow]) -> str:
    return content_id(json.dumps(list(rows), sort_keys=True, ensure_ascii=False))


@dataclass(frozen=True)
class GivenCriteria:
    """The criteria that people gave for one owner, which replace those made."""

    weights: Mapping[str, float]
    criteria: Mapping[CriteriaDimension, Sequence[CriterionRow]]

    @property
    def id(self) -> str:
        parts = [f"{name} {rubric_id(rows)}" for name, rows in sorted(self.criteria.items())]
        return content_id(json.dumps(dict(self.weights), sort_keys=True), *parts)
