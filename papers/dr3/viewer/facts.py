"""Required facts and checklist of a task in one report, found, missed or contradicted, beside their places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from drr.papers.dr3.judging.rows import FactLabel, PointLabel, RepeatedChange, Span
from drr.papers.dr3.viewer.model import FactEvidence, PlaceEvidence, PlaceView, StatementView

POINT_STATES = {True: "met", False: "not met", None: "unknown"}
STATES = ("found", "in part", "missed", "unknown")
CONTRADICTED = "contradicted"
_LOST = {
    True: "lost in writing: a tool of the run gave it",
    False: "lost in search: no tool of the run gave it",
}


@dataclass(frozen=True)
class RepeatedView:
    """A falsified value as the report says it, and a page that falsified it."""

    change: RepeatedChange
    words: str
    statement: StatementView | None


@dataclass(frozen=True)
class FactInReport:
    label: FactLabel
    state: str
    by: str
    reason: str
    words: str
    """Of the report; empty where it has none."""
    lost: str
    """Where a fact that the report does not tell was lost; empty where nobody can tell."""
    places: tuple[PlaceEvidence, ...]
    repeated: tuple[RepeatedView, ...]

    @property
    def id(self) -> str:
        return self.label.id


def facts_in(
    report: str, labels: Sequence[FactLabel], known: Mapping[str, FactEvidence], judge: str | None
) -> list[FactInReport]:
    """`known` is what the task's folder holds now; what was judged otherwise than it stands there is shown without it."""
    return [_shown(report, label, known.get(label.id), judge) for label in labels]


def counted(facts: Iterable[FactInReport]) -> str:
    """Count in words, e.g. `3 found, 1 missed, 1 contradicted`."""
    own = list(facts)
    states = Counter(fact.state for fact in own)
    counts = [f"{states[state]} {state}" for state in STATES if states[state]]
    wrong = sum(bool(fact.repeated) for fact in own)
    return ", ".join([*counts, *([f"{wrong} {CONTRADICTED}"] if wrong else [])])


def _shown(report: str, label: FactLabel, known: FactEvidence | None, judge: str | None) -> FactInReport:
    same = known is not None and (known.fact.text, known.fact.value) == (label.text, label.value)
    by_rule = label.rule == 1 or not label.by_judge
    return FactInReport(
        label,
        _state(label.score),
        "by rule" if by_rule else f"by {judge or 'a judge'}",
        label.rule_reason if by_rule else label.judge_reason,
        words_at(report, label.shown),
        "" if label.score != 0 or label.met is None else _LOST[label.met],
        known.places if known is not None and same else tuple(map(_named, _addresses(label))),
        tuple(
            RepeatedView(one, words_at(report, one.span), _statement(one.pages, known if same else None))
            for one in label.repeated
        ),
    )


def _state(score: float | None) -> str:
    if score is None:
        return "unknown"
    return "found" if score >= 1 else "in part" if score > 0 else "missed"


def words_at(report: str, span: Span | None) -> str:
    """Return the words of the report; empty where there is no place."""
    return "" if span is None else report[span[0] : span[1]].strip()


def _addresses(label: FactLabel) -> Iterable[tuple[str, str | None]]:
    return ((one.address, one.quote) for one in label.places)


def _named(place: tuple[str, str | None]) -> PlaceEvidence:
    return PlaceEvidence(PlaceView(place[0], place[0], None, place[1]))


def _statement(urls: Iterable[str], known: FactEvidence | None) -> StatementView | None:
    changed = {} if known is None else known.changed
    return next((changed[url] for url in urls if url in changed), None)


@dataclass(frozen=True)
class PointInReport:
    label: PointLabel
    state: str
    by: str
    words: str
    """Of the report, as the judge quoted them."""
    facts: tuple[FactInReport, ...]
    """Those that decide it."""


@dataclass(frozen=True)
class ChecklistInReport:
    points: tuple[PointInReport, ...]

    @property
    def told(self) -> str:
        """Count in words, e.g. `3 met, 1 unknown`."""
        states = Counter(point.state for point in self.points)
        return ", ".join(f"{states[state]} {state}" for state in POINT_STATES.values() if states[state])


def points_in(
    report: str, labels: Sequence[PointLabel], facts: Sequence[FactInReport], judge: str | None
) -> ChecklistInReport | None:
    """What is met of the task's checklist and who says so; `None` where there is none, or nobody looked."""
    if not labels:
        return None
    known = {fact.id: fact for fact in facts}
    return ChecklistInReport(
        tuple(
            PointInReport(
                label,
                POINT_STATES[label.met],
                _decided_by(label, judge),
                words_at(report, label.span),
                tuple(known[name] for name in label.facts if name in known),
            )
            for label in labels
        )
    )


def _decided_by(label: PointLabel, judge: str | None) -> str:
    if label.facts:
        return f"by its facts, {', '.join(label.facts)}"
    return f"by {judge or 'a judge'}" if label.reason else "no judge was asked"
