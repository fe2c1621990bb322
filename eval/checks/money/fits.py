"""What a report says keeps to the limit or breaks it, held against what it costs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

from drr.eval.checks.base import Span
from drr.eval.checks.cast import cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.marked import marked_denials_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.around import asks_for_a_limit, cells_asked, is_hinted
from drr.eval.checks.money.figures import Figure
from drr.eval.checks.money.generous.groups import GROUP
from drr.eval.checks.money.generous.limits import prices_asked
from drr.eval.checks.money.generous.opened import Opened
from drr.eval.checks.money.ledger import LedgerEntry, MoneyLedger
from drr.eval.checks.residue import residue_of
from drr.wording.limits import thresholds
from drr.wording.marks import MARKS
from drr.wording.money import every_amount
from drr.wording.numbers import SPOKEN
from drr.wording.verdicts import VERDICTS

_EXACT = 0.005
_ANSWER = re.compile(rf"[\s*_]*(?:(?P<yes>yes|{MARKS.yes})|(?P<no>no|{MARKS.no}))[\s*_]*", re.I)
_RECOMMENDS = re.compile(
    r"\b(?:recommend(?:ed|ing|s|ations?)?|picks?|best|choose|buy|get|go (?:with|for)|i(?:'d|’d| would) (?:take|get|go|buy|choose|pick)|top|winner|order|take|suggest(?:ed|s)?|shortlist|choice)\b",
    re.I,
)
_OF_AN_ORDER = re.compile(
    r"\b(?:your|his|her|their|my|our|the|an?|this|that|each|every|first|last|latest)\s(?:[\w-]{1,16}\s){0,2}$",
    re.I,
)
"""Before `order`: one that was made, and no advice to make it."""
_OF_BEFORE = re.compile(r"[\s*_>•-]{0,6}(?:that|this|which|it|these|those|they|both)\b", re.I)
_ADDED = re.compile(
    r"\b(?:on top|add(?:ed|ing|s)?|plus|with (?:it|them|both|the|that|those|all)|together|both|all|also|even|another|second|more)\b",
    re.I,
)
"""A limit that is broken with something may be broken by that."""
_AFRESH = re.compile(r";|,\s(?:and|but|while|whereas|though|although|yet|only)\s|\s[—–-]\s|—", re.I)
"""Where a sentence begins anew."""

_SOME_OF = re.compile(rf"\b(?:{SPOKEN}|some|most|not\sall)\sof\b", re.I)


class SaidFit(NamedTuple):
    """One sentence's verdict on one cost."""

    span: Span
    holds: bool
    why: str
    bound: Certainty
    doubt: str | None = None


_OTHERWISE = re.compile(
    r"[;,]\s(?:[^.;\n]|\.(?=\d)){1,240}\b(?:does|do|is|are|would)(?:\snot|n['’]t)(?=[\s*_]{0,3}(?:[,.;:)]|$|though\b|but\b))",
    re.I,
)
"""`it stays under your $35; the other at $43.95 does not`: the verdict before is denied of another thing."""


_EACH = re.compile(
    r"\b(?:each|either)(?:\s(?:one|of\s(?:them|these|those|the\s(?:two|three|four))))?\s(?:is|fits?|stays?|sits?|comes?|keeps?|lands?|falls?)\b",
    re.I,
)
"""Beside a total: the verdict is on the things, not on what they come to."""


