"""What a record has otherwise, considered once more: all traits of a statement together, and what the rules raise against it.

`recorded` adds its traits up and forbids some. Here none forbids: trees ask of two at a time (`statements.toml`, by
`python -m benchmarks.considered_statements_fit`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from drr.eval.checks.accusing.no_detail import no_detail_of
from drr.eval.checks.base import Accusation
from drr.eval.checks.cast import cast_of
from drr.eval.checks.considered.weighing import ConsideredWeights, read_weights
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.recorded.owners import StatedOtherwise
from drr.eval.checks.recorded.weighing import FORBIDDING, every_candidate, group_of
from drr.eval.checks.recorded.weighing import fitted as recorded
from drr.eval.checks.set_against import set_against_of
from drr.eval.checks.taken_together import is_of_several
from drr.wording.units import UNITS

_RATE = re.compile(
    r"[\s*_]{0,3}(?:an?|per|each|every|to\sthe|for\seach|for\severy)\s(?P<unit>[a-z]{1,12})\b", re.I
)
_SHARE = re.compile(r"[\s*_]{0,3}(?:of\s(?:that|it|the|all|what|your)|more|less|fewer)\b", re.I)
_OR = re.compile(r"\W{0,3}or\b", re.I)
STATEMENTS = Path(__file__).with_name("statements.toml")


class ConsideredStatement(NamedTuple):
    """What a record has otherwise, and how likely it is wrong."""

    said: StatedOtherwise
    chance: float


@cache
def statement_weights() -> ConsideredWeights:
    return read_weights(STATEMENTS)


def statements_version() -> str:
    return f"{statement_weights().version}-{sha256(STATEMENTS.read_bytes()).hexdigest()[:12]}"


def statement_signs(one: StatedOtherwise, raised: Mapping[Accusation, float]) -> dict[str, float]:
    """Each between 0 and 1; those that are 0 are left out."""
    found = {
        **one.traits,
        f"sort_{one.sort}": 1.0,
        "added_up": recorded().groups[group_of(one)].chance(one.traits),
        "forbidden": float(bool(FORBIDDING & one.traits.keys())),
    }
    for each in raised:
        if each.span[0] < one.span[1] and one.span[0] < each.span[1]:
            found[f"raised_{each.kind}_{'doubted' if each.doubt else 'plain'}"] = 1.0
    return {name: value for name, value in found.items() if value}


def considered_statements(
    mentions: Mentions, raised: Mapping[Accusation, float], least: float = 0.0
) -> Iterator[ConsideredStatement]:
    """Those that are wrong with a chance of at least the bar, and of `least`."""
    weights = statement_weights()
    bar = max(weights.bar, least)
    for one in every_candidate(mentions):
        chance = weights.chance(statement_signs(one, raised))
        if chance >= bar and not is_no_statement(one, mentions):
            yield ConsideredStatement(one, chance)


def is_no_statement(one: StatedOtherwise, mentions: Mentions) -> bool:
    """Whether it is a share of something (`31% of that`), a rate (`15 hours a liter`), one of two that are left open (`aluminum or steel`), what its clause says of
    another (`where mine is jute`), what several things have together, or no detail at all (`five packs at $84.95`)."""
    text, end = mentions.plain, one.span[1]
    if one.sort == "value":
        owners = {key for key in cast_of(mentions.subject, mentions).products if key in one.why}
        of_another = set_against_of(mentions).is_of_another(one.span, owners)
        return _OR.match(text, end) is not None or of_another
    if "%" in text[slice(*one.span)] and _SHARE.match(text, end):
        return True
    if is_of_several(sight_of(mentions).held, text, one.span):
        return True
    if no_detail_of(mentions).instead(one.span, one.why) is not None:
        return True
    rate = _RATE.match(text, end)
    return _OR.match(text, end) is not None or (rate is not None and UNITS.named(rate["unit"]) is not None)
