"""Reads and writes files of criteria: exchange files in PDR-Bench's form, and the study's own file of given criteria."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar, cast

from drr.env.errors import DrrError, Misuse
from drr.env.files import Id, checked_id, write_file
from drr.env.json_object import JsonObject
from drr.env.jsonl import rows_of
from drr.eval.labels import Dimension
from drr.papers.pdr.judging.rows import (
    CRITERIA_FILE,
    DIMENSIONS,
    CriteriaDimension,
    CriteriaOwner,
    CriterionOrigin,
    CriterionRow,
    GivenCriteria,
    Half,
    Rubric,
)
from drr.study.study import Study
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

SCHEMA = 1
LONGEST = 2000
MOST = 40
"""Limit on the criteria of a dimension in a file: far more than anybody makes."""
_NEAR = 0.01
_KEYS: Mapping[CriteriaDimension, str] = {
    "GOAL": "goal_alignment", "CONT": "content_alignment", "PRES": "presentation_fit", "ACTI": "actionability_practicality",
    "DEIN": "depth_insight", "LOGC": "logical_coherence", "CLAR": "clarity_readability",
}  # fmt: skip
"""Names of the dimensions in PDR-Bench's files; our own names are read too. Its three names for quality are known only from the paper."""


def _id_of(value: object) -> object:
    """Return a valid id as text; ids in PDR-Bench's files may be numbers."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError("must be a text or a whole number")  # noqa: TRY004 - pydantic tells no other
    return checked_id(str(value))


FileId = Annotated[str, BeforeValidator(_id_of)]


class CriterionLine(BaseModel):
    model_config = ConfigDict(extra="forbid")

    criterion: str = Field(min_length=1, max_length=LONGEST)
    explanation: str = Field(max_length=LONGEST)
    weight: float = Field(gt=0, allow_inf_nan=False)


class CriteriaLine(BaseModel):
    """A line of criteria in the form of `criteria150_en.jsonl`."""

    model_config = ConfigDict(extra="forbid")

    id: FileId | None = None
    domain: str | None = None
    language: str | None = None
    taskid: FileId
    userid: FileId | None = None
    """Person of the line; without one the line is about the task alone."""
    task: str = Field(min_length=1)
    personalization_weights: dict[str, float] = Field(default_factory=dict)
    quality_weights: dict[str, float] = Field(default_factory=dict)
    personalization_criterions: dict[str, list[CriterionLine]] = Field(default_factory=dict)
    quality_criterions: dict[str, list[CriterionLine]] = Field(default_factory=dict)


_NAMES: Mapping[str, Half] = {"personalization": "p", "quality": "q"}
"""Prefixes of the fields of a line, by half."""
OwnerT = TypeVar("OwnerT")
Known = Callable[[CriteriaOwner], Rubric | None]
"""A function that returns the present criteria of an owner. Unchanged criteria keep their ids and origins."""


class ReadCriteria(NamedTuple):
    """The criteria of one file by owner, and the lines to warn about."""

    given: dict[CriteriaOwner, GivenCriteria]
    other_quality: list[int]
    """Lines whose quality criteria differ from those of an earlier line of the same task; the earlier ones count."""


def read_criteria(
    path: Path, tasks: Mapping[str, str], persons: Iterable[CriteriaOwner], now: Known
) -> ReadCriteria:
    """Read a file of criteria. `tasks` holds the study's task texts by id, `persons` the owners with a person who asks, `now` gives present criteria."""
    known, found = frozenset(persons), ReadCriteria({}, [])
    form = "{'taskid': ..., 'userid': ..., 'task': ...}"
    for number, line in rows_of(path, CriteriaLine, "criteria", SCHEMA, form):
        where = f"{path}, line {number}"
        _check_task(where, line, tasks)
        halves = list(_halves(where, line, now))
        for owner, given in halves:
            before = found.given.setdefault(owner, given)
            if owner.person_id is not None and owner not in known:
                asks = f"nobody called {line.userid} asks the task {line.taskid} in this study"
                raise Misuse(f"{where}: userid: {asks}")
            if owner.person_id is not None and before is not given:
                once = f"{owner.label} stands there already; one line for each task and person"
                raise Misuse(f"{where}: userid: {once}")
            if before.id != given.id:
                found.other_quality.append(number)
        if not halves:
            raise Misuse(
                f"{where}: personalization_weights: neither these nor quality_weights; a line holds criteria"
            )
    if not found.given:
        raise Misuse(f"{path}: holds no criteria; `drr papers criteria STUDY export FILE` writes such a file")
    return found


def _check_task(where: str, line: CriteriaLine, tasks: Mapping[str, str]) -> None:
    text = tasks.get(line.taskid)
    if text is None:
        raise Misuse(f"{where}: taskid: the study has no task {line.taskid}")
    if " ".join(text.split()) != " ".join(line.task.split()):
        raise Misuse(f"{where}: task: another text than the task {line.taskid} of the study has")


