"""Marks that reviewers made beside verdicts, as labels: what a judge is held against where nobody drew a sample."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from drr.eval.agreement.rows import MarkedRow
from drr.eval.agreement.samples import shown_to_judge, support_id, support_places
from drr.eval.agreement.study import latest_judgings
from drr.eval.evidence.answers import read_answers
from drr.eval.judging.marks import ReviewMark, holding, marks_row, read_marks
from drr.eval.judging.read import read_judged
from drr.eval.labels import SupportLabel
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.judged import Judged
from drr.study.study import Study


class MarkedLabels(NamedTuple):
    labels: list[SupportLabel]
    row: MarkedRow


def marked_labels(study: Study, desk: Desk) -> MarkedLabels:
    """Every mark of a verdict that some judge of this study holds still and that says what is right."""
    marks, answers = read_marks(study), read_answers(study)
    labels: list[SupportLabel] = []
    seen: set[ReviewMark] = set()
    row: MarkedRow = {"reviewers": {}, "without_label": 0, "elsewhere": 0, "rules": {}}
    for judging in latest_judgings(study).values():
        judged = read_judged(study, judging, answers=answers)
        seen |= {mark for _, mark in holding(judged, marks)}
        labels += _labels(judged, desk, marks)
        row["rules"] = marks_row(judged, marks)["by_rule"]
    verdicts = sum(mark.of == "verdict" for mark in seen)
    row["reviewers"] = dict(sorted(Counter(label.judge for label in labels).items()))
    row["without_label"] = verdicts - len(labels)
    row["elsewhere"] = len(marks) - len(seen)
    return MarkedLabels(labels, row)


def _labels(judged: Judged, desk: Desk, marks: list[ReviewMark]) -> list[SupportLabel]:
    places = set(support_places(judged))
    found = []
    for key, mark in holding(judged, marks):
        if mark.label is None or (key, mark.name) not in places:
            continue
        answer = judged.by_key[key]
        shown = shown_to_judge(judged, desk, answer, mark.name)
        if shown is not None:
            found.append(
                SupportLabel(
                    id=support_id(answer, mark.name),
                    judge=mark.reviewer,
                    claim=shown.claim,
                    evidence=shown.evidence,
                    query=answer.query,
                    label=mark.label,
                )
            )
    return found
