"""Finds questions that good systems miss and weak ones solve, by the corrected item-rest correlation of test theory (Henrysson 1963)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

import numpy as np

FEWEST_SYSTEMS = 10
"""Fewest systems that can tell an odd question: below it a correlation of chance alone is often strong."""
UNLIKELY = 0.05
_DRAWS = 2_000


class OddItem(TypedDict):
    """A question on which weak systems do better."""

    query_id: str
    correlation: float
    """Correlation, over systems, of the figure on this question with the mean on all others."""
    p: float
    """Share of exchanges of the systems that give as low a correlation, uncorrected."""
    strong: float
    """Mean on this question of the systems above the median of the rest."""
    weak: float
    systems: int


def odd_items(values: Mapping[str, Mapping[str, float]]) -> list[OddItem]:
    """Return the questions whose item-rest correlation is below 0 beyond chance, the lowest first. `values` are by system and question."""
    found = []
    for name in dict.fromkeys(item for own in values.values() for item in own):
        # The rest leaves the question itself out, with which it would else correlate.
        pairs = [
            (own[name], sum(x for item, x in own.items() if item != name) / (len(own) - 1))
            for own in values.values()
            if name in own and len(own) > 1
        ]
        item, rest = (np.array(side) for side in zip(*pairs, strict=True)) if pairs else (np.zeros(0),) * 2
        if len(pairs) < FEWEST_SYSTEMS or not item.std() or not rest.std():
            continue
        correlation = float(np.corrcoef(item, rest)[0, 1])
        chance = np.random.default_rng(0).permuted(np.tile(item - item.mean(), (_DRAWS, 1)), axis=1)
        drawn = chance @ (rest - rest.mean()) / (len(pairs) * item.std() * rest.std())
        p = (1 + int((drawn <= correlation + 1e-12).sum())) / (1 + _DRAWS)
        if correlation < 0 and p < UNLIKELY:
            is_strong = rest > np.median(rest)
            found.append(
                OddItem(
                    query_id=name,
                    correlation=correlation,
                    p=p,
                    strong=float(item[is_strong].mean()),
                    weak=float(item[~is_strong].mean()),
                    systems=len(pairs),
                )
            )
    return sorted(found, key=lambda one: one["correlation"])
