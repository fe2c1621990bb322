"""The report's tables and figure for PDR-Bench: P, Q and R, settings, memories, and the swap of persons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from drr.env.person_setting import parts_of
from drr.eval.metrics import metrics
from drr.eval.metrics.base import Metric
from drr.eval.metrics.rows import StudyDocument
from drr.papers.pdr.metrics.comparing import (
    FURTHER,
    GRADES,
    SHOWN,
    AgentSettings,
    MemoryTable,
    SettingDifference,
    SettingsDocument,
    settings_part,
)
from drr.papers.pdr.metrics.swap import verdict_on
from drr.plugin import (
    PALETTE,
    Cell,
    Heading,
    MetricForm,
    ReportData,
    ReportFigure,
    ReportParts,
    Table,
    floor_cells,
    floor_notes,
    greyed,
    metric_cells,
    metric_headings,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


LINES = (
    ("pqr_p", "", 2.2),
    ("pqr_goal", PALETTE[0], 1.1),
    ("pqr_cont", PALETTE[1], 1.1),
    ("pqr_pres", PALETTE[2], 1.1),
    ("pqr_acti", PALETTE[4], 1.1),
)
"""Metric, colour (empty: that of the text) and width of each line."""
ACROSS = 2
"""Number of panels in a row."""


def draw_settings(material: ReportData) -> Figure | None:
    """Draw the agents that were scored under at least two settings. Memories are points outside the line, as none is a
    step beyond another."""
    from matplotlib.figure import Figure

    part, figures = settings_part(material.document), material.document["metrics"]
    agents = part["agents"] if part is not None else {}
    scored = {agent: sum("pqr_p" in figures[one] for one in own["systems"]) for agent, own in agents.items()}
    shown = [(agent, own) for agent, own in agents.items() if scored[agent] > 1]
    if not shown:
        return None
    across = min(ACROSS, len(shown))
    down = ceil(len(shown) / across)
    figure = Figure(figsize=(1.0 + 4.2 * across, 0.6 + 3.2 * down), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).flatten()
    for panel, (agent, own) in zip(panels, shown, strict=False):
        _panel(panel, material, agent, own)
    for empty in panels[len(shown) :]:
        empty.set_axis_off()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), fontsize=8, frameon=False)
    return figure


def _panel(axes: Any, material: ReportData, agent: str, own: AgentSettings) -> None:
    systems, figures = own["systems"], material.document["metrics"]
    names = [parts_of(system).setting.name for system in systems]
    line = [place for place, name in enumerate(names) if not name.startswith("memory:")]
    ink = axes.xaxis.label.get_color()
    for metric, own_color, width in LINES:
        color = own_color or ink
        rows = [figures[system].get(metric) for system in systems]
        # unknown values are gaps in the line
        values = [float("nan") if row is None or row["value"] is None else row["value"] for row in rows]
        axes.plot(range(len(systems)), values, "o", color=color, markersize=2.5 + width)
        kept = [values[place] for place in line]
        axes.plot(line, kept, color=color, linewidth=width, label=metrics()[metric].label)
    for place, system in enumerate(systems):
        row = figures[system].get("pqr_p")
        if row is not None and row["ci_low"] is not None and row["ci_high"] is not None:
            axes.vlines(place, row["ci_low"], row["ci_high"], color=ink, linewidth=0.8, alpha=0.6)
    mixed = "" if own["same_questions"] else " (settings answered different questions)"
    axes.set_title(f"{' '.join(agent.split())[:40]}{mixed}", fontsize=9)
    axes.set_xticks(range(len(systems)), names, rotation=25, ha="right", fontsize=8)
    axes.set_ylim(0, 10)
    axes.set_ylabel("0-10; bars: 95 % interval of P", fontsize=8)


NOTE = (
    "A minus row: the paired difference on the questions that both answered, with the 95 % interval of this pair, as `drr study compare` has it; bold where it is "
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


class _SettingLine(NamedTuple):
    name: str
    figures: Sequence[Cell]
    given: Cell = Cell(None)
    last: Cell = Cell(None)


def setting_tables(material: ReportData) -> Iterator[Table]:
    """Yield the tables if systems answered under settings; tables of criteria only if criteria were scored."""
    settings = settings_part(material.document)
    if settings is None:
        return
    if any("pqr_p" in row for row in material.document["metrics"].values()):
        yield from _gains(material, settings)
    if settings["memories"]:
        yield _memories(material, settings)


def _metrics_with_values(material: ReportData, names: Sequence[str]) -> list[Metric]:
    figures = material.document["metrics"].values()
    return [metrics()[name] for name in names if any(name in row for row in figures)]


def _table(
    material: ReportData, about: tuple[str, str], shown: Sequence[Metric], lines: Sequence[_SettingLine], last: Heading, notes: Sequence[str]
) -> Table:  # fmt: skip
    """Return a table of figures, tokens given, and a last column of text; `about` holds its name and title."""
    return Table(
        *about,
        [*metric_headings(shown), GIVEN, last],
        [(line.name, [*line.figures, line.given, line.last]) for line in lines],
        [*notes, *floor_notes(material, shown)],
        material.banner,
        floor_cells(material, [*shown, None, None]),
    )


def _gains(material: ReportData, settings: SettingsDocument) -> Iterator[Table]:
    agents, figures = settings["agents"], material.document["metrics"]
    mixed = ", ".join(agent for agent, own in agents.items() if not own["same_questions"])
    why = "not every setting answered the same questions, so that rows are means of different ones; compare by the minus rows."
    notes = [NOTE, *settings["told"], *([f"{mixed}: {why}"] if mixed else [])]
    for name, title, names in (
        ("settings", "What knowing the person gains (PDR-Bench's Tables 2 and 8)", GRADES),
        ("settings-dimensions", "What knowing the person gains: dimensions of Q and R", FURTHER),
    ):
        shown, lines = _metrics_with_values(material, names), list[_SettingLine]()
        for own in agents.values():
            for system in own["systems"]:
                given = Cell.of(own["tokens_given"].get(system), 0)
                lines.append(_SettingLine(system, metric_cells(figures[system], shown), given))
            for one in own["differences"]:
                same = Cell(f"{one['same_reports']} of {one['reports']}")
                lines.append(_difference(material, one, shown)._replace(last=same))
        if shown:
            yield _table(material, (name, title), shown, lines, SAME, notes)


def _difference(material: ReportData, one: SettingDifference, shown: Sequence[Metric]) -> _SettingLine:
    """Return the row of a difference, e.g. `react: persona minus task`."""
    a, b = parts_of(one["a"]), parts_of(one["b"])
    name = f"{a.agent}: {a.setting.name} minus {b.setting.name}"
    cells = [greyed(difference_cell(one, metric), material.floor(metric.name)) for metric in shown]
    return _SettingLine(name, cells)


def difference_cell(one: SettingDifference, metric: Metric) -> Cell:
    return Cell.tested(one["metrics"].get(metric.name), metric.digits)


def _memories(material: ReportData, settings: SettingsDocument) -> Table:
    shown, lines, tables = _metrics_with_values(material, SHOWN), list[_SettingLine](), settings["memories"]
    notes = [MEMORY_NOTE] if any(table["refused"] is None for table in tables) else []
    for table in tables:
        for row in table["rows"]:
            failed, kinds = sum(row["failures"].values()), row["failures"].items()
            how = ", ".join(f"{count} {kind}" for kind, count in kinds)
            last, cells = Cell(f"{failed} ({how})" if failed else "0"), metric_cells(row["metrics"], shown)
            given = Cell.of(row["tokens_given"], 0)
            if table["refused"] is not None:
                cells, given = [Cell("refused"), *(Cell(None) for _ in shown)][: len(shown)], Cell(None)
            lines.append(_SettingLine(row["system"], cells, given, last))
        lines += [_difference(material, one, shown) for one in table["differences"]]
        notes += memory_notes(table)
    about = ("memories", "Memories at one budget (PDR-Bench's Table 3)")
    return _table(material, about, shown, lines, FAILED, [*notes, *settings["told"]])


def refusals(document: StudyDocument) -> list[str]:
    """Return why memories of an agent are in no table, also for readers of other formats."""
    part = settings_part(document)
    refused = (table for table in (part["memories"] if part else ()) if table["refused"] is not None)
    return [line for table in refused for line in memory_notes(table)]


def memory_notes(table: MemoryTable) -> list[str]:
    """Return the notes on a table of memories; for a refused table only the reason."""
    if table["refused"] is not None:
        return [f"Refused for {table['agent']}: {table['refused']}."]
    asked = max(row["asked"] for row in table["rows"])
    rows = f"{table['agent']} at {table['budget']:,} tokens: the {table['questions']} of {asked} questions that every row answered"
    return [f"{rows}.", *(f"{left}." for left in table["left_out"])]


def _pqr_notes(material: ReportData) -> list[str]:
    return [
        "Grey, with ≈: no further from the best of the column than P or Q of one report sways between rounds of scoring (SD). R is no round's."
        " Criteria differ from person to person: compare variants on the same questions only."
    ]


_SWAYS = {
    name: f"pqr_{half}_sd_rounds"
    for half, names in (("p", ("p", "goal", "cont", "pres", "acti")), ("q", ("q", "dein", "logc", "clar")))
    for name in (f"pqr_{one}" for one in names)
}


def _swap_notes(material: ReportData) -> list[str]:
    swapped = {
        name: row["pqr_delta"] for name, row in material.document["metrics"].items() if "pqr_delta" in row
    }
    return [f"{variant}: {verdict_on(delta)}." for variant, delta in swapped.items()]


FORMS: Mapping[str, MetricForm] = {
    "pqr": MetricForm(lead=("pqr_r",), notes=_pqr_notes, sways=_SWAYS, is_printed=True),
    "pqr-dimensions": MetricForm(
        lead=("pqr_fa", "pqr_cc"),
        closing={metric: metric for metric in dict.fromkeys(_SWAYS.values())},
        notes=_pqr_notes,
        sways=_SWAYS,
        is_printed=True,
    ),
    "swap": MetricForm(lead=("pqr_p", "pqr_violations"), notes=_swap_notes),
}
PARTS = ReportParts(
    forms=FORMS,
    tables=setting_tables,
    figures=(
        ReportFigure(
            "settings", "Personalization from setting to setting (PDR-Bench's Figure 3)", draw_settings
        ),
    ),
    refusals=refusals,
)
