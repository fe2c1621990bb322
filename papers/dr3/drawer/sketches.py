"""A till slip as a photo, and a room sketch with measures as one draws it by hand before buying."""

from __future__ import annotations

from drr.papers.dr3.case import FileEntry
from drr.papers.dr3.drawer.brief import FileBrief
from drr.papers.dr3.drawer.goods import Sale, money, sale_of, shop_of
from drr.papers.dr3.drawer.labels import Ink, Picture, lighter
from drr.papers.dr3.planning.kinds import kind_of
from drr.papers.dr3.planning.scene import slashed
from drr.papers.dr3.values import number_of

_TABLES: tuple[Ink, ...] = ((121, 92, 66), (92, 96, 99), (176, 164, 146), (66, 80, 74))
_GAP = 36


def write_till_slip(brief: FileBrief) -> bytes:
    rng, sale = brief.rng, sale_of(brief)
    wide = rng.choice((620, 680))
    left, top = rng.randrange(50, 110), rng.randrange(40, 80)
    tall = 610 + _GAP * 2 * len(sale.lines)
    ground = rng.choice(_TABLES)
    picture = Picture(brief, wide + 2 * left, tall + 2 * top, ground)
    shade = (left + 10, top + 12, left + wide + 10, top + tall + 12)
    picture.draw.rectangle(shade, fill=lighter(ground, -24))
    picture.draw.rectangle((left, top, left + wide, top + tall), fill=(250, 249, 244))
    for x in range(left, left + wide, 16):
        picture.draw.polygon(
            [(x, top + tall), (x + 8, top + tall + 9), (x + 16, top + tall)], fill=(250, 249, 244)
        )
    picture.grain(rng, 4)
    _print(picture, sale, left + 34, top + 36, wide - 68)
    return picture.done()


def _print(picture: Picture, sale: Sale, left: int, y: int, wide: int) -> None:
    brief, case, shop = picture.brief, picture.brief.case, shop_of(picture.brief)
    middle, right = left + wide // 2, left + wide
    picture.fit(middle, y, case.seller.upper(), "mono-bold", 36, wide, anchor="ma")
    y += 52
    picture.text(middle, y, shop.street, 22, "mono", anchor="ma")
    y += _GAP + 14
    bought = brief.entry("purchase date")
    day, fact = (slashed(case.bought), None) if bought is None else (bought.value, bought.fact)
    picture.text(left, y, f"DATE {day}", 24, "mono", fact=fact)
    picture.text(right, y, f"TILL {shop.register}", 24, "mono", anchor="ra")
    y += _GAP
    picture.text(left, y, f"NO. {shop.number}", 24, "mono")
    y += _GAP + 6
    _dashes(picture, left, right, y)
    y = _lines(picture, sale, left, right, y + 22)
    _dashes(picture, left, right, y)
    y += 30
    paid = brief.rng.choice((f"CARD ENDING {shop.card}", "PAID BY CARD", "CASH"))
    picture.text(middle, y, paid, 24, "mono", anchor="ma")
    x = left + 40
    while x < right - 40:
        thick = brief.rng.choice((2, 2, 3, 5))
        picture.draw.rectangle((x, y + 60, x + thick, y + 118), fill=(30, 30, 30))
        x += thick + brief.rng.choice((3, 4, 6))
    thanks = brief.rng.choice(("THANK YOU", "COME AGAIN", "HAVE A GOOD DAY"))
    picture.text(middle, y + 140, thanks, 24, "mono", anchor="ma")


def _lines(picture: Picture, sale: Sale, left: int, right: int, y: int) -> int:
    paid = picture.brief.entry("price paid")
    for line in sale.lines:
        picture.fit(left, y, line.text.upper(), "mono", 24, right - left)
        y += 32
        picture.text(left + 30, y, f"{line.quantity} PC", 24, "mono")
        fact = paid.fact if paid is not None and line.own else None
        picture.text(right, y, money(line.total), 25, "mono", anchor="ra", fact=fact)
        y += _GAP
    _dashes(picture, left, right, y)
    y += 20
    for label, amount in sale.sums:
        face = "mono-bold" if label == "Total" else "mono"
        picture.text(left, y, label.upper(), 25, face)
        picture.text(right, y, money(amount), 25, face, anchor="ra")
        y += _GAP
    return y + 8


