"""Writes a system's figures in the format of Every Eval Ever, one file per system."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from uuid import UUID

from drr.app.board.entries import ListedSystem
from drr.app.viewer.render import templates
from drr.env.files import file_name

_COLLECTION = "deepresearch-retail"


def place_of(system: ListedSystem) -> str:
    """Return the path of the system's file. The name is a UUID made from the bundle, so equal bundles give equal files."""
    digest = sha256(f"{system.bundle.found.root}\0{system.key}".encode()).digest()
    return f"data/{_COLLECTION}/{_model(system)}/{UUID(bytes=digest[:16], version=4)}.json"


def _model(system: ListedSystem) -> str:
    """Return `developer/model` of the model that wrote most tokens."""
    developer, *rest = re.split("[:/]", system.models[0] if system.models else "none")
    if not rest:
        return f"{_COLLECTION}/{file_name(developer)}"
    return f"{file_name(developer)}/{file_name('_'.join(rest))}"


def every_eval(system: ListedSystem) -> str:
    """Return the system's figures as JSON text in the format of Every Eval Ever."""
    text = (
        templates()
        .get_template("board/every_eval.json")
        .render(
            system=system,
            model=_model(system),
            at=int(system.ended),
            collection=_COLLECTION,
            figures=system.shown_figures,
        )
    )
    return json.dumps(json.loads(text), indent=1, sort_keys=True, allow_nan=False) + "\n"
