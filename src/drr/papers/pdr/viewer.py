"""The viewer's parts for PDR-Bench: criteria of an answer, and cases. A case compares one system's reports for several persons."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from drr.env.person_setting import Setting, parts_of
from drr.env.progress import Progress
from drr.env.source import text_hash
from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric
from drr.eval.metrics.coverage import by_agent
from drr.eval.stats.question import grouped
from drr.eval.tasks.judgements import Judged
from drr.papers.pdr.build import person_id_of
from drr.papers.pdr.judging.choices import kept_persons, owner_ids, task_id_of
from drr.papers.pdr.judging.rows import DIMENSIONS, CriteriaOwner, CriterionRow, rubric_of, scores_of
from drr.papers.pdr.judging.violations import ViolationRow, violations_of
from drr.papers.pdr.metrics.comparing import GRADES
from drr.papers.pdr.person import Attribute, Person
from drr.plugin import (
    EntryReader,
    Frame,
    Inserts,
    ReportView,
    ShownEntry,
    ShownSide,
    StudyPart,
    View,
    banner_of,
    draw,
    part,
    report_html,
)

FIGURES = (*GRADES, "pqr_violations", "att_told", "words")
_LOOKS_UP = "whose question it is, with tools that look up that shopper's records"
_GIVEN = {
    "task": "nothing of the person",
    "persona": "the attributes of the person",
    "records": _LOOKS_UP,
    "records+persona": f"the attributes of the person, and {_LOOKS_UP}",
}


class CriterionView(NamedTuple):
    """A criterion of the task or the person, with the scores of the report."""

    dimension: str
    row: CriterionRow
    scores: tuple[int | None, ...] = ()
    """Score of each round."""
    why: str = ""

    @property
    def score(self) -> str:
        known = [one for one in self.scores if one is not None]
        return f"{sum(known) / len(known):.1f}" if known else "–"

    @property
    def rounds(self) -> str:
        return ", ".join("–" if one is None else str(one) for one in self.scores)


class PersonCase(NamedTuple):
    """A task and a system that answered it for at least two persons."""

    name: str
    task: str
    variant: str
    entries: tuple[ShownEntry, ...]
    """Answers, ordered by person and trial."""


class CaseSide(NamedTuple):
    person: str
    known: Mapping[str, Sequence[Attribute]]
    """Attributes of the person by block; empty if the study has no persons."""
    report: ReportView
    criteria: Sequence[CriterionView]
    violations: Sequence[ViolationRow]
    cost: str


class PersonPages(StudyPart):
    """The part of PDR-Bench in a study's viewer, with a page for each case (as in the paper's Figure 4)."""

    def __init__(self, reader: EntryReader, tasks: Path | None = None) -> None:
        super().__init__(reader, tasks)
        self._version = ""
        self._cases: Mapping[str, PersonCase] = {}
        self._persons: Mapping[str, Person] = {}

    def cases(self) -> Mapping[str, PersonCase]:
        """Return the cases by name of their page; worked out again when the study changes."""
        version = self.reader.version()
        if version != self._version:
            self._persons = kept_persons(self.reader.study)
            self._cases = cases_by_page(map(self._with_task_and_person, self.reader.entries()))
            self._version = version
        return self._cases

    def _with_task_and_person(self, entry: ShownEntry) -> ShownEntry:
        """Return the answer with task and person. If the question names no task, equal words are one task."""
        task = task_id_of(self.reader.asked(entry.query_id), entry.query)
        person = entry.person or (person_id_of(entry.user) if entry.user else None)
        return replace(entry, task=task, person=person)

    def _owners(self, query_id: str, query: str, user: str | None) -> list[CriteriaOwner]:
        """Return the owners of the criteria for an answer, the person's before the task's."""
        self.cases()
        return owner_ids(self.reader.asked(query_id), query, user, self._persons)[::-1]

    def subjects(self, answer: Answer) -> Iterable[str]:
        return (owner.label for owner in self._owners(answer.query_id, answer.query, answer.user_id))

    def criteria(self, report: ReportView) -> list[CriterionView]:
        """Return the criteria of an answer with their scores: the person's before the task's, by dimension."""
        entry = report.entry
        owners = self._owners(entry.query_id, entry.query, entry.user)
        return list(_criteria(report.judged, report.key, owners))

    def _of_task(self, entry: ShownEntry) -> list[PersonCase]:
        """List the cases of an answer's task: one for each system that answered it for several persons."""
        return of_task(self.cases().values(), self._with_task_and_person(entry).task)

    def row_notes(self, entries: Sequence[ShownEntry]) -> Inserts:
        from markupsafe import Markup

        named = [self._with_task_and_person(entry) for entry in entries]
        cases = list(cases_by_page(named).values())
        first = {task: of_task(cases, task)[0].name for task in {case.task for case in cases}}
        note = Markup('<br><small>{} · <a href="c/{}.html">beside other persons</a></small>')
        own = {entry.query_id: entry for entry in named}.items()
        return {name: note.format(one.person, first[one.task]) for name, one in own if one.task in first}

    def on_query(self, reports: Sequence[ReportView]) -> Inserts:
        found, criteria = {}, list(map(self.criteria, reports))
        if cases := self._of_task(reports[0].entry):
            found["persons"] = part("pdr/persons.html", cases=cases)
        if criteria[0]:
            scores = [{one.row["id"]: one.score for one in own} for own in criteria]
            rows = [(one, [own.get(one.row["id"], "–") for own in scores]) for one in criteria[0]]
            found["after_points"] = part("pdr/criteria_table.html", criteria=rows, reports=reports)
        return found

    def on_report(self, report: ReportView) -> Inserts:
        from markupsafe import Markup

        beside = Markup(' / <a href="../c/{}.html">beside other persons</a>')
        names = [one.name for one in self._of_task(report.entry) if one.variant == report.entry.variant]
        found = {"path_end": Markup().join(beside.format(name) for name in names)}
        if criteria := self.criteria(report):
            violations = violations_of(report.judged, report.key) or ()
            found["link_before_mistakes"] = Markup('<li><a href="#criteria">Criteria</a></li>')
            found["before_mistakes"] = part("pdr/criteria.html", criteria=criteria, violations=violations)
        return found

    def page(self, frame: Frame, view: View, name: str) -> str | None:
        """Draw the page of one case; `None` if no report of the case can be shown."""
        case = self.cases().get(name)
        views = map(view, case.entries) if case is not None else ()
        reports = [one for one in views if one is not None and one.entry.status == "done"]
        if case is None or not reports:
            return None
        persons, others = self._persons, of_task(self.cases().values(), case.task)
        known = [persons[who] for who in (one.person or "" for one in case.entries) if who in persons]
        notes = list(_notes(case, others))
        if any(one.basis == "invented" for person in known for one in person.attributes):
            notes.append("What is marked invented is drawn by seed and true of nobody.")
        return case_page(frame, case, others, [self._side(one, persons) for one in reports], notes)

    def _side(self, report: ReportView, persons: Mapping[str, Person]) -> CaseSide:
        entry = report.entry
        person = persons.get(entry.person or "")
        attributes = () if person is None else person.attributes
        return CaseSide(
            person=entry.person or "",
            known=grouped((one.block.replace("_", " "), one) for one in attributes),
            report=report,
            criteria=[one for one in self.criteria(report) if one.dimension in DIMENSIONS["p"]],
            violations=violations_of(report.judged, report.key) or (),
            cost=""
            if entry.given is None
            else f"{entry.given:,} tokens of this person stood with the question",
        )

    def drawn(self, frame: Frame, view: View) -> Mapping[str, Callable[[str], str | None]]:
        return {"c": lambda name: self.page(frame, view, name)}

    def write(self, frame: Frame, view: View, draft: Path, progress: Progress) -> int:
        (draft / "c").mkdir()
        count, cases = 0, self.cases()
        with progress.stage("cases", total=len(cases), unit="cases") as stage:
            for name in cases:
                if (page := self.page(frame, view, name)) is not None:
                    (draft / "c" / f"{name}.html").write_text(page, encoding="utf-8")
                    count += 1
                stage.advance()
        return count


