"""Tables that follow from a rule. Each function works out the rows of one guide, so that a page's figures cannot drift."""

from __future__ import annotations

import math
from collections.abc import Callable

Table = tuple[list[str], list[list[str]]]


def ramp() -> Table:
    angles = (18, 20, 25)
    columns = ["Height to reach", *(f"Ramp at {angle} degrees" for angle in angles)]
    rows = [
        [
            f"{height} inches",
            *(f"{math.ceil(height / math.sin(math.radians(angle)))} inches" for angle in angles),
        ]
        for height in (14, 18, 24, 28, 32, 38)
    ]
    return columns, rows


def glucosamine() -> Table:
    rows = [
        [f"{weight} pounds", f"{weight * 20:,} mg", f"{weight * 40:,} mg"]
        for weight in (10, 25, 40, 60, 75, 100)
    ]
    return ["Dog", "Glucosamine a day", "First month, where a vet agrees"], rows


def dog_calories() -> Table:
    rows = []
    for pounds in (10, 20, 40, 60, 80):
        need = 1.6 * 70 * (pounds / 2.2046) ** 0.75
        rows.append([f"{pounds} pounds", f"{round(need, -1):,.0f} calories", f"{need / 10:.0f} calories"])
    return ["Dog", "Need a day", "Chews and treats at most"], rows


def cat_water() -> Table:
    rows = []
    for pounds in (6, 8, 10, 12, 15):
        need = 0.8 * pounds
        canned = 0.78 * 1.1 * pounds / 2
        rows.append([f"{pounds} pounds", f"{need:.1f} ounces", f"{max(need - canned, 0):.1f} ounces"])
    return ["Cat", "Water a day, all told", "To drink, if half the food is canned"], rows


def filter_flow() -> Table:
    rows = []
    for gallons in (5, 10, 20, 40, 75):
        low, high = (round(gallons * turns / 0.67, -1) for turns in (4, 6))
        rows.append(
            [
                f"{gallons} gallons",
                f"{gallons * 4} to {gallons * 6} gallons an hour",
                f"{low:.0f} to {high:.0f}",
            ]
        )
    return ["Tank", "Real flow", "Rated flow to look for"], rows


def bed_soil() -> Table:
    rows = []
    for length, width, height in ((4, 2, 12), (4, 4, 12), (4, 4, 17), (8, 4, 12), (8, 4, 17), (6, 3, 24)):
        feet = length * width * height / 12
        rows.append(
            [
                f"{length} x {width} feet, {height} inches",
                f"{feet:.1f}",
                f"{math.ceil(feet / 1.5)}",
                f"{feet / 27:.1f}",
            ]
        )
    return ["Bed", "Cubic feet", "Bags of 1.5", "Cubic yards"], rows


def umbrella_base() -> Table:
    rows = [
        [f"{feet:g} feet", f"{feet * 10:.0f} pounds", f"{feet * 15:.0f} pounds"] for feet in (7.5, 9, 10, 11)
    ]
    return ["Canopy", "Through a table", "Free-standing"], rows


def dilution() -> Table:
    strengths = (0.5, 1, 2, 3)
    rows = [
        [
            f"{ounces} fl oz ({ounces * 30} ml)",
            *(f"{ounces * 30 * 20 * s / 100:.0f} drops" for s in strengths),
        ]
        for ounces in (1, 2, 4)
    ]
    return ["Carrier oil", *(f"{s:g} percent" for s in strengths)], rows


def diffuser() -> Table:
    rows = [
        [f"{tank} ml", f"{tank / 50:.0f} hours", f"{tank / 25:.0f} hours", f"{round(tank / 100 * 4)} drops"]
        for tank in (100, 200, 300, 500, 1000)
    ]
    return ["Tank", "At 50 ml an hour", "At 25 ml an hour", "Oil"], rows


def blanket() -> Table:
    sizes = (5, 7, 10, 12, 15, 20, 25)
    rows = []
    for weight in (50, 80, 110, 130, 150, 180, 220, 250):
        nearest = min(sizes, key=lambda size: (abs(size - weight * 0.1), size))
        rows.append([f"{weight} pounds", f"{nearest} pounds", f"{weight * 0.12:.0f} pounds"])
    return ["You weigh", "Blanket", "Never more than"], rows


def cadr() -> Table:
    rows = []
    for feet in (100, 150, 200, 300, 360, 500):
        rows.append([f"{feet} square feet", f"{math.ceil(feet * 2 / 3)}", f"{math.ceil(feet / 3)}"])
    return ["Room", "CADR for allergies (4.8 changes)", "CADR at the least (2.4 changes)"], rows


def desk() -> Table:
    rows = []
    for feet, inches in ((5, 0), (5, 4), (5, 8), (6, 0), (6, 4)):
        height = feet * 12 + inches
        seat = height * 0.25
        rows.append(
            [
                f"{feet} feet {inches}",
                f"{seat:.0f} inches",
                f"{seat + 0.145 * height:.0f} inches",
                f"{0.63 * height:.0f} inches",
                f"{0.936 * height - 1:.0f} inches",
            ]
        )
    return ["You", "Seat", "Desk, seated", "Desk, standing", "Top of screen, standing"], rows


TABLES: dict[str, Callable[[], Table]] = {
    function.__name__: function
    for function in (
        ramp,
        glucosamine,
        dog_calories,
        cat_water,
        filter_flow,
        bed_soil,
        umbrella_base,
        dilution,
        diffuser,
        blanket,
        cadr,
        desk,
    )
}
