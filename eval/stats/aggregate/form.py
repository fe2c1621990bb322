"""The form of every row of raw scores: strict numbers, names, no key that nobody knows."""

from __future__ import annotations

from typing import Annotated

from drr.env.json_object import JsonObject
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

MOST = 2**63
LARGE = 1e15
"""Sums of larger numbers would not be exact, and could overflow."""


def _name(value: object) -> str:
    """A whole number names as well as its digits do: ids of published data are often numbers."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"a name or a whole number is asked, not {type(value).__name__}")  # noqa: TRY004
    return str(value)


def _id(value: object) -> object:
    """Given back as it came."""
    if isinstance(value, int) and abs(value) >= MOST:
        raise ValueError("a whole number of at most 63 bits is asked")
    _name(value)
    return value


Number = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-LARGE, le=LARGE)]
Weight = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=LARGE)]
Unit = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=1)]
OfFour = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=4)]
OfTen = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=10)]
Support = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-1, le=1)]
Count = Annotated[int, Field(strict=True, ge=0, le=int(LARGE))]
Flag = Annotated[bool, Field(strict=True)]
Name = Annotated[str, BeforeValidator(_name)]


class RawPart(BaseModel):
    """`id`, `task`, `system` and `meta` may stand in every object, whatever else it holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str | int | None, BeforeValidator(lambda value: None if value is None else _id(value))] = (
        None
    )
    task: Name | None = None
    system: Name | None = None
    meta: object = None


class RawRow(RawPart):
    @property
    def named(self) -> JsonObject:
        """Begin a row of the output."""
        return {} if self.id is None else {"id": self.id}
