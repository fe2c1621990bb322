"""Invented profiles: Faker's values in pools, picked by a hash of the user's id and of nothing else.

The same id has the same profile in every shop, whatever the order, the workers or the other users. Name and e-mail
address belong together, and so do city, state, ZIP code and area code.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, partial
from itertools import repeat
from typing import NamedTuple

import numpy as np
from drr.data_ingest.ids import finish
from drr.data_ingest.packing import I64, U64
from drr.env.residences import places
from drr.env.shop import UserRow
from numpy.typing import NDArray

_SEED = 2023
_NAMES = 4096
_STREETS = 2048
DOMAINS = ("example.com", "example.org", "example.net", "mail.example", "post.example", "inbox.example")
"""Reserved by RFC 2606: no such address can reach a person."""
_SUFFIX = np.frombuffer(b"abcdefghijkmnpqrstuvwxyz23456789", np.uint8).astype(np.uint32)
_SUFFIX_LENGTH = 7
_SHARE_OF_FLATS = 0.3
# `UserRow._make` without its check of the length.
_row = partial(tuple.__new__, UserRow)


class _Draw(NamedTuple):
    """The draw of each user from each pool."""

    first: I64
    last: I64
    domain: I64
    suffix: U64


class ProfilePools:
    """The pools. Building them is the only time Faker works; `profiles` does it once."""

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
            _pick(hashes, 1, _NAMES),
            _pick(hashes, 2, _NAMES),
            _pick(hashes, 3, len(DOMAINS)),
            stream(hashes + tried * np.uint64(0x9E3779B97F4A7C15), 4) >> np.uint64(64 - 5 * _SUFFIX_LENGTH),
        )

    def attempts(self, hashes: U64) -> NDArray[np.uint8]:
        """Count how often each user's address has to be drawn until no two are equal. Users come by id, earlier ones keep theirs.

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
        """Number each user's address, equal where the address is."""
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
        place = np.searchsorted(self._place_cumulative, _uniform(hashes, 5), side="right")
        place = np.minimum(place, len(self._city) - 1)
        number = (_pick(hashes, 6, 9_900) + 100).tolist()
        street = _pick(hashes, 7, _STREETS).tolist()
        flat = np.where(_uniform(hashes, 8) < _SHARE_OF_FLATS, _pick(hashes, 9, 899) + 101, 0).tolist()
        zip_code = (place * 100 + _pick(hashes, 10, 98) + 1).tolist()
        phone = (place * 100 + _pick(hashes, 11, 100)).tolist()
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
    """Independent numbers of the same hashes."""
    with np.errstate(over="ignore"):
        return finish(hashes + np.uint64(number) * np.uint64(0x9E3779B97F4A7C15))


def _pick(hashes: U64, number: int, size: int) -> I64:
    """A place in a pool, from the high half of the hash."""
    return ((stream(hashes, number) >> np.uint64(32)) * np.uint64(size) >> np.uint64(32)).astype(np.int64)


def _uniform(hashes: U64, number: int) -> NDArray[np.float64]:
    return (stream(hashes, number) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _slugs(names: list[str]) -> tuple[list[str], I64]:
    """Each name as it stands in an address, and a number that is equal where that is."""
    slugs = []
    for name in names:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        slugs.append(re.sub("[^a-z]", "", plain))
    numbers = {slug: at for at, slug in enumerate(dict.fromkeys(slugs))}
    return slugs, np.array([numbers[slug] for slug in slugs], np.int64)
