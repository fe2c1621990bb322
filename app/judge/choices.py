"""The choices of `drr judge` for key points, the reference and papers' tasks, and how a study keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from drr.app.judge.plan import JudgePlan, paper_choices
from drr.env.errors import DrrError, Misuse
from drr.env.files import write_file
from drr.eval.judging.difference import judged_before
from drr.eval.judging.read import judging_of, read_judged
from drr.eval.tasks.desk import JudgingContext
from drr.eval.tasks.key_points import OwnPoints, document, keep_points, kept_points, points_of, read_points
from drr.eval.tasks.registry import tasks
from drr.eval.tasks.relative import keep_reference, kept_reference
from drr.study.study import Study

if TYPE_CHECKING:
    from drr.eval.evidence.answers import Answer

_RELATIVE = "relative"


class JudgingChoices(NamedTuple):
    """The judging choices given now, else those that the study keeps."""

    points: OwnPoints
    reference: str | None
    of_papers: Mapping[str, Mapping[type, Any]]
    """Choices of each paper's tasks, by the paper's module."""

    def settle(self, desk: JudgingContext) -> None:
        desk.own_points, desk.reference = self.points, self.reference
        desk.choices = {kind: one for own in self.of_papers.values() for kind, one in own.items()}

    def keep(self, study: Study, plan: JudgePlan) -> None:
        """Store the choices given now in the study, until others are given."""
        for module in paper_choices():
            module.keep(study, plan.of_papers[module.__name__], self.of_papers[module.__name__])
        if plan.points is not None:
            keep_points(study, self.points)
        if plan.reference is not None:
            keep_reference(study, plan.reference)


def choices(
    study: Study, desk: JudgingContext, answers: list[Answer], plan: JudgePlan, what: list[str]
) -> JudgingChoices:
    if plan.export_points is not None and not plan.export_points.absolute().parent.is_dir():
        raise Misuse(f"--export-points {plan.export_points}: there is no such folder; make it first")
    if plan.points is None:
        points = kept_points(study)
    else:
        points = read_points(plan.points, {wish.id for wish in desk.wishes()})
    if not plan.renew and (before := judged_before(study, desk, tasks(what))):
        raise Misuse(
            f"{study.folder}: an earlier version judged it ({', '.join(before)}), and its figures stay in the report;"
            " --renew judges anew, with new calls"
        )
    known = sorted({answer.variant for answer in answers})
    named = f"name one of {', '.join(known) or 'none yet'}"
    if plan.reference is not None and plan.reference not in known:
        raise Misuse(f"--reference {plan.reference}: no answer in this study is by it; {named}")
    reference = plan.reference or kept_reference(study)
    if _RELATIVE in what and reference is None:
        raise Misuse(
            f"--what relative: no --reference says whose reports the others are graded against; {named}"
        )
    return JudgingChoices(
        points,
        reference,
        {
            name: one.chosen(study, desk, plan.of_papers[name], what)
            for one in paper_choices()
            if (name := one.__name__)
        },
    )


def export_points(study: Study, desk: JudgingContext, path: Path) -> int:
    """Write the key points that count under this desk's judge into a file, question by question; return their number."""
    judged = read_judged(study, judging_of(desk), answers=list(desk.answers.values()))
    found = {wish.id: points_of(judged, wish.id) for wish in desk.wishes()}
    rows = {query_id: one.rows for query_id, one in found.items() if one is not None and one.rows}
    try:
        write_file(path, document(rows))
    except OSError as error:
        raise DrrError(f"{path}: cannot be written ({error.strerror}); name another file") from error
    return sum(map(len, rows.values()))