class FitClaims:
    """The sentences that say whether a limit is kept, and those that own that it is not."""

    def __init__(self, mentions: Mentions, ledger: MoneyLedger, limits: Sequence[float]) -> None:
        self._mentions = mentions
        self._ledger = ledger
        self._residue = residue_of(mentions)
        self._opened = Opened(mentions)
        self.is_hinted = partial(is_hinted, mentions, ledger)
        alone = only_amount(mentions.subject.query)
        self.limits = limits or ([] if alone is None else [alone])
        marked = self._marked = marked_denials_of(mentions)
        self._owns = cache(lambda span: marked.denies_a_limit(span) or _may_break(mentions, span))

    def claims(self) -> Iterator[SaidFit]:
        if len(self.limits) != 1:
            return
        for span in self._sentences():
            said = self._claim(span, self.limits[0])
            yield from self._by_clause(span, self.limits[0]) if said is None else [said]
        yield from _answered(self._mentions, self._ledger, self.limits[0])

    def _sentences(self) -> Iterator[Span]:
        for line in self._mentions.layout.lines:
            if not line.cells:
                yield from self._mentions.sentences(line)

    def _claim(self, span: Span, limit: float) -> SaidFit | None:
        """A verdict counts where every cost of its sentence is on one side of the limit."""
        text = self._mentions.plain[slice(*span)]
        if _OTHERWISE.search(text):
            return None
        totals = [one for one in self._ledger.within(*span) if one.cue.kind == "total" and not one.void]
        one_total = len(totals) == 1 and self._is_explained(totals[0]) and not totals[0].holds(limit)
        if one_total and self._is_on_each(span):
            return None
        verdict = VERDICTS.verdict(text, limit, would_be=one_total)
        if verdict not in ("fits", "breaks") or _is_on_some(text, limit):
            return None
        verdict = "breaks" if self._marked.denies_a_limit(span) else verdict
        costs = [totals[0].value] if one_total else self._costs(span, limit)
        over = [cost > limit + _EXACT for cost in costs]
        if (
            not costs
            or any(over) != all(over)
            or _is_of_another_part(
                self._mentions.plain[slice(*span)], span[0], self._ledger.within(*span), limit
            )
        ):
            return None
        if verdict == "breaks" and not over[0] and _ADDED.search(text) and not self._has_total(span):
            return None
        if over[0] is (verdict == "breaks"):
            return SaidFit(span, True, "", Certainty.CLAUSE)
        cost = max(costs) if over[0] else min(costs)
        told = "keep to" if verdict == "fits" else "break"
        why = f"${cost:,.2f} is said to {told} the limit of ${limit:,.2f}"
        doubt = self._doubt(span, costs, limit, summed=one_total)
        if doubt is None and not one_total:
            doubt = self._opened.of_one_cost(span, limit, self._ledger, fits=over[0])
        return SaidFit(span, False, why, Certainty.CLAUSE, doubt)

    def _by_clause(self, span: Span, limit: float) -> Iterator[SaidFit]:
        """Of a sentence with several costs or verdicts: each verdict on the one cost before it, or on the one thing it speaks of."""
        low = span[0]
        for said in VERDICTS.places(self._mentions.plain[slice(*span)], limit):
            start, end = span[0] + said.start, span[0] + said.end
            costs = [] if self._is_on_each((low, end)) else self._costs_before(low, start, limit)
            low = end
            if len(costs) != 1 or abs(costs[0] - limit) < _EXACT:
                continue
            added = _ADDED.search(self._mentions.plain, *span) is not None
            if added and not said.fits and costs[0] <= limit and not self._has_total(span):
                continue
            fits = said.fits and not self._marked.at(start)
            holds = (costs[0] <= limit + _EXACT) is fits
            told = "keep to" if fits else "break"
            why = f"${costs[0]:,.2f} is said to {told} the limit of ${limit:,.2f}"
            doubt = self._residue.doubt(span, ("unreal", "altered", "charged", "pace"))
            yield SaidFit((start, end), holds, why, Certainty.CLAUSE, doubt)

    def _is_on_each(self, span: Span) -> bool:
        """Of things that are summed right before."""
        return self._has_total(span) and _EACH.search(self._mentions.plain, *span) is not None

    def _costs_before(self, low: int, start: int, limit: float) -> list[float]:
        here = [one for one in self._ledger.within(low, start) if one.cue.kind != "limit"]
        if here:
            whole = all(_is_cost(one) and not one.holds(limit) and self._is_explained(one) for one in here)
            return [one.value for one in here] if whole else []
        if self._ledger.play.many_in((low, start)):
            return []
        meant = cast_of(self._mentions.subject, self._mentions).meant_at(start, start + 1)
        named = [one.price for one in self._ledger.play.all if one.product_id == meant.only]
        return named if meant.certain and meant.bound >= Certainty.SENTENCE else []

    def _doubt(self, span: Span, costs: Sequence[float], limit: float, *, summed: bool) -> str | None:
        """Whether the sentence has amounts beside the cost and the limit, words of other things, or speaks of what was said before."""
        if not summed and _OF_BEFORE.match(self._mentions.plain, *span):
            return "it may be said of what stands before"
        for one in self._ledger.within(*span):
            if one.cue.kind == "unit" or not (
                summed
                or one.cue.kind in ("gap", "rest", "limit", "total")
                or one.holds(limit)
                or one.value in costs
            ):
                return "another amount of its sentence may be what is held against the limit"
        return self._residue.doubt(span)

    def _is_explained(self, figure: Figure) -> bool:
        return (entry := self._ledger.by_start.get(figure.start)) is not None and entry.status == "explained"

    def _costs(self, span: Span, limit: float) -> list[float]:
        """The costs that a sentence states, else the price of the one product that it cites."""
        figures = self._ledger.within(*span)
        if any(one.cue.kind == "unit" for one in figures):
            return [one.value for one in figures if one.cue.kind in ("unit", "price", "none", "total")]
        costs = [one.value for one in figures if _is_cost(one) and not one.holds(limit)]
        if costs or any(one.cue.kind == "total" for one in figures):
            return costs
        products = self._ledger.play.within(*span)
        return [products[0].price] if len(products) == 1 else []

    def owned(self, product_id: str) -> bool:
        """Whether the report says, where it speaks of a product, that this one is over the limit or is not meant to be bought."""
        return any(self._owns(span) for span in self._about(product_id))

    def owned_at(self, span: Span) -> bool:
        """The same of a cost, where it stands."""
        layout = self._mentions.layout
        index = max(bisect_right(layout.starts, span[0]) - 1, 0)
        head = layout.lines[layout.opened_by[index]]
        answers = (
            _ANSWER.fullmatch(self._mentions.plain, *cell)
            for cell in cells_asked(layout.lines, self._mentions.plain, index, span[0])
        )
        if any(one is not None and one["no"] for one in answers):
            return True
        beside = (one for one in self._mentions.sentences(layout.lines[index]) if one[0] <= span[0] < one[1])
        return any(
            self._owns(one)
            for one in ((head.start, head.end), *beside, *_next_sentence(self._mentions, index, span))
        )

    def would_be(self, span: Span) -> bool:
        """Whether the sentence of a cost speaks of what would be, or of another choice."""
        layout = self._mentions.layout
        line = layout.lines[max(bisect_right(layout.starts, span[0]) - 1, 0)]
        around = (one for one in self._mentions.sentences(line) if one[0] <= span[0] < one[1])
        return any(self._residue.doubt(one, ("conditional", "altered")) is not None for one in around)

    def recommends(self, span: Span) -> bool:
        """Whether the sentence, the line or the heading of a cost says to buy."""
        layout = self._mentions.layout
        index = max(bisect_right(layout.starts, span[0]) - 1, 0)
        line, head = layout.lines[index], layout.lines[layout.opened_by[index]]
        spans = [(head.start, head.end), (line.start, line.end)] if line.cells or line.kind != "text" else []
        spans += [one for one in self._mentions.sentences(line) if one[0] <= span[0] < one[1]]
        return any(_advises(self._mentions.plain[slice(*one)]) for one in spans)

    def _has_total(self, span: Span) -> bool:
        return any(one.cue.kind == "total" for one in self._ledger.within(*span))

    def entry_at(self, place: int) -> LedgerEntry | None:
        return self._ledger.by_start.get(place)

    def is_priced_beside(self, figure: Figure) -> bool:
        """Whether an amount may be the price of a product that its line cites."""
        line = self._mentions.layout.lines[figure.line]
        return any(figure.holds(one.price) for one in self._ledger.play.within(line.start, line.end))

    def owner_at(self, place: int) -> str | None:
        """The product whose price stands at a place."""
        entry = self._ledger.by_start.get(place)
        return entry.owner.product_id if entry is not None and entry.owner is not None else None

    def _about(self, product_id: str) -> Iterator[Span]:
        """Each sentence that cites or names a product, the one behind it, the lines that hang on it, and its heading."""
        layout, play = self._mentions.layout, self._ledger.play
        for index, line in enumerate(layout.lines):
            if not play.speaks_of(product_id, line.start, line.end):
                continue
            head = layout.lines[layout.opened_by[index]]
            yield head.start, head.end
            for span in [(line.start, line.end)] if line.cells else self._mentions.sentences(line):
                if play.speaks_of(product_id, *span):
                    yield span
                    yield from _next_sentence(self._mentions, index, span)


