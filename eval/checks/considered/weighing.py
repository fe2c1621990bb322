"""How likely an amount or a rating is wrong, by all its signs together (`weights.toml`).

The weights are fitted to every amount and rating of the rounds of strangers, each writer held against weights of the others
(`python -m benchmarks.considered_fit`). What reaches the bar is accused, whatever condition its readers stumble over, if no reading makes it true.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from math import exp
from pathlib import Path
from typing import NamedTuple

from drr.eval.checks.accusing.true_readings import TrueReadings, true_readings_of
from drr.eval.checks.base import Accusation
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.considered.signs import FigureSigns
from drr.eval.checks.leftover.said import SaidFigure
from drr.eval.checks.leftover.unnamed import is_of_things_unnamed
from drr.eval.checks.mentions import Mentions
from pydantic import BaseModel, ConfigDict

WEIGHTS = Path(__file__).with_name("weights.toml")
_SETTLED = 0.7
"""Who knows a figure so surely needs no other reading."""
_READ = frozenset({"unclear_recorded", "worded_has", "worded_other"})
"""It stands in the shopper's own records, or a plain reading of its words makes it."""
_STATEMENTS = {
    "gap": "difference",
    "rest": "rest",
    "total": "sum",
    "unit": "unit_cost",
}
"""By what the words beside an amount make of it, the kind of statement whose true readings are tried."""


TwoQuestions = tuple[str, float, str, float, str, float, float, float, float, float]
"""Whether a sign is more than so much; what is asked next where it is not, and where it is; and what the four answers add."""


class ConsideredWeights(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int
    bar: float
    """From which chance of being wrong on a figure is accused."""
    rounds: str
    """To which they were fitted."""
    figures: int
    planted: int
    start: float
    trees: list[TwoQuestions]

    def chance(self, signs: Mapping[str, float]) -> float:
        return 1 / (1 + exp(-self.start - sum(answer(one, signs) for one in self.trees)))


def answer(tree: TwoQuestions, signs: Mapping[str, float]) -> float:
    """What one tree adds."""
    first, over, second, least, third, most, *steps = tree
    if signs.get(first, 0.0) > over:
        return steps[3] if signs.get(third, 0.0) > most else steps[2]
    return steps[1] if signs.get(second, 0.0) > least else steps[0]


def read_weights(path: Path) -> ConsideredWeights:
    return ConsideredWeights.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))


@cache
def fitted() -> ConsideredWeights:
    return read_weights(WEIGHTS)


def considered_version() -> str:
    return f"{fitted().version}-{sha256(WEIGHTS.read_bytes()).hexdigest()[:12]}"


class ConsideredFigure(NamedTuple):
    """An amount or a rating, and how likely it is wrong."""

    said: SaidFigure
    chance: float


def considered_wrong(
    mentions: Mentions, raised: Mapping[Accusation, float], bar: float
) -> Iterator[ConsideredFigure]:
    """The amounts and ratings of a report that are wrong with a chance of at least the bar, in the light of what its rules raise."""
    weights, signs, readings = fitted(), FigureSigns(mentions, raised), true_readings_of(mentions)
    for one in signs.every():
        found = signs.of(one)
        likely = weights.chance(found)
        if likely < bar or signs.is_charged(one) or is_of_things_unnamed(mentions, one):
            continue
        if not is_borne_out(one, signs.cue(one), found, readings):
            yield ConsideredFigure(one, likely)


def is_borne_out(one: SaidFigure, cue: str, signs: Mapping[str, float], readings: TrueReadings) -> bool:
    """Whether any reading makes a figure true: as what its words make it, as a difference, as any amount. It is then no error, whatever else."""
    if signs.get("known", 0.0) > _SETTLED or _READ & signs.keys():
        return True
    rated = {"rating": "stars", "ratings": "left_raters"}.get(one.kind)
    kind = rated or _STATEMENTS.get("unit" if one.kind == "unit" else cue, "price")
    asked = Accusation(kind, (one.start, one.end), "said x, ", Certainty.INFERRED)
    if readings.why(asked) is not None:
        return True
    others = () if rated else ("difference", "left_amount")
    return any(readings.reached(asked._replace(kind=each)) is not None for each in others)
