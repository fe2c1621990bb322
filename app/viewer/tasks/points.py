"""The checklist of a task in one report: what is met, who says so, and the report's words beside the places of the facts that decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from drr.app.viewer.tasks.facts import FactInReport, words_at
from drr.papers.dr3.judging.rows import PointLabel

STATES = ("met", "not met", "unknown")


@dataclass(frozen=True)
class PointInReport:
    id: str
    requirement: str
    category: str
    state: str
    by: str
    reason: str
    words: str
    """Of the report, as the judge quoted them."""
    facts: tuple[FactInReport, ...]
    """Those that decide it."""


@dataclass(frozen=True)
class ChecklistInReport:
    points: tuple[PointInReport, ...]

    @property
    def told(self) -> str:
        """In words, e.g. `3 met, 1 unknown`."""
        states = Counter(point.state for point in self.points)
        return ", ".join(f"{states[state]} {state}" for state in STATES if states[state])


def points_in(
    report: str, labels: Sequence[PointLabel], facts: Sequence[FactInReport], judge: str | None
) -> ChecklistInReport | None:
    """`None` where there is no checklist, or nobody looked."""
    if not labels:
        return None
    known = {fact.id: fact for fact in facts}
    return ChecklistInReport(tuple(_shown(report, label, known, judge) for label in labels))


def _shown(
    report: str, label: PointLabel, known: dict[str, FactInReport], judge: str | None
) -> PointInReport:
    by = f"by {judge or 'a judge'}" if label.reason else "no judge was asked"
    return PointInReport(
        label.id,
        label.requirement,
        label.category,
        "unknown" if label.met is None else "met" if label.met else "not met",
        f"by its facts, {', '.join(label.facts)}" if label.facts else by,
        label.reason,
        words_at(report, label.span),
        tuple(known[name] for name in label.facts if name in known),
    )
