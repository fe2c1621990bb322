"""Documents as they once were, number by number in `tests/data/kept` (`DRR_TESTS_KEEP=1` keeps what is found now), and what 0.3.0 wrote."""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "data" / "kept"


def unpack_kept(name: str, folder: Path) -> None:
    """Unpack studies and bundles of what was given up since, as version 0.3.0 wrote them."""
    with tarfile.open(FOLDER.parent / "v0.3.0" / f"{name}.tar.xz") as packed:
        packed.extractall(folder, filter="data")


def is_as_kept(name: str, document: Any) -> None:
    """Compare every number and every unknown of a document, ends of intervals aside."""
    found, path = dict(_numbers(document)), FOLDER / f"{name}.json"
    if os.environ.get("DRR_TESTS_KEEP"):
        path.write_text(json.dumps(found, sort_keys=True).replace(', "', ',\n"') + "\n", encoding="utf-8")
    assert found == pytest.approx(json.loads(path.read_text("utf-8")), abs=1e-9)


def _numbers(document: Any, place: str = "") -> Iterator[tuple[str, float | None]]:
    if isinstance(document, dict):
        for name, inner in document.items():
            if not str(name).startswith("ci_"):
                yield from _numbers(inner, f"{place}/{name}")
    elif isinstance(document, list | tuple):
        for number, inner in enumerate(document):
            yield from _numbers(inner, f"{place}/{number}")
    elif document is None or isinstance(document, int | float):
        yield place, document
