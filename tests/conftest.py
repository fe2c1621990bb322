"""What holds for every test: Ctrl-C means what it means at a terminal, and no property fails for a busy machine's slowness."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile

import pytest
from hypothesis import HealthCheck, settings

# What tests vouch for is not remembered for the person who runs them, and what that person vouched for decides no test.
_CONFIG = tempfile.mkdtemp(prefix="drr-tests-config-")
os.environ["XDG_CONFIG_HOME"] = _CONFIG

signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Each worker of a session takes away what it made."""
    shutil.rmtree(_CONFIG, ignore_errors=True)
