"""Verdicts on a limit: each is held against every cost and every limit that it could be about, and is wrong only if all of them speak against it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from drr.eval.checks.base import Accusation, Span, Subject
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.around import DENIAL
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.generous.answers import LimitAnswers
from drr.eval.checks.money.generous.beside import verdicts_beside
from drr.eval.checks.money.generous.echoes import echoed_verdicts
from drr.eval.checks.money.generous.groups import Groups, GroupSaid
from drr.eval.checks.money.generous.opened import may_be_added, tells_unit_costs
from drr.eval.checks.money.generous.places import VerdictTold, verdict_places_of
from drr.eval.checks.money.generous.standing import limits_standing
from drr.eval.checks.money.ledger import MoneyLedger, ledger_of
from drr.eval.checks.residue import residue_of
from drr.wording.doubts import DoubtKind

_EXACT = 0.005
_MOST = 120
"""Verdicts of a report that are looked into."""
_WORDS = r"(?:(?:which|that|it|this|and|so|but|or|still|just|also|even|though|is|are|was|stays?|sits?|comes?|lands?|remains?|falls?|keeps?|goes|in|out|easily|comfortably|safely|well|only|all|right|barely|narrowly|already)\b[\s*_]{1,3}){0,6}"
_LED = re.compile(rf"[\s*_)\],;:—–-]{{0,8}}(?:\([^()]{{0,90}}\)[\s,*_—–-]{{0,6}})?{_WORDS}", re.I)
"""Between an amount and the verdict that is said of it."""
_AT_COST = re.compile(
    r"(?:\s(?:easily|narrowly|just|too|as well))?(?:,?\sat|:)\s(?:just\s|only\s)?[*_]{0,3}", re.I
)
_OTHER_THAN_MONEY = re.compile(
    r"(?<![\w$.,])\d[\d.,]{0,8}[\s-]?(?:stars?|dB|decibels?|lbs?|pounds?|oz|ounces?|inch(?:es)?|in\.?|ft|feet|foot|cm|mm|days?|years?|months?|weeks?|hours?|minutes?|reviews?|ratings?|%|°|watts?|W|lumens?|gallons?|liters?|litres?|mmHg|sheets?|loads?)\b|(?<![\w$.,])[0-5]\.\d(?![\d%])",
    re.I,
)
_ADDED = re.compile(
    r"\b(?:on top|add(?:ed|ing|s)?|plus|with|together|combined|both|all|also|even|another|second|more|total|basket|plan|set|bundle|pair|sum|everything|them|these|those|they|two|three|four|five|six|twice|double|packs|boxes|bags|bottles)\b",
    re.I,
)
"""What breaks a limit may be more than the one thing."""
_EACH = re.compile(
    r"\b(?:each|apiece|per|a (?:piece|pound|ounce|foot|load|sheet|day|week|month|year|night)|off|discount|coupon|sale|half)\b|%|/",
    re.I,
)
"""What is held against the limit may be a part of a price."""
_BESIDE = re.compile(r"[\s*_]{1,4}")
_BY = re.compile(r",?\s(?:only\s)?by\s[*_]{0,3}(?:just\s|only\s|exactly\s)?[*_]{0,3}", re.I)
_MOST_COSTS = 120
_LABEL = re.compile(r"[\s*_>•–—-]{0,8}")
"""Before a verdict that is the label of what stands behind it."""
_PLUS = re.compile(r"\b(?:plus|with|and)\s(?:that|the|this|a|one)\s(?P<noun>[a-z]{3,16})\b", re.I)
_EQUALS = re.compile(r"=[\s*_]{0,4}$")
"""Before a cost that is a written sum."""
_SHORT = 8
_NONE = re.compile(r"\b(?:none|no|neither|nor|nothing|only|hardly|never|cannot|except)\b|n['’]t\b", re.I)
_MINDED: tuple[DoubtKind, ...] = ("unreal", "charged", "pace", "others")
_HYPOTHESIS = re.compile(
    r"\b(?:if|unless|until|once|when|suppose|should|were|without|minus|except|excluding|rather than|instead|half)\b|\?",
    re.I,
)


_DENIED = re.compile(rf"\s?{DENIAL}", re.I)
_BREAK = re.compile(r",\s|\s[–—-]\s|—|\s(?:and|but|while|though|although|yet|so|because)\s")
"""Between clauses."""


class GenerousVerdicts:
    def __init__(self, subject: Subject, mentions: Mentions) -> None:
        self._plain = mentions.plain
        self._mentions = mentions
        self._ledger = ledger_of(mentions)
        self._cast = cast_of(subject, mentions)
        self._groups = Groups(mentions, self._cast, self._ledger)
        self._residue = residue_of(mentions)
        self._places = verdict_places_of(mentions)
        self._limits, self._each_limits = self._places.limits, self._places.each_limits

    def found(self) -> Iterator[Accusation]:
        for told, span in islice(self._places.every, _MOST):
            accused = self._hold(told, span)
            if accused is not None:
                yield accused

    def _hold(self, told: VerdictTold, span: Span) -> Accusation | None:
        part = self._part(told.span, span)
        if _DENIED.match(self._plain, told.span[1], span[1]):
            return None
        if _EACH.search(self._plain, *part) or self._residue.doubt(part, _MINDED):
            return None
        if not told.named and _OTHER_THAN_MONEY.search(self._plain, *self._clause(told.span, part)):
            return None
        if (gap := self._gap(told, span)) is not None:
            return self._of_gap(told, gap)
        if not (self._limits or told.named or self._each_limits):
            return None
        group = self._groups.before(told.span[0], part[0], span)
        if group is not None:
            return self._of_group(told, group, part)
        return self._of_costs(told, part, span)

    def _of_group(self, told: VerdictTold, group: GroupSaid, part: Span) -> Accusation | None:
        if not group.readings or _HYPOTHESIS.search(self._plain, *part):
            return None
        fits = told.fits is not (group.none and told.denied)
        for limit in told.limits:
            for costs in group.readings:
                fitting = sum(cost <= limit + _EXACT for cost in costs)
                if group.holds(fitting if fits else len(costs) - fitting, len(costs)):
                    return None
                if group.every and not fits and sum(costs) > limit:
                    return None  # together they break it
        shown = ", ".join(f"${one:,.2f}" for one in group.readings[0][:6])
        return self._accusation(told, f"of {shown}")

    def _gap(self, told: VerdictTold, span: Span) -> Figure | None:
        """By how much it is said to be: `seven cents within the limit`, `misses the limit by $3`."""
        before = self._ledger.within(span[0], told.span[0])[-1:]
        if (
            before
            and _BESIDE.fullmatch(self._plain, before[0].end, told.span[0])
            and (not _is_cost(before[0]) or self._is_off_a_limit(before[0], told, span))
        ):
            return before[0]
        behind = self._ledger.within(told.span[1], span[1])[:1]
        if behind and _BY.fullmatch(self._plain, told.span[1], behind[0].start):
            return behind[0]
        return None

    def _is_off_a_limit(self, figure: Figure, told: VerdictTold, span: Span) -> bool:
        """Whether the cost before an amount is so much off a limit: it is then none itself."""
        costs = self._ledger.within(span[0], figure.start)[-1:]
        limits = {*told.limits, *self._limits, *self._ledger.play.limits}
        return any(figure.holds(abs(cost.value - limit)) for cost in costs for limit in limits)

    def _of_gap(self, told: VerdictTold, gap: Figure) -> Accusation | None:
        """Wrong if every cost and limit that are so far apart lie the other way round."""
        costs = {one.value for one in self._ledger.figures if _is_cost(one) and not one.void}
        costs |= {one.price for one in self._ledger.play.all[:_MOST_COSTS]}
        pairs = [
            (cost, limit)
            for cost in sorted(costs)[:_MOST_COSTS]
            for limit in sorted({*told.limits, *self._limits, *self._ledger.play.limits})
            if abs(cost - limit) > _EXACT and gap.holds(abs(cost - limit))
        ]
        if (
            gap.void
            or gap.elsewhere
            or not pairs
            or any((cost > limit) is not told.fits for cost, limit in pairs)
        ):
            return None
        return self._accusation(told, f"of ${pairs[0][0]:,.2f} by {self._plain[gap.start : gap.end].strip()}")

    def _of_costs(self, told: VerdictTold, part: Span, span: Span) -> Accusation | None:
        behind = self._behind(told, span)
        bound = behind or self._adjoined(told, part)
        if self._each_limits and behind is None and not told.named:
            return None
        if _NONE.search(self._plain, part[0], told.span[0]) and not (told.denied or behind):
            return None
        added = _ADDED.search(self._plain, *span) is not None
        if bound is not None:
            costs = [bound.value]
            summed = _EQUALS.search(self._plain, max(part[0], bound.start - _SHORT), bound.start) is not None
            whole = bound.cue.kind == "total" or behind is not None or summed
        else:
            if _HYPOTHESIS.search(self._plain, *part):
                return None
            costs, whole = self._in_its_part(told, part, span), False
            costs += _rests(told, self._ledger, self._cast) if costs else []
        limits = [one for one in told.limits if bound is None or one != bound.value]
        if not costs or not limits or any(abs(cost - limit) < 0.02 for cost in costs for limit in limits):
            return None
        if told.fits:
            wrong = all(cost > limit for cost in costs for limit in limits)
        else:
            wrong = all(cost <= limit for cost in costs for limit in limits)
            sure = bound is None or (bound.exact and not bound.amount.approx)
            if wrong and not whole and (not sure or added or sum(costs) > min(limits)):
                return None
            if wrong and not whole and may_be_added(self._ledger, max(costs), part[0], limits, several=False):
                return None
        if not wrong:
            return None
        cost = min(costs) if told.fits else max(costs)
        if told.fits and told.named and cost > 2 * max(limits) and tells_unit_costs(self._ledger, span):
            return None
        return self._accusation(told, f"of ${cost:,.2f}")

    def _in_its_part(self, told: VerdictTold, part: Span, span: Span) -> list[float]:
        """What the costs are that a verdict may be on: at the head of its part it is a label (`under $15: the pens and the notes`), or a frame (`Under thirty, you cannot go wrong; both are $43.95`)."""
        costs = self._costs(told, part, span)
        if not _LABEL.fullmatch(self._plain, part[0], told.span[0]):
            return costs
        listed = self._groups.named(told.span[1], part[1])
        return listed or ([] if self._plain.startswith(",", told.span[1]) else costs)

    def _accusation(self, told: VerdictTold, of: str) -> Accusation:
        said = self._plain[slice(*told.span)].strip()
        limit = " or ".join(f"${one:,.2f}" for one in told.limits[:3])
        verb = "keep to" if told.fits else "break"
        why = f"said {said!r} {of}: no cost in sight would {verb} {limit}"
        return Accusation("verdict_told", told.span, why, Certainty.SENTENCE)

    def _clause(self, where: Span, part: Span) -> Span:
        """From the comma before a verdict's subject to the break behind it."""
        low = max((match.end() for match in _BREAK.finditer(self._plain, part[0], where[0])), default=part[0])
        behind = _BREAK.search(self._plain, where[1], part[1])
        return low, behind.start() if behind else part[1]

    def _part(self, where: Span, span: Span) -> Span:
        """Between the semicolons and colons around a verdict."""
        low = max(self._plain.rfind(stop, span[0], where[0]) for stop in ";:")
        high = min(
            (at for stop in ";" if (at := self._plain.find(stop, where[1], span[1])) >= 0), default=span[1]
        )
        return max(low + 1, span[0]), high

    def _behind(self, told: VerdictTold, span: Span) -> Figure | None:
        """The cost right behind a verdict: `passes at $1.12`."""
        after = self._ledger.within(told.span[1], span[1])[:1]
        if not after or after[0].void or after[0].cue.kind not in ("price", "none", "total", "unit"):
            return None
        return after[0] if _AT_COST.fullmatch(self._plain, told.span[1], after[0].start) else None

    def _adjoined(self, told: VerdictTold, part: Span) -> Figure | None:
        """The cost right before a verdict: `$51.90, which is within your $50`."""
        before = [one for one in self._ledger.within(part[0], told.span[0]) if not one.void]
        if not before or not _is_cost(before[-1]) or before[-1].elsewhere:
            return None
        between = self._plain[before[-1].end : told.span[0]]
        return before[-1] if _LED.fullmatch(between) else None

    def _costs(self, told: VerdictTold, part: Span, span: Span) -> list[float]:
        """Every cost of its part of the sentence; where it has none, every price of what the sentence names before it."""
        here = [one for one in self._ledger.within(*part) if not told.span[0] <= one.start < told.span[1]]
        if any(one.cue.kind == "unit" or one.void or one.elsewhere for one in here):
            return []
        costs = [one.value for one in here if _is_cost(one)]
        if costs:
            sentence = [one.value for one in self._ledger.within(*span) if _is_cost(one)]
            if not told.fits and any(one.amount.approx for one in here):
                return []
            return [one for one in sentence if one not in told.limits]
        named = self._groups.named(span[0], span[1])
        if not named or not self._groups.named(span[0], told.span[0]):
            return []
        plus = _PLUS.search(self._plain, span[0], told.span[0])
        return named if plus is None or len(named) > 1 else self._groups.with_a(plus["noun"], named[0])


def _rests(told: VerdictTold, ledger: MoneyLedger, cast: Cast) -> list[float]:
    """What is left, where it is held against a price: `with $13.02 left. That is just short of the $13.99 box`."""
    line = cast.prose.line_at(told.span[0])
    if line is None or not told.named or any(one in ledger.play.limits for one in told.limits):
        return []
    if not any(abs(one - each.price) < _EXACT for one in told.limits for each in ledger.play.all):
        return []
    return [one.value for one in ledger.within(line.start, line.end) if one.cue.kind == "rest"]


def _is_cost(figure: Figure) -> bool:
    return figure.cue.kind in ("price", "none", "total")


def generous_verdicts(subject: Subject, mentions: Mentions) -> Iterator[Accusation]:
    """Verdicts on a limit that nothing in sight bears out."""
    yield from GenerousVerdicts(subject, mentions).found()
    yield from islice(LimitAnswers(subject, mentions).found(), _MOST)
    yield from islice(echoed_verdicts(subject, mentions), _MOST)
    yield from limits_standing(subject, mentions)
    yield from verdicts_beside(subject, mentions)
