"""A verdict on a limit right beside what something costs: `at $50.99 also fits`, `that's $33.98, which is more than your $35`, `squeezes in at $44.99`.

What else its sentence says alters nothing then, but what makes another cost of this one (`opened.py`). It is held against every limit in sight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from drr.eval.checks.base import Accusation, Span, Subject
from drr.eval.checks.cast import cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.marked import marked_denials_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.around import DENIAL
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.generous.opened import Opened, may_be_added, tells_unit_costs
from drr.eval.checks.money.generous.places import VerdictTold, verdict_places_of
from drr.eval.checks.money.ledger import ledger_of
from drr.wording.marks import MARKS
from drr.wording.money import every_amount
from drr.wording.plain_verdicts import PLAIN_VERDICTS, PlainVerdict

_EXACT = 0.005
_MOST = 120
_NEAR = 200
"""Characters before a paragraph in which a limit of its own is named."""
_OPENS = re.compile(r"[\s*_)\],;:—–-]{0,8}(?:\([^()]{0,90}\)[\s,*_—–-]{0,6})?")
"""Behind an amount, before the words that lead to a verdict."""
_AT = re.compile(
    r"[\s*_]{0,3}(?:,?\s(?:even\s|still\s)?(?:at|for)|:(?:[\s*_]{0,200}[,(–—-])?|,|\s\()[\s*_]{0,3}(?:just\s|only\s|even\s)?[*_(]{0,3}",
    re.I,
)
"""Between a verdict and the cost behind it."""
_DENIED = re.compile(rf"\s?{DENIAL}", re.I)
_MONTHLY = re.compile(r"\b(?:a|per|each|every|one) (?:month|week)\b|/month", re.I)
_PERIODS = re.compile(r"\b(?:months?|weeks?|years?|days?|quarter)\b", re.I)
_NOT_LED = re.compile(r"\b(?:not|never|no longer|cannot|hardly)\b[^.;:,]{0,24}$|n['’]t\b[^.;:,]{0,24}$", re.I)
_THAT = re.compile(r"[\s*_]{0,4}(?:that|which|this|it|so that|together|all of it)\b", re.I)
_MAKES = re.compile(
    r"(?:\b(?:that['’]s|that is|that would be|it would be|makes?(?: it| that)?|comes? to|becomes?|be at|totals?|(?:brings?|takes?|lifts?|raises?|pushes) [^.;:$]{1,40} to)|=|→)[\s*_]{1,4}(?:only |just )?[*_]{0,3}$",
    re.I,
)
"""Before a cost that is what everything comes to."""
_ADDS = re.compile(r"\b(?:adds?|adding|another|extra|plus)\s[*_]{0,3}$", re.I)
_IN_BRACKETS = re.compile(r"[\s*_]{1,3}\(")
_PLACE = re.compile(
    r"(?:(?:is|are)\s)?(?:too|over|above|past|beyond|outside|under|below|beneath|within|inside|in|short|shy|south|north|on|this|more|less|out)\b",
    re.I,
)
"""Right behind an amount these say where something is by so much."""
_ENDED = re.compile(
    r"[\s*_]{0,4}(?:(?:in all|in total|altogether|together|all told)\b)?[\s*_)]{0,4}\.[\s*_]{0,4}", re.I
)


class VerdictCost(NamedTuple):
    """What a verdict is on."""

    figure: Figure | None
    cost: float
    span: Span
    denied: bool
    """By a `not` between the two."""
    total: bool = False
    """It is what everything comes to."""


class VerdictHeld(NamedTuple):
    """A verdict, what it is on, and whether no limit in sight bears it out."""

    span: Span
    fits: bool
    cost: float
    limits: Sequence[float]
    wrong: bool


class VerdictsBeside:
    def __init__(self, subject: Subject, mentions: Mentions) -> None:
        self._mentions, self._plain = mentions, mentions.plain
        self._ledger = ledger_of(mentions)
        self._cast = cast_of(subject, mentions)
        self._places = verdict_places_of(mentions)
        self._marked = marked_denials_of(mentions)
        self._opened = Opened(mentions)
        monthly = self._places.each_limits if _MONTHLY.search(subject.query or "") else []
        self._monthly = bool(monthly)
        self._limits = [*self._places.limits, *monthly]
        asked = [one.value for one in every_amount(subject.query or "")]
        if len(asked) > 1:
            self._limits.append(sum(asked))

    def every(self) -> Iterator[VerdictHeld]:
        for line in self._mentions.layout.lines:
            if line.cells or line.kind == "heading":
                continue
            head = MARKS.head(self._plain[line.start : line.end])
            for span in [] if head is not None and not head.affirmed else self._mentions.sentences(line):
                for one in PLAIN_VERDICTS.places(self._plain, span):
                    held = self._plainly(one, span)
                    if held is not None:
                        yield held
        for told, span in self._places.every:
            held = self._named(told, span)
            if held is not None:
                yield held

    def _plainly(self, one: PlainVerdict, span: Span) -> VerdictHeld | None:
        where, part = (one.start, one.end), self._part((one.start, one.end), span)
        if not self._limits or _DENIED.match(self._plain, one.end, span[1]) or self._marked.at(one.start):
            return None
        if self._monthly and _PERIODS.search(self._plain, *part):
            return None
        bound = self._bound(where, span) or self._called(where, span)
        if bound is None or (len(self._places.each_limits) > 0 and not self._monthly):
            return None
        fits = one.fits is not bound.denied
        if fits and self._opened.by_each(part, total=bound.total):
            return None
        if fits and self._opened.by_another_test(where, span):
            return None
        if not fits and (self._opened.by_taste(where, span) if one.costs else not bound.total):
            return None
        asked = fits or not bound.total
        if self._opened.by_its_words(
            where, part, sized=part[0] if one.costs else max(where[1], bound.span[1]), asked=asked, made=False
        ):
            return None
        return self._held(where, fits, bound, self._limits, part)

    def _named(self, told: VerdictTold, span: Span) -> VerdictHeld | None:
        if self._places.each_limits and not (told.named or self._monthly):
            return None
        bound, part = self._bound(told.span, span), self._part(told.span, span)
        if bound is None or _DENIED.match(self._plain, told.span[1], span[1]):
            return None
        if told.fits and not told.named and self._opened.by_each(part, total=bound.total):
            return None
        asked = not told.named and (told.fits or not bound.total)
        made = bound.total and bound.span[1] <= told.span[0]
        if self._opened.by_its_words(
            told.span,
            part,
            sized=part[0] if told.named else max(told.span[1], bound.span[1]),
            asked=asked,
            made=made,
        ):
            return None
        return self._held(told.span, told.fits, bound, told.limits, part, named=told.named)

    def _part(self, where: Span, span: Span) -> Span:
        """Between the semicolons around a verdict."""
        low = max(self._plain.rfind(";", span[0], where[0]) + 1, span[0])
        high = self._plain.find(";", where[1], span[1])
        return low, high if high > 0 else span[1]

    def _held(
        self,
        where: Span,
        fits: bool,
        bound: VerdictCost,
        limits: Sequence[float],
        part: Span,
        *,
        named: bool = False,
    ) -> VerdictHeld | None:
        """`named`: the limit stands in the words as well as the cost."""
        cost = bound.cost
        if not limits or cost in self._places.limits or cost in limits:
            return None
        if fits:
            others = [] if named else self._others(where, part)
            wrong = all(cost > limit + _EXACT for limit in limits) and all(one < cost for one in others)
            of_units = named and cost > 2 * max(limits) and tells_unit_costs(self._ledger, part)
            wrong = wrong and not of_units
        else:
            rests = [
                one.value for one in self._ledger.within(0, where[1]) if one.cue.kind in ("rest", "unit")
            ]
            summed = bound.total and (
                named or (bound.figure is not None and bound.figure.cue.kind == "total")
            )
            wrong = all(cost < limit - _EXACT for limit in [*limits, *([] if summed else rests)])
            wrong = wrong and not self._opened.by_more(where, bound.span, part, total=bound.total)
            several = self._opened.on_several(where)
            wrong = wrong and (
                bound.total or not may_be_added(self._ledger, cost, where[0], limits, several=several)
            )
        return VerdictHeld(where, fits, cost, limits, wrong)

    def _others(self, where: Span, part: Span) -> Iterator[float]:
        """Amounts of the paragraph that are no cost to the cent: any of them may be a limit."""
        line = self._cast.prose.line_at(part[0])
        low = part[0] if line is None else line.start
        for one in self._ledger.within(max(0, low - _NEAR), part[1]):
            entry = self._ledger.by_start.get(one.start)
            if not (_is_cost(one) and one.exact and entry is not None and entry.status == "explained"):
                yield one.value

    # What a verdict is on.

    def _bound(self, where: Span, span: Span) -> VerdictCost | None:
        for one, denied in self._led(where, span):
            return self._of(one, span, denied=denied) if _is_sure(one) else None
        led = _NOT_LED.search(self._plain, max(span[0], where[0] - 40), where[0])
        for one in self._ledger.within(where[1], span[1])[:1]:
            if _AT.fullmatch(self._plain, where[1], one.start) and _is_sure(one):
                return self._of(one, span, denied=led is not None)
        return self._last(where, span)

    def _of(self, figure: Figure, span: Span, *, denied: bool) -> VerdictCost:
        makes = _MAKES.search(self._plain, max(span[0], figure.start - 60), figure.start)
        priced = any(abs(one.price - figure.value) < _EXACT for one in self._ledger.play.all)
        total = (figure.cue.kind == "total" and not priced) or makes is not None
        return VerdictCost(figure, figure.value, (figure.start, figure.end), denied, total)

    def _led(self, where: Span, span: Span) -> Iterator[tuple[Figure, bool]]:
        """The cost right before a verdict, and whether this is denied of it; by how much it is one may stand between."""
        end = where[0]
        for one in reversed(self._ledger.within(span[0], where[0])[-2:]):
            blank = not self._plain[one.end : end].strip(" *_")
            blank = blank and (end < where[0] or _PLACE.match(self._plain, where[0]) is not None)
            denied = self._leads(one.end, end)
            if not blank and denied is not None and not self._adds(one, where, span):
                yield one, denied
            if not blank or end < where[0]:
                return
            end = one.start

    def _adds(self, figure: Figure, where: Span, span: Span) -> bool:
        """`adds $34 and also fits ($113.93)`: what it comes to stands behind."""
        adds = _ADDS.search(self._plain, max(span[0], figure.start - 24), figure.start)
        behind = self._ledger.within(where[1], span[1])[:1]
        return bool(adds and behind and _IN_BRACKETS.fullmatch(self._plain, where[1], behind[0].start))

    def _leads(self, low: int, high: int) -> bool | None:
        opens = _OPENS.match(self._plain, low, high)
        return PLAIN_VERDICTS.leads(self._plain[opens.end() if opens else low : high])

    def _last(self, where: Span, span: Span) -> VerdictCost | None:
        """`Both make $73.99. That goes over your $80`: the total at the end of the sentence before."""
        that = _THAT.match(self._plain, *span)
        near = self._ledger.within(max(0, span[0] - 60), span[0])[-1:]
        if that is None or not near or not _is_sure(near[0]):
            return None
        denied = PLAIN_VERDICTS.leads(self._plain[that.end() : where[0]].lstrip(" *_"))
        if denied is None or _ENDED.fullmatch(self._plain, near[0].end, span[0]) is None:
            return None
        if that[0].strip(" *_").casefold() == "it" and near[0].cue.kind != "total":
            return None
        return VerdictCost(near[0], near[0].value, (near[0].start, near[0].end), denied, True)

    def _called(self, where: Span, span: Span) -> VerdictCost | None:
        """The price of what is named right before."""
        for one in self._cast.within(span[0], where[0])[-1:]:
            product = self._cast.products.get(next(iter(one.products)) if len(one.products) == 1 else "")
            denied = self._leads(one.end, where[0])
            if denied is not None and product is not None and product.price is not None:
                return VerdictCost(None, product.price, (one.start, one.end), denied)
        return None


def _is_cost(figure: Figure) -> bool:
    return figure.cue.kind in ("price", "none", "total")


def _is_sure(figure: Figure) -> bool:
    return _is_cost(figure) and not (figure.void or figure.elsewhere or figure.amount.approx)


def verdicts_beside(subject: Subject, mentions: Mentions) -> Iterator[Accusation]:
    """Those that every limit in sight speaks against."""
    for held in islice(VerdictsBeside(subject, mentions).every(), _MOST):
        if held.wrong:
            said = mentions.plain[slice(*held.span)].strip()
            limit = " or ".join(f"${one:,.2f}" for one in held.limits[:3])
            verb = "keep to" if held.fits else "break"
            why = f"said {said!r} of ${held.cost:,.2f}, which does not {verb} {limit}"
            yield Accusation("verdict_told", held.span, why, Certainty.SENTENCE)
