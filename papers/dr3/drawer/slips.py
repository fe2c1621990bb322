"""A till slip as a photo: a strip of thermal paper on a table."""

from __future__ import annotations

from drr.papers.dr3.drawer.brief import FileBrief, FilePlaces, WrittenFile
from drr.papers.dr3.drawer.goods import Sale, money, sale_of, shop_of
from drr.papers.dr3.drawer.ink import Ink, Picture
from drr.papers.dr3.planning.scene import slashed

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
