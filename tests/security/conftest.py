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
def drr(drr: Drr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drr:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "DRR_MODEL", "DRR_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return drr


@pytest.fixture
def new(box: Path) -> Callable[..., list[str]]:
    """The words of a new study."""

    def words(variants: str = "react") -> list[str]:
        shop, queries, sandbox = box / "shop", box / "queries.jsonl", box / "sandbox"
        given = {"--shop": shop, "--queries": queries, "--sandbox": sandbox, "--variants": variants}
        return ["study", *(str(word) for pair in given.items() for word in pair)]

    return words
