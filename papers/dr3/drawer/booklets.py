"""Warranties and manuals: PDFs of several pages in which a fact is one line among many."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from random import Random

from drr.papers.dr3.case import FileEntry
from drr.papers.dr3.drawer.brief import FileBrief, phrases
from drr.papers.dr3.drawer.pdf import FAINT, GREY, INK, LEAFLET, PaperMaker, PaperPages, wrapped
from drr.papers.dr3.form import FrozenRow
from drr.papers.dr3.planning.kinds import kind_of
from drr.papers.dr3.planning.scene import capital
from reportlab.lib.colors import HexColor


class SortInstructions(FrozenRow):
    """Instructions for one sort of thing."""

    safety: tuple[str, ...]
    care: tuple[str, ...]
    faults: tuple[tuple[str, str], ...]
    made_for: str = ""


@cache
def _instructions() -> dict[str, SortInstructions]:
    with (Path(__file__).parent / "instructions.toml").open("rb") as file:
        rows = tomllib.load(file)
    found = {word: SortInstructions(**row) for row in rows.pop("sort") for word in row.pop("words")}
    return found | {name: SortInstructions(**row) for name, row in rows.items()}


def _group(brief: FileBrief) -> SortInstructions:
    return _instructions()[kind_of(brief.thing.noun).manual or "furniture"]


def _sort(brief: FileBrief) -> SortInstructions:
    """Return the instructions for just such things."""
    return _instructions().get(kind_of(brief.thing.noun).ending, _NOTHING)


_NOTHING = SortInstructions(safety=(), care=(), faults=())


def _some(brief: FileBrief, own: Sequence[str], lines: Sequence[str], count: int) -> list[str]:
    """Choose lines for just such things, among others that fit the sort. `feeds> Take it down` is for what feeds animals."""
    fits = kind_of(brief.thing.noun).fits
    apt = [text for needs, _, text in (line.rpartition("> ") for line in lines) if not needs or needs in fits]
    picked = [*own, *brief.rng.sample(apt, min(count - len(own), len(apt)))]
    return brief.rng.sample(picked, len(picked))


def _pairs(brief: FileBrief, count: int) -> list[tuple[str, str]]:
    own, faults = dict(_sort(brief).faults), dict(_group(brief).faults)
    helps = {what.rpartition("> ")[2]: text for what, text in (faults | own).items()}
    return [(what, helps[what]) for what in _some(brief, list(own), list(faults), count)]


_PRINTED = 110
"""Days before a sale in which the booklets were set that lie in its boxes."""

_SET_BEFORE = 20
"""Days before the month in which a thing was made, at most, of what is not of the latest make."""


def _printed(brief: FileBrief) -> PaperMaker:
    """Return the maker of a booklet of the make that is in the box. It is set not long before the thing was
    sold, or a candidate was looked at (`CasePages`: no page knows of a change within four months of that),
    and before the time of making where a file gives it. What gives the number of just this one is set when it
    was sold."""
    rng = Random(f"{brief.case.seed}/{brief.case.task_id}/{brief.file.name}/made")
    thing, days = brief.thing, rng.randint(16, _PRINTED)
    printed = {entry.attribute for entry in brief.file.entries}
    if "serial number" in printed:
        days = 0 if "purchase date" in printed else days % 60 + 15
    sold = brief.case.bought if thing == brief.case.thing else brief.case.today
    make = brief.case.earlier_make
    if make is not None and make.subject == thing.name:
        sold, days = make.made, days % _SET_BEFORE
    day = sold - timedelta(days=days)
    return PaperMaker(thing.brand, day, f"{thing.brand} {thing.model}")


def write_warranty(brief: FileBrief) -> bytes:
    rng, thing = brief.rng, brief.thing
    paper = PaperPages(brief, LEAFLET, _printed(brief), rng.choice(("Times-Roman", "Helvetica")), margin=32)
    paper.foot = f"{thing.brand} · limited warranty"
    order = [_registration, _terms, _claims]
    rng.shuffle(order)
    _warranty_cover(paper, brief)
    for section in order:
        paper.turn()
        section(paper, brief)
    return paper.done()


def _warranty_cover(paper: PaperPages, brief: FileBrief) -> None:
    thing = brief.thing
    frame = brief.rng.choice((0, 1))
    if frame:
        paper.canvas.setStrokeColor(INK)
        paper.canvas.setLineWidth(2)
        paper.canvas.rect(24, 24, paper.width - 48, paper.height - 48)
    paper.gap(paper.height * 0.22)
    paper.line(thing.brand, 26, bold=True, center=True)
    paper.gap(18)
    paper.line("LIMITED WARRANTY", 16, center=True)
    paper.gap(10)
    paper.line(capital(thing.called), 13, italic=True, center=True)
    paper.line(f"Model {thing.model}", 11, center=True)
    paper.gap(60)
    paper.line("Keep together with the paper of your purchase.", 9, color=GREY, center=True)


def _heading(paper: PaperPages, text: str) -> None:
    paper.line(text, 14, bold=True)
    paper.rule(0.8, INK)
    paper.gap(4)


def _registration(paper: PaperPages, brief: FileBrief) -> None:
    _heading(paper, "Your product")
    rows: list[tuple[str, str, FileEntry | None]] = [
        ("Product", capital(brief.thing.called), None),
        ("Model", brief.thing.model, None),
        *((one.label, one.value, one) for one in brief.file.entries),
        ("Inspected by", f"No. {brief.digits(2)}", None),
        ("Form", f"WR-{brief.digits(4)}", None),
    ]
    for label, value, entry in rows:
        paper.gap(6)
        paper.line(label, 10, color=GREY)
        paper.at(value, 104, 10.5)
        paper.canvas.setStrokeColor(FAINT)
        paper.canvas.line(paper.margin + 100, paper.y - 4, paper.width - paper.margin, paper.y - 4)
        if entry is not None:
            paper.fact(entry.fact, f"{label} {value}")
    paper.gap(22)
    paper.text(
        "The marks above were set at the factory. They are the same as those on the product itself; a claim without them "
        "cannot be worked on.",
        9,
    )


def _terms(paper: PaperPages, brief: FileBrief) -> None:
    thing = brief.thing
    _heading(paper, "What is covered")
    paper.text(
        f"{thing.brand} repairs or replaces this product free of charge if a defect in material or work shows in normal use at "
        "home. The term starts on the day of the first purchase. Terms depend on product and production run; those in force are "
        "published by the maker."
    )
    paper.gap(12)
    _heading(paper, "What is not covered")
    for text in brief.rng.sample(phrases("excluded"), 5):
        paper.text(f"–  {text}")
    paper.gap(10)
    paper.text(
        "This warranty gives you specific legal rights; you may have others, which vary from state to state.",
        italic=True,
    )


def _claims(paper: PaperPages, brief: FileBrief) -> None:
    _heading(paper, "How to claim")
    for number, text in enumerate(brief.rng.sample(phrases("steps"), 4), 1):
        paper.text(f"{number}.  {text}")
        paper.gap(2)
    paper.gap(10)
    paper.text(
        "A repair or a replacement does not start a new term. Parts that were replaced become ours. What is owed beyond this "
        "booklet is a matter of the law where you live."
    )


def write_manual(brief: FileBrief) -> bytes:
    rng = brief.rng
    paper = PaperPages(brief, LEAFLET, _printed(brief), rng.choice(("Helvetica", "Times-Roman")), margin=32)
    paper.foot = f"{brief.thing.brand} {brief.thing.model}"
    _manual_cover(paper, brief)
    sections = [_safety, _data, _care, _faults]
    rng.shuffle(sections)
    for section in sections:
        paper.turn()
        section(paper, brief)
    return paper.done()


def _manual_cover(paper: PaperPages, brief: FileBrief) -> None:
    thing = brief.thing
    shade = HexColor(brief.rng.choice(("#e4e0d6", "#dce5e6", "#e8dedd", "#e2e6da")))
    paper.canvas.setFillColor(shade)
    paper.canvas.rect(0, paper.height * 0.35, paper.width, paper.height * 0.65, stroke=0, fill=1)
    paper.gap(40)
    paper.line(thing.brand.upper(), 13, bold=True)
    paper.gap(paper.height * 0.2)
    for row in wrapped(capital(thing.called), paper.bold, 22, paper.inner):
        paper.line(row, 22, bold=True)
    paper.line("Instructions for use", 14)
    paper.gap(30)
    paper.line(f"Model {thing.model}", 11, color=GREY)
    paper.y = paper.margin + 40
    paper.line("Keep for later.", 9, color=GREY)


def _safety(paper: PaperPages, brief: FileBrief) -> None:
    _heading(paper, "Before you start")
    for text in _some(brief, _sort(brief).safety, _group(brief).safety, 6):
        paper.text(f"•  {text}")
        paper.gap(3)
    x, y = paper.margin, paper.y - 66
    paper.canvas.setStrokeColor(INK)
    paper.canvas.setLineWidth(1.6)
    path = paper.canvas.beginPath()
    path.moveTo(x, y)
    path.lineTo(x + 52, y)
    path.lineTo(x + 26, y + 45)
    path.close()
    paper.canvas.drawPath(path)
    paper.canvas.setFont(paper.bold, 26)
    paper.canvas.setFillColor(INK)
    paper.canvas.drawCentredString(x + 26, y + 8, "!")
    paper.y = y + 20
    paper.at("Not a toy.", 66, 10, bold=True)


def _data(paper: PaperPages, brief: FileBrief) -> None:
    """Data and parts in one table: the fact is a row of it."""
    _heading(paper, "Data")
    head = brief.thing.model[:2]
    pieces = [
        piece
        for piece in kind_of(brief.thing.noun).parts
        if not any(piece in one.attribute for one in brief.file.entries)
    ]
    taken = {one.value for one in brief.file.entries}
    shown = brief.rng.sample(pieces, min(5, len(pieces)))
    numbers = [f"{head}-{one}" for one in brief.rng.sample(range(110, 199), len(shown))]
    rows = [
        (capital(piece), number) for piece, number in zip(shown, numbers, strict=True) if number not in taken
    ]
    own = [(one.label.replace(" (broken)", ""), one.value) for one in brief.file.entries]
    rows.extend(own)
    rows.append(("Material", brief.rng.choice(("see marking", "mixed", "coated"))))
    rows.append(("Made for", _group(brief).made_for))
    brief.rng.shuffle(rows)
    paper.table([("What", "Data"), *rows], (paper.inner * 0.6, paper.inner * 0.4), 10)
    for (label, value), entry in zip(own, brief.file.entries, strict=True):
        paper.fact(entry.fact, f"{label} {value}")
    if any("(broken)" in one.label for one in brief.file.entries):
        paper.gap(8)
        paper.text("Numbers are molded into the parts. Order by number.", 9, italic=True)


def _care(paper: PaperPages, brief: FileBrief) -> None:
    _heading(paper, "Care")
    for text in _some(brief, _sort(brief).care, _group(brief).care, 4):
        paper.text(text)
        paper.gap(5)


def _faults(paper: PaperPages, brief: FileBrief) -> None:
    _heading(paper, "If something is not right")
    for what, help_ in _pairs(brief, 4):
        paper.line(what, 10, bold=True)
        paper.text(help_)
        paper.gap(4)
