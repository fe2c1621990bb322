"""Answers on orders, and the words that all answers share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from drr.env.records.lines import dollars
from drr.env.text import tokens
from drr.offline.agents.account import Unread
from drr.offline.agents.answers import is_known, purchases, spent
from drr.offline.agents.asks import Asked, ShopErrand
from drr.offline.agents.memory import Cites, Memory, SeenOrder, join, plain, short
from drr.wording.money import money

_ORDERS = 6


def capital(thing: str) -> str:
    return plain(thing[:1].upper() + thing[1:], 110)


def quoted(stretches: Sequence[str]) -> str:
    return join([f"“{plain(one, 60)}”" for one in stretches[:5]])


def not_read(stretches: Sequence[str]) -> str:
    return f" The rules did not read {quoted(stretches[:3])}." if stretches else ""


def unknown(ask: ShopErrand) -> str:
    """Say that a sentence was not made out, and deny nothing: its name may have been misread."""
    return f"the rules did not make out what “{plain(ask.sentence or str(ask), 200)}” is about"


def name_of(ask: ShopErrand, memory: Memory) -> str:
    """Name what an errand is about, and its span of time."""
    return f"{plain(ask.thing, 60) or 'anything'}{_when(ask, memory)}"


def _head(ask: ShopErrand, memory: Memory) -> str:
    beside = [one for one in (_when(ask, memory).strip(), ask.limits_in_words()) if one]
    return ", ".join([capital(ask.thing), *beside])


def _when(ask: ShopErrand, memory: Memory) -> str:
    return f" {ask.period.on(memory.today) or ask.period}" if ask.period else ""


def _seen_of(memory: Memory) -> str:
    """Say where not all orders were read."""
    total = memory.orders_total or 0
    if not memory.called("get_user_orders") and not total:
        return " Your orders were not looked up."
    return (
        f" Only the latest {memory.orders_read} of your {total} orders were read."
        if memory.orders_read < total
        else ""
    )


def _ordered(order: SeenOrder, cites: Cites) -> str:
    return f"{short(order.title)} on {order.date} {cites.order(order)}"


def bought(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
    orders = purchases(ask, memory)
    if not orders:
        return f"{_no_order(ask, memory)}.{_seen_of(memory)}"
    what = f"{_head(ask, memory)}: your last order" if ask.thing else f"Your last order{_when(ask, memory)}"
    last = f"{what} was {_ordered(orders[0], cites)}"
    of_all = purchases(replace(ask, unread=Unread()), memory)
    if of_all[0].date > orders[0].date:
        return f"{last}. Whatever its name, the last was {_ordered(of_all[0], cites)}.{_seen_of(memory)}"
    is_all = ask.every or (ask.thing and memory.orders_read >= (memory.orders_total or 0))
    return f"{last}; {_times(orders)} in all.{_seen_of(memory)}" if is_all else f"{last}."


def _times(orders: Sequence[SeenOrder]) -> str:
    return "1 order" if len(orders) == 1 else f"{len(orders)} orders"


def spent_on(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
    if ask.spans_all:
        return _spent_in_all(memory, cites)
    orders = purchases(ask, memory)
    known = [order for order in orders if order.price is not None]
    if not orders:
        return f"{_no_order(ask, memory)}.{_seen_of(memory)}"
    what = f" of {name_of(ask, memory)}" if ask.thing else _when(ask, memory)
    if not known:
        return f"Of {_times(orders)}{what} no price is known.{_seen_of(memory)}"
    marks = "".join(cites.order(order) for order in known[:_ORDERS])
    what = f"{_head(ask, memory)}:" if ask.thing else capital(what.strip())
    rest = len(orders) - len(known)
    unknown = f" {rest} more {'has' if rest == 1 else 'have'} no known price." if rest else ""
    return f"{what} you spent {money(spent(known))} in {_times(known)}, at today's prices {marks}.{unknown}{_seen_of(memory)}"


def _no_order(ask: ShopErrand, memory: Memory) -> str:
    if not ask.thing:
        return f"No order{_when(ask, memory)} was found"
    if is_known(ask, memory):
        return f"No order of {name_of(ask, memory)} was found"
    return f"Not answered: {unknown(ask)}"


def _spent_in_all(memory: Memory, cites: Cites) -> str:
    if memory.statistics is None:
        return "What you spent was not looked up."
    figures, url = memory.statistics
    mark = cites(url, "Your order statistics")
    if not figures.orders:
        return f"No orders are on record {mark}."
    if figures.spend is None:
        return f"Of your {figures.orders} orders no price is known, so no sum can be given {mark}."
    without = figures.orders_without_price
    unknown = f" {without} of them have no known price and are not in this sum." if without else ""
    return (
        f"You spent {dollars(figures.spend)} in {figures.orders} orders, at today's prices {mark}.{unknown}"
    )


def returned(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
    terms = "The rules cannot start a return and do not know the shop's terms"
    orders, each = purchases(ask, memory), [replace(ask, things=(one,)) for one in ask.things]
    known = [one for one in each if is_known(one, memory)]
    names = any(map(str.istitle, ask.unread.stretches))  # a maker that another order may have
    if ask.every or names or (ask.unread.stretches and ask.things and not known and not orders):
        return f"To return something, name it as it was ordered: the rules look up the number of its order. {terms}.{not_read(ask.unread.stretches)}"
    if not orders:
        return f"To return {name_of([*known, ask][0], memory)}: no such order was found.{_seen_of(memory)} {terms}."
    number, which = orders[0].url.rsplit("/", 1)[-1], "latest such order" if orders[1:] else "order"
    words = dict.fromkeys(word for thing in ask.things for word in thing.split())
    left = [
        *(one for one in words if not {*tokens(one)}.issubset(tokens(orders[0].title))),
        *ask.unread.stretches,
    ]
    return f"To return it: the {which} is {number}, {_ordered(orders[0], cites)}. {terms}: name this number to the shop.{not_read(left)}"


def _shown(ask: ShopErrand, memory: Memory) -> list[SeenOrder]:
    """List the orders to show of an errand; those that are in its sum come first."""
    orders = purchases(ask, memory)
    if ask.kind == "spent":
        return sorted(orders, key=lambda order: order.price is None)
    if ask.kind == "return" and ask.every and ask.period is None:
        return []
    return orders if ask.every or ask.kind == "return" else orders[:1]


def listed_orders(asked: Asked, memory: Memory, cites: Cites) -> str:
    found = [_shown(ask, memory) for ask in asked.of("bought", "spent", "return")]
    orders = {order.url: order for some in found for order in some[:_ORDERS]}
    more = len({order.url for some in found for order in some}) - len(orders)
    if len(orders) < 2:
        return ""
    lines = []
    for order in orders.values():
        cost = "" if order.price is None else f", {money(order.price)} today"
        often = "" if order.quantity == 1 else f", quantity {order.quantity}"
        lines.append(f"- On {order.date} you ordered {short(order.title)}{often}{cost} {cites.order(order)}.")
    lines += [f"- {more} more {'is' if more == 1 else 'are'} not listed."] if more else []
    return "## Your orders\n\n" + "\n".join(lines)
