"""What holds for every test: Ctrl-C means what it means at a terminal, and no property fails for a busy machine's slowness."""

from __future__ import annotations

import os
import signal
import tempfile

from hypothesis import HealthCheck, settings

# What tests vouch for is not remembered for the person who runs them, and what that person vouched for decides no test.
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="drr-tests-config-")

signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
