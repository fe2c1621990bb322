"""What a contained command sees of this machine: the system's programs, its own interpreter, what it names, and nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from drr.agents.commands.command import Command
from drr.agents.commands.terms import CommandTerms
from drr.env.errors import Misuse

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
_CONFIGURED = tuple(
    f"/etc/{name}"
    for name in ("alternatives", "ca-certificates", "fonts", "host.conf", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime",
                 "mime.types", "nsswitch.conf", "pki/tls/certs", "protocols", "services", "ssl/certs", "ssl/openssl.cnf")
)  # fmt: skip
"""Of the system's settings those that programs read and that hold no secret."""
_NO_ROOM = frozenset({"tests", "benchmarks"})


def seen_by(command: Command, terms: CommandTerms) -> tuple[list[str], list[str]]:
    """What is shown to it, and what within that is hidden; whole paths, outer ones first."""
    shown = {*map(Path, _SYSTEM), *map(Path, _CONFIGURED), *command.files, *terms.shown}
    shown |= {*_installation(Path(command.program())), *_own_installation()}
    shown |= {_real(path) for path in shown}
    hidden = {_real(path) for path in terms.hidden} | {_corpus()}
    for path in (*command.files, *terms.shown):
        within = next((one for one in hidden if path.is_dir() and _real(path).is_relative_to(one)), None)
        if within is not None:
            raise Misuse(f"{command.name}: {path} lies in {within}, which no agent may see; move it")
    kept = [path for path in hidden if not any(other.is_relative_to(path) for other in shown)]
    return _in_order(shown), _in_order(kept)


def _in_order(paths: Iterable[Path]) -> list[str]:
    return [str(path) for path in sorted(paths, key=lambda path: (len(path.parts), path))]


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _installation(program: Path) -> set[Path]:
    """Where a program that is not the system's is installed: the folder around its `bin`, link by link; or its file alone."""
    found: set[Path] = set()
    for place in _links(program):
        prefix = place.parent.parent
        if any(place.is_relative_to(system) for system in _SYSTEM):
            continue
        found.add(prefix if place.parent.name == "bin" and not _is_broad(prefix) else place)
    return found | ({Path(sys.base_prefix)} if program.is_relative_to(sys.prefix) else set())


def _links(program: Path) -> list[Path]:
    """The program, what it links to, and so on, and where it really lies."""
    found = [program]
    while found[-1].is_symlink() and len(found) < 40:
        found.append(Path(os.path.normpath(found[-1].parent / found[-1].readlink())))
    return [*found, _real(program)]


def _is_broad(folder: Path) -> bool:
    """Whether more than one program lives there: a home, what holds homes, `~/.local`."""
    return Path.home().is_relative_to(folder) or folder.name == ".local"


def _own_installation() -> set[Path]:
    """Our Python with what is installed in it, and our own code, for commands that call `drr`."""
    packages = {Path(entry) for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")}
    return _installation(Path(sys.executable)) | packages | _rooms()


def _rooms() -> set[Path]:
    """Of a checkout the rooms, and not what else lies beside them."""
    spec = find_spec("drr")
    if spec is None or spec.origin is None:
        return set()
    package = Path(spec.origin).parent
    if (package / "env").is_dir():  # installed
        return {package}
    rooms = {place.parent for place in package.parent.glob("*/__init__.py")}
    return {room for room in rooms if room.name not in _NO_ROOM}


def _corpus() -> Path:
    """Of the web in the box each page's kind is known to graders alone."""
    from drr.env.web.sandbox import BOX

    return _real(BOX)
