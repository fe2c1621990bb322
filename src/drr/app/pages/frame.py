"""Builds the frame of every page: the study's name, the icon, and links to the study's other pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from drr.env.plugins import papers
from drr.wording.excerpt import excerpt

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#2563eb"/>'
    '<path d="M4 5h8M4 8h8M4 11h5" stroke="#fff" stroke-width="1.6"/></svg>'
)
ICON = f'<link rel="icon" href="data:image/svg+xml,{quote(_DRAWING)}">'
"""HTML of the page icon; policies allow it by `img-src data:`."""


POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"


def drawing(folder: Path, beside: Mapping[str, Path] | None = None) -> Environment:
    """Return a Jinja environment for the templates of a folder; templates of `beside` are called `NAME/FILE`."""
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


@cache
def templates() -> Environment:
    """Return the Jinja environment of all pages; a paper's templates are called `NAME/FILE`."""
    beside = {paper.name: paper.folder / paper.pages.templates for paper in papers()}
    return drawing(Path(__file__).parents[1] / "viewer" / "templates", beside)


def breakable(text: str, at: str) -> Markup:
    """Return the text as HTML in which a line may break after each sign `at` inside a word."""
    from markupsafe import Markup, escape

    return (escape(at) + Markup("<wbr>")).join(re.split(rf"{at}(?=\S)", text))


class FramePlace(NamedTuple):
    """A page in the navigation."""

    key: str
    address: str
    """Path of the page from the folder of all pages."""
    name: str


ANSWERS = FramePlace("answers", "index.html", "Answers")


@dataclass(frozen=True)
class Frame:
    """The frame of a study's pages. Pages that are `served` look for updates; other pages contain their security policy."""

    study: str
    served: bool
    places: Sequence[FramePlace]
    about: Callable[[], str] = str
    """Function that returns a description of the study in one line, which changes as the study grows."""
    scripts: Sequence[str] = ("reach.js", "table.js", "review.js", "viewer.js")

    def values(self, place: str = "") -> Mapping[str, Any]:
        """Return the values for the frame's template; `place` is the key of the current page in the navigation."""
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

    def draw(
        self, name: str, root: str = "", /, *, banner: str | None = None, place: str = "", **values: object
    ) -> str:
        """Return the HTML of a page, drawn by the template `name`. `root` is the path from the page to the folder of all pages."""
        template = templates().get_template(name)
        return template.render(root=root, banner=banner, **self.values(place), **values)


def banner_of(written: Collection[bool], judged: bool, weak: str | None = None) -> str | None:
    """Return a warning where rules instead of models wrote or judged reports, or a `weak` judge did, else `None`. `written` says for each report whether rules wrote the report."""
    if weak is not None:
        return " ".join(filter(None, (weak, banner_of(written, judged))))
    if not (any(written) or judged):
        return None
    counted = "Only errors and rewards found by code count."
    if not any(written):
        return f"No model judged this. {counted}"
    if not judged and not all(written):
        return "Rules wrote some of these reports, and their figures tell nothing of a model."
    if not all(written):
        return f"No model judged this, and rules wrote some of the reports. {counted}"
    did = "wrote and judged these reports" if judged else "wrote these reports"
    return f"Rules {did}. Figures show that every step works, not how good an answer is."
