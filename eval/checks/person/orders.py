"""Rule: orders that the report speaks of are the reader's own, with their dates, quantities and states."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from drr.eval.checks.base import Check, CheckTally, Span, Subject, unverifiable, word_set
from drr.eval.checks.cast import Cast, cast_of
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.layout import TextLine, sentences
from drr.eval.checks.measures import measures
from drr.eval.checks.mentions import Mentions, ProductReference, words
from drr.eval.checks.person.cited_days import CitedDays
from drr.eval.checks.person.dated import DatedPurchases
from drr.eval.checks.person.history import History, Placed, history_of, stem
from drr.eval.checks.person.named_days import NamedDays
from drr.eval.checks.person.near_days import NearDays
from drr.eval.checks.person.order_ids import OrdersNamed, orders_named
from drr.eval.checks.person.order_items import OrderItems
from drr.eval.checks.person.order_states import OrderStates
from drr.eval.checks.person.readings.counted import misread_orders
from drr.wording.dates import FULL_MONTH, dates
from drr.wording.numbers import cardinals, number_of
from drr.wording.purchases import PURCHASES, StateSaid, times

_BOUGHT = re.compile(
    r"\byou(?:'ve|’ve| have| had| also| already| last| previously| recently| once| even|'d)*\s+(?:bought|ordered|purchased|own(?:ed)? (?:from|since)|reordered|picked up|got)\b"
    r"|\b(?:your|a|the) (?:(?:past|previous|earlier|prior|last|latest|recent|most recent|first|20\d\d|(?!(?:past|previous|earlier|prior|last|latest|recent|first|20\d\d) )\w+ 20\d\d)\s+){0,8}(?:order|purchase)s? (?:of|from|for)\b|\bsince you (?:bought|ordered|purchased)\b"
    r"|\byou (?:already|still) (?:own|have) (?:the|an?)\b|\byou own the\b|\byour (?:past|previous|earlier|prior|last|latest|recent) (?:order|purchase)s?\b|\bpurchased by you\b|\b(?:was|were) (?:ordered|purchased|bought) (?:on|in)\b|\border\s+#?\d{6,20}\b",
    re.I,
)
_NOT_BOUGHT = re.compile(r"\byou (?:have not|haven't|never|did not|didn't)\b", re.I)
_OTHER_THAN_BOUGHT = re.compile(
    r"\b(?:pairs?|goes|match(?:es)?|complements?|replac\w+|like|similar|upgrade|instead|so|therefore)\b", re.I
)
"""Between the word of buying and a product: it is not what was bought."""
_NEAR = 160
"""Characters from the word of buying within which the product that was bought is named."""
_QUANTITY = re.compile(
    rf"\b(?:bought|ordered|purchased|quantity(?: of|:)?|order of|got)\s+(?P<n>\d{{1,2}}|{cardinals(2)})\b(?!\s*(?:(?:more|other|further)\s)?(?:times|orders|years|months|days|items|products|-|different|[a-z]+ (?:in|since)))|\b(?:quantity|qty)[\s*_:=]{{0,6}}(?P<q>\d{{1,3}})\b|\b(?P<x>\d{{1,2}})\s?[x×]\s(?!\d)|[,(–—:]\s?(?P<p>\d{{1,2}}|{cardinals(1)})\s(?:pieces?|units?|copy|copies|items?)\b(?=\s?(?:[.,;)]|$))",
    re.I,
)


def order_facts(subject: Subject, mentions: Mentions) -> Check:
    """Orders that the report speaks of are the reader's own, with their dates, quantities and states."""
    if subject.shop is None or subject.user_id is None:
        return unverifiable("no shop and user were given")
    if subject.user is None:
        return unverifiable(f"the shop has no user {subject.user_id}")
    tally = CheckTally()
    history = history_of(mentions)
    assert history is not None
    named = orders_named(mentions)
    for order_id, span in named.all:
        if history.find(order_id) is not None:
            tally.ok()
        else:
            tally.accuse("order_id", span, f"{order_id} is no order of this user", Certainty.LITERAL)
    _check_sentences(tally, mentions, named, history)
    _check_lines(tally, mentions, named, history)
    cast = cast_of(subject, mentions)
    DatedPurchases(tally, cast, named, history, subject.user.first_name).compare()
    NamedDays(tally, cast, history).compare()
    NearDays(tally, cast, history).compare()
    CitedDays(tally, cast, named, history).compare()
    OrderStates(tally, cast, history).compare()
    OrderItems(tally, mentions, named, history).compare()
    _check_answer(tally, subject, cast, history)
    for one in misread_orders(mentions):
        tally.outweigh(one)
    return tally.check("the report speaks of no order")


