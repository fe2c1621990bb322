"""The drafts of a query writer, in a fixed form: code checks them before they become queries."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from drr.env.query import Fact
from pydantic import BaseModel, ConfigDict, Field, create_model

Intent = Literal["compare", "plan", "replace", "gift", "seasonal", "safety", "reorder"]
INTENTS: tuple[Intent, ...] = get_args(Intent)
Mode = Literal["profile", "generic"]


class Draft(BaseModel):
    model_config = ConfigDict(extra="forbid")

    intent: Intent
    query: str = Field(min_length=1, max_length=4000)
    rationale: str = Field(min_length=1, max_length=2000)
    tools: list[str] = Field(min_length=1, max_length=20)
    needs: list[Annotated[str, Field(min_length=1, max_length=120)]] = Field(min_length=1, max_length=5)
    web_need: str = Field(max_length=2000)
    facts_used: list[Fact] = Field(max_length=30)


class Drafts(BaseModel):
    model_config = ConfigDict(extra="forbid")

    queries: list[Draft]


def drafts_of(count: int) -> type[Drafts]:
    """Exactly so many, so that a writer who gives fewer is asked once more."""
    exact = Annotated[list[Draft], Field(min_length=count, max_length=count)]
    return create_model("Drafts", __base__=Drafts, queries=(exact, ...))
