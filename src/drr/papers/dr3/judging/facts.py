"""The judging task that looks for required facts in a report, and in what the run's tools returned. It asks no judge."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from drr.citations.addresses import canonical_url
from drr.citations.files import file_place
from drr.env.progress import read_in_time
from drr.env.source import Source
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.stats.question import grouped
from drr.eval.tasks.desk import JudgingContext, Task, text_id
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.papers.dr3.judging.finding import LONGEST, ReportFacts
from drr.papers.dr3.judging.rows import FACTS, KnownRow, PointRuleRow, document_id, document_rows
from drr.papers.dr3.judging.subjects import TaskSubjects
from drr.papers.dr3.judging.truths import KnownTasks
from drr.papers.dr3.truth import KnownPage, TaskFact
from drr.papers.dr3.value_forms import StatedValue
from drr.study.unit import Outcome, Record, Unit

_OVERLAP = 80


def met_facts(facts: Iterable[TaskFact], sources: Iterable[Source]) -> Mapping[str, bool | None]:
    """Tell for each fact whether the run's tools returned it. `None`: the fact's place is not recorded, or it has no value to look for."""
    given = grouped((document_id(source.url), source) for source in sources)
    return {fact.id: _is_met(fact, given) for fact in facts}


def _is_met(fact: TaskFact, given: Mapping[str, list[Source]]) -> bool | None:
    value = StatedValue(fact.value)
    if not fact.places or not (value.is_known and fact.made):
        return None
    sources = (source for place in fact.places for source in _sources_at(place.address, given))
    return any(fact.modality == "picture" or _is_stated_in(value, source.seen) for source in sources)


def _sources_at(address: str, given: Mapping[str, list[Source]]) -> list[Source]:
    """Return the sources of the document of an address; of a file, only those whose place overlaps the fact's place."""
    found, place = given.get(document_id(address), []), file_place(canonical_url(address))
    if place is None:
        return found
    own = ((one, file_place(canonical_url(one.url))) for one in found)
    return [one for one, its in own if its is not None and its.meets(place)]


def _is_stated_in(value: StatedValue, text: str) -> bool:
    """Tell whether a text states the value, searching in parts that overlap by more than the length of any value."""
    starts = range(0, max(1, len(text) - _OVERLAP), LONGEST - _OVERLAP)
    return any(one.exact for start in starts for one in value.places(text[start : start + LONGEST]))


class FactsTask(Task[Answer]):
    name = FACTS
    version = 9
    subject = "answer"
    asks = False
    metrics = ("dr3",)

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        task = desk.chosen(KnownTasks).get(about.query_id)
        if task is None:
            return
        known = {
            "facts": [fact.model_dump(mode="json") for fact in task.truth.facts],
            "pages": [page.model_dump(mode="json") for page in task.truth.pages],
            "points": [
                PointRuleRow(
                    id=one.id,
                    requirement=one.requirement,
                    category=one.category,
                    facts=list(one.facts) if one.decided_by == "rule" else [],
                )
                for one in task.truth.checklist
            ],
            "files": list(task.files),
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

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        answer = desk.answer(spec["answer"])
        facts = [TaskFact.model_validate(row) for row in spec["facts"]]
        pages = [KnownPage.model_validate(row) for row in spec["pages"]]
        subjects = TaskSubjects(facts, pages, spec["question"])
        sources = answer.sources if answer.calls is not None else None

        def read() -> KnownRow:
            met = {} if sources is None else met_facts(facts, sources)
            rows = ReportFacts(answer.report, subjects, facts).rows(pages)
            return {
                "facts": [{**row, "met": met.get(row["id"])} for row in rows],
                "documents": document_rows(answer.report, facts, spec["files"], pages),
                "points": spec["points"],
            }

        return Outcome({"known": await read_in_time(answer.report, read)})

    def read(self, record: Record, judged: Judged) -> None:
        """Store the facts found by a record. If several records exist, the last one counts."""
        found = record.result.get("known") if record.done else None
        judged.others.setdefault(self.name, {})[record.key_fields["answer"]] = found

    def belongs(self, fields: Mapping[str, Any], judging: JudgingRun) -> bool:
        return True

    def finish_reading(self, judged: Judged) -> None:
        found = judged.others.get(self.name, {})
        if found:
            judged.units[self.name] = len(found)
            judged.failed[self.name] = sum(rows is None for rows in found.values())

    def estimate(self, desk: JudgingContext, unit: Unit) -> None:
        return None


FACTS_TASK = FactsTask()
