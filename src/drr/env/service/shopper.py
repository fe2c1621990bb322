"""The compiled shopper: says what his script allows when he is asked for it, in plain sentences without variance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from drr.env.entities import Address, Order
from drr.env.service.case import Action, SlotKind
from drr.env.service.looking import Wrong, wrong_in_act, wrong_in_cart
from drr.env.service.state import ServiceState, address_words
from drr.env.text import tokens

NOTHING: dict[str, str] = {
    "budget": "I have no limit of money to give you.",
    "rating": "I do not mind the ratings.",
    "brand": "I do not mind the brand.",
    "detail": "I have no wish about details.",
    "past_purchases": "It has nothing to do with what I bought before.",
    "choice": "Any product that fits will do.",
    "quantity": "I need one piece.",
    "delivery": "I do not mind when it comes.",
    "voucher": "I have no voucher.",
    "order": "There is no order to speak of.",
    "reason": "There is nothing that needs a reason.",
}
"""His answer about a kind that his script is silent on."""
YES = "Yes, please order it."
EMPTY = "There is nothing in the cart that I could confirm."
NO_TOTAL = "What would I pay in all? Tell me the total."
WRONG_TOTAL = "That is not what the cart comes to. I do not agree."
OWNED = "I have that one at home already. I do not want it again."
OTHER = "That is not what I asked for. I do not agree."
DONE = "Yes, please do that."
LEAVING = "This leads nowhere. I leave it at that. Goodbye."
GONE = "The shopper has left the talk."


class Reply(NamedTuple):
    sentences: list[str]
    """Sentences that the script allows now."""
    agreed: bool = False


def shopper_reply(state: ServiceState, about: Sequence[SlotKind], total: float | None = None) -> Reply:
    """Answer one question, and note in the state the facts that the answer told."""
    if state.is_over:
        return Reply([GONE])
    state.answers += 1
    change, asks_yes = state.case.change, "confirmation" in about
    is_due = change.kind in state.asked and (state.answers > change.after or asks_yes)
    voices = is_due and not state.changed
    # A wish that changed before anybody asked for it is told as it is in the end.
    if voices or (change.kind in about and change.kind not in state.asked and state.answers > change.after):
        state.changed = True
    kinds = [kind for kind in dict.fromkeys(about) if kind != "confirmation"]
    answer = [
        one for kind in kinds if not (voices and kind == change.kind) for one in _sentences(state, kind)
    ]
    state.asked.update(about)
    if voices:
        state.confirmed = None
        return Reply([*answer, change.sentence])
    if not asks_yes:
        return Reply(answer)
    if state.case.version > 1:
        state.changed = True  # what he sees now he holds against what he wants in the end
        wrong = wrong_in_cart(state, total)
        objections = [] if wrong is None else _objections(state, wrong)
    else:
        objections = [one for one in [_objection(state, total)] if one]
    if not objections:
        state.confirmed = (dict(state.cart), round(total or 0.0, 2))
    return Reply([*answer, *(objections or [YES])], not objections)


def reply_to_act(
    state: ServiceState, action: Action, order: Order, pieces: int, money: float, address: Address | None
) -> Reply:
    """Answer a proposal about an order, and note a yes in the state."""
    if state.is_over:
        return Reply([GONE])
    state.answers += 1
    wrong = wrong_in_act(state, action, order, pieces, money, address)
    if wrong is not None:
        return Reply(_objections(state, wrong))
    state.agreed[order.order_id] = (action, pieces, round(money, 2), address_words(address))
    return Reply([DONE], True)


def _objections(state: ServiceState, wrong: Wrong) -> list[str]:
    """Return his words for what is wrong and for what he wants, and count it. After the last he leaves."""
    state.wrong += 1
    words, kind = wrong
    sentences = [words, *(_sentences(state, kind) if kind else ())]
    if kind:
        state.asked.add(kind)
    return [*sentences, LEAVING] if state.is_over else sentences


def wrong_words(state: ServiceState, sentences: Sequence[str], words: str) -> str | None:
    """Name a value of the script that an answer leaves out or tells unasked; `None` where there is none."""
    values = state.case.values
    due = {value for one in sentences for value in values.get(one, ())}
    every = {value for own in values.values() for value in own}
    known = {value for value in every if states(" ".join([*state.heard, *sentences]), value)}
    stated = {value for value in every if states(words, value)}
    left, more = sorted(due - stated), sorted(stated - known)
    if left:
        return f"it leaves out: {', '.join(left)}"
    return f"it gives away: {', '.join(more)}" if more else None


def states(text: str, value: str) -> bool:
    """Tell whether the words of a value stand in a text."""
    return f" {' '.join(tokens(value))} " in f" {' '.join(tokens(text))} "


def _sentences(state: ServiceState, kind: SlotKind) -> list[str]:
    change = state.case.change
    if kind == change.kind and state.changed:
        return change.now
    return state.case.slots.get(kind) or [NOTHING[kind]]


def _objection(state: ServiceState, total: float | None) -> str | None:
    """Return why he does not agree to pay for the cart; `None` where he agrees."""
    if not state.cart:
        return EMPTY
    if total is None:
        return NO_TOTAL
    voucher = state.case.purchase.voucher
    if not any(abs(total - one) < 0.005 for one in (state.total(), state.total(voucher))):
        return WRONG_TOTAL
    owned = {one.product_id for one in state.view().store.orders(state.user_id).items}
    if owned & set(state.cart) and not state.case.purchase.rebuys:
        return OWNED
    return OTHER if _is_other(state, total) else None


def _is_other(state: ServiceState, total: float) -> bool:
    """Tell whether the cart is not what he told. He insists on nothing that he was not asked about or has yet to change."""
    case, wanted, settled = state.case, state.case.purchase, set(state.asked)
    if not state.changed:
        settled.discard(case.change.kind)
    wrong: dict[SlotKind, bool] = {
        "choice": len(state.cart) != case.picks,
        "quantity": set(state.cart.values()) != {wanted.quantity},
        "budget": case.budget is not None and total > case.budget + 0.005,
        "delivery": wanted.arrives_by is not None and max(map(state.arrives, state.cart)) > wanted.arrives_by,
    }
    return case.picks is not None and any(wrong[kind] for kind in settled & wrong.keys())
