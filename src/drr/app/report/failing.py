"""Collects what failed: errors that rules found, and charts of verdicts, errors and grades."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from drr.app.console import write_text
from drr.app.report.contrasts import graded_metrics
from drr.app.report.material import ReportData, question_of
from drr.app.report.tables import rows_as_csv
from drr.env.files import owner_only_mode
from drr.eval.checks.results import Accusation
from drr.eval.evidence.answers import Answer
from drr.eval.metrics import metric as metric_of
from drr.eval.stats.differences import query_means
from drr.eval.tasks.judgements import Judged
from drr.wording.excerpt import many

Span = tuple[int, int]


class FoundError(NamedTuple):
    """A wrong fact that a rule found in a report."""

    rule: str
    why: str
    spans: Sequence[Span]
    """All places of the report that the rule names."""
    line: str
    """Line of the first place."""
    record: str | None = None
    """Value that the record has instead; `None` where no record does."""


def errors_of(judged: Judged, answer: Answer) -> list[FoundError]:
    """Return each wrong fact of a report once, in the order of the report."""
    places: dict[tuple[str, str, str | None], list[Span]] = {}
    for name, rule in (judged.rules.get(answer.key) or {}).items():
        if rule["status"] == "fail":
            for one in map(Accusation.stored, rule["spans"], rule["evidence"]):
                places.setdefault((name, one.why, one.record), []).append(one.span)
    ordered = sorted(places.items(), key=lambda one: one[1])
    return [
        FoundError(rule, why, spans, _line(answer.report, spans[0][0]), record)
        for (rule, why, record), spans in ordered
    ]


def _line(report: str, at: int) -> str:
    start, end = report.rfind("\n", 0, at) + 1, report.find("\n", at)
    return " ".join(report[start : None if end < 0 else end].split()).lstrip("#>-*+| ")


def errors_text(counts: Sequence[int]) -> str:
    """Return how many errors code found, and in how many of the reports; empty without errors."""
    wrong = sum(map(bool, counts))
    return (
        f"Code found {many(sum(counts), 'error')} in {wrong:,} of {many(len(counts), 'report')}"
        if wrong
        else ""
    )


_PLACE = {"system": "variant", "question": "query", "trial": "trial"}


def write_errors(judged: Judged, file: Path) -> int:
    """Write each error that a rule found; a report without one says how many of its figures could be read."""
    rows: list[dict[str, object]] = []
    for answer in judged.answers:
        read = judged.figures.get(answer.key)
        seen = f"read {read['read']} of {read['of']} figures" if read else "not checked"
        place = {name: answer.record.spec[key] for name, key in _PLACE.items()}
        found = [(one.rule, one.line, one.why) for one in errors_of(judged, answer)]
        for rule, sentence, why in found or [("no error found", "", "")]:
            rows.append({**place, "rule": rule, "sentence": sentence, "record": why, "read": seen})
    write_text(
        file, rows_as_csv(rows, (*_PLACE, "rule", "sentence", "record", "read")), owner_only_mode(0o666)
    )
    return sum(row["rule"] != "no error found" for row in rows)


class ChartMark(NamedTuple):
    """A bar of a chart, or a dot where the width is zero. Position and width are shares of the chart's width."""

    kind: str
    at: float
    width: float = 0.0
    label: str = ""


class ChartRow(NamedTuple):
    name: str
    marks: Sequence[ChartMark]
    value: str


class Chart(NamedTuple):
    title: str
    note: str
    rows: Sequence[ChartRow]


def charts(material: ReportData, systems: Sequence[str]) -> list[Chart]:
    """Return the charts of what failed for which the study has data, with rows for the systems in this order."""
    support = "Verdicts on claims: full, partial, none; grey is uncited, unreadable or undecided."
    found = [
        Chart("Support of claims", support, list(_support(material, systems))),
        Chart("Errors by rule", "Wrong facts that code found, most first.", list(_by_rule(material))),
        *(one for name in graded_metrics() for one in _dots(material, systems, name)),
    ]
    return [one for one in found if any(row.marks for row in one.rows)]


def _support(material: ReportData, systems: Sequence[str]) -> Iterator[ChartRow]:
    for system in systems:
        counts: Counter[str] = Counter()
        for answer in material.variants[system]:
            judged = material.judged.judged_claims(answer)
            counts.update(claim.status for claim in (judged and judged.claims) or ())
        known = [counts[kind] for kind in ("full", "partial", "none")]
        every, at, marks = [*known, counts.total() - sum(known)], 0.0, list[ChartMark]()
        for kind, count in zip(("full", "partial", "none", "other"), every, strict=True):
            if count:
                share = count / counts.total()
                marks.append(ChartMark(kind, at, share, f"{kind} {count}"))
                at += share
        yield ChartRow(system, marks, " / ".join(map(str, known)))


def _by_rule(material: ReportData) -> Iterator[ChartRow]:
    every = (
        (system, error.rule)
        for system, own in material.variants.items()
        for answer in own
        for error in errors_of(material.judged, answer)
    )
    counts = Counter(every).most_common()
    for (system, rule), count in counts:
        yield ChartRow(
            f"{rule.replace('_', ' ')}: {system}", [ChartMark("none", 0.0, count / counts[0][1])], f"{count}"
        )


def _dots(material: ReportData, systems: Sequence[str], name: str) -> Iterator[Chart]:
    """Yield the chart of a metric that has figures: a dot for each question, a darker one for several."""
    means = {system: query_means(material.per_report(name)[system]) for system in systems}
    if not any(means.values()):
        return
    metric, rows = metric_of(name), []
    names = {answer.asked: question_of(answer) for own in material.variants.values() for answer in own}
    low, high = metric.range or (0.0, max([1.0, *(v for own in means.values() for v in own.values())]))
    for system, known in means.items():
        dots = [
            ChartMark(
                "dot",
                (v - low) / (high - low),
                label=f"{metric.shown(v, alone=True)}: {names.get(asked, asked)}",
            )
            for asked, v in known.items()
        ]
        ends = [metric.shown(end(known.values()), alone=True) for end in (min, max)] if known else []
        rows.append(ChartRow(system, dots, " to ".join(ends)))
    title = f"{metric.label[:1].upper()}{metric.label[1:]} by question"
    yield Chart(title, f"A dot is a question, from {low:g} to {high:g}; a darker one is several.", rows)
