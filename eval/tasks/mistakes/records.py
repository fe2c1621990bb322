"""The records before a reader who compares a whole report with the shop. The shopper's own and those of the products in it."""

from __future__ import annotations

from collections.abc import Iterator

from drr.citations.addresses import canonical_url
from drr.env.records.history import history_evidence
from drr.env.records.product import product_evidence
from drr.env.records.statistics import statistics_page
from drr.env.records.user import profile_evidence
from drr.eval.asking.conversation import Section
from drr.eval.checks.base import Subject
from drr.eval.checks.mentions import Mentions
from drr.eval.evidence.passages import select

MOST_PRODUCTS = 60
_ORDERS = 1000
_CUT = "\n[...]\n"
_MISSING = "The shop has no product of this id."


def records_of(subject: Subject, mentions: Mentions) -> list[Section]:
    """List the records in the order in which the report speaks of them. A long listing by what concerns the report."""
    return [*_own(subject), *_products(subject, mentions)]


def _own(subject: Subject) -> Iterator[Section]:
    user = subject.user
    if user is None or subject.shop is None or subject.user_id is None:
        yield Section("records", "Nothing is known of the shopper.", "The shopper:")
        return
    store = subject.shop.store
    orders, total = store.orders(subject.user_id, limit=_ORDERS)
    products = {one.product_id: one for one in subject.products({one.product_id for one in orders})}
    yield Section("records", profile_evidence(user), "The shopper:")
    yield Section("records", history_evidence(orders, products, total), "The shopper's orders, oldest first:")
    statistics = store.statistics(subject.user_id)
    if statistics is not None:
        heading = f"What the orders add up to, by day {subject.shop.manifest.as_of}:"
        yield Section("records", statistics_page(statistics, "").rstrip(), heading)


def _products(subject: Subject, mentions: Mentions) -> Iterator[Section]:
    spoken_of = spoken_of_in(subject, mentions)
    known = {one.product_id: one for one in subject.products(spoken_of)}
    for name in spoken_of[:MOST_PRODUCTS]:
        product = known.get(name)
        text = _MISSING if product is None else product_evidence(product).text
        spans = select(subject.report, text)
        yield Section("records", _CUT.join(text[a:b] for a, b in spans), f"Product {name}:", name)
    if unshown := unshown_of(subject, mentions):
        yield Section("records", f"{unshown} more, which are not shown.", "Other products of the answer:")


def unshown_of(subject: Subject, mentions: Mentions) -> int:
    """Products that the report speaks of beyond those that are shown."""
    return max(0, len(spoken_of_in(subject, mentions)) - MOST_PRODUCTS)


def order_numbers(subject: Subject) -> dict[str, str]:
    """Map the shopper's orders by their numbers without the zeros at the head. Who reads a number as a number leaves these out."""
    if subject.user is None or subject.shop is None or subject.user_id is None:
        return {}
    orders = subject.shop.store.orders(subject.user_id, limit=_ORDERS).items
    return {one.order_id.lstrip("0"): one.order_id for one in orders if one.order_id.startswith("0")}


def spoken_of_in(subject: Subject, mentions: Mentions) -> list[str]:
    """Ids of products that the report links, lists, gives or names, each once."""
    listed = (subject.product_id_of(canonical_url(one.url)) for one in subject.citations.sources)
    pointed = sorted([*mentions.references, *mentions.called], key=lambda one: one.start)
    return list(dict.fromkeys([*(one.product_id for one in pointed), *(name for name in listed if name)]))
