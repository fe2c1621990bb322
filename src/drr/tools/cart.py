"""The tools that act for a shopper in a talk: the cart, checkout, orders, and questions to him.

Some clauses of the shop's policy are kept by these tools, which refuse what breaks one and name it. The others are the agent's to
keep: the act is done, and the session records what it broke.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Annotated, Any, Literal, TypeVar, cast

from drr.env.entities import Order
from drr.env.json_object import JsonObject
from drr.env.records.lines import one_line
from drr.env.records.shopper import order_row
from drr.env.service.case import Reason, SlotKind
from drr.env.service.clauses import Act, broken_by, clauses_of, refund_of
from drr.env.service.shopper import shopper_reply, wrong_words
from drr.env.service.state import ServiceState, vouchers_of
from drr.tools.base import ToolAnswer, ToolContext, ToolError, order_sources, product_source
from drr.tools.catalog import product_named
from pydantic import Field, StringConstraints

_Id = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
ProductId = Annotated[_Id, Field(description="The product's id or address.")]
OrderId = Annotated[_Id, Field(description="The order's id, as get_user_orders gives it.")]
GivenReason = Annotated[Reason, Field(description="The reason that the shopper gives.")]
Voucher = Annotated[
    str | None,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=40),
    Field(description="The code of the shopper's voucher."),
]


_Tool = TypeVar("_Tool", bound=Callable[..., ToolAnswer])


def one_at_a_time(act: _Tool) -> _Tool:
    """Let one act of a talk end before the next begins."""

    @wraps(act)
    def done(ctx: ToolContext, **arguments: Any) -> ToolAnswer:
        with ctx.service.lock:
            return act(ctx, **arguments)

    return cast(_Tool, done)


@one_at_a_time
def view_cart(ctx: ToolContext, voucher: Voucher = None) -> ToolAnswer:
    """Show the cart: products, pieces, prices, stock, what is to pay and when it arrives. With a voucher: what is to pay then."""
    return _cart(ctx.service, _code(ctx.service, voucher))


@one_at_a_time
def add_to_cart(
    ctx: ToolContext,
    product_id: ProductId,
    quantity: Annotated[int, Field(ge=1, le=99, description="Pieces to add.")] = 1,
) -> ToolAnswer:
    """Put a product into the cart, and show the cart with stock and day of arrival."""
    state, product = ctx.service, product_named(ctx, product_id)
    if product.price is None:
        raise ToolError("not_allowed", f"{product.product_id} has no price today, so it cannot be sold.")
    before = state.cart.get(product.product_id, 0)
    keep_clauses(ctx, Act("add", lines={product.product_id: before + quantity}))
    state.cart[product.product_id] = before + quantity
    ctx.session.record(f"cart.{product.product_id}", before, before + quantity)
    shown = _cart(state, None)
    return ToolAnswer(shown.text, [product_source(product, shown.text, ctx.money)], shown.data)


@one_at_a_time
def remove_from_cart(ctx: ToolContext, product_id: ProductId) -> ToolAnswer:
    """Take all pieces of a product out of the cart, and show the cart."""
    state, product = ctx.service, product_named(ctx, product_id)
    if product.product_id not in state.cart:
        raise ToolError("not_found", f"{product.product_id} is not in the cart; view_cart shows what is.")
    ctx.session.record(f"cart.{product.product_id}", state.cart.pop(product.product_id), 0)
    return _cart(state, None)


@one_at_a_time
def checkout(ctx: ToolContext, voucher: Voucher = None) -> ToolAnswer:
    """Order and pay for the whole cart. Each product becomes an order with a number of its own."""
    state = ctx.service
    code = _code(state, voucher)
    if not state.cart:
        raise ToolError("invalid", "The cart is empty; add_to_cart fills it.")
    keep_clauses(
        ctx, Act("pay", lines=dict(state.cart), goods=state.goods(), total=state.total(code), voucher=code)
    )
    lines = dict(state.cart)
    paid = state.pay(code)
    data = {
        "orders": paid.orders,
        "total": paid.total,
        "voucher": code,
        "arrives": paid.arrives.isoformat(),
        **ctx.money.fields,
    }
    ctx.session.record(f"checkout.{len(state.paid)}", None, {**data, "lines": lines})
    products = {one.product_id: one for one in state.shop.store.products(list(lines))}
    rows, sources = [], []
    for order in map(state.orders.__getitem__, paid.orders):
        product = products.get(order.product_id)
        rows.append(order_row(order, product, ctx.money))
        sources += order_sources(f"user://{state.user_id}/orders/", order, product, rows[-1], ctx.money)
    heading = (
        f"Paid {ctx.money.text(paid.total)}{_voucher_suffix(code)}; all arrives by {paid.arrives}. Orders:"
    )
    return ToolAnswer("\n".join([heading, *rows]), sources, data)


@one_at_a_time
def cancel_order(ctx: ToolContext, order_id: OrderId, reason: GivenReason) -> ToolAnswer:
    """Cancel a whole order of the shopper, for the reason that he gives."""
    return end_order(ctx, order_id, reason, "cancel")


@one_at_a_time
def return_items(ctx: ToolContext, order_id: OrderId, reason: GivenReason) -> ToolAnswer:
    """Take back the goods of a whole order of the shopper, for the reason that he gives."""
    return end_order(ctx, order_id, reason, "return")


@one_at_a_time
def ask_shopper(
    ctx: ToolContext,
    question: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000),
        Field(description="The question, in your words."),
    ],
    about: Annotated[
        list[SlotKind] | None,
        Field(
            min_length=1,
            max_length=12,
            description="What the question is about; nothing else is told. `confirmation` asks for a yes to the cart and its total.",
        ),
    ] = None,
    total: Annotated[
        float | None,
        Field(ge=0, le=1e6, description="With `confirmation`: what he would pay in all, in dollars."),
    ] = None,
) -> ToolAnswer:
    """Ask the shopper a question, and return what he says. He tells only what he is asked about."""
    state = ctx.service
    if about is None and state.voice is None:
        raise ToolError(
            "invalid", "about is missing: he answers by what a question is about, not by its words."
        )
    kinds = about or (state.voice.kinds(question) if state.voice else [])
    keep_clauses(ctx, Act("ask", kinds=len(set(kinds))))
    answer = shopper_reply(state, kinds, total)
    words = spoken_answer(ctx, question, answer.sentences)
    state.heard += answer.sentences
    data = {"sentences": answer.sentences, "agreed": answer.agreed}
    return ToolAnswer(f"The shopper says: {one_line(words, len(words))}", (), data)


def spoken_answer(ctx: ToolContext, question: str, sentences: Sequence[str]) -> str:
    """Return an answer, in the words of the model that plays the shopper if any, and record its faults."""
    state = ctx.service
    if state.voice is None:
        return " ".join(sentences)
    spoken = state.voice.words(question, sentences, partial(wrong_words, state, sentences))
    ctx.session.record("shopper", None, spoken.faults)
    return spoken.words


def keep_clauses(ctx: ToolContext, act: Act) -> None:
    """Raise `ToolError` for an act that the shop stops; record which other clauses on the act are kept."""
    state = ctx.service
    broken = broken_by(state, act)
    stopping = next((clause for clause in broken if clause.stops), None)
    if stopping is not None:
        text = stopping.words(state.case.policy, ctx.money)
        raise ToolError("not_allowed", f"Clause {stopping.name} of the policy: {text}")
    for clause in clauses_of(state.case):
        if act.kind in clause.acts and not clause.stops:
            ctx.session.record(f"policy.{clause.name}", None, "broken" if clause in broken else "kept")
    if act.order is not None:
        state.agreed.pop(act.order.order_id, None)  # a yes is for one act


def _code(state: ServiceState, voucher: str | None) -> str | None:
    if voucher is not None and voucher.upper() not in vouchers_of(state.shop.manifest.content_hash):
        raise ToolError("not_found", f"No voucher {one_line(voucher, 40)!r}; ask the shopper for its code.")
    if voucher is not None and voucher.upper() in state.ended_vouchers:
        raise ToolError("not_allowed", f"Clause voucher of the policy: {voucher.upper()} has run out.")
    return voucher and voucher.upper()


def _voucher_suffix(voucher: str | None) -> str:
    return f" with voucher {voucher}" if voucher else ""


def _cart(state: ServiceState, voucher: str | None) -> ToolAnswer:
    lines: list[JsonObject] = [
        {
            "product_id": one.product_id,
            "title": one_line(one.title, 110),
            "quantity": state.cart[one.product_id],
            "price": one.price or 0.0,
            "in_stock": state.stock(one.product_id),
            "arrives": state.arrives(one.product_id).isoformat(),
        }
        for one in state.products()
    ]
    money = state.shop.manifest.money
    arrives, goods, total = (
        max((one["arrives"] for one in lines), default=None),
        state.goods(),
        state.total(voucher),
    )
    rows = [
        f"- {one['quantity']} x {one['product_id']} {one['title']} at {money.text(one['price'])}; {one['in_stock']} in stock, arrives {one['arrives']}"
        for one in lines
    ]
    rows.append(
        f"Goods {money.text(goods)}, to pay {money.text(total)}{_voucher_suffix(voucher)}, all there by {arrives}."
    )
    data = {
        "lines": lines,
        "goods": goods,
        "voucher": voucher,
        "total": total,
        "arrives": arrives,
    } | money.fields
    return ToolAnswer("\n".join(["The cart:", *rows] if lines else ["The cart is empty."]), (), data)


def end_order(
    ctx: ToolContext,
    order_id: str,
    reason: Reason,
    action: Literal["cancel", "return"],
    pieces: int | None = None,
) -> ToolAnswer:
    """Cancel an order, or take back pieces of it: all of them where no number is given."""
    state, order = ctx.service, order_named(ctx, order_id)
    product = state.shop.store.product(order.product_id)
    count = order.quantity if pieces is None else pieces
    if count > order.quantity:
        raise ToolError("invalid", f"The order has {order.quantity} pieces; name no more of them.")
    money = refund_of(state, order, product, count, is_return=action == "return", reason=reason)
    keep_clauses(ctx, Act(action, order=order, product=product, reason=reason, pieces=count, money=money))
    after: Literal["Cancelled", "Returned"] = "Cancelled" if action == "cancel" else "Returned"
    data: JsonObject = {"order_id": order.order_id, "before": order.order_status, "after": after}
    if state.case.version == 1:
        state.set_status(order, after)
        ctx.session.record(f"orders.{order.order_id}", order.order_status, after)
        return order_answer(ctx, order, data)
    if action == "cancel":
        state.set_status(order, after)
    else:
        state.give_back(order, count)
    done = {"act": after.lower(), "pieces": count, "money": money}
    ctx.session.record(f"acts.{order.order_id}", None, done)
    return order_answer(ctx, order, {**data, **done}, f" {ctx.money.text(money)} comes back.")


def order_named(ctx: ToolContext, order_id: str) -> Order:
    """Return an order by its id or address; raise `ToolError` where there is none."""
    wanted = order_id.rpartition("/")[2]
    order = ctx.service.order(wanted)
    if order is None:
        raise ToolError(
            "not_found", f"No order {one_line(wanted, 60)!r}; get_user_orders lists the shopper's."
        )
    return order


def order_answer(ctx: ToolContext, order: Order, data: JsonObject, suffix: str = "") -> ToolAnswer:
    """Return the row of an order as it is after an act."""
    state = ctx.service
    now, product = state.orders[order.order_id], state.shop.store.product(order.product_id)
    row = order_row(now, product, ctx.money)
    sources = order_sources(f"user://{state.user_id}/orders/", now, product, row, ctx.money)
    return ToolAnswer(f"Done. {row}{suffix}", sources, data)
