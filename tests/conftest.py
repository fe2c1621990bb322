"""What holds for every test: Ctrl-C means what it means at a terminal, also where a runner started us with it ignored."""

from __future__ import annotations

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
