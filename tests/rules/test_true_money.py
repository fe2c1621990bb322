"""Money that was once accused though it is right: each text is true with the first words and false with the second."""

from __future__ import annotations

from collections import Counter

import pytest
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report
from test_money import A, B, C

ITEMS = f"| Item | Price |\n|---|---|\n| Diffuser {A} | $17.95 |\n| Red {B} | $11.99 |\n| Total | {{}} |\n\n"
TWELVE, EIGHT = "http://ecommerce.example/B07C5Y4X31", "http://ecommerce.example/B06GV2003U"
"""Refills of twelve and of eight."""


def failed(shop: Shop, text: str, query: str | None, user_id: str | None = None) -> list[str]:
    found = check_report(Subject(text, query=query, user_id=user_id, shop=shop))
    return [f"{name}: {one.evidence[0]}" for name, one in found.items() if one.status == "fail"]


PAIRS = [
    # what an offer asks for is to be reached: what clears it has no cost to keep to
    ("$5 off if I spend $25 or more: a diffuser and a thermometer?", f"The diffuser ({A}, $17.95) and the red one ({B}, $11.99) make {{}}, which clears the $25.", "$29.94", "$31.94"),
    ("I need to reach $40 for the voucher.", f"Two of the black ones ({C}) come to {{}} and so clear your $40.", "$49.90", "$47.90"),
    ("A red thermometer; the minimum order is $20.", f"The black one ({C}) at {{}} meets the minimum of $20.", "$24.95", "$23.95"),
    ("The store ships free at $35+.", f"The diffuser ({A}) and the black one ({C}) are {{}} together: that clears the $35 threshold.", "$42.90", "$44.90"),
    ("I get 10% off orders over $50. A diffuser and a thermometer?", f"{ITEMS}No discount at that sum.", "$29.94", "$39.94"),
    # a limit right behind things in the plural is on each of those that the question asks to choose from
    ("Gadgets under $25: which one for a gift, which for me?", f"- the black one ({C}), $24.95\n- the diffuser ({A}), $17.95\n\nBoth together come to {{}}.", "$42.90", "$44.90"),
    # a verdict on several things is not held against what something else costs where the sentence begins anew
    ("Something under $20.", f"The diffuser ({A}, $17.95) and the red one ({B}, $11.99). Both of them fit under {{}}; the pair does not ($29.94 for the two).", "$20", "$15"),
    # by so much the one is off the limit, and by so much the other: no cost is said
    ("A gadget, my limit is $10.", f"The diffuser ({A}) and the red one ({B}). Your limit is $10: the red one is $1.99 over it and the diffuser $7.95. The red one costs {{}}.", "$11.99", "$12.99"),
    ("A gadget, my limit is $20.", f"Your limit is $20. The black one ({C}) at $24.95 is $4.95 {{}} it.", "over", "under"),
    # behind `over` stands what something else is set beside
    (None, f"The Bramwick ({B}) has 4.2 stars, the Maplehand ({C}) 4.9. Maplehand's extra 0.7 star over the Bramwick costs {{}} more.", "$12.96", "$14.96"),
    (None, f"The black one ({C}) costs {{}} more than the diffuser ({A}).", "$7.00", "$9.00"),
    # what has no page has a price of its own
    (None, f"The diffuser ({A}), $17.95, or the red one ({B}), {{}}. The Nuthatch hearts would have cost $17.00 more than that.", "$11.99", "$12.99"),
    # `yours` is not what is cited behind it
    (None, f"| Refills | Price |\n|---|---|\n| Truehaven ({TWELVE}) | $31.99 |\n\nYours come twelve to the pack, {{}} apiece. The Mellow Moth ({EIGHT}) eight-pack is $17.99, so $2.25 apiece.", "$2.67", "$2.87"),
    # what several of one cost is so many times the price of the other
    (None, f"Three of the red ones ({B}) come to $35.97, {{}} the price of one diffuser ({A}).", "twice", "four times"),
    # of a limit for each, what is left for each is no cost of anything
    ("Gifts for three children, at most $40 per child.", f"The diffuser ({A}, $17.95) and the red one ({B}, $11.99) are $29.94 per child, so {{}} per child is unspent.", "$10.06", "$12.86"),
    # what comes back of a note is no difference of two things
    (None, f"The red one ({B}) is {{}}, the diffuser ({A}) $17.95. One of each is $29.94; two twenties leave $10.06 in change.", "$11.99", "$12.99"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "text", "right", "wrong"), PAIRS)
