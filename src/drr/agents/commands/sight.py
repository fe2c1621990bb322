"""The files that a command sees, and the check that this system can hide all others.

It sees the system's programs, its own interpreter, the files that the command names, and nothing else.
"""

from __future__ import annotations

import errno
import json
import os
import re
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path

from drr.agents.commands.command import Command, CommandTerms
from drr.env.errors import Misuse

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
_CONFIGURED = tuple(
    f"/etc/{name}"
    for name in ("alternatives", "ca-certificates", "fonts", "host.conf", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime",
                 "mime.types", "nsswitch.conf", "pki/tls/certs", "protocols", "services", "ssl/certs", "ssl/openssl.cnf")
)  # fmt: skip
"""Settings of the system that programs read and that hold no secret."""
_MADE_INSIDE = frozenset(map(Path, ("/dev", "/proc")))
"""Folders that are made anew in each sandbox."""
_TELLING = ("querygen", "data_ingest", "papers/*/making")
"""Rooms that make shops, questions and tasks of seeds, and hold the public sets. With them a command could tell the answers."""
_STUDY, _SECRETS = "study.toml", (".env", "drr.toml")
_OCTAL = re.compile(r"\\([0-7]{3})")
_INSTALLED = ("bin", "etc", "include", "lib", "lib64", "libexec", "pyvenv.cfg", "share", "ssl")
"""Names in an installation's folder that are shown. Other files beside its `bin` belong to a user's project."""
MOST_SEEN = 200_000
"""Maximum number of files and folders in a folder that is shown."""


def visible_paths(command: Command, terms: CommandTerms) -> tuple[list[str], list[str]]:
    """Return the paths that a command sees and those hidden from it. Where one path lies in another, the inner path decides."""
    from drr.env.web.sandbox import BOX  # it tells each page's kind to graders alone

    installed = _installation(Path(command.program())) | _installation(Path(sys.executable))
    installed |= _packages() | {Path(__file__).parents[2]}  # for commands that call `drr`
    shown = {*map(Path, _SYSTEM), *map(Path, _CONFIGURED), *command.files, *terms.shown, *installed}
    keys = {_resolve(path) for path in map(Path, _SECRETS) if path.exists()}
    hidden = {_resolve(path) for path in terms.hidden} | {_resolve(BOX)} | keys
    for path in (*command.files, *terms.shown):
        if _resolve(path) in _MADE_INSIDE:
            raise Misuse(
                f"{command.name}: {path} is made anew for each command and cannot be shown; name what is in it"
            )
        hidden |= _kept_back(path)
    _check_names(command, hidden)
    for number, path in enumerate((*command.files, *terms.shown)):
        within = next((one for one in hidden if _resolve(path).is_relative_to(one)), None)
        alone = number == 0 and path in command.files and path.is_file() and _resolve(path) != within
        if within is not None and not alone:
            raise Misuse(f"{command.name}: {path} lies in {within}, which no agent may see; move it")
    around = {
        path for path in installed if path.is_dir() and installed.isdisjoint(path.parents)
    } - _packages()
    hidden |= {one for path in around for one in _kept_back_once(path)} | _telling(installed)
    return [str(path) for path in shown | {_resolve(path) for path in shown}], [str(path) for path in hidden]


def _check_names(command: Command, hidden: set[Path]) -> None:
    """Raise `Misuse` for a hidden file with a hard link, under whose name the file would be visible."""
    for path in hidden:
        if path.is_file() and path.stat().st_nlink > 1:
            raise Misuse(
                f"{command.name}: {path} has another name (a hard link), by which an agent could read it;"
                f" make it a file of its own: cp {path} {path}.new && mv {path}.new {path}"
            )


def _kept_back(path: Path) -> set[Path]:
    """Return the paths in or around a path that no command is shown. These are keys, studies, and sockets and pipes of other programs."""
    real = _resolve(path)
    if real.is_dir():
        found = _kept_back_in(real)
    else:
        found = set() if real.is_file() and not _is_secret(real.name) else {real}
    return found | {folder for folder in real.parents if (folder / _STUDY).exists()}


