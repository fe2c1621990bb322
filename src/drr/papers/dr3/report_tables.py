"""The report's tables and figure for DR3-Eval: by size, option, modality and kind of error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING, Any

from drr.eval.metrics import metrics
from drr.eval.metrics.base import Metric
from drr.papers.dr3.metrics.document import SHOWN
from drr.papers.dr3.metrics.rows import ERRORS, Dr3Difference, Dr3Document, NoiseRow, dr3_part
from drr.plugin import (
    NOT_MEASURED,
    PALETTE,
    Cell,
    Heading,
    MetricForm,
    ReportData,
    ReportFigure,
    ReportParts,
    Table,
    metric_cells,
    metric_headings,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


PANELS = ("dr3_ir_sc", "dr3_cc", "dr3_ir_uf", "dr3_fa", "dr3_if", "dr3_dq")
ACROSS = 3
LONGEST = 32


def draw_sizes(material: ReportData) -> Figure | None:
    """Draw the figures against size; `None` if no system was asked at two sizes."""
    document = dr3_part(material.document)
    if document is None or all(len(own) < 2 for own in document["sizes"].values()):
        return None
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6), layout="constrained")
    panels = figure.subplots(2, ACROSS, squeeze=False).flatten()
    sizes = sorted(
        {size: None for own in document["sizes"].values() for size in own},
        key=lambda size: max(list(own).index(size) for own in document["sizes"].values() if size in own),
    )
    for panel, name in zip(panels, PANELS, strict=True):
        for color, (system, own) in zip(cycle(PALETTE), document["sizes"].items()):
            _line(panel, [own.get(size, {}).get(name) for size in sizes], system, color)
        panel.set_title(metrics()[name].label, fontsize=9)
        panel.set_xticks(range(len(sizes)), sizes, fontsize=8)
        panel.set_ylim(0, 100)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=min(4, len(labels)), fontsize=8, frameon=False
    )
    return figure


def _line(axes: Any, rows: list[Any], system: str, color: str) -> None:
    """Draw a system's line with intervals; unknown values are gaps."""
    values = [float("nan") if row is None or row["value"] is None else row["value"] for row in rows]
    axes.plot(
        range(len(rows)), values, "o-", color=color, markersize=3, label=" ".join(system.split())[:LONGEST]
    )
    for place, row in enumerate(rows):
        if row is not None and row["ci_low"] is not None and row["ci_high"] is not None:
            axes.vlines(place, row["ci_low"], row["ci_high"], color=color, linewidth=0.8, alpha=0.6)


NOTE = (
    "A minus row: the paired difference over the tasks that both have, with the 95 % interval of this pair; bold where it is beyond the noise (sign-flip test, Holm "
    "over this table, p < 0.05). Sizes are nested: the smaller corpus is a part of the larger."
)
ERROR_NOTE = "Of all errors of a report the share that is of this kind, mean over queries; labels are those of code and of the judge, and a report may be counted under several."

BETWEEN = {"trials": "trials", "judgings": "judgings of one report", None: NOT_MEASURED}
HOW = "`drr run --trials 3` measures all of it, `drr judge --repeat 3` the judge's part."
NOISE_NOTES = (
    "Standard deviation of one report's figure when the same is done again: answered (trials of a question), else judged (`drr judge --repeat`: the same report, the "
    "judge alone, and only what he was asked anew). n: questions, or reports, that have two. A mean of m questions sways by this over the root of m.",
    HOW,
)
Row = tuple[str, Sequence[Cell]]
Draft = Callable[..., Table]
"""A function that makes a table under the study's banner."""


def _noise_notes(document: Dr3Document) -> list[str]:
    """Return notes on the noise of the figures, for any table that shows them."""
    floors = [one["metrics"] for one in document["noise"].values()]
    known = {name: [sd for one in floors if (sd := one[name]["sd"]) is not None] for name in PANELS}
    if not floors:
        return []
    noise = ", ".join(
        f"{metrics()[name].label} {metrics()[name].shown(max(own))}" for name, own in known.items() if own
    )
    if not noise:
        return [f"Noise floor: {NOT_MEASURED}: each question was answered once and judged once. {HOW}"]
    return [
        f"Noise floor, standard deviation of one report, the largest of any system: {noise}; others {NOT_MEASURED}. `dr3-noise` has each."
    ]


def dr3_tables(material: ReportData) -> Iterator[Table]:
    """Yield the tables, if reports were compared with required facts."""
    document = dr3_part(material.document)
    if document is None:
        return
    rows = [row for own in document["sizes"].values() for row in own.values()]
    shown = [metrics()[name] for name in SHOWN if any(name in row for row in rows)]
    table = partial(Table, banner=material.banner)
    yield _sizes(table, document, shown)
    if document["between_options"]:
        yield _options(table, document, shown)
    yield _noise(table, document, shown)
    yield _modalities(table, document)
    yield _errors(table, document)


