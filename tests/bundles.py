"""Bundles that somebody has been at: unpacked, edited, and packed again with hashes that fit."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from drr.study.bundle.archive import MANIFEST, ROOT, SIGNATURES, pack_archive, unpack_archive
from drr.study.bundle.parcel import UnpackedBundle, content_of
from drr.study.unit import canonical_json

Rows = list[Any]


def rows(folder: Path, name: str) -> Rows:
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


def write(folder: Path, name: str, lines: Rows) -> None:
    (folder / name).write_text("".join(canonical_json(line) + "\n" for line in lines), encoding="utf-8")


def forged(bundle: Path, out: Path, edit: Callable[[Path], None]) -> Path:
    """A bundle edited by one who knows its form: manifest, counts and root fit what it holds."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        unpack_archive(bundle, folder)
        edit(folder)
        rehash(folder)
        pack_archive(folder, out)
    return out


def rehash(folder: Path) -> None:
    (manifest,) = rows(folder, MANIFEST)
    write(folder, MANIFEST, [{**manifest, **UnpackedBundle(folder).facts()}])
    (folder / ROOT).write_text(f"{UnpackedBundle(folder).root}\n")
    (folder / SIGNATURES).write_text("")


def edit_rows(name: str, change: Callable[[Rows], Rows | None]) -> Callable[[Path], None]:
    """An edit of one file's rows, in place or given back."""

    def edit(folder: Path) -> None:
        lines = rows(folder, name)
        write(folder, name, change(lines) or lines)

    return edit


def is_answer(line: Any) -> bool:
    return bool(line["kind"] == "answer" and line["record"])


def retext(folder: Path, record: Any, name: str, change: Callable[[str], str]) -> None:
    """Put another text in the place of one of a record's."""
    lines = rows(folder, "texts.jsonl")
    digest = record["blobs"][name]
    (text,) = (one["text"] for one in lines if sha256(content_of(one)).hexdigest() == digest)
    fresh = change(text)
    assert fresh != text
    write(folder, "texts.jsonl", [*lines, {"text": fresh}])
    record["blobs"][name] = sha256(fresh.encode()).hexdigest()
    if name.startswith("text:"):
        digest = record["blobs"].pop(name)
        record["blobs"][f"text:{digest}"] = digest
