"""What a judge who read a report twice holds wrong in it, and what it passed though somebody charged it."""

from __future__ import annotations

from drr.app.viewer.model import MistakesView, MistakeView
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.judged import Judged
from drr.eval.tasks.mistakes.finding import MistakeRow
from drr.eval.tasks.mistakes.task import mistakes_of


def mistakes(judged: Judged, answer: Answer) -> MistakesView | None:
    """`None` where nobody looked."""
    said = mistakes_of(judged, answer.key)
    if said is None:
        return None
    return MistakesView(
        tuple(_shown(answer.report, row, wrong=True) for row in said["mistakes"]),
        tuple(_shown(answer.report, row, wrong=False) for row in said["acquitted"]),
        said["statements"],
        said["unread"] + said["unweighed"] + said["unshown"],
    )


def _shown(report: str, row: MistakeRow, *, wrong: bool) -> MistakeView:
    line = report.count("\n", 0, row["start"]) + 1
    told = row["why"], row.get("instead", ""), row["defence"]
    return MistakeView(row["words"], line, wrong, *told)
