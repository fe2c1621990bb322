"""Makes orders of interactions: users, stable ids, statuses, and the order of rows."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, partial
from hashlib import blake2b
from itertools import count, repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np
from drr.data_ingest.packing import I64, U64, Ids, words
from drr.data_ingest.recipe import Statuses
from drr.env.content import UserRow
from drr.env.entities import ORDER_STATUSES
from drr.env.own_numbers import ID_SPACE, drawn_from, finish
from numpy.typing import NDArray

"""The number of possible order ids, sixteen decimal digits; ten digits, as in the paper's Listing 2, collide at its four million orders."""
_DAY_MS = 86_400_000
_CODE = {name: at for at, name in enumerate(ORDER_STATUSES)}


class UserTable(NamedTuple):
    codes: NDArray[np.bytes_]
    """The code of each user, once, in the order of ids."""
    position: I64
    """Each row's user, as a position in `codes`."""


def user_table(users: NDArray[np.bytes_], ids: Ids) -> UserTable:
    """Return the distinct users of all rows, sorted by their ids as text."""
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
    """Return the order of rows by user, then newest first, then order id."""
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


def order_ids(
    user: U64,
    item: U64,
    time: I64,
    content: Callable[[int], tuple[str, str]],
    *,
    space: int = ID_SPACE,
) -> I64:
    """Compute a decimal id for each interaction, from user and product (as content hashes) and time. `content` returns both ids of a row.

    Of equal ids the first, by user id, product id and time, is kept; the others are drawn again until all are different.
    Rows with equal content are the same order except for the id.
    """
    base = drawn_from(user, item, time.astype(np.uint64))
    result = (base % np.uint64(space)).astype(np.int64)
    order = np.argsort(result)
    ranked = result[order]
    same = ranked[1:] == ranked[:-1]
    if not same.any():
        return result
    clash = np.unique(np.concatenate([order[1:][same], order[:-1][same]])).tolist()
    kept: set[int] = set()
    drawn: set[int] = set()
    for row in sorted(clash, key=lambda row: (content(row), int(time[row]))):
        first = int(result[row])
        if first not in kept:
            kept.add(first)
            continue
        result[row] = next(
            number
            for number in _draws(int(base[row]), space)
            if number not in drawn and not _holds(ranked, number)
        )
        drawn.add(int(result[row]))
    return result


def _draws(base: int, space: int) -> Iterator[int]:
    """Yield the ids that a row draws after its first."""
    for attempt in count(1):
        yield int.from_bytes(blake2b(f"{base}/{attempt}".encode(), digest_size=16).digest(), "big") % space


def _holds(ascending: I64, number: int) -> bool:
    at = int(np.searchsorted(ascending, number))
    return at < len(ascending) and int(ascending[at]) == number


def statuses(kind: Statuses, seed: int, order_id: I64, time: I64) -> NDArray[np.int64]:
    """Return the status of each order. All are delivered, as in the paper, or a mix in which recent orders may still be under way."""
    if kind == "delivered" or not len(order_id):
        return np.full(len(order_id), _CODE["Delivered"], np.int64)
    salt = finish(np.array([seed], np.uint64) + np.uint64(0xA0761D6478BD642F))
    luck = (finish(order_id.astype(np.uint64) ^ salt) >> np.uint64(11)) * 2.0**-53
    age = (int(time.max()) - time) / _DAY_MS
    result = np.full(len(order_id), _CODE["Delivered"], np.int64)
    result[luck < 0.07] = _CODE["Returned"]
    result[luck < 0.03] = _CODE["Cancelled"]
    recent, fresh = age < 10, age < 3
    result[recent & (luck >= 0.03)] = _CODE["Delivered"]
    result[recent & (luck >= 0.03) & (luck < 0.6)] = _CODE["Shipped"]
    result[fresh & (luck >= 0.03)] = _CODE["Shipped"]
    result[fresh & (luck >= 0.03) & (luck < 0.6)] = _CODE["Processing"]
    return result


_SEED = 2023
_NAMES = 4096
_STREETS = 2048
DOMAINS = ("example.com", "example.org", "example.net", "mail.example", "post.example", "inbox.example")
"""Domains reserved by RFC 2606, so that no address can reach a person."""
_SUFFIX = np.frombuffer(b"abcdefghijkmnpqrstuvwxyz23456789", np.uint8).astype(np.uint32)
_SUFFIX_LENGTH = 7
_SHARE_OF_FLATS = 0.3
# `UserRow._make` without its check of the length.
_row = partial(tuple.__new__, UserRow)


class _Draw(NamedTuple):
    """The draws for all users, one column for each pool."""

    first: I64
    last: I64
    domain: I64
    suffix: U64


class Place(NamedTuple):
    city: str
    state: str
    zip3: str
    """First three digits of the city's ZIP codes."""
    area_code: str
    weight: float
    """The city's weight: its equal share of the state's people, in millions."""


def places() -> list[Place]:
    """Read the homes of invented users: real cities with their ZIP prefixes and telephone area codes."""
    found: list[Place] = []
    text = Path(__file__).with_name("residences.toml").read_text(encoding="utf-8")
    for state, row in tomllib.loads(text).items():
        cities = [city.rsplit(" ", 2) for city in row["cities"]]
        found += [Place(city, state, zip3, area, row["people"] / len(cities)) for city, zip3, area in cities]
    return found


