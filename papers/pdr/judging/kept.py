"""Criteria that people gave, as a study keeps them: by owner, with the history of every change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from drr.env.errors import DrrError, Misuse
from drr.env.files import Id, write_file
from drr.env.json_object import JsonObject
from drr.env.jsonl import rows_of
from drr.eval.labels import Dimension
from drr.papers.pdr.judging.choices import GivenCriteria
from drr.papers.pdr.judging.file import LONGEST, next_id, summing_to_one
from drr.papers.pdr.judging.rows import (
    DIMENSIONS,
    CriteriaDimension,
    CriteriaOwner,
    CriterionOrigin,
    CriterionRow,
    Rubric,
)
from drr.study.study import Study
from pydantic import BaseModel, ConfigDict, Field

KEPT = "criteria.jsonl"
SCHEMA = 1
EditKind = Literal["import", "edit", "add", "remove", "weights"]


class CriteriaEdit(BaseModel):
    """One change: who made it and when, what stood there and what stands there since."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: EditKind
    who: str
    when: str
    id: str | None = None
    old: JsonObject | None = None
    new: JsonObject | None = None


class KeptCriterion(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: Id
    criterion: str = Field(min_length=1)
    explanation: str
    weight: float = Field(gt=0, allow_inf_nan=False)
    origin: CriterionOrigin
    gist: str | None = None
    surface: Dimension | None = None

    def row(self) -> CriterionRow:
        return cast(CriterionRow, self.model_dump(exclude_none=True))


class KeptCriteria(BaseModel):
    """A line of the study's own file."""

    model_config = ConfigDict(extra="forbid")

    schema_version: int = SCHEMA
    task_id: Id
    person_id: Id | None = None
    weights: dict[CriteriaDimension, float]
    criteria: dict[CriteriaDimension, list[KeptCriterion]]
    history: list[CriteriaEdit]

    @property
    def owner(self) -> CriteriaOwner:
        return CriteriaOwner(self.task_id, self.person_id)

    @property
    def given(self) -> GivenCriteria:
        rows = {name: [one.row() for one in own] for name, own in self.criteria.items()}
        return GivenCriteria({str(name): weight for name, weight in self.weights.items()}, rows)


def kept_criteria(study: Study) -> dict[CriteriaOwner, KeptCriteria]:
    path = study.folder / KEPT
    if not path.is_file():
        return {}
    try:
        return {row.owner: row for _, row in rows_of(path, KeptCriteria, "criteria", SCHEMA)}
    except Misuse as error:  # nobody named this file: the study is broken
        raise DrrError(
            f"{error}; restore it, or take it away to go by the criteria that were made"
        ) from error


def given_criteria(study: Study) -> dict[CriteriaOwner, GivenCriteria]:
    return {owner: row.given for owner, row in kept_criteria(study).items()}


@dataclass(frozen=True)
class Signature:
    """The signature of who changes something, and when."""

    who: str
    when: str

    def edit(
        self, what: EditKind, *, id: str | None = None, old: Any = None, new: Any = None
    ) -> CriteriaEdit:
        rows = {name: None if row is None else dict(row) for name, row in (("old", old), ("new", new))}
        return CriteriaEdit(what=what, who=self.who, when=self.when, id=id, **rows)


@dataclass(frozen=True)
class CriterionChange:
    """A change of one criterion; `None` leaves it as it is."""

    id: str | None = None
    """`None` for a new one."""
    dimension: CriteriaDimension | None = None
    criterion: str | None = None
    explanation: str | None = None
    weight: float | None = None
    remove: bool = False
    weights: Mapping[CriteriaDimension, float] = field(default_factory=dict)


class KeptEdits:
    """Changes to a study's criteria, each written down; the file is replaced whole or not at all."""

    def __init__(self, study: Study) -> None:
        self._path: Path = study.folder / KEPT
        self.rows = kept_criteria(study)

    def take(
        self, owner: CriteriaOwner, given: GivenCriteria, before: GivenCriteria | None, by: Signature
    ) -> bool:
        """Take what a file gave for one owner; return whether that is anything new."""
        if before is not None and before.id == given.id:
            return False
        edit = by.edit("import", old=_document(before), new=_document(given))
        self._put(owner, given, edit)
        return True

    def change(
        self, owner: CriteriaOwner, rubric: Rubric, wanted: CriterionChange, by: Signature
    ) -> CriteriaEdit:
        """`rubric` is what stands there now; `Misuse` for a change that says nothing, or of nothing that is there."""
        if rubric.weights is None:
            raise Misuse(f"{owner.label}: has no criteria yet; `drr judge STUDY --what criteria` makes them")
        weights = dict(rubric.weights["weights"])
        rows = {name: list(rubric.rows(name)) for name in DIMENSIONS[owner.half]}
        if wanted.weights:
            absent = [name for name in DIMENSIONS[owner.half] if name not in wanted.weights]
            strange = [name for name in wanted.weights if name not in DIMENSIONS[owner.half]]
            if absent or strange:
                raise Misuse(f"--weights: give each of {', '.join(DIMENSIONS[owner.half])} and no other")
            old, weights = weights, summing_to_one("--weights", wanted.weights)
            edit = by.edit("weights", old=old, new=weights)
        else:
            edit = _change_rows(owner, rows, wanted, by)
        self._put(owner, GivenCriteria(weights, rows), edit)
        return edit

    def write(self) -> None:
        lines = [row.model_dump_json(exclude_none=True) for row in self.rows.values()]
        write_file(self._path, "".join(f"{line}\n" for line in lines))

    def _put(self, owner: CriteriaOwner, given: GivenCriteria, edit: CriteriaEdit) -> None:
        before = self.rows.get(owner)
        self.rows[owner] = KeptCriteria(
            task_id=owner.task_id,
            person_id=owner.person_id,
            weights={cast(CriteriaDimension, name): weight for name, weight in given.weights.items()},
            criteria={name: [KeptCriterion(**row) for row in own] for name, own in given.criteria.items()},
            history=[*(before.history if before else ()), edit],
        )


def _change_rows(
    owner: CriteriaOwner,
    rows: dict[CriteriaDimension, list[CriterionRow]],
    wanted: CriterionChange,
    by: Signature,
) -> CriteriaEdit:
    if wanted.id is None:
        return _add(owner, rows, wanted, by)
    found = next(
        ((name, at) for name, own in rows.items() for at, row in enumerate(own) if row["id"] == wanted.id),
        None,
    )
    if found is None:
        known = ", ".join(row["id"] for own in rows.values() for row in own) or "none"
        raise Misuse(f"{owner.label}: has no criterion {wanted.id}; it has {known}")
    name, at = found
    old = rows[name][at]
    if wanted.remove:
        del rows[name][at]
        return by.edit("remove", id=wanted.id, old=old)
    new = _changed(old, wanted)
    if new == old:
        raise Misuse(
            f"{owner.label}, {wanted.id}: that is what it says already; give --criterion, --explanation or --weight"
        )
    _check_new(rows[name], new)
    rows[name][at] = new
    return by.edit("edit", id=wanted.id, old=old, new=new)


def _changed(old: CriterionRow, wanted: CriterionChange) -> CriterionRow:
    """Change the row. Other words are a person's own, and nothing is known of what a judge without a model should look for in them."""
    text, why = _plain(wanted.criterion, old["criterion"]), _plain(wanted.explanation, old["explanation"])
    weight = old["weight"] if wanted.weight is None else wanted.weight
    if (text, why) == (old["criterion"], old["explanation"]):
        return {**old, "weight": weight}
    return {"id": old["id"], "criterion": text, "explanation": why, "weight": weight, "origin": "person"}


def _add(
    owner: CriteriaOwner,
    rows: dict[CriteriaDimension, list[CriterionRow]],
    wanted: CriterionChange,
    by: Signature,
) -> CriteriaEdit:
    name = wanted.dimension
    if name is None or name not in rows:
        raise Misuse(f"{owner.label}: has the dimensions {', '.join(rows)}; name one of them")
    if not (wanted.criterion or "").strip() or wanted.weight is None:
        raise Misuse("a new criterion needs --criterion TEXT and --weight W")
    new: CriterionRow = {
        "id": next_id(name, [row["id"] for row in rows[name]]),
        "criterion": _plain(wanted.criterion, ""),
        "explanation": _plain(wanted.explanation, ""),
        "weight": wanted.weight,
        "origin": "person",
    }
    _check_new(rows[name], new)
    rows[name].append(new)
    return by.edit("add", id=new["id"], new=new)


def _check_new(others: Sequence[CriterionRow], new: CriterionRow) -> None:
    if not new["criterion"] or max(len(new["criterion"]), len(new["explanation"])) > LONGEST:
        raise Misuse(f"a criterion is blank, or longer than {LONGEST} characters")
    if not 0 < new["weight"] < float("inf"):
        raise Misuse(f"--weight {new['weight']:g}: must be above 0")
    if any(
        one["id"] != new["id"] and one["criterion"].casefold() == new["criterion"].casefold()
        for one in others
    ):
        raise Misuse("--criterion: this is a criterion of the dimension already")


def _plain(text: str | None, instead: str) -> str:
    return instead if text is None else " ".join(text.split())


def _document(given: GivenCriteria | None) -> JsonObject | None:
    if given is None:
        return None
    return {
        "weights": dict(given.weights),
        "criteria": {name: [dict(row) for row in own] for name, own in given.criteria.items()},
    }