_ANSWER = re.compile(
    r"[\W_]{0,6}(?:(?:yes|yep|yup|yeah|indeed|sure|correct|right|exactly|you (?:did|have))[\s,:.!–—-]{1,4})?(?=\w)",
    re.I,
)


def _check_answer(tally: CheckTally, subject: Subject, cast: Cast, history: History) -> None:
    """`Twice, actually!`, to a question whether something was bought before, of the one thing that is linked next."""
    begins = _ANSWER.match(cast.body)
    said = next(times(cast.body[:_NEAR]), None)
    if (
        begins is None
        or said is None
        or said.start != begins.end()
        or not PURCHASES.speaks(subject.query or "")
    ):
        return
    linked = {one for place in cast.within(0, 2 * _NEAR) if place.linked for one in place.products}
    ordered = history.of_products(linked)
    if len(linked) != 1 or not ordered or not history.whole:
        return
    if said.often in (len(ordered), sum(one.order.quantity for one in ordered)):
        tally.ok()
    else:
        why = f"said {said.often} times, were {len(ordered)}"
        tally.accuse("order_times", (said.start, said.end), why, Certainty.CLAUSE)


def _check_sentences(tally: CheckTally, mentions: Mentions, named: OrdersNamed, history: History) -> None:
    for start, end in sentences(mentions.body):
        bought = _BOUGHT.search(mentions.body, start, end)
        if bought and not _NOT_BOUGHT.search(mentions.body, start, end):
            _check_purchase(tally, _Purchase(mentions, named, (start, end), bought), history)


def _check_lines(tally: CheckTally, mentions: Mentions, named: OrdersNamed, history: History) -> None:
    """Rows and bullets that name one order, and what follows as from the order book where a line begins with one."""
    for line in mentions.layout.lines:
        if line.kind in ("rule_row", "head_row", "elision"):
            continue
        ids = {order_id for order_id, _ in named.between(line.start, line.end)}
        placed = history.find(*ids) if len(ids) == 1 else None if ids else _entered(mentions, line, history)
        if placed is None:
            continue
        if line.kind in ("row", "item") or not ids:
            _compare(tally, mentions.body, (line.start, line.end), [placed], Certainty.CELL, strict=True)
        elif _BEGINS_WITH_ORDER.match(line.text):
            for entry in _ENTRIES.finditer(mentions.body, line.start, line.end):
                _compare(tally, mentions.body, entry.span(), [placed], Certainty.CELL, strict=True)


def _entered(mentions: Mentions, line: TextLine, history: History) -> Placed | None:
    """Of a line as from a list of orders, a day and a link and no sentence: the one order of that day and that product."""
    if line.kind == "row" and (placed := _of_the_row(mentions, line, history)) is not None:
        return placed
    links = {one.product_id for one in mentions.within(line.start, line.end)}
    days = [one for one in dates(mentions.body, line.start, line.end) if one.day is not None]
    if len(links) != 1 or len(days) != 1 or _BOUGHT.search(mentions.body, line.start, line.end):
        return None
    if mentions.plain[line.start : days[0].start].strip(" \t>*_|•–—-"):
        return None
    found = [one for one in history.on(days[0]) if one.order.product_id in links]
    return found[0] if len(found) == 1 else None


def _of_the_row(mentions: Mentions, line: TextLine, history: History) -> Placed | None:
    """Of a table with a day and a state: the one order of that day."""
    heads = " | ".join(line.header)
    if not (_DAY_HEAD.search(heads) and _STATE_HEAD.search(heads)):
        return None
    days = [one for one in dates(mentions.body, line.start, line.end) if one.day is not None]
    found = history.on(days[0]) if len(days) == 1 else []
    return found[0] if len(found) == 1 else None


_DAY_HEAD = re.compile(r"\b(?:date|day|ordered|bought|purchased|placed|when)\b", re.I)
_STATE_HEAD = re.compile(r"\b(?:status|state)\b", re.I)
_BEGINS_WITH_ORDER = re.compile(r"[\s>*_]{0,6}order\b", re.I)
_ENTRIES = re.compile(
    r"(?<=[.;:,] )(?:placed|ordered|bought|dated|status|state|quantity|qty|delivered|shipped)\b[^.;]{0,120}",
    re.I,
)
"""What an order book says of an order, without a subject of its own."""


