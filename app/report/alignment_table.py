"""How a judge was brought near to experts, version by version, and how often the test half was read."""

from __future__ import annotations

from collections.abc import Sequence

from drr.app.report.material import Material
from drr.app.report.tables import Cell, Table, headings
from drr.eval.metrics.rows import AlignmentRow, AlignmentRun
from drr.papers.reporteval.alignment.figures import Run

_NOWHERE = ("",)
"""Behind no page."""
_COLUMNS = ("things", "MAD", "MAD of the range", "bias", "PCA", "PCA by chance", "same order", "by chance")


def alignment_table(material: Material) -> Table | None:
    """Where `drr judges align` was used in this study."""
    found = material.document.get("alignment")
    if not found or not any(one["runs"] for one in found):
        return None
    rows = [(run_name(one["task"], run), _cells(run)) for one in found for run in one["runs"]]
    notes = [
        "Deviation from experts: means over what they labelled; intervals over questions. Versions are chosen on dev; a test figure is worth the less the more often test was read."
    ]
    notes += [_note(one) for one in found]
    notes.append(
        "Figures of dev lead to the things they are made of, those of test nowhere: a version fitted to them would be worth nothing."
    )
    behind: dict[str, Sequence[str]] = {
        run_name(one["task"], run): () if run["half"] == "dev" else _NOWHERE
        for one in found
        for run in one["runs"]
    }
    title = "A judge aligned with experts"
    return Table("alignment", title, headings(*_COLUMNS), rows, notes, None, behind=behind)


def run_name(task: str, run: AlignmentRun | Run) -> str:
    return f"{task} v{run['version']} ({run['hash']}), {run['judge']}, {run['half']}"


def _cells(run: AlignmentRun) -> Sequence[Cell]:
    return [
        Cell(float(run["items"]), digits=0),
        Cell.of(run["mad"]),
        Cell(run["mad_of_range"], digits=3),
        Cell.of(run["bias"]),
        Cell.of(run["pca"]),
        Cell(run["pca_chance"]),
        Cell.of(run["rank"]),
        Cell(run["rank_chance"]),
    ]


def _note(one: AlignmentRow) -> str:
    times = f"test read {one['test_read']} time{'' if one['test_read'] == 1 else 's'}"
    ended = one["ended"] or f"goes on, target {one['target']:g}"
    return f"{one['task']}: {one['dev']} things on dev, {one['test']} on test, sealed {one['seal'][:12]}; {times}; {ended}."
