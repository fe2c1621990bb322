"""The rules' reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from drr.offline.agents.account import ACCOUNT, Unread
from drr.offline.agents.answers import (
    Basket,
    Pick,
    baskets,
    cents,
    has_words,
    is_known,
    is_unsold,
    keeps_limits,
    listings,
    outside,
    purchases,
    settled,
    sides,
    unjudged,
)
from drr.offline.agents.asks import Asked, ShopErrand
from drr.offline.agents.cues import Order
from drr.offline.agents.memory import Cites, Memory, SeenProduct, join, plain, priced, rated, short
from drr.offline.agents.orders import (
    bought,
    capital,
    listed_orders,
    not_read,
    quoted,
    returned,
    spent_on,
    unknown,
)
from drr.offline.agents.pages import file_statements, page_rows, unseen
from drr.offline.agents.phrases import PHRASES, content_words
from drr.wording.money import money

BANNER = "> Written by rules, not by an LLM: the `offline` model stood in for one."
REFUSED = (
    "The rules cannot answer this: they find things within limits, tell what was bought or spent, compare two listings, say what is not"
    " sold here, and look up an order to return."
)
_ROWS = 5
_WHY: dict[Order, str] = {
    "rating": "none is rated higher",
    "price_asc": "none costs less",
    "popularity": "none has more ratings",
}


def report(asked: Asked, memory: Memory) -> str:
    """Write the report: an answer for each thing asked, what was compared, the orders, what pages and files say."""
    cites, typed = Cites(), asked
    asked = settled(asked.spelled(memory.words), memory)
    named = [
        ask
        for ask in asked.asks
        if ask.kind != "return"
        and not ask.is_open
        and (len(listings(ask, memory)) >= len(ask.things) > 0 or purchases(ask, memory))
    ]
    things = dict.fromkeys(thing for ask in named for thing in ask.things)
    parts = [
        f"# {capital(join(list(things))) or 'Your question'}",
        BANNER,
        unseen(memory),
        "## The short answer\n\n" + _answer(asked, typed, memory, cites),
        _compared(asked, memory, cites),
        listed_orders(asked, memory, cites),
        file_statements(asked.text, memory, cites),
        _rest(asked, memory, cites),
        cites.listing(),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _slips(typed: Asked, read: Asked) -> list[str]:
    """Say which names were read with other letters than they have."""
    pairs = [
        pair
        for one, other in zip(typed.asks, read.asks, strict=True)
        for pair in zip(one.things, other.things, strict=True)
    ]
    return [
        f"“{plain(one, 60)}” was read as “{plain(other, 60)}”."
        for one, other in dict.fromkeys(pairs)
        if one != other
    ]


def _answer(asked: Asked, typed: Asked, memory: Memory, cites: Cites) -> str:
    if all(ask.bare and not is_known(ask, memory) for ask in asked.asks):
        near = _by_name(asked.text, memory)
        unread = not_read([*(ask.thing for ask in typed.asks), *asked.unread])
        return f"{REFUSED}{unread}{_unjudged(near, cites, asked.limits)}"
    found = baskets(asked.asks, memory)
    lines = [*_slips(typed, asked), *(_answered(ask, asked, found, memory, cites) for ask in asked.asks)]
    lines = list(dict.fromkeys(lines))
    lines += [_total(one) for one in found if len(one.picks) > 1 and one.total is not None]
    return "\n".join(f"- {line}" for line in lines)


def _by_name(text: str, memory: Memory) -> list[SeenProduct]:
    """List what bears all words of a text that seeks nothing of one's own and denies nothing."""
    words = {*content_words(text), *filter(str.isalpha, ACCOUNT.words(text))}
    is_own = not {"i", "my", "our", "we"}.isdisjoint(text.lower().split())
    if len(words) < 2 or PHRASES.denied(text) or is_own:
        return []
    return [one for one in memory.products.values() if has_words(words, one.title, "")]


