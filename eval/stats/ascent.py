"""A step up a concave function, for many fits at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from drr.eval.stats.intervals import Floats
from numpy.typing import NDArray


def climbed(
    at: Floats,
    step: NDArray[np.floating[Any]],
    value: Floats,
    objective: Callable[[Floats], tuple[Floats, Floats]],
) -> tuple[Floats, Floats, Floats]:
    """Every row a step up, halved while it would lead down: the new place, and what `objective` says of it."""
    scale = np.ones((len(at), 1))
    for _ in range(40):
        place = at + scale * step
        reached, beside = objective(place)
        worse = reached < value - 1e-12 * (1 + np.abs(value))
        if not worse.any():
            break
        scale[worse] /= 2
    return place, reached, beside
