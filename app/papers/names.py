"""The names of the papers on the command line."""

from __future__ import annotations

from drr.env.plugins import papers

RETAIL = "retail"
"""The paper that this project is of; the others are plug-ins."""


def reproducible() -> tuple[str, ...]:
    """Those that `drr papers reproduce` can do."""
    return (RETAIL, *(paper.name for paper in papers() if paper.reproduction))


def printed_papers() -> tuple[str, ...]:
    """Those whose printed tables and figures are known."""
    return (RETAIL, *(paper.name for paper in papers() if paper.exhibits))
