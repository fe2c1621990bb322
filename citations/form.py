"""Takes the form out of a report: a block named `form` for code to read."""

from __future__ import annotations

from drr.citations.hidden import hidden_code


def without_form(report: str) -> tuple[str, str | None]:
    """Split off the last block named `form`: return the report without it, and the block. A form that is the whole report stays in the report."""
    for start, end in reversed(hidden_code(report)):
        first, *lines = report[start:end].splitlines()
        rest = f"{report[:start].rstrip()}\n{report[end:].lstrip()}"
        if first.strip("`~> \t") == "form" and rest.strip():
            return rest, "\n".join(line for line in lines if line.strip("`~> \t"))
    return report, None
