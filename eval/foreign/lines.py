"""Lines of JSON for others, a file for each system."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from drr.env.files import file_name
from drr.eval.foreign.form import FileOut, ReportOut


def json_line(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False, allow_nan=False) + "\n"


def files_of_systems(
    folder: str, reports: Sequence[ReportOut], line: Callable[[ReportOut], str]
) -> Iterator[FileOut]:
    by_system: dict[str, list[str]] = {}
    for one in reports:
        by_system.setdefault(one.system, []).append(line(one))
    for system, lines in by_system.items():
        yield FileOut(f"{folder}/{file_name(system)}.jsonl", "".join(lines))
