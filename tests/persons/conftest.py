"""A small sample shop whose reviews are kept, its persons and their contexts: made once by the commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from drr.app.cli import main


def drr(*words: str | Path) -> int:
    return main([str(word) for word in words])


@pytest.fixture(scope="session")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "raw"
    size = ("--products", "250", "--users", "24", "--reviews", "2400")
    assert drr("sample", folder, *size, "--seed", "3", "--quiet") == 0
    return folder


@pytest.fixture(scope="session")
def sample_shop(raw: Path) -> Path:
    shop = raw.parent / "shop"
    assert drr("ingest", raw, "--shop", shop, "--quiet") == 0
    return shop


@pytest.fixture(scope="session")
def sample_persons(sample_shop: Path) -> Path:
    path = sample_shop.parent / "persons.jsonl"
    assert drr("persons", "build", "--shop", sample_shop, "--out", path, "--users", "20") == 0
    return path


@pytest.fixture(scope="session")
def contexts_folder(sample_shop: Path, sample_persons: Path) -> Path:
    folder = sample_shop.parent / "contexts"
    words = ("--shop", sample_shop, "--tokens", "4k,8k", "--out", folder, "--workers", "1", "--quiet")
    assert drr("context", "build", sample_persons, *words) == 0
    return folder


@pytest.fixture(scope="session")
def kept(raw: Path) -> Path:
    shop = raw.parent / "kept"
    assert drr("ingest", raw, "--shop", shop, "--keep-reviews", "--quiet") == 0
    return shop
