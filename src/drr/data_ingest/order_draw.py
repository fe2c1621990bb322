"""Draws what a made shop's files do not tell of its orders: statuses, pieces, moves, gifts, former names of products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from drr.data_ingest.orders import pick, profiles, uniform
from drr.data_ingest.packing import I64, U64
from drr.env.content import SlipRow, UserRow
from drr.env.entities import ORDER_STATUSES
from drr.env.own_numbers import finish
from numpy.typing import NDArray

_CODE = {name: at for at, name in enumerate(ORDER_STATUSES)}
_DAY_MS = 86_400_000
_PENDING_DAYS, _RETURN_DAYS = 45, 10
"""The age up to which an order may still be under way, as some wait for goods, and from which one may have been returned."""
_RETURNED = 0.65
"""The share of returned orders among the older ones that were not kept; the others were cancelled."""
_PIECES = np.cumsum([0.45, 0.22, 0.15, 0.08])
"""Shares of up to two, three, four and five pieces among orders of several pieces; the others are of six."""
_CUT = (0.2, 0.8)
"""The part of a shopper's history within which the move lies."""
_GIFT = 0.15
"""The share of the orders of a shopper with somebody to send gifts to that are gifts."""
_FRIENDS = 3
"""Most recipients of a shopper's gifts; the first and the third bear the shopper's last name."""


class SoldAs(NamedTuple):
    """The name that a product had in the orders before a day."""

    before_ms: int
    name: str


@dataclass(frozen=True)
class OrderDraw:
    """The draws of a made shop's orders. Equal seeds and axes give equal orders."""

    seed: int
    statuses: float
    cities: float
    sold_as: Mapping[str, SoldAs] = field(default_factory=dict)
    """Former names by product id; they are known once the product files are written."""
    axes: Mapping[str, float] = field(default_factory=dict)
    """The axes that the manifest names."""

    def drawn(
        self, columns: Sequence[I64], hashes: U64, products: Sequence[str]
    ) -> tuple[list[I64], dict[int, SlipRow]]:
        """Return the columns of the orders, which are in the order of a shop, and the slips by order id."""
        numbers, item, user, time, pieces, status = columns
        luck = self._salted(numbers.astype(np.uint64))
        if self.statuses:
            pieces, status = self._pieces(luck), self._statuses(luck, time)
        slips: dict[int, SlipRow] = {}
        if self.cities and len(numbers):
            self._send(slips, numbers, user, luck, self._salted(hashes), hashes)
        self._rename(slips, numbers, item, time, products)
        return [numbers, item, user, time, pieces, status], slips

    def _salted(self, numbers: U64) -> U64:
        return finish(numbers ^ finish(np.array([self.seed], np.uint64) + np.uint64(0xD1B54A32D192ED03)))

    def _pieces(self, luck: U64) -> I64:
        several = 2 + np.searchsorted(_PIECES, uniform(luck, 2), side="right")
        return np.where(uniform(luck, 1) < self.statuses, several, 1).astype(np.int64)

    def _statuses(self, luck: U64, time: I64) -> I64:
        kept, which = uniform(luck, 3) >= self.statuses, uniform(luck, 4)
        age = (time.max() - time) / _DAY_MS if len(time) else time
        result = np.where(which < _RETURNED, _CODE["Returned"], _CODE["Cancelled"])
        recent = age < _PENDING_DAYS
        result[recent] = np.where(which[recent] < 0.6, _CODE["Processing"], _CODE["Shipped"])
        result[recent & (which >= 0.85)] = _CODE["Cancelled"]
        late = (age >= _RETURN_DAYS) & recent & (which >= 0.4) & (which < 0.6)
        result[late] = _CODE["Returned"]
        return np.where(kept, _CODE["Delivered"], result).astype(np.int64)

    def _send(
        self, slips: dict[int, SlipRow], numbers: I64, user: I64, luck: U64, own: U64, hashes: U64
    ) -> None:
        """Send orders before a move to the former home, and gifts to others."""
        count = np.bincount(user, minlength=len(own))
        first = np.cumsum(count) - count
        age = np.arange(len(user)) - first[user]  # 0 is the newest
        low, high = _CUT
        newer = np.rint(count * (low + (high - low) * uniform(own, 12))).astype(np.int64)
        newer = np.clip(newer, 1, np.maximum(count - 1, 1))
        moved = (uniform(own, 11) < self.cities) & (count > 1)
        gives = uniform(own, 13) < self.cities
        before = moved[user] & (age >= newer[user])
        gift = gives[user] & (uniform(luck, 5) < _GIFT)
        friends = 1 + pick(own, 14, _FRIENDS)
        whose = np.minimum(pick(luck, 6, _FRIENDS), friends[user] - 1)
        homes = _Homes(hashes)
        homes.prepare(np.unique(user[before | gift]))
        for row in np.flatnonzero(before | gift).tolist():
            shopper = int(user[row])
            friend = int(whose[row]) if gift[row] else None
            slips[int(numbers[row])] = homes.slip(shopper, friend)

    def _rename(
        self, slips: dict[int, SlipRow], numbers: I64, item: I64, time: I64, products: Sequence[str]
    ) -> None:
        """Note the former names of products on the slips of the orders that were placed under them."""
        if not self.sold_as:
            return
        places = {product_id: at for at, product_id in enumerate(products)}
        until: NDArray[np.int64] = np.zeros(len(products), np.int64)
        for product_id, former in self.sold_as.items():
            if product_id in places:
                until[places[product_id]] = former.before_ms
        for row in np.flatnonzero(time < until[item]).tolist():
            number = int(numbers[row])
            name = self.sold_as[products[int(item[row])]].name
            slips[number] = slips.get(number, SlipRow())._replace(sold_as=name)


class _Homes:
    """Former homes and recipients of shoppers, drawn as their own homes are."""

    def __init__(self, hashes: U64) -> None:
        self._hashes, self._people = hashes, dict[int, list[UserRow]]()
        self._slips: dict[tuple[int, int | None], SlipRow] = {}

    def prepare(self, shoppers: I64) -> None:
        """Draw the shopper's own record, two former homes and the recipients of each."""
        own, pools = self._hashes[shoppers], profiles()
        salts = [np.uint64(salt * 0x9E3779B97F4A7C15 % 2**64) for salt in range(3 + _FRIENDS)]
        drawn = [
            pools.rows([""] * len(own), finish(own + salt) if at else own, np.zeros(len(own), np.uint8))
            for at, salt in enumerate(salts)
        ]
        self._people = dict(zip(shoppers.tolist(), map(list, zip(*drawn, strict=True)), strict=True))

    def slip(self, shopper: int, friend: int | None) -> SlipRow:
        """Return the slip of an order to a recipient, or to the shopper's former home."""
        key = shopper, friend
        if key not in self._slips:
            own, *homes = self._people[shopper]
            if friend is None:
                home = next((one for one in homes if one.city != own.city), homes[0])
                self._slips[key] = SlipRow(None, *home[5:10])
            else:
                other = homes[2 + friend]
                last = other.last_name if friend % 2 else own.last_name
                self._slips[key] = SlipRow(f"{other.first_name} {last}", *other[5:10])
        return self._slips[key]
