"""Pictures of labels, type plates and products with their print. Paper, ink and fonts are the same on every machine."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from drr.papers.dr3.drawer.brief import FileBrief
from drr.papers.dr3.planning.kinds import kind_of
from drr.papers.dr3.planning.scene import capital
from PIL import Image, ImageDraw, ImageFont

Ink = tuple[int, int, int]
BLACK: Ink = (24, 24, 28)
_FILES = {
    "sans": "DejaVuSans.ttf",
    "bold": "DejaVuSans-Bold.ttf",
    "mono": "DejaVuSansMono.ttf",
    "mono-bold": "DejaVuSansMono-Bold.ttf",
    "serif": "DejaVuSerif.ttf",
    "serif-bold": "DejaVuSerif-Bold.ttf",
    "italic": "DejaVuSans-Oblique.ttf",
}


@cache
def font(name: str, size: int) -> ImageFont.FreeTypeFont:
    found = find_spec("matplotlib")
    assert found is not None and found.origin is not None
    return ImageFont.truetype(
        str(Path(found.origin).parent / "mpl-data" / "fonts" / "ttf" / _FILES[name]),
        size,
        layout_engine=ImageFont.Layout.BASIC,
    )


class Picture:
    """A sheet on which text says where it stands."""

    def __init__(self, brief: FileBrief, width: int, height: int, ground: Ink = (255, 255, 255)) -> None:
        self.brief = brief
        self.image = Image.new("RGB", (width, height), ground)
        self.draw = ImageDraw.Draw(self.image)
        self.width, self.height = width, height

    def text(
        self,
        x: int,
        y: int,
        text: str,
        size: int = 24,
        face: str = "sans",
        ink: Ink = BLACK,
        *,
        anchor: str = "la",
        fact: str | None = None,
    ) -> tuple[int, int, int, int]:
        """Its box; with a fact, that is where the fact stands."""
        self.draw.text((x, y), text, fill=ink, font=font(face, size), anchor=anchor)
        box = self.draw.textbbox((x, y), text, font=font(face, size), anchor=anchor)
        left, top, right, bottom = (round(one) for one in box)
        region = (max(0, left - 6), max(0, top - 6), right + 6, bottom + 6)
        if fact is not None:
            self.brief.put(fact, text, "region=" + ",".join(map(str, region)))
        return region

    def fitted(self, text: str, face: str, largest: int, room: int) -> int:
        """The largest size at which a text has room."""
        size = largest
        while size > 14 and self.draw.textlength(text, font=font(face, size)) > room:
            size -= 1
        return size

    def fit(
        self,
        x: int,
        y: int,
        text: str,
        face: str,
        largest: int,
        room: int,
        ink: Ink = BLACK,
        *,
        anchor: str = "la",
        fact: str | None = None,
    ) -> None:
        """Write a text as large as it has room, at most so large."""
        self.text(x, y, text, self.fitted(text, face, largest, room), face, ink, anchor=anchor, fact=fact)

    def grain(self, rng: Random, strength: int = 5) -> None:
        """A little noise: no camera gives an even ground."""
        import numpy as np

        noise = np.random.default_rng(rng.randrange(1 << 30)).integers(
            -strength, strength + 1, (self.height // 2 + 1, self.width // 2 + 1, 1), dtype=np.int16
        )
        noise = noise.repeat(2, 0).repeat(2, 1)[: self.height, : self.width]
        pixels = np.asarray(self.image, dtype=np.int16) + noise
        self.image = Image.fromarray(pixels.clip(0, 255).astype("uint8"))
        self.draw = ImageDraw.Draw(self.image)

    def done(self) -> bytes:
        buffer = BytesIO()
        self.image.save(buffer, "PNG", compress_level=6)
        return buffer.getvalue()


class _Row(NamedTuple):
    label: str
    value: str
    fact: str | None = None

    @property
    def text(self) -> str:
        return f"{self.label}: {self.value}"


_BY_HAND = "day of opening"
"""Nobody prints it: it is written on a strip of tape."""


def _rows(brief: FileBrief, others: int) -> list[_Row]:
    """The facts among marks that say nothing to the question."""
    rng = brief.rng
    own = [
        _Row(one.label.replace(" (broken)", " no."), one.value, one.fact)
        for one in brief.file.entries
        if one.attribute != _BY_HAND
    ]
    marks = [
        _Row("Model", brief.thing.model),
        _Row("UPC", upc(brief.digits(11))),
        _Row("Made in", rng.choice(("Vietnam", "Portugal", "Taiwan", "Mexico", "Poland"))),
        _Row("Rev.", rng.choice(("A", "B", "C2", "D1"))),
        _Row("QC", f"{rng.randrange(10, 99)} / {rng.randrange(2, 9)}"),
    ]
    if brief.entry(_BY_HAND) is not None:
        own.append(_Row("Size", "regular pack"))
    rows = [*own, *rng.sample(marks, others)]
    rng.shuffle(rows)
    return rows


def upc(digits: str) -> str:
    """Eleven digits with the twelfth that checks them (GS1: those at odd places count three times)."""
    total = sum(int(digit) * (1 if at % 2 else 3) for at, digit in enumerate(digits))
    return f"{digits}{-total % 10}"


def _has_plate(brief: FileBrief) -> bool:
    return kind_of(brief.thing.noun).look == "device"


def write_label(brief: FileBrief) -> bytes:
    picture = (_plate if _has_plate(brief) and brief.rng.random() < 0.7 else _sticker)(brief)
    return picture.done()


def head_of(brief: FileBrief) -> tuple[str, str]:
    return brief.thing.brand, capital(brief.thing.called)


def _plate(brief: FileBrief) -> Picture:
    """Metal, with screws at its corners."""
    rng = brief.rng
    rows = _rows(brief, rng.choice((2, 3)))
    tall = 330 + 62 * len(rows)
    metal: Ink = rng.choice(((206, 209, 212), (214, 208, 192), (190, 196, 200)))
    picture = Picture(brief, 940, tall + 120, rng.choice(((58, 60, 63), (96, 84, 70), (40, 52, 60))))
    for at in range(tall):
        light = 10 - abs(tall // 2 - at) * 20 // tall
        picture.draw.line((60, 60 + at, 880, 60 + at), fill=lighter(metal, light))
    picture.draw.rectangle((78, 78, 862, 42 + tall), outline=(90, 92, 95), width=3)
    for x in (96, 844):
        for y in (96, 24 + tall):
            picture.draw.ellipse((x - 11, y - 11, x + 11, y + 11), fill=(150, 152, 155), outline=(70, 70, 70))
            picture.draw.line((x - 7, y - 5, x + 7, y + 5), fill=(60, 60, 60), width=3)
    picture.grain(rng, 5)
    head, under = head_of(brief)
    picture.fit(470, 122, head.upper(), "bold", 50, 640, anchor="ma")
    picture.fit(470, 186, under, "sans", 32, 640, anchor="ma")
    y = 256
    for row in rows:
        picture.fit(130, y, row.label, "sans", 30, 320, (60, 62, 66))
        picture.fit(460, y - 3, row.value, "mono-bold", 36, 360, fact=row.fact)
        picture.draw.line((128, y + 46, 812, y + 46), fill=(130, 132, 136), width=1)
        y += 62
    return picture


def _sticker(brief: FileBrief) -> Picture:
    """White paper on a colored box, with a bar code."""
    rng = brief.rng
    rows = _rows(brief, rng.choice((2, 3, 4)))
    tall = 380 + 58 * len(rows)
    picture = Picture(
        brief, 900, tall + 120, rng.choice(((186, 150, 108), (70, 98, 122), (150, 60, 54), (96, 120, 88)))
    )
    picture.draw.rounded_rectangle((56, 58, 848, 62 + tall), 16, fill=(40, 40, 40))
    picture.draw.rounded_rectangle((50, 50, 842, 54 + tall), 16, fill=(252, 252, 250))
    picture.grain(rng, 4)
    head, under = head_of(brief)
    picture.fit(90, 86, head, "serif-bold", 46, 700)
    picture.fit(90, 146, under, "sans", 30, 700, (60, 60, 60))
    picture.draw.line((88, 204, 804, 204), fill=BLACK, width=3)
    y = 228
    for row in rows:
        picture.fit(90, y, row.text, "sans", 32, 700, fact=row.fact)
        y += 58
    x = 110
    while x < 560:
        thick = rng.choice((3, 3, 5, 7))
        picture.draw.rectangle((x, y + 18, x + thick, y + 96), fill=BLACK)
        x += thick + rng.choice((4, 5, 7))
    picture.text(620, y + 34, rng.choice(("Keep dry", "Recycle me", "This side up")), 26, "italic")
    return picture


def write_photo(brief: FileBrief) -> bytes:
    """The product as one would photograph it, with the print on its front."""
    rng = brief.rng
    wall: Ink = rng.choice(((226, 221, 212), (208, 216, 220), (222, 214, 218), (212, 219, 205)))
    picture = Picture(brief, 1100, 1000, wall)
    floor = (wall[0] - 62, wall[1] - 70, wall[2] - 82)
    picture.draw.rectangle((0, 760, 1100, 1000), fill=floor)
    picture.draw.line((0, 760, 1100, 760), fill=lighter(floor, -30), width=3)
    body: Ink = rng.choice(
        ((58, 84, 110), (122, 62, 58), (66, 96, 74), (84, 78, 104), (70, 72, 76), (158, 112, 58))
    )
    picture.draw.ellipse((250, 820, 900, 900), fill=lighter(floor, -40))
    box = _drawn(picture, kind_of(brief.thing.noun).look, body)
    picture.grain(rng, 6)
    _tape(picture, brief, _print_on(picture, brief, box))
    return picture.done()


def lighter(ink: Ink, by: int) -> Ink:
    """Return an ink that much lighter; darker where it is negative."""
    red, green, blue = (min(255, max(0, one + by)) for one in ink)
    return red, green, blue


@cache
def _looks() -> dict[str, Any]:
    with (Path(__file__).parent / "looks.toml").open("rb") as file:
        return tomllib.load(file)


def _drawn(picture: Picture, name: str, body: Ink) -> tuple[int, int, int, int]:
    """Draw a thing as `looks.toml` has it, and return the place of its label."""
    look = _looks()[name]
    for row in look["shapes"]:
        draw, fill = getattr(picture.draw, row["draw"]), row.get("ink") or lighter(body, row.get("shade", 0))
        for step in range(row.get("times", 1)):
            away = step * row.get("apart", 0)
            draw(
                [x_or_y + away * (at % 2 == 0) for at, x_or_y in enumerate(row["at"])],
                fill=fill,
                **row.get("more", {}),
            )
    left, top, right, bottom = look["label"]
    return left, top, right, bottom


def _tape(picture: Picture, brief: FileBrief, box: tuple[int, int, int]) -> None:
    """Below the label, by hand."""
    opened = brief.entry(_BY_HAND)
    if opened is None:
        return
    left, right, y = box
    rough = [(left + 14, y + 12), (right - 20, y + 4), (right - 14, y + 74), (left + 8, y + 82)]
    picture.draw.polygon(rough, fill=(238, 226, 178), outline=(206, 192, 140))
    text, middle, room = f"opened {opened.value}", (left + right) // 2, right - left - 70
    picture.fit(middle, y + 20, text, "italic", 38, room, (40, 44, 96), anchor="ma", fact=opened.fact)


def _print_on(picture: Picture, brief: FileBrief, box: tuple[int, int, int, int]) -> tuple[int, int, int]:
    """A paper label on the front, so that dark on light can be read."""
    left, top, right, bottom = box
    rows = _rows(brief, brief.rng.choice((1, 2)))
    room = right - left - 48
    tall = min(bottom - top, 170 + 66 * len(rows))
    picture.draw.rounded_rectangle(
        (left, top, right, top + tall), 12, fill=(250, 249, 245), outline=(120, 120, 116), width=2
    )
    head, under = head_of(brief)
    middle = (left + right) // 2
    picture.fit(middle, top + 22, head, "serif-bold", 46, room, anchor="ma")
    picture.fit(middle, top + 86, under, "sans", 30, room, (70, 70, 70), anchor="ma")
    y = top + 146
    for row in rows:
        picture.fit(middle, y, row.text, "sans", 34, room, anchor="ma", fact=row.fact)
        y += 62
    return left, right, top + tall + 16
