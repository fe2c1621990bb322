"""The right answer to each point of a question whose points bind one another, and the rules that bind them."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

Status = Literal["answered", "nothing_fits", "not_sold", "cannot_be_told"]
"""The outcome of a point. `cannot_be_told` means that no record of the shop decides it."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class RightPick(_Part):
    product: str
    pieces: int = Field(1, ge=1)


class PointTruth(_Part):
    """The right answer to one point: products, a figure, or a refusal."""

    status: Status = "answered"
    picks: list[RightPick] = Field(default_factory=list)
    in_order: bool = False
    """True where the question asks for the products in an order."""
    figure: FiniteFloat | str | None = None
    sources: list[str] = Field(default_factory=list)
    """Addresses of sources, each of which states the figure."""

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        if (self.status == "answered") != (bool(self.picks) != (self.figure is not None)):
            raise ValueError("a point that is answered has picks or a figure, and a refused one has neither")
        return self


class JointRule(_Part):
    """A rule over the picks of several points together."""

    points: list[int]
    total_max: FiniteFloat | None = None
    """The highest price of all pieces together, in the shop's currency."""
    same: str | None = None
    """The detail that all picks share; `Brand` stands for the maker."""
