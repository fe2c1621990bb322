"""Blocking functions of the public face that also work inside a running loop, and their async twins."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Found = TypeVar("Found")


def anywhere(work: Callable[Given, Found]) -> Callable[Given, Found]:
    """Let a function be called where a loop already runs, and name its arguments that cannot be read or written."""

    @wraps(work)
    def called(*args: Given.args, **named: Given.kwargs) -> Found:
        from drr.app.calls import call

        return call(lambda: work(*args, **named), *args, *named.values())

    return called


def twin(function: Callable[Given, Found]) -> Callable[Given, Coroutine[object, object, Found]]:
    """The same to be awaited: the running loop stays free, and who is cancelled asks nothing more."""
    work: Callable[Given, Found] = getattr(function, "__wrapped__", function)

    @wraps(work)
    async def awaited(*args: Given.args, **named: Given.kwargs) -> Found:
        from drr.app.calls import acall

        return await acall(lambda: work(*args, **named), *args, *named.values())

    awaited.__name__ = awaited.__qualname__ = f"a{function.__name__}"
    return awaited
