"""A task's facts and checklist in one report, beside their places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from drr.papers.dr3.judging.rows import FactLabel, PointLabel, Span
from drr.papers.dr3.viewer.drawers import Values

POINT_STATES = {True: "met", False: "not met", None: "unknown"}
STATES = ("found", "in part", "missed", "unknown")
_NOWHERE = {"link": None, "crop": None, "passage": None}
_LOST = {
    True: "lost in writing: a tool of the run gave it",
    False: "lost in search: no tool of the run gave it",
}


def facts_in(
    report: str, labels: Sequence[FactLabel], known: Mapping[str, Values], judge: str | None
) -> list[Values]:
    """`known` is what the task's folder holds now; what was judged otherwise than it stands there is shown without it."""
    return [_shown(report, label, known.get(label.id), judge) for label in labels]


def counted(facts: Iterable[Values]) -> str:
    """Count in words, e.g. `3 found, 1 missed, 1 contradicted`."""
    own = list(facts)
    wrong = sum(bool(fact["repeated"]) for fact in own)
    return _counted(STATES, (fact["state"] for fact in own)) + (f", {wrong} contradicted" if wrong else "")


def _counted(names: Iterable[str], states: Iterable[str]) -> str:
    counts = Counter(states)
    return ", ".join(f"{counts[name]} {name}" for name in names if counts[name])


def _shown(report: str, label: FactLabel, known: Values | None, judge: str | None) -> Values:
    if known is not None and (known["fact"].text, known["fact"].value) != (label.text, label.value):
        known = None
    by_rule = label.rule == 1 or not label.by_judge
    changed = {} if known is None else {one["url"]: one for one in known["falsified"]}
    repeated = [
        {
            "change": one,
            "words": words_of(report, (one["start"], one["end"])),
            "statement": next((changed[url] for url in one["pages"] if url in changed), None),
        }
        for one in label.repeated
    ]
    recorded = [{"label": one["address"], "quote": one["quote"], **_NOWHERE} for one in label.places]
    return {
        "id": label.id,
        "label": label,
        "state": _state(label.score),
        "by": "by rule" if by_rule else f"by {judge or 'a judge'}",
        "reason": label.rule_reason if by_rule else label.judge_reason,
        "words": words_of(report, label.shown),
        "lost": "" if label.score != 0 or label.met is None else _LOST[label.met],
        "places": recorded if known is None else known["places"],
        "repeated": repeated,
    }


def _state(score: float | None) -> str:
    if score is None:
        return "unknown"
    return "found" if score >= 1 else "in part" if score > 0 else "missed"


def words_of(report: str, span: Span | None) -> str:
    """Return the words of the report; empty where there is no place."""
    return "" if span is None else report[span[0] : span[1]].strip()


def points_in(
    report: str, labels: Sequence[PointLabel], facts: Sequence[Values], judge: str | None
) -> Values | None:
    """Return the task's checklist with the points met and who says so; `None` without checklist or judge."""
    known = {fact["id"]: fact for fact in facts}
    points = [
        {
            "label": label,
            "state": POINT_STATES[label.met],
            "by": _decided_by(label, judge),
            "words": words_of(report, label.span),
            "facts": [known[name] for name in label.facts if name in known],
        }
        for label in labels
    ]
    text = _counted(POINT_STATES.values(), (str(point["state"]) for point in points))
    return {"points": points, "text": text} if points else None


def _decided_by(label: PointLabel, judge: str | None) -> str:
    if label.facts:
        return f"by its facts, {', '.join(label.facts)}"
    return f"by {judge or 'a judge'}" if label.reason else "no judge was asked"
