"""DeepResearch Bench's FACT, and what an address says where some verdicts count as support.

Each benchmark has its own rule for what is unknown; `docs/judging.md` lists them beside each other. A failure of the judge is never a verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Literal, NamedTuple

from drr.eval.stats.faithfulness import SCORE, UNREADABLE, Status

Found = Literal["supported", "unsupported", "unknown"]
"""`unknown`: the source could not be read."""
WHOLLY: Collection[str] = frozenset({"full"})
IN_PART: Collection[str] = frozenset({"full", "partial"})


def found(status: Status | None, supporting: Collection[str]) -> Found | None:
    """Find what one address says, where these verdicts count as support."""
    if status in UNREADABLE:
        return "unknown"
    if status is None or status not in SCORE:
        return None
    return "supported" if status in supporting else "unsupported"


class FactCounts(NamedTuple):
    """FACT of one report: its citations by verdict; sources in error are left out. All `None` where no source could be read."""

    supported: float | None
    judged: float | None

    @property
    def rate(self) -> float | None:
        return self.supported / self.judged if self.supported is not None and self.judged else None


def fact(verdicts: Iterable[Found | None]) -> FactCounts:
    known = [verdict for verdict in verdicts if verdict in ("supported", "unsupported")]
    return FactCounts(float(known.count("supported")), float(len(known))) if known else FactCounts(None, None)


class FoundCounts(NamedTuple):
    """Citations of one task whose source could be read, by verdict."""

    supported: int
    unsupported: int
    unknown: int


def found_counts(verdicts: Iterable[Found | None]) -> FoundCounts:
    known = Counter(verdicts)
    return FoundCounts(known["supported"], known["unsupported"], known["unknown"])


class FactFigures(NamedTuple):
    """FACT of a system."""

    citations_per_task: float | None
    valid_per_task: float | None
    rate: float | None


def fact_figures(tasks: Collection[FoundCounts], *, printed: bool = False) -> FactFigures:
    """Compute the figures of the tasks with a source that could be read. As printed the rate of tasks without a single verdict is 0."""
    if not tasks:
        return FactFigures(None, None, None)
    supported = sum(one.supported for one in tasks)
    judged = supported + sum(one.unsupported for one in tasks)
    rate = supported / judged if judged else 0.0 if printed else None
    return FactFigures(judged / len(tasks), supported / len(tasks), rate)
