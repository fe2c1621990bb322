"""The answer forms of judges who weigh dimensions, write criteria and score by them, and the names of their prompts."""

from __future__ import annotations

from collections.abc import Mapping

from drr.eval.tasks.protocol import Ask
from pydantic import BaseModel, ConfigDict, Field, model_validator

FEWEST, MOST = 8, 13
"""Limits on the criteria of a dimension."""
_NEAR = 0.05
"""Greatest distance of the sum of weights from 1 that counts as rounding and is scaled away."""


class _Weights(BaseModel):
    model_config = ConfigDict(extra="forbid")

    analysis: str

    @property
    def weights(self) -> dict[str, float]:
        """Return the weights by dimension, scaled to sum to 1."""
        named = {name.upper(): float(value) for name, value in self if name != "analysis"}
        whole = sum(named.values())
        return {name: value / whole for name, value in named.items()}

    @model_validator(mode="after")
    def _sums_to_one(self) -> _Weights:
        whole = sum(float(value) for name, value in self if name != "analysis")
        if abs(whole - 1) > _NEAR:
            raise ValueError(f"the weights sum to {whole:g}; they must sum to 1")
        return self


class PersonalWeights(_Weights):
    goal: float = Field(ge=0, le=1)
    cont: float = Field(ge=0, le=1)
    pres: float = Field(ge=0, le=1)
    acti: float = Field(ge=0, le=1)


class QualityWeights(_Weights):
    dein: float = Field(ge=0, le=1)
    logc: float = Field(ge=0, le=1)
    clar: float = Field(ge=0, le=1)


class FoundCriterion(BaseModel):
    model_config = ConfigDict(extra="forbid")

    criterion: str = Field(
        min_length=1, description="one sentence that can be held against a report by itself"
    )
    explanation: str = Field(
        min_length=1, description="why it matters for this task, in one or two sentences"
    )
    weight: float = Field(gt=0, le=1)


class FoundCriteria(BaseModel):
    model_config = ConfigDict(extra="forbid")

    analysis: str
    criteria: list[FoundCriterion] = Field(min_length=FEWEST, max_length=MOST)

    @model_validator(mode="after")
    def _each_once(self) -> FoundCriteria:
        texts = [" ".join(one.criterion.split()).casefold() for one in self.criteria]
        if len(set(texts)) < len(texts):
            raise ValueError("a criterion stands there twice; each says something of its own")
        return self


class ScoredCriterion(BaseModel):
    """Words beside what was asked for are no reason to lose a score."""

    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})

    id: str
    analysis: str = ""
    score: int | float | str | None = Field(description="an integer from 0 to 10")


class CriterionScores(BaseModel):
    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})

    scores: list[ScoredCriterion]


_CRITERIA: Mapping[str, Ask] = {
    "criteria/weights_p": Ask("pqr_weights_p", PersonalWeights),
    "criteria/weights_q": Ask("pqr_weights_q", QualityWeights),
    "criteria/p": Ask("pqr_criteria_p", FoundCriteria),
    "criteria/q": Ask("pqr_criteria_q", FoundCriteria),
}
"""Requests that both protocols share, so that both score by the same criteria and none are asked for twice."""
OURS: Mapping[str, Ask] = {
    **_CRITERIA,
    "scores/p": Ask("pqr_score_p", CriterionScores),
    "scores/q": Ask("pqr_score_q", CriterionScores),
}
AS_PRINTED: Mapping[str, Ask] = {
    **_CRITERIA,
    "scores/p": Ask("paper_pqr_score_p", CriterionScores),
    "scores/q": Ask("paper_pqr_score_q", CriterionScores),
}
