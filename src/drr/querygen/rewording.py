"""Rewords a checkable question: the same needs and figures, worded anew from its record and checked again."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from drr.env.checkable import Checkable, ExpectedFact
from drr.env.query import Query
from drr.querygen.composing import QuestionMaker, wording
from drr.querygen.drawing import DrawnPoint, PointSource
from drr.wording.dates import day_words

_TRIES = 20
_NOISE = (0, 1, 2)
"""The possible numbers of sentences beside the points."""


def reword_question(maker: QuestionMaker, query: Query, seed: int | str) -> str | None:
    """Return another text for a question; `None` where none was found that passes the checks."""
    truth, orders = query.checkable, maker.checker.orders(query.user_id)
    if truth is None:
        return None
    for number in range(_TRIES):
        of = PointSource(
            Random(f"reworded:{seed}:{number}"),
            maker.words,
            query.user_id,
            orders,
            maker.checker.shelves,
            maker.shop.store,
            maker.kinds,
            maker.cells,
            currency=maker.shop.manifest.money,
        )
        parts = list(_points(of, truth, query.query))
        if None in parts:
            return None
        text = wording(of, [one for one in parts if one], truth.budget, of.rng.choice(_NOISE))
        asked = query.model_copy(update={"query": text, "checkable": truth.model_copy(update={"axes": None})})
        if text != query.query and all(one.status != "fail" for one in maker.checker.check(asked).values()):
            return text
    return None


def _points(of: PointSource, truth: Checkable, asked: str) -> Iterator[DrawnPoint | None]:
    orders = {order.order_id: order for order in of.orders}
    for need in truth.needs:
        order = None if need.anchor is None else orders.get(need.anchor.order_id)
        lost = need.anchor is not None and order is None
        yield None if lost else DrawnPoint(of.need_text(need, order), (), need)
    for fact in truth.facts:
        words, forms = _words(of, fact, asked), of.words["facts"]["part" if fact.anchor else fact.kind]
        text = None if words is None else of.worded(forms, **words)
        yield None if text is None else DrawnPoint(text, (), fact)


def _words(of: PointSource, fact: ExpectedFact, asked: str) -> dict[str, str] | None:
    """Return the words that a fact's wording needs; `None` where the shop no longer knows the fact. Of several days, the day in the question is taken."""
    subject = fact.subjects[0]
    orders = [one for one in of.orders if subject in (one.order_id, one.product_id)]
    if fact.kind == "spend_year":
        return {"year": subject}
    if fact.kind == "orders_sum":
        return {"count": of.words["numbers"][len(fact.subjects)]}
    if fact.kind == "page":
        titles = [cell.page.title for cell in of.cells if cell.page.url == subject]
        days = [
            day_words(one.order_date)
            for one in of.orders
            if fact.anchor and one.order_id == fact.anchor.order_id
        ]
        named = {"day": days[0]} if days else {"row": fact.subjects[1]}
        return {"title": titles[0], "column": fact.subjects[2], **named} if titles else None
    if fact.kind in ("ratings", "order_date"):
        product = of.shelves.products.get(orders[0].product_id if orders else subject)
        return {"title": product.title} if product else None
    days = [day_words(one.order_date) for one in orders if one in of.dated]
    return {"day": next((day for day in days if day in asked), days[0])} if days else None