def _kept_back_in(folder: Path) -> set[Path]:
    found, left, count = _mounted_files(folder), [str(folder)], 0
    while left:
        place = left.pop()
        try:
            entries = list(os.scandir(place))
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                raise Misuse(f"{folder}: folders within folders, too deep to look for keys among") from None
            continue  # the command may not look into it either
        count += len(entries)
        if count > MOST_SEEN:
            raise Misuse(
                f"{folder}: holds more than {MOST_SEEN:,} files, too many to look for keys among; show less"
            )
        if any(entry.name == _STUDY for entry in entries):
            found.add(Path(place))
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                left.append(entry.path)
            elif _is_secret(entry.name) or not (entry.is_symlink() or entry.is_file()):
                found.add(_resolve(Path(entry.path)))
    return found


def _mounted_files(folder: Path) -> set[Path]:
    """Return the files mounted in a folder, each of which is another file under a second name."""
    try:
        lines = (
            Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        )
    except OSError:
        return set()
    places = (Path(_OCTAL.sub(lambda code: chr(int(code[1], 8)), line.split(" ")[4])) for line in lines)
    return {place for place in places if place.is_relative_to(folder) and not place.is_dir()}


@cache
def _kept_back_once(installation: Path) -> set[Path]:
    """Return the hidden paths of an installation. This Python's own is not searched: only installers fill it, with tens of thousands of files."""
    own = _resolve(installation).parent in (
        _resolve(Path(sys.prefix)),
        _resolve(Path(sys.base_prefix)),
    )
    return set() if own else _kept_back_in(installation)


def _is_secret(name: str) -> bool:
    return name in _SECRETS or name.startswith(".env.")


def _resolve(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _installation(program: Path) -> set[Path]:
    """Return the folders in which a program outside the system's folders is installed, following links. They are the parts beside its
    `bin` in an installation of Python or Node, else its file alone."""
    found: set[Path] = set()
    for place in _links(program):
        prefix = place.parent.parent
        if any(place.is_relative_to(system) for system in _SYSTEM):
            continue
        found |= _parts(prefix) if place.parent.name == "bin" and _is_installation(prefix) else {place}
    return found | (_parts(Path(sys.base_prefix)) if program.is_relative_to(sys.prefix) else set())


def _parts(prefix: Path) -> set[Path]:
    return {prefix / name for name in _INSTALLED if (prefix / name).exists()}


def _links(program: Path) -> list[Path]:
    """Return the program, each link on the way to its file, and that file."""
    found = [program]
    while found[-1].is_symlink() and len(found) < 40:
        found.append(Path(os.path.normpath(found[-1].parent / found[-1].readlink())))
    return [*found, _resolve(program)]


def _is_installation(folder: Path) -> bool:
    """Tell whether a folder is an installation of Python or Node. Homes, their parents and `~/.local`, which have a `bin` too, are not."""
    if Path.home().is_relative_to(folder) or folder.name == ".local":
        return False
    marks = ("pyvenv.cfg", "lib/python*", "lib/node_modules")
    return any(True for mark in marks for _ in folder.glob(mark))


def _packages() -> set[Path]:
    return {Path(entry) for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")}


def _telling(installed: set[Path]) -> set[Path]:
    """Return what tells the answers of public sets, in every copy of this program that is shown."""
    copies = {Path(__file__).parents[2], *(path / "drr" for path in installed)}
    copies |= {copy for path in installed for copy in path.glob("python*/site-packages/drr")}
    return {
        _resolve(room) for copy in copies for rooms in _TELLING for room in copy.glob(rooms) if room.is_dir()
    }


_LAUNCHER = Path(__file__).with_name("launcher.py")
_PATIENCE_S = 30.0
NOT_CONTAINED = "its view of this machine's files and processes, its network, how many processes it starts"


@cache
def why_not_contained() -> str | None:
    """Return why a command cannot run in a sandbox on this system; `None` where it can."""
    if sys.platform != "linux":
        return "only Linux has namespaces"
    ours, theirs = socket.socketpair()
    ours.settimeout(_PATIENCE_S)
    order = {"contained": True, "processes": 301, "visible": ["/usr"], "hidden": []}
    with ours:
        with theirs:
            started = subprocess.Popen(  # noqa: S603
                [sys.executable, "-I", "-S", "-B", str(_LAUNCHER), str(theirs.fileno())],
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, env={},
            )  # fmt: skip
        try:
            ours.sendall(json.dumps(order).encode() + b"\n")
            report = json.loads(ours.makefile("rb").readline() or b"{}")
        except (OSError, ValueError) as error:
            report = {"refused": str(error)}
    started.wait(_PATIENCE_S)
    return None if report.get("ready") else str(report.get("refused", "its launcher cannot be started"))
