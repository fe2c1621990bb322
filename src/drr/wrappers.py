"""Decorators of the public functions: one lets them run inside a running event loop, one makes their async forms.

A call with missing or unknown arguments is a `Misuse` that says how the function is called.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from inspect import Parameter, signature
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Found = TypeVar("Found")


def anywhere(work: Callable[Given, Found]) -> Callable[Given, Found]:
    """Wrap a function so that it also works inside a running event loop. Its errors name the argument whose file cannot be read or written."""

    @wraps(work)
    def called(*args: Given.args, **named: Given.kwargs) -> Found:
        _check_arguments(work, called.__name__, args, named)
        from drr.app.calls import run_blocking

        return run_blocking(lambda: work(*args, **named), *args, *named.values())

    return called


def awaitable(function: Callable[Given, Found]) -> Callable[Given, Coroutine[object, object, Found]]:
    """Return the async form of a function. The running loop stays free, and a cancelled call asks models nothing more."""
    work: Callable[Given, Found] = getattr(function, "__wrapped__", function)

    @wraps(work)
    async def awaited(*args: Given.args, **named: Given.kwargs) -> Found:
        _check_arguments(work, awaited.__name__, args, named)
        from drr.app.calls import run_in_thread

        return await run_in_thread(lambda: work(*args, **named), *args, *named.values())

    awaited.__name__ = awaited.__qualname__ = f"a{function.__name__}"
    return awaited


def _check_arguments(
    work: Callable[..., object], name: str, args: tuple[object, ...], named: Mapping[str, object]
) -> None:
    try:
        signature(work).bind(*args, **named)
    except TypeError as error:
        from drr.env.errors import Misuse

        each = signature(work).parameters.values()
        form = [one.name if one.default is Parameter.empty else f"{one.name}=..." for one in each]
        raise Misuse(f"drr.{name}: {error}; call it as drr.{name}({', '.join(form)})") from None
