"""Rule: orders that the report speaks of are the reader's own, with their dates, quantities and states."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from drr.env.entities import Order, Product
from drr.env.shop import Shop
from drr.eval.checks.base import Check, CheckTally, Span, Subject, unverifiable, word_set
from drr.eval.checks.layout import sentences
from drr.eval.checks.mentions import Mentions, ProductReference, brand_differs, similarity, words
from drr.eval.checks.person.order_ids import OrdersNamed
from drr.wording.dates import FULL_MONTH, When, dates
from drr.wording.numbers import cardinals, number_of

_BOUGHT = re.compile(
    r"\byou(?:'ve|’ve| have| had| also| already| last| previously| recently| once| even|'d)*\s+(?:bought|ordered|purchased|own(?:ed)? (?:from|since)|reordered|picked up|got)\b"
    r"|\b(?:your|a|the) (?:(?:past|previous|earlier|prior|last|latest|recent|most recent|first|20\d\d|(?!(?:past|previous|earlier|prior|last|latest|recent|first|20\d\d) )\w+ 20\d\d)\s+){0,8}(?:order|purchase)s? (?:of|from|for)\b|\bsince you (?:bought|ordered|purchased)\b"
    r"|\byou (?:already|still) (?:own|have) (?:the|an?)\b|\byou own the\b|\byour (?:past|previous|earlier|prior|last|latest|recent) (?:order|purchase)s?\b|\bpurchased by you\b|\border\s+#?\d{6,20}\b",
    re.I,
)
_NOT_BOUGHT = re.compile(r"\byou (?:have not|haven't|never|did not|didn't)\b", re.I)
_OTHER_THAN_BOUGHT = re.compile(
    r"\b(?:pairs?|goes|match(?:es)?|complements?|replac\w+|like|similar|upgrade|instead|so|therefore)\b", re.I
)
"""Between the word of buying and a product: it is not what was bought."""
_NEAR = 160
"""Characters from the word of buying within which the product that was bought is named."""
_STATUS = re.compile(
    r"\b(?:was|were|is|status(?: is|:)?|marked(?: as)?|been|it|currently|now|shows(?: as)?|:)\s+\**(?P<s>delivered|shipped|processing|cancell?ed|returned)\b",
    re.I,
)
_STATUS_IN_LIST = re.compile(r"[|(,]\s*(?P<s>delivered|shipped|processing|cancell?ed|returned)\b", re.I)
_QUANTITY = re.compile(
    rf"\b(?:bought|ordered|purchased|quantity(?: of|:)?|order of|got)\s+(?P<n>\d{{1,2}}|{cardinals(2)})\b(?!\s*(?:times|orders|years|months|days|items|products|-|different|[a-z]+ (?:in|since)))|\bquantity\s*+(?:[:=]\s*+)?(?P<q>\d{{1,3}})\b|\b(?P<x>\d{{1,2}})\s?[x×]\s",
    re.I,
)
_TO_COME = re.compile(r"\b(?:by|until|before|through|next|plan(?:ned)? for|due)\s+$", re.I)


def order_facts(subject: Subject, mentions: Mentions) -> Check:
    """Orders that the report speaks of are the reader's own, with their dates, quantities and states."""
    if subject.shop is None or subject.user_id is None:
        return unverifiable("no shop and user were given")
    if subject.user is None:
        return unverifiable(f"the shop has no user {subject.user_id}")
    tally = CheckTally()
    history = _History(subject.shop, subject.user_id)
    named = OrdersNamed(subject)
    for order_id, span in named.all:
        if history.find(order_id) is not None:
            tally.ok()
        else:
            tally.fail(span, f"{order_id} is no order of this user")
    _check_sentences(tally, mentions, named, history)
    _check_lines(tally, mentions, named, history)
    return tally.check("the report speaks of no order")


def _check_sentences(tally: CheckTally, mentions: Mentions, named: OrdersNamed, history: _History) -> None:
    for start, end in sentences(mentions.body):
        bought = _BOUGHT.search(mentions.body, start, end)
        if bought and not _NOT_BOUGHT.search(mentions.body, start, end):
            _check_purchase(tally, _Purchase(mentions, named, (start, end), bought), history)


def _check_lines(tally: CheckTally, mentions: Mentions, named: OrdersNamed, history: _History) -> None:
    """Rows and bullets that name one order."""
    for line in mentions.layout.lines:
        if line.kind in ("row", "item"):
            ids = {order_id for order_id, _ in named.between(line.start, line.end)}
            placed = history.find(*ids) if len(ids) == 1 else None
            if placed is not None:
                _compare(tally, mentions.body, (line.start, line.end), [placed], strict=True)


class _Placed(NamedTuple):
    """An order, and what was ordered where the shop still has it."""

    order: Order
    product: Product | None

    def similarity(self, name: str) -> float:
        return similarity(name, self.product.title) if self.product else 0.0


