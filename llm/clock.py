"""Time and chance as arguments, so that waiting can be tested without waiting."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Clock:
    """`now` is monotonic. `chance` spreads retries; it never decides what a model is asked or answers."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = field(default_factory=lambda: random.Random().random)
