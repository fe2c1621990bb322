"""Lists the faces of the MCP server (the forms in which clients see the shop) by name. A further face needs one class and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drr.env.plugins import load, merged_field

if TYPE_CHECKING:
    from drr.tools.mcp import Face

FACES = {"shop": "drr.tools.mcp:OwnTools"}


def all_faces() -> dict[str, str]:
    """Return the faces of this program and of the extras."""
    return FACES | merged_field("faces")


def face(name: str) -> Face:
    found: Face = load(all_faces()[name])()
    return found
