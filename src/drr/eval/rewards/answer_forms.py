"""The forms in which agents hand in answers that code checks, and their reading."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from drr.env.checkable import Why
from drr.env.errors import wrong_field
from drr.env.points import Status
from drr.env.query import Query
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, StringConstraints, ValidationError

_Words = Annotated[str, StringConstraints(max_length=2_000)]


class FormFigure(BaseModel):
    model_config = ConfigDict(extra="forbid")

    point: int
    value: FiniteFloat | _Words


class FormRefusal(BaseModel):
    model_config = ConfigDict(extra="forbid")

    point: int
    reason: Why


class AnswerForm(BaseModel):
    """The structured half of an answer; points are numbered as in the question."""

    model_config = ConfigDict(extra="forbid")

    picks: list[_Words] = Field(default_factory=list, max_length=1_000)
    """Ids or addresses of products."""
    figures: list[FormFigure] = Field(default_factory=list, max_length=100)
    refusals: list[FormRefusal] = Field(default_factory=list, max_length=100)


class FormPick(BaseModel):
    model_config = ConfigDict(extra="forbid")

    product: _Words
    """Id or address of the product."""
    pieces: int = Field(1, ge=1)


class FormPoint(BaseModel):
    """The answer to one point: picks or a figure, or the reason why there is none."""

    model_config = ConfigDict(extra="forbid")

    point: int
    status: Status = "answered"
    picks: list[FormPick] = Field(default_factory=list, max_length=100)
    """The products, in order where the question asks for an order."""
    figure: FiniteFloat | _Words | None = None


class PointsForm(BaseModel):
    """The structured half of an answer to a question whose points bind one another."""

    model_config = ConfigDict(extra="forbid")

    points: list[FormPoint] = Field(default_factory=list, max_length=100)


Form = AnswerForm | PointsForm


class ReadForm(NamedTuple):
    """The result of reading a form: the form, or the problem with it. Both are `None` where no form was given."""

    form: Form | None = None
    problem: str | None = None
    """Reason why the form cannot be read."""


def form_class(query: Query | None) -> type[Form]:
    """Return the form that a question asks for."""
    is_joint = query is not None and query.checkable is not None and query.checkable.points
    return PointsForm if is_joint else AnswerForm


def read_form(text: str | None, query: Query | None = None) -> ReadForm:
    """Read the JSON of a form."""
    if text is None:
        return ReadForm()
    try:
        return ReadForm(form_class(query).model_validate_json(text, strict=True))
    except ValidationError as error:
        return ReadForm(problem=wrong_field(error, "form"))
