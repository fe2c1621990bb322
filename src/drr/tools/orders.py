"""The tools of a talk of version 2: pieces of an order, its address, and proposals to the shopper."""

from __future__ import annotations

from typing import Annotated, Literal

from drr.env.entities import Address
from drr.env.records.lines import one_line
from drr.env.service.clauses import Act
from drr.env.service.shopper import reply_to_act
from drr.tools.base import ToolAnswer, ToolContext
from drr.tools.cart import (
    GivenReason,
    OrderId,
    end_order,
    keep_clauses,
    one_at_a_time,
    order_answer,
    order_named,
    spoken_answer,
)
from pydantic import Field, StringConstraints

_Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=100)]
Street = Annotated[_Line, Field(description="Number and street of the new address.")]
City = Annotated[_Line, Field(description="Its city.")]
State = Annotated[_Line, Field(description="Its state, as two letters.")]
Zip = Annotated[_Line, Field(description="Its ZIP code.")]
Pieces = Annotated[int, Field(ge=1, le=99, description="Pieces that come back.")]


@one_at_a_time
def return_pieces(ctx: ToolContext, order_id: OrderId, pieces: Pieces, reason: GivenReason) -> ToolAnswer:
    """Take back some pieces of an order of the shopper, for the reason that he gives."""
    return end_order(ctx, order_id, reason, "return", pieces)


@one_at_a_time
def change_address(
    ctx: ToolContext, order_id: OrderId, street: Street, city: City, state: State, zip_code: Zip
) -> ToolAnswer:
    """Let an order that is not sent yet go to another address."""
    order, address = (
        order_named(ctx, order_id),
        Address(address1=street, city=city, state=state, zip=zip_code),
    )
    keep_clauses(ctx, Act("readdress", order=order, address=address))
    ctx.service.readdress(order, address)
    done = {"act": "readdressed", "address": address.model_dump()}
    ctx.session.record(f"acts.{order.order_id}", None, done)
    return order_answer(ctx, order, {"order_id": order.order_id, **done})


@one_at_a_time
def propose_to_shopper(
    ctx: ToolContext,
    order_id: OrderId,
    act: Annotated[
        Literal["cancel", "return", "readdress"], Field(description="What you would do with the order.")
    ],
    pieces: Annotated[
        int | None, Field(ge=1, le=99, description="Pieces that come back; all if left out.")
    ] = None,
    money: Annotated[
        float | None, Field(ge=0, le=1e6, description="What he gets back in all, in dollars, less any fee.")
    ] = None,
    street: Street = "",
    city: City = "",
    state: State = "",
    zip_code: Zip = "",
) -> ToolAnswer:
    """Tell the shopper what you would do with an order and what comes back, and get his yes or what he has against it."""
    order = order_named(ctx, order_id)
    address = Address(address1=street, city=city, state=state, zip=zip_code) if act == "readdress" else None
    count = 0 if act == "readdress" else pieces or order.quantity
    sum_back = 0.0 if act == "readdress" or money is None else money
    answer = reply_to_act(ctx.service, act, order, count, sum_back, address)
    ctx.service.heard += answer.sentences
    words = spoken_answer(ctx, f"May I {act} order {order.order_id}?", answer.sentences)
    data = {"sentences": answer.sentences, "agreed": answer.agreed}
    return ToolAnswer(f"The shopper says: {one_line(words, len(words))}", (), data)
