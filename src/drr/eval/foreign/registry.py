"""The formats of other benchmarks, by the name that `--format` takes. Each is one file and one line, here or in a paper's plug-in.

The help text needs only the names and loads no format.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from drr.env.errors import DrrError
from drr.env.plugins import load, merged, papers

if TYPE_CHECKING:
    from drr.eval.foreign.form import ForeignPart, Format

FORMATS = {"drb": "drr.eval.foreign.drb:DRB"}
TRACES = {"otlp": "drr.eval.foreign.otlp:read", "atif": "drr.eval.foreign.atif:read"}
"""Forms of traces by the name that `--format` takes; each is a function from the objects of the files to traces."""


def format_places() -> dict[str, str | Callable[[], Any]]:
    """Return the places of this project's formats, then of papers' formats, by name."""
    return {**FORMATS, **merged(paper.foreign.formats for paper in papers())}


def formats() -> dict[str, Format]:
    found = {name: load(place) for name, place in format_places().items()}
    if old := [name for name, one in found.items() if isinstance(one, type)]:
        raise DrrError(
            f"the format {old[0]} is a class, as an older version took; its plug-in has to name a `Format`"
        )
    return found


def part_of(format_name: str, part: str) -> ForeignPart | None:
    """Return a format's part; `None` where only another version of the program knows it."""
    known = formats().get(format_name)
    return next((one for one in known.parts if one.name == part), None) if known else None
