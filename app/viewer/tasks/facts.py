"""The required facts of a task in one report: found, missed or contradicted, beside the places where they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from drr.app.viewer.tasks.model import FactEvidence, PlaceEvidence, PlaceView, StatementView
from drr.papers.dr3.judging.rows import FactLabel, Span

STATES = ("found", "in part", "missed", "unknown")
CONTRADICTED = "contradicted"
_LOST = {
    True: "lost in writing: a tool of the run gave it",
    False: "lost in search: no tool of the run gave it",
}


@dataclass(frozen=True)
class RepeatedView:
    """A falsified value as the report says it, and a page that falsified it."""

    kind: str
    value: str
    words: str
    urls: tuple[str, ...]
    statement: StatementView | None


@dataclass(frozen=True)
class FactInReport:
    id: str
    text: str
    value: str
    state: str
    by: str
    reason: str
    words: str
    """Of the report; empty where it has none."""
    lost: str
    """Where a fact that the report does not tell was lost; empty where nobody can tell."""
    places: tuple[PlaceEvidence, ...]
    repeated: tuple[RepeatedView, ...]


def facts_in(
    report: str, labels: Sequence[FactLabel], known: Mapping[str, FactEvidence], judge: str | None
) -> list[FactInReport]:
    """`known` is what the task's folder holds now; what was judged otherwise than it stands there is shown without it."""
    return [_shown(report, label, known.get(label.id), judge) for label in labels]


def counted(facts: Iterable[FactInReport]) -> str:
    """In words, e.g. `3 found, 1 missed, 1 contradicted`."""
    own = list(facts)
    states = Counter(fact.state for fact in own)
    told = [f"{states[state]} {state}" for state in STATES if states[state]]
    wrong = sum(bool(fact.repeated) for fact in own)
    return ", ".join([*told, *([f"{wrong} {CONTRADICTED}"] if wrong else [])])


def _shown(report: str, label: FactLabel, known: FactEvidence | None, judge: str | None) -> FactInReport:
    same = known is not None and (known.text, known.value) == (label.text, label.value)
    by_rule = label.rule == 1 or not label.by_judge
    return FactInReport(
        label.id,
        label.text,
        label.value,
        _state(label.score),
        "by rule" if by_rule else f"by {judge or 'a judge'}",
        label.rule_reason if by_rule else label.judge_reason,
        words_at(report, label.shown),
        "" if label.score != 0 or label.met is None else _LOST[label.met],
        known.places if known is not None and same else tuple(map(_named, _addresses(label))),
        tuple(
            RepeatedView(
                one.kind.replace("_", " "),
                one.value,
                words_at(report, one.span),
                one.pages,
                _statement(one.pages, known if same else None),
            )
            for one in label.repeated
        ),
    )


def _state(score: float | None) -> str:
    if score is None:
        return "unknown"
    return "found" if score >= 1 else "in part" if score > 0 else "missed"


def words_at(report: str, span: Span | None) -> str:
    """Of the report; empty where there is no place."""
    return "" if span is None else report[span[0] : span[1]].strip()


def _addresses(label: FactLabel) -> Iterable[tuple[str, str | None]]:
    return ((one.address, one.quote) for one in label.places)


def _named(place: tuple[str, str | None]) -> PlaceEvidence:
    return PlaceEvidence(PlaceView(place[0], place[0], None, place[1]))


def _statement(urls: Iterable[str], known: FactEvidence | None) -> StatementView | None:
    changed = {} if known is None else known.changed
    return next((changed[url] for url in urls if url in changed), None)
