"""Tools of the user's own: functions in a file, `my_tools.py:delivery_days`.

A function has typed arguments and a docstring. It may take a context as `ctx`, with `shop`, `session` and `today`, and returns a text,
plain data, or `ctx.cited(...)`: a text with an address that reports may cite.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from functools import cache, partial
from threading import Thread
from typing import Annotated, Any, get_args, get_type_hints

from drr.env.errors import Misuse, bug_of
from drr.env.records.lines import one_line
from drr.env.shop_world import checked_without, own_code
from drr.env.user_code import UserCode
from drr.llm.secrets import Redactor
from drr.llm.text import well_formed
from drr.tools.base import ErrorKind, ToolAnswer, ToolContext, ToolError
from drr.tools.registry import OWN, TOOLS
from drr.tools.spec import READABLE, Tool, make_tool
from pydantic import Field
from pydantic.errors import PydanticUserError

_LONGEST = 4000
"""Most characters of a text argument whose type names no limit."""
_MOST = 24_000
"""Most characters of an answer, as many as three pages of a file have."""


def add_own_tools(words: Sequence[str]) -> None:
    """Load the tools that these words name and make them known in this process. An edited file replaces what was loaded before."""
    for name, code in own_code(words).items():
        OWN[name] = _tool_of(name, code)


def offered_tools(words: Sequence[str], without: Sequence[str]) -> list[str]:
    """Return the names of a shop's tools with the user's own tools and without removed tools."""
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
    typed = {one.name: _described_type(one.name, hints[one.name]) for one in arguments}

    async def calling(ctx: ToolContext, **values: Any) -> ToolAnswer:
        given = {**values, **({context: ctx} if context else {})}
        if inspect.iscoroutinefunction(function):
            work = asyncio.run_coroutine_threadsafe(_awaited(name, function(**given)), _loop())
            try:
                return await asyncio.wrap_future(work)
            except asyncio.CancelledError:
                _loop.cache_clear()  # it may be blocked
                raise
        answer: Future[ToolAnswer] = Future()
        Thread(
            target=copy_context().run, args=(_do, name, partial(function, **given), answer), daemon=True
        ).start()
        return await asyncio.wrap_future(answer)

    wrapped: Any = calling
    first = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=ToolContext)
    wrapped.__signature__ = inspect.Signature(
        [first, *(one.replace(annotation=typed[one.name]) for one in arguments)]
    )
    wrapped.__annotations__, wrapped.__doc__, wrapped.__name__ = typed, function.__doc__, name
    return wrapped  # type: ignore[no-any-return]


def _described_type(name: str, hint: Any) -> Any:
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


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return the loop of asynchronous tools. It has a thread of its own, so that a tool that blocks it holds up no agent."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, daemon=True).start()
    return loop


async def _awaited(name: str, work: Awaitable[Any]) -> ToolAnswer:
    try:
        return _answer(await work)
    except BaseException as error:
        raise _failure(name, error) from error


def _do(name: str, work: Callable[[], Any], answer: Future[ToolAnswer]) -> None:
    """Run a tool in its own thread, which the program does not wait for at its end."""
    answer.set_running_or_notify_cancel()
    try:
        answer.set_result(_answer(work()))
    except BaseException as error:  # noqa: BLE001 - raised to whoever waits for the answer
        failed = _failure(name, error)
        failed.__cause__ = error
        answer.set_exception(failed)


def _failure(name: str, error: BaseException) -> ToolError:
    """Return the failure of the call: a kind, and one line without whatever of the environment may be a key."""
    kind: ErrorKind = "unavailable"
    text = f"{name} failed: {bug_of(error)}"
    if isinstance(error, ToolError):
        text, kind = error.message.strip() or name, error.kind
    first = well_formed(Redactor(os.environ.values())(text.splitlines()[0]))
    return ToolError(kind if kind in get_args(ErrorKind) else "unavailable", one_line(first, 400))


def _answer(value: Any) -> ToolAnswer:
    if isinstance(value, ToolAnswer):
        answer = value
    else:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        answer = ToolAnswer(text, data=None if isinstance(value, str) else json.loads(text))
    sources = [source.model_dump(mode="json") for source in answer.sources]
    whole = json.dumps([answer.text, answer.data, sources], ensure_ascii=False, allow_nan=False)
    whole.encode()  # a lone surrogate ends here
    longest = max(len(answer.text), *(len(one.seen) for one in answer.sources), len(whole) // 10)
    if longest > _MOST:
        raise ToolError(
            "unavailable",
            f"Its answer is too long: {_MOST:,} characters at most, or {10 * _MOST:,} with data and sources.",
        )
    return answer
