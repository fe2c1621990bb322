"""Key points of a question, made before any answer is scored, and the verdicts on how an answer covers each."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NotRequired, cast

from drr.env.errors import DrrError, Misuse, wrong_field
from drr.env.files import Id, write_file
from drr.env.json_object import parsed
from drr.env.jsonl import lines_of
from drr.eval.labels import content_id
from drr.eval.tasks.judgements import Judged
from drr.study.study import Study
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, with_config
from typing_extensions import TypedDict  # pydantic reads it

POINTS, MATCHES = "points", "matches"
"""The names of the two tasks, and the keys under which their results are stored."""
Weight = Literal["vital", "okay"]
Origin = Literal["constraint", "shopper", "catalogue", "model", "person"]
PointSupport = Literal["support", "partial_support", "not_support", "judge_error"]


@with_config(ConfigDict(extra="forbid"))
class PurchaseRow(TypedDict):
    name: str
    """The product's title without the list of its features."""
    order: str
    day: str


class PointRow(TypedDict):
    """A thing that a good answer to the question says or does."""

    id: str
    """Id, unique within the question."""
    text: str
    weight: Weight
    origin: Origin
    gist: NotRequired[str]
    """Words particular to this question, for rules that judge without a model. The rest of the text is a set phrase."""
    products: NotRequired[list[str]]
    """Product ids: an answer that names one of them has the point."""
    purchase: NotRequired[PurchaseRow]
    """Purchase: an answer that says that the shopper bought this on that day has the point."""
    total_max: NotRequired[float]
    item_max: NotRequired[float]
    """The question's only limit on money, per item or in total, which the rule `budget` compares costs with."""


class PointVerdictRow(TypedDict):
    support: PointSupport
    reason: str
    by: Literal["judge", "rule"]
    span: NotRequired[list[int]]
    """Span in the report of the words that the judge quoted."""
    quote_not_found: NotRequired[str]


@dataclass(frozen=True)
class KeyPoints:
    """The key points of one question. `rows` is `None` where they could not be made."""

    rows: Sequence[PointRow] | None
    reason: str | None = None

    @property
    def id(self) -> str:
        """Return the id of the whole list. A verdict counts only for the list that it was given for."""
        return list_id(self.rows or ())


def list_id(rows: Iterable[PointRow]) -> str:
    return content_id(json.dumps(list(rows), sort_keys=True, ensure_ascii=False))


def points_of(judged: Judged, query_id: str) -> KeyPoints | None:
    """Return the key points of a question; `None` where none were made yet."""
    return cast("KeyPoints | None", judged.others.get(POINTS, {}).get(query_id))


def enter_points(judged: Judged, query_id: str, points: KeyPoints) -> None:
    judged.others.setdefault(POINTS, {})[query_id] = points


def matches_of(judged: Judged, answer: str) -> Mapping[str, PointVerdictRow] | None:
    """Map each point's id to the verdict on it; `None` where nothing was matched yet."""
    return cast("Mapping[str, PointVerdictRow] | None", judged.others.get(MATCHES, {}).get(answer))


def enter_matches(judged: Judged, answer: str, verdicts: Mapping[str, PointVerdictRow]) -> None:
    here = judged.others.setdefault(MATCHES, {}).setdefault(answer, {})
    cast("dict[str, PointVerdictRow]", here).update(verdicts)


KEPT = "key_points.jsonl"
MOST = 60
"""Most points of one question."""
_FORM = "{'query_id': ..., 'text': ..., 'weight': 'vital'}"
OwnPoints = Mapping[str, Sequence[PointRow]]
"""Points keyed by question."""


class PointLine(BaseModel):
    """A point of one question, as a line of a file."""

    model_config = ConfigDict(extra="forbid")

    query_id: str
    text: str = Field(max_length=1000)
    weight: Weight
    id: Id | None = Field(default=None, max_length=40)
    """Id; where none is given, `p1`, `p2`, ... in the order of the file."""
    origin: Origin = "person"
    """Source of the point: kept for an exported line, `person` for a line that a person wrote."""
    gist: str | None = None
    products: list[str] = Field(default_factory=list)
    purchase: PurchaseRow | None = None
    total_max: float | None = Field(default=None, allow_inf_nan=False)
    item_max: float | None = Field(default=None, allow_inf_nan=False)

    @field_validator("text")
    @classmethod
    def _says_something(cls, text: str) -> str:
        if not text.strip():
            raise ValueError("must not be blank")
        return " ".join(text.split())

    def row(self, number: int) -> PointRow:
        fields = self.model_dump(exclude={"query_id", "id"}, exclude_defaults=True)
        return cast(PointRow, {"origin": self.origin, **fields, "id": self.id or f"p{number}"})


def read_points(path: Path, known: Collection[str] | None = None) -> OwnPoints:
    """Read all points of the file, by question. A broken line raises an error with its number, and no point is taken.

    `known` are the questions that points may be for; `None` allows any.
    """
    found: dict[str, list[PointRow]] = {}
    for where, line in _lines(path):
        if known is not None and line.query_id not in known:
            raise Misuse(f"{where}: query_id: the study has no question {line.query_id!r}")
        rows = found.setdefault(line.query_id, [])
        row = line.row(len(rows) + 1)
        if any(one["id"] == row["id"] for one in rows):
            raise Misuse(
                f"{where}: id: {row['id']!r} is already a point of {line.query_id}; ids are unique there"
            )
        if any(one["text"].casefold() == row["text"].casefold() for one in rows):
            raise Misuse(f"{where}: text: this is already a point of {line.query_id}")
        if len(rows) == MOST:
            raise Misuse(f"{where}: more than {MOST} points of {line.query_id}; keep those that matter most")
        rows.append(row)
    if not found:
        raise Misuse(f"{path}: holds no point; each line is {_FORM}")
    return found


def _lines(path: Path) -> Iterable[tuple[str, PointLine]]:
    for number, line in enumerate(lines_of(path, "key points"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            raw = parsed(line)
        except ValueError as error:
            raise Misuse(f"{where}: not JSON ({error}); each line is one object") from error
        if not isinstance(raw, dict):
            raise Misuse(f"{where}: not an object; each line is {_FORM}")
        try:
            yield where, PointLine.model_validate(raw)
        except ValidationError as error:
            raise Misuse(f"{where}: {wrong_field(error)}") from error


def document(points: OwnPoints) -> str:
    """Format the points as lines that `read_points` reads."""
    lines = [
        json.dumps({"query_id": query_id, **row}, ensure_ascii=False)
        for query_id, rows in points.items()
        for row in rows
    ]
    return "".join(f"{line}\n" for line in lines)


def keep_points(study: Study, points: OwnPoints) -> None:
    """Save the points in place of the study's earlier points."""
    write_file(study.folder / KEPT, document(points))


def kept_points(study: Study) -> OwnPoints:
    """Read the points that people gave this study."""
    path = study.folder / KEPT
    if not path.is_file():
        return {}
    try:
        return read_points(path)
    except Misuse as error:  # nobody named this file: the study is broken
        raise DrrError(
            f"{error} (`drr judge {study.folder} --points FILE` puts another in its place)"
        ) from error
