"""The formats of other benchmarks, by the name that `--format` takes. Each is one file and one line, here or in a paper's plug-in.

The help text needs only the names and loads no format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from drr.env.plugins import load, merged_field

if TYPE_CHECKING:
    from drr.eval.foreign.form import ForeignPart, Format

FORMATS = {"drb": "drr.eval.foreign.drb:DRB"}


def format_names() -> tuple[str, ...]:
    """Return the names of this project's formats, then those of papers."""
    return (*FORMATS, *merged_field("formats"))


def formats() -> dict[str, Format]:
    """Return this project's formats and those of papers, by name."""
    return {name: load(place) for name, place in {**FORMATS, **merged_field("formats")}.items()}


def part_of(format_name: str, part: str) -> ForeignPart | None:
    """Return a format's part; `None` where only another version of the program knows it."""
    known = formats().get(format_name)
    return next((one for one in known.parts if one.name == part), None) if known else None
