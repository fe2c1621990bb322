"""A small shop with a web, commands as a user types them, and a memory of its own for each test."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.env.settings import Settings

from tests.agents.garden import ANNA, DOCUMENTS, write_shop

Drr = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="session")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("box")
    write_shop(str(folder / "shop"), Settings())
    (folder / "sandbox").mkdir()
    lines = "\n".join(document.model_dump_json() for document in DOCUMENTS)
    (folder / "sandbox" / "documents.jsonl").write_text(lines + "\n")
    query = {"id": "q-house", "query": "Which bird house?", "user_id": ANNA}
    (folder / "queries.jsonl").write_text(json.dumps(query) + "\n")
    return folder


@pytest.fixture
def drr(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drr:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "DRR_MODEL", "DRR_BASE_URL"):
        monkeypatch.delenv(name, raising=False)

    def call(*words: object) -> tuple[int, str, str]:
        code = main([str(word) for word in words])
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def new(box: Path) -> Callable[..., list[str]]:
    """The words of a new study."""

    def words(variants: str = "react") -> list[str]:
        shop, queries, sandbox = box / "shop", box / "queries.jsonl", box / "sandbox"
        given = {"--shop": shop, "--queries": queries, "--sandbox": sandbox, "--variants": variants}
        return ["study", *(str(word) for pair in given.items() for word in pair)]

    return words
