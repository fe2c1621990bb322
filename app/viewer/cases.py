"""Case pairs (PDR-Bench's Figure 4). One task, the persons who asked it, and what one system wrote for each of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from drr.app.viewer.model import CriterionView, ReportView, ShownEntry
from drr.env.given import Setting, parts_of
from drr.env.source import text_hash
from drr.eval.metrics.base import Metric
from drr.eval.metrics.coverage import by_agent
from drr.papers.pdr.judging.rows import DIMENSIONS
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
class PersonCase:
    """A task and a system that answered it for two persons at least."""

    name: str
    """Of its page."""
    task: str
    variant: str
    entries: tuple[ShownEntry, ...]
    """By person and trial."""


class KnownAttribute(NamedTuple):
    statement: str
    basis: str


@dataclass(frozen=True)
class CaseSide:
    person: str
    known: tuple[tuple[str, tuple[KnownAttribute, ...]], ...]
    """By block; empty where the study holds no persons."""
    report: ReportView
    criteria: tuple[CriterionView, ...]
    """Of this person's own."""
    cost: str
    """What stood of the person with the question."""


@dataclass(frozen=True)
class CaseView:
    query: str
    variant: str
    told: str
    """What the setting tells of the person, in words."""
    sides: tuple[CaseSide, ...]
    others: tuple[PersonCase, ...]
    """The same task by the study's other systems, and this one."""
    notes: tuple[str, ...]

    @property
    def figures(self) -> list[tuple[Metric, list[str]]]:
        """A row for each figure that a side has: its metric, and its value for each side."""
        held = [
            {metric.name: (metric, value) for metric, value in side.report.figures} for side in self.sides
        ]
        rows = []
        for name in FIGURES:
            found = [own.get(name) for own in held]
            first = next((one for one in found if one is not None), None)
            if first is not None:
                values = [one[1] if one is not None else None for one in found]
                rows.append((first[0], ["–" if value is None else first[0].shown(value) for value in values]))
        return rows


def cases_of(entries: Iterable[ShownEntry]) -> dict[str, PersonCase]:
    """Map the name of the page to its case."""
    grouped: dict[tuple[str, str], list[ShownEntry]] = {}
    for entry in entries:
        if entry.status == "done" and entry.person is not None:
            grouped.setdefault((entry.task, entry.variant), []).append(entry)
    found = {}
    for (task, variant), own in grouped.items():
        if len({entry.person for entry in own}) > 1:
            name = text_hash(json.dumps([task, variant]))[:16]
            placed = sorted(own, key=lambda entry: (entry.person or "", entry.query_id, entry.trial))
            found[name] = PersonCase(name, task, variant, tuple(placed))
    return found


def of_task(cases: Iterable[PersonCase], task: str) -> list[PersonCase]:
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
        told=given_under(parts_of(case.variant).setting),
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
        criteria=tuple(one for one in report.criteria if one.dimension in DIMENSIONS["p"]),
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
