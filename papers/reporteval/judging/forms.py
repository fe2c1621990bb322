"""The forms in which judges grade a report and compare two of its passages: reasons stand before numbers."""

from __future__ import annotations

from collections.abc import Mapping

from drr.eval.tasks.protocol import Ask
from pydantic import BaseModel, ConfigDict, Field

TOP = 4


class ReportGrade(BaseModel):
    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})

    reason: str
    grade: int = Field(ge=0, le=TOP)


class ReportGrades(BaseModel):
    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})

    comprehensiveness: ReportGrade
    coherence: ReportGrade
    clarity: ReportGrade
    insightfulness: ReportGrade
    overall: ReportGrade


class FoundRepetition(BaseModel):
    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})

    first: str = Field(description="the exact words of passage A, copied character by character")
    second: str = Field(
        description="the exact words of passage B that say the same, copied character by character"
    )


class RepetitionAnswer(BaseModel):
    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})

    explanation: str
    repetitions: list[FoundRepetition]
    score: int = Field(ge=0, le=TOP, description="4: nothing repeated; 0: the same said again")


ASKS: Mapping[str, Ask] = {
    "grades": Ask("re_quality", ReportGrades),
    "repetition": Ask("re_repetition", RepetitionAnswer),
}
