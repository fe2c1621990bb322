"""The formats of other benchmarks by the name that `--format` takes: one file and one line each."""

from __future__ import annotations

from drr.eval.foreign.dr3 import Dr3Eval
from drr.eval.foreign.drb import DeepResearchBench
from drr.eval.foreign.form import ForeignPart, Format
from drr.eval.foreign.pdr import PdrBench
from drr.eval.foreign.reporteval import ReportEvalFiles

FORMATS: dict[str, Format] = {
    one.name: one for one in (DeepResearchBench(), PdrBench(), Dr3Eval(), ReportEvalFiles())
}


def part_of(format_name: str, part: str) -> ForeignPart | None:
    """`None` for what another version knew."""
    known = FORMATS.get(format_name)
    return next((one for one in known.parts if one.name == part), None) if known else None
