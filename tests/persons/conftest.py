"""A small sample shop whose reviews are kept, its persons and their contexts: made once by the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import drr
from tests.once import made_once


@pytest.fixture(scope="session")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once("persons", tmp_path_factory, _make) / "raw"


def _make(home: Path) -> None:
    raw, shop, persons = home / "raw", home / "shop", home / "persons.jsonl"
    size = ("--products", "250", "--users", "24", "--reviews", "2400")
    assert drr("data", "sample", raw, *size, "--seed", "3", "--quiet") == 0
    assert drr("data", "ingest", raw, "--shop", shop, "--quiet") == 0
    assert drr("data", "ingest", raw, "--shop", home / "kept", "--keep-reviews", "--quiet") == 0
    assert drr("papers", "persons", "build", "--shop", shop, "--out", persons, "--users", "20") == 0
    words = ("--tokens", "4k,8k", "--out", home / "contexts", "--workers", "1", "--quiet")
    assert drr("papers", "context", "build", persons, "--shop", shop, *words) == 0


@pytest.fixture(scope="session")
def sample_shop(raw: Path) -> Path:
    return raw.parent / "shop"


@pytest.fixture(scope="session")
def sample_persons(raw: Path) -> Path:
    return raw.parent / "persons.jsonl"


@pytest.fixture(scope="session")
def contexts_folder(raw: Path) -> Path:
    return raw.parent / "contexts"


@pytest.fixture(scope="session")
def kept(raw: Path) -> Path:
    return raw.parent / "kept"
