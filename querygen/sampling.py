"""The choice of shoppers to write for: a seeded sample, spread over what they buy and how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from drr.env.errors import DrrError
from drr.env.shop import Shop
from drr.env.statistics import UserStatistics

_OVERSAMPLE = 20


class Sampled(NamedTuple):
    user_id: str
    category: str
    """Where most of the orders lie."""
    activity: str
    """few, some or many orders, against the other candidates."""


def sample_users(shop: Shop, count: int, *, seed: int, min_orders: int) -> list[Sampled]:
    """Sample in turn from each (category, activity) group, the largest first; fewer than `count` where the shop has no more."""
    candidates = shop.store.sample_users(count * _OVERSAMPLE, seed=seed, min_orders=min_orders)
    if not candidates:
        raise DrrError(
            f"{shop.spec}: no user has {min_orders} orders; lower --min-orders (`drr shop info` shows orders per user)"
        )
    return _spread(_grouped(shop, candidates), count)


def named_users(shop: Shop, users: Sequence[str], *, min_orders: int) -> list[Sampled]:
    """The users that were asked for by id; all must exist and have enough orders."""
    for user_id in users:
        if shop.store.user(user_id) is None:
            raise DrrError(
                f"{shop.spec}: no user {user_id!r}; ids are 28 characters, `drr shop info` counts users"
            )
        orders = shop.store.orders(user_id, limit=1).total
        if orders < min_orders:
            raise DrrError(
                f"user {user_id} has {orders} orders and --min-orders is {min_orders}: too few to write from; lower it or "
                "choose another user"
            )
    return _grouped(shop, users)


def _grouped(shop: Shop, users: Sequence[str]) -> list[Sampled]:
    found: list[tuple[str, UserStatistics]] = []
    for user_id in users:
        statistics = shop.store.statistics(user_id)
        if statistics is not None and statistics.by_category:
            found.append((user_id, statistics))
    counts = sorted(statistics.orders for _, statistics in found)
    low, high = (counts[len(counts) * k // 3] for k in (1, 2)) if counts else (0, 0)
    return [
        Sampled(
            user_id,
            statistics.by_category[0].name,
            "few" if statistics.orders <= low else "some" if statistics.orders <= high else "many",
        )
        for user_id, statistics in found
    ]


def _spread(users: Sequence[Sampled], count: int) -> list[Sampled]:
    """Categories take turns; within a category its activities do."""
    groups: dict[str, dict[str, list[Sampled]]] = {}
    for user in users:
        groups.setdefault(user.category, {}).setdefault(user.activity, []).append(user)
    queues = [_interleaved(list(groups[name].values())) for name in sorted(groups)]
    return _interleaved(queues)[:count]


def _interleaved(queues: Sequence[Sequence[Sampled]]) -> list[Sampled]:
    longest = max(map(len, queues), default=0)
    return [queue[place] for place in range(longest) for queue in queues if place < len(queue)]
