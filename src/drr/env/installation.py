"""Tells how this program was installed, and so by which command an extra is added."""

from __future__ import annotations

import json
import shlex
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

from drr.env.errors import Misuse

NAME = "deepresearch-retail"
_NEEDS = {
    "pyarrow": ("Arrow tables and Parquet files", "tables"),
    "trafilatura": ("pages of the live web", "pages"),
}
"""Packages that only some commands need: what needs them, and the extra."""


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


def lack(package: str) -> str | None:
    """Return the sentence that says what needs a missing package; `None` for a package of no such extra."""
    if package not in _NEEDS:
        return None
    what, extra = _NEEDS[package]
    return f"{what} need the package {package}, which is not installed: {install(extra)}"


def check_installed(package: str) -> None:
    """Raise `Misuse` if a package of an extra is missing, before any work begins."""
    if find_spec(package) is None:
        raise Misuse(lack(package) or package)
