"""Compare with what I own.

The answer joins: what the owned one costs a year (file) with what testers spent on the candidate (page) give the difference a year;
the points of the owned one in a test (file) with those of the candidate in the same test (page); the price once paid (file) with the
share that a trade-in gives back (page) gives what the change saves; what the owned one weighs (file) with the candidate's weight on
the testers' scale (page); the day of purchase (file) with how long candidates last (page) says which of the two would go first.
"""

from __future__ import annotations

from drr.filetasks.planning.scene import (
    AnswerPart,
    CaseScene,
    FileSlot,
    PageSlot,
    capital,
    dollars,
    long_date,
    months_after,
)


def upkeep(scene: CaseScene) -> AnswerPart:
    rng, owned, rival = scene.rng, scene.owned, scene.rival
    assert rival is not None
    mine = rng.randrange(9, 60) + rng.choice((0.2, 0.4, 0.6, 0.8))
    theirs = rng.randrange(9, 60) + rng.choice((0.1, 0.3, 0.7, 0.9))
    return AnswerPart(
        key="upkeep",
        slots=(
            FileSlot(
                attribute="upkeep a year",
                subject=owned.name,
                value=f"${mine:.2f}",
                text=f"{owned.name}: upkeep {{value}} a year.",
                label=f"{capital(owned.noun)}, upkeep a year",
                said=rng.choice(
                    (
                        f"Last year the {owned.noun} cost me {{value}} in upkeep.",
                        f"Upkeep of the {owned.noun} over twelve months: {{value}}.",
                    )
                ),
                carriers=("budget", "notes", "measurements", "budget"),
            ),
        ),
        pages=(
            PageSlot(
                attribute="upkeep a year",
                subject=rival.name,
                value=f"${theirs:.2f}",
                text=f"{rival.name}: upkeep was ${theirs:.2f} a year.",
            ),
        ),
        how=f"${mine:.2f} against ${theirs:.2f} a year: the {'owned' if mine <= theirs else 'new'} one is cheaper to keep by "
        f"${abs(mine - theirs):.2f}",
    )


def points(scene: CaseScene) -> AnswerPart:
    rng, owned, rival = scene.rng, scene.owned, scene.rival
    assert rival is not None
    mine, theirs = rng.sample(range(512, 948), 2)
    return AnswerPart(
        key="points",
        slots=(
            FileSlot(
                attribute="points in the household test",
                subject=owned.name,
                value=f"{mine} points",
                text=f"{owned.name}: {{value}} in the household test.",
                label="Household test",
                said=f"In the household test the {owned.noun} of mine got {{value}}.",
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
        how=f"{mine} against {theirs} points of 1000: the {'owned' if mine >= theirs else 'new'} one did better",
    )


def trade_in(scene: CaseScene) -> AnswerPart:
    rival = scene.rival
    assert rival is not None
    share = scene.rng.choice((12, 15, 18, 22, 28, 30, 35))
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
        how=f"{share} percent of {scene.paid}: ${dollars(scene.paid) * share / 100:,.2f} off the new one",
    )


def weight(scene: CaseScene) -> AnswerPart:
    owned, rival = scene.owned, scene.rival
    assert rival is not None
    mine, theirs = scene.amount(1, 20), scene.amount(1, 20)
    if mine == theirs:
        theirs = round(theirs + 0.4, 1)
    return AnswerPart(
        key="weight",
        slots=(
            FileSlot(
                attribute="weight",
                subject=owned.name,
                value=f"{mine} lb",
                text=f"{owned.name}: weighs {{value}}.",
                label="Weight",
                said=f"On my scale the {owned.noun} comes to {{value}}.",
                carriers=("label", "measurements", "manual", "photo", "notes"),
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
        how=f"{mine} lb against {theirs} pounds: the {'owned' if mine < theirs else 'new'} one is lighter by {abs(mine - theirs):.1f}",
    )


def lasting(scene: CaseScene) -> AnswerPart:
    owned, rival = scene.owned, scene.rival
    assert rival is not None
    months = scene.rng.choice((17, 19, 23, 26, 29, 31, 34, 41, 46))
    end = months_after(scene.bought, months)
    return AnswerPart(
        key="lasting",
        slots=(scene.slots_of_purchase()[0],),
        pages=(
            PageSlot(
                attribute="months it lasted in the long test",
                subject=rival.name,
                value=f"{months} months",
                text=f"{rival.name}: lasted {months} months in the long test.",
            ),
        ),
        how=f"the {owned.noun} of {long_date(scene.bought)} {'has' if end <= scene.today else 'has not yet'} outlasted the "
        f"{months} months of the new one on {long_date(scene.today)}",
    )


CORE, MORE = upkeep, (points, trade_in, weight, lasting)
