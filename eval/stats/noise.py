"""How far one figure sways when the same thing is done again: what a difference must exceed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np


def pooled_sd(repeated: Iterable[Sequence[float | None]]) -> tuple[float | None, int]:
    """Standard deviation (n - 1) between repetitions, pooled over the things that have two known ones or more; and how many these are."""
    known = [[x for x in values if x is not None] for values in repeated]
    variances = [np.var(values, ddof=1) for values in known if len(values) > 1]
    return (float(np.sqrt(np.mean(variances))) if variances else None), len(variances)
