"""The task of asking a judge which required facts a report tells, beside what the rule found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.eval.asking.conversation import Asking
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.desk import Desk
from drr.papers.dr3.judging.asked import Thing, ThingsTask, report_asking
from drr.papers.dr3.judging.forms import Extent, InsightAnswer, InsightAnswers
from drr.papers.dr3.judging.known import KnownTask
from drr.papers.dr3.judging.rows import INSIGHTS

_SCORE: Mapping[Extent, float] = {"whole": 1.0, "part": 0.5, "none": 0.0}


class InsightsTask(ThingsTask):
    name = INSIGHTS
    word = "fact"
    field = "score"

    def things(self, known: KnownTask) -> list[Thing]:
        return [Thing(fact.id, fact.text) for fact in known.truth.facts]

    def asking(self, desk: Desk, answer: Answer, things: Sequence[Thing]) -> Asking[InsightAnswers]:
        return report_asking(desk, self.name, InsightAnswers, answer, things, self.word)

    def verdict(self, said: InsightAnswer) -> float:
        return _SCORE[said.told]


INSIGHTS_TASK = InsightsTask()
