"""Return or keep.

The answer joins: the day of delivery (file) with the days that the seller takes things back in the shopper's state (page) give the
last day to send it back; the price paid (file) with the share that the seller keeps of opened goods (page) gives the refund; the lot
(file) with the lots that the maker calls faulty (page) says whether this one is; what it weighs at home (file) with what a genuine
one weighs at least (page) says whether it is one.
"""

from __future__ import annotations

from datetime import date, timedelta

from drr.papers.dr3.lots import lot_before, lot_letter
from drr.papers.dr3.planning.scene import AnswerPart, CaseScene, FileSlot, PageSlot, capital
from drr.papers.dr3.values import is_rest

_NOTICE = (6, 10)
"""Months from the recall of some lots to the purchase: what was made just before it is still on a shelf, and so is what was made since."""


def window(scene: CaseScene) -> AnswerPart | None:
    rng, owned = scene.rng, scene.owned
    arrived = scene.bought + timedelta(days=rng.randrange(2, 9))
    while is_rest(arrived):
        arrived += timedelta(days=1)
    attribute = f"days to return{' in ' + scene.state if scene.state else ''}{scene.sold}"
    days = scene.term(attribute)
    where = f"{scene.seller}, {scene.state}" if scene.state else scene.seller
    return AnswerPart(
        key="window",
        slots=(
            FileSlot(
                attribute="day of delivery",
                subject=owned.name,
                value=arrived,
                text=f"{owned.name}: delivered {{value}}.",
                label="Delivered",
                said=rng.choice(
                    (
                        f"The {owned.called} got here on {{value}}.",
                        f"{capital(owned.called)} delivered on {{value}}.",
                        f"{scene.seller} delivered the {owned.called} on {{value}}.",
                    )
                ),
                carriers=("mail", "delivery_note", "order_history", "notes", "delivery_note"),
            ),
        ),
        pages=(
            PageSlot(
                attribute=attribute,
                subject=scene.seller,
                value=f"{days} days",
                text=f"{where}: {days} days' return, orders {scene.since:%m/%Y}+.",
            ),
        ),
    )


def fee(scene: CaseScene) -> AnswerPart | None:
    attribute = f"share kept of opened goods{scene.sold}"
    share = scene.share(attribute)
    if share is None:
        return None
    return AnswerPart(
        key="fee",
        slots=(scene.slots_of_purchase()[1],),
        pages=(
            PageSlot(
                attribute=attribute,
                subject=scene.seller,
                value=f"{share} percent",
                text=f"{scene.seller} keeps {share} percent of opened goods, orders {scene.since:%m/%Y}+.",
            ),
        ),
    )


def lot(scene: CaseScene) -> AnswerPart | None:
    rng, owned = scene.rng, scene.owned
    at = 12 * scene.bought.year + scene.bought.month - 1 - rng.randint(*_NOTICE)
    letter, first = lot_letter(owned.name), lot_before(date(at // 12, at % 12 + 1, 1))
    bound = f"{letter}{first}"
    own = f"{letter}{first + rng.choice((-43, -27, -8, 6, 19, 38))}"
    return AnswerPart(
        key="lot",
        slots=(
            FileSlot(
                attribute="lot number",
                subject=owned.name,
                value=own,
                text=f"{owned.name}: lot {{value}}.",
                label=rng.choice(("Lot", "Lot no.", "Batch")),
                said=f"The lot number on the bottom of the {owned.called} is {{value}}.",
                carriers=("label", "photo", "notes", "mail"),
            ),
        ),
        pages=(
            PageSlot(
                attribute="lots that are faulty",
                subject=owned.name,
                value=f"lots before {bound}",
                text=f"{owned.name}: lots before {bound} are faulty.",
            ),
        ),
    )


def genuine(scene: CaseScene) -> AnswerPart | None:
    owned, kind = scene.owned, scene.kind
    if kind.weigh is None:
        return None
    least = scene.amount(kind.weigh)
    mine = scene.beside(least, (-0.24 * least, -0.07 * least - 0.1), (0.05 * least + 0.1, 0.1 * least + 0.1))
    return AnswerPart(
        key="genuine",
        slots=(
            FileSlot(
                attribute="weight at home",
                subject=owned.name,
                value=f"{mine} oz",
                text=f"{owned.name}: {{value}} on the home scale.",
                label=f"{capital(owned.called)}, on the scale",
                said=f"Put the {owned.called} on the kitchen scale: {{value}}.",
                carriers=("measurements", "notes"),
            ),
        ),
        pages=(
            PageSlot(
                attribute="least weight of a genuine one",
                subject=owned.name,
                value=f"{least} ounces",
                text=f"{owned.name}: genuine ones weigh {least} ounces or more.",
            ),
        ),
    )


CORE, MORE = (window,), (fee, lot, genuine)
