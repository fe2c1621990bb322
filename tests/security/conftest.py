"""A small shop with a web, commands as a user types them, and a memory of its own for each test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agents.garden import ANNA, write_box
from tests.commands import Drr


@pytest.fixture(scope="session")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_box(
        tmp_path_factory.mktemp("box"), {"id": "q-house", "query": "Which bird house?", "user_id": ANNA}
    )


@pytest.fixture
def drr(drr: Drr, at_home: Path, monkeypatch: pytest.MonkeyPatch) -> Drr:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(at_home / "config"))
    return drr


@pytest.fixture
def new(box: Path) -> Callable[..., list[str]]:
    """The words of a new study."""

    def words(variants: str = "react") -> list[str]:
        shop, queries, sandbox = box / "shop", box / "queries.jsonl", box / "sandbox"
        given = {"--shop": shop, "--queries": queries, "--sandbox": sandbox, "--variants": variants}
        return ["study", *(str(word) for pair in given.items() for word in pair)]

    return words