def _answered(ask: ShopErrand, asked: Asked, found: Sequence[Basket], memory: Memory, cites: Cites) -> str:
    left = ask.unread.stretches
    among = len(asked.asks) + len(asked.rest) > 1  # a stray word of a question with more in it is no name
    if ask.seeks and not is_known(ask, memory) and (left or (among and not is_unsold(ask, memory))):
        return f"Not answered: {unknown(ask)}.{not_read(left)}"
    met = listings(ask, memory) or purchases(ask, memory)
    unmet = ask.is_open or (ask.conditions and len(met) < len(ask.things))
    bare = replace(ask, unread=Unread())
    may_fit = unjudged(ask, memory) or not bare.limits_in_words() or not outside(bare, memory)
    if unmet and (not ask.seeks or (is_known(ask, memory) and may_fit)):
        return _undone(ask, ask if ask.seeks else asked.limits, memory, cites)
    if ask.seeks and left and not listings(ask, memory):
        return f"{_line(bare, found, memory, cites)}{not_read(left)}"
    return _line(ask, found, memory, cites)


def _unjudged(found: Sequence[SeenProduct], cites: Cites, ask: ShopErrand) -> str:
    """List what the search of the shop returned within the limits, where the rules have no answer."""
    kept = [one for one in found if keeps_limits(ask, one)][:_ROWS]
    rows = [f"\n  - {_about(one, cites)}." for one in kept]
    limits = replace(ask, unread=Unread()).limits_in_words()
    within = f", within the limits ({limits})" if limits else ""
    return f" From the search of the shop{within}, unjudged:{''.join(rows)}" if rows else ""


def _undone(ask: ShopErrand, limits: ShopErrand, memory: Memory, cites: Cites) -> str:
    near = unjudged(ask, memory)
    is_here = near or (not ask.seeks and is_known(ask, memory))
    named = f"{capital(join(ask.things))}: not" if ask.things and is_here else "Not"
    left = quoted(ask.unread.stretches)
    return f"{named} answered, for the rules did not read {left}.{_unjudged(near, cites, limits)}"


def _line(ask: ShopErrand, found: Sequence[Basket], memory: Memory, cites: Cites) -> str:
    if ask.period and ask.period.on(memory.today) is None:
        return "Not answered, for what day it is in this shop was not looked up."
    match ask.kind:
        case "which":
            return _better(ask, memory, cites)
        case "bought":
            return bought(ask, memory, cites)
        case "spent":
            return spent_on(ask, memory, cites)
        case "return":
            return returned(ask, memory, cites)
    picks = [(one, basket) for basket in found for one in basket.picks if one.ask == ask]
    return _picked(*picks[0], memory, cites) if picks else _not_found(ask, memory, cites)


def _about(product: SeenProduct, cites: Cites) -> str:
    return f"**{short(product.title)}**: {priced(product)}, {rated(product)} {cites.product(product)}"


def _picked(pick: Pick, basket: Basket, memory: Memory, cites: Cites) -> str:
    ask, found = pick.ask, listings(pick.ask, memory)
    why = _WHY["price_asc" if basket.too_dear else ask.order]
    if basket.limit is not None and not basket.too_dear:
        why = "it belongs to the set that is rated highest within the limit for all"
    if pick.product.price is None:
        why = "none has a known price, so none is ahead"
    elif any(one.price is None for one in found):
        why = f"{why} among those with a known price"
    within = f" within the limits ({limits})" if (limits := ask.limits_in_words()) else ""
    left = [one.price is None for one in outside(ask, memory)]
    priced_only = " with a known price" if any(left) and all(one.price is not None for one in found) else ""
    reason = f"of {len(found)}{priced_only} that were found{within}, {why}"
    if len(found) == 1:
        reason = f"it is the only one{priced_only} that was found{within}"
    sold = "Yes, it is sold here. " if ask.kind == "sold" else ""
    more = [f"{_about(other, cites)}." for other in pick.others[: (ask.limits.many or 1) - 1]]
    return f"{sold}{capital(ask.thing)}: {_about(pick.product, cites)}; {reason}. {' '.join(more)}".rstrip()


