"""Agents of others, as their functions declare them: by an entry point, or in a file that nobody installed.

An async function `(query, tools, model, budget) -> report` may carry attributes of the names in `Architecture`: `version`,
`roles`, `tools`, `limits` (a dict), `policy`. What Inspect's `@agent` makes may stand in its place. Of one in a file the content's hash enters the version, and with it the key of
every unit, so that an edit cannot keep old answers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from drr.agents.architecture import AGENT, Architecture, Run
from drr.agents.base import Limits
from drr.env.errors import Misuse
from drr.env.plugins import load as loaded
from drr.env.plugins import merged
from drr.env.user_code import from_file
from drr.llm.role import Policy


def architecture_of(
    name: str, function: Any, *, origin: str, otherwise: str = "unknown", suffix: str = "", word: str = ""
) -> Architecture:
    """Read what a function declares; `otherwise` is the version of one that states none."""

    def load() -> Run:
        from drr.agents.plugins import run_of

        return run_of(name, function)

    theirs, prompts = _of_others(function) or (load, ())
    limits = _declared(name, function, "limits", Mapping, {})
    if strangers := sorted(set(limits) - {field.name for field in fields(Limits)}):
        raise Misuse(f"plug-in variant {name!r} declares unknown limits: {', '.join(strangers)}")
    policy: Mapping[str, str | Policy] = _declared(name, function, "policy", Mapping, {})
    tools = _names(name, function, "tools")
    return Architecture(
        name=name,
        version=f"{getattr(function, 'version', None) or otherwise}{suffix}",
        summary=f"plug-in from {origin}",
        load=theirs,
        prompts=prompts,
        roles=tuple(dict.fromkeys((AGENT, *(_names(name, function, "roles") or ())))),
        tools=tools,
        limits=replace(Limits(), **limits),
        policy=dict(policy),
        origin=origin,
        word=word,
    )


def _of_others(found: Any) -> tuple[Callable[[], Run], tuple[str, ...]] | None:
    """Return the way to load an agent of other people's software, and its prompts; `None` where it is none of theirs."""
    asked = (loaded(place)(found) for place in merged("agents").values())
    return next((parts for parts in asked if parts is not None), None)


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


def in_file(place: str, function: str) -> Architecture:
    """The function of that name in a Python file; it is called `file.py:function` wherever it is shown."""
    code = from_file("variant", place, function)
    if not (inspect.iscoroutinefunction(code.found) or _of_others(code.found)):
        raise Misuse(
            f"variant {place}:{function}: not an async function; write `async def {function}(query, tools, model, budget)`"
        )
    return architecture_of(
        f"{code.path.name}:{function}",
        code.found,
        origin=code.path.name,
        otherwise="0",
        suffix=f"+{code.digest[:16]}",
        word=f"{code.path}:{function}",
    )
