"""Tables of cases that stand in `tests/data`, one or two files for each folder of tests, one case a line."""

from __future__ import annotations

import json
import re
import tomllib
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "data"


@cache
def _tables(folder: str) -> dict[str, Any]:
    tables: dict[str, Any] = json.loads((FOLDER / f"{folder}.json").read_text("utf-8"))
    others = FOLDER / f"{folder}.toml"
    return tables | (tomllib.loads(others.read_text("utf-8")) if others.exists() else {})


def cases(folder: str, table: str, *words: Mapping[str, Any]) -> Any:
    """Return the rows of a table, or its values by name; `{NAME}` in a text stands for that one of the words."""
    rows = _tables(folder)[table]
    return _filled(rows, ChainMap(*map(dict, words))) if words else rows


def _filled(row: Any, words: Mapping[str, Any]) -> Any:
    if isinstance(row, str):
        return re.sub(r"\{([A-Z_]+)\}", lambda found: words[found[1]], row)
    if isinstance(row, dict):
        return {_filled(name, words): _filled(value, words) for name, value in row.items()}
    return [_filled(one, words) for one in row] if isinstance(row, list) else row


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


def table(folder: str, name: str) -> pytest.MarkDecorator:
    """Parametrise a test by a table whose first row names its arguments."""
    names, *rows = cases(folder, name)
    return pytest.mark.parametrize(names, rows)
