"""The answers behind a report's numbers: a page for each system, a row for each trial of each question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from drr.app.report.judging_tables import ended_as, system_of
from drr.app.report.material import Material
from drr.app.report.tables import Table
from drr.env.files import file_name
from drr.eval.evidence.answers import Answer
from drr.eval.metrics import metrics
from drr.eval.metrics.base import Metric
from drr.eval.metrics.diagnosis import LABELS, diagnose, read_corrections
from drr.wording.excerpt import excerpt

FOLDER = "answers"
JUDGES = f"{FOLDER}/~judges.html"
"""A name that no system's file has."""
VIEWER = "../viewer"
_QUESTION = 90
_SAID = {True: "yes", False: "no", None: "–"}


class AnswerRow(NamedTuple):
    name: str
    values: Sequence[str]
    link: str = ""


class Behind(NamedTuple):
    """What stands behind one table of the report, of one system."""

    name: str
    title: str
    columns: Sequence[tuple[str, str]]
    """What stands over each, and what it means."""
    rows: Sequence[AnswerRow]


def viewer_of(out: Path, given: str | None) -> str | None:
    """The address of the viewer's pages from the report's folder: what was given, else where `drr papers reproduce` puts them."""
    if given is not None:
        return (
            given.rstrip("/")
            if given.startswith(("http://", "https://")) or not Path(given).is_absolute()
            else Path(given).as_uri()
        )
    return VIEWER if (out.absolute().parent / Path(VIEWER).name / "index.html").is_file() else None


def pages_of(material: Material, tables: Sequence[Table]) -> dict[tuple[str, ...], str]:
    """Where the numbers of a row lead: a page of each system's answers, one of each pair whose difference stands somewhere, and under no
    system the one of judges."""
    found: dict[tuple[str, ...], str] = {
        (system,): f"{FOLDER}/{file_name(system)}.html" for system in material.variants
    }
    for table in tables:
        for systems in map(tuple, table.behind.values()):
            if len(systems) > 1 and set(systems) <= material.variants.keys():
                found.setdefault(systems, f"{FOLDER}/{'-minus-'.join(map(file_name, systems))}.html")
    if any(table.judges or () in table.behind.values() for table in tables):
        found[()] = JUDGES
    return found


def behind(
    material: Material, system: str, tables: Sequence[Table], link: Callable[[str], str]
) -> Iterator[Behind]:
    """`link` says where the report of an answer's key is, seen from the page; empty where nobody knows."""
    answers = sorted(material.variants[system], key=lambda answer: (answer.query_id, answer.trial))
    names = list(map(answer_name, answers))
    links = [link(answer.key) for answer in answers]
    for table in tables:
        if table.each is not None:
            columns = [(column.label, column.told) for column in table.each_columns or table.columns]
            own = map(table.each, answers)
            yield Behind(table.name, table.title, columns, list(map(AnswerRow, names, own, links)))
        elif shown := metrics_of(table):
            values = [[_told(material, answer, metric) for metric in shown] for answer in answers]
            yield Behind(
                table.name,
                table.title,
                headings_of(shown),
                list(map(AnswerRow, names, values, links)),
            )
        elif table.foreign or any(system in own for own in table.behind.values() if len(own) == 1):
            rows = [AnswerRow(name, (), to) for name, to in zip(names, links, strict=True)]
            yield Behind(table.name, table.title, (), rows)
    yield from _rules(material, answers, names, links)
    yield from _failure_labels(material, answers, names, links)
    yield _endings(material, system, link)
    yield from _pairs(material, system, {a.query_id: question(a) for a in answers})


def metrics_of(table: Table) -> list[Metric]:
    """Those of its columns that each answer has a value of."""
    known = metrics()
    return [known[column.key] for column in table.columns if column.key in known and not table.foreign]


def headings_of(shown: Sequence[Metric]) -> list[tuple[str, str]]:
    return [(metric.label, metric.explanation) for metric in shown]


def _told(material: Material, answer: Answer, metric: Metric) -> str:
    value = material.value(answer, metric.name)
    return "–" if value is None else metric.shown(value)


def _rules(
    material: Material, answers: Sequence[Answer], names: Sequence[str], links: Sequence[str]
) -> Iterator[Behind]:
    found = [material.judged.rules.get(answer.key, {}) for answer in answers]
    rules = list(dict.fromkeys(name for own in found for name in own))
    if rules:
        values = [[str(own[name]["status"]) if name in own else "–" for name in rules] for own in found]
        columns = [(name.replace("_", " "), "") for name in rules]
        yield Behind("rules", "Rule checks", columns, list(map(AnswerRow, names, values, links)))


def _failure_labels(
    material: Material, answers: Sequence[Answer], names: Sequence[str], links: Sequence[str]
) -> Iterator[Behind]:
    if "failures" not in material.document:
        return
    corrections = read_corrections(material.study)
    said = [diagnose(material.judged, answer, corrections) for answer in answers]
    columns = [(label.replace("_", " "), "") for label in LABELS]
    rows = [
        AnswerRow(name, [_SAID[own[label]["present"]] for label in LABELS], link)
        for name, own, link in zip(names, said, links, strict=True)
    ]
    yield Behind("failure-labels", "Failure labels", columns, rows)


def _endings(material: Material, system: str, link: Callable[[str], str]) -> Behind:
    """How each answer ended, with those that failed."""
    rows = [
        AnswerRow(
            f"{excerpt(str(record.spec.get('query', record.label)), _QUESTION)}, trial {record.spec.get('trial', 0)}",
            (ended_as(material.study, record),),
            link(record.key),
        )
        for record in material.study.records("answer", None)
        if system_of(record) == system
    ]
    return Behind("failures", "Answers and failures", [("ended", "")], sorted(rows))


def _pairs(material: Material, system: str, queries: Mapping[str, str]) -> Iterator[Behind]:
    yield from pairs_section(
        [
            (f"{queries.get(query, query)}, trial {trial}, against {other}", told)
            for (query, other, trial), told in outcomes(material, system).items()
        ]
    )


def outcomes(material: Material, system: str) -> dict[tuple[str, str, int], dict[str, str]]:
    """By question, other system and trial what was found of each dimension: `won` is this system's."""
    found: dict[tuple[str, str, int], dict[str, str]] = {}
    for one in material.comparisons:
        if system in (one.a, one.b):
            other = one.b if one.a == system else one.a
            winner = {"a": one.a, "b": one.b}.get(one.outcome, one.outcome)
            told = "won" if winner == system else "lost" if winner == other else winner
            found.setdefault((one.query, other, one.trial), {})[one.dimension] = told
    return found


def pairs_section(rows: Sequence[tuple[str, Mapping[str, str]]]) -> Iterator[Behind]:
    dimensions = list(dict.fromkeys(name for _, own in rows for name in own))
    if rows:
        shown = [AnswerRow(name, [own.get(one, "–") for one in dimensions]) for name, own in rows]
        columns = [(name.replace("_", " "), "") for name in dimensions]
        yield Behind("pairwise", "Pairwise comparison", columns, shown)


def question(answer: Answer) -> str:
    return excerpt(answer.query, _QUESTION)


def answer_name(answer: Answer) -> str:
    return f"{question(answer)}, trial {answer.trial}"
