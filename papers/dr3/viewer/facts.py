"""The facts and the checklist of a task as the page of one report shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from drr.papers.dr3.judging.rows import FactLabel, PointLabel, span_of, words_of
from drr.papers.dr3.viewer.drawers import Values

POINT_STATES = {True: "met", False: "not met", None: "unknown"}
STATES = ("found", "in part", "missed", "unknown")
_NOWHERE = {"link": None, "crop": None, "passage": None}
_LOST = {
    True: "lost in writing: a tool of the run gave it",
    False: "lost in search: no tool of the run gave it",
    None: "",
}


def facts_in(
    report: str, labels: Sequence[FactLabel], known: Mapping[str, Values], judge: str | None
) -> list[Values]:
    """Return the values of each fact label. `known` holds the facts as the folder has them now; a fact that changed since judging is shown without it."""
    return [_shown(report, label, known.get(label.row["id"]), judge or "a judge") for label in labels]


def counted(facts: Iterable[Values]) -> str:
    """Return the counts of states in words, e.g. `3 found, 1 missed, 1 contradicted`."""
    own = list(facts)
    wrong = sum(bool(fact["repeated"]) for fact in own)
    return _counted(STATES, (fact["state"] for fact in own)) + (f", {wrong} contradicted" if wrong else "")


def _counted(names: Iterable[str], states: Iterable[str]) -> str:
    counts = Counter(states)
    return ", ".join(f"{counts[name]} {name}" for name in names if counts[name])


def _shown(report: str, label: FactLabel, known: Values | None, judge: str) -> Values:
    row, score = label.row, label.score
    if known is not None and (known["fact"].text, known["fact"].value) != (row["text"], row["value"]):
        known = None
    changed = {} if known is None else {one["url"]: one for one in known["falsified"]}
    repeated = [
        {
            "change": one,
            "words": words_of(report, [one["start"], one["end"]]),
            "statement": next((changed[url] for url in one["pages"] if url in changed), None),
        }
        for one in row["repeated"]
    ]
    recorded = [{"label": one["address"], "quote": one["quote"], **_NOWHERE} for one in row["places"]]
    return {
        "row": row,
        "state": "unknown" if score is None else STATES[0 if score >= 1 else 1 if score > 0 else 2],
        "by": "by rule" if label.by_rule else f"by {judge}",
        "reason": label.reason,
        "words": label.words(report),
        "lost": _LOST[label.met] if score == 0 else "",
        "places": recorded if known is None else known["places"],
        "repeated": repeated,
    }


def points_in(
    report: str, labels: Sequence[PointLabel], facts: Sequence[Values], judge: str | None
) -> Values | None:
    """Return the values of the checklist's points, with who decided each, and counts in words; `None` without points."""
    known = {fact["row"]["id"]: fact for fact in facts}
    points: list[Values] = [
        {
            "row": label.row,
            "state": POINT_STATES[label.met],
            "by": _decided_by(label, judge or "a judge"),
            "reason": label.verdict["reason"] if label.verdict else "",
            "words": words_of(report, span_of(label.verdict)),
            "facts": [known[name] for name in label.row["facts"] if name in known],
        }
        for label in labels
    ]
    text = _counted(POINT_STATES.values(), (point["state"] for point in points))
    return {"points": points, "text": text} if points else None


def _decided_by(label: PointLabel, judge: str) -> str:
    if label.row["facts"]:
        return f"by its facts, {', '.join(label.row['facts'])}"
    return f"by {judge}" if label.verdict and label.verdict["reason"] else "no judge was asked"
