"""The rules' reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from drr.env.records.lines import dollars
from drr.env.text import tokens
from drr.offline.agents.account import ACCOUNT, Unread
from drr.offline.agents.answers import (
    Basket,
    Pick,
    baskets,
    cents,
    has_words,
    is_known,
    keeps_limits,
    listings,
    outside,
    purchases,
    sides,
    spent,
    unjudged,
)
from drr.offline.agents.asks import Asked, ShopErrand
from drr.offline.agents.cues import Order
from drr.offline.agents.memory import Cites, Memory, SeenOrder, SeenProduct, join, plain, priced, rated, short
from drr.offline.agents.pages import file_statements, page_rows, state_name, unseen
from drr.offline.agents.phrases import PHRASES, content_words
from drr.wording.money import money

BANNER = "> Written by rules, not by an LLM: the `offline` model stood in for one."
REFUSED = (
    "The rules cannot answer this: they find things within limits, tell what was bought or spent, compare two listings, say what is not"
    " sold here, and look up an order to return."
)
_ROWS, _ORDERS = 5, 6
_WHY: dict[Order, str] = {
    "rating": "it is rated highest",
    "price_asc": "it is the cheapest",
    "popularity": "it has the most ratings",
}


def report(asked: Asked, memory: Memory) -> str:
    """Write the report: an answer for each thing asked, what was compared, the orders, what pages and files say."""
    cites = Cites()
    things = dict.fromkeys(thing for ask in asked.asks for thing in ask.things if ask.kind != "return")
    parts = [
        f"# {_capital(join(list(things))) or 'Your question'}",
        BANNER,
        unseen(memory),
        _answer(asked, memory, cites),
        _compared(asked, memory, cites),
        _orders(asked, memory, cites),
        file_statements(asked.text, memory, cites),
        _rest(asked, memory, cites),
        cites.listing(),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _answer(asked: Asked, memory: Memory, cites: Cites) -> str:
    if all(ask.bare and not is_known(ask, memory) for ask in asked.asks):
        words = {*content_words(asked.text), *filter(str.isalpha, ACCOUNT.words(asked.text))}
        near = [one for one in memory.products.values() if has_words(words, one.title, "")]
        near = near if words and not PHRASES.denies(asked.text) else []
        unread = _unread([*(ask.thing for ask in asked.asks), *asked.unread])
        return f"## The short answer\n\n{REFUSED}{unread}{_unjudged(near, cites, asked.limits)}"
    found = baskets(asked.asks, memory)
    lines = []
    for ask in asked.asks:
        unmet = ask.is_open or (ask.conditions and len(listings(ask, memory)) < len(ask.things))
        if unmet and (not ask.seeks or is_known(ask, memory)):
            lines.append(_undone(ask, ask if ask.seeks else asked.limits, memory, cites))
        else:
            lines.append(_line(ask, found, memory, cites))
    lines = list(dict.fromkeys(lines))
    lines += [_total(one) for one in found if len(one.picks) > 1 and one.total is not None]
    return "## The short answer\n\n" + "\n".join(f"- {line}" for line in lines)


def _unjudged(found: Sequence[SeenProduct], cites: Cites, ask: ShopErrand) -> str:
    """List what the search of the shop returned within the limits, where the rules have no answer."""
    kept = [one for one in found if keeps_limits(ask, one)][:_ROWS]
    rows = [f"\n  - {_about(one, cites)}." for one in kept]
    limits = replace(ask, unread=Unread()).limits_in_words()
    within = f" within the limits ({limits})" if limits else ""
    return f" The search of the shop returned these{within}, unjudged:{''.join(rows)}" if rows else ""


def _undone(ask: ShopErrand, limits: ShopErrand, memory: Memory, cites: Cites) -> str:
    near, left = unjudged(ask, memory), _quoted(ask.unread.stretches)
    named = f"{_capital(join(ask.things))}: not" if ask.things and (near or not ask.seeks) else "Not"
    if ask.conditions and near and ask.seeks:
        left = f"{left} otherwise than as words of a name, and no listing that was found has them there"
    return f"{named} answered, for the rules did not read {left}.{_unjudged(near, cites, limits)}"


def _quoted(stretches: Sequence[str]) -> str:
    return join([f"“{plain(one, 60)}”" for one in stretches[:_ROWS]])


def _unread(stretches: Sequence[str]) -> str:
    return f" They did not read {_quoted(stretches[:3])}." if stretches else ""


def _line(ask: ShopErrand, found: Sequence[Basket], memory: Memory, cites: Cites) -> str:
    if ask.period and ask.period.on(memory.today) is None:
        return "Not answered, for what day it is in this shop was not looked up."
    match ask.kind:
        case "which":
            return _better(ask, memory, cites)
        case "bought":
            return _bought(ask, memory, cites)
        case "spent":
            return _spent(ask, memory, cites)
        case "return":
            return _returned(ask, memory, cites)
    picks = [(one, basket) for basket in found for one in basket.picks if one.ask == ask]
    return _picked(*picks[0], memory, cites) if picks else _not_found(ask, memory, cites)


def _capital(thing: str) -> str:
    return plain(thing[:1].upper() + thing[1:], 110)


def _about(product: SeenProduct, cites: Cites) -> str:
    return f"**{short(product.title)}**: {priced(product)}, {rated(product)} {cites.product(product)}"


def _picked(pick: Pick, basket: Basket, memory: Memory, cites: Cites) -> str:
    ask, found = pick.ask, listings(pick.ask, memory)
    why = _WHY["price_asc" if basket.too_dear else ask.order]
    if basket.limit is not None and not basket.too_dear:
        why = "it belongs to the set that is rated highest within the limit for all"
    if pick.product.price is None:
        why = "none has a known price, so none is ahead"
    elif any(one.price is None for one in (*found, *outside(ask, memory))):
        why = f"{why} of those with a known price"
    within = f" within the limits ({limits})" if (limits := ask.limits_in_words()) else ""
    reason = f"of {len(found)} that were found{within}, {why}"
    if len(found) == 1:
        reason = f"it is the only one that was found{within}"
    sold = "Yes, it is sold here. " if ask.kind == "sold" else ""
    more = [f"{_about(other, cites)}." for other in pick.others[: (ask.limits.many or 1) - 1]]
    return f"{sold}{_capital(ask.thing)}: {_about(pick.product, cites)}; {reason}. {' '.join(more)}".rstrip()


def _not_found(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
    limits = ask.limits_in_words()
    if ask.most is not None and ask.limits.least is not None and ask.limits.least > ask.most:
        return f"{_capital(ask.thing)}: the limits contradict each other ({limits})."
    near = outside(ask, memory)
    unread = _unread(ask.unread.stretches)
    if not memory.called("product_catalog_search"):
        return f"{_capital(ask.thing)}: the shop was not searched for it."
    if not near:
        seen = {word for one in memory.products.values() for word in tokens(f"{one.title} {one.path}")}
        alien = ask.kind == "sold" and seen.isdisjoint(content_words(ask.thing))
        unsold = "not sold here, as far as the search shows; " if alien else ""
        return f"{_capital(ask.thing)}: {unsold}no listing that was found goes by that name.{unread}{_unjudged(unjudged(ask, memory), cites, ask)}"
    which = "One" if near[0].price is None else "The cheapest"
    return f"{_capital(ask.thing)}: none was found within the limits ({limits}). {which} outside them is {_about(near[0], cites)}."


def _better(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
    both = listings(ask, memory)
    unknown = [plain(thing, 60) for thing in ask.things if not sides(thing, memory)]
    if unknown:
        return f"The two were not compared: no listing that was found goes by the name of {join(unknown)}."
    if len(both) < 2 or both[0] == both[1]:
        return f"The two could not be told apart by the shop's listings: {join([plain(thing, 60) for thing in ask.things])}."
    one, other = both
    several = any(len(sides(thing, memory)) > 1 for thing in ask.things)
    chosen = " (where several bear a name, the one with a known price and most ratings)" if several else ""
    chosen += f", both with {_quoted(ask.conditions)} in the name" if ask.conditions else ""
    both_lines = f"{_about(one, cites)}; {_about(other, cites)}{chosen}."
    if one.path != other.path and len({thing.split()[-1] for thing in ask.things}) > 1:
        return f"{both_lines} They are different kinds of things, so no figure says which is better."
    if None in (one.price, other.price):
        if one.rating == other.rating:
            return f"{both_lines} A price is unknown and they are rated alike, so none is ahead."
        higher = max(both, key=lambda product: product.rating or 0)
        return f"{both_lines} A price is unknown; by rating alone, {short(higher.title)} is ahead."
    cheap, dear = sorted(both, key=lambda product: (product.price or 0, -(product.rating or 0)))
    if (cheap.price, cheap.rating) == (dear.price, dear.rating):
        return f"{both_lines} They cost the same and are rated alike, so none is ahead."
    if (cheap.rating or 0) >= (dear.rating or 0):
        return f"{both_lines} {short(cheap.title)} is better in both: it costs no more and is rated no lower."
    return f"{both_lines} {short(cheap.title)} is cheaper, {short(dear.title)} is rated higher; which counts more is for you to say."


def name_of(ask: ShopErrand, memory: Memory) -> str:
    """Name what an errand is about, and its span of time."""
    return f"{plain(ask.thing, 60) or 'anything'}{_when(ask, memory)}"


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


def _bought(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
    orders = purchases(ask, memory)
    if not orders:
        return f"{_no_order(ask, memory)}.{_seen_of(memory)}"
    what = f" of {name_of(ask, memory)}" if ask.thing else _when(ask, memory)
    last = f"Your last order{what} was {_ordered(orders[0], cites)}."
    is_all = ask.every or (ask.thing and memory.orders_read >= (memory.orders_total or 0))
    return f"{last} In all: {_times(orders)}{what}.{_seen_of(memory)}" if is_all else last


def _times(orders: Sequence[SeenOrder]) -> str:
    return "1 order" if len(orders) == 1 else f"{len(orders)} orders"


def _spent(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
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
    what = f"On {name_of(ask, memory)}" if ask.thing else _capital(what.strip())
    rest = len(orders) - len(known)
    unknown = f" {rest} more {'has' if rest == 1 else 'have'} no known price." if rest else ""
    return f"{what} you spent {money(spent(known))} in {_times(known)}, at today's prices {marks}.{unknown}{_seen_of(memory)}"


def _no_order(ask: ShopErrand, memory: Memory) -> str:
    return f"No order{f' of {name_of(ask, memory)}' if ask.thing else _when(ask, memory)} was found"


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


def _returned(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
    terms = "The rules cannot start a return and do not know the shop's terms"
    if ask.every:
        return f"To return something, name it as it was ordered: the rules look up the number of its order. {terms}."
    orders = purchases(ask, memory)
    if not orders:
        name = f"{' or '.join(plain(one, 60) for one in ask.things) or 'anything'}{_when(ask, memory)}"
        return f"To return {name}: no such order was found.{_seen_of(memory)} {terms}."
    number, older = orders[0].url.rsplit("/", 1)[-1], " It is the latest such order." if orders[1:] else ""
    words = dict.fromkeys(word for thing in ask.things for word in thing.split())
    left = [
        *(one for one in words if not {*tokens(one)}.issubset(tokens(orders[0].title))),
        *ask.unread.stretches,
    ]
    return f"To return it: the order is {number}, {_ordered(orders[0], cites)}.{older} {terms}: name this number to the shop.{_unread(left)}"


def _total(basket: Basket) -> str:
    assert basket.total is not None
    if basket.limit is None:
        return f"Total: {money(basket.total)}."
    limit = money(basket.limit)
    if basket.too_dear:
        return f"Total: {money(basket.total)}, over the limit of {limit}. No set of them keeps it."
    left = cents(basket.limit) - basket.total
    return f"Total: {money(basket.total)}, within the limit of {limit}. This leaves {money(left)}."


def _compared(asked: Asked, memory: Memory, cites: Cites) -> str:
    """Set what was picked beside what else was found, and quote the listings."""
    rows = dict.fromkeys(product for product, _ in compared_rows(asked, memory))
    if not rows:
        return ""
    head = "| Product | Price | Rating | Ratings | Store | Source |\n| --- | --- | --- | --- | --- | --- |"
    table = [_row(product, cites) for product in rows]
    stated = [line for product in rows if (line := _stated(product, cites))]
    return "\n\n".join(["## Compared", "\n".join([head, *table]), *(["\n".join(stated)] if stated else [])])


def compared_rows(asked: Asked, memory: Memory) -> Iterator[tuple[SeenProduct, ShopErrand]]:
    """List what was picked with what else was found for it, and what is compared."""
    for basket in baskets(asked.asks, memory):
        for pick in basket.picks:
            yield from ((product, pick.ask) for product in (pick.product, *pick.others))
    for ask in asked.of("which"):
        yield from ((product, ask) for product in listings(ask, memory))


def _row(product: SeenProduct, cites: Cites) -> str:
    stars = "not rated" if product.rating is None else f"{product.rating:g}/5"
    votes = "unknown" if product.ratings is None else f"{product.ratings:,}"
    maker = plain(product.store, 30) if product.store else "unknown"
    return f"| {short(product.title)} | {priced(product)} | {stars} | {votes} | {maker} | {cites.product(product)} |"


def _stated(product: SeenProduct, cites: Cites) -> str:
    if not product.opened or not product.features:
        return ""
    listing = " and ".join(f"“{plain(feature, 140).rstrip('.')}”" for feature in product.features[:2])
    return f"- Of {short(product.title)} the listing states {listing} {cites.product(product)}."


def _shown(ask: ShopErrand) -> int:
    """Count the orders that are listed of an errand."""
    if ask.kind == "return" and ask.every and ask.period is None:
        return 0
    return _ORDERS if ask.every or ask.kind == "spent" else 1


def _orders(asked: Asked, memory: Memory, cites: Cites) -> str:
    orders = {
        order.url: order
        for ask in asked.of("bought", "spent", "return")
        for order in purchases(ask, memory)[: _shown(ask)]
    }
    if len(orders) < 2:
        return ""
    lines = []
    for order in orders.values():
        cost = "" if order.price is None else f", {money(order.price)} today"
        often = "" if order.quantity == 1 else f", quantity {order.quantity}"
        lines.append(f"- On {order.date} you ordered {short(order.title)}{often}{cost} {cites.order(order)}.")
    return "## Your orders\n\n" + "\n".join(lines)


def _rest(asked: Asked, memory: Memory, cites: Cites) -> str:
    """The questions that no rule answers, each with what pages say: as quotations, and as nobody's advice."""
    home = memory.home
    lines: list[str] = []
    if not asked.asks:
        return ""
    if asked.about_place and home is not None:
        lines += [f"You live in {state_name(home.state)} {cites(home.url, 'Your profile')}.", ""]
    for question in asked.rest:
        quoted = [
            f"- “{text[:-1]}” {cites(page.url, page.title)}." for text, page in page_rows(question, memory)
        ]
        lines += [f"{REFUSED.split(':')[0]}: “{plain(question, 200)}”", "", *quoted, ""]
    return "## What pages say, unjudged\n\n" + "\n".join(lines).rstrip() if lines else ""