class _Purchase:
    """A sentence that says what the reader bought."""

    def __init__(self, mentions: Mentions, named: OrdersNamed, span: Span, bought: re.Match[str]) -> None:
        self.body = mentions.body
        self.span = span
        start, end = span
        self.cited = [
            order_id
            for order_id, (at, _) in named.between(start, end + 4)
            if at < end or _just_behind(self.body, end, at)
        ]
        behind = end if "\n" in self.body[end : end + 2] else end + 2
        self.products: list[ProductReference] = mentions.within(start, behind)
        self._bought_from, self._bought_at = bought.span()
        tail = self.body[self._bought_at : end]
        self.name = _bought_name(tail)
        self.kind = _kind_of_product(tail)

    @property
    def bound(self) -> Certainty:
        """By a number of an order or a link; by a name as far as a name goes; what only says a kind of thing may be of others."""
        if self.cited or self.products:
            return Certainty.ADJOINED
        if any(one.day is not None for one in dates(self.body, *self.span)):
            return Certainty.CLAUSE
        return Certainty.CLAUSE if self.name is not None else Certainty.INFERRED

    @property
    def text(self) -> str:
        return self.body[slice(*self.span)]

    @property
    def product_bought(self) -> ProductReference | None:
        """The product beside the word of buying, unless the words between say that it is another."""
        behind = next(
            (one for one in self.products if self._bought_at <= one.start < self._bought_at + _NEAR), None
        )
        if behind is not None:
            between = self.body[self._bought_at : behind.start]
            return None if _OTHER_THAN_BOUGHT.search(between) or ";" in between else behind
        before = next((one for one in self.products if one.end <= self._bought_from), None)
        joined = before is not None and _THAT.fullmatch(self.body[before.end : self._bought_from]) is not None
        return before if joined else None


_THAT = re.compile(r"[\s)\],*_]{0,6}(?:(?:that|which|is what|as)\s)?")


class _NotOrdered(Exception):
    """What is said to have been bought is not in the reader's history, or not in the order that is cited for it."""


def _check_purchase(tally: CheckTally, purchase: _Purchase, history: History) -> None:
    try:
        orders = _orders_meant(purchase, history)
    except _NotOrdered as wrong:
        tally.accuse("order_item", purchase.span, str(wrong), purchase.bound)
        return
    if orders:
        of_kind = history.of_kind(purchase.kind[-1:]) if purchase.kind and not purchase.cited else []
        most = sum(one.order.quantity for one in of_kind) if len(of_kind) > len(orders) else 0
        bound = purchase.bound
        _compare(tally, purchase.body, purchase.span, orders, bound, strict=bool(purchase.cited), most=most)
    elif purchase.kind and not purchase.name and not purchase.cited:
        tally.unclear(f"it is not clear which order is meant by {purchase.text.strip()[:60]!r}")


def _orders_meant(purchase: _Purchase, history: History) -> list[Placed]:
    """The orders that a sentence may speak of: by id, else by product, else by name, else by the kind of product."""
    orders = [placed for one in purchase.cited if (placed := history.find(one))]
    if not orders and purchase.products:
        orders = history.of_products({one.product_id for one in purchase.products})
        if not orders and (product := purchase.product_bought):
            raise _NotOrdered(f"{product.product_id} was never ordered by this user")
    if purchase.name is not None:
        return _of_this_name(purchase.name, orders, history, cited=bool(purchase.cited))
    return (
        orders or (history.of_kind(purchase.kind) if purchase.kind else []) or _of_this_day(purchase, history)
    )


def _of_this_day(purchase: _Purchase, history: History) -> list[Placed]:
    """The one order of the only day that a sentence gives."""
    days = [one for one in dates(purchase.body, *purchase.span) if one.day is not None]
    placed = history.on(days[0]) if len(days) == 1 else []
    return placed if len(placed) == 1 else []


def _of_this_name(name: str, orders: list[Placed], history: History, *, cited: bool) -> list[Placed]:
    """The orders that were found by id or product, if one is of this name; else those that the name itself finds."""
    if cited:
        if orders and all(one.similarity(name) < 0.5 for one in orders):
            raise _NotOrdered(f"the order cited is not for {name!r}")
        return orders
    best = history.best_match(name)
    if best < 0.6:
        raise _NotOrdered(f"no order of this user is for {name!r}")
    return orders or history.of_name(name, max(best - 0.01, 0.75))


def _just_behind(body: str, end: int, position: int) -> bool:
    """A marker that stands right behind the full stop."""
    return end <= position <= end + 3 and not body[end:position].strip(" *_\"')")


