"""How likely a figure is wrong that nothing, or little, explains: traits and their weights (`weights.toml`)."""

from __future__ import annotations

import tomllib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from hashlib import sha256
from math import exp
from pathlib import Path
from typing import NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.leftover.said import MONEY, FigureKind, SaidFigure
from drr.eval.checks.leftover.sight import InSight, sight_of
from drr.eval.checks.mentions import Mentions
from pydantic import BaseModel, ConfigDict

WEIGHTS = Path(__file__).with_name("weights.toml")
_EXPLAINS = ("known", "framed", "beside", "near", "around", "far")
_DOUBTS = (
    "read", "foreign", "hedged", "unsure", "altered", "own_words", "quoted", "again", "loose", "missing", "elsewise",
)  # fmt: skip
_UNSEEN = ("foreign", "unsure", "missing")
_WEAK = 1.5
"""A reading of this part of full strength leaves nothing of a slip."""


class LeftWeights(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int
    rounds: str
    """To which they were fitted."""
    figures: int
    planted: int
    weights: dict[str, float]

    def chance(self, features: Mapping[str, float]) -> float:
        at = sum(self.weights.get(name, 0.0) * value for name, value in features.items())
        return 1 / (1 + exp(-at))


@cache
def fitted() -> LeftWeights:
    return LeftWeights.model_validate(tomllib.loads(WEIGHTS.read_text(encoding="utf-8")))


def left_version() -> str:
    return f"{fitted().version}-{sha256(WEIGHTS.read_bytes()).hexdigest()[:12]}"


def features(kind: FigureKind, cue: str, traits: Mapping[str, float]) -> dict[str, float]:
    """The traits of a figure as they are weighed: by its kind, and beside each other."""
    group = "money" if kind in MONEY else "rated" if kind in ("rating", "ratings") else "number"
    strongest = max(traits[name] for name in _EXPLAINS)
    nothing = float(strongest == 0)
    weak = 1 - min(1.0, strongest * _WEAK)
    bound = float(not traits["loose"] and not traits["known"] and not traits["beside"])
    found = {
        "start": 1.0,
        f"is_{kind}": 1.0,
        f"nothing_{kind}": nothing,
        "bound": bound,
        f"bound_{kind}": bound,
    }
    if group == "money":
        found[f"cue_{cue}"] = 1.0
    for name in _EXPLAINS:
        some = float(traits[name] > 0)
        found |= {
            name: traits[name],
            f"any_{name}": some,
            f"{name}_{kind}": some,
            f"{name}_of_{group}": traits[name],
        }
    found |= {"dense": traits["dense"], "nothing_dense": nothing * traits["dense"]}
    found |= {
        "slip": traits["slip"],
        "slip_near": traits["slip_near"],
        "slip_nothing": traits["slip"] * nothing,
    }
    unframed = float(traits["framed"] == 0)
    found |= {
        "slip_framed": traits["slip_framed"],
        f"slip_framed_of_{group}": traits["slip_framed"] * unframed,
    }
    found |= {
        "slip_framed_nothing": traits["slip_framed"] * nothing,
        "slip_framed_weak": traits["slip_framed"] * weak,
    }
    found |= {"odd": traits["odd"], f"odd_{kind}": traits["odd"], "certain": traits["certain"]}
    found[f"certain_{kind}"] = traits["certain"] * float(not traits["known"] and not traits["framed"])
    if group == "money":
        found |= {f"unframed_{cue}": unframed, f"slip_{cue}": traits["slip_framed"] * unframed}
    found |= {"slip_weak": traits["slip"] * weak, "slip_near_weak": traits["slip_near"] * weak}
    found |= {"long": traits["long"], "long_nothing": traits["long"] * nothing}
    for name in _DOUBTS:
        found |= {name: traits[name], f"{name}_nothing": traits[name] * nothing}
    found[f"read_{group}"] = traits["read"]
    found["elsewise_unknown"] = traits["elsewise"] * float(traits["known"] == 0)
    return {name: value for name, value in found.items() if value}


class LeftFigure(NamedTuple):
    """A figure of a report, and how likely it is wrong."""

    said: SaidFigure
    chance: float
    meant: float | None
    """What it would be with one slip put right, where that is surer than chance."""
    unseen: bool
    """Whether its sentence speaks of what nobody can look up: another page, a thing or a price that the shop does not have."""


class Leftover:
    """The figures of one report, each with its chance of being wrong; by other `weights` where these are given."""

    def __init__(self, mentions: Mentions, weights: LeftWeights | None = None) -> None:
        sight = sight_of(mentions)
        self.figures = [_weighed(sight, one, weights or fitted()) for one in sight.every()]
        self._starts = [one.said.start for one in self.figures]
        self._values = Counter(round(one.said.value, 4) for one in self.figures)

    def chance(self, span: Span) -> float | None:
        """Of the figure that a stretch begins with or holds; `None` where it holds none."""
        found = self._at(span)
        return None if found is None else found.chance

    def value(self, span: Span) -> float | None:
        """Of that figure; of an amount in dollars."""
        found = self._at(span)
        return None if found is None else found.said.value

    def explains_itself(self, span: Span) -> bool:
        """Whether the same figure stands elsewhere: what is wrong twice then explains itself."""
        found = self._at(span)
        return found is not None and self._values[round(found.said.value, 4)] > 1

    def _at(self, span: Span) -> LeftFigure | None:
        low = max(0, bisect_right(self._starts, span[0]) - 1)
        here = self.figures[low : bisect_left(self._starts, max(span[1], span[0] + 1))]
        return next((one for one in here if one.said.end > span[0]), None)


def _weighed(sight: InSight, one: SaidFigure, weights: LeftWeights) -> LeftFigure:
    traits = sight.traits(one)
    chance = weights.chance(features(one.kind, sight.cue(one), traits))
    meant = sight.meant(one) if max(traits["slip"], traits["slip_framed"]) > _TOLD else None
    return LeftFigure(one, chance, meant, any(traits[name] for name in _UNSEEN))


_TOLD = 0.5


@lru_cache(maxsize=4)
def leftover_of(mentions: Mentions) -> Leftover:
    return Leftover(mentions)
