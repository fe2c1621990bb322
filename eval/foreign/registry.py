"""The formats of other benchmarks by the name that `--format` takes: one file and one line each, here or in a paper's plug-in."""

from __future__ import annotations

from drr.env.plugins import load, merged
from drr.eval.foreign.drb import DeepResearchBench
from drr.eval.foreign.form import ForeignPart, Format

FORMATS: dict[str, Format] = {one.name: one for one in (DeepResearchBench(),)}


def formats() -> dict[str, Format]:
    """Ours and those of the papers."""
    return {**FORMATS, **{name: load(place)() for name, place in merged("formats").items()}}


def part_of(format_name: str, part: str) -> ForeignPart | None:
    """`None` for what another version knew."""
    known = formats().get(format_name)
    return next((one for one in known.parts if one.name == part), None) if known else None
