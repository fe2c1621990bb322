"""Reads a variant that is a command, `cmd:./my-agent --flag`: its words, files, identity and terms.

Files named by a path (a word of the command, or the text after `=` in a word) enter the identity by their content, so that an
edited script is a new variant; a program found on the search path enters by its name alone, like any other installed program.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from drr.env.errors import Misuse
from drr.env.files import at_home

SCHEME = "cmd:"
_ODD = re.compile(r"[^\w.=:@%-]")
_ABSENT = frozenset({".git", "__pycache__"})
"""Names of folders that are left out of a command's identity, because they change by themselves."""
MOST_FILES = 5_000


def is_command(word: str) -> bool:
    return word.startswith(SCHEME)


def search_path() -> str:
    """Return the path on which a command's program is looked up: this Python's own folder, then the user's path."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


@dataclass(frozen=True)
class Command:
    """A command with absolute paths in its `words`, so that it works from any folder."""

    words: tuple[str, ...]
    files: tuple[Path, ...]
    """Files and folders that the command names."""

    @classmethod
    def of(cls, word: str) -> Command:
        """Read `cmd:WORDS`, split as a shell would. No shell is involved."""
        text = word.removeprefix(SCHEME)
        if "," in text:
            raise Misuse(
                f"variant {word!r}: a comma separates variants; put a command that needs one into a script"
            )
        try:
            parts = shlex.split(text)
        except ValueError as error:
            raise Misuse(f"variant {word!r}: cannot be read as a command ({error})") from None
        if not parts or "\0" in text or "\n" in text:
            raise Misuse(f"variant {word!r}: names no command; e.g. cmd:./my-agent --flag")
        files: list[Path] = []
        words = tuple(_absolute(part, first=number == 0, files=files) for number, part in enumerate(parts))
        command = cls(words, tuple(dict.fromkeys(files)))
        command.program()
        return command

    @property
    def word(self) -> str:
        """Return the variant's word, which finds the command again from any folder."""
        return SCHEME + shlex.join(self.words)

    @property
    def name(self) -> str:
        return shown_name(self.word)

    def program(self) -> str:
        """Return the path of the program that is started, or raise `Misuse` where there is none."""
        first = self.words[0]
        found = shutil.which(first, path=search_path())
        if found is None:
            why = "is not executable (chmod +x)" if Path(first).is_file() else "is not there"
            raise Misuse(f"variant {self.word!r}: the program {first} {why}")
        return str(Path(found).absolute())  # a link is kept: it may be how an environment is found

    def identity(self) -> str:
        """Return a hash of the command's words and of its files as they are now. The files' folders do not enter it."""
        made = sha256()
        for word in self.words:
            named = next((file for file in self.files if word.endswith(str(file))), None)
            text = word if named is None else word.removesuffix(str(named)) + named.name
            made.update(f"{text}\0".encode("utf-8", "surrogateescape"))
        for file in self.files:
            made.update(_content(file))
        return made.hexdigest()


def shown_name(word: str) -> str:
    """Return a command's name for tables, pages and files, made from its word without folders and odd characters."""
    shown = []
    for part in shlex.split(word.removeprefix(SCHEME)):
        head, equals, tail = part.partition("=")
        shown.append(f"{_last(head)}{equals}{_last(tail)}")
    return SCHEME + "_".join(_ODD.sub("_", part) for part in shown)


def recorded_name(typed: str, known: Collection[str]) -> str:
    """Return the name under which a study knows a variant typed as for `drr run`, or the typed word."""
    if typed in known or not is_command(typed):
        return typed
    try:
        name = shown_name(typed)
    except ValueError:  # the text cannot be split into words
        return typed
    return name if name in known else typed


def _last(text: str) -> str:
    return text.rstrip("/").rpartition("/")[2]


def _absolute(part: str, *, first: bool, files: list[Path]) -> str:
    """Return a word of the command with its path made absolute. A first word without a slash is a program on the search path, else a file in the current folder."""
    head, equals, tail = part.partition("=")
    for before, text in (("", part), *([(head + equals, tail)] if equals and part.startswith("-") else ())):
        if not text or (first and "/" not in text and shutil.which(text, path=search_path())):
            continue
        path = at_home(text)
        if path.is_file() or (path.exists() and "/" in text):
            whole = str(os.path.normpath(path.absolute()))  # a link is kept
            files.append(Path(whole))
            return f"{before}{whole}"
    return part


def _content(path: Path) -> bytes:
    """Return the hash of a file, or of all files of a folder with their names."""
    try:
        if path.is_file():
            return sha256(path.read_bytes()).digest()
        made = sha256()
        for name, file in _files_of(path):
            made.update(f"{name}\0".encode("utf-8", "surrogateescape") + sha256(file.read_bytes()).digest())
    except OSError as error:
        raise Misuse(f"{error.filename or path}: cannot be read ({error.strerror})") from None
    return made.digest()


def _walk_folder(folder: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    try:
        yield from os.walk(folder)
    except RecursionError:  # Python 3.11 walks by recursion
        raise Misuse(f"{folder}: folders within folders, too deep to be read; name less") from None


def _files_of(folder: Path) -> list[tuple[str, Path]]:
    found: list[tuple[str, Path]] = []
    for place, folders, names in _walk_folder(folder):
        folders[:] = sorted(set(folders) - _ABSENT)
        for name in names:
            file = Path(place) / name
            if file.is_file():
                found.append((str(file.relative_to(folder)), file))
        if len(found) > MOST_FILES:
            raise Misuse(
                f"{folder}: a command that names a folder is known by its files, and it holds more than {MOST_FILES:,}; name less"
            )
    return sorted(found)


@dataclass(frozen=True)
class CommandTerms:
    trusted: bool = False
    """True where the command runs with this user's files and network, without a sandbox."""
    shown: tuple[Path, ...] = ()
    """Files and folders that the command sees in addition to those that it names."""
    hidden: tuple[Path, ...] = ()
    """Files and folders that the command never sees: the study, the shop, the web's folder, this user's settings."""
    in_process: bool = False
    """True where agents written in Python run in this process, as part of this program."""
