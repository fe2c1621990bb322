"""The rules' reports, and the forms from which code sets them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from drr.agents.brief import Filling
from drr.env.records.lines import dollars
from drr.env.text import tokens
from drr.offline.agents import reading
from drr.offline.agents.answers import (
    Basket,
    Pick,
    baskets,
    cents,
    has_words,
    listings,
    outside,
    purchases,
    spent,
    unjudged,
)
from drr.offline.agents.asks import Asked, ShopErrand, read
from drr.offline.agents.memory import Cites, Memory, SeenOrder, SeenProduct, join, plain, priced, rated, short
from drr.offline.agents.pages import file_statements, page_rows, quotations, state_name, unseen
from drr.offline.agents.phrases import content_words
from drr.wording.money import money

BANNER = "> Written by rules, not by an LLM: the `offline` model stood in for one."
REFUSED = (
    "The rules cannot answer this: they find things within limits, tell what was last bought or spent, compare two listings, say what is"
    " not sold here, and look up an order to return."
)
_ROWS, _ORDERS = 5, 6


def report(asked: Asked, memory: Memory) -> str:
    """Write the report: an answer for each thing asked, what was compared, the orders, what pages and files say."""
    cites = Cites()
    things = dict.fromkeys(thing for ask in asked.asks for thing in ask.things)
    parts = [
        f"# {_capital(join(list(things))) or 'Your question'}",
        BANNER,
        unseen(memory),
        _answer(asked, memory, cites),
    ]
    parts += [_compared(asked, memory, cites), _orders(asked, memory, cites)]
    parts += [file_statements(asked.text, memory, cites), _rest(asked, memory, cites), cites.listing()]
    return "\n\n".join(part for part in parts if part) + "\n"


def _answer(asked: Asked, memory: Memory, cites: Cites) -> str:
    if not asked.asks:
        words = content_words(asked.text)
        near = [one for one in memory.products.values() if has_words(words, one.title, one.path)]
        return f"## The short answer\n\n{REFUSED}{_unjudged(near, cites)}"
    found = baskets(asked.asks, memory)
    lines = list(dict.fromkeys(line for ask in asked.asks for line in _line(ask, found, memory, cites)))
    lines += [_total(one) for one in found if len(one.picks) > 1 and one.total is not None]
    return "## The short answer\n\n" + "\n".join(f"- {line}" for line in lines)


def _unjudged(found: Sequence[SeenProduct], cites: Cites) -> str:
    """List what the search of the shop returned, where the rules have no answer."""
    rows = [f"\n  - {_about(one, cites)}." for one in found[:_ROWS]]
    return f" The search of the shop returned these, unjudged:{''.join(rows)}" if rows else ""


def _undone(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
    left = join([f"“{plain(one, 60)}”" for one in ask.unread[:_ROWS]])
    near = unjudged(ask, memory)
    named = f"{_capital(join(ask.things))}: not" if ask.things and (near or not ask.seeks) else "Not"
    return f"{named} answered, for the rules did not read {left}.{_unjudged(near, cites)}"


def _line(ask: ShopErrand, found: Sequence[Basket], memory: Memory, cites: Cites) -> Iterator[str]:
    if ask.unread:
        yield _undone(ask, memory, cites)
        return
    match ask.kind:
        case "find" | "sold":
            picks = [(one, basket) for basket in found for one in basket.picks if one.ask == ask]
            yield from [_picked(*one, memory, cites) for one in picks] or [_not_found(ask, memory, cites)]
        case "which":
            yield _better(ask, memory, cites)
        case "bought":
            yield _bought(ask, memory, cites)
        case "spent":
            yield _spent(ask, memory, cites)
        case "return":
            yield _returned(ask, memory, cites)


def _capital(thing: str) -> str:
    return plain(thing[:1].upper() + thing[1:], 110)


def _about(product: SeenProduct, cites: Cites) -> str:
    return f"**{short(product.title)}**: {priced(product)}, {rated(product)} {cites.product(product)}"


def _picked(pick: Pick, basket: Basket, memory: Memory, cites: Cites) -> str:
    ask, product = pick.ask, pick.product
    limits = ask.limits_in_words()
    if basket.too_dear:
        why = "it is the cheapest"
    elif basket.limit is not None:
        why = "it belongs to the set that is rated highest within the limit for all"
    else:
        why = {
            "rating": "it is rated highest",
            "price_asc": "it is the cheapest",
            "popularity": "it has the most ratings",
        }[ask.order]
    found = listings(ask, memory)
    many = len(found)
    if product.price is None:
        why = "none has a known price, so none is ahead"
    elif any(one.price is None for one in (*found, *outside(ask, memory))):
        why = f"{why} of those with a known price"
    of = f"of {many} that were found" if many > 1 else "it is the only one that was found"
    within = f" within the limits ({limits})" if limits else ""
    reason = f"{of}{within}, {why}" if many > 1 else f"{of}{within}"
    sold = "Yes, it is sold here. " if ask.kind == "sold" else ""
    more = [f"{_about(other, cites)}." for other in pick.others[: (ask.limits.many or 1) - 1]]
    return f"{sold}{_capital(ask.thing)}: {_about(product, cites)}; {reason}. {' '.join(more)}".rstrip()


def _not_found(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
    limits = ask.limits_in_words()
    if ask.most is not None and ask.limits.least is not None and ask.limits.least > ask.most:
        return f"{_capital(ask.thing)}: the limits contradict each other ({limits})."
    near = outside(ask, memory)
    if not memory.called("product_catalog_search"):
        return f"{_capital(ask.thing)}: the shop was not searched for it."
    if not near:
        seen = {word for one in memory.products.values() for word in tokens(f"{one.title} {one.path}")}
        alien = ask.kind == "sold" and seen.isdisjoint(content_words(ask.thing))
        unsold = "not sold here, as far as the search shows; " if alien else ""
        return f"{_capital(ask.thing)}: {unsold}no listing that was found goes by that name.{_unjudged(unjudged(ask, memory), cites)}"
    return f"{_capital(ask.thing)}: none was found within the limits ({limits}). The cheapest outside them is {_about(near[0], cites)}."


def _better(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
    both = listings(ask, memory)
    if len(both) < 2 or both[0] == both[1]:
        return f"The two could not be told apart by the shop's listings: {join([plain(thing, 60) for thing in ask.things])}."
    one, other = both
    both_lines = f"{_about(one, cites)}; {_about(other, cites)}."
    if one.path != other.path:
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


def _named(ask: ShopErrand) -> str:
    year = f" in {ask.year}" if ask.year else ""
    return f"{plain(ask.thing, 60) or 'anything'}{year}"


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
        return f"No order of {_named(ask)} was found.{_seen_of(memory)}"
    often = (
        f" In all, {len(orders)} orders of {_named(ask)} were found.{_seen_of(memory)}" if ask.every else ""
    )
    which = f" of {_named(ask)}" if ask.thing else f" in {ask.year}" if ask.year else ""
    return f"Your last order{which} was {_ordered(orders[0], cites)}.{often}"


def _spent(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
    if not ask.thing:
        return _spent_in_all(ask, memory, cites)
    orders = purchases(ask, memory)
    known = [order for order in orders if order.price is not None]
    if not known:
        found = (
            f"{len(orders)} orders of {_named(ask)} were found, none with a known price"
            if orders
            else f"No order of {_named(ask)} was found"
        )
        return f"{found}.{_seen_of(memory)}"
    marks = "".join(cites.order(order) for order in known[:_ORDERS])
    unknown = f" {len(orders) - len(known)} more have no known price." if len(orders) > len(known) else ""
    times = "1 order" if len(known) == 1 else f"{len(known)} orders"
    return f"On {_named(ask)} you spent {money(spent(known))} in {times}, at today's prices {marks}.{unknown}{_seen_of(memory)}"


def _spent_in_all(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
    if memory.statistics is None:
        return "What you spent was not looked up."
    figures, url = memory.statistics
    mark = cites(url, "Your order statistics")
    if ask.year is None:
        amount, orders = figures.spend, figures.orders
    else:
        shares = [share for share in figures.by_year if share.name == ask.year]
        amount, orders = (shares[0].spend, shares[0].orders) if shares else (None, 0)
    when = f" in {ask.year}" if ask.year else ""
    if amount is None:
        return f"Of your {orders} orders{when} no price is known, so no sum can be given {mark}."
    return f"You spent {dollars(amount)}{when} in {orders} orders; orders without a known price are not in this sum {mark}."


def _returned(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
    orders = purchases(ask, memory)
    if not orders:
        return f"To return the {_named(ask)}: no such order was found.{_seen_of(memory)}"
    number = orders[0].url.rsplit("/", 1)[-1]
    latest = f" It is the latest of {len(orders)} such orders." if len(orders) > 1 else ""
    return (
        f"To return the {_named(ask)}: the order is {number}, {_ordered(orders[0], cites)}.{latest} The rules cannot start a return and do not know"
        " the shop's terms: name this number to the shop."
    )


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
    rows = dict.fromkeys(product for product, _ in _rows(asked, memory))
    if not rows:
        return ""
    head = "| Product | Price | Rating | Ratings | Store | Source |\n| --- | --- | --- | --- | --- | --- |"
    table = [_row(product, cites) for product in rows]
    stated = [line for product in rows if (line := _stated(product, cites))]
    return "\n\n".join(["## Compared", "\n".join([head, *table]), *(["\n".join(stated)] if stated else [])])


def _rows(asked: Asked, memory: Memory) -> Iterator[tuple[SeenProduct, ShopErrand]]:
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


def _orders(asked: Asked, memory: Memory, cites: Cites) -> str:
    orders = {
        order.url: order
        for ask in asked.of("bought", "spent", "return")
        for order in purchases(ask, memory)[: _ORDERS if ask.every or ask.kind == "spent" else 1]
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
    if asked.about_place and home is not None:
        lines += [f"You live in {state_name(home.state)} {cites(home.url, 'Your profile')}.", ""]
    for question in asked.rest:
        quoted = [
            f"- “{text[:-1]}” {cites(page.url, page.title)}." for text, page in page_rows(question, memory)
        ]
        if quoted or asked.asks:
            lines += [f"{REFUSED.split(':')[0]}: “{plain(question, 200)}”", "", *quoted, ""]
    return "## What pages say, unjudged\n\n" + "\n".join(lines).rstrip() if lines else ""


Sentence = dict[str, Any]


def filled(brief: Filling) -> str:
    """The form as JSON."""
    memory = reading.of_evidence(brief.evidence, brief.profile)
    asked = read(brief.question)
    picks = [pick for basket in baskets(asked.asks, memory) for pick in basket.picks]
    sections = [
        section
        for section in _sections(asked, memory, picks, brief.passages)
        if section["sentences"] or section["products"]
    ]
    form = {
        "answer": [_sentence(line.removeprefix("> ")) for line in (BANNER, unseen(memory)) if line],
        "sections": sections,
        "plan": [{"product_id": pick.product.product_id, "quantity": 1} for pick in picks],
    }
    form["answer"] += _form_answer(asked, memory, picks, brief.passages)
    return json.dumps(form, ensure_ascii=False)


def _sentence(text: str, *passages: int | None) -> Sentence:
    return {"text": text, "passages": [number for number in passages if number is not None]}


def _form_answer(
    asked: Asked, memory: Memory, picks: Sequence[Pick], numbers: Mapping[str, int]
) -> Iterator[Sentence]:
    for pick in picks:
        slot = pick.product.product_id
        yield _sentence(
            f"For {plain(pick.ask.thing, 60)}: {{product:{slot}}} at {{price:{slot}}}, {{rating:{slot}}} from {{ratings:{slot}}}."
        )
    for ask in asked.of("bought", "spent", "return"):
        for order in purchases(ask, memory)[:1]:
            slot = order.product_id
            yield _sentence(f"You bought {{product:{slot}}}, {{bought:{slot}}}.", numbers.get(order.url))
    for ask in asked.of("which"):
        yield _sentence(
            f"These two are to be compared: {join([f'{{product:{one.product_id}}}' for one in listings(ask, memory)])}."
        )
    for ask in asked.asks:
        if ask.unread:
            yield _sentence(f"A part of the question on {_named(ask)} was not read, so it is not answered.")
    met = {pick.ask for pick in picks}
    for ask in asked.of("find", "sold"):
        if ask not in met:
            yield _sentence(f"Nothing fitting was found for {plain(ask.thing, 60)}.")
    if asked.about_place and memory.home is not None:
        yield _sentence(f"You live in {state_name(memory.home.state)}.", numbers.get(memory.home.url))
    if not asked.asks:
        yield _sentence(REFUSED)


def _sections(
    asked: Asked, memory: Memory, picks: Sequence[Pick], numbers: Mapping[str, int]
) -> Iterable[dict[str, Any]]:
    stated = [
        _sentence(
            f"Of {{product:{product.product_id}}} the listing states “{plain(product.features[0], 140).rstrip('.')}”."
        )
        for product in dict.fromkeys(pick.product for pick in picks)
        if product.features
    ]
    rows = {product.product_id: plain(ask.thing, 60) for product, ask in _rows(asked, memory)}
    compared = [{"product_id": product_id, "note": f"for {thing}"} for product_id, thing in rows.items()]
    yield {"title": "Compared", "sentences": stated, "products": compared if len(compared) > 1 else []}
    quoted = []
    for line, part in quotations(asked.text, memory):
        number = numbers.get(part.url, numbers.get(part.source))
        if number is not None and "$" not in line:  # the form takes no amount from a file
            quoted.append(_sentence(f"One of your files says: {line.rstrip('.')}.", number))
    yield {"title": "What your files say", "sentences": quoted, "products": []}
    of_pages = [
        _sentence(text, numbers[page.url])
        for question in asked.rest
        for text, page in page_rows(question, memory)
        if page.url in numbers
    ]
    yield {"title": "What pages say, unjudged", "sentences": of_pages, "products": []}
