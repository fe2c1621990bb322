"""Defines the colours of figures, light and dark."""

from __future__ import annotations

from typing import Any, NamedTuple

PALETTE = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#8c6d1f",
    "#7f7f7f",
    "#4b4ba0",
    "#b8b800",
    "#a03060",
)
"""Colours of Okabe and Ito, then further colours for a figure with more than seven parts."""


class Scheme(NamedTuple):
    ending: str
    ink: str
    paper: str
    grey: str

    def settings(self) -> dict[Any, Any]:
        """Return the Matplotlib settings of the colour scheme."""
        inks = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
        papers = ("figure.facecolor", "axes.facecolor", "savefig.facecolor")
        return {**dict.fromkeys(inks, self.ink), **dict.fromkeys(papers, self.paper)}


LIGHT = Scheme("", "#1c2128", "#ffffff", "#8a929e")
DARK = Scheme("-dark", "#e6e9ee", "#14171c", "#98a1ad")
FORMS = ("svg", "png", "pdf")
