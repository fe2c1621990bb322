"""Compares a judge with people's labels, to decide whether the judge agrees well enough with people to replace them.

The labelled items are judged as units of a study (keyed, cached, resumable, budgeted), with the prompts of a real judging run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from drr.env.source import FrozenText
from drr.eval.agreement.people import (
    Case,
    Results,
    agreement_among_people,
    comparisons_of,
    grade_statistics,
    pair_statistics,
    thresholds_met,
    verdicts_of,
)
from drr.eval.agreement.rows import CalibrationDocument, ClassesRow, MarkedRow, Statistics, SupportRow
from drr.eval.agreement.statistics import PAIRWISE, SUPPORT, crossed_classes, support_statistics
from drr.eval.asking.conversation import Asking
from drr.eval.asking.forms import SCHEMA
from drr.eval.asking.judge import Judge, KeptAnswers
from drr.eval.labels import PairwiseLabel, SupportLabel, Task, task_of
from drr.eval.tasks.desk import JudgingContext
from drr.eval.tasks.grading import PAIRWISE as PAIRWISE_TASK
from drr.eval.tasks.grading import RATING, Graded, comparison_asking, prefer, rate, rating_asking
from drr.eval.tasks.support import SUPPORT as SUPPORT_TASK
from drr.eval.tasks.support_items import SupportItem
from drr.eval.tasks.support_requests import judge_support, support_asking
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context

THRESHOLDS: Mapping[Task, Mapping[str, float]] = {
    "support": {"exact": 0.60, "weighted_kappa": 0.45},
    "pairwise": {"exact": 0.55, "position_consistency": 0.75},
    "rating": {},
}


@dataclass(frozen=True)
class Calibration:
    desk: JudgingContext
    cases: Mapping[str, Case]
    kept: KeptAnswers
    repeat: int = 0

    def units(self) -> list[Unit]:
        units, again = [], {"repeat": self.repeat} if self.repeat else {}
        places = (
            (case, order)
            for case in self.cases.values()
            for order in (("ab", "ba") if isinstance(case.example, PairwiseLabel) else ("",))
        )
        for case, order in places:
            fields = {
                "task": f"calibrate-{task_of(case.example)}",
                "judge": self.desk.judge.shown,
                "version": self._version(case),
                "schema": SCHEMA,
                "case": case.id,
                "order": order,
                "prompt": self._asking(case, order).fingerprint,
                **again,
            }
            spec = {"case": case.id, "order": order, **again}
            units.append(Unit("judgement", fields, spec, f"{case.example.id} {order}".strip()))
        return units

    def _version(self, case: Case) -> str:
        desk = self.desk
        if isinstance(case.example, SupportLabel):
            return SUPPORT_TASK.versions(desk)["support"]
        task = PAIRWISE_TASK if isinstance(case.example, PairwiseLabel) else RATING
        return desk.version(task.version, task.role, *task.prompts(desk.protocol, case.dimension))

    def _item(self, label: SupportLabel) -> SupportItem:
        evidence = FrozenText("evidence", "web", "ok" if label.evidence.strip() else "empty", label.evidence)
        return SupportItem("c1-web", "c1", label.claim, "web", "page", (evidence,), self.desk.cut(1))

    def _asking(self, case: Case, order: str) -> Asking[Any]:
        label, desk, about = case.example, self.desk, (case.id, order)
        if isinstance(label, SupportLabel):
            return support_asking(desk.prompts, desk.protocol, [self._item(label)], about=about)
        graded = Graded(label.query, "", desk.shop_url)
        if isinstance(label, PairwiseLabel):
            sides = (label.answer_a, label.answer_b) if order == "ab" else (label.answer_b, label.answer_a)
            return comparison_asking(
                desk.prompts, desk.protocol, [case.dimension], graded, sides, about=about
            )
        return rating_asking(desk.prompts, desk.protocol, case.dimension, graded, label.answer, about=about)

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        case, desk = self.cases[spec["case"]], self.desk
        judge = Judge("judge", context, self.kept, desk.stand_in, repeat=self.repeat)
        asking = self._asking(case, spec["order"])
        if isinstance(case.example, SupportLabel):
            item = self._item(case.example)
            found = await judge_support(judge, desk.prompts, desk.protocol, [item], about=asking.about)
            return judge.with_raw_answers(Outcome({**found[item.id]}))
        if isinstance(case.example, PairwiseLabel):
            return judge.with_raw_answers(Outcome({**await prefer(judge, asking)}))
        return judge.with_raw_answers(Outcome({**await rate(judge, asking)}))

    def read_results(self, study: Study) -> Results:
        """Read the results by case and order; `None` where the judge failed."""
        wanted = {unit.key for unit in self.units()}
        return {
            (record.key_fields["case"], record.key_fields["order"]): record.result if record.done else None
            for record in study.records("judgement", None)
            if record.key in wanted
        }


class VerdictLine(TypedDict):
    """A line of `drr judges calibrate --export`: the judge's verdict on an item and each person's."""

    id: str
    task: Task
    dimension: str | None
    judge: str
    verdict: str | float | None
    """The judge's verdict; `None` where the judge failed."""
    people: str | float
    """Consensus of the people."""
    by_person: dict[str, str | float]
    labels: int
    agrees: bool | None


