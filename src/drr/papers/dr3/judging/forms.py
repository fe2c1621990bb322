"""The answer forms for judges of reports on tasks with files: facts, checklist points and depth. Reasons stand before verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from drr.env.json_object import JsonObject
from drr.eval.asking.conversation import Asking
from drr.eval.tasks.protocol import Ask
from drr.offline.judge import Rules, surface_of
from pydantic import BaseModel, ConfigDict, Field

Extent = Literal["whole", "part", "none"]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})


class InsightAnswer(_Answer):
    id: str
    justification: str
    quote: str = Field(
        description="the exact words of the report that tell it, copied character by character"
    )
    told: Extent


class InsightAnswers(_Answer):
    verdicts: list[InsightAnswer]


class PointMet(_Answer):
    id: str
    justification: str
    quote: str = Field(
        description="the exact words of the report that show it, copied character by character"
    )
    met: bool


class PointsMet(_Answer):
    verdicts: list[PointMet]


class DepthGrade(_Answer):
    reason: str
    grade: int = Field(ge=1, le=10)


OURS: Mapping[str, Ask] = {
    "insights": Ask("dr3_insights", InsightAnswers),
    "following": Ask("dr3_checklist", PointsMet),
    "depth": Ask("dr3_depth", DepthGrade),
}


def _depth(asking: Asking[Any]) -> JsonObject:
    """Grade depth from 1 to 10 by the surface of the report, without a model."""
    surface = surface_of(asking, "answer")
    return {"reason": surface.words_about("depth"), "grade": max(1, int(surface.score("depth") + 0.5))}


RULES: Rules = {DepthGrade: _depth}
