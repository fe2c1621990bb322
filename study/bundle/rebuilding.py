"""A study made again from a bundle, in a folder for the while, through the study's own writer. Its texts are read from the bundle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, cast

from drr.env.errors import DrrError
from drr.env.json_object import parsed
from drr.study.blobs import Blobs, LostText
from drr.study.bundle.parcel import (
    MARKS,
    Parcel,
    UnitLine,
    Why,
    content_of,
    digest_of,
    is_beside,
    unit_of,
)
from drr.study.config import StudyConfig, check_config
from drr.study.form import reading
from drr.study.ledger import FILE
from drr.study.study import Study
from drr.study.unit import KINDS, Finished

_BATCH = 500


class BundleTexts(Blobs):
    """Texts of an unpacked bundle. One that is withheld is empty JSON to whoever sums, and lost to whoever must read it."""

    def __init__(self, parcel: Parcel) -> None:
        super().__init__(parcel.folder / "texts")
        self._parcel = parcel
        self._lines: dict[str, int] = {}
        self.withheld: dict[str, Why] = {}
        self.strict = False
        at = 0
        with (parcel.folder / "texts.jsonl").open("rb") as raw:
            for line, content in zip(parcel.texts(), raw, strict=True):
                digest = digest_of(line)
                if digest in self._lines:
                    raise DrrError(f"texts.jsonl of the bundle: the text {digest[:12]} stands there twice")
                self._lines[digest] = at
                if "why" in line:
                    self.withheld[digest] = line["why"]
                at += len(content)
        self._file = (parcel.folder / "texts.jsonl").open("rb")

    def close(self) -> None:
        self._file.close()

    def has(self, digest: str) -> bool:
        return digest in self._lines

    def get(self, digest: str) -> bytes:
        """The text. Its name was made of its content when the bundle was opened."""
        self._parcel.check_time()
        if digest not in self._lines:
            raise LostText(f"the bundle has no text {digest[:12]}")
        if digest in self.withheld:
            if self.strict:
                raise LostText(f"the bundle has of the text {digest[:12]} only its hash")
            return b"null"
        self._file.seek(self._lines[digest])
        return content_of(parsed(self._file.readline()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)


def rebuilt(parcel: Parcel, folder: Path, config: StudyConfig | None = None) -> Study:
    """Make the study of an unpacked bundle in a new folder, with another configuration if one is given. Whoever asked closes it."""
    document = parcel.study()
    check_config(document["config"], Path("study.json"))
    kept = BundleTexts(parcel)
    with reading("study.json of the bundle"):
        study = Study.create(folder, config or document["config"])
    study.blobs = kept
    try:
        _write_units(study, parcel.units())
        with reading("study.json of the bundle"):
            for name, value in document["facts"].items():
                if not name.startswith(FILE):
                    study.ledger.set_meta(name, value)
        _write_beside(parcel, folder)
    except BaseException:
        study.close()
        kept.close()
        raise
    return study


def _write_units(study: Study, lines: Iterable[UnitLine]) -> None:
    left, aside, seen = iter(lines), set[str](), set[str]()
    while batch := list(islice(left, _BATCH)):
        with reading("units.jsonl of the bundle"):
            units = [unit_of(line) for line in batch]
            fresh = {unit.key for unit in units} - seen
            if len(fresh) < len(units):
                raise ValueError("a unit stands there twice")
            seen |= fresh
            study.ledger.units.register(units)
            aside |= {unit.key for unit, line in zip(units, batch, strict=True) if not line["current"]}
            ended = {
                unit.key: {**line["record"]}
                for unit, line in zip(units, batch, strict=True)
                if line["record"] is not None
            }
            blobs: dict[str, Any] = {key: fields.pop("blobs") for key, fields in ended.items()}
            finished = [Finished(key=key, texts={}, **cast(Any, fields)) for key, fields in ended.items()]
            study.ledger.records.commit(finished, blobs)
    units = [known.unit for known in study.ledger.units.known()]
    for kind in KINDS if aside else ():
        study.retire(kind, [unit for unit in units if unit.kind == kind and unit.key not in aside])


def _write_beside(parcel: Parcel, folder: Path) -> None:
    if questions := (parcel.folder / "queries.jsonl").read_bytes():
        (folder / "queries.jsonl").write_bytes(questions)
    (folder / MARKS).mkdir(exist_ok=True)
    for line in parcel.rows("beside.jsonl", dict[str, str]):
        with reading("beside.jsonl of the bundle"):
            if not is_beside(line["name"]):
                raise ValueError(f"no file of a study: {line['name'][:80]!r}")
            (folder / line["name"]).write_text(line["text"], encoding="utf-8", newline="\n")
