"""The points by which an answer is checked. They are what it must state, how it must join that, what it must
conclude. No point says a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.truth import ChecklistPoint, Intent, TaskFact

FEWEST, MOST = 8, 15
Category = Literal["content", "evidence", "analysis", "comparison", "conclusion"]
_JOINS = {
    ("replace_under_warranty", "term"): "Works out until which day the maker's cover lasts",
    ("replace_under_warranty", "claim"): "Works out the last day for a claim",
    ("replace_under_warranty", "part"): "Names the kit that replaces the broken part",
    ("replace_under_warranty", "refund"): "Works out the refund in dollars",
    ("refill", "lasting"): "Works out the day on which it runs out",
    ("refill", "keeping"): "Decides whether the opened one is used up before it spoils",
    ("refill", "affordable"): "Works out how many large packs the limit pays for",
    ("refill", "code"): "Names the pack that fits the refill code",
    ("fit_into_space", "width"): "Works out whether width and free room fit the place",
    ("fit_into_space", "height"): "Compares its height with that of the place",
    ("fit_into_space", "load"): "Compares its weight with what the place bears",
    ("fit_into_space", "trunk"): "Compares its carton with the gap in the car",
    ("compare_with_owned", "upkeep"): "Compares the upkeep of both a year",
    ("compare_with_owned", "points"): "Compares the points of both in the test",
    ("compare_with_owned", "trade_in"): "Works out what a trade-in gives in dollars",
    ("compare_with_owned", "weight"): "Compares the weight of both",
    ("compare_with_owned", "outlasting"): "Compares the age of one with the life of the other",
    ("return_or_keep", "window"): "Works out the last day for the return",
    ("return_or_keep", "fee"): "Works out what is refunded in dollars",
    ("return_or_keep", "lot"): "Decides whether this lot is a faulty one",
    ("return_or_keep", "genuine"): "Decides by weight whether it is genuine",
}
_CONCLUSIONS = {
    "replace_under_warranty": "Concludes with one plain result for each thing asked about cover, claim or repair",
    "refill": "Concludes with one plain result for each thing asked about the pack",
    "fit_into_space": "Concludes whether the candidate fits in every respect that was asked",
    "compare_with_owned": "Concludes with one plain result for each thing compared",
    "return_or_keep": "Concludes with one plain result for each thing asked about the return",
}
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
    for part, stated in zip(case.couplings, _stated(case, facts), strict=True):
        for about in stated:
            points.append((f"States {' and '.join(_named(facts[one]) for one in about)}", "content", about))
        points.append(
            (_JOINS[case.intent, part.key], "comparison" if case.intent in _SIDES else "analysis", ())
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
        (_CONCLUSIONS[intent], "conclusion", ()),
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
