"""Lays out a talk with a shopper: its turns beside what they changed, the policy, and the end state."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from drr.app.viewer.model import CallView, EndRow, PolicyLine, StateLine, TalkTurn, TalkView
from drr.env.service.case import CART_TOOLS, ORDER_TOOLS, OrderRequest
from drr.env.service.clauses import clauses_of
from drr.env.session import TALK, Change
from drr.eval.rewards.rewarded import Rewarded
from drr.wording.currency import Currency
from drr.wording.excerpt import excerpt, many

if TYPE_CHECKING:
    from drr.env.query import Query
    from drr.env.service.outcome import ServiceOutcome

_ASKING, _PROPOSING = CART_TOOLS[-1], ORDER_TOOLS[-1]
_SPOKEN = "The shopper says: "
_ENDS = {"cancel": "cancelled", "return": "returned", "readdress": "readdressed"}
_LEFT = "left as it is"
_LONGEST = 60
"""Most characters of a product's title."""


def talk_of(
    query: Query | None,
    calls: Sequence[CallView],
    changes: Sequence[Mapping[str, Any]],
    titles: Mapping[str, str],
    currency: Currency,
) -> TalkView | None:
    """Return the talk of an answer; `None` where no shopper is served. `titles` are those of products by id."""
    case = query.service if query is not None else None
    acts = {*CART_TOOLS, *ORDER_TOOLS}
    if case is None and not any(one.name in acts for one in calls):
        return None
    made = [Change(**row) for row in changes]
    if case is not None:
        orders = {one.order_id: titles[one.product_id] for one in case.orders if one.product_id in titles}
        titles = {**titles, **orders}
    turns = list(_Turns(made, titles, currency).of(calls))
    if query is None or case is None:
        return TalkView("", turns, (), ())
    done = Rewarded(query, "", None, (), made).outcome
    _, opening, *_ = (*query.query.split("\n\n"), "")
    texts = {one.name: one.words(case.policy, currency) for one in clauses_of(case)}
    policy = [PolicyLine(name, text, done.kept.get(name)) for name, text in texts.items()]
    return TalkView(opening, turns, policy, list(_end(done, titles, currency)))


def _order(order_id: str, titles: Mapping[str, str]) -> str:
    return f"order {order_id}" + (f", {excerpt(titles[order_id], 40)}" if order_id in titles else "")


class _Turns:
    """The calls beside the changes that they made. An id that both name joins them."""

    def __init__(self, changes: Sequence[Change], titles: Mapping[str, str], currency: Currency) -> None:
        self._left = [(one.field.removeprefix(TALK), one) for one in changes if one.is_of_talk]
        self._titles, self._currency = titles, currency
        self._cart: dict[str, int] = {}

    def of(self, calls: Sequence[CallView]) -> Iterator[TalkTurn]:
        looked: list[CallView] = []
        for call in calls:
            if call.name not in {*CART_TOOLS, *ORDER_TOOLS}:
                if call.kind != "control":
                    looked.append(call)
                continue
            if looked:
                yield TalkTurn(looked[0].number, "", looked=[one.name for one in looked])
                looked = []
            yield self._turn(call)
        if looked:
            yield TalkTurn(looked[0].number, "", looked=[one.name for one in looked])

    def _turn(self, call: CallView) -> TalkTurn:
        given: dict[str, Any] = json.loads(call.arguments)
        refused = call.result if call.error else ""
        if call.name in (_ASKING, _PROPOSING):
            words = str(given.get("question") or self._proposal(given))
            about = ", ".join(map(str, given.get("about") or ())).replace("_", " ")
            answer = "" if refused else call.result.removeprefix(_SPOKEN)
            return TalkTurn(call.number, words, about, answer, True, refused=refused)
        broken, change = self._made_by(call)
        words = call.name.replace("_", " ")
        if change is None:
            return TalkTurn(
                call.number, words, state=() if refused else list(self._cart_lines()), refused=refused
            )
        return TalkTurn(call.number, words, state=list(self._after(*change)), broken=broken)

    def _proposal(self, given: Mapping[str, Any]) -> str:
        pieces = f"{many(int(given['pieces']), 'piece')} of " if given.get("pieces") else ""
        money = (
            f", {self._currency.text(float(given['money']))} comes back"
            if given.get("money") is not None
            else ""
        )
        to = f" to {given['street']}, {given.get('city', '')}" if given.get("street") else ""
        return f"May I {given.get('act')} {pieces}order {given.get('order_id')}{to}{money}?"

    def _made_by(self, call: CallView) -> tuple[list[str], tuple[str, Change] | None]:
        """Take the change that a call made off the list, with the clauses recorded before it."""
        for at, (field, change) in enumerate(self._left):
            kind, _, name = field.partition(".")
            if kind == call.name or (kind in ("cart", "orders", "acts") and name in call.arguments):
                start = at
                while start and self._left[start - 1][0].startswith("policy."):
                    start -= 1
                policy, self._left = self._left[start:at], [*self._left[:start], *self._left[at + 1 :]]
                return [one.partition(".")[2] for one, own in policy if own.after == "broken"], (
                    field,
                    change,
                )
        return [], None

    def _after(self, field: str, change: Change) -> Iterator[StateLine]:
        kind, _, name = field.partition(".")
        if kind == "cart":
            yield from self._cart_lines(name, int(change.after))
        elif kind == "checkout":
            self._cart = {}
            for product, pieces in change.after["lines"].items():
                yield StateLine("ins", f"ordered {self._pieces(product, pieces)}")
            voucher = f" with voucher {change.after['voucher']}" if change.after["voucher"] else ""
            yield StateLine(
                "",
                f"paid {self._currency.text(change.after['total'])}{voucher}, all there by {change.after['arrives']}",
            )
        elif kind == "orders":
            order = _order(name, self._titles)
            yield StateLine("del", f"{order}: {change.before}")
            yield StateLine("ins", f"{order}: {change.after}")
        else:
            yield StateLine("ins", f"{_order(name, self._titles)}: {_act_text(change.after, self._currency)}")

    def _cart_lines(self, product: str = "", pieces: int = 0) -> Iterator[StateLine]:
        before = self._cart.get(product, 0)
        if before:
            yield StateLine("del", self._pieces(product, before))
        self._cart = {name: count for name, count in self._cart.items() if name != product}
        for name, count in self._cart.items():
            yield StateLine("", self._pieces(name, count))
        if pieces:
            self._cart[product] = pieces
            yield StateLine("ins", self._pieces(product, pieces))
        if not self._cart:
            yield StateLine("", "the cart is empty")

    def _pieces(self, product: str, count: int) -> str:
        return f"{count} × {excerpt(self._titles.get(product, product), _LONGEST)}"


