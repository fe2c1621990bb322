"""Before an accusation is made: whether any reading makes the statement true. One that is found withholds it, and is its reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from drr.eval.checks.accusing.agreed import of_a_list
from drr.eval.checks.accusing.cells_worked import follows_from_cells, over_a_time
from drr.eval.checks.accusing.listed import ListedAmounts
from drr.eval.checks.accusing.lowered_costs import a_lowered_price, of_a_lowered_price
from drr.eval.checks.accusing.no_detail import no_detail_of
from drr.eval.checks.accusing.of_others import OfOthers
from drr.eval.checks.accusing.otherwise import Otherwise
from drr.eval.checks.accusing.own_orders import OwnOrders
from drr.eval.checks.accusing.reach import AmountsReached
from drr.eval.checks.accusing.rounded import is_by_a_rounded_number
from drr.eval.checks.base import Accusation, Span
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.considered.worded import worded_of
from drr.eval.checks.in_text.spread_costs import is_spread
from drr.eval.checks.leftover.said import SaidFigure
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.ledger import ledger_of
from drr.eval.checks.taken_together import is_of_several

VERSION = 19
_FIRM = {
    "price": frozenset({Certainty.CLAUSE, Certainty.ADJOINED}),
    "sum": frozenset({Certainty.SCOPE}),
}
"""How an amount is bound so that few ways lead to it."""


class TrueReadings:
    """Of one report."""

    def __init__(self, mentions: Mentions) -> None:
        self._mentions = mentions
        self._held = sight_of(mentions).held
        self._reach = AmountsReached(self._held, mentions)
        self._own = OwnOrders(self._held, mentions)
        self._listed = ListedAmounts(self._held, mentions.plain, mentions.layout)
        self._others, self._else = OfOthers(self._held, mentions), Otherwise(self._held, mentions)

    def why(self, one: Accusation) -> str | None:
        """What makes an accused statement true; `None` where nothing does."""
        some = _READINGS.get(one.kind or "", ())
        return next((why for reading in some if (why := reading(self, one)) is not None), None)

    def reached(self, one: Accusation) -> str | None:
        figure = self._figure(one.span)
        if figure is None or _is_beside_its_thing(one):
            return None
        kind = one.kind or ""
        if one.kind == "sum" and one.bound == Certainty.SCOPE and not of_a_list(one.span[0], self._mentions):
            return self._reach.why(figure, kind, firm=False)
        return self._reach.why(figure, kind, firm=one.bound in _FIRM.get(kind, ()))

    def plain(self, one: Accusation) -> str | None:
        if _is_beside_its_thing(one):
            return None
        figure = self._figure(one.span)
        made = figure is not None and worded_of(self._mentions).is_made(figure)
        return "what stands beside it comes to it, read in the plainest way" if made else None

    def lowered(self, one: Accusation) -> str | None:
        return of_a_lowered_price(self._mentions, one.span[0])

    def reduced(self, one: Accusation) -> str | None:
        return a_lowered_price(self._mentions, one.span[0])

    def another(self, one: Accusation) -> str | None:
        figure = self._figure(one.span)
        return None if figure is None else self._others.another(one, figure)

    def several(self, one: Accusation) -> str | None:
        figure = self._figure(one.span)
        bound = one.bound or Certainty.INFERRED
        return None if figure is None or bound > Certainty.CLAUSE else self._else.several(figure)

    def ratings(self, one: Accusation) -> str | None:
        figure = self._figure(one.span)
        if figure is None:
            return self._else.in_a_date(one)
        return self._others.ratings(figure)

    def quality(self, one: Accusation) -> str | None:
        return self._others.quality(one)

    def set_against(self, one: Accusation) -> str | None:
        return self._others.set_against(one)

    def quantity(self, one: Accusation) -> str | None:
        return self._else.quantity(one)

    def together(self, one: Accusation) -> str | None:
        made = is_of_several(self._held, self._mentions.plain, one.span)
        return "several things of its paragraph come to it together" if made else None

    def no_detail(self, one: Accusation) -> str | None:
        return no_detail_of(self._mentions).why(one)

    def cell(self, one: Accusation) -> str | None:
        figure = self._figure(one.span)
        made = figure is not None and follows_from_cells(self._held, self._mentions.plain, figure)
        return "two cells of its column or row come to it" if made else None

    def listed(self, one: Accusation) -> str | None:
        figure = self._figure(one.span)
        firm = one.bound in (Certainty.CELL, Certainty.SCOPE)
        return None if figure is None else self._listed.why(figure, one.kind or "", firm=firm)

    def spread(self, one: Accusation) -> str | None:
        made = is_spread(self._mentions, one.span[0])
        return "something in sight comes to it over a time that is said beside it" if made else None

    def rounded(self, one: Accusation) -> str | None:
        figure = self._figure(one.span)
        made = figure is not None and is_by_a_rounded_number(self._held, figure)
        return "an amount beside it comes to it by a number that is rounded" if made else None

    def in_time(self, one: Accusation) -> str | None:
        figure = self._figure(one.span)
        made = figure is not None and over_a_time(self._held, self._mentions.plain, figure)
        return "its row comes to it over the time of its head" if made else None

    def day(self, one: Accusation) -> str | None:
        return self._else.day(one)

    def so_often(self, one: Accusation) -> str | None:
        return self._else.so_often(one)

    def mark(self, one: Accusation) -> str | None:
        return self._else.mark(one)

    def some_orders(self, one: Accusation) -> str | None:
        return self._else.some_orders(one)

    def verdict(self, one: Accusation) -> str | None:
        return self._else.verdict(one)

    def then(self, one: Accusation) -> str | None:
        return self._else.then(one) if one.bound == Certainty.SCOPE else None

    def apart(self, one: Accusation) -> str | None:
        figure = self._figure(one.span)
        return None if figure is None else self._others.apart(figure)

    def unlinked(self, one: Accusation) -> str | None:
        return self._else.more_of_what_is_not_linked(one)

    def stranger(self, one: Accusation) -> str | None:
        """`The Nuthatch hearts would have cost $17.00 more`, where nothing that is cited goes by that name."""
        close, _ = self._held.around(one.span[0])
        name = ledger_of(self._mentions).play.stranger_in((close[0], one.span[0]))
        return None if name is None else f"it may be of {name}, which is not linked"

    def nothing_named(self, one: Accusation) -> str | None:
        return self._else.nothing_named(one)

    def linked(self, one: Accusation) -> str | None:
        return self._own.of_what_is_linked(one)

    def share(self, one: Accusation) -> str | None:
        return self._own.share_of_what_is_said(one)

    def ordered_one(self, one: Accusation) -> str | None:
        bound = one.bound or Certainty.INFERRED
        return self._own.price_of_one(one) if bound < Certainty.CLAUSE else None

    def apart_in_time(self, one: Accusation) -> str | None:
        return self._own.lie_apart(one)

    def days_said(self, one: Accusation) -> str | None:
        return self._own.days_said(one)

    def quoted(self, one: Accusation) -> str | None:
        return self._else.quoted(one)

    def costs_that(self, one: Accusation) -> str | None:
        return self._else.costs_that(one)

    def one_of_two(self, one: Accusation) -> str | None:
        return self._else.one_of_two(one)

    def column(self, one: Accusation) -> str | None:
        return self._else.in_another_column(one) if one.bound == Certainty.CELL else None

    def repeated(self, one: Accusation) -> str | None:
        figure = self._figure(one.span)
        return None if figure is None or one.bound == Certainty.CELL else self._else.more_than_named(figure)

    def would_be(self, one: Accusation) -> str | None:
        return self._else.would_be(one)

    def owned(self, one: Accusation) -> str | None:
        return self._else.owned(one)

    def again(self, one: Accusation) -> str | None:
        return self._else.again(one)

    def _figure(self, span: Span) -> SaidFigure | None:
        said = self._held.said
        here = said.within((span[0], max(span[1], span[0] + 1)))
        return here[0] if here else next((one for one in said.all if one.start <= span[0] < one.end), None)


def _is_beside_its_thing(one: Accusation) -> bool:
    """Whether no reckoning explains a figure: the rows of a sum stand there, with how many of each, or a price in a cell of the thing's own row."""
    if one.bound != Certainty.CELL:
        return False
    return one.kind == "sum" or (one.kind == "price" and _OF_A_RECORD in one.why)


