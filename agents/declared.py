"""Agents of others, as their functions declare them: by an entry point, or in a file that nobody installed.

An async function `(query, tools, model, budget) -> report` may carry attributes of the names in `Architecture`: `version`,
`roles`, `tools`, `limits` (a dict), `policy`. Of one in a file the content's hash enters the version, and with it the key of
every unit, so that an edit cannot keep old answers.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from drr.agents.architecture import AGENT, Architecture, Run
from drr.agents.base import Limits
from drr.env.errors import Misuse
from drr.llm.role import Policy

_IN_FILE = re.compile(r".*\.py:[^:]*", re.DOTALL)
_SAFE = re.compile(r"[\w.-]+\.py")


def architecture_of(
    name: str, function: Any, *, origin: str, otherwise: str = "unknown", suffix: str = "", word: str = ""
) -> Architecture:
    """What a function declares; `otherwise` is the version of one that states none."""

    def load() -> Run:
        from drr.agents.plugins import run_of

        return run_of(name, function)

    limits = _declared(name, function, "limits", Mapping, {})
    if strangers := sorted(set(limits) - {field.name for field in fields(Limits)}):
        raise Misuse(f"plug-in variant {name!r} declares unknown limits: {', '.join(strangers)}")
    policy: Mapping[str, str | Policy] = _declared(name, function, "policy", Mapping, {})
    tools = _names(name, function, "tools")
    return Architecture(
        name=name,
        version=f"{getattr(function, 'version', None) or otherwise}{suffix}",
        summary=f"plug-in from {origin}",
        load=load,
        roles=tuple(dict.fromkeys((AGENT, *(_names(name, function, "roles") or ())))),
        tools=tools,
        limits=replace(Limits(), **limits),
        policy=dict(policy),
        origin=origin,
        word=word,
    )


def _names(name: str, function: Any, attribute: str) -> tuple[str, ...] | None:
    given = getattr(function, attribute, None)
    if given is None:
        return None
    if not isinstance(given, list | tuple | set | frozenset) or not all(
        isinstance(one, str) for one in given
    ):
        raise Misuse(f"plug-in variant {name!r}: its `{attribute}` is not a list of names")
    return tuple(given)


def _declared(name: str, function: Any, attribute: str, kind: type, otherwise: Any) -> Any:
    given = getattr(function, attribute, otherwise)
    if not isinstance(given, kind):
        raise Misuse(f"plug-in variant {name!r}: its `{attribute}` is a {type(given).__name__}, no dict")
    return given


def is_in_file(name: str) -> bool:
    """Whether this names a function in a file."""
    return _IN_FILE.fullmatch(name) is not None


def in_file(place: str, function: str) -> Architecture:
    """The function of that name in a Python file; it is called `file.py:function` wherever it is shown."""
    path = Path(place).expanduser().resolve()
    if not path.is_file():
        raise Misuse(f"variant {place}:{function}: there is no file {path}; give path/to/file.py:function")
    if not _SAFE.fullmatch(path.name):
        raise Misuse(
            f"variant {place}:{function}: the file's name may hold letters, digits, `.`, `_` and `-`; rename it"
        )
    try:
        source = path.read_bytes()
    except OSError as error:
        raise Misuse(f"variant {place}:{function}: {path} cannot be read ({error.strerror})") from error
    found = getattr(_module(path, source), function, None)
    if found is None:
        raise Misuse(f"variant {place}:{function}: {path} has no function {function!r}")
    if not inspect.iscoroutinefunction(found):
        raise Misuse(
            f"variant {place}:{function}: not an async function; write `async def {function}(query, tools, model, budget)`"
        )
    name, digest = f"{path.name}:{function}", sha256(source).hexdigest()
    return architecture_of(
        name, found, origin=path.name, otherwise="0", suffix=f"+{digest[:16]}", word=f"{path}:{function}"
    )


@cache
def _module(path: Path, source: bytes) -> ModuleType:
    """What was hashed is what runs: the file is not read a second time. Its folder is not on the import path."""
    name = f"drr_variant_{path.stem.replace('.', '_')}_{sha256(source).hexdigest()[:16]}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)  # noqa: S102 - the user named this file to be run
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        told = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())
        cause = f"{type(error).__name__}: {told}" if told else type(error).__name__
        raise Misuse(f"{path}{_line_of(error, path)}: cannot be loaded ({cause}); mend it") from error
    return module


def _line_of(error: BaseException, path: Path) -> str:
    """Where in that file it went wrong, as far as that is known."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f", line {error.lineno}"
    here = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f", line {here[-1]}" if here else ""
