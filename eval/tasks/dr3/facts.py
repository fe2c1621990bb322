"""The task of looking for the required facts of a task in a report, by rule; it asks no judge and is the same whoever judges."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from drr.env.deadline import read_in_time
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.tasks.base import Task, text_id
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.dr3.finding import ReportFacts
from drr.eval.tasks.dr3.rows import FACTS
from drr.eval.tasks.dr3.subjects import TaskSubjects
from drr.eval.tasks.judged import Judged, Judging
from drr.filetasks.truth import KnownPage, TaskFact
from drr.study.unit import Outcome, Record, Unit


class FactsTask(Task[Answer]):
    name = FACTS
    subject = "answer"
    asks = False

    def versions(self, desk: Desk) -> Mapping[str, str]:
        return {}

    def plan(self, desk: Desk, about: Answer, judged: Judged) -> Iterable[Unit]:
        truth = desk.truths.get(about.query_id)
        if truth is None:
            return
        known = {
            "facts": [fact.model_dump(mode="json") for fact in truth.facts],
            "pages": [
                page.model_dump(mode="json") for page in truth.pages if page.change and page.change.after
            ],
            "question": about.query,
        }
        fields = {
            "task": self.name,
            "judge": "rules",
            "version": str(self.version),
            "answer": about.key,
            "report": text_id(about.report),
            "truth": text_id(json.dumps(known, sort_keys=True)),
        }
        spec = {"task": self.name, "answer": about.key, **known}
        yield Unit("judgement", fields, spec, f"facts \u00b7 {about.label}")

    async def work(self, desk: Desk, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        report = desk.answer(spec["answer"]).report
        facts = [TaskFact.model_validate(row) for row in spec["facts"]]
        pages = [KnownPage.model_validate(row) for row in spec["pages"]]
        here = ReportFacts(report, TaskSubjects(facts, pages, spec["question"]), facts)
        return Outcome({"facts": await read_in_time(report, lambda: here.rows(pages))})

    def read(self, record: Record, judged: Judged) -> None:
        """Of several, by older rules or another truth, the last counts."""
        found = record.result["facts"] if record.done else None
        judged.others.setdefault(self.name, {})[record.key_fields["answer"]] = found

    def belongs(self, fields: Mapping[str, Any], judging: Judging) -> bool:
        return True

    def settle(self, judged: Judged) -> None:
        found = judged.others.get(self.name, {})
        if found:
            judged.units[self.name] = len(found)
            judged.failed[self.name] = sum(rows is None for rows in found.values())

    def estimate(self, desk: Desk, unit: Unit) -> None:
        return None


FACTS_TASK = FactsTask()
