"""What holds for every test: Ctrl-C means what it means at a terminal, and no property fails for a busy machine's slowness."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.once import made_once

# What tests vouch for is not remembered for the person who runs them, and what that person vouched for decides no test.
_CONFIG = tempfile.mkdtemp(prefix="drr-tests-config-")
os.environ["XDG_CONFIG_HOME"] = _CONFIG

signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample of seed 7 (`raw`) and its shop (`shop`), made by the commands; nobody writes into it."""
    return made_once("sample", tmp_path_factory, _sample)


def _sample(home: Path) -> None:
    from drr.app.cli import main

    assert main(["sample", str(home / "raw"), "--seed", "7", "--quiet"]) == 0
    assert main(["ingest", str(home / "raw"), "--shop", str(home / "shop"), "--quiet"]) == 0


def pytest_collection() -> None:
    """A million objects are made while tests are collected, and nearly all stay: looking for garbage among them is in vain."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Each worker of a session takes away what it made."""
    shutil.rmtree(_CONFIG, ignore_errors=True)
