"""The command `drr judges align`."""

from __future__ import annotations

from drr.plugin import CommandRow

_HERE = __name__
_ABOUT = "brings a judge near to experts: new, run, show, status, edit"
ROWS = (CommandRow("judges align", f"{_HERE}.align", _ABOUT, summaries=("new",)),)
