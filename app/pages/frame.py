"""The frame of every page: its study, the notices on that, and the links to its other pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from drr.app.pages.icon import ICON

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"


class FramePlace(NamedTuple):
    """A page that navigation leads to."""

    key: str
    address: str
    """From the folder of all pages."""
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
    scripts: Sequence[str] = ("reach.js", "review.js", "viewer.js")

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