_CITATION = re.compile(r"\]\([^)]{0,2000}\)|\[[\d, ^-]+\]|https?://\S+|user://\S+|[*_]")
_NAME = re.compile(
    r"[\s:,\[\"“]*(?:(?:the|a|an|your|two|three|\d{1,2}|x|×|of|it|from|pair|pack|on|in|was|is|for|\d{4}|[A-Z][a-z]+ \d{1,2},? \d{4}|[A-Z][a-z]+ \d{4}|\d{4}-\d\d-\d\d)[\s,:]+)*(?P<name>[A-Z][\w'’&-]*(?:[ ,/]+(?:(?:for|with|and|of|in|the|to|&)\s+)?[A-Z0-9][\w'’&.\"-]*)+)"
)
_NAME_ENDS = re.compile(r"(?<!\s)\s+(?:on|in|for)$")
_DATE_BEHIND = re.compile(rf"(?<![ ,])[ ,]++(?:on|in)?\s*+(?:{FULL_MONTH})\b.*$")


def _bought_name(text: str) -> str | None:
    """A product's name in capitals after "you bought"."""
    match = _NAME.match(_CITATION.sub(" ", text))
    if match is None:
        return None
    name = _DATE_BEHIND.sub("", _NAME_ENDS.sub("", match["name"].strip(" ,.")))
    told = [word for word in words(name) if not word.isdigit()]
    return name if len(told) >= 2 and not re.match(FULL_MONTH, name) else None


_FILLER = word_set("""a an the your some several many two three few in on at from of for and to this that these those items item products product things
    it them before last year years month ago recently already with was were is which we i so you has have orders order purchases purchase
    again once over times since 2015 2016 2017 2018 2019 2020 2021 2022 2023 during back early late""")  # fmt: skip
_KIND_ENDS = re.compile(
    r"[,;:.!?(\[]| (?:so|which|and|that|because|in|on|for|from|before|last|since|but|with)\b"
)


def _kind_of_product(text: str) -> list[str]:
    """Of "two bags of dog food before": the words that say what it was, without their plurals."""
    said = _KIND_ENDS.split(text.strip(), maxsplit=1)[0]
    found = [stem(word) for word in words(said) if word not in _FILLER]
    return found if len(found) <= 4 else []


def _compare(
    tally: CheckTally,
    body: str,
    span: Span,
    orders: Sequence[Placed],
    bound: Certainty,
    *,
    strict: bool,
    most: int = 0,
) -> None:
    """Quantity and state as said, against any of the orders it may be."""
    quantity = _QUANTITY.search(body, *span)
    years = {f"{one.year}" for one in dates(body, *span)}
    if quantity and any(one.start <= quantity.start("n") < one.end for one in dates(body, *span)):
        quantity = None
    if quantity:
        _compare_quantity(tally, quantity, orders, bound, years, most)
    states = list(PURCHASES.states(body[slice(*span)])) if strict or len(orders) == 1 else []
    if len({one.state for one in states}) == 1:
        _compare_state(tally, states[0], span[0], orders, bound)
    if not quantity and not states:
        tally.ok()


def _compare_state(
    tally: CheckTally, said: StateSaid, start: int, orders: Sequence[Placed], bound: Certainty
) -> None:
    states = {one.order.order_status for one in orders}
    if said.state in states:
        tally.ok()
    else:
        span = start + said.start, start + said.end
        why = f"said to be {said.state.casefold()}, is {', '.join(sorted(states))}"
        tally.accuse("order_state", span, why, bound)


def _compare_quantity(
    tally: CheckTally,
    said: re.Match[str],
    orders: Sequence[Placed],
    bound: Certainty,
    years: Collection[str],
    most: int,
) -> None:
    """Against each order, all of them, those of the years said, and as many (`most`) as the reader bought of the kind."""
    count = number_of(said["n"] or said["q"] or said["x"] or said["p"])
    ordered = [one.order.quantity for one in orders]
    then = [one.order.quantity for one in orders if one.order.order_date[:4] in years]
    in_one = bool(said["p"]) and count is not None and any(_is_in_one(count, one) for one in orders)
    if in_one or count in (*ordered, sum(ordered), sum(then)):
        tally.ok()
    elif count is not None and count <= most:
        tally.unclear(f"it is not clear which orders are meant by {said[0]!r}")
    else:
        why = f"said {count}, ordered were {sorted(set(ordered))}"
        tally.accuse("order_count", said.span(), why, bound)


def _is_in_one(count: float, placed: Placed) -> bool:
    """Whether the record counts so many pieces in one of what was ordered: `the socket set, 66 pieces`."""
    product = placed.product
    if product is None:
        return False
    stated = (product.title, *product.features, *map(str, product.details.values()))
    return any(one.kind == "count" and one.value == count for part in stated for one in measures(part))