def _not_found(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
    limits = ask.limits_in_words()
    if ask.most is not None and ask.limits.least is not None and ask.limits.least > ask.most:
        return f"{capital(ask.thing)}: the limits contradict each other ({limits})."
    near = outside(ask, memory)
    if not memory.called("product_catalog_search"):
        return f"{capital(ask.thing)}: the shop was not searched for it."
    if not near and is_unsold(ask, memory):
        return f"{capital(ask.thing)}: not sold here, as far as the search shows."
    if not near:
        rows = _unjudged(unjudged(ask, memory), cites, ask)
        name = "is called just that" if rows else "goes by that name"
        return f"{capital(ask.thing)}: no listing that was found {name}.{rows}"
    if near[0].price is None and ask.limits.costs:
        rest = f"; {len(near) - 1} more like it" if near[1:] else ""
        return f"{capital(ask.thing)}: none that was found is known to be within the limits ({limits}), for no price is known. It may be {_about(near[0], cites)}{rest}."
    unpriced = sum(one.price is None for one in near[1:])
    more = f" {unpriced} more {'has' if unpriced == 1 else 'have'} no known price." if unpriced else ""
    return f"{capital(ask.thing)}: none was found within the limits ({limits}). The cheapest found outside them is {_about(near[0], cites)}.{more}"


def _better(ask: ShopErrand, memory: Memory, cites: Cites) -> str:
    both = listings(ask, memory)
    if not all(sides(thing, memory) for thing in ask.things):
        return f"The two were not compared: {unknown(ask)}."
    if len(both) < 2 or both[0] == both[1]:
        return f"The two could not be told apart by the shop's listings: {join([plain(thing, 60) for thing in ask.things])}."
    one, other = both
    several = any(len(sides(thing, memory)) > 1 for thing in ask.things)
    chosen = " (where several bear a name, the one with a known price and most ratings)" if several else ""
    chosen += f", both with {quoted(ask.conditions)} in the name" if ask.conditions else ""
    both_lines = f"{_about(one, cites)}; {_about(other, cites)}{chosen}."
    if one.path != other.path and len({thing.split()[-1] for thing in ask.things}) > 1:
        return f"{both_lines} They are different kinds of things, so no figure says which is better."
    if None in (one.price, other.price) and ask.order == "price_asc":
        return f"{both_lines} A price is unknown, so none can be called cheaper."
    if None in (one.price, other.price):
        if one.rating == other.rating:
            return f"{both_lines} A price is unknown and they are rated alike, so none is ahead."
        higher = max(both, key=lambda product: product.rating or 0)
        return f"{both_lines} A price is unknown; by rating alone, {short(higher.title)} is ahead."
    cheap, dear = sorted(both, key=lambda product: (product.price or 0, -(product.rating or 0)))
    if (cheap.price, cheap.rating) == (dear.price, dear.rating):
        return f"{both_lines} They cost the same and are rated alike, so none is ahead."
    costs = "costs the same" if cheap.price == dear.price else "costs less"
    if (cheap.rating or 0) >= (dear.rating or 0):
        stars = "is rated the same" if cheap.rating == dear.rating else "is rated higher"
        return f"{both_lines} {short(cheap.title)} is the better buy: it {costs} and {stars}."
    return f"{both_lines} {short(cheap.title)} is cheaper, {short(dear.title)} is rated higher; which counts more is for you to say."


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


def _rest(asked: Asked, memory: Memory, cites: Cites) -> str:
    """The questions that no rule answers, each with what pages say: as quotations, and as nobody's advice."""
    lines, found = list[str](), False
    if not asked.asks:
        return ""
    for question in asked.rest:
        quoted = [
            f"- “{text[:-1]}” {cites(page.url, page.title)}." for text, page in page_rows(question, memory)
        ]
        found = found or bool(quoted)
        lines += [f"{REFUSED.split(':')[0]}: “{plain(question, 200)}”", "", *quoted, ""]
    head = "What pages say, unjudged" if found else "Not answered"
    return f"## {head}\n\n" + "\n".join(lines).rstrip() if lines else ""