def _figures(reports: Sequence[ReportView]) -> list[tuple[Metric, list[str]]]:
    """Return the rows of figures: the metric, and its value in each report."""
    by_report, rows = [{metric.name: (metric, value) for metric, value in one.figures} for one in reports], []
    for name in FIGURES:
        own = [figures.get(name) for figures in by_report]
        metric = next((one[0] for one in own if one is not None), None)
        if metric is not None:
            values = [None if one is None else one[1] for one in own]
            rows.append((metric, ["–" if value is None else metric.shown(value) for value in values]))
    return rows


def case_page(
    frame: Frame,
    case: PersonCase,
    others: Sequence[PersonCase],
    sides: Sequence[CaseSide],
    notes: Sequence[str],
) -> str:
    reports, people = [side.report for side in sides], [side.person for side in sides]
    by_rules = any(one.verdicts.by_rules for one in reports)
    return draw(
        frame,
        "pdr/case.html",
        "../",
        banner=banner_of([one.entry.rule_written for one in reports], by_rules),
        case=case,
        query=reports[0].entry.query,
        given=given_under(parts_of(case.variant).setting),
        people=sides,
        others=others,
        notes=notes,
        persons=len(set(people)),
        right=next((place for place, who in enumerate(people) if who != people[0]), 0),
        judge=reports[0].verdicts.judge,
        figures=_figures(reports),
        html=[report_html(report, f"{report.entry.key}-") for report in reports],
        sides=[ShownSide(report.entry.key, "", report, True) for report in reports],
    )


