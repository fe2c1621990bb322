"""Tells how this program was installed, and so by which command an extra is added."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from urllib.parse import unquote, urlsplit

NAME = "deepresearch-retail"


def install(extra: str) -> str:
    """Return the command that adds an extra: from where this was installed, else in a clone."""
    from importlib.metadata import distribution

    origin = json.loads(distribution(NAME).read_text("direct_url.json") or "{}")
    address = urlsplit(str(origin.get("url", "")))
    if address.scheme != "file":
        return f"pip install '.[{extra}]'"
    place = Path(unquote(address.path))
    where = "." if place == Path.cwd() else str(place)
    editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
    return f"pip install {editable}{shlex.quote(f'{where}[{extra}]')}"
