"""The products of the sample shop: which there are, how popular, how much liked."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from drr.data_ingest.sample_vocabulary import Vocabulary
from numpy.typing import NDArray

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
BASE_SHARE = 0.22
"""Of all purchases: not out of an interest but out of what everybody needs."""
VARIANTS = 4
_SINCE_SHARE = 0.53
"""Of all reviews: dated 2019 or later, which is what the ingest counts."""


@dataclass(frozen=True)
class Products:
    """The products as columns, those of one type side by side."""

    type_of: NDArray[np.int32]
    first: NDArray[np.int64]
    """Where each type's products begin; one more than there are types."""
    cumulative: NDArray[np.float64]
    """Running sum of how popular each is."""
    appeal: NDArray[np.float64]
    """How much better than another it is liked."""
    asins: list[str]
    """The parent's, then `VARIANTS - 1` others, for each product in turn."""
    category_of: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.type_of)

    def parent(self, product: int) -> str:
        return self.asins[product * VARIANTS]


def type_demand(vocabulary: Vocabulary) -> NDArray[np.float64]:
    """Each type's share of all purchases."""
    types = vocabulary.types
    weight = {interest.name: interest.weight for interest in vocabulary.interests}
    total = sum(weight.values())
    demand = np.full(len(types), BASE_SHARE / len(types))
    members: dict[str, list[int]] = {name: [] for name in weight}
    for position, kind in enumerate(types):
        for interest in kind.interests:
            members[interest].append(position)
    for name, positions in members.items():
        for position in positions:
            demand[position] += (1 - BASE_SHARE) * weight[name] / total / len(positions)
    return np.asarray(demand / demand.sum(), np.float64)


def make_products(vocabulary: Vocabulary, count: int, reviews: int, seed: int) -> Products:
    rng = np.random.default_rng([seed, 1])
    types = vocabulary.types
    share = type_demand(vocabulary)
    if count >= len(types):
        per_type = 1 + _apportion(share, count - len(types))
    else:
        per_type = np.zeros(len(types), np.int64)
        per_type[np.argsort(-share, kind="stable")[:count]] = 1
    first = np.concatenate([[0], np.cumsum(per_type)])
    type_of = np.repeat(np.arange(len(types), dtype=np.int32), per_type)
    spread = popularity_spread(_SINCE_SHARE * reviews / count)
    weights = np.exp(spread * rng.standard_normal(count))
    for position in range(len(types)):
        part = slice(first[position], first[position + 1])
        if per_type[position]:
            weights[part] *= share[position] / weights[part].sum()
    category_names = [words.category for words in vocabulary.categories]
    category_of_type = np.array([category_names.index(kind.category) for kind in types], np.int32)
    return Products(
        type_of=type_of,
        first=first,
        cumulative=np.cumsum(weights),
        appeal=0.5 * rng.standard_normal(count),
        asins=_asins(count * VARIANTS, seed),
        category_of=category_of_type[type_of],
    )


def popularity_spread(mean: float) -> float:
    """The widest log-normal spread that still leaves about three of four products five reviews of this mean number."""
    best = 0.2
    for step in range(4, 33):
        spread = step / 20
        z = (math.log(max(mean, 0.1) / 4.5) - spread * spread / 2) / math.hypot(spread, 0.35)
        if 0.5 * (1 + math.erf(z / math.sqrt(2))) >= 0.76:
            best = spread
    return best


def _apportion(share: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    exact = share * total
    counts = np.floor(exact).astype(np.int64)
    rest = total - int(counts.sum())
    counts[np.argsort(counts - exact, kind="stable")[:rest]] += 1
    return counts


def _asins(count: int, seed: int) -> list[str]:
    """`B0` and eight more, all different."""
    rng = np.random.default_rng([seed, 2])
    space = 36**8
    taken = np.unique(rng.integers(0, space, size=count + 64 + count // 100))
    while len(taken) < count:
        taken = np.unique(np.concatenate([taken, rng.integers(0, space, size=count)]))
    numbers = rng.permutation(taken)[:count]
    letters = np.frombuffer(ALPHABET.encode(), np.uint8)
    text = np.empty((count, 10), np.uint8)
    text[:, 0], text[:, 1] = ord("B"), ord("0")
    for place in range(8):
        numbers, digit = np.divmod(numbers, 36)
        text[:, 2 + place] = letters[digit]
    return [str(value) for value in text.view("S10").ravel().astype("U10")]


@dataclass(frozen=True)
class Heard:
    """The sums of the reviews, by product."""

    count: NDArray[np.int64]
    stars: NDArray[np.float64]
