"""What holds for every test: Ctrl-C means what it means at a terminal, and no property fails for a busy machine's slowness."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
