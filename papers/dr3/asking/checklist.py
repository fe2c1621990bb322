"""The points by which an answer is checked. They are what it must state, how it must join that, what it must
conclude. No point says a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from drr.papers.dr3.asking.question import intent_words
from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.truth import ChecklistPoint, Intent, TaskFact

FEWEST, MOST = 8, 15
Category = Literal["content", "evidence", "analysis", "comparison", "conclusion"]
_EVIDENCE = "Cites the shopper's files and the pages for what they say"
_MISLEADING = "Says which of the statements found are unconfirmed, outdated or of something else"
_MORE: tuple[tuple[Category, str], ...] = (
    ("analysis", "Shows the steps from the figures to the result"),
    ("evidence", "Keeps what the files say apart from what pages say"),
)
_ENOUGH, _ALWAYS = 10, 3


_Point = tuple[str, Category, tuple[str, ...]]


def written_checklist(case: TaskCase) -> tuple[ChecklistPoint, ...]:
    facts = {fact.id: fact for fact in case.facts}
    points: list[_Point] = []
    words = intent_words(case.intent)
    for part, stated in zip(case.couplings, _stated(case, facts), strict=True):
        for about in stated:
            points.append((f"States {' and '.join(_named(facts[one]) for one in about)}", "content", about))
        points.append(
            (words.parts[part.key].joins, "comparison" if case.intent in _SIDES else "analysis", ())
        )
    return _whole(points, case.intent)


def found_checklist(intent: Intent, facts: Sequence[TaskFact]) -> tuple[ChecklistPoint, ...]:
    """Make the checklist of a task of found pages, whose facts nobody has put into parts."""
    points: list[_Point] = [(f"States {_named(fact)}", "content", (fact.id,)) for fact in facts]
    return _whole([*points, ("Joins what the files say with what pages say", "analysis", ())], intent)


def _whole(points: list[_Point], intent: Intent) -> tuple[ChecklistPoint, ...]:
    """Add to the points of a task those that every task has, and more where they are few."""
    points += [
        (_EVIDENCE, "evidence", ()),
        (_MISLEADING, "evidence", ()),
        (intent_words(intent).conclusion, "conclusion", ()),
    ]
    points += [(text, category, ()) for category, text in _MORE][: max(0, _ENOUGH - len(points))]
    return tuple(
        ChecklistPoint(
            id=f"c{number}",
            requirement=text,
            category=category,
            decided_by="rule" if about else "judge",
            facts=about,
        )
        for number, (text, category, about) in enumerate(points, 1)
    )


_SIDES = ("compare_with_owned", "fit_into_space")


def _stated(case: TaskCase, facts: dict[str, TaskFact]) -> list[list[tuple[str, ...]]]:
    """Make for each part a point for each fact that no part before it has. Where that makes too many, use one
    point for those of files and one for that of pages, or a single one."""
    seen: set[str] = set()
    own: list[tuple[str, ...]] = []
    for part in case.couplings:
        own.append(tuple(one for one in part.facts if one not in seen))
        seen |= set(part.facts)
    single: list[list[tuple[str, ...]]] = [[(one,) for one in part] for part in own]
    by_source = [
        [
            ids
            for source in ("file", "page")
            if (ids := tuple(one for one in part if facts[one].source == source))
        ]
        for part in own
    ]
    for stated in (single, by_source):
        if sum(map(len, stated)) + len(case.couplings) + _ALWAYS <= MOST:
            return stated
    return [[part] for part in own]


def _named(fact: TaskFact) -> str:
    return (
        f"the {fact.attribute}"
        if fact.subject.startswith("the ")
        else f"the {fact.attribute} ({fact.subject})"
    )