def _difference(one: Dr3Difference, shown: Sequence[Metric]) -> list[Cell]:
    return [Cell.tested(one["metrics"].get(metric.name), metric.digits) for metric in shown]


def _sizes(table: Draft, document: Dr3Document, shown: Sequence[Metric]) -> Table:
    rows: list[Row] = []
    for system, own in document["sizes"].items():
        rows += [(f"{system}, {size}", metric_cells(row, shown)) for size, row in own.items()]
        rows += [
            (f"{system}: {one['a']} minus {one['b']}", _difference(one, shown))
            for one in document["between_sizes"]
            if one["system"] == system
        ]
    title = "DR3-Eval: size by size (its Table 2 and Figure 6)"
    notes = [NOTE, *_noise_notes(document)]
    return table("dr3-sizes", title, metric_headings(shown), rows, notes)


def _options(table: Draft, document: Dr3Document, shown: Sequence[Metric]) -> Table:
    found = document["between_options"]
    rows = [(f"{one['a']} minus {one['b']}", _difference(one, shown)) for one in found]
    title = "DR3-Eval: options of one architecture (its Tables 5 and 6, Figure 5)"
    notes = [f"{NOTE} A task at one size meets itself at that size.", *_noise_notes(document)]
    return table("dr3-options", title, metric_headings(shown), rows, notes)


def _noise(table: Draft, document: Dr3Document, shown: Sequence[Metric]) -> Table:
    rows = [
        (
            system,
            [Cell(BETWEEN[floor["between"]]), *(_sd_cell(floor["metrics"][m.name], m) for m in shown)],
        )
        for system, floor in document["noise"].items()
    ]
    columns = [Heading("between", "between", "What was done again."), *metric_headings(shown)]
    return table("dr3-noise", "DR3-Eval: how far each figure sways by itself", columns, rows, NOISE_NOTES)


def _sd_cell(row: NoiseRow, metric: Metric) -> Cell:
    if row["sd"] is None:
        return Cell(None, missing=NOT_MEASURED)
    return Cell(row["sd"], n=row["n"], digits=metric.digits)


def _modalities(table: Draft, document: Dr3Document) -> Table:
    kinds = list(dict.fromkeys(kind for own in document["modalities"].values() for kind in own))
    explanation = "Of the required facts that stand in {}, the share that the report tells wholly, 0-100."
    columns = [Heading(f"IR {kind}", f"dr3_ir_{kind}", explanation.format(kind)) for kind in kinds]
    cells = {
        name: [Cell.of(own.get(kind), 1) for kind in kinds] for name, own in document["modalities"].items()
    }
    return table("dr3-modality", "DR3-Eval: where facts stand (its Table 13)", columns, list(cells.items()))


def _errors(table: Draft, document: Dr3Document) -> Table:
    words = {name: name.replace("_", " ") for name in ERRORS}
    columns = [Heading(words[name], name, meaning.capitalize() + ".") for name, meaning in ERRORS.items()]
    rows = [
        (system, [Cell.of(own[name]["share"]) for name in ERRORS])
        for system, own in document["errors"].items()
    ]
    notes = [ERROR_NOTE]
    for name, meaning in ERRORS.items():
        examples = (one for own in document["errors"].values() for one in own[name]["examples"][:1])
        if (found := next(examples, None)) is not None:
            notes.append(f"{words[name]}: {meaning}, e.g. {found['answer']}: {found['words']!r}")
    return table("dr3-errors", "DR3-Eval: kinds of errors (its Figure 8)", columns, rows, notes)


def _dr3_notes(material: ReportData) -> list[str]:
    return [
        "IR of pages and CC stand first: only they move with the size of what is searched. Facts are found by rule, value and subject in one sentence, "
        "then by the judge; where rules judge it is a lower bound, and points of the checklist that no rule decides are unknown. The order of the paper's "
        "Table 2 is IR files, IR pages, CC, FA, IF, DQ, avg."
    ]


def _dr3_beside_notes(material: ReportData) -> list[str]:
    return [
        "Of required facts, IR, lost in search and lost in writing come to 100 where all is known. A falsified value is one that a recorded change put into "
        "a distractor; it counts where the report states it of the very thing and neither denies nor weighs it."
    ]


FORMS: Mapping[str, MetricForm] = {
    "dr3": MetricForm(closing={"dr3_fa": "dr3_fa", "dr3_fa_lenient": "dr3_fa_lenient"}, notes=_dr3_notes),
    "dr3-beside": MetricForm(notes=_dr3_beside_notes),
}
PARTS = ReportParts(
    forms=FORMS,
    tables=dr3_tables,
    figures=(
        ReportFigure(
            "dr3-sizes", "Figures against the size of what is searched (DR3-Eval's Figure 6)", draw_sizes
        ),
    ),
)
