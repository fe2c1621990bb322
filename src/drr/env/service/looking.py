"""Lets a shopper look at what is proposed. He names what is otherwise than he wants."""

from __future__ import annotations

from collections.abc import Sequence

from drr.env.checkable import ConstraintKind, meets_constraint
from drr.env.entities import Address, Order, Product
from drr.env.service.case import Action, SlotKind, WantedPurchase
from drr.env.service.clauses import Act, broken_by, refund_of
from drr.env.service.state import ServiceState, address_words

KIND_OF: dict[ConstraintKind, SlotKind] = {
    "price_max": "budget", "price_min": "budget", "rating_min": "rating", "ratings_min": "rating", "brand_is": "brand", "brand_not": "brand",
    "attribute": "detail", "owned": "past_purchases", "not_owned": "past_purchases", "not_id": "choice",
}  # fmt: skip
"""The kind of thing that a shopper must be asked about to learn a constraint."""
Wrong = tuple[str, SlotKind | None]
"""The words for what is wrong, and the kind of thing about which he then says what he wants."""


def wrong_in_cart(state: ServiceState, total: float | None) -> Wrong | None:
    """Return the first thing in cart and total that is otherwise than he wants; `None` where all is right."""
    money, wanted = state.shop.manifest.money, state.case.purchase
    if not state.cart:
        return "There is nothing in the cart.", None
    if total is None:
        return "What would I pay in all? You do not tell the total.", None
    sums = [state.total(), state.total(wanted.voucher)]
    if not any(abs(total - one) < 0.005 for one in sums):
        return f"You say {money.text(total)}, and the cart does not come to that.", None
    return _wrong_goods(state, wanted) or _wrong_terms(state, wanted, total, sums)


def _wrong_goods(state: ServiceState, wanted: WantedPurchase) -> Wrong | None:
    owned = {one.product_id for one in state.view().store.orders(state.user_id).items}
    need, products = wanted.need, state.products()
    for product in products:
        for one in need.constraints if need else ():
            if meets_constraint(product, one, owned) is not True:
                return f"{_named(product)} is not what I want.", KIND_OF[one.kind]
    if need is not None and len(products) != need.picks:
        return f"{len(products)} different products are not what I want.", "choice"
    for product in products:
        if state.cart[product.product_id] != wanted.quantity:
            return f"{state.cart[product.product_id]} of {_named(product)} is the wrong number.", "quantity"
    late = [
        one for one in products if wanted.arrives_by and state.arrives(one.product_id) > wanted.arrives_by
    ]
    if late:
        return f"{_named(late[0])} comes too late.", "delivery"
    other = [one for one in products if need is not None and one.product_id not in need.products]
    return (f"{_named(other[0])} is not the one that I would take first.", "choice") if other else None


def _wrong_terms(
    state: ServiceState, wanted: WantedPurchase, total: float, sums: Sequence[float]
) -> Wrong | None:
    if wanted.budget is not None and total > wanted.budget + 0.005:
        return f"{state.shop.manifest.money.text(total)} is too much.", "budget"
    act = Act("pay", goods=state.goods(), voucher=wanted.voucher)
    holds = wanted.voucher is not None and all(one.name != "voucher" for one in broken_by(state, act))
    if holds and abs(total - sums[1]) > 0.005:
        return "You have left out my voucher.", "voucher"
    return None


def wrong_in_act(
    state: ServiceState, action: Action, order: Order, pieces: int, money: float, address: Address | None
) -> Wrong | None:
    """Return what is otherwise than he wants in an act on an order; `None` where it is right."""
    request = next((one for one in state.case.requests if one.order_id == order.order_id), None)
    if request is None:
        return "I have not asked for anything about that order.", "order"
    if request.withdrawn:
        return "That order stays as it is.", "reason"
    if request.action != action:
        return f"I did not ask you to {action} that order.", "order"
    if action == "return" and request.pieces is not None and pieces != request.pieces:
        return f"{pieces} is not the number that I send back.", "order"
    if action == "readdress" and address_words(address) != address_words(request.address):
        return "That is not the address.", "order"
    product = state.shop.store.product(order.product_id)
    if request.free and money < refund_of(
        state, order, product, pieces, is_return=False, reason=request.reason
    ):
        return "That is not all of my money. I keep it then.", None
    return None


def _named(product: Product) -> str:
    words = product.title.split()
    return f'"{" ".join(words[:8])}"'
