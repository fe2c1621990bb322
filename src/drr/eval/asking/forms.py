"""The forms in which judges answer, sent with every question, docstrings included.

The order of the fields is the order of writing: reasons first, except where the paper prints it otherwise.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA = 1
"""Version of these forms, which is part of every key."""

SupportWord = Literal["full_support", "partial_support", "no_support"]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class FoundClaim(_Answer):
    quote: str = Field(description="the exact words of the report, copied character by character")
    claim: str = Field(description="one complete sentence that says what is claimed")
    sources: list[str] = Field(description="URLs from the list given, empty if the report cites none here")


class FoundClaims(_Answer):
    claims: list[FoundClaim]


class SupportAnswer(_Answer):
    """The order of the fields is the order of writing: reasons first."""

    id: str
    justification: str
    quote: str
    absent: bool = Field(
        False, description="true if the claim says that something is not stated, and it is not"
    )
    support: SupportWord


class SupportAnswers(_Answer):
    verdicts: list[SupportAnswer]


class PaperSupportAnswer(_Answer):
    id: str
    support: SupportWord
    justification: str

    @property
    def quote(self) -> None:
        """Return no quotation, because the paper asks for none."""

    @property
    def absent(self) -> bool:
        return False


class PaperSupportAnswers(_Answer):
    verdicts: list[PaperSupportAnswer]


class RatingAnswer(_Answer):
    justification: str
    rating: int = Field(ge=0, le=10)


class PaperRatingAnswer(_Answer):
    rating: int = Field(ge=0, le=10)
    justification: str


class PreferenceAnswer(_Answer):
    """Winner on one criterion."""

    criterion: str
    justification: str
    winner: Literal["A", "B", "tie"]

    @property
    def id(self) -> str:
        return plain_name(self.criterion)


class PreferenceAnswers(_Answer):
    verdicts: list[PreferenceAnswer]


class PaperPreferenceAnswer(_Answer):
    winner: Literal["A", "B"]
    justification: str


FailureName = Literal[
    "redundant_clarity",
    "shallow_analysis",
    "narrow_framing",
    "weak_synthesis",
    "constraint_violation",
    "poor_personalization",
]


class FailureAnswer(_Answer):
    example: str
    label: FailureName


class FailuresAnswer(_Answer):
    failures: list[FailureAnswer]


class FoundPoint(_Answer):
    text: str = Field(description="one sentence: what a good answer says or does")
    weight: Literal["vital", "okay"]


class FoundPoints(_Answer):
    points: list[FoundPoint]


PointWord = Literal["support", "partial_support", "not_support"]


class PointAnswer(_Answer):
    id: str
    justification: str
    quote: str
    support: PointWord


class PointAnswers(_Answer):
    verdicts: list[PointAnswer]


class RelativeGrade(_Answer):
    """Of both answers on one criterion."""

    criterion: str
    justification: str
    a: int = Field(ge=0, le=10)
    b: int = Field(ge=0, le=10)

    @property
    def id(self) -> str:
        return plain_name(self.criterion)


class RelativeGrades(_Answer):
    grades: list[RelativeGrade]

    @property
    def verdicts(self) -> list[RelativeGrade]:
        return self.grades


def plain_name(name: str) -> str:
    """Return a criterion's name without the signs and capitals that a judge may write it with."""
    return " ".join(name.replace("_", " ").replace("*", " ").casefold().split())


StatementWord = Literal["true", "false", "unknown"]


class StatementAnswer(_Answer):
    """Verdict on a statement, or on a charge against one."""

    id: str
    working: str
    lookups: list[str] = Field(description="sums and names of products for code; empty if none")
    verdict: StatementWord
    words: str = Field(description="the wrong words of the statement, copied; empty unless false")
    instead: str = Field(description="what they would have to say; empty unless false")


class StatementAnswers(_Answer):
    verdicts: list[StatementAnswer]
