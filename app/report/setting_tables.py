"""The tables of settings: what knowing the person gains each agent, memory beside memory; and what systems cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drr.app.report.floors import floor_cells, floor_notes, greyed
from drr.app.report.material import Material
from drr.app.report.tables import Cell, Heading, Table
from drr.env.given import parts_of
from drr.eval.evidence.answers import Answer
from drr.eval.metrics import metrics
from drr.eval.metrics.base import Metric
from drr.eval.metrics.cost_rows import SpentRow, cost_part
from drr.eval.metrics.costs import cost_of
from drr.eval.metrics.rows import StudyDocument
from drr.eval.stats.intervals import SIGNIFICANT
from drr.papers.pdr.metrics.memory_tables import SHOWN
from drr.papers.pdr.metrics.setting_pairs import FURTHER, GRADES
from drr.papers.pdr.metrics.setting_rows import (
    AgentSettings,
    ComparedMemory,
    MemoryTable,
    SettingDifference,
    settings_of,
    settings_part,
)
from drr.study.unit import Record

NOTE = (
    "A minus row: the paired difference on the questions that both answered, with its 95 % interval, as `drr study compare` has it; bold where it is "
    "beyond the noise (sign-flip test, Holm over every difference of the study's settings, p < 0.05). Criteria are those of the task and the "
    "person, the same under every setting."
)
MEMORY_NOTE = (
    "Every memory was given the same questions, contexts and most tokens; a recall that failed fails the answer, is counted, and takes its question out of every row. "
    "Minus rows as in the table of settings, Holm over this table."
)
COST_NOTE = (
    "Means with their 95 % interval. A memory observes a person once, whatever agents, budgets and questions there are; judging counts every judgement of this judge that was paid for. "
    "What nobody metered or has no known price is unscored, and never 0."
)
FAILED = Heading("failures", "failures", "Answers that failed, by kind; in brackets how.")
SAME = Heading("same reports", "same_reports", "Reports of both settings that are equal byte for byte.")
TOLD = Heading("tokens given", "tokens_given", "Tokens of what was told of the person with the question.")


def setting_tables(material: Material) -> Iterator[Table]:
    """Where systems answered under settings; what criteria grade only where they did."""
    if "settings" not in material.document:
        return
    if any("pqr_p" in row for row in material.document["metrics"].values()):
        yield from _gains(material)
    if settings_of(material.document)["memories"]:
        yield _memories(material)


def _gains(material: Material) -> Iterator[Table]:
    titles = {
        "settings": ("What knowing the person gains (PDR-Bench's Tables 2 and 8)", GRADES),
        "settings-dimensions": ("What knowing the person gains: dimensions of Q and R", FURTHER),
    }
    known, figures = metrics(), material.document["metrics"]
    for key, (title, names) in titles.items():
        shown = [known[name] for name in names if any(name in row for row in figures.values())]
        if shown:
            yield _table(material, key, title, shown)


def _table(material: Material, key: str, title: str, shown: Sequence[Metric]) -> Table:
    rows: list[tuple[str, Sequence[Cell]]] = []
    for own in settings_of(material.document)["agents"].values():
        rows += [(system, _figures(material, own, system, shown)) for system in own["systems"]]
        rows += [(_name(one), _differences(material, one, shown)) for one in own["differences"]]
    columns = [*(Heading(metric.label, metric.name, metric.explanation) for metric in shown), TOLD, SAME]
    notes = [*notes_of(material), *floor_notes(material, shown)]
    floor = floor_cells(material, [*shown, None, None])
    between = [one for own in settings_of(material.document)["agents"].values() for one in own["differences"]]
    return Table(key, title, columns, rows, notes, material.banner, floor, _behind(between))


def notes_of(material: Material) -> list[str]:
    settings = settings_of(material.document)
    mixed = [agent for agent, own in settings["agents"].items() if not own["same_questions"]]
    notes = [NOTE, *settings["told"]]
    if mixed:
        notes.append(
            f"{', '.join(mixed)}: not every setting answered the same questions, so that rows are means of different ones; compare by the minus rows."
        )
    return notes


def _figures(material: Material, own: AgentSettings, system: str, shown: Sequence[Metric]) -> list[Cell]:
    row = material.document["metrics"][system]
    told = Cell.of(own["tokens_given"].get(system), 0)
    return [*(Cell.of(row.get(metric.name), metric.digits) for metric in shown), told, Cell(None)]


def _name(one: SettingDifference) -> str:
    """`react: persona minus task`."""
    a, b = parts_of(one["a"]), parts_of(one["b"])
    return f"{a.agent}: {a.setting.name} minus {b.setting.name}"


def _behind(differences: Sequence[SettingDifference]) -> dict[str, Sequence[str]]:
    return {_name(one): (one["a"], one["b"]) for one in differences}


def _differences(material: Material, one: SettingDifference, shown: Sequence[Metric]) -> list[Cell]:
    cells = [greyed(difference_cell(one, metric), material.floor(metric.name)) for metric in shown]
    return [*cells, Cell(None), Cell(f"{one['same_reports']} of {one['reports']}")]


def difference_cell(one: SettingDifference, metric: Metric) -> Cell:
    tested = one["metrics"].get(metric.name)
    p = None if tested is None else tested["p_holm"]
    return Cell.of(tested, metric.digits, signed=True, bold=p is not None and p < SIGNIFICANT)


def _memories(material: Material) -> Table:
    known = metrics()
    shown = [
        known[name] for name in SHOWN if any(name in row for row in material.document["metrics"].values())
    ]
    rows: list[tuple[str, Sequence[Cell]]] = []
    tables = settings_of(material.document)["memories"]
    notes = [MEMORY_NOTE] if any(table["refused"] is None for table in tables) else []
    for table in tables:
        rows += [(one["system"], _of_memory(table, one, shown)) for one in table["rows"]]
        rows += [
            (_name(one), [*_differences(material, one, shown)[:-1], Cell(None)])
            for one in table["differences"]
        ]
        notes += told_of_memories(table)
    notes += [*settings_of(material.document)["told"], *floor_notes(material, shown)]
    floor = floor_cells(material, [*shown, None, None])
    columns = [*(Heading(metric.label, metric.name, metric.explanation) for metric in shown), TOLD, FAILED]
    title = "Memories at one budget (PDR-Bench's Table 3)"
    between = [one for table in tables for one in table["differences"]]
    return Table("memories", title, columns, rows, notes, material.banner, floor, _behind(between))


def refusals(document: StudyDocument) -> list[str]:
    """Why memories of an agent stand in no table, for who reads no table either."""
    found = part["memories"] if (part := settings_part(document)) is not None else []
    return [line for table in found if table["refused"] is not None for line in told_of_memories(table)]


def told_of_memories(table: MemoryTable) -> list[str]:
    """What must be known of the rows, first of all where they are no table."""
    if table["refused"] is not None:
        return [f"Refused for {table['agent']}: {table['refused']}."]
    asked = max(row["asked"] for row in table["rows"])
    rows = f"{table['agent']} at {table['budget']:,} tokens: the {table['questions']} of {asked} questions that every row answered"
    return [f"{rows}.", *(f"{left}." for left in table["left_out"])]


def _of_memory(table: MemoryTable, row: ComparedMemory, shown: Sequence[Metric]) -> list[Cell]:
    failed = sum(row["failures"].values())
    kinds = ", ".join(f"{count} {kind}" for kind, count in row["failures"].items())
    last = Cell(f"{failed} ({kinds})" if failed else "0")
    if table["refused"] is not None:
        return [Cell("refused"), *(Cell(None) for _ in shown), last]
    return [
        *(Cell.of(row["metrics"].get(metric.name), metric.digits) for metric in shown),
        Cell.of(row["tokens_given"], 0),
        last,
    ]


def measured_cost(material: Material) -> Table | None:
    """A row for each part of each system."""
    cost = cost_part(material.document)
    if cost is None:
        return None
    rows: list[tuple[str, Sequence[Cell]]] = []
    behind: dict[str, Sequence[str]] = {}
    for system, own in cost["systems"].items():
        parts = [("agent, an answer", own["agent"])]
        if "build" in own:
            parts.append(("memory observes, a person", own["build"]))
        if "recall" in own:
            parts.append(("memory recalls, a question", own["recall"]))
        if "judge" in own:
            parts.append(("judge, an answer", own["judge"]))
        rows += [(f"{system}: {part}", _spent(spent)) for part, spent in parts]
        behind |= {f"{system}: {part}": (system,) for part, _ in parts}
    for task, whole in cost["shared"].items():
        cells = [
            Cell(whole["tokens"], digits=0),
            Cell(whole["calls"], digits=0),
            Cell(whole["seconds"], digits=1),
        ]
        name = f"judge, {task.replace('_', ' ')}, in all"
        rows.append((name, [*cells, Cell(whole["usd"], digits=4)]))
        behind[name] = ()
    failed = {system: own["failed"] for system, own in cost["systems"].items() if own["failed"]}
    notes = [COST_NOTE]
    notes += [
        f"{system}: {count} answers failed and are in no mean; they took {_dollars(cost['systems'][system]['failed_usd'])}."
        for system, count in failed.items()
    ]
    columns = [
        Heading("tokens", "tokens", "Read and written by models; embedded texts are none."),
        Heading("calls", "calls", "Calls of models."),
        Heading("seconds", "seconds", "Of the wall clock; of a judge those of its model."),
        Heading("dollars", "usd", "Unknown where a price is, or what a server embedded."),
    ]
    title = "Measured cost (PDR-Bench's Table 9, DR3-Eval's Table 12)"
    return Table("cost", title, columns, rows, notes, material.banner, behind=behind, each=_cost_of_agent)


def _cost_of_agent(answer: Answer) -> list[str]:
    return cost_cells(answer.record)


def cost_cells(record: Record) -> list[str]:
    """Tokens, calls, seconds and dollars of one unit, under the columns of the table."""
    digits = (0, 0, 3, 4)
    return [
        "–" if value is None else f"{value:,.{places}f}"
        for value, places in zip(cost_of(record), digits, strict=True)
    ]


def _spent(row: SpentRow) -> list[Cell]:
    return [
        Cell.of(row["tokens"], 0),
        Cell.of(row["calls"], 1),
        Cell.of(row["seconds"], 3),
        Cell.of(row["usd"], 4),
    ]


def _dollars(value: float | None) -> str:
    return "dollars that are unknown" if value is None else f"${value:.4f}"