def _answered(mentions: Mentions, ledger: MoneyLedger, limit: float) -> Iterator[SaidFit]:
    """Yes or no under a head such as "Within budget?", beside the one amount of the row."""
    plain = mentions.plain
    for line in mentions.layout.lines:
        if line.kind != "row":
            continue
        figures = [one for one in ledger.within(line.start, line.end) if not one.void]
        for (low, high), head in zip(line.cells, line.header, strict=False):
            answer = _ANSWER.fullmatch(plain, low, high)
            if answer is None or not asks_for_a_limit(head) or len(figures) != 1:
                continue
            own = every_amount(head)
            most = own[0].value if len(own) == 1 else limit
            fits = figures[0].value <= most + _EXACT
            yield SaidFit(
                (low, high),
                fits is bool(answer["yes"]),
                f"${figures[0].value:,.2f} is said to be {answer[0].strip()} of {head!r}",
                Certainty.CELL,
            )


def _next_sentence(mentions: Mentions, index: int, span: Span) -> Iterator[Span]:
    """What follows on the line, and the lines that hang on it."""
    lines = mentions.layout.lines
    yield from [one for one in mentions.sentences(lines[index]) if one[0] > span[0]][:1]
    for line in lines[index + 1 : index + 8]:
        if line.kind != "item" or line.indent <= lines[index].indent:
            return
        yield line.start, line.end


