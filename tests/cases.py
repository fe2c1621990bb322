"""Tables of cases that stand in `tests/data`, one file for each folder of tests, one case a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache, wraps
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "data"


@cache
def _tables(folder: str) -> dict[str, Any]:
    tables: dict[str, Any] = json.loads((FOLDER / f"{folder}.json").read_text("utf-8"))
    return tables


def cases(folder: str, table: str) -> Any:
    """Return the rows of a table, or its values by name."""
    return _tables(folder)[table]


def each(
    names: str | tuple[str, ...], rows: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Try every row in one test, where a test of its own would cost more than the row; what fails is told together."""
    wanted = (names,) if isinstance(names, str) else names
    tried = [(row,) if isinstance(names, str) else tuple(row) for row in rows]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def every(**fixtures: Any) -> None:
            wrong: list[str] = []
            for row in tried:
                try:
                    test(**fixtures, **dict(zip(wanted, row, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    wrong.append(f"{row!r}: {type(error).__name__}: {error}")
            assert not wrong, f"{len(wrong)} of {len(tried)}:\n" + "\n".join(wrong)

        whole = signature(test)
        rest = [one for name, one in whole.parameters.items() if name not in wanted]
        every.__signature__ = whole.replace(parameters=rest)  # type: ignore[attr-defined]
        return every

    return decorate
