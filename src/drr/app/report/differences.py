"""Shows paired differences of systems as a table, and the noise floor of tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from drr.app.report.contrasts import DIFFERENCES
from drr.app.report.material import ReportData
from drr.app.report.tables import NOT_MEASURED, Cell, Heading, Table
from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric
from drr.eval.stats.differences import RepetitionFloor

_WHENCE = {
    "trials": "It comes from repeated trials and includes the judge's own variation.",
    "judge repeats": "It was measured by asking the judge again, because no question has two trials. Agents vary too, so the true floor is higher.",
}
_NEITHER = {
    False: "Noise floor: not measured (it takes `drr run --trials 2`, or `drr judge --repeat 3` for the judge's part of it).",
    True: "Noise floor: not measured. `drr judge --repeat 2` measures the judge's part of it. For the systems' part, import two "
    "reports for each question, one with the field `trial` at 1 and one at 2.",
}
"""Notes on an unknown noise floor. The key is `True` where all reports were imported, so that their systems cannot be run again."""


def floor_cells(material: ReportData, metrics: Sequence[Metric | None]) -> list[Cell]:
    """Return the noise floor of each metric as a cell. The noise floor is the difference that repeated runs alone can give; `None` stands for a column without a metric."""
    cells = []
    for metric in metrics:
        floor = None if metric is None else material.floor(metric.name)
        if metric is None:
            cells.append(Cell(None))
        elif floor is None:
            cells.append(Cell(None, missing=NOT_MEASURED))
        else:
            cells.append(Cell(floor.value, n=floor.n, digits=metric.digits))
    return cells


def floor_notes(material: ReportData, metrics: Sequence[Metric]) -> list[str]:
    found = [floor for metric in metrics if (floor := material.floor(metric.name)) is not None]
    if not found:
        return [not_measured(answer for own in material.variants.values() for answer in own)]
    whence = " ".join(source for by, source in _WHENCE.items() if by in {floor.by for floor in found})
    return [
        "Noise floor: runs vary, so two equally good systems differ too, in 19 of 20 cases by less than this. It is "
        f"measured on the two systems that vary most. {whence} "
        "A grey ≈ marks a difference smaller than the floor. Beside a single value, it says that this value and the best of its "
        "column differ by less than the floor."
    ]


def not_measured(answers: Iterable[Answer]) -> str:
    """Return the note that the noise floor was not measured, with the commands that would measure it."""
    return _NEITHER[{answer.imported for answer in answers} == {True}]


def within_floor(figures: Mapping[str, float | None], floor: float | None, better: str | None) -> set[str]:
    """Return the systems, other than the best, whose value differs from the best by less than the noise floor."""
    known = {system: value for system, value in figures.items() if value is not None}
    if floor is None or better is None or not known:
        return set()
    best = (min if better == "lower" else max)(known.values())
    leader = next(system for system, value in known.items() if value == best)
    return {system for system, value in known.items() if system != leader and abs(value - best) < floor}


def greyed(cell: Cell, floor: RepetitionFloor | None) -> Cell:
    """Return the cell of a difference, marked as slight where the difference is below the noise floor."""
    if floor is None or not isinstance(cell.value, (int, float)):
        return cell
    return replace(cell, slight=abs(cell.value) < floor.value)


def with_floor_note(table: Table) -> Table:
    """Return the table, with a note on the noise floor if one is missing. Every table with intervals must mention the noise floor."""
    measured = any(cell.low is not None for _, cells in table.rows for cell in cells)
    if (
        not measured
        or table.floor
        or any(note.startswith(("Noise floor", "No noise floor")) for note in table.notes)
    ):
        return table
    return replace(table, notes=[*table.notes, "Noise floor: not measured."])


NOTE = (
    "First minus second, on the questions where both have a figure, with the 95 % interval of this pair. The decision is corrected: "
    "in bold p < .05 by the sign-flip test, after Holm's correction over all differences."
)


def differences_table(material: ReportData) -> Table | None:
    found = material.contrasts
    if not found:
        return None
    shown = list(dict.fromkeys(one.metric for one in found))
    cells = {
        (one.name, one.metric.name): greyed(
            Cell.tested(one.row, one.metric.digits), material.floor(one.metric.name)
        )
        for one in found
    }
    return Table(
        DIFFERENCES,
        "Paired differences",
        [Heading.of(metric)._replace(scale=metric.scale) for metric in shown],
        [
            (name, [cells[name, metric.name] for metric in shown])
            for name in dict.fromkeys(one.name for one in found)
        ],
        [NOTE, *floor_notes(material, shown)],
        material.banner,
        floor_cells(material, shown),
    )
