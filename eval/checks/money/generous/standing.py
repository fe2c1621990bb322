"""What becomes of a limit, right behind what all costs: `Together $107.98, rest $2.02; the limit is broken`, `$53.95 + $71.99 = $125.94. Within the limit, just.`

Other readers ask what the subject of a verdict costs. Here the limit is the subject, or there is none: it can only be said of the total before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from drr.eval.checks.base import Accusation, Span, Subject
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.generous.limits import limits_told
from drr.eval.checks.money.ledger import MoneyLedger, ledger_of
from drr.eval.checks.residue import residue_of
from drr.wording.verdicts import VERDICTS

_EQUALS = re.compile(r"=[\s*_]{0,4}$")
_BETWEEN = re.compile(
    r"(?:[\s*_.,;:()—–-]|\b(?:so|and|thus|that|which|means|just|still|you|we|have|with|rest|left|leaving|leaves|to|spare|over|remaining|the|of|your|my|our|is|are|sum|basket|whole|limit|budget)\b){0,24}",
    re.I,
)
"""From the total to the verdict, without the amounts between them."""
_UNREAL = re.compile(
    r"\b(?:if|would|could|might|unless|until|each|apiece|per|without|instead|only|both|either|neither|coupon|discount|tax|shipping)\b|[?%]",
    re.I,
)
_FAR, _NEAR = 70, 0.02
_MOST = 60


def limits_standing(subject: Subject, mentions: Mentions) -> Iterator[Accusation]:
    """What is said to become of a limit, that each limit in sight speaks against."""
    ledger, plain = ledger_of(mentions), mentions.plain
    limits, each = limits_told(subject, ledger, plain)
    limits = list(dict.fromkeys([*limits, *ledger.play.limits]))
    if not limits or each:
        return
    for line in mentions.layout.lines:
        if line.cells or line.kind == "heading":
            continue
        for place in islice(VERDICTS.standing(plain, (line.start, line.end)), _MOST):
            total = _total(ledger, plain, (line.start, place.start), limits)
            if total is None or _UNREAL.search(plain, total.end, min(line.end, place.end + 24)):
                continue
            if any((total.value <= one) is place.fits or abs(total.value - one) < _NEAR for one in limits):
                continue
            if residue_of(mentions).doubt((total.start, place.end), ("unreal", "charged", "pace", "others")):
                continue
            shown = " or ".join(f"${one:,.2f}" for one in limits[:3])
            verb = "keep to" if place.fits else "break"
            why = f"said {plain[place.start : place.end].strip()!r} of ${total.value:,.2f}, which does not {verb} {shown}"
            yield Accusation("verdict_told", (place.start, place.end), why, Certainty.SENTENCE)


def _total(ledger: MoneyLedger, plain: str, span: Span, limits: list[float]) -> Figure | None:
    """The total right before a place: only a limit and what is left of it may stand between."""
    between = ""
    end = span[1]
    for one in reversed(ledger.within(max(span[0], span[1] - _FAR), span[1])):
        between = plain[one.end : end] + between
        end = one.start
        if one.void or one.elsewhere or one.amount.approx:
            return None
        if one.cue.kind == "total" or _EQUALS.search(plain, max(span[0], one.start - 6), one.start):
            return one if _BETWEEN.fullmatch(between) else None
        if one.cue.kind not in ("rest", "limit") and one.value not in limits:
            return None
    return None
