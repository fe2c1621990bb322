"""What the signs of an amount or a rating together say of it (`considered`), entered among what the rules have found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from drr.eval.checks.accusing.traits import MONEY, RATED
from drr.eval.checks.base import Accusation, Check
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.considered.weighing import ConsideredFigure, considered_wrong
from drr.eval.checks.leftover.rule import KINDS
from drr.eval.checks.mentions import Mentions

_OWN = MONEY | RATED | {"gap_told", "rest_told", "rated_nowhere", "cost_per_unit"} | {*KINDS.values()}
_TOGETHER = "no single reader is sure of it"
Checks = dict[str, Check]


def once_more(
    mentions: Mentions, checks: Mapping[str, Check], raised: Mapping[Accusation, float], bar: float
) -> tuple[Checks, dict[Accusation, float]]:
    """The answers with what is accused by all signs together among the doubted, and how likely each of that is wrong."""
    found: dict[Accusation, float] = {}
    added: list[Accusation] = []
    for figure in considered_wrong(mentions, raised, bar):
        own = _raised_at(figure, raised)
        if own is None:
            own = _accusation(figure, mentions)
            added.append(own)
        found[own] = max(found.get(own, 0.0), figure.chance)
    told, last = dict(checks), checks.get("figures")
    if added and last is not None and last.value is not None:
        told["figures"] = replace(last, doubted=(*last.doubted, *added))
    return told, found


def _raised_at(figure: ConsideredFigure, raised: Mapping[Accusation, float]) -> Accusation | None:
    """What a rule has raised against it already, the surest first."""
    met = [
        one
        for one in raised
        if one.kind in _OWN and one.span[0] < figure.said.end and figure.said.start < one.span[1]
    ]
    return max(met, key=lambda one: (one.doubt is None, raised[one]), default=None)


def _accusation(figure: ConsideredFigure, mentions: Mentions) -> Accusation:
    said = figure.said
    why = f"said {mentions.body[said.start : said.end].strip()}, which what stands beside it does not come to"
    return Accusation(KINDS[said.kind], (said.start, said.end), why, Certainty.INFERRED, _TOGETHER)
