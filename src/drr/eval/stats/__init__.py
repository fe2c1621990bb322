"""Statistics over verdicts (shares, intervals, agreement, ratings), and the protocols of `drr papers aggregate`.

A protocol is a form of its rows and a class that adds them one at a time; a new one is a class and a line in `PROTOCOLS`. The
functions are the same that metrics of a judging run call. Rows and outputs are fixed (`docs/aggregate.md`).
"""

from __future__ import annotations

from typing import Any

from drr.env.plugins import load, merged, papers

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


def protocols() -> dict[str, str]:
    """Return the help of this project's protocols and of papers' protocols, by name."""
    own = {name: line for name, (_, line) in PROTOCOLS.items()}
    return own | merged(paper.foreign.sums for paper in papers())


def sums_of(name: str) -> Any:
    """Load the class of a protocol's sums; no other module is imported."""
    if name in PROTOCOLS:
        return load(PROTOCOLS[name][0])
    return next(paper.foreign.protocol(name) for paper in papers() if name in paper.foreign.sums)
