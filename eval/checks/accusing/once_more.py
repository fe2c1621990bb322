"""What the signs of an amount or a rating together say of it (`considered`), entered among what the rules have found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from drr.eval.checks.accusing.traits import MONEY, RATED
from drr.eval.checks.base import Accusation, Check, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.considered.multiples import considered_multiples
from drr.eval.checks.considered.statements import considered_statements
from drr.eval.checks.considered.weighing import ConsideredFigure, considered_wrong
from drr.eval.checks.leftover.rule import KINDS
from drr.eval.checks.mentions import Mentions

_OWN = MONEY | RATED | {"gap_told", "rest_told", "rated_nowhere", "cost_per_unit"} | {*KINDS.values()}
_OF_RECORDS = {"figure": "weighed_figure", "cell": "weighed_figure", "value": "weighed_value"}
_OF_PRODUCTS = frozenset(
    {
        "weighed_figure",
        "weighed_value",
        "measure",
        "anchored",
        "stated",
        "attribute",
        "grade",
        "other_value",
        "multiple",
        "ratio",
    }
)
_WHY = "said {!r}, which no two values around it come to"
_TOGETHER = "no single reader is sure of it"
Checks = dict[str, Check]


def once_more(
    mentions: Mentions,
    checks: Mapping[str, Check],
    raised: Mapping[Accusation, float],
    bar: float,
    least: float,
) -> tuple[Checks, dict[Accusation, float]]:
    """The answers with what is accused by all signs together among the doubted, and how likely each of that is wrong; figures from a bar on, other statements from `least`
    and the bars of their weights."""
    found: dict[Accusation, float] = {}
    added: list[Accusation] = []
    for figure in considered_wrong(mentions, raised, bar):
        own = _raised_at(figure, raised)
        if own is None:
            own = _accusation(figure, mentions)
            added.append(own)
        found[own] = max(found.get(own, 0.0), figure.chance)
    told = _with_doubted(checks, "figures", added)
    stated = considered_statements(mentions, raised, least)
    some = [(_OF_RECORDS[each.said.sort], each.said.span, each.said.why, each.chance) for each in stated]
    some += [
        ("multiple", each.said.span, _WHY.format(mentions.plain[slice(*each.said.span)].strip()), each.chance)
        for each in considered_multiples(mentions, raised, least)
    ]
    told, others = _entered(told, raised, some)
    return told, found | others


def _entered(
    checks: Checks, raised: Mapping[Accusation, float], some: Iterable[tuple[str, Span, str, float]]
) -> tuple[Checks, dict[Accusation, float]]:
    """What is said of products, by kind, place, reason and chance: what a rule has raised of it already, else anew."""
    found: dict[Accusation, float] = {}
    added: list[Accusation] = []
    for kind, span, why, likely in some:
        own = max(
            (one for one in raised if one.kind in _OF_PRODUCTS and _meet(one.span, span)),
            key=lambda one: (one.doubt is None, raised[one]),
            default=None,
        )
        if own is None:
            own = Accusation(kind, span, why, Certainty.INFERRED, _TOGETHER)
            added.append(own)
        found[own] = max(found.get(own, 0.0), likely)
    return _with_doubted(checks, "product_claims", added), found


def _with_doubted(checks: Mapping[str, Check], rule: str, added: Sequence[Accusation]) -> Checks:
    told, last = dict(checks), checks.get(rule)
    if added and last is not None and last.value is not None:
        told[rule] = replace(last, doubted=(*last.doubted, *added))
    return told


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


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