def _halves(where: str, line: CriteriaLine, now: Known) -> Iterator[tuple[CriteriaOwner, GivenCriteria]]:
    for name, half in _NAMES.items():
        weights, criterions = getattr(line, f"{name}_weights"), getattr(line, f"{name}_criterions")
        if not (weights or criterions):
            continue
        if half == "p" and line.userid is None:
            raise Misuse(f"{where}: userid: none, and criteria of personalization are of a person")
        owner = CriteriaOwner(line.taskid, line.userid if half == "p" else None)
        rubric = now(owner) or Rubric()
        named = _by_dimension(f"{where}: {name}_weights", weights, half)
        lists = _by_dimension(f"{where}: {name}_criterions", criterions, half)
        if absent := [dimension for dimension in DIMENSIONS[half] if dimension not in named]:
            raise Misuse(f"{where}: {name}_weights: {_KEYS[absent[0]]} has no weight")
        at = f"{where}: {name}_criterions."
        rows = {one: _rows(at + _KEYS[one], one, lists.get(one, ()), rubric) for one in DIMENSIONS[half]}
        yield owner, GivenCriteria(summing_to_one(f"{where}: {name}_weights", named), rows)


def summing_to_one(where: str, weights: Mapping[CriteriaDimension, float]) -> dict[str, float]:
    """Return the weights, scaled to sum to 1. Only rounding is corrected; other sums raise `Misuse`, as they would change the scale of figures."""
    whole = fsum(weights.values())
    if any(not 0 <= weight <= 1 for weight in weights.values()) or abs(whole - 1) > _NEAR:
        raise Misuse(f"{where}: must be from 0 to 1 and sum to 1, and sum to {whole:g}")
    return {name: weight if abs(whole - 1) < 1e-9 else weight / whole for name, weight in weights.items()}


def _by_dimension(where: str, named: Mapping[str, OwnerT], half: Half) -> dict[CriteriaDimension, OwnerT]:
    names = {_KEYS[one]: one for one in DIMENSIONS[half]}
    known, found = {**names, **{one.casefold(): one for one in DIMENSIONS[half]}}, {}
    for name, criteria in named.items():
        dimension = known.get(name.strip().casefold().replace(" ", "_"))
        if dimension is None:
            raise Misuse(f"{where}: {name} is no dimension; they are {', '.join(names)}")
        if dimension in found:
            raise Misuse(f"{where}: {name} stands there twice")
        found[dimension] = criteria
    return found


def _rows(
    where: str, dimension: CriteriaDimension, lines: Sequence[CriterionLine], rubric: Rubric
) -> list[CriterionRow]:
    """Make the rows of a dimension. Known criteria keep their id and origin; the weight is the file's."""
    if len(lines) > MOST:
        raise Misuse(f"{where}: more than {MOST} criteria; keep those that matter most")
    known = {(row["criterion"], row["explanation"]): row for row in rubric.rows(dimension)}
    taken, rows = {row["id"] for row in rubric.rows(dimension)}, list[CriterionRow]()
    for line in lines:
        text, why = " ".join(line.criterion.split()), " ".join(line.explanation.split())
        if not text:
            raise Misuse(f"{where}: a criterion is blank")
        if any(row["criterion"].casefold() == text.casefold() for row in rows):
            raise Misuse(f"{where}: the criterion \u201c{text[:60]}\u201d stands there twice")
        new: CriterionRow = {
            "id": next_id(dimension, taken), "criterion": text, "explanation": why, "weight": 0.0, "origin": "person",
        }  # fmt: skip
        rows.append({**known.get((text, why), new), "weight": line.weight})
        taken.add(rows[-1]["id"])
    return rows


def next_id(dimension: CriteriaDimension, taken: Iterable[str]) -> str:
    """Return the id after the highest one in use."""
    start = dimension.lower()
    numbers = [int(one.removeprefix(start)) for one in taken if one.removeprefix(start).isdecimal()]
    return f"{start}{max(numbers, default=0) + 1}"


def document_line(
    query_id: str | None, task: str, owner: CriteriaOwner, personal: Rubric | None, quality: Rubric | None
) -> JsonObject:
    """Build a line of criteria in the form that `read_criteria` reads."""
    line: JsonObject = {"id": query_id, "domain": None, "language": "en"}
    line |= {"taskid": owner.task_id, "userid": owner.person_id, "task": task}
    halves = {"personalization": personal, "quality": quality}
    for name, rubric in halves.items():
        weights = rubric.weights["weights"] if rubric and rubric.weights else {}
        line[f"{name}_weights"] = {_KEYS[one]: weights[one] for one in _KEYS if one in weights}
    shown = ("criterion", "explanation", "weight")
    for name, rubric in halves.items():
        line[f"{name}_criterions"] = (
            {}
            if rubric is None
            else {
                _KEYS[one]: [{key: row[key] for key in shown} for row in map(dict, rubric.rows(one))]
                for one in DIMENSIONS[_NAMES[name]]
            }
        )
    return line


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
    """A line of the study's own file. Earlier versions also wrote a history of edits, which is ignored."""

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
    except Misuse as error:  # the user did not name this file: the study is broken
        raise DrrError(
            f"{error}; restore it, or take it away to go by the criteria that were made"
        ) from error


def keep_criteria(study: Study, given: Mapping[CriteriaOwner, GivenCriteria]) -> None:
    """Write the study's file of given criteria, replacing it as a whole."""
    lines = [
        _KeptCriteria.model_validate({**owner._asdict(), "weights": one.weights, "criteria": one.criteria})
        for owner, one in given.items()
    ]
    text = "".join(f"{line.model_dump_json(exclude_none=True)}\n" for line in lines)
    write_file(study.folder / CRITERIA_FILE, text)