def verdict_lines(calibration: Calibration, study: Study, task: Task) -> list[VerdictLine]:
    """List a line for every item, also for those on which the judge failed."""
    every = list(calibration.cases.values())
    verdicts = verdicts_of(task, every, calibration.read_results(study))
    return [
        {
            "id": case.example.id,
            "task": task,
            "dimension": None if task == "support" else case.dimension,
            "judge": calibration.desk.judge.shown,
            "verdict": verdict,
            "people": people,
            "by_person": case.by_person(),
            "labels": len(case.labels),
            "agrees": None if verdict is None else verdict == people,
        }
        for case, verdict in zip(every, verdicts, strict=True)
        for people in [case.consensus()]
    ]


def calibration_document(
    calibration: Calibration,
    study: Study,
    task: Task,
    scale: tuple[float, float] | None = None,
    *,
    other_labels: int = 0,
    marks: MarkedRow | None = None,
) -> CalibrationDocument:
    """Build the document that compares the judge with the people's consensus and the thresholds, and people with each other."""
    found = calibration.read_results(study)
    cases_ = list(calibration.cases.values())
    people = [case.consensus() for case in cases_]
    words = [str(label) for label in people]
    judged = [None if v is None else str(v) for v in verdicts_of(task, cases_, found)]
    classes: ClassesRow | None = None
    if task == "support":
        asked, means = [case.question for case in cases_], [case.mean_support() for case in cases_]
        statistics: SupportRow | Statistics = support_statistics(judged, words, asked, means)
        classes = crossed_classes(judged, words, asked, SUPPORT)
    elif task == "pairwise":
        asked = [one.query for one in comparisons_of(cases_, found)]
        statistics = pair_statistics(cases_, found, words)
        classes = crossed_classes(judged, words, asked, PAIRWISE)
    else:
        statistics = grade_statistics(cases_, found, [float(label) for label in people], scale)
    return {
        "schema": 1,
        "task": task,
        "judge": calibration.desk.judge.shown,
        "rule_written": calibration.desk.judge.rule_written,
        "banner": calibration.desk.banner,
        "items": len(cases_),
        "labels": sum(len(case.labels) for case in cases_),
        "repeated": sum(case.repeated for case in cases_),
        "other_labels": other_labels,
        "people": sorted({label.judge for case in cases_ for label in case.labels}),
        "metrics": statistics,
        "classes": classes,
        "among_people": agreement_among_people(cases_, task),
        "thresholds": thresholds_met(statistics, THRESHOLDS[task]),
        "marks": marks,
    }
