"""What every store answers, compared with the records themselves."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import ROUND_HALF_UP, Decimal
from itertools import groupby
from itertools import product as combinations
from statistics import quantiles
from typing import TYPE_CHECKING

import pytest
from drr.env.entities import ORDER_STATUSES
from drr.env.shop import Shop
from drr.env.text import sample_key

if TYPE_CHECKING:
    from tests.contract.conftest import Data


def test_every_product_user_and_order_comes_back_as_written_in_one_order(shop: Shop, data: Data) -> None:
    for product in data.products:
        expected = product.model_copy(update={"product_url": f"http://shop.example/{product.product_id}"})
        found = shop.store.product(product.product_id)
        assert found == expected
        assert found is not None and found.model_dump_json() == expected.model_dump_json()
    found = shop.store.product("B000DOTS01")
    assert found is not None
    assert list(found.details.items()) == list(data.product["B000DOTS01"].details.items())
    assert [type(found.details[name]) for name in ("Float", "Whole")] == [float, int]
    ids = [p.product_id for p in data.products[::-3]]
    asked = [ids[0], "nothing", *ids, ids[0]]
    assert [p.product_id for p in shop.store.products(asked)] == [ids[0], *ids, ids[0]]
    assert shop.store.products([]) == []
    for order in data.orders:
        assert shop.store.order(order.order_id) == order
    assert [p.product_id for p in shop.store.iter_products()] == sorted(data.product)
    assert list(shop.store.iter_users()) == data.users
    assert list(shop.store.iter_orders()) == data.orders
    pairs = list(zip(shop.store.iter_users(), shop.store.iter_users(), strict=True))
    assert all(a == b for a, b in pairs) and len(pairs) == len(data.users)


@pytest.mark.parametrize(
    "missing", ["", "B9", "b000dots01", "B000DOTS01 ", "\ud800", "\0", "B000DOTS01\0", "x" * 5000]
)
def test_missing_things_are_none(shop: Shop, missing: str) -> None:
    assert shop.store.product(missing) is None
    assert shop.store.user(missing) is None
    assert shop.store.order(missing) is None
    assert shop.store.statistics(missing) is None
    assert shop.store.orders(missing) == ([], 0)
    assert shop.store.products([missing]) == []


def test_users_are_found_by_id_email_and_name_and_nobody_by_nothing(shop: Shop, data: Data) -> None:
    for user in data.users:
        assert shop.store.user(user.user_id) == user
    for user in data.users:
        assert shop.store.find_users(email=f"  {user.email.upper()} ") == [user]
    for first, last in {(u.first_name, u.last_name) for u in data.users}:
        same = [u for u in data.users if (u.first_name, u.last_name) == (first, last)]
        assert shop.store.find_users(name=(first.upper(), f" {last} ")) == same
        assert shop.store.find_users(name=(first, last), limit=1) == same[:1]
        assert shop.store.find_users(name=(first, last), email=same[-1].email) == same[-1:]
    user = data.users[0]
    other = next(u for u in data.users if u.last_name != user.last_name)
    assert shop.store.find_users() == []
    assert shop.store.find_users(email="nobody@example.org") == []
    assert shop.store.find_users(name=(user.last_name, user.first_name)) == []
    assert shop.store.find_users(email=user.email, name=(other.first_name, other.last_name)) == []
    assert shop.store.find_users(email=user.email, limit=0) == []


@pytest.mark.parametrize("near_miss", [" {}", "{} ", "+{}", "{}0", "0{}"])
def test_an_order_id_is_its_sixteen_digits_and_nothing_else(shop: Shop, data: Data, near_miss: str) -> None:
    assert shop.store.order(near_miss.format(data.orders[0].order_id)) is None
    assert (
        shop.store.order(data.orders[0].order_id.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩"))) is None
    )


def test_orders_are_newest_first_by_page_and_status(shop: Shop, data: Data) -> None:
    assert any(len(list(same)) > 1 for _, same in groupby(data.orders, lambda o: (o.user_id, o.order_date)))
    for user in data.users:
        expected = data.orders_of(user.user_id)
        assert shop.store.orders(user.user_id) == (expected, len(expected))
    user_id = max(Counter(o.user_id for o in data.orders).items(), key=lambda item: item[1])[0]
    every = data.orders_of(user_id)
    for limit, offset in combinations((0, 1, 10, 100, 10**6), (0, 3, 5, 95, 99, 100, 10_000)):
        page = shop.store.orders(user_id, limit=limit, offset=offset)
        assert page == (every[offset : offset + limit], len(every))
    assert shop.store.orders(user_id, offset=97) == (every[97:], len(every))
    assert shop.store.orders(user_id, offset=1000) == ([], len(every))
    for wrong in ({"limit": -1}, {"offset": -1}):
        with pytest.raises(ValueError):
            shop.store.orders(data.users[0].user_id, **wrong)
    for user in data.users[10:20]:
        for status in ORDER_STATUSES:
            expected = [o for o in data.orders_of(user.user_id) if o.order_status == status]
            page = shop.store.orders(user.user_id, status=status, limit=3)
            assert page == (expected[:3], len(expected))


def test_a_window_holds_its_start_not_its_end_and_knows_time_zones(shop: Shop, data: Data) -> None:
    user_id = data.users[10].user_id
    every = data.orders_of(user_id)
    newest, oldest = every[10].order_date, every[60].order_date
    window = [o for o in every if oldest <= o.order_date < newest]
    assert 0 < len(window) < 60
    assert shop.store.orders(user_id, since=oldest, until=newest) == (window, len(window))
    assert shop.store.orders(user_id, since=oldest + "Z", until=newest + "+00:00").items == window
    days = [o for o in every if oldest[:10] <= o.order_date[:10] < newest[:10]]
    assert shop.store.orders(user_id, since=oldest[:10], until=newest[:10]).items == days
    assert shop.store.orders(user_id, since=newest, until=oldest) == ([], 0)
    delivered = [o for o in window if o.order_status == "Delivered"]
    page = shop.store.orders(user_id, since=oldest, until=newest, status="Delivered", limit=2, offset=1)
    assert page == (delivered[1:3], len(delivered))
    day = data.orders_of(user_id)[50].order_date[:10]
    same = shop.store.orders(user_id, since=f"{day}T02:00:00+02:00").items
    assert same == [o for o in data.orders_of(user_id) if o.order_date >= day]
    with pytest.raises(ValueError):
        shop.store.orders(data.users[10].user_id, since="yesterday")


def _slow_statistics(data: Data, user_id: str, as_of: str) -> dict[str, object]:
    """The definition, with `Decimal` and the standard library's quartiles."""

    def cent(value: Decimal) -> Decimal:
        return value.quantize(Decimal("0.01"), ROUND_HALF_UP)

    orders = data.orders_of(user_id)
    prices = {o.order_id: data.product[o.product_id].price for o in orders}
    known = {
        o.order_id: cent(Decimal(str(prices[o.order_id]))) for o in orders if prices[o.order_id] is not None
    }
    pieces = {o.order_id: o.quantity * (o.order_status != "Cancelled") for o in orders}

    def spend(some: list[object]) -> float | None:
        sums = [known[o.order_id] * pieces[o.order_id] for o in some if o.order_id in known]  # type: ignore[attr-defined]
        return float(sum(sums)) if sums else None

    unit = sorted(price for order_id, price in known.items() for _ in range(pieces[order_id]))
    quartiles = (
        [unit[0]] * 3 if len(unit) == 1 else quantiles(unit, n=4, method="inclusive") if unit else None
    )
    dates = sorted(o.order_date for o in orders)
    return {
        "user_id": user_id,
        "orders": len(orders),
        "items": sum(o.quantity for o in orders),
        "spend": spend(list(orders)),
        "orders_without_price": sum(price is None for price in prices.values()),
        "first_order": dates[0] if dates else None,
        "last_order": dates[-1] if dates else None,
        "mean_price": float(cent(sum(unit, Decimal(0)) / len(unit))) if unit else None,
        "price_quartiles": None if quartiles is None else tuple(float(cent(q)) for q in quartiles),
        "by_status": Counter(o.order_status for o in orders),
        "spend_by_category": {
            name: spend([o for o in orders if data.product[o.product_id].category == name])
            for name in {data.product[o.product_id].category for o in orders}
        },
        "spend_by_year": {
            year: spend([o for o in orders if o.order_date[:4] == year]) for year in {d[:4] for d in dates}
        },
    }


