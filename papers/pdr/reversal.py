"""A check whether a person can be recognised from a context. One fresh call names attributes, a second says
which of the person's own they are.

The first sees the context and nothing else. The second sees the two lists and no context, as words differ ("has a puppy", "shares the
household with a dog") and code would find only those that happen to agree; numbers that are in no list count for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from drr.llm.prompts import Prompts, fence
from drr.papers.pdr.person import Attribute
from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import BaseModel, ConfigDict, Field

ROLE = "reversal"
NAMING, MATCHING = "context_reversal", "context_match"
PROMPTS = (NAMING, MATCHING)
ReversalBlock = Literal[
    "place",
    "pets",
    "children",
    "care",
    "needs",
    "themes",
    "rhythm",
    "replenishment",
    "price_level",
    "price_spread",
    "brands",
    "returns",
    "seasons",
    "goods",
    "home",
    "decision",
    "delivery",
    "reading",
    "colors",
    "waste",
    "other",
]


class NamedAttribute(BaseModel):
    model_config = ConfigDict(extra="forbid")

    block: ReversalBlock
    statement: str = Field(min_length=1, max_length=300)


class NamedAttributes(BaseModel):
    model_config = ConfigDict(extra="forbid")

    attributes: list[NamedAttribute] = Field(max_length=80)


class MeantAttribute(BaseModel):
    model_config = ConfigDict(extra="forbid")

    named: int = Field(description="the number in the first list")
    known: int = Field(description="the number in the second list")


class MeantAttributes(BaseModel):
    model_config = ConfigDict(extra="forbid")

    pairs: list[MeantAttribute]


class ReversedPerson(NamedTuple):
    found: frozenset[str]
    """Ids of attributes that were named."""
    named: int
    right: int
    """Of what was named, how many mean an attribute of the person."""


def naming(prompts: Prompts, text: str) -> list[BaseMessage]:
    return [HumanMessage(prompts.fill(NAMING, items=fence(text, "items")))]


def matching(
    prompts: Prompts, named: Sequence[NamedAttribute], known: Sequence[Attribute]
) -> list[BaseMessage]:
    first = [f"{at}. {one.block}: {_line(one.statement)}" for at, one in enumerate(named, 1)]
    second = [f"{at}. {one.block}: {_line(one.statement)}" for at, one in enumerate(known, 1)]
    told = prompts.fill(
        MATCHING, named=fence("\n".join(first), "named"), known=fence("\n".join(second), "known")
    )
    return [HumanMessage(told)]


def reversed_person(
    named: Sequence[NamedAttribute], meant: Sequence[MeantAttribute], known: Sequence[Attribute]
) -> ReversedPerson:
    pairs = [one for one in meant if 0 < one.named <= len(named) and 0 < one.known <= len(known)]
    return ReversedPerson(
        frozenset(known[one.known - 1].id for one in pairs), len(named), len({one.named for one in pairs})
    )


def _line(text: str) -> str:
    return " ".join(text.split())
