"""Draws samples of judged things for people to label, and writes them as sheets of lines without a label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random
from typing import NamedTuple

from drr.env.errors import DrrError
from drr.env.json_object import JsonObject
from drr.eval.agreement.rows import MarkedRow
from drr.eval.agreement.statistics import SUPPORT_SCORE
from drr.eval.agreement.study import latest_judgings
from drr.eval.evidence.answers import Answer, read_answers
from drr.eval.judging.marks import ReviewerRow, ReviewMark, marks_row, marks_still_valid, read_marks
from drr.eval.judging.read import read_judged
from drr.eval.labels import DIMENSIONS, Sample, SupportLabel, rating_id
from drr.eval.stats.faithfulness import PAPER_TYPES
from drr.eval.tasks.desk import JudgingContext
from drr.eval.tasks.judgements import Judged
from drr.study.study import Study

SheetLine = JsonObject
"""A line of a sheet: a label without its value and without the judge's verdict, with the draw."""


Place = tuple[str, str]
"""An answer, and an item or a dimension."""


def support_places(judged: Judged) -> list[Place]:
    """List the judge's verdicts on claims and pages. Unreadable sources are left out, because there is nothing to label."""
    return [
        (answer.key, item)
        for answer in judged.answers
        for item, verdict in sorted(judged.support.get(answer.key, {}).items())
        if verdict["against"] == "page"
        and verdict["status"] in SUPPORT_SCORE
        and verdict["type"] in PAPER_TYPES
    ]


def rated_reports(judged: Judged) -> list[Place]:
    """List (answer, dimension) of whole reports: who grades a report grades every dimension that the judge graded."""
    return [(answer.key, "") for answer in judged.answers if judged.ratings.get(answer.key)]


def draw_places(places: Sequence[Place], count: int, seed: int) -> tuple[list[Place], Sample]:
    number = min(count, len(places))
    sample = Sample(seed=seed, drawn=number, population=len(places))
    return Random(seed).sample(list(places), number), sample


def support_sheet(
    judged: Judged, desk: JudgingContext, places: Iterable[Place], sample: Sample, judge: str
) -> list[SheetLine]:
    """Build the lines to label: each claim with the passages that the judge was shown."""
    lines: list[SheetLine] = []
    for key, name in places:
        shown = shown_to_judge(judged, desk, judged.by_key[key], name)
        if shown is None:
            raise DrrError(f"{judged.by_key[key].label}: its sources are no longer those that were judged")
        line = {"id": support_id(judged.by_key[key], name), "label": None, "judge": judge}
        lines.append({**line, "sample": sample.model_dump(), **shown._asdict()})
    return lines


def support_id(answer: Answer, name: str) -> str:
    return f"{answer.label}/{name}"


class ShownToJudge(NamedTuple):
    claim: str
    evidence: str


def shown_to_judge(judged: Judged, desk: JudgingContext, answer: Answer, name: str) -> ShownToJudge | None:
    """Return a claim and its passages; `None` where the types of its sources have changed since the judgement."""
    from drr.eval.tasks.support_requests import items_of

    found_claims = judged.checked_claims(answer)
    claims = (found_claims and found_claims.claims) or ()
    of_claim = [claim for claim in claims if name.startswith(f"{claim['id']}-")]
    item = next((item for item in items_of(desk, answer, of_claim) if item.id == name), None)
    if item is None:
        return None
    shown = [
        "\n".join(
            [
                source.url,
                *(f"[...] {(source.text or '')[s.start : s.end].strip()}" for s in item.spans(source)),
            ]
        )
        for source in item.readable
    ]
    return ShownToJudge(item.claim, "\n\n".join(shown))


def rating_sheet(judged: Judged, places: Iterable[Place], sample: Sample, judge: str) -> list[SheetLine]:
    return [
        {
            "id": rating_id(answer.query_id, answer.variant, answer.trial),
            "query": answer.query,
            "answer": answer.report,
            "dimension": dimension,
            "label": None,
            "judge": judge,
            "sample": sample.model_dump(),
        }
        for answer in (judged.by_key[key] for key, _ in places)
        for dimension in DIMENSIONS
        if dimension in judged.ratings[answer.key]
    ]


class MarkedLabels(NamedTuple):
    labels: list[SupportLabel]
    row: MarkedRow


def marked_labels(study: Study, desk: JudgingContext) -> MarkedLabels:
    """Return labels from reviewers' marks on verdicts that still stand, where the right verdict is known."""
    marks, answers = read_marks(study), read_answers(study)
    labels: list[SupportLabel] = []
    seen: set[ReviewMark] = set()
    rules: dict[str, ReviewerRow] = {}
    for judging in latest_judgings(study).values():
        judged = read_judged(study, judging, answers=answers)
        seen |= {mark for _, mark in marks_still_valid(judged, marks)}
        labels += _labels(judged, desk, marks)
        rules = marks_row(judged, marks)["by_rule"]
    row: MarkedRow = {
        "reviewers": dict(sorted(Counter(label.judge for label in labels).items())),
        "without_label": sum(mark.of == "verdict" for mark in seen) - len(labels),
        "elsewhere": len(marks) - len(seen),
        "rules": rules,
    }
    return MarkedLabels(labels, row)


def _labels(judged: Judged, desk: JudgingContext, marks: list[ReviewMark]) -> list[SupportLabel]:
    places = set(support_places(judged))
    return [
        SupportLabel(
            id=support_id(answer, mark.name),
            judge=mark.reviewer,
            claim=shown.claim,
            evidence=shown.evidence,
            query=answer.query,
            label=mark.label,
        )
        for key, mark in marks_still_valid(judged, marks)
        if mark.label is not None and (key, mark.name) in places
        for answer in [judged.by_key[key]]
        if (shown := shown_to_judge(judged, desk, answer, mark.name)) is not None
    ]
