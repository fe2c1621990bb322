"""What systems, memories and judges cost, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drr.app.report.material import LONGEST_NAME, Material
from drr.app.report.tables import AnswerRow, Behind, Cell, Form, Heading, Table, TableLine
from drr.eval.metrics.costs import cost_of, shared_judgements
from drr.eval.metrics.rows import cost_part
from drr.study.unit import Record
from drr.wording.excerpt import excerpt

NOTE = (
    "Means with their 95 % interval. A memory observes a person once, whatever agents, budgets and questions there are; judging counts every judgement of this judge that was paid for. "
    "What nobody metered or has no known price is unscored, and never 0."
)


def _lines(material: Material) -> Iterator[TableLine]:
    """A row for each part of each system, and for what judging took in all."""
    cost = cost_part(material.document)
    if cost is None:
        return
    for system, own in cost["systems"].items():
        yield TableLine(f"{system}: agent, an answer", own["agent"], (system,))
        if "build" in own:
            yield TableLine(f"{system}: memory observes, a person", own["build"], (system,))
        if "recall" in own:
            yield TableLine(f"{system}: memory recalls, a question", own["recall"], (system,))
        if "judge" in own:
            yield TableLine(f"{system}: judge, an answer", own["judge"], (system,))
    for task, whole in cost["shared"].items():
        cells = {
            "tokens": Cell(whole["tokens"], digits=0),
            "calls": Cell(whole["calls"], digits=0),
            "seconds": Cell(whole["seconds"], digits=1),
            "usd": Cell(whole["usd"], digits=4),
        }
        yield TableLine(f"judge, {task.replace('_', ' ')}, in all", cells, ())


def _notes(material: Material) -> list[str]:
    cost = cost_part(material.document)
    return [NOTE] + [
        f"{system}: {own['failed']} answers failed and are in no mean; they took {_dollars(own['failed_usd'])}."
        for system, own in (cost["systems"].items() if cost else ())
        if own["failed"]
    ]


def _dollars(value: float | None) -> str:
    return "dollars that are unknown" if value is None else f"${value:.4f}"


def cost_cells(record: Record) -> Sequence[str]:
    """Tokens, calls, seconds and dollars of one unit, under the columns of the table."""
    values = zip(cost_of(record), (0, 0, 3, 4), strict=True)
    return ["–" if value is None else f"{value:,.{places}f}" for value, places in values]


def _shared(material: Material, table: Table) -> Iterator[Behind]:
    """Judgements of questions and persons, which many answers share."""
    if () in table.behind.values():
        rows = [
            AnswerRow(excerpt(record.label, LONGEST_NAME), cost_cells(record))
            for record in shared_judgements(material.study, material.judged)
        ]
        yield Behind(table.name, table.title, table.columns, rows)


MEASURED_COST = Form(
    "cost",
    "Measured cost",
    (
        Heading("tokens", "tokens", "Read and written by models; embedded texts are none.", digits=0),
        Heading("calls", "calls", "Calls of models.", digits=1),
        Heading("seconds", "seconds", "Of the wall clock; of a judge those of its model.", digits=3),
        Heading("dollars", "usd", "Unknown where a price is, or what a server embedded.", digits=4),
    ),
    _lines,
    _notes,
    sections=_shared,
    each=lambda answer: cost_cells(answer.record),
)
