"""The profile summary: true to the records, bounded, and without anything that identifies a person."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from drr.env.errors import DrrError
from drr.env.profile import build_profile, shopper_label, themes_of
from drr.env.records.shopper import shopper_summary
from drr.env.shop import Shop
from drr.wording.currency import Currency

from tests.cases import cases
from tests.commands import Drr

LONGEST = 4000


def test_it_says_what_the_user_tools_say(shop: Shop) -> None:
    user_id = shop.store.sample_users(1, seed=3, min_orders=20)[0]
    user, statistics = shop.store.user(user_id), shop.store.statistics(user_id)
    orders = shop.store.orders(user_id).items
    assert user is not None
    assert statistics is not None
    profile = build_profile(shop.store, user_id, shop.manifest.as_of)
    assert (profile.city, profile.state) == (user.address.city, user.address.state)
    assert profile.orders == len(orders) == statistics.orders
    assert profile.spend.total == statistics.spend
    assert profile.spend.unknown_share == round(statistics.orders_without_price / len(orders), 3)
    assert profile.categories[0].orders == statistics.by_category[0].orders
    assert profile.last_order == orders[0].order_date[:10]
    times = Counter(order.product_id for order in orders)
    for item in profile.repeated:
        assert times[item.product_id] == item.times > 1
    mine = {order.order_id: order.product_id for order in orders}
    for item in [*profile.repeated, *profile.notable]:
        assert mine[item.order_id] == item.product_id


def test_no_profile_is_long_or_holds_contact_data_or_hostile_titles(shop: Shop) -> None:
    heavy = max(shop.store.iter_users(), key=lambda user: shop.store.orders(user.user_id, limit=1).total)
    for user in [heavy, *islice(shop.store.iter_users(), 0, None, 8)]:
        profile = build_profile(shop.store, user.user_id, shop.manifest.as_of)
        text, data = shopper_summary(profile), profile.model_dump_json()
        assert len(text) <= LONGEST
        for secret in (user.email, user.phone_number, user.address.address1):
            assert secret not in text
            assert secret not in data
    user_id = shop.store.sample_users(1, seed=5, min_orders=5)[0]
    profile = build_profile(shop.store, user_id, shop.manifest.as_of)
    for item in profile.notable:
        assert "\n" not in item.title
        assert len(item.title) <= 90


def test_the_label_follows_from_the_purchases_and_says_why() -> None:
    bought = [
        ("Finchfield Bird Feeder", "Patio", 3),
        ("Suet Cakes, Peanut", "Patio", 2),
        ("Chef Knife", "Home", 1),
    ]
    label = shopper_label(bought)
    assert label.name == "Backyard Birder"
    assert label.reasons == ["5 of 6 purchases are about backyard birds"]
    assert shopper_label([("Chef Knife", "Home", 2)]).name == "New Shopper"
    odd = [("CheckedThing", "Home_and_Kitchen", 2), ("Other", "Pet_Supplies", 2)]
    assert shopper_label(odd).name == "Varied Shopper"


@pytest.mark.parametrize(
    ("title", "themes"), cases("querygen", "test_themes_are_words_and_not_parts_of_words")
)
def test_themes_are_words_and_not_parts_of_words(title: str, themes: list[str]) -> None:
    assert themes_of(title) == themes


def test_the_command_prints_text_or_one_document_and_names_an_unknown_user(
    shop: Shop, shop_folder: Path, drr: Drr
) -> None:
    user_id = shop.store.sample_users(1, seed=3, min_orders=5)[0]
    profile = build_profile(shop.store, user_id, shop.manifest.as_of)
    assert (
        drr.out("shop", "profile", "--shop", shop_folder, "--user", user_id)
        == shopper_summary(profile) + "\n"
    )
    document = drr.json("shop", "profile", "--shop", shop_folder, "--user", user_id)
    assert document["sha256"] == profile.sha256
    assert document["label"]["name"] == profile.label.name
    with pytest.raises(DrrError, match="no user 'NOBODY'"):
        build_profile(shop.store, "NOBODY", shop.manifest.as_of)
    assert "NOBODY" in drr.err("shop", "profile", "--shop", shop_folder, "--user", "NOBODY")


def test_a_level_by_dollars_is_unknown_in_another_currency(shop: Shop) -> None:
    user_id = shop.store.sample_users(1, seed=3, min_orders=20)[0]
    known = build_profile(shop.store, user_id, shop.manifest.as_of)
    other = build_profile(shop.store, user_id, shop.manifest.as_of, Currency("PLN", "pl"))
    assert known.spend.level is not None
    assert other == known.model_copy(update={"spend": known.spend.model_copy(update={"level": None})})
