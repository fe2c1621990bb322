"""The names and forms in which `drr tools mcp` shows the shop. One more is one file and one line here; nothing is loaded before it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.tools.mcp import Face

FACES = {"shop": "drr.tools.mcp:OwnTools", "ucp": "drr.extras.ucp.face:Ucp"}


def face(name: str) -> Face:
    module, _, made = FACES[name].partition(":")
    found: Face = getattr(import_module(module), made)()
    return found
