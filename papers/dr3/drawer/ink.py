"""Pictures: paper, ink and the fonts that matplotlib brings along, so that every machine draws the same pixels."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from random import Random

from drr.papers.dr3.drawer.brief import FilePlaces
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

    def __init__(self, places: FilePlaces, width: int, height: int, ground: Ink = (255, 255, 255)) -> None:
        self.places = places
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
            self.places.put(fact, text, "region=" + ",".join(map(str, region)))
        return region

    def fitted(self, text: str, face: str, largest: int, room: int) -> int:
        """The largest size at which a text has room."""
        size = largest
        while size > 14 and self.draw.textlength(text, font=font(face, size)) > room:
            size -= 1
        return size

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
