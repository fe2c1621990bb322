"""Scores of others in the study's `foreign.jsonl`: whose judge gave them, on which scale, from which file. None is a metric of ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from drr.env.errors import DrrError, Misuse
from drr.env.files import private, write_file
from drr.env.jsonl import rows_of
from drr.eval.foreign.registry import part_of
from drr.study.study import Study
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

SCHEMA = 1
FILE = "foreign.jsonl"
NAME_LENGTH = 200
JudgeName = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH)]


class ForeignScore(BaseModel):
    """What the judge of another benchmark said of one report, or of a sentence whose report nobody knows."""

    model_config = ConfigDict(extra="forbid")

    schema_version: int = SCHEMA
    format: str
    part: str
    judge: JudgeName | None = None
    """`None`: not told."""
    system: str = Field(min_length=1)
    query_id: str | None = None
    size: str | None = None
    """Of the frozen pages that the question was asked over."""
    trial: int = Field(0, ge=0)
    values: dict[str, FiniteFloat | None]
    failed: str | None = None
    source: str
    sha256: str

    @model_validator(mode="after")
    def _within_its_scale(self) -> ForeignScore:
        part = part_of(self.format, self.part)
        ends = {} if part is None else {one.name: one.ends for one in part.figures}
        for name, value in self.values.items():
            scale = ends.get(name)
            if value is not None and scale is not None and not scale[0] <= value <= scale[1]:
                raise ValueError(f"{name} is {value:g}, beyond its scale")
        return self

    @property
    def place(self) -> tuple[str, str, str | None, str, str | None, int]:
        """One judge says one thing of one report."""
        return self.format, self.part, self.judge, self.system, self.query_id, self.trial


def foreign_scores(study: Study) -> list[ForeignScore]:
    path = study.folder / FILE
    if not path.is_file():
        return []
    try:
        return [row for _, row in rows_of(path, ForeignScore, "scores", SCHEMA)]
    except Misuse as error:  # nobody named this file: the study is broken
        raise DrrError(str(error)) from error


def keep_scores(study: Study, fresh: Sequence[ForeignScore]) -> int:
    """Keep the scores beside what is there; earlier ones of the same judge on the same reports give way. How many rows did."""
    places = {one.place for one in fresh}
    before = foreign_scores(study)
    kept = [one for one in before if one.place not in places]
    gone = [one for one in before if one.place in places]
    _write(study, [*kept, *fresh])
    said = {_identity(one) for one in fresh}
    return sum(_identity(one) not in said for one in gone)


def _identity(score: ForeignScore) -> tuple[object, ...]:
    return (*score.place, *sorted(score.values.items()))


def _write(study: Study, scores: Iterable[ForeignScore]) -> None:
    rows = sorted(scores, key=lambda one: [part or "" for part in map(str, one.place)])
    lines = "".join(one.model_dump_json(exclude_none=False) + "\n" for one in rows)
    write_file(study.folder / FILE, lines, private(0o666))
