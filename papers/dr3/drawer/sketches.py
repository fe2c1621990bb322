"""A till slip as a photo, and a room sketch with measures as one draws it by hand before buying."""

from __future__ import annotations

from drr.papers.dr3.case import FileEntry
from drr.papers.dr3.drawer.brief import FileBrief, FilePlaces, WrittenFile
from drr.papers.dr3.drawer.goods import Sale, money, sale_of, shop_of
from drr.papers.dr3.drawer.labels import Ink, Picture
from drr.papers.dr3.planning.kinds import kind_of
from drr.papers.dr3.planning.scene import slashed
from drr.papers.dr3.values import number_of

_TABLES: tuple[Ink, ...] = ((121, 92, 66), (92, 96, 99), (176, 164, 146), (66, 80, 74))
_GAP = 36


def write_till_slip(brief: FileBrief) -> WrittenFile:
    rng, places = brief.rng, FilePlaces(brief.file.name)
    sale = sale_of(brief)
    wide = rng.choice((620, 680))
    left, top = rng.randrange(50, 110), rng.randrange(40, 80)
    tall = 610 + _GAP * 2 * len(sale.lines)
    ground = rng.choice(_TABLES)
    picture = Picture(places, wide + 2 * left, tall + 2 * top, ground)
    shade = (ground[0] - 24, ground[1] - 24, ground[2] - 24)
    picture.draw.rectangle((left + 10, top + 12, left + wide + 10, top + tall + 12), fill=shade)
    picture.draw.rectangle((left, top, left + wide, top + tall), fill=(250, 249, 244))
    for x in range(left, left + wide, 16):
        picture.draw.polygon(
            [(x, top + tall), (x + 8, top + tall + 9), (x + 16, top + tall)], fill=(250, 249, 244)
        )
    picture.grain(rng, 4)
    _print(picture, brief, sale, left + 34, top + 36, wide - 68)
    return WrittenFile(picture.done(), places.found)


def _print(picture: Picture, brief: FileBrief, sale: Sale, left: int, y: int, wide: int) -> None:
    rng, case = brief.rng, brief.case
    middle, right = left + wide // 2, left + wide
    size = picture.fitted(case.seller.upper(), "mono-bold", 36, wide)
    picture.text(middle, y, case.seller.upper(), size, "mono-bold", anchor="ma")
    y += 52
    picture.text(middle, y, shop_of(brief).street, 22, "mono", anchor="ma")
    y += _GAP + 14
    bought = brief.entry("purchase date")
    if bought is not None:
        picture.text(left, y, f"DATE {bought.value}", 24, "mono", fact=bought.fact)
    else:
        picture.text(left, y, f"DATE {slashed(case.bought)}", 24, "mono")
    picture.text(right, y, f"TILL {shop_of(brief).register}", 24, "mono", anchor="ra")
    y += _GAP
    picture.text(left, y, f"NO. {shop_of(brief).number}", 24, "mono")
    y += _GAP + 6
    _dashes(picture, left, right, y)
    y += 22
    y = _lines(picture, brief, sale, left, right, y)
    _dashes(picture, left, right, y)
    y += 30
    picture.text(
        middle,
        y,
        rng.choice((f"CARD ENDING {shop_of(brief).card}", "PAID BY CARD", "CASH")),
        24,
        "mono",
        anchor="ma",
    )
    _bars(picture, brief, left + 40, right - 40, y + 60)
    picture.text(
        middle, y + 140, rng.choice(("THANK YOU", "COME AGAIN", "HAVE A GOOD DAY")), 24, "mono", anchor="ma"
    )


def _lines(picture: Picture, brief: FileBrief, sale: Sale, left: int, right: int, y: int) -> int:
    paid = brief.entry("price paid")
    for line in sale.lines:
        text = line.text.upper()
        picture.text(left, y, text, picture.fitted(text, "mono", 24, right - left), "mono")
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


def _bars(picture: Picture, brief: FileBrief, left: int, right: int, y: int) -> None:
    x = left
    while x < right:
        thick = brief.rng.choice((2, 2, 3, 5))
        picture.draw.rectangle((x, y, x + thick, y + 58), fill=(30, 30, 30))
        x += thick + brief.rng.choice((3, 4, 6))


_PEN: tuple[Ink, ...] = ((34, 46, 92), (30, 30, 34), (84, 30, 30))
_W, _H = 1240, 940


def write_sketch(brief: FileBrief) -> WrittenFile:
    rng, places = brief.rng, FilePlaces(brief.file.name)
    picture = Picture(places, _W, _H, (253, 252, 247))
    pen = rng.choice(_PEN)
    if rng.random() < 0.6:
        for at in range(0, max(_W, _H), 31):
            picture.draw.line((at, 0, at, _H), fill=(226, 233, 240))
            picture.draw.line((0, at, _W, at), fill=(226, 233, 240))
    title = rng.choice(
        ("Where it should go", "Measured on Sunday", "Measured twice", "Plan (inside measures)")
    )
    title = f"{title}, widths about to scale"
    picture.text(70, 40, title, 34, "italic", pen)
    drawn = _front if rng.random() < 0.5 else _above
    (_shelf if brief.case.place.endswith("shelf") else drawn)(picture, brief, pen)
    return WrittenFile(picture.done(), places.found)


