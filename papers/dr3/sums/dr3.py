"""DR3-Eval's six figures of one report, 0-100: insights of files and of pages, citation coverage, factual accuracy, instructions
followed, depth.

What has no answer is left out of its own figure. The mean of the six is unknown where one of them is; as printed it is of those that
there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from drr.eval.stats.citations import Found, share
from drr.papers.dr3.sums.accuracy import pair_accuracy

SIX = ("ir_uf", "ir_sc", "cc", "fa", "if", "dq")
FIGURES = (*SIX, "avg", "ir_uf_mean", "ir_sc_mean")


class Dr3Raw(NamedTuple):
    """`None` in the place of a list: nobody asked."""

    ir_uf: Sequence[float | None] | None = None
    """Of each insight of the files how far the report has it, 0-1."""
    ir_sc: Sequence[float | None] | None = None
    """The same of the sandbox's pages."""
    required: Sequence[str] | None = None
    cited: Sequence[str] | None = None
    fa: Sequence[bool | None] | None = None
    """Of each pair of claim and source whether it is supported."""
    follows: Sequence[bool | None] | None = None
    """Of each point of the checklist whether it is met."""
    dq: float | None = None
    """1-10."""


def dr3_figures(raw: Dr3Raw, *, printed: bool = False) -> dict[str, float | None]:
    """An insight counts where the report has it wholly; `_mean` gives part of one its part."""
    figures = {
        "ir_uf": _hundred(share(_wholly(raw.ir_uf))),
        "ir_sc": _hundred(share(_wholly(raw.ir_sc))),
        "cc": citation_coverage(raw.required, raw.cited),
        "fa": pair_accuracy(_verdict(one) for one in raw.fa or ()),
        "if": _hundred(share(raw.follows or ())),
        "dq": None if raw.dq is None else 10 * raw.dq,
    }
    known = [value for value in figures.values() if value is not None]
    whole = bool(known) and (printed or len(known) == len(SIX))
    return {
        **figures,
        "avg": fsum(known) / len(known) if whole else None,
        "ir_uf_mean": _hundred(_mean(raw.ir_uf)),
        "ir_sc_mean": _hundred(_mean(raw.ir_sc)),
    }


def citation_coverage(required: Sequence[str] | None, cited: Sequence[str] | None) -> float | None:
    """Each document once, however often it is named; `None` where none is required."""
    if required is None or cited is None:
        return None
    found = set(cited)
    return _hundred(share(one in found for one in set(required)))


def _wholly(scores: Sequence[float | None] | None) -> list[bool | None]:
    return [None if score is None else score == 1 for score in scores or ()]


def _verdict(supported: bool | None) -> Found | None:
    return None if supported is None else "supported" if supported else "unsupported"


def _mean(scores: Sequence[float | None] | None) -> float | None:
    known = [score for score in scores or () if score is not None]
    return fsum(known) / len(known) if known else None


def _hundred(value: float | None) -> float | None:
    return None if value is None else 100 * value
