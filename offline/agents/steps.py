"""Calls of tools that the rules make: all in one plan, or step by step by what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from drr.agents.brief import Planning
from drr.env.json_object import JsonObject
from drr.offline.agents.answers import baskets, is_named, listings, purchases, unjudged
from drr.offline.agents.asks import Asked, ShopErrand
from drr.offline.agents.memory import Memory, join
from drr.offline.agents.pages import look_at_files, planned_looks, search_files
from drr.offline.agents.phrases import content_words

Call = tuple[str, JsonObject]
Calls = list[Call]
PAGE, _LATEST, _OPENED = 100, 20, 8


def planned(asked: Asked, brief: Planning) -> Calls:
    """Plan everything at once and blindly: one page of orders, no second search, no sum, no profile."""
    calls: Calls = []
    if brief.files:
        calls += planned_looks(asked.text, brief.files, references=brief.references)
    if brief.records:
        calls += [("get_user_orders", {"limit": PAGE})] if needs_orders(asked) else []
        calls += [("get_user_statistics", {})] if _needs_sums(asked) else []
    if brief.shop:
        for ask, query in _searches(asked):
            calls.append(("product_catalog_search", _search(ask, query)))
            if ask.things and ask.kind == "find" and not ask.is_open and brief.references:
                calls.append(("get_product_details", {"product_id": f"${len(calls)}.items[0].product_id"}))
    return calls + [
        ("web_search", {"query": _own_words(question) or question[:100]}) for question in asked.rest
    ]


def missing(asked: Asked, memory: Memory, bound: set[str]) -> tuple[str, Calls]:
    """List what to find out next with these tools; no calls where nothing is missing."""
    asked = asked.spelled(memory.words)
    for step in (
        partial(_look_at_files, bound),
        _look_up_records,
        _look_further_back,
        _look_for_products,
        _look_again,
        _open_pages,
        _ask_the_web,
        _add_up,
    ):
        thought, calls = step(asked, memory)
        calls = [(name, arguments) for name, arguments in calls if name in bound]
        if calls:
            return thought, calls
    return "", []


def needs_orders(asked: Asked) -> bool:
    return any(not ask.spans_all for ask in asked.of("bought", "return", "spent"))


def _needs_sums(asked: Asked) -> bool:
    """Tell whether the statistics are asked for: they hold all that was spent, and which day this is."""
    return any(
        ask.spans_all or (ask.period is not None and ask.period.needs_today)
        for ask in asked.of("bought", "spent", "return")
    )


def _searches(asked: Asked) -> Iterator[tuple[ShopErrand, str]]:
    """The searches of the shop that a question needs; of what has no cue, its own words."""
    yield from (
        (ask, thing) for ask in asked.tasks for thing in ask.things[: 1 if ask.kind == "return" else None]
    )
    if not asked.asks and (words := _own_words(asked.rest[0])):
        yield asked.limits, words


def _search(ask: ShopErrand, query: str) -> JsonObject:
    if not ask.seeks:
        return {"query": query, "limit": 20}
    limits = {"max_price": ask.most, "min_price": ask.limits.least, "min_rating": ask.rating}
    arguments: JsonObject = {"query": query, "limit": 50 if ask.things else 10}
    arguments |= {name: value for name, value in limits.items() if value is not None}
    return arguments if ask.order == "rating" else {**arguments, "sort": ask.order}


def _own_words(question: str) -> str:
    words = [word for word in re.findall(r"[\w'-]+", question) if content_words(word)]
    return " ".join(dict.fromkeys(words[:10]))


def _look_at_files(bound: set[str], asked: Asked, memory: Memory) -> tuple[str, Calls]:
    if "list_files" not in bound:
        return "", []
    thought, calls = look_at_files(memory)
    return (thought, calls) if calls else search_files(asked.text, memory)


def _look_up_records(asked: Asked, memory: Memory) -> tuple[str, Calls]:
    calls: Calls = []
    if needs_orders(asked) and not memory.called("get_user_orders"):
        calls.append(("get_user_orders", {"limit": _LATEST}))
    if _needs_sums(asked) and not memory.called("get_user_statistics"):
        calls.append(("get_user_statistics", {}))
    return "The shopper's own record answers this.", calls


def _look_further_back(asked: Asked, memory: Memory) -> tuple[str, Calls]:
    """Turn the pages until what is asked for is found; to the end where all of it is asked for."""
    total, done = memory.orders_total or 0, memory.orders_read
    found = all(
        ask.kind != "spent" and not ask.every and purchases(ask, memory)
        for ask in asked.of("bought", "return", "spent")
        if not ask.spans_all
    )
    if found or not done or done >= total:
        return "", []
    return "There are older orders.", [("get_user_orders", {"limit": PAGE, "offset": done})]


def _look_for_products(asked: Asked, memory: Memory) -> tuple[str, Calls]:
    calls: Calls = [
        ("product_catalog_search", _search(ask, query))
        for ask, query in _searches(asked)
        if not memory.searched(query)
    ]
    return f"The shop is searched for {join([str(call[1]['query']) for call in calls])}.", calls


def _look_again(asked: Asked, memory: Memory) -> tuple[str, Calls]:
    """A thing of which nothing fits is searched once more, with nothing filtered; then by its last word."""
    calls: Calls = []
    for ask in filter(lambda ask: ask.seeks, asked.asks):
        word, whole = ask.thing.split()[-1], " ".join([ask.thing, *ask.conditions])
        if listings(ask, memory):
            continue
        if ask.conditions and not memory.searched(whole):
            calls.append(("product_catalog_search", _search(ask, whole)))
            continue
        if ask.limits_in_words() and memory.searched(ask.thing) == 1:
            calls.append(("product_catalog_search", {"query": ask.thing, "limit": 10}))
        elif not memory.searched(word) and not any(is_named(ask, one) for one in memory.products.values()):
            calls.append(("product_catalog_search", {"query": word, "limit": 10}))
    return "Nothing that fits was found; a wider search may show what there is.", calls


def _open_pages(asked: Asked, memory: Memory) -> tuple[str, Calls]:
    """The pages of what is picked or compared, and of names that were cut."""
    best = [pick.product for basket in baskets(asked.asks, memory) for pick in basket.picks]
    best += [one for ask in asked.of("which") for one in unjudged(ask, memory)]
    for ask in asked.of("find", "sold"):
        if ask.conditions and not listings(ask, memory):
            best += [one for one in unjudged(ask, memory) if one.title.endswith("…")]
    tried = {call.arguments.get("product_id") for call in memory.calls if call.name == "get_product_details"}
    ids = [one.product_id for one in best if not one.opened]
    ids += [one for ask in asked.of("which") for one in ask.things if _is_id(one)]
    wanted = [one for one in dict.fromkeys(ids) if one not in tried]
    calls: Calls = [("get_product_details", {"product_id": product_id}) for product_id in wanted]
    return "Its own page states the features.", calls[: max(0, _OPENED - len(tried))]


def _is_id(thing: str) -> bool:
    return thing.isalnum() and thing.isupper() and any(map(str.isdecimal, thing))


def _ask_the_web(asked: Asked, memory: Memory) -> tuple[str, Calls]:
    queries = [_own_words(question) or question[:100] for question in asked.rest]
    done = [call.arguments.get("query") for call in memory.calls if call.name == "web_search"]
    return "The shop does not know this; pages may say something on it.", [
        ("web_search", {"query": query}) for query in queries if query not in done
    ]


def _add_up(asked: Asked, memory: Memory) -> tuple[str, Calls]:
    sums = [
        [pick.product.price for pick in one.picks]
        for one in baskets(asked.asks, memory)
        if one.total is not None
    ]
    for ask in asked.of("spent"):
        orders = purchases(ask, memory) if ask.thing else []
        sums.append([price for one in orders if (price := one.price) for _ in range(one.quantity)])
    if memory.called("calculator"):
        return "", []
    return "The sum is left to the calculator.", [
        ("calculator", {"expression": " + ".join(f"{price:.2f}" for price in prices)})
        for prices in sums
        if 2 <= len(prices) <= 40
    ]
