"""Records as an assistant remembers them. An order in a sentence, a review as it was written, a product's page in short."""

from __future__ import annotations

from drr.env.entities import KeptReview, Order, Product
from drr.env.records.lines import cut, dollars, one_line
from drr.env.records.product import rating

_NAME, _FEATURE = 90, 240
_FATE = {
    "Delivered": "delivered",
    "Shipped": "on its way",
    "Processing": "not sent yet",
    "Cancelled": "cancelled",
    "Returned": "sent back",
}


def product_name(product: Product) -> str:
    """Name a product as people call it. The title up to its list of extras, with the store if the title lacks it."""
    name = one_line(product.title, 4 * _NAME)
    head, comma, _ = name.partition(", ")
    return cut(head if comma and len(head) > 12 else name, _NAME) or "an untitled product"


def order_words(order: Order, product: Product) -> str:
    """A purchase or a return as one sentence."""
    many = f"{order.quantity} x " if order.quantity > 1 else ""
    cost = "" if product.price is None else f" for {dollars(product.price)}"
    store = f" from {one_line(product.store, 40)}" if product.store else ""
    if order.order_status == "Returned":
        return f"Sent back {many}{one_line(product.title, 2 * _NAME)}{store}, ordered{cost}."
    return f"Ordered {many}{one_line(product.title, 2 * _NAME)}{store}{cost}; {_FATE[order.order_status]}."


def page_words(product: Product, most: int) -> str:
    """Price, rating and as many of the features as `most` characters hold."""
    head = f"{dollars(product.price, 'No price is stated')}, {rating(product)}."
    lines_out = [head]
    size = len(head)
    for line in [*product.features, *product.description]:
        line_text = one_line(line, _FEATURE)
        if size + len(line_text) > most:
            break
        lines_out.append(line_text if line_text.endswith((".", "!", "?")) else line_text + ".")
        size += len(line_text) + 1
    return " ".join(lines_out)


def review_words(review: KeptReview, product: Product) -> str:
    """Give the review as the shopper wrote it, with the product it is about."""
    stars = "" if review.rating is None else f", {review.rating:g} of 5"
    title = one_line(review.title, 200)
    return f"On {product_name(product)}{stars}: {title + '. ' if title else ''}{one_line(review.text, 4000)}"
