"""Orders from interactions: the users, ids that are the same in every shop, statuses, and the one order of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from itertools import count
from typing import NamedTuple

import numpy as np
from drr.data_ingest.ids import Ids, finish, words
from drr.data_ingest.packing import I64, U64
from drr.data_ingest.recipe import Statuses
from drr.env.entities import ORDER_STATUSES
from numpy.typing import NDArray

ID_SPACE = 10**16
"""Sixteen decimal digits; ten as in the paper's Listing 2 collide at its four million orders."""
_DAY_MS = 86_400_000
_CODE = {name: at for at, name in enumerate(ORDER_STATUSES)}


class UserTable(NamedTuple):
    codes: NDArray[np.bytes_]
    """Each user once, by id."""
    position: I64
    """Of each row's user."""


def user_table(users: NDArray[np.bytes_], ids: Ids) -> UserTable:
    """The distinct users of all rows, sorted as their ids sort as text."""
    if not len(users):
        return UserTable(users, np.empty(0, np.int64))
    hashes = ids.user_hashes(users)
    order = np.argsort(hashes)
    ranked = hashes[order]
    begins = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
    group = np.cumsum(np.concatenate([[0], (ranked[1:] != ranked[:-1])]))
    codes = users[order[begins]]
    if not (codes[group] == users[order]).all():
        codes, inverse = np.unique(users, return_inverse=True)
    else:
        inverse = np.empty(len(users), np.int64)
        inverse[order] = group
    rank = _text_order(codes, ids)
    position = np.empty(len(codes), np.int64)
    position[rank] = np.arange(len(codes))
    return UserTable(codes[rank], position[inverse])


def _text_order(codes: NDArray[np.bytes_], ids: Ids) -> I64:
    if not ids.only_official_users:
        texts = ids.user_texts(codes)
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), np.int64)
    parts = words(codes)
    order = np.argsort(parts[0])
    first = parts[0][order]
    same = np.flatnonzero(first[1:] == first[:-1])
    if len(same):
        tied = np.unique(np.concatenate([same, same + 1]))
        members = order[tied]
        order[tied] = members[np.lexsort([part[members] for part in reversed(parts)])]
    return order


def sort_rows(position: I64, time: I64, order_id: I64) -> I64:
    """Sort by user, then newest first, then order id."""
    if not len(position):
        return np.empty(0, np.int64)
    span = int(time.max()) + 1
    if (int(position.max()) + 1) * span >= 1 << 63:
        return np.lexsort((order_id, -time, position))
    key = position * span + (span - 1 - time)
    order = np.argsort(key)
    ranked = key[order]
    same = np.flatnonzero(ranked[1:] == ranked[:-1])
    if len(same):
        tied = np.unique(np.concatenate([same, same + 1]))
        members = order[tied]
        order[tied] = members[np.lexsort((order_id[members], key[members]))]
    return order


class ClashingRow(NamedTuple):
    """One whose id another has too."""

    row: int
    """Where it stands among all that are settled together."""
    number: int
    base: int
    """What its ids are drawn by."""
    key: tuple[tuple[str, str], int]
    """User id and product id, and when."""


def order_bases(user: U64, item: U64, time: I64) -> U64:
    """A function of user, product and time (given as content hashes)."""
    base = finish(finish(user + np.uint64(0x9E3779B97F4A7C15)) ^ item)
    return finish(base ^ finish(time.astype(np.uint64) + np.uint64(0xC2B2AE3D27D4EB4F)))


def order_ids(
    user: U64,
    item: U64,
    time: I64,
    content: Callable[[int], tuple[str, str]],
    *,
    space: int = ID_SPACE,
) -> I64:
    """A decimal id for each interaction. Equal ids are settled by `redrawn`; `content` is user id and product id of a row."""
    base = order_bases(user, item, time)
    result = (base % np.uint64(space)).astype(np.int64)
    order = np.argsort(result)
    ranked = result[order]
    same = ranked[1:] == ranked[:-1]
    if not same.any():
        return result
    clash = np.unique(np.concatenate([order[1:][same], order[:-1][same]])).tolist()
    rows = [
        ClashingRow(row, int(result[row]), int(base[row]), (content(row), int(time[row]))) for row in clash
    ]
    for row, number in redrawn(rows, lambda number: _holds(ranked, number), space=space).items():
        result[row] = number
    return result


def redrawn(
    rows: Iterable[ClashingRow], holds: Callable[[int], bool], *, space: int = ID_SPACE
) -> dict[int, int]:
    """Draw new ids for those that lose theirs. Rows come in their order, and `holds` says whether any row had that id at first.

    Ordered by user id, product id and time, the first keeps its id and the others draw again until all are different. Rows
    with equal content are the same order but for its id.
    """
    groups: dict[int, list[ClashingRow]] = {}
    for one in rows:
        groups.setdefault(one.number, []).append(one)
    losers = [one for members in groups.values() for one in sorted(members, key=_key)[1:]]
    given: dict[int, int] = {}
    taken: set[int] = set()
    for one in sorted(losers, key=_key):
        number = next(n for n in candidates(one.base, space) if n not in taken and not holds(n))
        taken.add(number)
        given[one.row] = number
    return given


def _key(one: ClashingRow) -> tuple[tuple[str, str], int]:
    return one.key


def candidates(base: int, space: int = ID_SPACE) -> Iterator[int]:
    """The ids that a row draws after its first."""
    for attempt in count(1):
        yield int.from_bytes(blake2b(f"{base}/{attempt}".encode(), digest_size=16).digest(), "big") % space


def _holds(ascending: I64, number: int) -> bool:
    at = int(np.searchsorted(ascending, number))
    return at < len(ascending) and int(ascending[at]) == number


def statuses(
    kind: Statuses, seed: int, order_id: I64, time: I64, *, newest: int | None = None
) -> NDArray[np.int64]:
    """Delivered, as in the paper; or a mix in which recent orders may still be under way.

    `newest`: when the last order of the shop was, where these are not all.
    """
    if kind == "delivered" or not len(order_id):
        return np.full(len(order_id), _CODE["Delivered"], np.int64)
    salt = finish(np.array([seed], np.uint64) + np.uint64(0xA0761D6478BD642F))
    luck = (finish(order_id.astype(np.uint64) ^ salt) >> np.uint64(11)) * 2.0**-53
    age = ((int(time.max()) if newest is None else newest) - time) / _DAY_MS
    result = np.full(len(order_id), _CODE["Delivered"], np.int64)
    result[luck < 0.07] = _CODE["Returned"]
    result[luck < 0.03] = _CODE["Cancelled"]
    recent, fresh = age < 10, age < 3
    result[recent & (luck >= 0.03)] = _CODE["Delivered"]
    result[recent & (luck >= 0.03) & (luck < 0.6)] = _CODE["Shipped"]
    result[fresh & (luck >= 0.03)] = _CODE["Shipped"]
    result[fresh & (luck >= 0.03) & (luck < 0.6)] = _CODE["Processing"]
    return result