def _act_text(act: Mapping[str, Any], currency: Currency) -> str:
    """Return an act on an order in words. In talks of version 1 nothing more is recorded of it."""
    if len(act) == 1:
        return str(act["act"])
    if act["act"] == "readdressed":
        to = act["address"]
        return f"goes to {to['address1']}, {to['city']}, {to['state']} {to['zip']}"
    return f"{many(act['pieces'], 'piece')} {act['act']}, {currency.text(act['money'])} comes back"


def _end(done: ServiceOutcome, titles: Mapping[str, str], currency: Currency) -> Iterator[EndRow]:
    case, truth = done.case, done.query.checkable
    wanted = case.purchase
    if truth is not None and truth.needs:
        due = [
            f"{wanted.quantity} × each of {many(truth.needs[0].picks, 'product')} that {'fit' if truth.needs[0].picks > 1 else 'fits'}"
        ]
        due += [f"for {currency.text(truth.budget)} at most"] if truth.budget is not None else []
        due += [f"there by {wanted.arrives_by}"] if wanted.arrives_by else []
        got = [f"{count} × {excerpt(titles.get(one, one), _LONGEST)}" for one, count in done.ordered.items()]
        got += (
            [f"{currency.text(done.total)} paid", f"there by {done.arrives}"]
            if done.paid
            else ["nothing bought"]
        )
        yield EndRow("1. buy", ", ".join(due), ", ".join(got), done.bought_rightly)
    for point, one in enumerate(case.requests, 2):
        wish = f"{point}. {one.action} {_order(one.order_id, titles) if one.action != 'voucher' else one.order_id}"
        acts = [_act_text(act, currency) for act in done.acts.get(one.order_id, ())]
        acts += ["used"] if one.order_id in done.used else []
        yield EndRow(wish, _due(one), "; ".join(acts) or _LEFT, done.is_done(one))
    known = {one.order_id for one in case.requests} | {
        order for paid in done.paid for order in paid["orders"]
    }
    for order in sorted(done.acts.keys() - known):
        yield EndRow(f"order {order}", _LEFT, "touched, though nobody asked for it", False)


def _due(one: OrderRequest) -> str:
    if one.withdrawn:
        return f"{_LEFT}: he takes the wish back"
    if one.refusals:
        return f"{_LEFT}: the policy forbids it ({' or '.join(one.refusals)})"
    if one.action == "voucher":
        return "used where the policy allows it"
    to = f" to {one.address.address1}, {one.address.city}" if one.address else ""
    return f"{many(one.pieces, 'piece') + ' ' if one.pieces else ''}{_ENDS[one.action]}{to}"
