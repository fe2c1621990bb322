"""What stands side by side: answers, and one answer as another judge saw it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from drr.app.viewer.model import ReportView
from drr.env.files import file_name


@dataclass(frozen=True)
class ShownSide:
    """One of the things that can be put left or right; `name` stands in the address."""

    name: str
    label: str
    report: ReportView
    own_page: bool
    """Whether the answer's page shows these verdicts."""


def sides_of(reports: Sequence[ReportView]) -> list[ShownSide]:
    """Every answer by the judge who is shown, then every answer by each other judge."""
    return [*(_by_the_judge(report) for report in reports), *(one for r in reports for one in _by_others(r))]


def _by_the_judge(report: ReportView) -> ShownSide:
    judge = f", judged by {report.judged_by}" if report.others else ""
    return ShownSide(report.entry.key, f"{_answer(report)}{judge}", report, True)


def _by_others(report: ReportView) -> Iterator[ShownSide]:
    for other in report.others:
        view = replace(
            report,
            claims=other.claims,
            ratings=other.ratings,
            judged_by=other.judge,
            judged_by_rules=other.rule_written,
        )
        name = side_name(report, other.judge)
        yield ShownSide(name, f"{_answer(report)}, judged by {other.judge}", view, False)


def side_name(report: ReportView, judge: str) -> str:
    return f"{report.entry.key}.{file_name(judge)}"


def _answer(report: ReportView) -> str:
    return f"{report.entry.variant}, trial {report.entry.trial}"
