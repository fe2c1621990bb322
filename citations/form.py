"""The form that a report may carry for code to read, as a block named `form`."""

from __future__ import annotations

from drr.citations.hidden import hidden_code


def without_form(report: str) -> tuple[str, str | None]:
    """Take the last block named `form` out of a report, for code to read. One that is all of a report stays."""
    for start, end in reversed(hidden_code(report)):
        first, *lines = report[start:end].splitlines()
        rest = f"{report[:start].rstrip()}\n{report[end:].lstrip()}"
        if first.strip("`~> \t") == "form" and rest.strip():
            return rest, "\n".join(line for line in lines if line.strip("`~> \t"))
    return report, None
