"""Lines of JSON for others, a file for each system."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from drr.env.files import file_name
from drr.eval.foreign.form import FileOut, ReportOut, ScoresOut


def json_line(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False, allow_nan=False) + "\n"


RowOut = TypeVar("RowOut", ReportOut, ScoresOut)


def files_of_systems(path: str, rows: Sequence[RowOut], line: Callable[[RowOut], str]) -> Iterator[FileOut]:
    """`{}` in the path stands for the system."""
    by_system: dict[str, list[str]] = {}
    for one in rows:
        by_system.setdefault(one.system, []).append(line(one))
    for system, lines in by_system.items():
        yield FileOut(path.format(file_name(system)), "".join(lines))
