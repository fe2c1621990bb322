"""Small trees that add up, fitted to labels one after the other, each trait kept on its side: the weights of `rules-1`'s verdicts of support.

What a tree adds may only grow with a trait that speaks for a claim, and only shrink with one that speaks against it: at each question the answers keep
this order, and what is asked behind an answer stays between the middle of the two and the bounds of before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from drr.eval.evidence.weighed import DEPTH, TraitTree
from drr.eval.stats.intervals import Floats
from numpy.typing import NDArray

BINS = 48
"""Steps of a trait at which may be asked."""
Places = NDArray[np.int64]


class Boosting(NamedTuple):
    trees: int = 120
    rate: float = 0.06
    ridge: float = 5.0
    leaf: float = 20.0
    """Pairs at least, by their weight, behind each answer."""


class Grown(NamedTuple):
    """Trees over numbered traits."""

    start: float
    asked: NDArray[np.int64]
    """Per tree and question the trait, or -1."""
    above: Floats
    adds: Floats

    def expected(self, traits: Floats) -> Floats:
        found = np.full(len(traits), self.start)
        rows = np.arange(len(traits))
        for asked, above, adds in zip(self.asked, self.above, self.adds, strict=True):
            at = np.zeros(len(traits), dtype=np.int64)
            for _ in range(DEPTH):
                name = asked[at]
                higher = (name >= 0) & (traits[rows, np.maximum(name, 0)] > above[at])
                at = 2 * at + 1 + higher
            found += adds[at - len(asked)]
        return found

    def told(self, names: Sequence[str]) -> list[TraitTree]:
        return [
            TraitTree(
                traits=tuple("" if i < 0 else names[i] for i in asked),
                above=tuple(round(float(one), 4) for one in above),
                adds=tuple(round(float(one), 5) for one in adds),
            )
            for asked, above, adds in zip(self.asked, self.above, self.adds, strict=True)
        ]


def steps(traits: Floats) -> list[Floats]:
    """Of each trait the numbers at which may be asked, rounded as they are written."""
    shares = np.linspace(0, 1, BINS + 1)[1:-1]
    found = []
    for column in traits.T:
        kinds = np.unique(column)
        between = (kinds[:-1] + kinds[1:]) / 2
        if len(between) > BINS:
            between = np.quantile(column, shares)
        found.append(np.unique(between.round(4)))
    return found


def grow(
    traits: Floats, labels: Floats, weight: Floats, sides: NDArray[np.int64], how: Boosting | None = None
) -> Grown:
    """`sides`: 1 for a trait that may only speak for a claim, -1 against it, 0 either."""
    how = how or Boosting()
    at = steps(traits)
    binned = np.stack(
        [np.searchsorted(one, column) for one, column in zip(at, traits.T, strict=True)], axis=1
    )
    codes = binned + np.arange(traits.shape[1]) * BINS * 2
    start = float((weight * labels).sum() / weight.sum())
    now = np.full(len(labels), start)
    grown = []
    for _ in range(how.trees):
        asked, places, adds, leaves = _tree(binned, codes, labels - now, weight, sides, how)
        now += adds[leaves]
        above = [at[one][step] if one >= 0 else 0.0 for one, step in zip(asked, places, strict=True)]
        grown.append((asked, above, adds))
    return Grown(
        start,
        np.array([one[0] for one in grown]),
        np.array([one[1] for one in grown]),
        np.array([one[2] for one in grown]),
    )


def _tree(
    binned: Places, codes: Places, rest: Floats, weight: Floats, sides: NDArray[np.int64], how: Boosting
) -> tuple[list[int], list[int], Floats, Places]:
    inner, size = 2**DEPTH - 1, binned.shape[1]
    asked, places = [-1] * inner, [0] * inner
    bounds = {0: (-np.inf, np.inf)}
    held = {0: np.arange(len(rest))}
    adds = np.zeros(inner + 1)
    leaves = np.zeros(len(rest), dtype=np.int64)
    for node in range(inner):
        rows, (low, high) = held.pop(node), bounds[node]
        best = _question(codes[rows], rest[rows], weight[rows], sides, (low, high), size, how)
        left, right = 2 * node + 1, 2 * node + 2
        bounds[left] = bounds[right] = (low, high)
        if best is None:
            held[left], held[right] = rows, rows[:0]
            continue
        trait, step, below, behind = best
        asked[node], places[node] = trait, step
        higher = binned[rows, trait] > step
        held[left], held[right] = rows[~higher], rows[higher]
        middle = (below + behind) / 2
        if sides[trait] > 0:
            bounds[left], bounds[right] = (low, middle), (middle, high)
        elif sides[trait] < 0:
            bounds[left], bounds[right] = (middle, high), (low, middle)
    for node, rows in held.items():
        leaf, (low, high) = node - inner, bounds[node]
        value = (weight[rows] * rest[rows]).sum() / (weight[rows].sum() + how.ridge)
        adds[leaf] = how.rate * float(np.clip(value, low, high)) if len(rows) else 0.0
        leaves[rows] = leaf
    return asked, places, adds, leaves


def _question(
    codes: Places,
    rest: Floats,
    weight: Floats,
    sides: NDArray[np.int64],
    bounds: tuple[float, float],
    size: int,
    how: Boosting,
) -> tuple[int, int, float, float] | None:
    """The trait and the step that part best what is left, with what is behind each answer."""
    if len(rest) == 0:
        return None
    flat, width = codes.ravel(), BINS * 2
    told = np.bincount(flat, np.repeat(weight * rest, size), size * width).reshape(size, width).cumsum(1)
    mass = np.bincount(flat, np.repeat(weight, size), size * width).reshape(size, width).cumsum(1)
    whole, every = told[:, -1:], mass[:, -1:]
    below = np.clip(told / (mass + how.ridge), *bounds)
    behind = np.clip((whole - told) / (every - mass + how.ridge), *bounds)
    apart = np.sign(behind - below)
    fits = (mass >= how.leaf) & (every - mass >= how.leaf) & (apart * sides[:, None] >= 0)
    gain = _saved(told, mass, below, how) + _saved(whole - told, every - mass, behind, how)
    single = np.clip(whole / (every + how.ridge), *bounds)
    gain = np.where(fits, gain - _saved(whole, every, single, how), 0.0)
    trait, step = np.unravel_index(int(gain.argmax()), gain.shape)
    if gain[trait, step] <= 1e-9:
        return None
    return int(trait), int(step), float(below[trait, step]), float(behind[trait, step])


def _saved(told: Floats, mass: Floats, value: Floats, how: Boosting) -> Floats:
    found: Floats = 2 * told * value - (mass + how.ridge) * value**2
    return found