def _criteria(judged: Judged, answer: str, owners: Iterable[CriteriaOwner]) -> Iterator[CriterionView]:
    """Yield the criteria by dimension, with their scores in this judging run."""
    scores = scores_of(judged, answer) or {}
    for owner, rubric in ((owner, rubric_of(judged, owner)) for owner in owners):
        places = [place for place in scores if place.owner == owner and place.own]
        rounds = [scores[place] for place in sorted(places, key=lambda place: place.round)]
        for dimension in DIMENSIONS[owner.half] if rubric is not None else ():
            for row in rubric.rows(dimension) if rubric is not None else ():
                name = rubric.hash_of(dimension, row) if rubric is not None else ""
                own = [one[name] for one in rounds if name in one]
                missing = next((one["reason"] for one in own if "reason" in one), None)
                why = missing if missing is not None else own[0]["analysis"] if own else ""
                yield CriterionView(dimension, row, tuple(one["score"] for one in own), why)


def cases_by_page(entries: Iterable[ShownEntry]) -> dict[str, PersonCase]:
    """Return the cases of answers, by name of their page."""
    done = (one for one in entries if one.status == "done" and one.person is not None)
    found = {}
    for (task, variant), own in grouped(((one.task or "", one.variant), one) for one in done).items():
        if len({entry.person for entry in own}) > 1:
            name = text_hash(json.dumps([task, variant]))[:16]
            placed = sorted(own, key=lambda entry: (entry.person or "", entry.query_id, entry.trial))
            found[name] = PersonCase(name, task, variant, tuple(placed))
    return found


def of_task(cases: Iterable[PersonCase], task: str | None) -> list[PersonCase]:
    """List the cases of a task by system; settings that give less come first."""
    own = {case.variant: case for case in cases if case.task == task}
    placed = [system for systems in by_agent(own).values() for system in systems] or sorted(own)
    return [own[system] for system in placed]


def given_under(setting: Setting) -> str:
    """Return in words what an agent reads of the person under a setting."""
    most = f"{setting.tokens or 0:,} tokens"
    of = {
        "context": f"what was gathered of the person, {most} of it",
        "memory": f"what the memory {setting.memory} recalls for the question, at most {most}",
    }
    return {**_GIVEN, **of}[setting.kind]


def _notes(case: PersonCase, others: Sequence[PersonCase]) -> Iterator[str]:
    """Yield notes on equal reports: given to several persons, or written under several settings."""
    texts = ((one.text, one.person or "") for one in case.entries if one.text is not None)
    for who in (list(dict.fromkeys(own)) for own in grouped(texts).values()):
        if len(who) > 1:
            yield f"{_list_of_names(who)} were given the same report, byte for byte."
    agent, written = parts_of(case.variant).agent, _texts(case)
    beside = (one.variant for one in others if one.variant != case.variant and _texts(one) == written)
    equal = [one.setting.name for one in map(parts_of, beside) if one.agent == agent]
    if equal and None not in written.values():
        by_rules = all(entry.rule_written for entry in case.entries)
        made = (
            "rules that play an agent make nothing of what they are"
            if by_rules
            else "it made nothing of what it was"
        )
        yield f"{agent} wrote these same reports, byte for byte, also under {_list_of_names(equal)}: {made} told of the person."


def _texts(case: PersonCase) -> dict[tuple[str, int], str | None]:
    return {(entry.query_id, entry.trial): entry.text for entry in case.entries}


def _list_of_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
