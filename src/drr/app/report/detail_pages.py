"""Builds the pages behind a report's leading figures: one per system and one per pair of systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from drr.app.report.contrasts import DIFFERENCES, headline_tables
from drr.app.report.failing import FOLDER
from drr.app.report.material import ReportData, answer_name, question_of
from drr.app.report.tables import Heading, Table, headings
from drr.env.files import file_name
from drr.eval.evidence.answers import Answer
from drr.eval.metrics import metrics
from drr.eval.metrics.base import Metric
from drr.eval.stats.question import AskedQuestion

_NONE = "–"


class AnswerRow(NamedTuple):
    name: str
    values: Sequence[str]
    link: str


class AnswerSection(NamedTuple):
    """A section of an answer page, with the answers behind one table of the report."""

    name: str
    title: str
    columns: Sequence[Heading]
    rows: Sequence[AnswerRow]


def page_paths(material: ReportData) -> dict[tuple[str, ...], str]:
    """Return the answer pages by their systems: one page per system, and one per pair whose difference the report shows."""
    pairs = dict.fromkeys((one.a, one.b) for one in material.contrasts)
    return {
        systems: f"{FOLDER}/{'-minus-'.join(map(file_name, systems))}.html"
        for systems in (*((system,) for system in material.variants), *pairs)
    }


def sections_behind(
    material: ReportData, systems: tuple[str, ...], tables: Sequence[Table]
) -> Iterator[AnswerSection]:
    """Yield the sections of one system's page, or of a pair's (first minus second)."""
    first, *second = systems
    known = metrics({name for row in material.document["metrics"].values() for name in row})
    for table in tables:
        found = [known[column.key] for column in table.columns if column.key in known]
        if found and table.name in ({DIFFERENCES} if second else headline_tables()):
            rows = _of_pair(material, systems, found) if second else _of_system(material, first, found)
            yield AnswerSection(table.name, table.title, [Heading.of(metric) for metric in found], list(rows))
    if not second:
        yield from _rules(material, first)


def _answers(material: ReportData, system: str) -> list[Answer]:
    return sorted(material.variants[system], key=lambda answer: (answer.query_id, answer.trial))


def _row(material: ReportData, answer: Answer, values: Sequence[str]) -> AnswerRow:
    return AnswerRow(answer_name(answer), values, material.links.report(answer.key))


def _of_system(material: ReportData, system: str, shown: Sequence[Metric]) -> Iterator[AnswerRow]:
    """Yield a row for each trial of each question that the system answered."""
    for answer in _answers(material, system):
        yield _row(material, answer, [_shown(material.value(answer, one.name), one) for one in shown])


def _shown(value: float | None, metric: Metric) -> str:
    return _NONE if value is None else metric.shown(value, alone=True)


def _rules(material: ReportData, system: str) -> Iterator[AnswerSection]:
    answers = _answers(material, system)
    found = [material.judged.rules.get(answer.key, {}) for answer in answers]
    if rules := list(dict.fromkeys(name for own in found for name in own)):
        rows = [
            _row(material, answer, [str(own[name]["status"]) if name in own else _NONE for name in rules])
            for answer, own in zip(answers, found, strict=True)
        ]
        columns = headings(*(name.replace("_", " ") for name in rules))
        yield AnswerSection("rules", "Rule checks", columns, rows)


def _of_pair(material: ReportData, pair: tuple[str, ...], shown: Sequence[Metric]) -> Iterator[AnswerRow]:
    """Yield a row for each question that both systems answered."""
    # In reverse, so that of several trials the first one is linked.
    first, second = ({a.asked: a for a in reversed(material.variants.get(system, []))} for system in pair)
    for asked in sorted(first.keys() & second.keys()):
        values = [_minus(material, pair, asked, metric) for metric in shown]
        link = material.links.beside(first[asked], second[asked])
        yield AnswerRow(question_of(first[asked]), values, link)


def _minus(material: ReportData, pair: tuple[str, ...], asked: AskedQuestion, metric: Metric) -> str:
    """Return two systems' values on a question and their difference as text. Trials count by their mean, as in the tables."""
    values = material.per_report(metric.name)
    means = []
    for system in pair:
        known = [value for value in values[system].get(asked, ()) if value is not None]
        means.append(sum(known) / len(known) if known else None)
    both = " − ".join(_shown(value, metric) for value in means)
    if means[0] is None or means[1] is None:
        return f"– ({both})"
    return f"{means[0] - means[1]:+z,.{metric.digits}f} ({both})"
