"""How much of a large set is tried by day; all of it is tried at night (`make test-long`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import settings


def examples(count: int, **more: Any) -> settings:
    """Return Hypothesis settings for so many examples at night and a fifth of them by day."""
    return settings(max_examples=max(5, count * settings().max_examples // 100), **more)


def mostly_at_night(values: Iterable[Any], by_day: Callable[[Any], bool]) -> list[Any]:
    """Mark as `long` every parameter but those chosen for the day."""
    return [value if by_day(value) else pytest.param(value, marks=pytest.mark.long) for value in values]
