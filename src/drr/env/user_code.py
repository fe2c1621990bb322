"""Loads the user's own code from an uninstalled file, `path/file.py:name`. The code that was hashed is the code that runs."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from drr.env.errors import Misuse
from drr.env.files import at_home

ON_INTERRUPT: set[Callable[[], None]] = set()
"""Functions called at the first Ctrl-C of a run, for calls of somebody's code that may never end."""
_IN_FILE = re.compile(r".*\.py:[^:]*", re.DOTALL)
_Given = TypeVar("_Given")
_Made = TypeVar("_Made")
_SAFE = re.compile(r"[\w.-]+\.py")


class UserCode(NamedTuple):
    found: Any
    path: Path
    digest: str
    """The hash of the file; after an edit, stored results no longer match."""


def is_in_file(name: str) -> bool:
    """Tell whether a name refers to an object in a file."""
    return _IN_FILE.fullmatch(name) is not None


def from_file(noun: str, place: str, name: str) -> UserCode:
    """Load the object with this name from a file. `noun` says in errors what the object should be, e.g. `variant`."""
    where = f"{noun} {place}:{name}"
    path = at_home(place).resolve()
    if not path.is_file():
        raise Misuse(f"{where}: there is no file {path}; give path/to/file.py:{_KIND.get(noun, 'function')}")
    if not _SAFE.fullmatch(path.name):
        raise Misuse(f"{where}: the file's name may hold letters, digits, `.`, `_` and `-`; rename it")
    try:
        source = path.read_bytes()
    except OSError as error:
        raise Misuse(f"{where}: {path} cannot be read ({error.strerror})") from error
    found = getattr(_module(path, source, noun), name, None)
    if found is None:
        raise Misuse(f"{where}: {path} has no {_KIND.get(noun, 'function')} {name!r}")
    return UserCode(found, path, sha256(source).hexdigest())


_KIND = {"memory": "class"}
"""The kinds of code in a file that are not functions, by noun."""


@cache
def _module(path: Path, source: bytes, noun: str) -> ModuleType:
    """Make a module from source already read, so the file is not read twice. Its folder is not on the import path."""
    name = f"drr_{noun}_{path.stem.replace('.', '_')}_{sha256(source).hexdigest()[:16]}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)  # noqa: S102 - the user named this file to be run
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        reason = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())
        cause = f"{type(error).__name__}: {reason}" if reason else type(error).__name__
        beside = isinstance(error, ModuleNotFoundError) and (path.parent / f"{error.name}.py").is_file()
        todo = f"PYTHONPATH={path.parent} lets it import what lies beside it" if beside else "mend it"
        raise Misuse(f"{path}{_line_of(error, path)}: cannot be loaded ({cause}); {todo}") from error
    return module


def _line_of(error: BaseException, path: Path) -> str:
    """Return the line of the file at which an error occurred, if known."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f", line {error.lineno}"
    here = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f", line {here[-1]}" if here else ""


_OF_OURS = (Exception, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError)


@contextmanager
def _exits_as_errors() -> Iterator[None]:
    """Turn an exit of somebody's code, which would end this program in silence, into an error like any other."""
    try:
        yield
    except _OF_OURS:
        raise
    except BaseException as error:
        raise RuntimeError(f"it called for an exit ({error!r})").with_traceback(
            error.__traceback__
        ) from error


class _Task(Coroutine[Any, Any, Any]):
    """A task's coroutine whose exit is an error of that task. An event loop would end with it."""

    def __init__(self, inner: Coroutine[Any, Any, Any]) -> None:
        self._inner = inner

    def send(self, value: Any) -> Any:
        with _exits_as_errors():
            return self._inner.send(value)

    def throw(self, *error: Any) -> Any:
        with _exits_as_errors():
            return self._inner.throw(*error)

    def close(self) -> None:
        self._inner.close()

    def __await__(self) -> Any:
        return self._inner.__await__()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def outliving(work: Callable[[_Given], Awaitable[_Made]]) -> Callable[[_Given], Awaitable[_Made]]:
    """Return the same work, of somebody's code. An exit in it, or in a task of it, is an error; the event loop outlives it."""

    async def guarded(given: _Given) -> _Made:
        loop = asyncio.get_running_loop()
        if loop.get_task_factory() is None:
            loop.set_task_factory(lambda loop, coro, **named: asyncio.Task(_Task(coro), loop=loop, **named))
        with _exits_as_errors():
            return await work(given)

    return guarded


ENDINGS = (".py", ".md", ".toml", ".json", ".jsonl", ".html", ".css", ".js")
"""Extensions of the files that a wheel holds."""


def code_files() -> list[tuple[str, Path]]:
    """Return every file of this package that a wheel holds, with its name below `drr`."""
    place = Path(__file__).parent.parent
    return sorted(
        (path.relative_to(place).as_posix(), path)
        for path in place.rglob("*")
        if path.suffix in ENDINGS and path.is_file()
    )


@cache
def code_hash() -> str:
    """Hash the installed code. The hash is equal in a checkout and in a wheel of it, and on every machine."""
    digest = sha256()
    for name, path in code_files():
        digest.update(f"{name}\0{sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def other_code(drivers: str | None) -> str | None:
    """Return a sentence if a worker's code differs from its driver's, else `None`."""
    if drivers in (None, own := code_hash()):
        return None
    place = Path(__file__).parents[1]
    return (
        f"another version of the code in {place} ({own[:12]}; the driver has {str(drivers)[:12]}); "
        "install the same version of deepresearch-retail on all machines"
    )
