"""The names and forms in which `drr tools mcp` shows the shop. One more is one file and one line here; nothing is loaded before it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drr.env.plugins import load, merged

if TYPE_CHECKING:
    from drr.tools.mcp import Face

FACES = {"shop": "drr.tools.mcp:OwnTools"}


def all_faces() -> dict[str, str]:
    """Ours and those of the extras."""
    return FACES | merged("faces")


def face(name: str) -> Face:
    found: Face = load(all_faces()[name])()
    return found
