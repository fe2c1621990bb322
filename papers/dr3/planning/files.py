"""The files of a drawer, and which fact each of them has. Every file has one, so that the answer needs them all."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Literal

from drr.papers.dr3.case import FileEntry, FileForm, NamedThing, PlannedFile
from drr.papers.dr3.planning.kinds import kind_of, words
from drr.papers.dr3.planning.scene import PICTURE, TABLE, FileSlot, written

COUNTS = {1: 36, 2: 44, 3: 13, 4: 4, 5: 2, 6: 1}
"""Drawers in a hundred by number of files, where the facts allow it: two files on average."""
_SELDOM: tuple[FileForm, ...] = ("mail", "notes")
"""Can carry nearly every fact, and would be in every drawer."""
_SCARCE: tuple[FileForm, ...] = ("warranty", "till_slip", "receipt")
"""Fit few cases, so that they are taken where they fit."""
_OFTEN: tuple[FileForm, ...] = ("label", "comparison", "saved_page", "sketch")
_MIXED = 0.93
"""Share of drawers with several files that need more than one modality."""
_PRINTED: tuple[FileForm, ...] = ("receipt", "invoice", "till_slip")
_OF_ONE: tuple[FileForm, ...] = ("saved_page", "photo", "label", "manual")
_TRIES = 60


def modality(form: FileForm) -> Literal["text", "table", "picture"]:
    return "picture" if form in PICTURE else "table" if form in TABLE else "text"


def modality_of(name: str) -> Literal["text", "table", "picture"]:
    """Return the modality by the ending of a file's name."""
    ending = name.rpartition(".")[2].lower()
    if ending in ("png", "jpg", "jpeg", "gif", "webp", "bmp"):
        return "picture"
    return "table" if ending in ("csv", "tsv", "xlsx", "xls") else "text"


def file_count(rng: Random) -> int:
    return rng.choices(list(COUNTS), list(COUNTS.values()))[0]


def carried(slots: Sequence[FileSlot], count: int, rng: Random) -> list[FileForm] | None:
    """A carrier for each fact, so many different ones in all where that can be, and mostly of several modalities."""
    mixed = count > 1 and rng.random() < _MIXED
    best: list[FileForm] | None = None
    best_miss = 99
    for _ in range(_TRIES):
        drawn = [rng.choices(slot.carriers, [_weight(form) for form in slot.carriers])[0] for slot in slots]
        forms = set(drawn)
        miss = 2 * abs(len(forms) - count) + 3 * (mixed and len({modality(form) for form in forms}) < 2)
        if miss < best_miss and _agree(slots, drawn):
            best, best_miss = drawn, miss
        if not best_miss:
            break
    return best


def _agree(slots: Sequence[FileSlot], forms: Sequence[FileForm]) -> bool:
    """Tell whether the forms agree as papers of one purchase do. A shop prints day and price at the sale, so
    no other file may be the one that gives them, and there is one such paper; an order history has its days,
    and what shows one thing says nothing of another."""
    where = {slot.attribute: form for slot, form in zip(slots, forms, strict=True)}
    for of_one in _OF_ONE:
        if len({slot.subject for slot, form in zip(slots, forms, strict=True) if form == of_one}) > 1:
            return False
    printed = {form for form in forms if form in _PRINTED}
    if len(printed) > 1:
        return False
    if printed and any(where.get(name, *printed) not in printed for name in ("purchase date", "price paid")):
        return False
    return "order_history" not in forms or where.get("purchase date", "order_history") == "order_history"


def _weight(form: FileForm) -> int:
    return 1 if form in _SELDOM else 20 if form in _SCARCE else 5 if form in _OFTEN else 3


def planned_files(
    forms: Sequence[FileForm],
    slots: Sequence[tuple[str, FileSlot]],
    things: Sequence[NamedThing],
    seller: str,
    rng: Random,
) -> tuple[PlannedFile, ...]:
    """Plan the files for `things`: what is owned, and the candidate where there is one. A paper that comes with one is called by it."""
    files: list[PlannedFile] = []
    for form in dict.fromkeys(forms):
        entries = [
            _entry(fact, slot, form) for (fact, slot), own in zip(slots, forms, strict=True) if own == form
        ]
        taken = {file.name for file in files}
        about = {slot.subject for (_, slot), own in zip(slots, forms, strict=True) if own == form}
        thing = next((one for one in things if one.name in about), things[0])
        free = [name for name in _named(form, thing, seller, rng) if name not in taken]
        files.append(PlannedFile(name=rng.choice(free), form=form, entries=tuple(entries)))
    return tuple(files)


def _entry(fact: str, slot: FileSlot, form: FileForm) -> FileEntry:
    value = written(slot.value, form)
    return FileEntry(
        fact=fact,
        attribute=slot.attribute,
        label=slot.label,
        value=value,
        sentence=slot.sentence.format(value=value),
    )


def _named(form: FileForm, thing: NamedThing, seller: str, rng: Random) -> list[str]:
    number = rng.randrange(1004, 9880)
    known = {
        "noun": _plain(thing.noun.split()[-1]),
        "brand": _plain(thing.brand.split()[0]),
        "seller": _plain(seller.split()[0]),
        "number": number,
    }
    plain = form == "label" and not kind_of(thing.noun).plate
    return [
        name.format(**known)
        for name in words(f"names_of_{form}")
        if not (plain and name.startswith("type_plate"))
    ]


def _plain(word: str) -> str:
    return "".join(c for c in word.lower() if c.isascii() and c.isalnum()) or "item"
