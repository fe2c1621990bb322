"""Criteria of task and person on an answer's page, and cases: one system's reports for several persons."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from drr.app.viewer.judges import ShownSide
from drr.app.viewer.model import ReportView, ShownEntry
from drr.app.viewer.of_papers import Inserts, StudyPart
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import Pages, banner_of, if_any, part, passages, report_html
from drr.env.given import Setting, parts_of
from drr.env.progress import Progress
from drr.env.source import text_hash
from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric
from drr.eval.metrics.coverage import by_agent
from drr.eval.tasks.judged import Judged
from drr.papers.pdr.build import person_id_of
from drr.papers.pdr.judging.choices import KeptChoices, owner_ids, task_id_of
from drr.papers.pdr.judging.rows import (
    DIMENSIONS,
    CriteriaDimension,
    CriteriaOwner,
    CriterionRow,
    ScoreRow,
    rubric_of,
    scores_of,
)
from drr.papers.pdr.judging.violations import violations_of
from drr.papers.pdr.metrics.settings import GRADES
from drr.papers.pdr.person import Person

FIGURES = (*GRADES, "pqr_violations", "att_told", "words")
_GIVEN = {
    "task": "nothing of the person",
    "persona": "the attributes of the person",
    "records": "whose question it is, with tools that look up that shopper's records",
    "records+persona": "the attributes of the person, and whose question it is, with tools that look up that shopper's records",
}


@dataclass(frozen=True)
class CriterionView:
    """A criterion of the task or of the person who asks, and what was said of the report."""

    dimension: str
    row: CriterionRow
    scores: tuple[int | None, ...] = ()
    """One score for each round."""
    why: str = ""

    @property
    def score(self) -> str:
        known = [one for one in self.scores if one is not None]
        return f"{sum(known) / len(known):.1f}" if known else "–"

    @property
    def rounds(self) -> str:
        return ", ".join("–" if one is None else str(one) for one in self.scores)


@dataclass(frozen=True)
class PersonCase:
    """A task and a system that answered it for two persons at least."""

    name: str
    task: str
    variant: str
    entries: tuple[ShownEntry, ...]
    """Entries by person and trial."""


class ShownPersons(NamedTuple):
    """The paper's part of an answer."""

    criteria: tuple[CriterionView, ...] = ()
    violations: tuple[str, ...] = ()
    cases: tuple[PersonCase, ...] = ()
    """One case for each system that answered the task for other persons too."""


class KnownAttribute(NamedTuple):
    statement: str
    basis: str


@dataclass(frozen=True)
class CaseSide:
    person: str
    known: tuple[tuple[str, tuple[KnownAttribute, ...]], ...]
    """Attributes by block; empty where the study holds no persons."""
    report: ReportView
    criteria: tuple[CriterionView, ...]
    violations: tuple[str, ...]
    cost: str


@dataclass(frozen=True)
class CaseView:
    query: str
    variant: str
    given: str
    """The setting's part of the person, in words."""
    sides: tuple[CaseSide, ...]
    others: tuple[PersonCase, ...]
    """The same task by the study's other systems, and this one."""
    notes: tuple[str, ...]

    @property
    def figures(self) -> list[tuple[Metric, list[str]]]:
        """A row for each figure that a side has: its metric, and its value for each side."""
        figures = [
            {metric.name: (metric, value) for metric, value in side.report.figures} for side in self.sides
        ]
        rows = []
        for name in FIGURES:
            found = [own.get(name) for own in figures]
            first = next((one for one in found if one is not None), None)
            if first is not None:
                values = [one[1] if one is not None else None for one in found]
                rows.append((first[0], ["–" if value is None else first[0].shown(value) for value in values]))
        return rows


