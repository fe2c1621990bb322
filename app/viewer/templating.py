"""The templates of the viewer and of the report, opened once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.viewer.of_papers import template_folders
from drr.wording.excerpt import excerpt

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def templates() -> Environment:
    """The environment in which every page is drawn; a paper's templates are `NAME/FILE`."""
    from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined

    of_papers = {name: FileSystemLoader(folder) for name, folder in template_folders().items()}
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader(Path(__file__).parent / "templates"), PrefixLoader(of_papers)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        auto_reload=False,
    )
    environment.filters["excerpt"] = excerpt
    return environment