def test_money_that_is_right_accuses_nobody_and_its_false_twin_does(
    rules_shop: Shop, query: str | None, text: str, right: str, wrong: str
) -> None:
    assert failed(rules_shop, text.format(right), query) == []
    assert failed(rules_shop, text.format(wrong), query) != []


def test_what_was_ordered_is_no_advice_to_pay_more(rules_shop: Shop) -> None:
    said = "Your dearest order, the black one of 2021 ({}, $24.95), has a lamp."
    assert failed(rules_shop, said.format(C), "What repeats, and what to restock with $20?") == []
    advice = "Order the black one ({}, $24.95)."
    assert failed(rules_shop, advice.format(C), "What repeats, and what to restock with $20?") != []


def test_what_the_reader_ordered_comes_to_so_much(rules_shop: Shop) -> None:
    """The prices of today times how often each was ordered, of which the text need not say the sum's parts."""
    user_id, some = _who_ordered_several(rules_shop)
    often = Counter(one.product_id for one in rules_shop.store.orders(user_id, limit=400).items)
    product = rules_shop.store.product
    whole = sum(often[key] * (product(key).price or 0.0) for key in some)
    links = " and ".join(f"the {product(key).store} (http://ecommerce.example/{key})" for key in some)
    text = "You have ordered {} more than once. Those purchases come, at today's prices, to ${:,.2f}."
    assert failed(rules_shop, text.format(links, whole), None, user_id) == []
    assert failed(rules_shop, text.format(links, whole + 7.5), None, user_id) != []


def test_what_is_left_of_a_limit_after_a_sum_and_one_thing_more(rules_shop: Shop) -> None:
    """Of so many things that not every sum of theirs is tried."""
    some = [one for one in rules_shop.store.iter_products() if one.price is not None and one.price % 1][:16]
    lines = [f"- {one.store} (http://ecommerce.example/{one.product_id}), ${one.price:,.2f}" for one in some]
    cost, more = sum(one.price or 0.0 for one in some[:6]), some[9]
    limit = round(cost + (more.price or 0.0)) + 31
    left = limit - cost - (more.price or 0.0)
    text = f"{{lines}}\n\nThe first six come to ${cost:,.2f}.\n\n| If your limit is | then |\n|---|---|\n| ${limit} | you can add the {more.store} (http://ecommerce.example/{more.product_id}) and keep ${{left:,.2f}} |"
    assert failed(rules_shop, text.format(lines="\n".join(lines), left=left), None) == []
    assert failed(rules_shop, text.format(lines="\n".join(lines), left=left + 5.5), None) != []


def _who_ordered_several(shop: Shop) -> tuple[str, list[str]]:
    """A shopper, and two priced things of different makers that he ordered three times or more in all."""
    for user in shop.store.iter_users():
        orders = shop.store.orders(user.user_id, limit=400).items
        often = Counter(one.product_id for one in orders)
        found = [key for key, many in often.most_common(8) if many > 1 and _is_priced(shop, key)]
        makers = {shop.store.product(key).store: key for key in found}
        if len(makers) > 1:
            return user.user_id, list(makers.values())[:2]
    raise AssertionError("nobody ordered two things twice")


def _is_priced(shop: Shop, product_id: str) -> bool:
    product = shop.store.product(product_id)
    return product is not None and product.price is not None


def test_a_limit_is_not_held_against_the_cost_of_the_next_thing(rules_shop: Shop) -> None:
    first, second = (
        "[pad](http://ecommerce.example/B0HEX1ZL56)",
        "[other](http://ecommerce.example/B07ZZH2SAH)",
    )
    text = f"The {first} costs $30.99 and stays under your {{}}; the {second} at $43.95 does not."
    for limit, fails in (("$35", False), ("$25", True)):
        found = check_report(
            Subject(text.format(limit), query=f"a heating pad under {limit}", shop=rules_shop)
        )
        assert (found["budget"].status == "fail") is fails, found["budget"].evidence
