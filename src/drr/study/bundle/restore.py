"""Restores a study from a bundle into a folder, through the study's own writer. Texts are read from the bundle."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from drr.env.errors import DrrError
from drr.env.json_object import parsed
from drr.study.blobs import Blobs, LostText
from drr.study.bundle.parcel import (
    MARKS,
    MASK,
    KeptText,
    UnitLine,
    UnpackedBundle,
    Why,
    content_of,
    digest_of,
    is_beside,
    unit_of,
)
from drr.study.config import QUERIES, StudyConfig, check_config
from drr.study.form import naming_errors
from drr.study.ledger import FILE
from drr.study.study import Study
from drr.study.unit import KINDS, FinishedUnit

_BATCH = 500


class BundleTexts(Blobs):
    """Texts of an unpacked bundle. A withheld text reads as JSON `null`, or raises `LostText` where `strict` is set."""

    def __init__(self, parcel: UnpackedBundle) -> None:
        super().__init__(parcel.folder / "texts")
        self._parcel = parcel
        self._lines: dict[str, int] = {}
        self.withheld: dict[str, Why] = {}
        self.strict = False
        at, path = 0, parcel.folder / "texts.jsonl"
        with path.open("rb") as raw:
            for line, content in zip(parcel.rows(path.name, KeptText), raw, strict=True):
                digest = digest_of(line)
                if digest in self._lines:
                    raise DrrError(f"texts.jsonl of the bundle: the text {digest[:12]} stands there twice")
                self._lines[digest] = at
                if "why" in line:
                    self.withheld[digest] = line["why"]
                at += len(content)
        self._file = path.open("rb")

    def close(self) -> None:
        self._file.close()

    def has(self, digest: str) -> bool:
        return digest in self._lines

    def get(self, digest: str) -> bytes:
        """Return a text by its hash, which was computed from the text when the bundle was opened."""
        self._parcel.check_time()
        if digest not in self._lines:
            raise LostText(f"the bundle has no text {digest[:12]}")
        if digest in self.withheld and self.strict:
            raise LostText(f"the bundle has of the text {digest[:12]} only its hash")
        self._file.seek(self._lines[digest])
        line = parsed(self._file.readline())
        return b"null" if "why" in line and MASK not in line.get("text", "") else content_of(line)

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)


@contextmanager
def restore_study(
    parcel: UnpackedBundle, folder: Path | None = None, config: StudyConfig | None = None
) -> Iterator[Study]:
    """Restore the study of an unpacked bundle. The folder and configuration are those of the bundle unless others are given."""
    folder, document, where = folder or parcel.folder / "study", parcel.study(), "study.json of the bundle"
    check_config(document["config"], Path("study.json"))
    with closing(BundleTexts(parcel)) as kept:
        with naming_errors(where):
            study = Study.create(folder, config or document["config"])
        with study:
            study.blobs = kept
            _write_units(study, parcel)
            with naming_errors(where):
                for name, value in document["facts"].items():
                    if not name.startswith(FILE):
                        study.ledger.set_meta(name, value)
            _write_beside(parcel, study)
            yield study


def plain_config(parcel: UnpackedBundle) -> StudyConfig:
    """Return the bundle's configuration without addresses and paths."""
    settings = parcel.study()["config"].get("settings", {})
    return {"schema": 1, "run": {}, "settings": {"shop_url": settings.get("shop_url")}}


def _write_units(study: Study, parcel: UnpackedBundle) -> None:
    left, aside, seen = parcel.rows("units.jsonl", UnitLine), set[str](), set[str]()
    while batch := [(unit_of(line), line) for line in islice(left, _BATCH)]:
        with naming_errors("units.jsonl of the bundle"):
            fresh = {unit.key for unit, _ in batch} - seen
            if len(fresh) < len(batch):
                raise ValueError("a unit stands there twice")
            seen |= fresh
            study.ledger.units.register([unit for unit, _ in batch])
            aside |= {unit.key for unit, line in batch if not line["current"]}
            ended: dict[str, dict[str, Any]] = {
                unit.key: {**line["record"]} for unit, line in batch if line["record"] is not None
            }
            blobs = {key: fields.pop("blobs") for key, fields in ended.items()}
            study.ledger.records.commit(
                [FinishedUnit(key=key, texts={}, **fields) for key, fields in ended.items()], blobs
            )
    units = [known.unit for known in study.ledger.units.known()]
    for kind in KINDS if aside else ():
        study.retire(kind, [unit for unit in units if unit.kind == kind and unit.key not in aside])


def _write_beside(parcel: UnpackedBundle, study: Study) -> None:
    folder = study.folder
    if questions := (parcel.folder / QUERIES).read_bytes():
        with naming_errors(f"{QUERIES} of the bundle"):
            study.write(QUERIES, questions.decode())
    (folder / MARKS).mkdir(exist_ok=True)
    for line in parcel.rows("beside.jsonl", dict[str, str]):
        with naming_errors("beside.jsonl of the bundle"):
            if not is_beside(line["name"]):
                raise ValueError(f"no file of a study: {line['name'][:80]!r}")
            (folder / line["name"]).write_text(line["text"], encoding="utf-8", newline="\n")
