"""The traits of a claim beside its evidence, weighed: how likely people call it supported, in part, or not at all.

The weights are fitted (`python -m benchmarks.support_fit`) and stand in `weights.toml` with the data behind them. A trait has two weights, one for a
claim's being said in part at least, one for its being said in full where it is; the fit keeps both on the trait's side, whatever its data would have,
so that what is found never lowers a label, and what is missing never raises one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from math import exp
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

Label = Literal["full", "partial", "none"]
LABELS: tuple[Label, ...] = ("none", "partial", "full")
WEIGHTS = Path(__file__).with_name("weights.toml")
SURE = 0.6
"""A label of which less than this is likely is an unsure one."""


class FittedSet(BaseModel):
    """What the weights were fitted to: a file of pairs, and how much each of its pairs counts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    set: str
    sha256: str
    pairs: int
    weight: float


class TraitWeight(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    some: float
    """For `partial` against `none`."""
    whole: float
    """For `full` against `partial`."""


class CutPoints(BaseModel):
    """Of the label that is to be expected, `none` as 0, `partial` as 1, `full` as 2: the least of each; chosen on writers who were left out of the fit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    partial: float
    full: float

    def label(self, expected: float) -> Label:
        return LABELS[(expected >= self.partial) + (expected >= self.full)]


class SupportWeights(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    fitted: tuple[FittedSet, ...]
    cuts: CutPoints
    start: TraitWeight
    traits: dict[str, TraitWeight]


class WeighedLabel(NamedTuple):
    label: Label
    likely: Mapping[Label, float]

    @property
    def unsure(self) -> bool:
        return self.likely[self.label] < SURE


def weigh(traits: Mapping[str, float]) -> WeighedLabel:
    weights = fitted()
    some, whole = weights.start.some, weights.start.whole
    for name, weight in weights.traits.items():
        some += weight.some * traits[name]
        whole += weight.whole * traits[name]
    likely = likelihoods(some, whole)
    expected = likely["partial"] + 2 * likely["full"]
    return WeighedLabel(weights.cuts.label(expected), likely)


def likelihoods(some: float, whole: float) -> dict[Label, float]:
    top = max(0.0, some, some + whole)
    parts = [exp(-top), exp(some - top), exp(some + whole - top)]
    return dict(zip(LABELS, (part / sum(parts) for part in parts), strict=True))


@cache
def fitted() -> SupportWeights:
    return SupportWeights.model_validate(tomllib.loads(WEIGHTS.read_text(encoding="utf-8")))
