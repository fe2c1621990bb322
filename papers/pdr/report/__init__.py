"""The parts of reports that the paper adds: P, Q and R, settings, memories, and the swap of persons."""

from __future__ import annotations

from collections.abc import Mapping

from drr.app.report.material import Material
from drr.app.report.of_papers import MetricForm, ReportFigure, ReportParts
from drr.papers.pdr.metrics.swap import verdict_on
from drr.papers.pdr.report.setting_figure import draw_settings
from drr.papers.pdr.report.setting_tables import refusals, setting_tables


def _pqr_notes(material: Material) -> list[str]:
    return [
        "Grey, with ≈: no further from the best of the column than P or Q of one report sways between rounds of scoring or sets of criteria "
        "(SD, the larger of those known). R is no round's. Criteria differ from person to person: compare variants on the same questions only."
    ]


_SWAYS = {
    name: tuple(f"pqr_{half}_sd_{by}" for by in ("rounds", "seeds"))
    for half, names in (("p", ("p", "goal", "cont", "pres", "acti")), ("q", ("q", "dein", "logc", "clar")))
    for name in (f"pqr_{one}" for one in names)
}


def _swap_notes(material: Material) -> list[str]:
    figures = material.document["metrics"]
    return [
        f"{variant}: {verdict_on(values['pqr_delta'])}."
        for variant, values in figures.items()
        if "pqr_delta" in values
    ]


FORMS: Mapping[str, MetricForm] = {
    "pqr": MetricForm(lead=("pqr_r",), notes=_pqr_notes, sways=_SWAYS, is_printed=True),
    "pqr-dimensions": MetricForm(
        lead=("pqr_fa", "pqr_cc"),
        closing={metric: metric for metric in dict.fromkeys(one for own in _SWAYS.values() for one in own)},
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
    headline="pqr_p",
    refusals=refusals,
)
