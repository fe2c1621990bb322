"""The templates of the viewer and of the report, opened once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from drr.wording.excerpt import excerpt

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def templates() -> Environment:
    """The environment in which every page is drawn."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = Path(__file__).parent / "templates"
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        auto_reload=False,
    )
    environment.filters["excerpt"] = excerpt
    return environment
