"""How likely a multiple is wrong: by errors that writers planted (`multiples.toml`), and by multiples of true texts set to another number
(`multiples_turned.toml`), of which there are twenty times as many. Both are asked, and what several readings bear out is never accused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from math import exp, log
from pathlib import Path
from typing import NamedTuple

from drr.eval.checks.base import Accusation
from drr.eval.checks.considered.ratios import RatioSaid, RatioSigns
from drr.eval.checks.considered.weighing import ConsideredWeights, read_weights
from drr.eval.checks.mentions import Mentions

MULTIPLES = Path(__file__).with_name("multiples.toml")
TURNED = Path(__file__).with_name("multiples_turned.toml")
_MOST_HOLD = 4
"""Readings that may come to it by chance."""


class ConsideredMultiple(NamedTuple):
    """A multiple, and how likely it is wrong."""

    said: RatioSaid
    chance: float


@cache
def multiple_weights() -> tuple[ConsideredWeights, ConsideredWeights]:
    return read_weights(MULTIPLES), read_weights(TURNED)


def multiples_version() -> str:
    told = sha256(MULTIPLES.read_bytes() + TURNED.read_bytes()).hexdigest()[:12]
    return f"{multiple_weights()[0].version}-{told}"


def by_both(planted: float, turned: float) -> float:
    """The chance by errors planted and by multiples set to another number, as if they were two witnesses."""
    return 1 / (1 + exp(-_logit(planted) - _logit(turned)))


def is_held(signs: Mapping[str, float]) -> bool:
    """Whether more readings come to it than would by chance."""
    return sum(name.startswith("reached_") for name in signs) > _MOST_HOLD


def unraised(signs: Mapping[str, float]) -> dict[str, float]:
    """The signs of a multiple without what rules raise, which none raises against a number that nobody wrote."""
    return {name: value for name, value in signs.items() if not name.startswith("raised_")}


def considered_multiples(
    mentions: Mentions, raised: Mapping[Accusation, float], least: float = 0.0
) -> Iterator[ConsideredMultiple]:
    """Those that are wrong with a chance of at least the bar, and of `least`."""
    planted, turned = multiple_weights()
    signs = RatioSigns(mentions, raised)
    for one in signs.every():
        found = signs.of(one)
        if not is_held(found):
            chance = by_both(planted.chance(found), turned.chance(unraised(found)))
            if chance >= max(planted.bar, least):
                yield ConsideredMultiple(one, chance)


def _logit(chance: float) -> float:
    kept = min(max(chance, 1e-6), 1 - 1e-6)
    return log(kept / (1 - kept))
