"""The answers behind a report's numbers: a page for each system, a row for each trial of each question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from drr.app.report.material import Material
from drr.app.report.tables import Table
from drr.env.files import file_name, is_digest
from drr.eval.evidence.answers import Answer
from drr.eval.metrics import metrics
from drr.eval.metrics.base import Metric
from drr.wording.excerpt import excerpt

FOLDER = "answers"
VIEWER = "../viewer"
_QUESTION = 90
_SHORT = 16


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
    """The address of the viewer's pages from the report's folder: what was given, else where `drr reproduce` puts them."""
    if given is not None:
        return (
            given.rstrip("/")
            if given.startswith(("http://", "https://")) or not Path(given).is_absolute()
            else Path(given).as_uri()
        )
    return VIEWER if (out / VIEWER / "index.html").is_file() else None


def page_of(system: str) -> str:
    return f"{FOLDER}/{file_name(system)}.html"


def pages_of(material: Material) -> dict[str, str]:
    """Where the numbers of a row lead: by system, and by rows that tell of a system in other words."""
    found = {system: page_of(system) for system in material.variants}
    for row in material.document["pairwise"]:
        told = f"{row['dimension'].replace('_', ' ')}: {row['a']} over {row['b']}"
        found.setdefault(told, page_of(row["a"]))
    for system, sizes in material.document["dr3"]["sizes"].items() if "dr3" in material.document else ():
        for size in sizes:
            found.setdefault(f"{system}, {size}", page_of(system))
    return found


def behind(
    material: Material, system: str, tables: Sequence[Table], link: Callable[[Answer], str]
) -> Iterator[Behind]:
    """`link` says where an answer's report is, seen from the page; empty where nobody knows."""
    answers = sorted(material.variants[system], key=lambda answer: (answer.query_id, answer.trial))
    names = [f"{excerpt(answer.query, _QUESTION)}, trial {answer.trial}" for answer in answers]
    links = [link(answer) for answer in answers]
    known = metrics()
    for table in tables:
        shown = [known[column.key] for column in table.columns if column.key in known]
        if shown:
            values = [[_told(material, answer, metric) for metric in shown] for answer in answers]
            yield Behind(
                table.name,
                table.title,
                [(metric.label, metric.explanation) for metric in shown],
                list(map(AnswerRow, names, values, links)),
            )
    yield from _rules(material, answers, names, links)
    yield from _pairs(material, system, {a.query_id: a.query for a in answers})


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


def _pairs(material: Material, system: str, queries: Mapping[str, str]) -> Iterator[Behind]:
    rows: dict[tuple[str, str, int], dict[str, str]] = {}
    for one in material.comparisons:
        if system in (one.a, one.b):
            other = one.b if one.a == system else one.a
            winner = {"a": one.a, "b": one.b}.get(one.outcome, one.outcome)
            told = "won" if winner == system else "lost" if winner == other else winner
            rows.setdefault((one.query, other, one.trial), {})[one.dimension] = told
    dimensions = list(dict.fromkeys(name for own in rows.values() for name in own))
    if rows:
        shown = [
            AnswerRow(
                f"{excerpt(queries.get(query, query), _QUESTION)}, trial {trial}, against {other}",
                [own.get(name, "–") for name in dimensions],
            )
            for (query, other, trial), own in rows.items()
        ]
        columns = [(name.replace("_", " "), "") for name in dimensions]
        yield Behind("pairwise", "Pairwise comparison", columns, shown)


def key_of(answer: Answer) -> str:
    """The name of its page in the viewer."""
    return answer.key[:_SHORT] if is_digest(answer.key) else file_name(answer.key)
