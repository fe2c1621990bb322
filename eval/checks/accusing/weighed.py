"""The accusations of a report weighed: how likely each is right, and which are too unsure to be made.

The weights are fitted to accusations on texts of writers whom the rules had never met (`python -m benchmarks.accusation_fit`) and stand in
`weights.toml` with the data behind them. An accusation of which less than the bar is likely is no accusation: the statement is
`unverifiable`, with the chance as reason. One that a doubt keeps from being made is made where nothing else speaks against it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from math import exp
from pathlib import Path

from drr.eval.checks.accusing.agreed import VERSION as AGREED_BY
from drr.eval.checks.accusing.agreed import disagreed
from drr.eval.checks.accusing.disowned import VERSION as DISOWNED_BY
from drr.eval.checks.accusing.disowned import disowned_of
from drr.eval.checks.accusing.explained import VERSION as EXPLAINED_BY
from drr.eval.checks.accusing.explained import is_explained
from drr.eval.checks.accusing.once_more import once_more
from drr.eval.checks.accusing.own_once_more import own_once_more
from drr.eval.checks.accusing.seconded import VERSION as SECONDED_BY
from drr.eval.checks.accusing.seconded import unseconded
from drr.eval.checks.accusing.traits import AccusationTraits
from drr.eval.checks.accusing.true_readings import MAY_BE_TRUE, true_readings_of
from drr.eval.checks.accusing.true_readings import VERSION as READ_BY
from drr.eval.checks.base import Accusation, Check, Subject, answer
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.considered.multiples import multiples_version
from drr.eval.checks.considered.own_weighing import own_version
from drr.eval.checks.considered.statements import statements_version
from drr.eval.checks.considered.weighing import considered_version
from drr.eval.checks.considered.weighing import fitted as considered
from drr.eval.checks.leftover.rule import KINDS as LEFT
from drr.eval.checks.leftover.weighing import left_version, leftover_of
from drr.eval.checks.marked import marked_denials_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.recorded.weighing import recorded_version
from drr.eval.checks.residue import is_of_what_is_unseen
from pydantic import BaseModel, ConfigDict

WEIGHTS = Path(__file__).with_name("weights.toml")
_LEFT = frozenset(LEFT.values())
"""Figures that no rule reads: `leftover` has weights of its own."""
_VERDICTS = frozenset({"verdict_told", "limit_verdict", "limit_side"})
"""Their readers see a mark that denies."""
_MOST = 400
"""Accusations of a report that are weighed; what is wrong beyond them is accused as its rule would."""
_MOST_ASKED = 100
"""Accusations of a report of which it is asked whether any reading makes them true."""


class FittedLabels(BaseModel):
    """What the weights were fitted to."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    set: str
    sha256: str
    accusations: int
    writers: int


