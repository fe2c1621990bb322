"""The forms in which judges compare a report's statements with the records, and weigh charges against them.
Reasons stand before verdicts."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

StatementWord = Literal["true", "false", "unknown"]
ChargeWord = Literal["wrong", "right", "open"]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class StatementAnswer(_Answer):
    id: str
    working: str = Field(
        description="what the records say of it, each figure and each word that can be checked"
    )
    sums: list[str] = Field(description="sums to be worked out by code, such as 2*19.99+33.98; empty if none")
    verdict: StatementWord
    words: str = Field(description="the wrong words of the statement, copied; empty unless false")
    instead: str = Field(description="what they would have to say; empty unless false")


class StatementAnswers(_Answer):
    verdicts: list[StatementAnswer]


class ChargeAnswer(_Answer):
    id: str
    defence: str = Field(description="the reading that comes nearest to making the statement true")
    verdict: ChargeWord


class ChargeAnswers(_Answer):
    verdicts: list[ChargeAnswer]
