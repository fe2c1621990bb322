"""What all signs together say of own orders (`considered/own_weighing`), entered among what the rules have found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from drr.eval.checks.base import Accusation, Check
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.considered.own_said import DATED
from drr.eval.checks.considered.own_weighing import ConsideredOwn, own_wrong
from drr.eval.checks.mentions import Mentions

KIND = "own_together"
_RULES = ("order_facts", "statistics", "figures")
"""To which of them it is entered: the first that has anything to say of the report."""
_MEASURES = frozenset(("measure", "stated", "detailed", "weighed_figure", "nowhere"))
"""A year is none: `the 2013 set`."""
_TOGETHER = "no single reader is sure of it"


def own_once_more(
    mentions: Mentions, checks: Mapping[str, Check], raised: Mapping[Accusation, float]
) -> tuple[dict[str, Check], dict[Accusation, float]]:
    """The answers with what is said of own orders and wrong by all signs among the doubted, and how likely each of that is wrong."""
    found: dict[Accusation, float] = {}
    added: list[Accusation] = []
    for thing in own_wrong(mentions):
        own = _raised_at(thing, raised)
        if own is None:
            own = _accusation(thing, mentions)
            added.append(own)
        found[own] = max(found.get(own, 0.0), thing.chance)
    told = dict(checks)
    name = next((one for one in _RULES if one in told and told[one].value is not None), None)
    if added and name is not None:
        last = told[name]
        counts = {**last.value, "unverifiable": last.value["unverifiable"] + len(added)}
        told[name] = replace(last, value=counts, doubted=(*last.doubted, *added))
    return told, found


def _raised_at(thing: ConsideredOwn, raised: Mapping[Accusation, float]) -> Accusation | None:
    """What a rule has raised against it already, the surest first."""
    start, end = thing.span
    other = {"evidence", *(_MEASURES if thing.said.kind in DATED else ())}
    met = [one for one in raised if one.kind not in other and one.span[0] < end and start < one.span[1]]
    return max(met, key=lambda one: (one.doubt is None, raised[one]), default=None)


def _accusation(thing: ConsideredOwn, mentions: Mentions) -> Accusation:
    start, end = thing.span
    why = f"said {mentions.body[start:end].strip()}, which no orders near it come to"
    return Accusation(KIND, (start, end), why, Certainty.INFERRED, _TOGETHER)
