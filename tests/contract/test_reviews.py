"""Reviews that an ingest was asked to keep: the same on every backend, outside the content hash, copied and checked with the shop."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from drr.env.content import Columns, ReviewRow, user_row
from drr.env.copy import copy_shop
from drr.env.errors import ShopError
from drr.env.progress import Quiet
from drr.env.settings import Settings
from drr.env.shop import Manifest, Shop, check_shop, open_shop, shop_writer

from tests.contract.conftest import Data


def rows(data: Data) -> list[ReviewRow]:
    """Of every third order; with what a column may trip over."""
    ids = sorted(int(order.order_id) for order in data.orders)[::3]
    texts = ["Fine.", "", 'Two "quotes", a \\ and\na line', "naïve 👍", "x" * 40_000]
    return [
        ReviewRow(key, None if at % 7 == 0 else 1.0 + at % 5, f"Title {at}", texts[at % len(texts)])
        for at, key in enumerate(ids)
    ]


def write(data: Data, spec: str, settings: Settings, reviews: list[ReviewRow] | None) -> Manifest:
    columns = Columns([p.product_id for p in data.products], [u.user_id for u in data.users])
    with shop_writer(spec, settings) as writer:
        writer.write_products(iter(data.products))
        writer.write_users([[user_row(user) for user in data.users]])
        writer.write_orders([columns(data.orders)])
        if reviews is not None:
            assert writer.write_reviews([reviews[:5], [], reviews[5:]]) == len(reviews)
        return writer.publish(Manifest(backend="", as_of="", content_hash="", counts={}))


@pytest.fixture(scope="module")
def kept(spec_of: Callable[[str], str], data: Data, settings: Settings) -> str:
    spec = spec_of("reviews")
    write(data, spec, settings, rows(data))
    return spec


def test_each_comes_back_with_its_order(kept: str, data: Data, settings: Settings) -> None:
    wanted = {f"{row.order_id:016d}": row for row in rows(data)}
    with open_shop(kept, settings) as shop:
        seen = 0
        for user in data.users:
            found = shop.store.reviews(user.user_id)
            orders = [one for one in data.orders_of(user.user_id) if one.order_id in wanted]
            assert [review.order_id for review in found] == [order.order_id for order in orders]
            for review, order in zip(found, orders, strict=True):
                row = wanted[order.order_id]
                assert (review.rating, review.title, review.text) == (row.rating, row.title, row.text)
                assert (review.user_id, review.product_id, review.date) == (
                    order.user_id,
                    order.product_id,
                    order.order_date,
                )
            seen += len(found)
        assert seen == len(wanted)
        assert [review.order_id for review in shop.store.iter_reviews()] == sorted(wanted)
        assert shop.store.reviews("nobody") == shop.store.reviews("\ud800") == []


def test_the_shop_is_the_same_with_and_without_them(kept: str, shop: Shop, settings: Settings) -> None:
    with open_shop(kept, settings) as with_reviews:
        manifest = with_reviews.manifest
        assert manifest.content_hash == shop.manifest.content_hash
        assert manifest.counts == shop.manifest.counts
        assert manifest.reviews is not None and shop.manifest.reviews is None
    assert "reviews" not in shop.manifest.model_dump()
    assert shop.store.reviews(next(iter(shop.store.iter_users())).user_id) == []
    assert list(shop.store.iter_reviews()) == []


def test_their_hash_is_that_of_the_rows(kept: str, data: Data, settings: Settings, tmp_path: object) -> None:
    """The same on every backend: a copy into a folder is written with the manifest of the source."""
    target = f"{tmp_path}/copy"
    with open_shop(kept, settings) as source:
        with shop_writer(target, Settings()) as writer:
            copied = copy_shop(source, writer, Quiet())
        assert copied.reviews == source.manifest.reviews
    assert list(check_shop(target, Settings())) == []
    assert list(check_shop(kept, settings)) == []


def test_one_of_no_order_and_one_out_of_order_are_refused(
    spec_of: Callable[[str], str], data: Data, settings: Settings
) -> None:
    with pytest.raises(ShopError, match="which was not written"):
        write(data, spec_of("lost"), settings, [ReviewRow(9_999_999_999_999_999, 5.0, "t", "x")])
    with pytest.raises(ShopError, match="in the order of their orders"):
        write(data, spec_of("order"), settings, rows(data)[::-1])