class PersonPages(StudyPart):
    """The part of PDR-Bench in a study's pages (Figure 4 is a page of each case)."""

    def __init__(self, reader: Reader, tasks: Path | None = None) -> None:
        super().__init__(reader, tasks)
        self._version = ""
        self._cases: Mapping[str, PersonCase] = {}
        self._persons: Mapping[str, Person] = {}

    def cases(self) -> Mapping[str, PersonCase]:
        """Tasks that a system answered for several persons, by the name of the page."""
        self._look()
        return self._cases

    def _look(self) -> None:
        version = self.reader.version()
        if version != self._version:
            self._persons = KeptChoices(self.reader.study).persons()
            self._cases = cases_of(map(self._named, self.reader.entries()))
            self._version = version

    def _named(self, entry: ShownEntry) -> ShownEntry:
        """Name task and person also where the question names none: the same words are the same task."""
        task = task_id_of(self.reader.asked(entry.query_id), entry.query)
        person = entry.person or (person_id_of(entry.user) if entry.user else None)
        return replace(entry, task=task, person=person)

    def _owners(self, answer: Answer) -> list[CriteriaOwner]:
        """The person's before the task's."""
        self._look()
        asked = self.reader.asked(answer.query_id)
        return owner_ids(asked, answer.query, answer.user_id, self._persons)[::-1]

    def subjects(self, answer: Answer) -> Iterable[str]:
        return (owner.label for owner in self._owners(answer))

    def read(self, entry: ShownEntry, judged: Judged, answer: Answer) -> ShownPersons:
        criteria = tuple(_criteria(judged, answer, self._owners(answer)))
        cases = of_task(self.cases().values(), self._named(entry).task)
        return ShownPersons(criteria, tuple(_violations(judged, answer)), tuple(cases))

    def row_notes(self, entries: Sequence[ShownEntry]) -> Inserts:
        from markupsafe import Markup

        named = [self._named(entry) for entry in entries]
        cases = list(cases_of(named).values())
        first = {task: of_task(cases, task)[0].name for task in {case.task for case in cases}}
        note = Markup('<br><small>{} · <a href="c/{}.html">beside other persons</a></small>')
        own = {entry.query_id: entry for entry in named}.items()
        return {name: note.format(one.person, first[one.task]) for name, one in own if one.task in first}

    def on_query(self, reports: Sequence[ReportView]) -> Inserts:
        first, each = _shown(reports[0]), [_shown(report) for report in reports]
        found = {"persons": part("pdr/persons.html", cases=first.cases)} if first.cases else {}
        if first.criteria:
            rows = [(one, [_score(own, one.row["id"]) for own in each]) for one in first.criteria]
            found["after_points"] = part("pdr/criteria_table.html", criteria=rows, reports=reports)
        return found

    def on_report(self, report: ReportView) -> Inserts:
        from markupsafe import Markup

        shown = _shown(report)
        beside = Markup(' / <a href="../c/{}.html">beside other persons</a>')
        names = [one.name for one in shown.cases if one.variant == report.entry.variant]
        found = {"path_end": Markup().join(beside.format(name) for name in names)}
        if shown.criteria:
            found["link_before_mistakes"] = Markup('<li><a href="#criteria">Criteria</a></li>')
            found["before_mistakes"] = part("pdr/criteria.html", p=shown)
        return found

    def case(self, name: str) -> CaseView | None:
        cases = self.cases()
        if name not in cases:
            return None
        case = cases[name]
        views = (self.reader.view(entry) for entry in case.entries)
        shown = [view for view in views if view is not None and view.entry.status == "done"]
        return case_view(case, of_task(cases.values(), case.task), shown, self._persons) if shown else None

    def drawn(self, pages: Pages) -> Mapping[str, Callable[[str], str | None]]:
        return {"c": lambda name: if_any(self.case(name), lambda case: case_page(pages, case))}

    def write(self, pages: Pages, draft: Path, progress: Progress) -> int:
        (draft / "c").mkdir()
        if not self.cases():
            return 0
        count, draw = 0, self.drawn(pages)["c"]
        with progress.stage("cases", total=len(self.cases()), unit="cases") as stage:
            for name in self.cases():
                page = draw(name)
                if page is not None:
                    (draft / "c" / f"{name}.html").write_text(page, encoding="utf-8")
                    count += 1
                stage.advance()
        return count


def case_page(pages: Pages, case: CaseView) -> str:
    reports = [side.report for side in case.sides]
    people = [side.person for side in case.sides]
    return pages.draw(
        "pdr/case.html",
        "../",
        banner=banner_of(
            [one.entry.rule_written for one in reports], any(one.judged_by_rules for one in reports)
        ),
        c=case,
        persons=len(set(people)),
        right=next((place for place, who in enumerate(people) if who != people[0]), 0),
        judge=reports[0].judged_by,
        figures=case.figures,
        html=[report_html(report, f"{report.entry.key}-") for report in reports],
        sides=[ShownSide(report.entry.key, "", report, True) for report in reports],
        passages=passages,
    )


def _shown(report: ReportView) -> ShownPersons:
    shown = report.papers.get("pdr")
    return shown if isinstance(shown, ShownPersons) else ShownPersons()


def _score(shown: ShownPersons, criterion: str) -> str:
    """Its mean over rounds."""
    return next((one.score for one in shown.criteria if one.row["id"] == criterion), "–")


def _criteria(judged: Judged, answer: Answer, owners: Iterable[CriteriaOwner]) -> Iterable[CriterionView]:
    """Yield by dimension, as they count in this judging."""
    scores = scores_of(judged, answer.key) or {}
    for owner in owners:
        rubric = rubric_of(judged, owner)
        places = [place for place in scores if place.owner == owner and place.own and not place.seed]
        rounds = [scores[place] for place in sorted(places, key=lambda place: place.round)]
        for dimension in DIMENSIONS[owner.half] if rubric is not None else ():
            for row in rubric.rows(dimension) if rubric is not None else ():
                name = rubric.hash_of(dimension, row) if rubric is not None else ""
                yield _criterion(dimension, row, [one[name] for one in rounds if name in one])


