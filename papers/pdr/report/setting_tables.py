"""The tables of settings: what knowing the person gains each agent, and memory beside memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from drr.app.report.floors import floor_cells, floor_notes, greyed
from drr.app.report.material import Material
from drr.app.report.tables import Cell, Heading, Table, metric_cells, metric_headings
from drr.env.given import parts_of
from drr.eval.metrics import metrics
from drr.eval.metrics.base import Metric
from drr.eval.metrics.rows import StudyDocument
from drr.papers.pdr.metrics.memory_tables import SHOWN
from drr.papers.pdr.metrics.setting_pairs import FURTHER, GRADES
from drr.papers.pdr.metrics.setting_rows import (
    ComparedMemory,
    MemoryTable,
    SettingDifference,
    settings_of,
    settings_part,
)

NOTE = (
    "A minus row: the paired difference on the questions that both answered, with its 95 % interval, as `drr study compare` has it; bold where it is "
    "beyond the noise (sign-flip test, Holm over every difference of the study's settings, p < 0.05). Criteria are those of the task and the "
    "person, the same under every setting."
)
MEMORY_NOTE = (
    "Every memory was given the same questions, contexts and most tokens; a recall that failed fails the answer, is counted, and takes its question out of every row. "
    "Minus rows as in the table of settings, Holm over this table."
)
FAILED = Heading("failures", "failures", "Answers that failed, by kind; in brackets how.")
SAME = Heading("same reports", "same_reports", "Reports of both settings that are equal byte for byte.")
GIVEN = Heading("tokens given", "tokens_given", "Tokens of what was told of the person with the question.")


def setting_tables(material: Material) -> Iterator[Table]:
    """Yield tables where systems answered under settings; what criteria grade only where they did."""
    if "settings" not in material.document:
        return
    if any("pqr_p" in row for row in material.document["metrics"].values()):
        yield from _gains(material)
    if settings_of(material.document)["memories"]:
        yield _memories(material)


def _shown(material: Material, names: Sequence[str]) -> list[Metric]:
    figures = material.document["metrics"].values()
    return [metrics()[name] for name in names if any(name in row for row in figures)]


def _table(
    material: Material,
    about: tuple[str, str],
    shown: Sequence[Metric],
    lines: Sequence[_SettingLine],
    last: Heading,
    notes: Sequence[str],
) -> Table:
    """`about`: name and title. Figures, the tokens that were given, and a last column of words."""
    return Table(
        *about,
        [*metric_headings(shown), GIVEN, last],
        [(line.name, [*line.figures, line.given, line.last]) for line in lines],
        [*notes, *floor_notes(material, shown)],
        material.banner,
        floor_cells(material, [*shown, None, None]),
        {line.name: line.behind for line in lines if line.behind},
    )


class _SettingLine(NamedTuple):
    name: str
    figures: Sequence[Cell]
    given: Cell = Cell(None)
    last: Cell = Cell(None)
    behind: Sequence[str] = ()


def _gains(material: Material) -> Iterator[Table]:
    agents, figures = settings_of(material.document)["agents"], material.document["metrics"]
    for name, title, names in (
        ("settings", "What knowing the person gains (PDR-Bench's Tables 2 and 8)", GRADES),
        ("settings-dimensions", "What knowing the person gains: dimensions of Q and R", FURTHER),
    ):
        shown, lines = _shown(material, names), list[_SettingLine]()
        for own in agents.values():
            given = own["tokens_given"]
            lines += [
                _SettingLine(system, metric_cells(figures[system], shown), Cell.of(given.get(system), 0))
                for system in own["systems"]
            ]
            for one in own["differences"]:
                same = Cell(f"{one['same_reports']} of {one['reports']}")
                lines.append(_difference(material, one, shown)._replace(last=same))
        if shown:
            yield _table(material, (name, title), shown, lines, SAME, notes_of(material))


def notes_of(material: Material) -> list[str]:
    settings = settings_of(material.document)
    mixed = [agent for agent, own in settings["agents"].items() if not own["same_questions"]]
    notes = [NOTE, *settings["told"]]
    if mixed:
        notes.append(
            f"{', '.join(mixed)}: not every setting answered the same questions, so that rows are means of different ones; compare by the minus rows."
        )
    return notes


def _difference(material: Material, one: SettingDifference, shown: Sequence[Metric]) -> _SettingLine:
    """`react: persona minus task`."""
    a, b = parts_of(one["a"]), parts_of(one["b"])
    name = f"{a.agent}: {a.setting.name} minus {b.setting.name}"
    cells = [greyed(difference_cell(one, metric), material.floor(metric.name)) for metric in shown]
    return _SettingLine(name, cells, behind=(one["a"], one["b"]))


def difference_cell(one: SettingDifference, metric: Metric) -> Cell:
    return Cell.tested(one["metrics"].get(metric.name), metric.digits)


def _memories(material: Material) -> Table:
    shown, lines = _shown(material, SHOWN), list[_SettingLine]()
    tables = settings_of(material.document)["memories"]
    notes = [MEMORY_NOTE] if any(table["refused"] is None for table in tables) else []
    for table in tables:
        lines += [_of_memory(table, one, shown) for one in table["rows"]]
        lines += [_difference(material, one, shown) for one in table["differences"]]
        notes += memory_notes(table)
    about = ("memories", "Memories at one budget (PDR-Bench's Table 3)")
    return _table(material, about, shown, lines, FAILED, [*notes, *settings_of(material.document)["told"]])


def _of_memory(table: MemoryTable, row: ComparedMemory, shown: Sequence[Metric]) -> _SettingLine:
    failed = sum(row["failures"].values())
    kinds = ", ".join(f"{count} {kind}" for kind, count in row["failures"].items())
    last = Cell(f"{failed} ({kinds})" if failed else "0")
    if table["refused"] is not None:
        return _SettingLine(
            row["system"], [Cell("refused"), *(Cell(None) for _ in shown)][: len(shown)], last=last
        )
    given = Cell.of(row["tokens_given"], 0)
    return _SettingLine(row["system"], metric_cells(row["metrics"], shown), given, last)


def refusals(document: StudyDocument) -> list[str]:
    """Say why memories of an agent stand in no table, for who reads no table either."""
    found = part["memories"] if (part := settings_part(document)) is not None else []
    return [line for table in found if table["refused"] is not None for line in memory_notes(table)]


def memory_notes(table: MemoryTable) -> list[str]:
    """Say what must be known of the rows, first of all where they are no table."""
    if table["refused"] is not None:
        return [f"Refused for {table['agent']}: {table['refused']}."]
    asked = max(row["asked"] for row in table["rows"])
    rows = f"{table['agent']} at {table['budget']:,} tokens: the {table['questions']} of {asked} questions that every row answered"
    return [f"{rows}.", *(f"{left}." for left in table["left_out"])]