def _take(brief: FileBrief, word: str) -> FileEntry | None:
    return next((one for one in brief.file.entries if one.attribute.startswith(word)), None)


def _other(brief: FileBrief, low: int, high: int) -> str:
    """A measure of something else, which no fact has."""
    taken = {one.value for one in brief.case.facts}
    while True:
        text = f"{brief.rng.randrange(low * 10, high * 10) / 10} in"
        if text not in taken:
            return text


def _measure(
    picture: Picture, pen: Ink, ends: tuple[int, int, int, int], text: str, fact: str | None = None
) -> None:
    """An arrow with two heads and its figure beside it."""
    x0, y0, x1, y1 = ends
    picture.draw.line(ends, fill=pen, width=3)
    for x, y, way in ((x0, y0, 1), (x1, y1, -1)):
        if y0 == y1:
            picture.draw.line((x, y, x + 14 * way, y - 9), fill=pen, width=3)
            picture.draw.line((x, y, x + 14 * way, y + 9), fill=pen, width=3)
        else:
            picture.draw.line((x, y, x - 9, y + 14 * way), fill=pen, width=3)
            picture.draw.line((x, y, x + 9, y + 14 * way), fill=pen, width=3)
    if y0 == y1:
        picture.text((x0 + x1) // 2, y0 - 44, text, 34, "sans", pen, anchor="ma", fact=fact)
    else:
        picture.text(x0 + 20, (y0 + y1) // 2 - 20, text, 34, "sans", pen, fact=fact)


def _wobbly(
    picture: Picture, brief: FileBrief, pen: Ink, corners: list[tuple[int, int]], width: int = 4
) -> None:
    """Lines by hand: drawn twice, not quite the same."""
    for _ in range(2):
        shaken = [(x + brief.rng.randrange(-2, 3), y + brief.rng.randrange(-2, 3)) for x, y in corners]
        picture.draw.line([*shaken, shaken[0]], fill=pen, width=width - 2)


def _outdoors(brief: FileBrief) -> bool:
    rival = brief.case.rival
    return rival is not None and kind_of(rival.noun).manual == "outdoor"


def _spot(picture: Picture, brief: FileBrief, pen: Ink, x: int, y: int) -> None:
    """The place under its name."""
    size = picture.fitted(brief.case.place, "italic", 30, 370)
    picture.text(x, y, brief.case.place, size, "italic", pen, anchor="mm")


def _scaled(
    picture: Picture,
    brief: FileBrief,
    pen: Ink,
    ends: tuple[int, int, int, int],
    shown: str,
    pixels: int,
    within: tuple[int, int],
) -> None:
    """Draw a measure of something else in the scale of the place, which is drawn so wide. Draw none where
    such a thing is not of that size."""
    if not shown:
        return
    length = max(ends[2] - ends[0], ends[3] - ends[1])
    inches = number_of(shown) * length / pixels * brief.rng.uniform(0.97, 1.03)
    text = f"{inches:.1f} in"
    if within[0] <= inches <= within[1] and text not in {one.value for one in brief.case.facts}:
        _measure(picture, pen, ends, text)


def _is_weak(brief: FileBrief) -> bool:
    """A shelf of which is asked what it bears: nothing heavy stands on it."""
    return any(fact.attribute.startswith("load") for fact in brief.case.facts)


def _front(picture: Picture, brief: FileBrief, pen: Ink) -> None:
    """The wall seen from the front: a free place between two cupboards, a door at the right."""
    wide, high = _take(brief, "width of the place"), _take(brief, "height")
    picture.draw.line((60, 800, 1180, 800), fill=pen, width=5)
    _wobbly(picture, brief, pen, [(90, 330), (290, 330), (290, 800), (90, 800)])
    beside, other, way = ("post", "bench", "gate") if _outdoors(brief) else ("cupboard", "books", "door")
    picture.text(190, 545, beside, 28, "italic", pen, anchor="mm")
    _wobbly(picture, brief, pen, [(690, 330), (840, 330), (840, 800), (690, 800)])
    picture.text(765, 545, other, 28, "italic", pen, anchor="mm")
    _wobbly(picture, brief, pen, [(960, 250), (1130, 250), (1130, 800), (960, 800)])
    picture.draw.ellipse((978, 530, 996, 548), outline=pen, width=3)
    picture.text(1045, 390, way, 28, "italic", pen, anchor="mm")
    _wobbly(picture, brief, pen, [(290, 170), (690, 170), (690, 200), (290, 200)], 3)
    picture.text(
        490, 140, "beam above" if _outdoors(brief) else "shelf above", 26, "italic", pen, anchor="mm"
    )
    _spot(picture, brief, pen, 490, 718)
    shown = ""
    if wide is not None or not brief.hides("width of the place"):
        shown = _figure(brief, wide, 20, 44)
        _measure(picture, pen, (296, 680, 684, 680), shown, _id(wide))
    if high is not None or not brief.hides("height of the place"):
        _measure(picture, pen, (328, 206, 328, 796), _figure(brief, high, 30, 60), _id(high))
    for ends, within in (
        ((90, 860, 290, 860), (8, 60)),
        ((690, 860, 840, 860), (6, 40)),
        ((960, 860, 1130, 860), (24, 42)),
    ):
        _scaled(picture, brief, pen, ends, shown, 388, within)
    _load(picture, brief, pen, 352, 750)


def _shelf(picture: Picture, brief: FileBrief, pen: Ink) -> None:
    """A rack from the front: a free place on one of its boards."""
    wide, high = _take(brief, "width of the place"), _take(brief, "height")
    for y in (200, 640, 860):
        _wobbly(picture, brief, pen, [(90, y), (1130, y), (1130, y + 18), (90, y + 18)], 3)
    for x in (90, 1112):
        _wobbly(picture, brief, pen, [(x, 130), (x + 18, 130), (x + 18, 878), (x, 878)], 3)
    _wobbly(picture, brief, pen, [(130, 400), (350, 400), (350, 640), (130, 640)])
    left, right = ("boxes", "books") if not _is_weak(brief) else ("towels", "a plant")
    picture.text(240, 520, left, 28, "italic", pen, anchor="mm")
    _wobbly(picture, brief, pen, [(800, 340), (1060, 340), (1060, 640), (800, 640)])
    picture.text(930, 490, right, 28, "italic", pen, anchor="mm")
    _spot(picture, brief, pen, 590, 610)
    shown = ""
    if wide is not None or not brief.hides("width of the place"):
        shown = _figure(brief, wide, 20, 44)
        _measure(picture, pen, (356, 560, 794, 560), shown, _id(wide))
    if high is not None or not brief.hides("height of the place"):
        _measure(picture, pen, (420, 224, 420, 634), _figure(brief, high, 9, 18), _id(high))
    _scaled(picture, brief, pen, (130, 740, 350, 740), shown, 438, (3, 40))
    _scaled(picture, brief, pen, (800, 740, 1060, 740), shown, 438, (3, 40))
    _load(picture, brief, pen, 440, 676)


def _above(picture: Picture, brief: FileBrief, pen: Ink) -> None:
    """Draw from above: a room with a bay between two pieces of furniture."""
    wide, high = _take(brief, "width of the place"), _take(brief, "height")
    _wobbly(picture, brief, pen, [(110, 150), (1110, 150), (1110, 790), (110, 790)], 6)
    _wobbly(picture, brief, pen, [(114, 154), (400, 154), (400, 300), (114, 300)])
    left, right, table, way = (
        ("bench", "grill", "table", "gate") if _outdoors(brief) else ("sideboard", "desk", "table", "door")
    )
    picture.text(257, 227, left, 28, "italic", pen, anchor="mm")
    _wobbly(picture, brief, pen, [(820, 154), (1106, 154), (1106, 300), (820, 300)])
    picture.text(963, 227, right, 28, "italic", pen, anchor="mm")
    _spot(picture, brief, pen, 610, 200)
    _wobbly(picture, brief, pen, [(380, 470), (700, 470), (700, 640), (380, 640)])
    picture.text(540, 555, table, 28, "italic", pen, anchor="mm")
    picture.draw.rectangle((760, 780, 960, 800), fill=(253, 252, 247))
    picture.draw.arc((760, 590, 1160, 990), 180, 270, fill=pen, width=3)
    picture.text(860, 700, way, 28, "italic", pen, anchor="mm")
    shown = ""
    if wide is not None or not brief.hides("width of the place"):
        shown = _figure(brief, wide, 20, 44)
        _measure(picture, pen, (406, 345, 814, 345), shown, _id(wide))
    if high is not None:
        picture.text(440, 370, f"room above: {high.value} high", 32, "sans", pen, fact=high.fact)
    _scaled(picture, brief, pen, (760, 880, 960, 880), shown, 408, (20, 44))
    _scaled(picture, brief, pen, (110, 880, 690, 880), shown, 408, (30, 200))
    _scaled(picture, brief, pen, (150, 310, 150, 780), shown, 408, (30, 200))
    _load(picture, brief, pen, 440, 412)


def _id(entry: FileEntry | None) -> str | None:
    return None if entry is None else entry.fact


def _figure(brief: FileBrief, entry: FileEntry | None, low: int, high: int) -> str:
    return _other(brief, low, high) if entry is None else entry.value


def _load(picture: Picture, brief: FileBrief, pen: Ink, x: int, y: int) -> None:
    load = _take(brief, "load")
    if load is not None:
        picture.text(x, y, f"{load.value} of load left", 29, "sans", pen, fact=load.fact)
