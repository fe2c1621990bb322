"""What is wrong with what was asked for, said by Inspect as its own such errors are: a line, and no traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from drr.env.errors import DrrError
from inspect_ai._util.error import PrerequisiteError


@contextmanager
def in_one_line() -> Iterator[None]:
    try:
        yield
    except DrrError as error:
        from rich.markup import escape

        raise PrerequisiteError(escape(f"drr: {error}")) from error
