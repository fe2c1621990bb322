"""The places of facts in texts, and a task's facts and checklist in one report beside their places."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from drr.app.viewer.model import Passage
from drr.papers.dr3.judging.rows import FactLabel, PointLabel, RepeatedChange, Span
from drr.papers.dr3.viewer.model import (
    FactSpan,
    FactView,
    MarkedText,
    PlaceView,
    StatementView,
)
from drr.wording.excerpt import ELLIPSIS, piece

if TYPE_CHECKING:
    from markupsafe import Markup


MOST_SHOWN, BESIDE = 12_000, 600
"""Characters of a text that is shown from its beginning; and, of a longer one, around each fact."""
MARGIN = 120


def words_at(text: str, *words: str | None) -> tuple[int, int] | None:
    """The first of `words` that stands in the text as itself, whatever white space is between its words."""
    for one in words:
        parts = [re.escape(part) for part in (one or "").split()]
        pattern = r"\s+".join(parts)
        match = re.search(rf"(?<![\w.]){pattern}(?!\w)", text) if parts else None
        if match is not None:
            return match.span()
    return None


def passage_around(text: str, span: tuple[int, int]) -> Passage:
    """Return, of the lines that these words stand in, what is near them."""
    first, last = text.rfind("\n", 0, span[0]) + 1, text.find("\n", span[1])
    last = len(text) if last < 0 else last
    start, end = piece(text, max(first, span[0] - MARGIN), min(last, span[1] + MARGIN), span)
    before = ELLIPSIS if text[first:start].strip() else ""
    after = ELLIPSIS if text[end:last].strip() else ""
    at = len(before) - start
    return Passage(before + text[start:end] + after, ((span[0] + at, span[1] + at),))


def shown_text(text: str, spans: Iterable[FactSpan]) -> MarkedText:
    """A long text from its beginning and around its facts."""
    ordered = sorted(spans)
    if len(text) <= MOST_SHOWN:
        return MarkedText(text, tuple(ordered))
    stretches: list[tuple[int, int]] = [(0, MOST_SHOWN)]
    for span in ordered:
        start, end = max(0, span.start - BESIDE), min(len(text), span.end + BESIDE)
        if start <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(stretches[-1][1], end))
        else:
            stretches.append((start, end))
    out: list[str] = []
    moved: list[FactSpan] = []
    size = before = 0
    for start, end in stretches:
        gap = f"\n[{start - before:,} characters]\n" if start > before else ""
        size += len(gap)
        moved += [
            FactSpan(one.start - start + size, one.end - start + size, one.fact)
            for one in ordered
            if start <= one.start < end
        ]
        out += [gap, text[start:end]]
        size, before = size + end - start, end
    rest = f"\n[{len(text) - before:,} characters more]" if before < len(text) else ""
    return MarkedText("".join([*out, rest]), tuple(moved))


def facts_marked(marked: MarkedText) -> Markup:
    """Mark up as HTML; behind the words of a fact its name, as a link to it."""
    from markupsafe import Markup

    out: list[str] = []
    at = 0
    for start, end, facts in _joined(marked):
        out += [escape(marked.text[at:start]), f'<mark class="held">{escape(marked.text[start:end])}</mark>']
        out += [f' <a class="fact" href="#fact-{escape(name)}">{escape(name)}</a>' for name in facts]
        at = end
    return Markup("".join([*out, escape(marked.text[at:])]))  # noqa: S704  (every piece is escaped above)


def _joined(marked: MarkedText) -> list[tuple[int, int, list[str]]]:
    """Facts whose words overlap share one mark."""
    found: list[tuple[int, int, list[str]]] = []
    for start, end, fact in sorted(marked.spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end), [*found[-1][2], fact])
        elif 0 <= start < end <= len(marked.text):
            found.append((start, end, [fact]))
    return found


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
    """Words of the report; empty where it has none."""
    lost: str
    """Stage at which a missing fact was lost; empty where nobody can tell."""
    places: tuple[PlaceView, ...]
    repeated: tuple[RepeatedView, ...]

    @property
    def id(self) -> str:
        return self.label.id


def facts_in(
    report: str, labels: Sequence[FactLabel], known: Mapping[str, FactView], judge: str | None
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


def _shown(report: str, label: FactLabel, known: FactView | None, judge: str | None) -> FactInReport:
    same = known is not None and (known.fact.text, known.fact.value) == (label.text, label.value)
    by_rule = label.rule == 1 or not label.by_judge
    return FactInReport(
        label,
        _state(label.score),
        "by rule" if by_rule else f"by {judge or 'a judge'}",
        label.rule_reason if by_rule else label.judge_reason,
        words_of(report, label.shown),
        "" if label.score != 0 or label.met is None else _LOST[label.met],
        known.places
        if known is not None and same
        else tuple(PlaceView(one.address, one.address, None, one.quote) for one in label.places),
        tuple(
            RepeatedView(one, words_of(report, one.span), _statement(one.pages, known if same else None))
            for one in label.repeated
        ),
    )


def _state(score: float | None) -> str:
    if score is None:
        return "unknown"
    return "found" if score >= 1 else "in part" if score > 0 else "missed"


def words_of(report: str, span: Span | None) -> str:
    """Return the words of the report; empty where there is no place."""
    return "" if span is None else report[span[0] : span[1]].strip()


def _statement(urls: Iterable[str], known: FactView | None) -> StatementView | None:
    changed = {} if known is None else {one.url: one for one in known.falsified}
    return next((changed[url] for url in urls if url in changed), None)


@dataclass(frozen=True)
class PointInReport:
    label: PointLabel
    state: str
    by: str
    words: str
    """Words of the report, as the judge quoted them."""
    facts: tuple[FactInReport, ...]
    """Facts that decide it."""


@dataclass(frozen=True)
class ChecklistInReport:
    points: tuple[PointInReport, ...]

    @property
    def text(self) -> str:
        """Count in words, e.g. `3 met, 1 unknown`."""
        states = Counter(point.state for point in self.points)
        return ", ".join(f"{states[state]} {state}" for state in POINT_STATES.values() if states[state])


def points_in(
    report: str, labels: Sequence[PointLabel], facts: Sequence[FactInReport], judge: str | None
) -> ChecklistInReport | None:
    """Return the task's checklist with the points met and who says so; `None` without checklist or judge."""
    if not labels:
        return None
    known = {fact.id: fact for fact in facts}
    return ChecklistInReport(
        tuple(
            PointInReport(
                label,
                POINT_STATES[label.met],
                _decided_by(label, judge),
                words_of(report, label.span),
                tuple(known[name] for name in label.facts if name in known),
            )
            for label in labels
        )
    )


def _decided_by(label: PointLabel, judge: str | None) -> str:
    if label.facts:
        return f"by its facts, {', '.join(label.facts)}"
    return f"by {judge or 'a judge'}" if label.reason else "no judge was asked"
