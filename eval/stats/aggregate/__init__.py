"""`drr papers aggregate`: the sums of each protocol over raw scores of anybody, row by row.

A protocol is a form of its rows and a class that takes them one at a time; a new one costs a file and a line in `PROTOCOLS`. The sums
themselves are functions over typed values, the same that a judging's metrics call. Rows and outputs are fixed (`docs/aggregate.md`).
"""

from __future__ import annotations

from typing import Any

PROTOCOLS: dict[str, tuple[str, str]] = {
    "pqr": ("pqr:PqrSums", "PDR-Bench's P or Q from the scores of criteria"),
    "pqr-r": ("reliability:ReliabilitySums", "PDR-Bench's R: factual accuracy and citation coverage"),
    "fact": ("fact:FactSums", "DeepResearch Bench's FACT: citations per task, and how many of them hold"),
    "dr3": ("dr3:Dr3Sums", "DR3-Eval's six figures and their mean"),
    "reporteval": ("reporteval:ReportEvalSums", "ReportEval's grades, repetition and support"),
    "rubric": ("rubric:RubricSums", "shares of a checklist's items by kind, macro and micro"),
    "agreement": ("agreement:AgreementSums", "a judge against people: PCA, MARD, MAD, PAR, correlations"),
    "swap": ("swap:SwapSums", "reports under other persons' criteria: delta, CFA_min, A_min"),
}
"""By name: the class under this package, and one line of help."""


def sums_of(name: str) -> Any:
    """The class of a protocol's sums; only its own module is imported."""
    from importlib import import_module

    module, _, cls = PROTOCOLS[name][0].partition(":")
    return getattr(import_module(f"{__name__}.{module}"), cls)