class ProfilePools:
    """The pools of names and addresses for profiles. Building them is the only work of Faker; `profiles` does it once."""

    def __init__(self) -> None:
        from faker import Faker

        fake = Faker("en_US")
        fake.seed_instance(_SEED)
        self._first = [fake.first_name() for _ in range(_NAMES)]
        self._last = [fake.last_name() for _ in range(_NAMES)]
        self._street = [fake.street_name() for _ in range(_STREETS)]
        self._first_mail, self._first_slug = _slugs(self._first)
        self._last_mail, self._last_slug = _slugs(self._last)
        homes = places()
        self._city, self._state = [home.city for home in homes], [home.state for home in homes]
        self._zip = [f"{home.zip3}{two:02d}" for home in homes for two in range(100)]
        self._phone = [f"001-{home.area_code}-555-01{line:02d}" for home in homes for line in range(100)]
        weights = np.array([home.weight for home in homes])
        self._place_cumulative = np.cumsum(weights / weights.sum())

    def _draw(self, hashes: U64, attempts: NDArray[np.uint8] | None) -> _Draw:
        tried = np.uint64(0) if attempts is None else attempts.astype(np.uint64)
        return _Draw(
            pick(hashes, 1, _NAMES),
            pick(hashes, 2, _NAMES),
            pick(hashes, 3, len(DOMAINS)),
            stream(hashes + tried * np.uint64(0x9E3779B97F4A7C15), 4) >> np.uint64(64 - 5 * _SUFFIX_LENGTH),
        )

    def attempts(self, hashes: U64) -> NDArray[np.uint8]:
        """Return how often each user's address must be drawn until no two are equal. Users come by id, and earlier ones keep theirs.

        With two million users the first draw is nearly always the last.
        """
        tries = np.zeros(len(hashes), np.uint8)
        while True:
            address = self.addresses(hashes, tries)
            order = np.argsort(address, kind="stable")
            again = order[1:][address[order][1:] == address[order][:-1]]
            if not len(again):
                return tries
            tries[again] += 1

    def addresses(self, hashes: U64, tries: NDArray[np.uint8]) -> U64:
        """Return a number for each user's address, equal for equal addresses."""
        draw = self._draw(hashes, tries)
        name = self._first_slug[draw.first] * len(self._last_slug) + self._last_slug[draw.last]
        place = name * len(DOMAINS) + draw.domain
        return place.astype(np.uint64) << np.uint64(5 * _SUFFIX_LENGTH) | draw.suffix

    def rows(self, user_ids: list[str], hashes: U64, attempts: NDArray[np.uint8]) -> list[UserRow]:
        draw = self._draw(hashes, attempts)
        first, last = draw.first.tolist(), draw.last.tolist()
        letters = _SUFFIX[
            (draw.suffix[:, None] >> np.arange(0, 5 * _SUFFIX_LENGTH, 5, dtype=np.uint64)) & np.uint64(31)
        ]
        suffix = letters.view(f"U{_SUFFIX_LENGTH}").ravel().tolist()
        place = np.searchsorted(self._place_cumulative, uniform(hashes, 5), side="right")
        place = np.minimum(place, len(self._city) - 1)
        number = (pick(hashes, 6, 9_900) + 100).tolist()
        street = pick(hashes, 7, _STREETS).tolist()
        flat = np.where(uniform(hashes, 8) < _SHARE_OF_FLATS, pick(hashes, 9, 899) + 101, 0).tolist()
        zip_code = (place * 100 + pick(hashes, 10, 98) + 1).tolist()
        phone = (place * 100 + pick(hashes, 11, 100)).tolist()
        home = place.tolist()
        streets, first_mail, last_mail = self._street, self._first_mail, self._last_mail
        columns = (
            user_ids,
            [
                f"{first_mail[a]}.{last_mail[b]}.{c}@{DOMAINS[d]}"
                for a, b, c, d in zip(first, last, suffix, draw.domain.tolist(), strict=True)
            ],
            map(self._first.__getitem__, first),
            map(self._last.__getitem__, last),
            map(self._phone.__getitem__, phone),
            [
                f"{a} {streets[b]} Apt. {c}" if c else f"{a} {streets[b]}"
                for a, b, c in zip(number, street, flat, strict=True)
            ],
            map(self._city.__getitem__, home),
            map(self._state.__getitem__, home),
            map(self._zip.__getitem__, zip_code),
            repeat("US"),
            repeat("active"),
        )
        return list(map(_row, zip(*columns, strict=False)))


@cache
def profiles() -> ProfilePools:
    return ProfilePools()


def stream(hashes: U64, number: int) -> U64:
    """Return further random numbers from the same hashes; a different `number` gives independent ones."""
    with np.errstate(over="ignore"):
        return finish(hashes + np.uint64(number) * np.uint64(0x9E3779B97F4A7C15))


def pick(hashes: U64, number: int, size: int) -> I64:
    """Return a position in a pool, from the high half of the hash."""
    return ((stream(hashes, number) >> np.uint64(32)) * np.uint64(size) >> np.uint64(32)).astype(np.int64)


def uniform(hashes: U64, number: int) -> NDArray[np.float64]:
    """Return further random numbers from 0 to 1."""
    return (stream(hashes, number) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _slugs(names: list[str]) -> tuple[list[str], I64]:
    """Return each name as written in an address, and a number that is equal for equal spellings."""
    slugs = []
    for name in names:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        slugs.append(re.sub("[^a-z]", "", plain))
    numbers = {slug: at for at, slug in enumerate(dict.fromkeys(slugs))}
    return slugs, np.array([numbers[slug] for slug in slugs], np.int64)
