"""The formats of other benchmarks by the name that `--format` takes. One file and one line each, here or in a paper's plug-in.

Help needs the names alone and loads none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from drr.env.plugins import load, merged

if TYPE_CHECKING:
    from drr.eval.foreign.form import ForeignPart, Format

FORMATS = {"drb": "drr.eval.foreign.drb:DeepResearchBench"}


def format_names() -> tuple[str, ...]:
    """Ours, then those of the papers."""
    return (*FORMATS, *merged("formats"))


def formats() -> dict[str, Format]:
    """Ours and those of the papers."""
    return {name: load(place)() for name, place in {**FORMATS, **merged("formats")}.items()}


def part_of(format_name: str, part: str) -> ForeignPart | None:
    """`None` for what another version knew."""
    known = formats().get(format_name)
    return next((one for one in known.parts if one.name == part), None) if known else None
