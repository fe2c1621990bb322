"""Scripted agents that serve a shopper without earning it: they ask nothing, keep no policy, buy anything, or only talk."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import get_args

from drr.app.training.tricks import Play, Trick
from drr.env.content import batched
from drr.env.json_object import JsonObject
from drr.env.service.case import SlotKind
from drr.env.service.clauses import CLAUSES
from drr.env.service.outcome import gold_form
from drr.env.shop import Sort
from drr.wording.dates import day_words

_KIND = re.compile(r'filed under "([^"]+)"')
_TO_PAY = re.compile(r"to pay \$([\d,.]+\d)")
_PIECES = re.compile(r"I need (one|two|three|four|five) ")
_ABOUT = re.compile(r"Point \d is about what I ordered on (\w+ \d+, \d+)")
_REASON = re.compile(r"Point \d: ([a-z ]+)\.")
_NUMBERS = ("no", "one", "two", "three", "four", "five")
_EVERYTHING = [kind for kind in get_args(SlotKind) if kind != "confirmation"]
Look = Callable[[Play], object]


def _heard(play: Play) -> str:
    return "\n".join(step[0].text for step, _ in play.seen)


def _ask(play: Play, *about: str, **more: object) -> None:
    play.call("ask_shopper", question="What would you like?", about=list(about), **more)


def _ask_all(play: Play) -> None:
    for kinds in batched(_EVERYTHING, 2):
        _ask(play, *kinds)


def _find(play: Play, order: Sort = "relevance") -> list[str]:
    """Return the ids of products of the kind that is asked for."""
    kind = _KIND.findall(play.first.question)[0]
    before = {one.id for one in play.products}
    asked = {"query": kind.rpartition(" > ")[2], "category": kind, "match": "any", "sort": order, "limit": 50}
    play.call("product_catalog_search", **asked)
    return [one.id for one in play.products if one.id not in before]


def _pay(play: Play, *, asking: bool = True) -> None:
    """Check the cart out, after the shopper was asked twice where he is asked at all."""
    play.call("view_cart")
    found = _TO_PAY.findall(play.money.as_dollars(_heard(play)))
    for _ in range(2 if asking and found else 0):
        _ask(play, "confirmation", total=float(found[-1].replace(",", "")))
    play.call("checkout")


def _buy(
    play: Play, order: Sort = "relevance", *, place: int = 0, count: int = 1, counted: bool = True, asking: bool = True
) -> None:  # fmt: skip
    """Buy a product of the kind by its place in a search."""
    ids = _find(play, order)
    pieces = [_NUMBERS.index(one) for one in _PIECES.findall(_heard(play))] if counted else []
    for one in ids[place : place + count or None]:
        play.call("add_to_cart", product_id=one, quantity=pieces[-1] if pieces else 1)
    _pay(play, asking=asking)


def _orders(play: Play) -> list[tuple[str, str]]:
    """Return the latest orders, each with its day in words."""
    play.call("get_user_orders", limit=20)
    known = [one.record for one in play.env.episode.session.sources if one.type == "user" and one.record]
    return [(one["order_id"], day_words(one["order_date"])) for one in known if "order_id" in one]


def _end(play: Play, tools: Sequence[str], *, named: bool = True) -> None:
    """Cancel and return the orders that the shopper speaks of, or simply all of them."""
    days, reasons = _ABOUT.findall(_heard(play)), _REASON.findall(_heard(play))
    for order_id, day in _orders(play):
        if not named or day in days:
            reason = reasons[days.index(day)] if day in days and len(reasons) > days.index(day) else "damaged"
            for tool in tools:
                play.call(tool, order_id=order_id, reason=reason)


_BOTH = ("cancel_order", "return_items")


def _yes_man(play: Play, order: Sort = "relevance", place: int = 0) -> None:
    """Do whatever the shopper wants without a look at the policy, and buy something of the kind."""
    _ask_all(play)
    _end(play, _BOTH)
    _buy(play, order, place=place)


def _endless(play: Play) -> None:
    while not play.over:
        _ask(play, "budget")


def _chain(*looks: Look) -> Look:
    def look(play: Play) -> None:
        for one in looks:
            one(play)

    return look


def _nothing(play: Play) -> None:
    """Call no tool."""


def _honest(play: Play) -> JsonObject:
    """Return a report that tells what was done, and refuses nothing."""
    form = gold_form(play.env.episode.query, play.env.episode.session.changes)
    return {"report": "Done.", "form": {**form.model_dump(), "refusals": []}}


def _refusing(clause: str) -> Callable[[Play], JsonObject]:
    def say(play: Play) -> JsonObject:
        report = _honest(play)
        report["form"]["refusals"] = [{"point": point, "clause": clause} for point in (2, 3)]
        return report

    return say


def _claiming(play: Play) -> JsonObject:
    """Return a report that says that all was done."""
    picks = [one.id for one in play.products[:1]] or ["B000000000"]
    orders = [order for order, _ in _orders(play)][:2] if not play.over else []
    ordered = [{"product": one, "quantity": 1} for one in picks]
    form = {"ordered": ordered, "total": 10.0, "cancelled": orders, "returned": orders}
    return {"report": "All of it is done.", "form": form}


def _text(words: str) -> Callable[[Play], JsonObject]:
    return lambda play: {"report": words or play.first.question, "form": None}


SERVICE_FLOOR = (
    Trick("no form", _nothing, _text("I do not know.")),
    Trick("the question copied", _nothing, _text("")),
    Trick("do-nothing", _nothing, _honest),
    Trick("all claimed, nothing done", _nothing, _claiming),
)
"""Agents that must get no reward at all."""
_SORTS: Sequence[Sort] = ("price_asc", "price_desc", "rating", "popularity")
SERVICE_TRICKS = (
    *(Trick(f"refuse-all by {one.name}", _nothing, _refusing(one.name)) for one in CLAUSES),
    *(Trick(f"talk, then refuse by {one.name}", _ask_all, _refusing(one.name)) for one in CLAUSES[5:11]),
    Trick("talk-only", _ask_all, _honest),
    Trick("talk, then claim", _ask_all, _claiming),
    Trick("ask-everything at once", lambda play: _ask(play, *_EVERYTHING), _honest),
    Trick("ask-everything", _chain(_ask_all, _ask_all, partial(_buy, counted=False)), _honest),
    Trick("buy-first", partial(_buy, counted=False, asking=False), _honest),
    Trick("buy-first, confirmed", partial(_buy, counted=False), _honest),
    Trick("buy-first, then talk", _chain(partial(_buy, counted=False), _ask_all), _honest),
    Trick("wrong-item", partial(_yes_man, place=7), _honest),
    Trick("yes-man", _yes_man, _honest),
    *(Trick(f"yes-man, first by {one}", partial(_yes_man, order=one), _honest) for one in _SORTS),
    *(
        Trick(f"yes-man, first by {one}, refusing", partial(_yes_man, order=one), _refusing("shipping"))
        for one in _SORTS
    ),
    Trick("the last of the kind", partial(_yes_man, place=-1), _honest),
    Trick("one of each", _chain(_ask_all, partial(_buy, count=50)), _honest),
    Trick("three of the kind", _chain(_ask_all, partial(_buy, count=3)), _honest),
    Trick("orders named, nothing bought", _chain(_ask_all, lambda play: _end(play, _BOTH)), _honest),
    Trick("all orders cancelled", lambda play: _end(play, _BOTH[:1], named=False), _honest),
    Trick("all orders returned", lambda play: _end(play, _BOTH[1:], named=False), _honest),
    Trick("all ended, the first bought", _chain(lambda play: _end(play, _BOTH, named=False), _buy), _honest),
    Trick("bought without a yes", _chain(_ask_all, partial(_buy, asking=False)), _honest),
    Trick("a yes to nothing", lambda play: _ask(play, "confirmation", total=0.0), _honest),
    Trick("checkout of nothing", partial(_pay, asking=False), _honest),
    Trick("endless questions", _endless, _honest),
)
"""Agents that may get a reward only by luck."""
