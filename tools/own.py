"""Tools of the user's own: functions in a file, `my_tools.py:delivery_days`.

A function has typed arguments and a docstring. It may take a context as `ctx`, with `shop`, `session` and `today`, and returns a text,
plain data, or `ctx.cited(...)`: a text with an address that reports may cite.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, get_args, get_type_hints

from drr.env.errors import Misuse, bug_of
from drr.env.records.lines import one_line
from drr.env.shop_world import checked_without, own_code
from drr.env.user_code import UserCode
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from drr.tools.registry import OWN, TOOLS
from drr.tools.spec import READABLE, Tool, make_tool
from pydantic import Field
from pydantic.errors import PydanticUserError

_LONGEST = 4000
"""Most characters of a text argument whose type names no limit."""


def add_own_tools(words: Sequence[str]) -> None:
    """Load the tools that these words name and make them known in this process. An edited file replaces what was loaded before."""
    for name, code in own_code(words).items():
        OWN[name] = _tool_of(name, code)


def offered_tools(words: Sequence[str], without: Sequence[str]) -> list[str]:
    """Return the names of a shop's tools with the own ones and without those taken away."""
    return [name for name in (*TOOLS, *own_code(words)) if name not in checked_without(without)]


@cache
def _tool_of(name: str, code: UserCode) -> Tool:
    where = f"--tools {code.path.name}:{name}"
    if not inspect.isfunction(code.found):
        raise Misuse(f"{where}: is no function; name one that is defined there with `def`")
    try:
        tool = make_tool(_calling(name, code.found, where))
    except (TypeError, NameError, PydanticUserError) as error:
        raise Misuse(f"{where}: {one_line(str(error), 200)}") from error
    for parameter, part in tool.schema["properties"].items():
        if "enum" not in part and part.get("type") not in READABLE:
            raise Misuse(
                f"{where}: {parameter} must be str, int, float, bool or Literal[...], or one of these | None"
            )
    return tool


def _calling(name: str, function: Callable[..., Any], where: str) -> Callable[..., Any]:
    """Wrap a user's function as a tool's. The context comes first, and a failure is a tool error."""
    hints = get_type_hints(function, include_extras=True)
    given = inspect.signature(function).parameters
    context = next((one for one in given if one == "ctx" or hints.get(one) is ToolContext), None)
    arguments = [one for one in given.values() if one.name != context]
    if untyped := [one.name for one in arguments if one.name not in hints]:
        raise Misuse(f"{where}: {untyped[0]} has no type; write e.g. {untyped[0]}: str")
    if any(one.kind not in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY) for one in arguments):
        raise Misuse(f"{where}: arguments are named one by one, without * and /")
    typed = {one.name: _described(one.name, hints[one.name]) for one in arguments}

    def passed(ctx: ToolContext, values: Mapping[str, Any]) -> dict[str, Any]:
        return {**values, **({context: ctx} if context else {})}

    async def asynchronous(ctx: ToolContext, **values: Any) -> ToolAnswer:
        try:
            return _answer(await function(**passed(ctx, values)))
        except Exception as error:
            raise _failure(name, error) from error

    def blocking(ctx: ToolContext, **values: Any) -> ToolAnswer:
        try:
            return _answer(function(**passed(ctx, values)))
        except Exception as error:
            raise _failure(name, error) from error

    wrapped: Any = asynchronous if inspect.iscoroutinefunction(function) else blocking
    first = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=ToolContext)
    wrapped.__signature__ = inspect.Signature(
        [first, *(one.replace(annotation=typed[one.name]) for one in arguments)]
    )
    wrapped.__annotations__, wrapped.__doc__, wrapped.__name__ = typed, function.__doc__, name
    return wrapped  # type: ignore[no-any-return]


def _described(name: str, hint: Any) -> Any:
    """Return a type with a description and, for a text, a limit, where the function gives none."""
    about = (
        [part for part in get_args(hint)[1:] if getattr(part, "description", None)]
        if hasattr(hint, "__metadata__")
        else []
    )
    limit = _LONGEST if hint is str else None
    return (
        hint
        if about
        else Annotated[hint, Field(description=f"The {name.replace('_', ' ')}.", max_length=limit)]
    )


def _failure(name: str, error: Exception) -> ToolError:
    return (
        error
        if isinstance(error, ToolError)
        else ToolError("unavailable", one_line(f"{name} failed: {bug_of(error)}", 400))
    )


def _answer(value: Any) -> ToolAnswer:
    if isinstance(value, ToolAnswer):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return ToolAnswer(text, data=None if isinstance(value, str) else json.loads(text))