class _History:
    """The reader's orders."""

    def __init__(self, shop: Shop, user_id: str) -> None:
        self._store = shop.store
        self._user_id = user_id
        orders = self._store.orders(user_id, limit=2_000).items
        products = {one.product_id: one for one in self._store.products([one.product_id for one in orders])}
        self.orders = [_Placed(order, products.get(order.product_id)) for order in orders]
        self._by_id: dict[str, _Placed | None] = {one.order.order_id: one for one in self.orders}

    def find(self, order_id: str) -> _Placed | None:
        """The order of this id, if it is the reader's; also one older than the history that was read."""
        if order_id not in self._by_id:
            order = self._store.order(order_id)
            own = order is not None and order.user_id == self._user_id
            self._by_id[order_id] = (
                _Placed(order, self._store.product(order.product_id)) if order and own else None
            )
        return self._by_id[order_id]

    def of_products(self, product_ids: Collection[str]) -> list[_Placed]:
        return [one for one in self.orders if one.order.product_id in product_ids]

    def best_match(self, name: str) -> float:
        """How much of a product's name the title has that it fits best, among those of the same maker."""
        known = (one for one in self.orders if one.product and not brand_differs(name, one.product))
        return max((one.similarity(name) for one in known), default=0.0)

    def of_name(self, name: str, least: float) -> list[_Placed]:
        return [one for one in self.orders if one.product and one.similarity(name) >= least]

    def of_kind(self, kind: Collection[str]) -> list[_Placed]:
        """The orders of products whose titles have all these words."""
        return [one for one in self.orders if one.product and set(kind) <= _stems(words(one.product.title))]


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
        self.products: list[ProductReference] = mentions.within(start, end + 2)
        self._bought_at = bought.end()
        tail = self.body[self._bought_at : end]
        self.name = _bought_name(tail)
        self.kind = _kind_of_product(tail)

    @property
    def text(self) -> str:
        return self.body[slice(*self.span)]

    @property
    def product_bought(self) -> ProductReference | None:
        """The product beside the word of buying, unless the words between say that it is another."""
        near = [one for one in self.products if abs(one.start - self._bought_at) < _NEAR]
        if not near or _OTHER_THAN_BOUGHT.search(self.body[self._bought_at : near[0].start]):
            return None
        return near[0]


class _NotOrdered(Exception):
    """What is said to have been bought is not in the reader's history, or not in the order that is cited for it."""


def _check_purchase(tally: CheckTally, purchase: _Purchase, history: _History) -> None:
    try:
        orders = _orders_meant(purchase, history)
    except _NotOrdered as wrong:
        tally.fail(purchase.span, str(wrong))
        return
    if orders:
        _compare(tally, purchase.body, purchase.span, orders, strict=bool(purchase.cited))
    elif purchase.kind and not purchase.name and not purchase.cited:
        tally.unclear(f"it is not clear which order is meant by {purchase.text.strip()[:60]!r}")


def _orders_meant(purchase: _Purchase, history: _History) -> list[_Placed]:
    """The orders that a sentence may speak of: by id, else by product, else by name, else by the kind of product."""
    orders = [placed for one in purchase.cited if (placed := history.find(one))]
    if not orders and purchase.products:
        orders = history.of_products({one.product_id for one in purchase.products})
        if not orders and (product := purchase.product_bought):
            raise _NotOrdered(f"{product.product_id} was never ordered by this user")
    if purchase.name is not None:
        return _of_this_name(purchase.name, orders, history, cited=bool(purchase.cited))
    return orders or (history.of_kind(purchase.kind) if purchase.kind else [])


def _of_this_name(name: str, orders: list[_Placed], history: _History, *, cited: bool) -> list[_Placed]:
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
    found = [_stem(word) for word in words(said) if word not in _FILLER]
    return found if len(found) <= 4 else []


def _stem(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _stems(all_words: Iterable[str]) -> set[str]:
    return {_stem(word) for word in all_words}


def _compare(tally: CheckTally, body: str, span: Span, orders: Sequence[_Placed], *, strict: bool) -> None:
    """Date, quantity and state as said, against any of the orders it may be."""
    when = [one for one in dates(body, *span) if 1995 <= one.year <= 2035]
    quantity = _QUANTITY.search(body, *span)
    status = _STATUS.search(body, *span) or (_STATUS_IN_LIST.search(body, *span) if strict else None)
    if when and not _is_to_come(body, span[0], when[0].start):
        for one in when[: 2 if strict else 1]:
            _compare_date(tally, body, one, orders)
    if quantity:
        _compare_quantity(tally, quantity, orders)
    if status:
        _compare_status(tally, status, orders)
    if not any((when, quantity, status)):
        tally.ok()


def _is_to_come(body: str, start: int, position: int) -> bool:
    """Of a date: "by March 2024"."""
    return _TO_COME.search(body[max(start, position - 14) : position]) is not None


def _compare_date(tally: CheckTally, body: str, when: When, orders: Sequence[_Placed]) -> None:
    if any(when.covers(one.order.order_date) for one in orders):
        tally.ok()
    else:
        placed = ", ".join(sorted({one.order.order_date[:10] for one in orders})[:3])
        span = when.start, when.end
        tally.fail(span, f"said {body[when.start : when.end]}, the order was placed {placed}")


def _compare_quantity(tally: CheckTally, said: re.Match[str], orders: Sequence[_Placed]) -> None:
    count = number_of(said["n"] or said["q"] or said["x"])
    ordered = [one.order.quantity for one in orders]
    if count in ordered or count == sum(ordered):
        tally.ok()
    else:
        tally.fail(said.span(), f"said {count}, ordered were {sorted(set(ordered))}")


def _compare_status(tally: CheckTally, said: re.Match[str], orders: Sequence[_Placed]) -> None:
    states = {one.order.order_status for one in orders}
    if said["s"].casefold().replace("canceled", "cancelled") in {one.casefold() for one in states}:
        tally.ok()
    else:
        tally.fail(said.span(), f"said {said['s']}, is {', '.join(sorted(states))}")
