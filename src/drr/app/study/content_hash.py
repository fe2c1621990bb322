"""Hashes what a choice of others leads to, so that a yes to it holds for that content alone."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from drr.env.errors import Misuse
from drr.env.small_files import DOCUMENT, read_within


def hash_content_behind(value: str) -> str:
    """Return the hash of a file, a folder's prompts, a shop's manifest, a command or a text. A manifest holds the hashes of the shop's files."""

    from drr.agents.commands.command import Command, is_command
    from drr.env.embedded.layout import MANIFEST

    if is_command(value):
        return Command.of(value).identity()
    path, made = Path(value), sha256()
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except OSError:  # in a folder that this user may not look into
        is_folder = is_file = False
    if is_folder:
        for file in sorted([*path.glob("*.md"), *path.glob(MANIFEST)]):
            made.update(f"{file.name}\0{sha256(_content(file)).hexdigest()}\n".encode())
    else:
        made.update(_content(path) if is_file else value.encode("utf-8", "surrogatepass"))
    return made.hexdigest()


def _content(path: Path) -> bytes:
    if not path.is_file():
        raise Misuse(f"{path}: no file that could be read (a pipe, a device or a broken link)")
    try:
        return read_within(path, DOCUMENT)
    except (OSError, ValueError) as error:
        raise Misuse(f"{path}: cannot be read ({error})") from error
