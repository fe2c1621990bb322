"""Decorators of the public functions: one lets them run inside a running event loop, one makes their async twins."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Found = TypeVar("Found")


def anywhere(work: Callable[Given, Found]) -> Callable[Given, Found]:
    """Wrap a function so that it also works inside a running event loop. Its errors name the argument whose file cannot be read or written."""

    @wraps(work)
    def called(*args: Given.args, **named: Given.kwargs) -> Found:
        from drr.app.calls import run_blocking

        return run_blocking(lambda: work(*args, **named), *args, *named.values())

    return called


def twin(function: Callable[Given, Found]) -> Callable[Given, Coroutine[object, object, Found]]:
    """Return the async twin of a function. The running loop stays free, and a cancelled call asks models nothing more."""
    work: Callable[Given, Found] = getattr(function, "__wrapped__", function)

    @wraps(work)
    async def awaited(*args: Given.args, **named: Given.kwargs) -> Found:
        from drr.app.calls import run_in_thread

        return await run_in_thread(lambda: work(*args, **named), *args, *named.values())

    awaited.__name__ = awaited.__qualname__ = f"a{function.__name__}"
    return awaited
