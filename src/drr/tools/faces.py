"""Lists the faces of the MCP server (the forms in which clients see the shop) by name. A further face needs one class and one line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from drr.env.plugins import extras, load, merged

if TYPE_CHECKING:
    from drr.tools.mcp import Face

FACES = {"shop": "drr.tools.mcp:OwnTools"}


def all_faces() -> dict[str, str | Callable[[], Any]]:
    """Return the faces of this program and of the extras."""
    return FACES | merged(extra.faces for extra in extras())


def face(name: str) -> Face:
    found: Face = load(all_faces()[name])()
    return found
