"""Fit into a space.

The answer joins, for the candidate that the shopper has in mind: the width of the place and of the candidate (files) with the free
room that it needs at each side (page) say whether it fits; the height of the place (file) with the height that testers measured once
it was set up (page); what the place can bear (file) with what it weighs in use (page); the narrowest door on the way (file) with how
wide the carton is (page).
"""

from __future__ import annotations

from drr.filetasks.planning.scene import AnswerPart, CaseScene, FileSlot, PageSlot


def _fits(space: float, need: float, unit: str) -> str:
    left = space - need
    return f"{abs(left):.1f} {unit} {'to spare, it fits' if left >= 0 else 'short, it does not fit'}"


def width(scene: CaseScene) -> AnswerPart:
    rng, rival = scene.rng, scene.rival
    assert rival is not None
    wide, free = scene.amount(14, 30), scene.amount(1, 4)
    place = round(wide + 2 * free + rng.choice((-1.3, -0.7, 0.4, 0.9, 1.6, 2.3)), 1)
    return AnswerPart(
        key="width",
        slots=(
            FileSlot(
                attribute="width of the place",
                subject="the place at home",
                value=f"{place} in",
                text="The place at home is {value} wide.",
                label="Width",
                said="Measured the spot: {value} from side to side.",
                carriers=("sketch", "measurements", "notes", "sketch"),
            ),
            FileSlot(
                attribute="width",
                subject=rival.name,
                value=f"{wide} in",
                text=f"{rival.name}: {{value}} wide.",
                label="Width",
                said=f"The seller writes that the {rival.noun} is {{value}} wide.",
                carriers=("saved_page", "comparison", "mail", "manual"),
            ),
        ),
        pages=(
            PageSlot(
                attribute="free room at each side",
                subject=rival.name,
                value=f"{free} inches",
                text=f"{rival.name}: leave {free} inches at each side.",
            ),
        ),
        how=f"{wide} in and twice {free} inches in {place} in: {_fits(place, wide + 2 * free, 'in')}",
    )


def height(scene: CaseScene) -> AnswerPart:
    rng, rival = scene.rng, scene.rival
    assert rival is not None
    tall = scene.amount(18, 52)
    place = round(tall + rng.choice((-1.8, -0.6, 0.7, 1.4, 3.2)), 1)
    return AnswerPart(
        key="height",
        slots=(
            FileSlot(
                attribute="height of the place",
                subject="the place at home",
                value=f"{place} in",
                text="The place at home is {value} high.",
                label="Height",
                said="From the floor to whatever is above it I get {value}.",
                carriers=("sketch", "measurements", "notes"),
            ),
        ),
        pages=(
            PageSlot(
                attribute="height once set up",
                subject=rival.name,
                value=f"{tall} inches",
                text=f"{rival.name}: stands {tall} inches tall once set up.",
            ),
        ),
        how=f"{tall} inches under {place} in: {_fits(place, tall, 'in')}",
    )


def load(scene: CaseScene) -> AnswerPart:
    rng, rival = scene.rng, scene.rival
    assert rival is not None
    heavy = scene.amount(12, 44)
    bears = round(heavy + rng.choice((-3.4, -1.2, 2.3, 4.6)), 1)
    return AnswerPart(
        key="load",
        slots=(
            FileSlot(
                attribute="load that the place bears",
                subject="the place at home",
                value=f"{bears} lb",
                text="The place at home bears {value}.",
                label="Max. load",
                said="The shelf people say that spot bears {value} and no more.",
                carriers=("notes", "mail", "sketch", "measurements", "label"),
            ),
        ),
        pages=(
            PageSlot(
                attribute="weight in use",
                subject=rival.name,
                value=f"{heavy} pounds",
                text=f"{rival.name}: weighs {heavy} pounds in use.",
            ),
        ),
        how=f"{heavy} pounds on a place for {bears} lb: {_fits(bears, heavy, 'lb')}",
    )


def door(scene: CaseScene) -> AnswerPart:
    rng, rival = scene.rng, scene.rival
    assert rival is not None
    carton = scene.amount(21, 33)
    door_width = round(carton + rng.choice((-1.1, -0.4, 0.8, 2.6)), 1)
    return AnswerPart(
        key="door",
        slots=(
            FileSlot(
                attribute="width of the door",
                subject="the door at home",
                value=f"{door_width} in",
                text="The door at home is {value} wide.",
                label="Door",
                said="The narrowest door on the way there is {value} wide.",
                carriers=("sketch", "measurements", "notes"),
            ),
        ),
        pages=(
            PageSlot(
                attribute="narrowest side of the carton",
                subject=rival.name,
                value=f"{carton} inches",
                text=f"{rival.name}: carton's narrowest side is {carton} inches.",
            ),
        ),
        how=f"carton of {carton} inches through a door of {door_width} in: {_fits(door_width, carton, 'in')}",
    )


CORE, MORE = width, (height, load, door)
