"""Replace under warranty.

The answer joins: the day of purchase and the serial number (files) with the term that serials of that run have (page) give the
last day of cover; the day the fault was noticed (file) with the days that a claim may take (page) gives the last day to claim; the
number of the broken part (file) with the kit that its series is ordered as (page) says what to order; the price paid (file) with the
share that is refunded when no replacement is left (page) gives the refund.
"""

from __future__ import annotations

from datetime import timedelta

from drr.filetasks.planning.scene import (
    AnswerPart,
    CaseScene,
    FileSlot,
    PageSlot,
    dollars,
    long_date,
    months_after,
)
from drr.filetasks.planning.things import words


def term(scene: CaseScene) -> AnswerPart:
    rng, name = scene.rng, scene.owned.name
    letter, run = rng.choice("BCDFHKMR"), rng.randrange(20, 80)
    since, own = f"{letter}{run}00", f"{letter}{run}{rng.randrange(11, 99)}-{rng.randrange(10000, 99999)}"
    months = rng.choice((27, 33, 39, 42, 45, 51, 54, 57, 63, 66))
    end = months_after(scene.bought, months)
    return AnswerPart(
        key="term",
        slots=(
            scene.slots_of_purchase()[0],
            FileSlot(
                attribute="serial number",
                subject=name,
                value=own,
                text=f"{name}: serial number {{value}}.",
                label=rng.choice(("Serial no.", "S/N", "Serial number")),
                said=rng.choice(
                    (
                        "The serial number underneath reads {value}.",
                        "I copied the serial number: {value}.",
                        "Serial number on the sticker: {value}.",
                    )
                ),
                carriers=("label", "warranty", "receipt", "invoice", "notes", "photo", "mail"),
            ),
        ),
        pages=(
            PageSlot(
                attribute=f"warranty term from serial {since} on",
                subject=name,
                value=f"{months} months",
                text=f"{name}: {months} months' warranty from serial {since} on.",
            ),
        ),
        how=f"serial {own} is from {since} on, so {months} months from {long_date(scene.bought)}: covered until {long_date(end)}, "
        f"which is {'not yet past' if end >= scene.today else 'past'} on {long_date(scene.today)}",
    )


def claim(scene: CaseScene) -> AnswerPart:
    rng, owned = scene.rng, scene.owned
    noticed = scene.today - timedelta(days=rng.randrange(6, 70))
    days = rng.choice((18, 23, 26, 35, 38, 47, 52, 56, 63))
    last = noticed + timedelta(days=days)
    return AnswerPart(
        key="claim",
        slots=(
            FileSlot(
                attribute="day the fault was noticed",
                subject=owned.name,
                value=noticed,
                text=f"{owned.name}: fault noticed {{value}}.",
                label="Fault noticed",
                said=rng.choice(
                    (
                        "The trouble first showed on {value}.",
                        "It stopped working properly on {value}.",
                        "First noticed the fault on {value}.",
                    )
                ),
                carriers=("notes", "mail"),
            ),
        ),
        pages=(
            PageSlot(
                attribute="days to claim after a fault",
                subject=owned.brand,
                value=f"{days} days",
                text=f"{owned.brand} accepts claims within {days} days of the fault.",
            ),
        ),
        how=f"fault of {long_date(noticed)} plus {days} days: claim by {long_date(last)}",
    )


def part(scene: CaseScene) -> AnswerPart:
    rng, owned = scene.rng, scene.owned
    head = owned.model[:2]
    series, kit = rng.randrange(2, 9), f"{head}K-{rng.randrange(301, 989)}"
    number, piece = f"{head}-{series}{rng.randrange(11, 99)}", rng.choice(words("part"))
    return AnswerPart(
        key="part",
        slots=(
            FileSlot(
                attribute=f"part number of the {piece}",
                subject=owned.name,
                value=number,
                text=f"{owned.name}: broken {piece} is {{value}}.",
                label=f"{piece.capitalize()} (broken)",
                said=rng.choice(
                    (
                        f"The technician on the phone says the broken {piece} is part {{value}}.",
                        f"What broke is the {piece}, and the number moulded into it is {{value}}.",
                        f"The {piece} cracked; {{value}} is stamped on it.",
                    )
                ),
                carriers=("manual", "mail", "notes", "photo"),
            ),
        ),
        pages=(
            PageSlot(
                attribute=f"kit for parts {head}-{series}00 to {head}-{series}99",
                subject=owned.brand,
                value=kit,
                text=f"{owned.brand} parts {head}-{series}00 to {head}-{series}99 ship as kit {kit}.",
            ),
        ),
        how=f"{number} lies in {head}-{series}00 to {head}-{series}99, so kit {kit} is the one to ask for",
    )


def refund(scene: CaseScene) -> AnswerPart:
    share = scene.rng.choice((35, 40, 45, 55, 60, 65, 70, 85))
    due = dollars(scene.paid) * share / 100
    return AnswerPart(
        key="refund",
        slots=(scene.slots_of_purchase()[1],),
        pages=(
            PageSlot(
                attribute="share refunded without a replacement",
                subject=scene.owned.brand,
                value=f"{share} percent",
                text=f"{scene.owned.brand} refunds {share} percent if no replacement exists.",
            ),
        ),
        how=f"{share} percent of {scene.paid}: ${due:,.2f}",
    )


CORE, MORE = term, (claim, part, refund)
