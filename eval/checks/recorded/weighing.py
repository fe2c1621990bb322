"""How likely what the record has otherwise is wrong: traits of a statement and their weights (`weights.toml`).

Few traits forbid an accusation and none makes it. The weights are fitted to all such statements of the rounds, by `python -m
benchmarks.recorded_fit`: those of clean texts are right however they look, those at a planted error are wrong.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from hashlib import sha256
from math import exp
from pathlib import Path

from drr.eval.checks.base import Accusation
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.recorded.figures import FigureCandidates
from drr.eval.checks.recorded.owners import StatedOtherwise, StatementOwners
from drr.eval.checks.recorded.values import ValueCandidates
from pydantic import BaseModel, ConfigDict

WEIGHTS = Path(__file__).with_name("weights.toml")
READERS: tuple[Callable[[StatementOwners], FigureCandidates | ValueCandidates], ...] = (
    FigureCandidates,
    ValueCandidates,
)
FORBIDDING = frozenset(
    {
        *("web", "disagreed", "general", "asked", "more_by_it", "unlabelled", "own_beside"),
        *(f"doubt_{one}" for one in ("pace", "altered", "others", "conditional", "charged")),
    }
)
"""With one of these a statement is of something else, or true: a difference, a question, a more general word (polypropylene is plastic). Of such statements in forty rounds 13 were wrong and those of 319 true texts were not.
All other traits are weighed."""
_GROUPS = {"figure": "figure", "cell": "figure", "value": "value"}
"""By sort of candidate: with which it is weighed."""
_KINDS = {"figure": "weighed_figure", "value": "weighed_value"}


class WeighedGroup(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    bar: float
    """From which chance of being wrong on a statement is accused."""
    candidates: int
    planted: int
    """Of them."""
    weights: dict[str, float]

    def chance(self, traits: Mapping[str, float]) -> float:
        at = sum(self.weights.get(name, 0.0) * value for name, value in traits.items())
        return 1 / (1 + exp(-at))


class RecordedWeights(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int
    rounds: str
    """To which they were fitted."""
    groups: dict[str, WeighedGroup]


@cache
def fitted() -> RecordedWeights:
    return RecordedWeights.model_validate(tomllib.loads(WEIGHTS.read_text(encoding="utf-8")))


def recorded_version() -> str:
    return f"{fitted().version}-{sha256(WEIGHTS.read_bytes()).hexdigest()[:12]}"


def group_of(one: StatedOtherwise) -> str:
    return _GROUPS[one.sort]


@lru_cache(maxsize=4)
def every_candidate(mentions: Mentions) -> tuple[StatedOtherwise, ...]:
    """Every statement that its first reading has wrong, read once for all that ask."""
    if mentions.subject.shop is None:
        return ()
    owners = StatementOwners(mentions)
    readers = READERS if owners.products else ()
    return tuple(one for reader in readers for one in reader(owners).found())


def candidates(mentions: Mentions) -> Iterator[StatedOtherwise]:
    """Those that nothing forbids."""
    return (one for one in every_candidate(mentions) if not FORBIDDING & one.traits.keys())


def said_otherwise(mentions: Mentions) -> Iterator[Accusation]:
    """What the record has otherwise, where little speaks for another meaning."""
    for one in candidates(mentions):
        group = group_of(one)
        weights = fitted().groups[group]
        chance = weights.chance(one.traits)
        if chance >= weights.bar:
            bound = Certainty.CELL if one.sort == "cell" else Certainty.SENTENCE
            yield Accusation(_KINDS[group], one.span, one.why, bound)
