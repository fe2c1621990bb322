"""The hash of our code: one for every file of the project, wherever it is installed."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

ENDINGS = (".py", ".md", ".toml", ".json", ".jsonl", ".html", ".css", ".js")
"""Of files that a wheel holds."""


def code_files() -> list[tuple[str, Path]]:
    """Every file of the rooms, with its name below `drr`."""
    place = Path(__file__).parent.parent
    rooms = [path.parent for path in place.glob("*/__init__.py") if find_spec(f"drr.{path.parent.name}")]
    return sorted(
        (path.relative_to(place).as_posix(), path)
        for room in rooms
        for path in room.rglob("*")
        if path.suffix in ENDINGS and path.is_file()
    )


@cache
def code_hash() -> str:
    """Equal in a checkout and in a wheel of it, and on every machine."""
    digest = sha256()
    for name, path in code_files():
        digest.update(f"{name}\0{sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()
