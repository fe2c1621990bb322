"""The answers behind a difference: both systems question by question, and what the first is above the second."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from drr.app.report.behind import (
    AnswerRow,
    Behind,
    headings_of,
    metrics_of,
    outcomes,
    pairs_section,
    question,
)
from drr.app.report.material import Material
from drr.app.report.tables import Table
from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric
from drr.eval.stats.asked import AskedQuestion


def pair_behind(
    material: Material, pair: tuple[str, str], tables: Sequence[Table], link: Callable[[Answer, Answer], str]
) -> Iterator[Behind]:
    """`link` says where two answers are seen side by side; empty where nobody knows."""
    first, second = ({a.asked: a for a in reversed(material.variants[system])} for system in pair)
    shared = sorted(asked for asked in first if asked in second)
    names = [question(first[asked]) for asked in shared]
    links = [link(first[asked], second[asked]) for asked in shared]
    for table in tables:
        shown = metrics_of(table)
        if shown and pair in map(tuple, table.behind.values()):
            values = [[_told(material, pair, asked, metric) for metric in shown] for asked in shared]
            rows = list(map(AnswerRow, names, values, links))
            yield Behind(table.name, table.title, headings_of(shown), rows)
    queries = {answer.query_id: question(answer) for answer in first.values()}
    yield from pairs_section(
        [
            (f"{queries.get(query, query)}, trial {trial}", told)
            for (query, other, trial), told in outcomes(material, pair[0]).items()
            if other == pair[1]
        ]
    )


def _told(material: Material, pair: tuple[str, str], asked: AskedQuestion, metric: Metric) -> str:
    """Trials of a question count as their mean, as in the difference over all."""
    values = material.per_report(metric.name)
    means = []
    for system in pair:
        known = [value for value in values[system].get(asked, ()) if value is not None]
        means.append(sum(known) / len(known) if known else None)
    told = " − ".join("–" if value is None else metric.shown(value) for value in means)
    if means[0] is None or means[1] is None:
        return told
    return f"{told} = {means[0] - means[1]:+,.{metric.digits}f}"
