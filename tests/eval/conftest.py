from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.study.study import Study

from tests.commands import Drr
from tests.tools.small_shop import write_shop


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    settings = Settings(shop_url="http://ecommerce.example")
    spec = str(tmp_path_factory.mktemp("eval") / "shop")
    write_shop(spec, settings)
    with open_shop(spec, settings) as opened:
        yield opened


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "study", {"schema": 1, "run": {}}) as made:
        yield made


@pytest.fixture
def printed(drr: Drr, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """A command with `--json`, which ends as it is expected to: its document, or what it said where it printed none."""

    def call(*words: object, code: int = 0) -> Any:
        capsys.readouterr()
        ended, out, err = drr(*words, "--json")
        assert ended == code, err
        return json.loads(out) if out else err

    return call


@pytest.fixture
def refused(drr: Drr) -> Callable[..., str]:
    """A command that is misuse: the one line that says so."""

    def call(*words: object) -> str:
        code, out, err = drr(*words)
        assert code == 2 and not out and err.startswith("drr: ") and err.count("\n") == 1 and len(err) < 700
        return err

    return call
