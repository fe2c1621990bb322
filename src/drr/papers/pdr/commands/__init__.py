"""The commands `drr papers persons`, `context` and `criteria`."""

from __future__ import annotations

from drr.plugin import CommandRow

_HERE, _FILES = __name__, ("import", "export")
_ABOUT = {
    "persons": "persons of a shop's shoppers: build, show, check, stats",
    "context": "what an assistant could have gathered of persons: build, check",
    "criteria": "what PQR scores by: list, show, export, import",
}
ROWS = tuple(
    CommandRow(f"papers {name}", f"{_HERE}.{name}", line, summaries=() if name == "context" else _FILES)
    for name, line in _ABOUT.items()
)