_OF_A_RECORD = ", is $"
"""In the words of an accusation: the price of the thing that it is held against."""


_Reading = Callable[[TrueReadings, Accusation], str | None]
_READINGS: Mapping[str, tuple[_Reading, ...]] = {
    "price": (
        TrueReadings.in_time,
        TrueReadings.reduced,
        TrueReadings.column,
        TrueReadings.ordered_one,
        TrueReadings.another,
        TrueReadings.several,
        TrueReadings.listed,
        TrueReadings.reached,
        TrueReadings.plain,
    ),
    "mean_told": (TrueReadings.listed,),
    **dict.fromkeys(
        ("unit_cost", "left_unit_cost"),
        (
            TrueReadings.listed,
            TrueReadings.spread,
            TrueReadings.rounded,
            TrueReadings.cell,
            TrueReadings.lowered,
            TrueReadings.reached,
            TrueReadings.plain,
        ),
    ),
    "own_cost": (TrueReadings.listed, TrueReadings.spread),
    "cost_per_unit": (
        TrueReadings.spread,
        TrueReadings.rounded,
        TrueReadings.cell,
        TrueReadings.lowered,
        TrueReadings.plain,
    ),
    "sum": (
        TrueReadings.then,
        TrueReadings.listed,
        TrueReadings.repeated,
        TrueReadings.reached,
        TrueReadings.plain,
    ),
    "rest": (TrueReadings.unlinked, TrueReadings.reached, TrueReadings.plain),
    "difference": (
        TrueReadings.apart,
        TrueReadings.unlinked,
        TrueReadings.stranger,
        TrueReadings.reached,
        TrueReadings.plain,
    ),
    "gap_told": (TrueReadings.apart, TrueReadings.unlinked, TrueReadings.reached, TrueReadings.plain),
    "rest_told": (TrueReadings.costs_that, TrueReadings.reached, TrueReadings.plain),
    "left_amount": (
        TrueReadings.spread,
        TrueReadings.listed,
        TrueReadings.reduced,
        TrueReadings.ordered_one,
        TrueReadings.another,
        TrueReadings.reached,
        TrueReadings.plain,
    ),
    "stars": (TrueReadings.mark, TrueReadings.quoted, TrueReadings.another, TrueReadings.ratings),
    "left_stars": (TrueReadings.mark, TrueReadings.quoted, TrueReadings.another, TrueReadings.ratings),
    "left_raters": (TrueReadings.quoted, TrueReadings.another, TrueReadings.ratings),
    "rated_nowhere": (TrueReadings.quoted,),
    "measure": (
        TrueReadings.together,
        TrueReadings.no_detail,
        TrueReadings.quantity,
        TrueReadings.share,
    ),
    "left_count": (
        TrueReadings.together,
        TrueReadings.no_detail,
        TrueReadings.quantity,
        TrueReadings.days_said,
    ),
    "stated": (TrueReadings.together, TrueReadings.no_detail, TrueReadings.quantity),
    **dict.fromkeys(
        ("left_measure", "detailed", "weighed_figure"), (TrueReadings.together, TrueReadings.no_detail)
    ),
    **dict.fromkeys(("attribute", "grade"), (TrueReadings.quality,)),
    "order_date": (TrueReadings.day,),
    "statistic": (TrueReadings.some_orders, TrueReadings.linked),
    **dict.fromkeys(
        ("own_count", "own_times", "own_times_short", "order_times", "left_orders"),
        (TrueReadings.linked, TrueReadings.share),
    ),
    "reckoned": (TrueReadings.linked, TrueReadings.share),
    "limit_verdict": (TrueReadings.verdict,),
    "limit_broken": (TrueReadings.would_be, TrueReadings.owned),
    "multiple": (TrueReadings.again, TrueReadings.so_often, TrueReadings.nothing_named),
    "own_gap": (TrueReadings.nothing_named, TrueReadings.apart_in_time),
    **dict.fromkeys(
        ("nowhere", "nowhere_amount"),
        (
            TrueReadings.together,
            TrueReadings.no_detail,
            TrueReadings.one_of_two,
            TrueReadings.set_against,
            TrueReadings.share,
        ),
    ),
}
"""By kind of statement, the readings that may make it true."""
MAY_BE_TRUE = frozenset(_READINGS)


@lru_cache(maxsize=4)
def true_readings_of(mentions: Mentions) -> TrueReadings:
    return TrueReadings(mentions)
