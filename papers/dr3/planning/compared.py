"""Compare with what I own.

The answer joins: what the owned one costs a year (file) with what testers spent on the candidate (page) give the difference a year;
the points of the owned one in a test (file) with those of the candidate in the same test (page); the price once paid (file) with the
share that a trade-in gives back (page) gives what the change saves; what the owned one weighs (file) with the candidate's weight on
the testers' scale (page); the day of purchase (file) with how long the candidate lasted in a test (page) says whether the owned one has outlasted it already.
"""

from __future__ import annotations

from drr.papers.dr3.planning.kinds import Range, whole
from drr.papers.dr3.planning.scene import (
    AnswerPart,
    CaseScene,
    FileSlot,
    PageSlot,
    capital,
    carriers,
    dollars,
)
from drr.papers.dr3.values import CENTS

_TRADED = 35.0
"""Dollars; nobody takes back what was cheaper."""


def upkeep(scene: CaseScene) -> AnswerPart | None:
    """Only where both are of sorts that cost something to keep."""
    rng, owned, rival, kind = scene.rng, scene.owned, scene.rival, scene.kind
    if rival is None or kind.upkeep is None or scene.rival_kind.upkeep is None:
        return None
    mine, theirs = _dollars(scene, kind.upkeep), _dollars(scene, scene.rival_kind.upkeep)
    return AnswerPart(
        key="upkeep",
        slots=(
            FileSlot(
                attribute="upkeep of the owned one",
                subject=owned.name,
                value=mine,
                text=f"{owned.name}: upkeep {{value}} a year.",
                label=f"{capital(owned.name)}: {kind.upkeep_of}",
                said=rng.choice(
                    (
                        f"Last year the {owned.name} cost me {{value}} in {kind.upkeep_of}.",
                        f"{capital(kind.upkeep_of)} for the {owned.name} over twelve months: {{value}}.",
                    )
                ),
                carriers=("budget", "notes", "budget"),
            ),
        ),
        pages=(
            PageSlot(
                attribute="upkeep a year",
                subject=rival.name,
                value=theirs,
                text=f"{rival.name}: upkeep was {theirs} a year.",
            ),
        ),
    )


def _dollars(scene: CaseScene, within: Range) -> str:
    return f"${whole(scene.rng, within) + scene.rng.choice(CENTS) / 100:.2f}"


def points(scene: CaseScene) -> AnswerPart | None:
    rng, owned, rival = scene.rng, scene.owned, scene.rival
    if rival is None:
        return None
    mine, theirs = rng.sample(range(48, 97), 2)
    return AnswerPart(
        key="points",
        slots=(
            FileSlot(
                attribute="points of the owned one",
                subject=owned.name,
                value=f"{mine} points",
                text=f"{owned.name}: {{value}} in the household test.",
                label="Household test",
                said=f"In the household test my {owned.name} got {{value}}.",
                carriers=("saved_page", "comparison", "notes", "comparison"),
            ),
        ),
        pages=(
            PageSlot(
                attribute="points in the household test",
                subject=rival.name,
                value=f"{theirs} points",
                text=f"{rival.name}: {theirs} points in the household test.",
            ),
        ),
    )


def trade_in(scene: CaseScene) -> AnswerPart | None:
    rival = scene.rival
    if rival is None or not scene.kind.is_traded_in or dollars(scene.paid) < _TRADED:
        return None
    share = scene.share("share credited for an old one")
    if share is None:
        return None
    return AnswerPart(
        key="trade_in",
        slots=(scene.slots_of_purchase()[1],),
        pages=(
            PageSlot(
                attribute="share credited for an old one",
                subject=rival.brand,
                value=f"{share} percent",
                text=f"{rival.brand} credits {share} percent of an old one's price.",
            ),
        ),
    )


def weight(scene: CaseScene) -> AnswerPart | None:
    owned, rival, kind = scene.owned, scene.rival, scene.kind
    if rival is None or kind.alone is None or kind != scene.rival_kind or kind.alone[1] < 2:
        return None
    mine, theirs = scene.amount(kind.alone), scene.amount(kind.alone)
    return AnswerPart(
        key="weight",
        slots=(
            FileSlot(
                attribute="weight of the owned one",
                subject=owned.name,
                value=f"{mine} lb",
                text=f"{owned.name}: weighs {{value}}.",
                label="Weight",
                said=f"On my scale the {owned.name} comes to {{value}}.",
                carriers=carriers(kind, "label", "measurements", "manual", "notes"),
            ),
        ),
        pages=(
            PageSlot(
                attribute="weight on the testers' scale",
                subject=rival.name,
                value=f"{theirs} pounds",
                text=f"{rival.name}: {theirs} pounds on our scale.",
            ),
        ),
    )


def outlasting(scene: CaseScene) -> AnswerPart | None:
    rival, lasts = scene.rival, scene.rival_kind.lasts
    if rival is None or lasts is None:
        return None
    months = whole(scene.rng, lasts)
    return AnswerPart(
        key="outlasting",
        slots=(scene.slots_of_purchase()[0],),
        pages=(
            PageSlot(
                attribute="months it lasted in the long test",
                subject=rival.name,
                value=f"{months} months",
                text=f"{rival.name}: lasted {months} months in the long test.",
            ),
        ),
    )


CORE, MORE = (upkeep, points, weight, outlasting), (upkeep, points, trade_in, weight, outlasting)
"""The first of them is one that takes the owned one's measure; what a sort has none of is left out."""
