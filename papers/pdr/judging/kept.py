"""Criteria that people gave, as a study keeps them: a line for each task and person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from drr.env.errors import DrrError, Misuse
from drr.env.files import Id, write_file
from drr.env.jsonl import rows_of
from drr.eval.labels import Dimension
from drr.papers.pdr.judging.choices import CRITERIA_FILE, GivenCriteria
from drr.papers.pdr.judging.rows import CriteriaDimension, CriteriaOwner, CriterionOrigin, CriterionRow
from drr.study.study import Study
from pydantic import BaseModel, ConfigDict, Field

SCHEMA = 1


class _KeptCriterion(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: Id
    criterion: str = Field(min_length=1)
    explanation: str
    weight: float = Field(gt=0, allow_inf_nan=False)
    origin: CriterionOrigin
    gist: str | None = None
    surface: Dimension | None = None


class _KeptCriteria(BaseModel):
    """A line of the study's own file. Earlier versions wrote a history of edits into it, which nothing reads."""

    schema_version: int = SCHEMA
    task_id: Id
    person_id: Id | None = None
    weights: dict[CriteriaDimension, float]
    criteria: dict[CriteriaDimension, list[_KeptCriterion]]

    @property
    def given(self) -> GivenCriteria:
        rows = {
            name: [cast(CriterionRow, one.model_dump(exclude_none=True)) for one in own]
            for name, own in self.criteria.items()
        }
        return GivenCriteria({str(name): weight for name, weight in self.weights.items()}, rows)


def given_criteria(study: Study) -> dict[CriteriaOwner, GivenCriteria]:
    path = study.folder / CRITERIA_FILE
    if not path.is_file():
        return {}
    try:
        kept = rows_of(path, _KeptCriteria, "criteria", SCHEMA)
        return {CriteriaOwner(row.task_id, row.person_id): row.given for _, row in kept}
    except Misuse as error:  # nobody named this file: the study is broken
        raise DrrError(
            f"{error}; restore it, or take it away to go by the criteria that were made"
        ) from error


def keep_criteria(study: Study, given: Mapping[CriteriaOwner, GivenCriteria]) -> None:
    """The file is replaced whole or not at all."""
    lines = [
        _KeptCriteria.model_validate({**owner._asdict(), "weights": one.weights, "criteria": one.criteria})
        for owner, one in given.items()
    ]
    text = "".join(f"{line.model_dump_json(exclude_none=True)}\n" for line in lines)
    write_file(study.folder / CRITERIA_FILE, text)