class AccusationWeights(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int
    bar: float
    """An accusation is made where at least this is its chance of being right."""
    fitted: FittedLabels
    start: float
    kinds: dict[str, float]
    """Kinds of statements that are weighed; others are accused as their rule says."""
    traits: dict[str, float]

    def chance(self, kind: str, traits: Mapping[str, float]) -> float:
        """That an accusation is right."""
        at = self.start + self.kinds[kind]
        at += sum(weight * traits[name] for name, weight in self.traits.items())
        return 1 / (1 + exp(-at))


@cache
def fitted() -> AccusationWeights:
    return AccusationWeights.model_validate(tomllib.loads(WEIGHTS.read_text(encoding="utf-8")))


def weighed(
    subject: Subject, mentions: Mentions, checks: Mapping[str, Check], bar: float | None = None
) -> dict[str, Check]:
    """The answers of all rules to one report, without the accusations that are too unsure."""
    asked = fitted().bar if bar is None else bar
    raised = raised_by(subject, mentions, checks)
    every = [
        one
        for one in raised
        if one.kind in {*fitted().kinds, *_LEFT} and not (one.doubt and is_of_what_is_unseen(one.doubt))
    ]
    chances = {one: _chance(one, raised[one], mentions) for one in every[:_MOST]}
    accused = dict.fromkeys(one for check in checks.values() for one in (*check.accused, *every))
    sure = [one for one in accused if chances.get(one, 1.0) >= asked]
    alone = _alone(sure, mentions) if asked > 0 else {}
    asked_of = [one for one in sure if one.kind in MAY_BE_TRUE and one not in alone]
    true = _true(asked_of[:_MOST_ASKED], mentions) if asked > 0 else {}
    doubts = alone | {one: f"it may be true, for {why}" for one, why in true.items()}
    doubts |= dict(unseconded(one for one in sure if one not in doubts)) if asked > 0 else {}
    chances |= dict.fromkeys(doubts, 0.0)
    if asked > 0:
        checks, together = once_more(mentions, checks, raised, max(asked, considered().bar), bar or 0.0)
        checks, of_orders = own_once_more(mentions, checks, raised)
        together |= of_orders
        chances |= {one: max(likely, asked) for one, likely in together.items()}
        doubts = {one: why for one, why in doubts.items() if one not in together}
        denied = dict(_denied(checks, mentions))
        doubts |= denied
        chances |= dict.fromkeys(denied, 0.0)
    return {name: _settled(check, chances, asked, doubts) for name, check in checks.items()}


def raised_by(subject: Subject, mentions: Mentions, checks: Mapping[str, Check]) -> dict[Accusation, float]:
    """All that the rules accuse or doubt, with its chance by the weights of its kind; 1 where there are none."""
    weights, traits = fitted(), AccusationTraits(subject, mentions)
    some = dict.fromkeys(one for check in checks.values() for one in (*check.accused, *check.doubted))
    found: dict[Accusation, float] = {}
    for one in list(some)[: 2 * _MOST]:
        if one.kind in _LEFT:
            found[one] = 0.0
        else:
            kind = one.kind if one.kind in weights.kinds else None
            found[one] = 1.0 if kind is None else weights.chance(kind, traits.counted(one))
    return found


def _chance(one: Accusation, by_kind: float, mentions: Mentions) -> float:
    """That an accusation is right, in the light of the last reader of figures."""
    left = leftover_of(mentions)
    if one.kind in _LEFT:
        return left.chance(one.span) or 0.0
    return min(by_kind, left.chance(one.span) or 0.0) if is_explained(one, left) else by_kind


def _alone(some: Iterable[Accusation], mentions: Mentions) -> dict[Accusation, str]:
    """Those of some accusations in which the last reader of figures does not agree, and why."""
    asked = ((one, disagreed(one, mentions)) for one in some)
    return {one: why for one, why in asked if why is not None}


def _denied(checks: Mapping[str, Check], mentions: Mentions) -> Iterator[tuple[Accusation, str]]:
    """What is accused of what a mark or its own sentence says not to hold; verdicts on a limit are read with the mark."""
    marked = marked_denials_of(mentions)
    for one in dict.fromkeys(one for check in checks.values() for one in (*check.accused, *check.doubted)):
        if one.bound == Certainty.LITERAL:
            continue
        if one.kind not in _VERDICTS and marked.at(one.span[0]):
            yield one, "a mark at its head says that it does not hold"
        elif (why := disowned_of(mentions).why(one)) is not None:
            yield one, why


def _true(some: Iterable[Accusation], mentions: Mentions) -> dict[Accusation, str]:
    """Those of some accusations that a reading makes true, and which."""
    asked = ((one, true_readings_of(mentions).why(one)) for one in some)
    return {one: why for one, why in asked if why is not None}


def weights_version() -> str:
    """The version of the weights, and what they are: part of every judgement by rules."""
    return f"{fitted().version}-{sha256(WEIGHTS.read_bytes()).hexdigest()[:12]}+{left_version()}+{recorded_version()}+{considered_version()}+{own_version()}+{statements_version()}+{multiples_version()}+{EXPLAINED_BY}+{DISOWNED_BY}+{READ_BY}+{AGREED_BY}+{SECONDED_BY}"


def _settled(
    check: Check, chances: Mapping[Accusation, float], bar: float, doubts: Mapping[Accusation, str]
) -> Check:
    """A rule's answer with those accusations only that are likely enough."""
    unsure = [one for one in check.accused if chances.get(one, 1.0) < bar]
    sure = [one for one in check.doubted if chances.get(one, 0.0) >= bar]
    if not (unsure or sure):
        return check
    made = [one for one in check.accused if one not in unsure] + sure
    counts = {key: value for key, value in check.value.items() if key != "certainty"}
    counts["checked"] += len(sure) - len(unsure)
    counts["failed"] = len(made)
    counts["unverifiable"] += len(unsure) - len(sure)
    remarks = [*_reasons(unsure, chances, bar, doubts), *_but(check.evidence[len(check.accused) :], sure)]
    return answer(counts, made, remarks)


def _reasons(
    unsure: Iterable[Accusation],
    chances: Mapping[Accusation, float],
    bar: float,
    doubts: Mapping[Accusation, str],
) -> list[str]:
    return [
        f"{one.why}: {doubts[one]}"
        if one in doubts
        else f"{one.why}: right with a chance of about {chances[one]:.2f} only, and {bar:.2f} is asked for"
        for one in unsure
    ]


def _but(remarks: Iterable[str], sure: Iterable[Accusation]) -> list[str]:
    """The remarks without those of what is accused all the same."""
    doubts = {one.doubt for one in sure}
    return [one for one in remarks if not any(one.endswith(f": {doubt}") for doubt in doubts)]
