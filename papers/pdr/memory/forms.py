"""The forms that a memory's model is asked to fill. The request is there once more as plain fields for a stand-in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from drr.papers.pdr.context import ContextItem
from pydantic import BaseModel, ConfigDict, Field


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PersonSummary(_Form):
    summary: str = Field(description="what is known of the person now, in full sentences")


class FactList(_Form):
    facts: list[str] = Field(description="short statements about the person, each understandable alone")


class FactChange(_Form):
    does: Literal["add", "update", "forget", "ignore"]
    fact: int = Field(description="the number of the new fact")
    held: int | None = Field(default=None, description="the number of the held fact it changes")
    text: str | None = Field(
        default=None, description="the words to keep, where they are not the new fact's own"
    )


class FactChanges(_Form):
    changes: list[FactChange]


class Trait(_Form):
    attribute: str = Field(
        description="what of the person it is, in two to five words, e.g. `preferred coffee`"
    )
    value: str = Field(description="what is known of it, in one sentence")


class Traits(_Form):
    traits: list[Trait]


@dataclass(frozen=True)
class Rewriting:
    held: str
    items: tuple[ContextItem, ...]
    words: int


@dataclass(frozen=True)
class Extracting:
    items: tuple[ContextItem, ...]


@dataclass(frozen=True)
class Comparing:
    held: tuple[str, ...]
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Distilling:
    topic: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Describing:
    held: tuple[Trait, ...]
    items: tuple[ContextItem, ...]


MemoryBrief = Rewriting | Extracting | Comparing | Distilling | Describing
