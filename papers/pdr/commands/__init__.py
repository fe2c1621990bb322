"""The commands of the paper."""

from __future__ import annotations

from drr.app.command_table import CommandRow

_HERE = __name__
ROWS = (
    CommandRow(
        "papers persons",
        f"{_HERE}.persons",
        "persons of a shop's shoppers: build, show, check, stats",
        old="persons",
        summaries=("import", "export"),
    ),
    CommandRow(
        "papers context",
        f"{_HERE}.context",
        "what an assistant could have gathered of persons: build, check",
        old="context",
    ),
    CommandRow(
        "papers criteria",
        f"{_HERE}.criteria",
        "what PQR scores by: list, show, export, import",
        old="criteria",
        summaries=("export", "import"),
    ),
)
