"""Collects what failed: errors that rules found, and charts of verdicts, errors and grades."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from drr.app.console import write_text
from drr.app.report.contrasts import graded_metrics
from drr.app.report.material import ReportData, question_of
from drr.app.report.tables import rows_as_csv
from drr.env.files import file_name, owner_only_mode
from drr.eval.checks import RULES
from drr.eval.checks.results import Accusation
from drr.eval.evidence.answers import Answer
from drr.eval.metrics import metric as metric_of
from drr.eval.metrics.reliability import wrong_forms
from drr.eval.stats.differences import query_means
from drr.eval.stats.question import grouped
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
    at: Span = (0, 0)
    """The first place within its line; empty where the rule names none."""


class ErrorRow(NamedTuple):
    """A row of the errors page."""

    answer: str
    query: str
    link: str
    """Address of the place in the answer, seen from the errors page."""
    error: FoundError


def errors_of(judged: Judged, answer: Answer) -> list[FoundError]:
    """Return each wrong fact of a report once, the gravest first, as the rules are ordered."""
    places: dict[tuple[str, str, str | None], list[Span]] = {}
    for name, rule in (judged.rules.get(answer.key) or {}).items():
        if rule["status"] == "fail":
            for one in map(Accusation.stored, rule["spans"], rule["evidence"]):
                places.setdefault((name, one.why, one.record), []).append(one.span)
    rank = {name: place for place, name in enumerate(RULES)}
    ordered = sorted(places.items(), key=lambda one: (rank.get(one[0][0], len(rank)), one[1]))
    return [
        FoundError(rule, why, spans, line, record, at)
        for (rule, why, record), spans in ordered
        for line, at in [line_of(answer.report, *spans[0])]
    ]


def line_of(report: str, start: int, end: int) -> tuple[str, Span]:
    """Return the line of a stretch without the signs at its ends. Also return the stretch within it, a sign of money included."""
    start -= report[:start].endswith("$")
    first, last = report.rfind("\n", 0, start) + 1, report.find("\n", end)
    line = report[first : last if last >= 0 else None]
    text = line.strip("#>-+| \t")
    first += line.find(text)
    return text, (start - first, end - first)


def errors_text(counts: Sequence[int]) -> str:
    """Return how many errors code found, and in how many of the reports; empty without errors."""
    wrong = sum(map(bool, counts))
    return (
        f"Code found {many(sum(counts), 'error')} in {wrong:,} of {many(len(counts), 'report')}"
        if wrong
        else ""
    )


def no_error_text(judged: Judged) -> str:
    """Return that rules found no error, and how many forms state something wrong, which only the reward reads."""
    wrong, stated = wrong_forms(judged) if judged.answers else (0, 0)
    if not wrong:
        return "Code found no error."
    return f"Rules found no error in the text. What the form states is wrong in {wrong:,} of {many(stated, 'answer')}, in part or in all: that is in the reward."


FOLDER = "answers"
ERRORS = f"{FOLDER}/~errors.html"
"""Page of all errors; the tilde keeps the name apart from every system's file."""
_PLACE = {"system": "variant", "question": "query", "trial": "trial"}


def write_errors(judged: Judged, file: Path) -> None:
    """Write each error that a rule found; a report without one says how many of its figures could be read."""
    rows: list[dict[str, object]] = []
    for answer in judged.answers:
        read = judged.figures.get(answer.key)
        seen = f"read {read['read']} of {read['of']} figures" if read else "not checked"
        place = {name: answer.record.spec[key] for name, key in _PLACE.items()}
        found = [(one.rule, " ".join(one.line.split()), one.why) for one in errors_of(judged, answer)]
        for rule, sentence, why in found or [("no error found", "", "")]:
            rows.append({**place, "rule": rule, "sentence": sentence, "record": why, "read": seen})
    write_text(
        file, rows_as_csv(rows, (*_PLACE, "rule", "sentence", "record", "read")), owner_only_mode(0o666)
    )


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
    link: str = ""
    note: str = ""


class Chart(NamedTuple):
    title: str
    note: str
    rows: Sequence[ChartRow]


def charts(material: ReportData, systems: Sequence[str], errors: Sequence[ErrorRow]) -> list[Chart]:
    """Return the charts of what failed for which the study has data, with rows for the systems in this order."""
    support = "Claims that their sources support: full / in part / not; grey: uncited or undecided."
    found = [
        Chart("Errors by rule", "Wrong facts that code found.", list(_by_rule(errors))),
        Chart("No answer", "Questions that a system left unanswered.", list(_unanswered(material))),
        Chart("Support of claims", support, list(_support(material, systems))),
    ]
    return [one for one in found if any(row.marks for row in one.rows)]


def spreads(material: ReportData, systems: Sequence[str]) -> list[Chart]:
    """Return a chart for each metric of whole answers, with a dot for each question."""
    return [one for name in graded_metrics() for one in _dots(material, systems, name)]


def error_rows(material: ReportData) -> list[ErrorRow]:
    """Return each error that a rule found. Its link leads to its place, or without a viewer to the system's answers."""
    return [
        ErrorRow(
            f"{answer.variant}, trial {answer.trial}",
            answer.query,
            f"{page}#wrong-{number}" if page else f"{file_name(answer.variant)}.html#rules",
            error,
        )
        for answer in material.judged.answers
        for page in [material.links.report(answer.key)]
        for number, error in enumerate(errors_of(material.judged, answer), 1)
    ]


def by_rule(rows: Iterable[ErrorRow]) -> dict[str, list[ErrorRow]]:
    """Group errors by rule, most first."""
    return dict(sorted(grouped((row.error.rule, row) for row in rows).items(), key=lambda one: -len(one[1])))


def _place(system: str, section: str) -> str:
    return f"{FOLDER}/{file_name(system)}.html#{section}"


def _unanswered(material: ReportData) -> Iterator[ChartRow]:
    most = max((kinds.total() for kinds in material.failed.values()), default=0)
    for system, kinds in material.failed.items():
        marks = [ChartMark("none", 0.0, kinds.total() / most)]
        yield ChartRow(f"{system}: {', '.join(kinds)}", marks, f"{kinds.total()}")


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
        yield ChartRow(system, marks, " / ".join(map(str, known)), _place(system, "faithfulness"))


def _by_rule(errors: Sequence[ErrorRow]) -> Iterator[ChartRow]:
    found = by_rule(errors)
    most = max(map(len, found.values()), default=0)
    for rule, own in found.items():
        marks = [ChartMark("none", 0.0, len(own) / most)]
        yield ChartRow(rule.replace("_", " "), marks, f"{len(own)}", f"{ERRORS}#{rule}")


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
        rows.append(ChartRow(system, dots, " to ".join(ends), _place(system, metric.table or "")))
    title = f"{metric.label[:1].upper()}{metric.label[1:]} by question"
    yield Chart(title, f"A dot is a question, from {low:g} to {high:g}; a darker one is several.", rows)
