"""Refill.

The answer joins: when the last one was bought and how much is used (files) with how much one holds by a test (page) give the day on
which it runs out; the day it was opened (file) with how long it keeps once open (page) gives the day it must be gone; the monthly
limit (file) with the price of the large pack (page) gives how many can be bought; the refill code (file) with the pack that codes of
its range take (page) says which one fits.
"""

from __future__ import annotations

from datetime import timedelta

from drr.filetasks.planning.scene import (
    AnswerPart,
    CaseScene,
    FileSlot,
    PageSlot,
    capital,
    long_date,
    months_after,
)


def lasting(scene: CaseScene) -> AnswerPart:
    rng, owned = scene.rng, scene.owned
    a_week = rng.choice((4, 6, 8, 9, 11, 12, 13, 16, 17, 18))
    portions = rng.choice((38, 46, 57, 62, 74, 83, 91, 104, 118, 127))
    out = scene.bought + timedelta(days=portions * 7 // a_week)
    return AnswerPart(
        key="lasting",
        slots=(
            scene.slots_of_purchase()[0],
            FileSlot(
                attribute="use",
                subject=owned.name,
                value=f"{a_week} times a week",
                text=f"{owned.name}: used {{value}}.",
                label="How often",
                said=rng.choice(
                    (
                        f"The {owned.noun}: we go through it {{value}}.",
                        f"Counted: {owned.noun} used {{value}}.",
                        f"We take from the {owned.noun} about {{value}}.",
                    )
                ),
                carriers=("notes", "measurements", "budget", "mail"),
            ),
        ),
        pages=(
            PageSlot(
                attribute="portions in one pack",
                subject=owned.name,
                value=f"{portions} portions",
                text=f"{owned.name}: one pack gave {portions} portions.",
            ),
        ),
        how=f"{portions} portions at {a_week} a week from {long_date(scene.bought)}: empty about {long_date(out)}",
    )


def keeping(scene: CaseScene) -> AnswerPart:
    rng, owned = scene.rng, scene.owned
    opened = scene.bought + timedelta(days=rng.randrange(3, 20))
    months = rng.choice((2, 4, 5, 7, 8, 10, 11))
    return AnswerPart(
        key="keeping",
        slots=(
            FileSlot(
                attribute="day of opening",
                subject=owned.name,
                value=opened,
                text=f"{owned.name}: opened {{value}}.",
                label="Opened",
                said=rng.choice(
                    (
                        f"Opened the {owned.noun} on {{value}}.",
                        f"{capital(owned.noun)} opened {{value}}.",
                        f"Broke the seal of the {owned.noun} on {{value}}.",
                    )
                ),
                carriers=("notes", "photo", "measurements", "label"),
            ),
        ),
        pages=(
            PageSlot(
                attribute="months it keeps once open",
                subject=owned.name,
                value=f"{months} months",
                text=f"{owned.name}: keeps {months} months once open.",
            ),
        ),
        how=f"opened {long_date(opened)}, keeps {months} months: use up by {long_date(months_after(opened, months))}",
    )


def affordable(scene: CaseScene) -> AnswerPart:
    rng, owned = scene.rng, scene.owned
    price = rng.randrange(11, 44) + rng.choice((0.15, 0.35, 0.45, 0.65, 0.85))
    packs = rng.randrange(1, 4)
    limit = price * packs + rng.randrange(2, 9) + rng.choice((0.2, 0.4, 0.6))
    return AnswerPart(
        key="affordable",
        slots=(
            FileSlot(
                attribute="monthly limit",
                subject=owned.name,
                value=f"${limit:.2f}",
                text=f"{owned.name}: monthly limit {{value}}.",
                label=f"{capital(owned.noun)}, limit a month",
                said=rng.choice(
                    (
                        f"No more than {{value}} a month for the {owned.noun}.",
                        f"What I can spend on the {owned.noun} each month: {{value}}.",
                    )
                ),
                carriers=("budget", "notes", "budget"),
            ),
        ),
        pages=(
            PageSlot(
                attribute="price of the large pack",
                subject=owned.name,
                value=f"${price:.2f}",
                text=f"{owned.name}: the large pack costs ${price:.2f}.",
            ),
        ),
        how=f"${limit:.2f} a month at ${price:.2f} each: {packs} large pack{'s' * (packs != 1)} a month",
    )


def code(scene: CaseScene) -> AnswerPart:
    rng, owned = scene.rng, scene.owned
    letter, series = rng.choice("EGJLPTV"), rng.randrange(2, 9)
    own, pack = (
        f"{letter}{series}{rng.randrange(11, 99)}",
        f"{owned.model[:2]}R-{rng.randrange(21, 98)}{rng.choice('ABDX')}",
    )
    return AnswerPart(
        key="code",
        slots=(
            FileSlot(
                attribute="refill code",
                subject=owned.name,
                value=own,
                text=f"{owned.name}: refill code {{value}}.",
                label=rng.choice(("Refill code", "Refill type", "Refill")),
                said=rng.choice(
                    (
                        "The refill code printed on the bottom is {value}.",
                        "Refill code: {value}.",
                        "Inside the lid it says refill code {value}.",
                    )
                ),
                carriers=("label", "photo", "manual", "mail", "notes"),
            ),
        ),
        pages=(
            PageSlot(
                attribute=f"pack for refill codes {letter}{series}00 to {letter}{series}99",
                subject=owned.brand,
                value=pack,
                text=f"{owned.brand} refill codes {letter}{series}00 to {letter}{series}99 take pack {pack}.",
            ),
        ),
        how=f"{own} lies in {letter}{series}00 to {letter}{series}99, so pack {pack} fits",
    )


CORE, MORE = lasting, (keeping, affordable, code)
