"""Fit into a space.

The answer joins, for the candidate that the shopper has in mind: the width of the place and of the candidate (files) with the free
room that it needs at each side (page) say whether it fits; the height of the place (file) with the height that testers measured once
it was set up (page); what the place can still bear (file) with what it weighs in use (page); the gap left in the trunk of the car (file) with
how wide the carton is (page).
"""

from __future__ import annotations

from drr.papers.dr3.planning.scene import AnswerPart, CaseScene, FileSlot, PageSlot, carriers


def width(scene: CaseScene) -> AnswerPart | None:
    rival, kind = scene.rival, scene.rival_kind
    if rival is None or kind.wide is None or kind.clear is None:
        return None
    wide, free = scene.amount(kind.wide), scene.amount(kind.clear)
    slack = max(0.5, 0.5 * free)
    place = scene.beside(wide + 2 * free, (-2 * slack, -0.3), (0.3, 2 * slack + 1))
    return AnswerPart(
        key="width",
        slots=(
            FileSlot(
                attribute="width of the place",
                subject=f"the {scene.place}",
                value=f"{place} in",
                text=f"The {scene.place} is {{value}} wide.",
                label="Width",
                said=f"Measured the {scene.place}: {{value}} from side to side.",
                carriers=("sketch", "measurements", "notes", "sketch"),
            ),
            FileSlot(
                attribute="width of the product",
                subject=rival.name,
                value=f"{wide} in",
                text=f"{rival.name}: {{value}} wide.",
                label="Width",
                said=f"The seller writes that the {rival.name} is {{value}} wide.",
                carriers=carriers(kind, "saved_page", "comparison", "mail", "manual"),
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
    )


def height(scene: CaseScene) -> AnswerPart | None:
    rival, kind = scene.rival, scene.rival_kind
    if rival is None or kind.high is None or "planted" in kind.fits:
        return None
    tall = scene.amount(kind.high)
    place = scene.beside(tall, (-2.4, -0.4), (0.4, 3.4))
    return AnswerPart(
        key="height",
        slots=(
            FileSlot(
                attribute="height of the place",
                subject=f"the {scene.place}",
                value=f"{place} in",
                text=f"The {scene.place} is {{value}} high.",
                label="Height",
                said=f"Height of the {scene.place}, up to whatever is above it: {{value}}.",
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
    )


def load(scene: CaseScene) -> AnswerPart | None:
    """Only of what stands on a shelf: floors bear it. What stands there already is taken off: else nobody could tell."""
    rival, kind = scene.rival, scene.rival_kind
    if rival is None or kind.pounds is None or kind.stands != "shelf":
        return None
    heavy = scene.amount(kind.pounds)
    bears = scene.beside(heavy, (-0.3 * heavy, -0.06 * heavy - 0.2), (0.06 * heavy + 0.2, 0.6 * heavy))
    return AnswerPart(
        key="load",
        slots=(
            FileSlot(
                attribute="load that the place bears",
                subject=f"the {scene.place}",
                value=f"{bears} lb",
                text=f"The {scene.place} bears {{value}} more.",
                label="Load left",
                said=f"By the leaflet of the shelving, less what stands there already, the {scene.place} bears another {{value}}.",
                carriers=("notes", "sketch", "measurements"),
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
    )


def trunk(scene: CaseScene) -> AnswerPart | None:
    """Only of what comes in a long box that has to lie beside other things in a car."""
    rival, kind = scene.rival, scene.rival_kind
    if rival is None or kind.carton is None:
        return None
    carton = scene.amount(kind.carton)
    gap = scene.beside(carton, (-2.2, -0.4), (0.4, 2.9))
    return AnswerPart(
        key="trunk",
        slots=(
            FileSlot(
                attribute="gap in the trunk",
                subject="the trunk of the car",
                value=f"{gap} in",
                text="The trunk of the car has a gap of {value}.",
                label="Gap in the trunk",
                said="Trunk of the car, beside the stroller: a gap of {value}, full length.",
                carriers=("measurements", "notes"),
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
    )


CORE, MORE = (width,), (height, load, trunk)