def _may_break(mentions: Mentions, span: Span) -> bool:
    return VERDICTS.may_break(mentions.plain[slice(*span)])


def _is_of_another_part(text: str, start: int, figures: Sequence[Figure], limit: float) -> bool:
    """Whether all costs of a sentence stand where it begins anew behind its verdict, which is on several things: `all three fit, and the black one is $80`."""
    places = list(VERDICTS.places(text, limit, would_be=True))
    costs = [one.start - start for one in figures if _is_cost(one) and not one.holds(limit)]
    if len(places) != 1 or not costs:
        return False
    end = len(text[: places[0].end].rstrip(" ,;"))
    return (
        _AFRESH.search(text, end, max(costs[0], end)) is not None and GROUP.search(text, 0, end) is not None
    )


def _is_on_some(text: str, limit: float) -> bool:
    """Whether a verdict is on some of what is listed behind it: `two of these three fit $35: the kettle? No.`"""
    first = next(iter(VERDICTS.places(text, limit, would_be=True)), None)
    return (
        first is not None and ":" in text[first.end :] and _SOME_OF.search(text, 0, first.start) is not None
    )


def _advises(text: str) -> bool:
    """Whether a stretch has a word of advice; an order that was made is none."""
    return any(
        one[0].casefold() != "order" or not _OF_AN_ORDER.search(text[max(0, one.start() - 60) : one.start()])
        for one in _RECOMMENDS.finditer(text)
    )


def only_amount(question: str | None) -> float | None:
    """Of a question that names one amount of money, that one: its limit, if its answer speaks of one and it is neither a price nor what an offer asks for."""
    asked = every_amount(question or "")
    no_limit = asked and (thresholds(question or "") or prices_asked(question or ""))
    return asked[0].value if len(asked) == 1 and not no_limit else None


def _is_cost(figure: Figure) -> bool:
    return figure.cue.kind in ("price", "none", "total") and not figure.void and not figure.elsewhere