def _dashes(picture: Picture, left: int, right: int, y: int) -> None:
    for x in range(left, right, 18):
        picture.draw.line((x, y, x + 9, y), fill=(70, 70, 70), width=2)


_PEN: tuple[Ink, ...] = ((34, 46, 92), (30, 30, 34), (84, 30, 30))
_W, _H = 1240, 940
Ends = tuple[int, int, int, int]


def write_sketch(brief: FileBrief) -> bytes:
    rng, sketch = brief.rng, _Sketch(brief, _W, _H, (253, 252, 247))
    sketch.pen = rng.choice(_PEN)
    if rng.random() < 0.6:
        for at in range(0, max(_W, _H), 31):
            sketch.draw.line((at, 0, at, _H), fill=(226, 233, 240))
            sketch.draw.line((0, at, _W, at), fill=(226, 233, 240))
    title = rng.choice(
        ("Where it should go", "Measured on Sunday", "Measured twice", "Plan (inside measures)")
    )
    sketch.text(70, 40, f"{title}, widths about to scale", 34, "italic", sketch.pen)
    drawn = _front if rng.random() < 0.5 else _above
    (_shelf if brief.case.place.endswith("shelf") else drawn)(sketch)
    return sketch.done()


class _Sketch(Picture):
    """A sheet on which somebody draws by hand, with the facts of a place."""

    pen: Ink

    def fact(self, start: str) -> FileEntry | None:
        return next((one for one in self.brief.file.entries if one.attribute.startswith(start)), None)

    @property
    def is_outdoors(self) -> bool:
        rival = self.brief.case.rival
        return rival is not None and kind_of(rival.noun).manual == "outdoor"

    def name(self, x: int, y: int, text: str, size: int = 28) -> None:
        """Write what something is, in its middle."""
        self.text(x, y, text, size, "italic", self.pen, anchor="mm")

    def spot(self, x: int, y: int) -> None:
        """Write the name of the place."""
        place = self.brief.case.place
        self.name(x, y, place, self.fitted(place, "italic", 30, 370))

    def lines(self, *corners: tuple[int, int], width: int = 4) -> None:
        """Lines by hand: drawn twice, not quite the same."""
        rng = self.brief.rng
        for _ in range(2):
            shaken = [(x + rng.randrange(-2, 3), y + rng.randrange(-2, 3)) for x, y in corners]
            self.draw.line([*shaken, shaken[0]], fill=self.pen, width=width - 2)

    def box(self, left: int, top: int, right: int, bottom: int, width: int = 4) -> None:
        self.lines((left, top), (right, top), (right, bottom), (left, bottom), width=width)

    def measure(self, ends: Ends, text: str, fact: str | None = None) -> None:
        """An arrow with two heads and its figure beside it."""
        x0, y0, x1, y1 = ends
        self.draw.line(ends, fill=self.pen, width=3)
        for x, y, way in ((x0, y0, 14), (x1, y1, -14)):
            for side in (-9, 9):
                head = (x + way, y + side) if y0 == y1 else (x + side, y + way)
                self.draw.line((x, y, *head), fill=self.pen, width=3)
        if y0 == y1:
            self.text((x0 + x1) // 2, y0 - 44, text, 34, "sans", self.pen, anchor="ma", fact=fact)
        else:
            self.text(x0 + 20, (y0 + y1) // 2 - 20, text, 34, "sans", self.pen, fact=fact)

    def known(self, start: str, ends: Ends, low: int, high: int) -> str:
        """Draw a measure of the place and return it: its fact, or one that no fact has. Another file may be the one that gives it."""
        entry = self.fact(f"{start} of the place")
        if entry is None and self.brief.hides(f"{start} of the place"):
            return ""
        shown = self._other(low, high) if entry is None else entry.value
        self.measure(ends, shown, None if entry is None else entry.fact)
        return shown

    def _other(self, low: int, high: int) -> str:
        taken = {one.value for one in self.brief.case.facts}
        while True:
            text = f"{self.brief.rng.randrange(low * 10, high * 10) / 10} in"
            if text not in taken:
                return text

    def scaled(self, ends: Ends, shown: str, pixels: int, within: tuple[int, int]) -> None:
        """Draw a measure of something else in the scale of the place, which is drawn so wide. Draw none where
        such a thing is not of that size."""
        if not shown:
            return
        length = max(ends[2] - ends[0], ends[3] - ends[1])
        inches = number_of(shown) * length / pixels * self.brief.rng.uniform(0.97, 1.03)
        text = f"{inches:.1f} in"
        if within[0] <= inches <= within[1] and text not in {one.value for one in self.brief.case.facts}:
            self.measure(ends, text)

    def load(self, x: int, y: int) -> None:
        load = self.fact("load")
        if load is not None:
            self.text(x, y, f"{load.value} of load left", 29, "sans", self.pen, fact=load.fact)


def _front(sketch: _Sketch) -> None:
    """The wall seen from the front: a free place between two cupboards, a door at the right."""
    sketch.draw.line((60, 800, 1180, 800), fill=sketch.pen, width=5)
    outdoors = sketch.is_outdoors
    beside, other, way = ("post", "bench", "gate") if outdoors else ("cupboard", "books", "door")
    sketch.box(90, 330, 290, 800)
    sketch.name(190, 545, beside)
    sketch.box(690, 330, 840, 800)
    sketch.name(765, 545, other)
    sketch.box(960, 250, 1130, 800)
    sketch.draw.ellipse((978, 530, 996, 548), outline=sketch.pen, width=3)
    sketch.name(1045, 390, way)
    sketch.box(290, 170, 690, 200, 3)
    sketch.name(490, 140, "beam above" if outdoors else "shelf above", 26)
    sketch.spot(490, 718)
    shown = sketch.known("width", (296, 680, 684, 680), 20, 44)
    sketch.known("height", (328, 206, 328, 796), 30, 60)
    sketch.scaled((90, 860, 290, 860), shown, 388, (8, 60))
    sketch.scaled((690, 860, 840, 860), shown, 388, (6, 40))
    sketch.scaled((960, 860, 1130, 860), shown, 388, (24, 42))
    sketch.load(352, 750)


def _shelf(sketch: _Sketch) -> None:
    """A rack from the front: a free place on one of its boards. Nothing heavy stands on one of which is asked what it bears."""
    for y in (200, 640, 860):
        sketch.box(90, y, 1130, y + 18, 3)
    for x in (90, 1112):
        sketch.box(x, 130, x + 18, 878, 3)
    is_weak = any(fact.attribute.startswith("load") for fact in sketch.brief.case.facts)
    left, right = ("towels", "a plant") if is_weak else ("boxes", "books")
    sketch.box(130, 400, 350, 640)
    sketch.name(240, 520, left)
    sketch.box(800, 340, 1060, 640)
    sketch.name(930, 490, right)
    sketch.spot(590, 610)
    shown = sketch.known("width", (356, 560, 794, 560), 20, 44)
    sketch.known("height", (420, 224, 420, 634), 9, 18)
    sketch.scaled((130, 740, 350, 740), shown, 438, (3, 40))
    sketch.scaled((800, 740, 1060, 740), shown, 438, (3, 40))
    sketch.load(440, 676)


def _above(sketch: _Sketch) -> None:
    """Draw from above: a room with a bay between two pieces of furniture."""
    left, right, way = ("bench", "grill", "gate") if sketch.is_outdoors else ("sideboard", "desk", "door")
    sketch.box(110, 150, 1110, 790, 6)
    sketch.box(114, 154, 400, 300)
    sketch.name(257, 227, left)
    sketch.box(820, 154, 1106, 300)
    sketch.name(963, 227, right)
    sketch.spot(610, 200)
    sketch.box(380, 470, 700, 640)
    sketch.name(540, 555, "table")
    sketch.draw.rectangle((760, 780, 960, 800), fill=(253, 252, 247))
    sketch.draw.arc((760, 590, 1160, 990), 180, 270, fill=sketch.pen, width=3)
    sketch.name(860, 700, way)
    shown, high = sketch.known("width", (406, 345, 814, 345), 20, 44), sketch.fact("height")
    if high is not None:
        sketch.text(440, 370, f"room above: {high.value} high", 32, "sans", sketch.pen, fact=high.fact)
    sketch.scaled((760, 880, 960, 880), shown, 408, (20, 44))
    sketch.scaled((110, 880, 690, 880), shown, 408, (30, 200))
    sketch.scaled((150, 310, 150, 780), shown, 408, (30, 200))
    sketch.load(440, 412)
