"""What holds for every test: Ctrl-C means what it means at a terminal, and no property fails for a busy machine's slowness."""

from __future__ import annotations

import gc
import os
import re
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import certifi
import pytest
from hypothesis import HealthCheck, settings

from tests import commands
from tests.once import made_once

if TYPE_CHECKING:
    from drr.study.study import Study

HERE = Path(__file__).parent
# What tests vouch for is not remembered for the person who runs them, and what that person vouched for decides no test.
_CONFIG = tempfile.mkdtemp(prefix="drr-tests-config-")
os.environ["XDG_CONFIG_HOME"] = _CONFIG
OWN = (
    "ANTHROPIC_",
    "OPENAI_",
    "LANGCHAIN_",
    "LANGSMITH_",
    "SERPER_",
    "DRR_MODEL",
    "DRR_BASE_URL",
    "DRR_WEB",
    "DRR_SANDBOX",
    "DRR_SERPER_",
)
for _name in [name for name in os.environ if name.startswith(OWN)]:
    del os.environ[_name]  # keys and models of that person

signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "night", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("day", settings.get_profile("night"), max_examples=20)


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample of seed 7 (`raw`) and its shop (`shop`), made by the commands; nobody writes into it."""
    return made_once("sample", tmp_path_factory, _sample)


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, in which the test stands."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    """An empty study of its own, open."""
    from drr.study.study import Study

    with Study.create(tmp_path / "study", {"schema": 1, "run": {}}) as made:
        yield made


@pytest.fixture
def drr(capsys: pytest.CaptureFixture[str]) -> commands.Drr:
    return commands.Drr(capsys)


def _sample(home: Path) -> None:
    from drr.app.cli import main

    assert main(["data", "sample", str(home / "raw"), "--seed", "7", "--quiet"]) == 0
    assert main(["data", "ingest", str(home / "raw"), "--shop", str(home / "shop"), "--quiet"]) == 0


def pytest_configure(config: pytest.Config) -> None:
    """Before a file is read, for files scale their own numbers by it: `-m hypothesis` asks for all examples."""
    settings.load_profile("night" if "hypothesis" in config.option.markexpr else "day")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file is not read where the lane leaves out all of its tests."""
    return _is_left_out(collection_path, config.option.markexpr) or None


def _is_left_out(path: Path, markexpr: str) -> bool:
    if not path.match("test_*.py") or " or " in markexpr:
        return False
    whole = re.search(r"^pytestmark = \[?pytest\.mark\.(\w+)", path.read_text("utf-8"), re.M)
    return whole is not None and f"not {whole[1]}" in markexpr.split(" and ")


def pytest_collection(session: pytest.Session) -> None:
    """A million objects are made while tests are collected, and nearly all stay: looking for garbage among them is in vain."""
    gc.disable()
    if (
        "PYTEST_XDIST_WORKER" in os.environ
        and session.config.args_source is not pytest.Config.ArgsSource.ARGS
    ):
        _import_in_turn(
            int(os.environ["PYTEST_XDIST_WORKER"][2:]),
            int(os.environ["PYTEST_XDIST_WORKER_COUNT"]),
            session.config.option.markexpr,
        )


def _import_in_turn(own: int, workers: int, markexpr: str) -> None:
    """Every worker reads every file. In a fresh clone each begins elsewhere, and finds the others' bytecode from there on."""
    files = sorted(file for file in HERE.rglob("test_*.py") if not _is_left_out(file, markexpr))
    begin = len(files) * own // workers
    for file in (*files[begin:], *files[:begin]):
        with suppress(
            Exception, pytest.skip.Exception
        ):  # pytest imports it once more, and says what is wrong
            import_module(".".join(("tests", *file.relative_to(HERE).with_suffix("").parts)))


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)  # a sixth of all the time otherwise
    gc.enable()
    if not any(item.get_closest_marker(name) for item in session.items for name in OUTSIDE):
        _trust_one()


OUTSIDE = ("wheel", "ray", "doors", "model")
"""Lanes that install packages from elsewhere."""


def _trust_one() -> None:
    """Every client of a model reads whom it trusts anew, a hundred and forty certificates; where nothing leads to the world outside, one stands for all."""
    first, end, _ = Path(certifi.where()).read_text(encoding="ascii").partition("-----END CERTIFICATE-----\n")
    trusted = Path(_CONFIG) / "trusted.pem"
    trusted.write_text(first + end, encoding="ascii")
    os.environ["SSL_CERT_FILE"] = str(trusted)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Each worker of a session takes away what it made."""
    shutil.rmtree(_CONFIG, ignore_errors=True)
