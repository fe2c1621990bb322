"""The document of `drr papers swap`: P beside its swap delta, and by task whose report serves whom."""

from __future__ import annotations

from typing import TypedDict

from drr.eval.judging.read import judgings, read_judged
from drr.eval.metrics import documented
from drr.eval.metrics.coverage import variants_of
from drr.eval.metrics.document import banner
from drr.eval.stats.intervals import VRow
from drr.eval.tasks.protocol import OURS
from drr.papers.pdr.metrics import pqr
from drr.papers.pdr.metrics.swap import corpus, rows_of, tells_apart, verdict_on
from drr.papers.pdr.sums import swapped
from drr.study.study import Study

BESIDE = ("pqr_p", "pqr_violations")
"""P of all reports, and how often what the person must not be offered was offered."""


class SwapCell(TypedDict):
    """One report, or the mean of several of one person, under one person's criteria."""

    criteria_of: str
    report_of: str
    p: float | None


class SwapTaskRow(TypedDict):
    delta: dict[str, float | None]
    cfa_min: float | None
    a_min: float | None
    scores: list[SwapCell]


class SwapVariantRow(TypedDict):
    metrics: dict[str, VRow]
    tells_persons_apart: bool | None
    """Whether the whole interval of the delta is above 0; `None` where there is no interval."""
    verdict: str
    """The same as a sentence."""
    by_task: dict[str, SwapTaskRow]


class SwapDocument(TypedDict):
    schema: int
    judge: str | None
    banner: str | None
    variants: dict[str, SwapVariantRow]


def swap_document(study: Study) -> SwapDocument:
    """Document the judging that was run last."""
    known = [one for one in judgings(study) if one.is_first and one.protocol == OURS.name]
    judging = known[-1] if known else None
    judged = read_judged(study, judging)
    variants: dict[str, SwapVariantRow] = {}
    for variant, answers in variants_of(judged).items():
        figures = corpus(judged, answers)
        if not figures:
            continue
        beside = {name: v for name, v in pqr.corpus(judged, answers).items() if name in BESIDE}
        shown, rows = documented({**beside, **figures}), rows_of(judged, answers)
        by_task: dict[str, SwapTaskRow] = {}
        for task, one in swapped(rows).items():
            cells = [
                SwapCell(criteria_of=row.criteria_of, report_of=row.report_of, p=row.p)
                for row in rows
                if row.task == task
            ]
            by_task[task] = {
                "delta": {**one.delta},
                "cfa_min": one.cfa_min,
                "a_min": one.a_min,
                "scores": cells,
            }
        variants[variant] = {
            "metrics": shown,
            "tells_persons_apart": tells_apart(shown["pqr_delta"]),
            "verdict": verdict_on(shown["pqr_delta"]),
            "by_task": by_task,
        }
    return {
        "schema": 1,
        "judge": None if judging is None else judging.judge,
        "banner": banner(judged),
        "variants": variants,
    }
