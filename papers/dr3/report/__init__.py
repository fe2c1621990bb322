"""What the paper adds to the report: size by size, option by option, kinds of places, errors."""

from __future__ import annotations

from collections.abc import Mapping

from drr.app.report.material import Material
from drr.app.report.of_papers import MetricForm, ReportFigure, ReportParts
from drr.papers.dr3.report.figure import draw_sizes
from drr.papers.dr3.report.tables import dr3_tables


def _dr3_notes(material: Material) -> list[str]:
    return [
        "IR of pages and CC stand first: only they move with the size of what is searched. Facts are found by rule, value and subject in one sentence, "
        "then by the judge; where rules judge it is a lower bound, and points of the checklist that no rule decides are unknown. The order of the paper's "
        "Table 2 is IR files, IR pages, CC, FA, IF, DQ, avg."
    ]


def _dr3_beside_notes(material: Material) -> list[str]:
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
    headline="dr3_avg",
)
