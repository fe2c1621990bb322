"""Replace under warranty.

The answer joins: the day of purchase and the serial number (files) with the term that serials of that run have when they were sold from
a month on (page) give the last day of cover; the day the fault was noticed (file) with the days that a claim may take (page) gives the
last day to claim; the number of the broken part (file) with the kit that its series is ordered as (page) says what to order; the price
paid (file) with the share that is refunded when no replacement is left (page) gives the refund.
"""

from __future__ import annotations

from datetime import timedelta

from drr.papers.dr3.corpus.stock import stock
from drr.papers.dr3.planning.scene import AnswerPart, CaseScene, FileSlot, PageSlot, carriers


def term(scene: CaseScene) -> AnswerPart | None:
    rng, name = scene.rng, scene.owned.name
    if not scene.kind.plate:
        return None
    letter, run = rng.choice("BCDFHKMR"), rng.randrange(20, 80)
    since, own = f"{letter}{run}00", f"{letter}{run}{rng.randrange(11, 99)}-{rng.randrange(10000, 99999)}"
    age = (scene.today - scene.bought).days / 30.44
    attribute = f"warranty term from serial {since} on{scene.sold}"
    near = [months for months in stock().statement(attribute)[0].among if abs(months - age) > 1]
    months = rng.choice([one for one in near if (one > age) == (rng.random() < 0.7)] or near)
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
                        f"The serial number under the {scene.owned.called} reads {{value}}.",
                        f"Copied the serial number of the {scene.owned.called}: {{value}}.",
                        f"Serial number on the sticker of the {scene.owned.called}: {{value}}.",
                    )
                ),
                carriers=("label", "warranty", "receipt", "invoice", "notes", "photo", "mail"),
            ),
        ),
        pages=(
            PageSlot(
                attribute=attribute,
                subject=name,
                value=f"{months} months",
                text=f"{name}: {months} months, serials {since}+, sales {scene.since:%m/%Y}+.",
            ),
        ),
    )


def claim(scene: CaseScene) -> AnswerPart | None:
    rng, owned = scene.rng, scene.owned
    noticed = scene.today - timedelta(days=rng.randrange(6, 58))
    attribute = f"days to claim after a fault{scene.sold}"
    days = scene.term(attribute)
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
                        f"The trouble with the {owned.called} first showed on {{value}}.",
                        f"The {owned.called} stopped working properly on {{value}}.",
                        f"First noticed the fault of the {owned.called} on {{value}}.",
                    )
                ),
                carriers=("notes", "mail"),
            ),
        ),
        pages=(
            PageSlot(
                attribute=attribute,
                subject=owned.brand,
                value=f"{days} days",
                text=f"{owned.brand}: claims within {days} days, sales {scene.since:%m/%Y}+.",
            ),
        ),
    )


def part(scene: CaseScene) -> AnswerPart | None:
    rng, owned = scene.rng, scene.owned
    if not scene.kind.parts:
        return None
    head = owned.model[:2]
    series, kit = rng.randrange(2, 9), f"{head}K-{rng.randrange(301, 989)}"
    number, piece = f"{head}-{series}{rng.randrange(11, 99)}", rng.choice(scene.kind.parts)
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
                        f"The technician says the broken {piece} of the {owned.called} is part {{value}}.",
                        f"What broke on the {owned.called} is the {piece}; the number molded into it is {{value}}.",
                        f"The {piece} of the {owned.called} cracked; {{value}} is stamped on it.",
                    )
                ),
                carriers=carriers(scene.kind, "manual", "mail", "notes"),
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
    )


def refund(scene: CaseScene) -> AnswerPart | None:
    attribute = f"share refunded without a replacement{scene.sold}"
    share = scene.share(attribute)
    if share is None:
        return None
    return AnswerPart(
        key="refund",
        slots=(scene.slots_of_purchase()[1],),
        pages=(
            PageSlot(
                attribute=attribute,
                subject=scene.owned.brand,
                value=f"{share} percent",
                text=f"{scene.owned.brand}: {share} percent refunded without replacement, sales {scene.since:%m/%Y}+.",
            ),
        ),
    )


CORE, MORE = (term,), (claim, part, refund)
