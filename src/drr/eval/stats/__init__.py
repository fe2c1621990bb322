"""Statistics over verdicts (shares, intervals, agreement, ratings), and the protocols of `drr papers aggregate`.

A protocol is a form of its rows and a class that adds them one at a time; a new one is a class and a line in `PROTOCOLS`. The
functions are the same that metrics of a judging run call. Rows and outputs are fixed (`docs/aggregate.md`).
"""

from __future__ import annotations

from typing import Any

from drr.env.plugins import load, merged_field

PROTOCOLS: dict[str, tuple[str, str]] = {
    "fact": (
        "drr.eval.stats.sums:FactSums",
        "DeepResearch Bench's FACT: citations per task, and how many of them hold",
    ),
    "rubric": ("drr.eval.stats.sums:RubricSums", "shares of a checklist's items by kind, macro and micro"),
    "agreement": (
        "drr.eval.stats.sums:AgreementSums",
        "a judge against people: PCA, MARD, MAD, PAR, correlations",
    ),
}
"""Place of the class and one line of help, by name."""


def protocols() -> dict[str, tuple[str, str]]:
    """Return the protocols of this project and those of papers, by name."""
    return PROTOCOLS | merged_field("sums")


def sums_of(name: str) -> Any:
    """Load the class of a protocol's sums; no other module is imported."""
    return load(protocols()[name][0])
