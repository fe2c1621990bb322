"""How Inspect knows our things: as `drr/NAME`, from an installation and from a checkout alike."""

from __future__ import annotations

from pathlib import Path

_INSTALLED = {"site-packages", "dist-packages"}


def named(name: str) -> str:
    """Inspect puts the package's name before those of an installed one, and takes the files of a checkout for nobody's."""
    return name if _INSTALLED.intersection(Path(__file__).parts) else f"drr/{name}"
