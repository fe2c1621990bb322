"""The traits of a claim beside its evidence, weighed: how likely people call it supported, in part, or not at all.

The weights are fitted (`python -m benchmarks.support_fit`) and stand in `weights.toml` with the data behind them. Nothing that is found can
speak against a claim, and nothing that is missing for it: the fit keeps each weight on its side, whatever its data would have.
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

    support: float
    """For `full` and as much against `none`."""
    partial: float


class SupportWeights(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    fitted: tuple[FittedSet, ...]
    start: TraitWeight
    traits: dict[str, TraitWeight]


class WeighedLabel(NamedTuple):
    label: Label
    likely: Mapping[Label, float]

    @property
    def unsure(self) -> bool:
        return self.likely[self.label] < SURE


def weigh(traits: Mapping[str, float]) -> WeighedLabel:
    """The label that costs least where a step costs 1 and two steps cost 4, as the agreement of people is counted."""
    weights = fitted()
    support, partial = weights.start.support, weights.start.partial
    for name, weight in weights.traits.items():
        support += weight.support * traits[name]
        partial += weight.partial * traits[name]
    return decided(support, partial)


def decided(support: float, partial: float) -> WeighedLabel:
    top = max(abs(support), partial)
    parts = [exp(-support - top), exp(partial - top), exp(support - top)]
    likely = [part / sum(parts) for part in parts]
    costs = [sum(p * (i - j) ** 2 for j, p in enumerate(likely)) for i in range(len(LABELS))]
    return WeighedLabel(LABELS[costs.index(min(costs))], dict(zip(LABELS, likely, strict=True)))


@cache
def fitted() -> SupportWeights:
    return SupportWeights.model_validate(tomllib.loads(WEIGHTS.read_text(encoding="utf-8")))
