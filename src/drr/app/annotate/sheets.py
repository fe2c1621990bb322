"""Gives the lines of a label sheet random names; only the study's folder knows which answers they stand for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from secrets import token_hex

from drr.env.errors import DrrError, Misuse
from drr.env.files import check_unlinked, read_file, write_file
from drr.env.small_files import DOCUMENT
from drr.eval.agreement.samples import SheetLine
from drr.eval.labels import GRADES, Label, read_labels

FILE = "sheets.json"


def under_random_names(folder: Path, lines: Sequence[SheetLine]) -> list[SheetLine]:
    """Return the lines under random names, one per drawn item. The file that maps names to items is written first."""
    known = _read_known_ids(folder)
    names = {of: f"s-{token_hex(8)}" for of in dict.fromkeys(line["id"] for line in lines)}
    folder.mkdir(parents=True, exist_ok=True)
    owned = known | {name: of for of, name in names.items()}
    write_file(folder / FILE, json.dumps(owned, indent=1, ensure_ascii=False) + "\n", 0o600)
    return [{**line, "id": names[line["id"]]} for line in lines]


def labels_of(folder: Path, files: Iterable[Path]) -> list[Label]:
    """Return all labels of the files; labels of this study's sheets get the ids of the labelled items back.

    Grades must have the scale of judges' grades, as both are compared.
    """
    known, found = _read_known_ids(folder), list[Label]()
    for file in files:
        labels = read_labels(file, GRADES)
        if not labels:
            raise Misuse(f"{file}: holds no label; what was drawn and waits for its label (`null`) is none")
        found += [one.model_copy(update={"id": known.get(one.id, one.id)}) for one in labels]
    return found


def _read_known_ids(folder: Path) -> dict[str, str]:
    path = folder / FILE
    if not path.exists():
        return {}
    check_unlinked(folder, FILE)
    try:
        document = json.loads(read_file(path, DOCUMENT))
    except (OSError, ValueError, RecursionError) as error:
        raise DrrError(f"{path}: cannot be read ({error}); it says whose the lines of sheets are") from error
    if not isinstance(document, dict) or not all(isinstance(of, str) for of in document.values()):
        raise DrrError(f"{path}: not the names of a sheet's lines; restore it, or draw a new sheet")
    return document
