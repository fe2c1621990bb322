"""The traits of a claim beside its evidence, weighed: how likely people call it supported, in part, or not at all.

The weights are fitted (`python -m benchmarks.support_fit`) and stand in `weights.toml` with the data behind them: small trees of questions about traits,
whose answers are added up to the label that is to be expected. The fit keeps each trait on its side, whatever its data would have, so that what is
found never lowers a label, and what is missing never raises one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from math import exp
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, model_validator

Label = Literal["full", "partial", "none"]
LABELS: tuple[Label, ...] = ("none", "partial", "full")
WEIGHTS = Path(__file__).with_name("weights.toml")
SURE = 0.6
"""A label of which less than this is likely is an unsure one."""
DEPTH = 3
"""Questions that a tree asks of a claim."""


class FittedSet(BaseModel):
    """What the weights were fitted to: a file of pairs, and how much each of its pairs counts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    set: str
    sha256: str
    pairs: int
    weight: float


class TraitTree(BaseModel):
    """Questions, the first and then by pairs those behind its answers: is a trait above this? An empty name asks nothing and goes on to the lower side. What is behind the last answers, the lower side first, is added."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    traits: tuple[str, ...]
    above: tuple[float, ...]
    adds: tuple[float, ...]

    @model_validator(mode="after")
    def _is_whole(self) -> TraitTree:
        size = 2**DEPTH
        if (len(self.traits), len(self.above), len(self.adds)) != (size - 1, size - 1, size):
            raise ValueError(f"a tree has {size - 1} questions and {size} answers")
        return self

    def adding(self, counted: Mapping[str, float]) -> float:
        at, inner = 0, len(self.traits)
        while at < inner:
            name = self.traits[at]
            at = 2 * at + (2 if name and counted[name] > self.above[at] else 1)
        return self.adds[at - inner]


class CutPoints(BaseModel):
    """Of the label that is to be expected, `none` as 0, `partial` as 1, `full` as 2: the least of each; chosen on writers who were left out of the fit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    partial: float
    full: float

    def label(self, expected: float) -> Label:
        return LABELS[(expected >= self.partial) + (expected >= self.full)]


class LikelyAt(BaseModel):
    """How likely a label at least so good is where so much is to be expected; counted on writers who were left out of the fit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    start: float
    slope: float

    def likely(self, expected: float) -> float:
        return 1 / (1 + exp(-(self.start + self.slope * expected)))


class Curves(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    partial: LikelyAt
    full: LikelyAt


class SupportWeights(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    fitted: tuple[FittedSet, ...]
    cuts: CutPoints
    likely: Curves
    start: float
    trees: tuple[TraitTree, ...]

    @property
    def traits(self) -> frozenset[str]:
        """Those that are asked for."""
        return frozenset(name for tree in self.trees for name in tree.traits if name)

    def expected(self, counted: Mapping[str, float]) -> float:
        return self.start + sum(tree.adding(counted) for tree in self.trees)


class WeighedLabel(NamedTuple):
    label: Label
    likely: Mapping[Label, float]

    @property
    def unsure(self) -> bool:
        return self.likely[self.label] < SURE


def weigh(traits: Mapping[str, float]) -> WeighedLabel:
    weights = fitted()
    expected = weights.expected(traits)
    return WeighedLabel(weights.cuts.label(expected), likelihoods(weights.likely, expected))


def likelihoods(curves: Curves, expected: float) -> dict[Label, float]:
    some = curves.partial.likely(expected)
    whole = min(some, curves.full.likely(expected))
    return dict(zip(LABELS, (1 - some, some - whole, whole), strict=True))


@cache
def fitted() -> SupportWeights:
    return SupportWeights.model_validate(tomllib.loads(WEIGHTS.read_text(encoding="utf-8")))
