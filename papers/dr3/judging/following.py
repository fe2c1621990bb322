"""The task of asking a judge which points of the checklist a report meets, of those that no rule decides.

Points that name facts are decided by what is known of these.
"""

from __future__ import annotations

from collections.abc import Sequence

from drr.eval.asking.conversation import Asking
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.desk import Desk
from drr.papers.dr3.judging.asked import Thing, ThingsTask, report_asking
from drr.papers.dr3.judging.forms import PointMet, PointsMet
from drr.papers.dr3.judging.known import KnownTask
from drr.papers.dr3.judging.rows import FOLLOWING


class FollowingTask(ThingsTask):
    name = FOLLOWING
    word = "point"
    field = "met"

    def things(self, known: KnownTask) -> list[Thing]:
        points = known.truth.checklist
        return [Thing(one.id, one.requirement) for one in points if one.decided_by == "judge"]

    def asking(self, desk: Desk, answer: Answer, things: Sequence[Thing]) -> Asking[PointsMet]:
        return report_asking(desk, self.name, PointsMet, answer, things, self.word)

    def verdict(self, said: PointMet) -> bool:
        return said.met


FOLLOWING_TASK = FollowingTask()
