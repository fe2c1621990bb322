"""The frame of every page: its study, its icon, and the links to the study's other pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from drr.wording.excerpt import excerpt

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#2563eb"/>'
    '<path d="M4 5h8M4 8h8M4 11h5" stroke="#fff" stroke-width="1.6"/></svg>'
)
ICON = f'<link rel="icon" href="data:image/svg+xml,{quote(_DRAWING)}">'
"""Policies allow it by `img-src data:`."""


POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"


def drawing(folder: Path, beside: Mapping[str, Path] | None = None) -> Environment:
    """The environment in which pages are drawn by templates of a folder; those of others are `NAME/FILE`."""
    from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined

    others = {name: FileSystemLoader(own) for name, own in (beside or {}).items()}
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader(folder), PrefixLoader(others)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {"excerpt": excerpt, "breakable": breakable}
    return environment


def breakable(text: str, at: str) -> Markup:
    """Allow a line to break behind this sign where more of the word follows."""
    from markupsafe import Markup, escape

    return (escape(at) + Markup("<wbr>")).join(re.split(rf"{at}(?=\S)", text))


class FramePlace(NamedTuple):
    """A page that navigation leads to."""

    key: str
    address: str
    """Path from the folder of all pages."""
    name: str


ANSWERS = FramePlace("answers", "index.html", "Answers")


@dataclass(frozen=True)
class Frame:
    """`served` pages look for news; the others carry their policy themselves."""

    study: str
    served: bool
    places: Sequence[FramePlace]
    about: Callable[[], str] = str
    """The study in one line; it may grow."""
    scripts: Sequence[str] = ("reach.js", "table.js", "review.js", "viewer.js")

    def values(self, place: str = "") -> Mapping[str, Any]:
        """Collect what the frame's template needs; `place` is the page that this is, or is a part of."""
        return {
            "study": self.study,
            "served": self.served,
            "live": self.served,
            "policy": POLICY,
            "icon": ICON,
            "places": self.places,
            "about": self.about(),
            "scripts": self.scripts,
            "place": place,
        }