def _criterion(dimension: CriteriaDimension, row: CriterionRow, scores: Sequence[ScoreRow]) -> CriterionView:
    missing = next((one["reason"] for one in scores if "reason" in one), None)
    why = missing if missing is not None else scores[0]["analysis"] if scores else ""
    return CriterionView(dimension, row, tuple(one["score"] for one in scores), why)


def _violations(judged: Judged, answer: Answer) -> Iterable[str]:
    for row in violations_of(judged, answer.key) or ():
        yield f"{row['kind'].replace('_', ' ')}: {row['why']}"


def cases_of(entries: Iterable[ShownEntry]) -> dict[str, PersonCase]:
    """Map the name of the page to its case."""
    grouped: dict[tuple[str, str], list[ShownEntry]] = {}
    for entry in entries:
        if entry.status == "done" and entry.person is not None:
            grouped.setdefault((entry.task or "", entry.variant), []).append(entry)
    found = {}
    for (task, variant), own in grouped.items():
        if len({entry.person for entry in own}) > 1:
            name = text_hash(json.dumps([task, variant]))[:16]
            placed = sorted(own, key=lambda entry: (entry.person or "", entry.query_id, entry.trial))
            found[name] = PersonCase(name, task, variant, tuple(placed))
    return found


def of_task(cases: Iterable[PersonCase], task: str | None) -> list[PersonCase]:
    """List by system; settings that give less stand first."""
    own = {case.variant: case for case in cases if case.task == task}
    placed = [system for systems in by_agent(own).values() for system in systems] or sorted(own)
    return [own[system] for system in placed]


def case_view(
    case: PersonCase,
    others: Sequence[PersonCase],
    reports: Sequence[ReportView],
    persons: Mapping[str, Person],
) -> CaseView:
    """`reports` are those of the case's entries that can be shown."""
    return CaseView(
        query=case.entries[0].query,
        variant=case.variant,
        given=given_under(parts_of(case.variant).setting),
        sides=tuple(_side(report, persons) for report in reports),
        others=tuple(others),
        notes=(
            *_notes(case, others),
            *_invented(persons[who] for who in (one.person or "" for one in case.entries) if who in persons),
        ),
    )


def given_under(setting: Setting) -> str:
    """Say what an agent reads of the person."""
    if setting.kind == "context":
        return f"what was gathered of the person, {setting.tokens:,} tokens of it"
    if setting.kind == "memory":
        return f"what the memory {setting.memory} recalls for the question, at most {setting.tokens:,} tokens"
    return _GIVEN[setting.kind]


def _side(report: ReportView, persons: Mapping[str, Person]) -> CaseSide:
    entry = report.entry
    person = persons.get(entry.person or "")
    blocks: dict[str, list[KnownAttribute]] = {}
    for one in () if person is None else person.attributes:
        blocks.setdefault(one.block.replace("_", " "), []).append(KnownAttribute(one.statement, one.basis))
    return CaseSide(
        person=entry.person or "",
        known=tuple((block, tuple(own)) for block, own in blocks.items()),
        report=report,
        criteria=tuple(one for one in _shown(report).criteria if one.dimension in DIMENSIONS["p"]),
        violations=_shown(report).violations,
        cost="" if entry.given is None else f"{entry.given:,} tokens of this person stood with the question",
    )


def _notes(case: PersonCase, others: Sequence[PersonCase]) -> Iterable[str]:
    """Yield notes by the bytes: persons who got one report, settings that changed none."""
    same: dict[str, list[str]] = {}
    for entry in case.entries:
        if entry.text is not None:
            same.setdefault(entry.text, []).append(entry.person or "")
    for who in (list(dict.fromkeys(own)) for own in same.values()):
        if len(who) > 1:
            yield f"{_listed(who)} were given the same report, byte for byte."
    agent, texts = parts_of(case.variant).agent, _texts(case)
    equal = [
        parts_of(other.variant).setting.name
        for other in others
        if parts_of(other.variant).agent == agent and other.variant != case.variant and _texts(other) == texts
    ]
    if equal and None not in texts.values():
        by_rules = all(entry.rule_written for entry in case.entries)
        why = (
            "rules that play an agent make nothing of what they are told of the person"
            if by_rules
            else "it made nothing of what it was told of the person"
        )
        yield f"{agent} wrote these same reports, byte for byte, also under {_listed(equal)}: {why}."


def _invented(persons: Iterable[Person]) -> list[str]:
    found = any(one.basis == "invented" for person in persons for one in person.attributes)
    return ["What is marked invented is drawn by seed and true of nobody."] if found else []


def _texts(case: PersonCase) -> dict[tuple[str, int], str | None]:
    return {(entry.query_id, entry.trial): entry.text for entry in case.entries}


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
