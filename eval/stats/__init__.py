"""Sums over verdicts: shares, intervals, agreement, ratings; and the protocols by which `drr papers aggregate` sums.

A protocol is a form of its rows and a class that takes them one at a time; a new one costs a class and a line in `PROTOCOLS`. The sums
themselves are functions over typed values, the same that a judging's metrics call. Rows and outputs are fixed (`docs/aggregate.md`).
"""

from __future__ import annotations

from typing import Any

from drr.env.plugins import load, merged

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
    """Ours and those of the papers."""
    return PROTOCOLS | merged("sums")


def sums_of(name: str) -> Any:
    """The class of a protocol's sums; only its own module is imported."""
    return load(protocols()[name][0])
