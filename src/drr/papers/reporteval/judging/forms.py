"""The answer forms of judges who grade a report and compare two of its passages. Reasons stand before numbers."""

from __future__ import annotations

from collections.abc import Mapping

from drr.eval.tasks.protocol import Ask
from pydantic import BaseModel, ConfigDict, Field

TOP = 4


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})


class ReportGrade(_Form):
    reason: str
    grade: int = Field(ge=0, le=TOP)


class ReportGrades(_Form):
    comprehensiveness: ReportGrade
    coherence: ReportGrade
    clarity: ReportGrade
    insightfulness: ReportGrade
    overall: ReportGrade


_WORDS_A = "the exact words of passage A, copied character by character"
_WORDS_B = "the exact words of passage B that say the same, copied character by character"


class FoundRepetition(_Form):
    first: str = Field(description=_WORDS_A)
    second: str = Field(description=_WORDS_B)


class RepetitionAnswer(_Form):
    explanation: str
    repetitions: list[FoundRepetition]
    score: int = Field(ge=0, le=TOP, description="4: nothing repeated; 0: the same said again")


ASKS: Mapping[str, Ask] = {
    "grades": Ask("re_quality", ReportGrades),
    "repetition": Ask("re_repetition", RepetitionAnswer),
}