def test_statistics_are_exact_to_the_cent_and_empty_without_orders(shop: Shop, data: Data) -> None:
    for user in data.users:
        found = shop.store.statistics(user.user_id)
        assert found is not None
        expected = _slow_statistics(data, user.user_id, shop.manifest.as_of)
        dump = found.model_dump()
        dump["spend_by_category"] = {share.name: share.spend for share in found.by_category}
        dump["spend_by_year"] = {share.name: share.spend for share in found.by_year}
        assert {name: dump[name] for name in expected} == expected
        for shares in (found.by_category, found.favourite_stores):
            assert shares == sorted(shares, key=lambda share: (-share.orders, share.name))
        assert [share.name for share in found.by_year] == sorted(share.name for share in found.by_year)
        assert sum(share.orders for share in found.by_category) == found.orders
    newest = max(data.orders, key=lambda o: o.order_date)
    found = shop.store.statistics(newest.user_id)
    assert found is not None and found.days_since_last_order == 1
    found = shop.store.statistics(data.users[0].user_id)
    assert found is not None
    assert (found.orders, found.spend, found.mean_price, found.days_since_last_order) == (0, None, None, None)
    assert (found.by_category, found.by_status) == ([], {})


@pytest.mark.parametrize("min_orders", [0, 1, 10, 100, 10_000])
def test_sampling_users_is_the_seeds_shuffle(shop: Shop, data: Data, min_orders: int) -> None:
    counts = Counter(o.user_id for o in data.orders)
    able = [u.user_id for u in data.users if counts[u.user_id] >= min_orders]
    for seed in (0, 1, 2**40):
        shuffled = sorted(able, key=lambda user_id: sample_key(seed, user_id))
        for count in (0, 1, 5, 10_000):
            assert shop.store.sample_users(count, seed=seed, min_orders=min_orders) == shuffled[:count]
    assert shop.store.sample_users(20, seed=1) != shop.store.sample_users(20, seed=2)


def test_near_ids_share_a_beginning(shop: Shop, data: Data) -> None:
    assert shop.store.near("product", "B000TIE00") == ["B000TIE001", "B000TIE002", "B000TIE003"]
    assert shop.store.near("product", "B000DOTS99", 1) == ["B000DOTS01"]
    assert shop.store.near("user", data.users[5].user_id + "x", 1) == [data.users[5].user_id]
    order = data.orders[3].order_id
    assert (
        shop.store.near("order", order[:12] + "0000", 1) == [order]
        or shop.store.near("order", order)[0] == order
    )
    for nothing in ("", "\ud800", "?"):
        assert shop.store.near("product", nothing) == []
        assert shop.store.near("order", nothing) == []


def test_many_threads_read_one_shop(shop: Shop, data: Data) -> None:
    def work(number: int) -> bool:
        user = data.users[number % len(data.users)]
        product = data.products[number % len(data.products)]
        found = shop.store.product(product.product_id)
        return (
            shop.store.user(user.user_id) == user
            and shop.store.orders(user.user_id).items == data.orders_of(user.user_id)
            and found is not None
            and found.title == product.title
        )

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(400)))
