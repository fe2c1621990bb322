"""Ids as fixed-width codes. The official forms as they are, all others by number in a table, none of them cut."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from drr.data_ingest.packing import I64, ITEM_WIDTH, U64, pack_texts, unpack_items, word
from drr.data_ingest.review_scan import USER_WIDTH
from numpy.typing import NDArray

_MARK = b"\x01"
"""Begins the code of an id that is not of the official form; no official one holds a control character."""
_PRIMES = [
    np.uint64(prime)
    for prime in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
]


class Ids:
    """The table of one ingest. Codes of equal ids are equal."""

    def __init__(self) -> None:
        self._users: dict[str, bytes] = {}
        self._odd_users: list[str] = []
        self._items: dict[str, int] = {}
        self._odd_items: list[str] = []

    def users(self, texts: Sequence[str]) -> NDArray[np.bytes_]:
        return np.array([self._user(text) for text in texts], f"S{USER_WIDTH}")

    def _user(self, text: str) -> bytes:
        if len(text) == USER_WIDTH and text.isascii() and text.isprintable():
            return text.encode()
        code = self._users.get(text)
        if code is None:
            code = self._users[text] = _MARK + b"%020d" % len(self._odd_users)
            self._odd_users.append(text)
        return code

    def items(self, texts: list[str]) -> I64:
        if not texts:
            return np.empty(0, np.int64)
        codes, fine = pack_texts(texts)
        for at in np.flatnonzero(~fine).tolist():
            codes[at] = self._odd_item(texts[at])
        return codes

    def _odd_item(self, text: str) -> int:
        code = self._items.get(text)
        if code is None:
            code = self._items[text] = -1 - len(self._odd_items)
            self._odd_items.append(text)
        return code

    def user_texts(self, codes: NDArray[np.bytes_]) -> list[str]:
        texts: list[str] = codes.astype(f"U{USER_WIDTH}").tolist()
        if self._odd_users:
            texts = [self._odd_users[int(t[1:])] if t[0] == "\x01" else t for t in texts]
        return texts

    def item_texts(self, codes: I64) -> list[str]:
        texts: list[str] = unpack_items(np.maximum(codes, 0)).astype(f"U{ITEM_WIDTH}").tolist()
        for at in np.flatnonzero(codes < 0).tolist():
            texts[at] = self._odd_items[-1 - int(codes[at])]
        return texts

    def user_hashes(self, codes: NDArray[np.bytes_]) -> U64:
        """A number of each user's id and of nothing else."""
        hashes = mix(*words(codes))
        if self._odd_users:
            for at in np.flatnonzero(_is_odd(codes)).tolist():
                hashes[at] = hash_text(self._odd_users[int(codes[at][1:])])
        return hashes

    def item_hashes(self, codes: I64) -> U64:
        hashes = mix(codes.astype(np.uint64))
        for at in np.flatnonzero(codes < 0).tolist():
            hashes[at] = hash_text(self._odd_items[-1 - int(codes[at])])
        return hashes

    def odd_items(self, codes: I64) -> dict[int, str]:
        """Look up the codes that are numbers in this table; the others are ids themselves."""
        return {code: self._odd_items[-1 - code] for code in np.unique(codes[codes < 0]).tolist()}

    def odd_users(self, codes: NDArray[np.bytes_]) -> dict[bytes, str]:
        odd = np.unique(codes[_is_odd(codes)]).tolist() if self._odd_users else []
        return {code: self._odd_users[int(code[1:])] for code in odd}

    def adopted_items(self, codes: I64, odd: dict[int, str]) -> I64:
        """Codes of another table as they are in this one."""
        if not odd:
            return codes
        at = np.flatnonzero(codes < 0)
        adopted = codes.copy()
        adopted[at] = [self._odd_item(odd[code]) for code in codes[at].tolist()]
        return adopted

    def adopted_users(self, codes: NDArray[np.bytes_], odd: dict[bytes, str]) -> NDArray[np.bytes_]:
        if not odd:
            return codes
        at = np.flatnonzero(_is_odd(codes))
        adopted = codes.copy()
        adopted[at] = self.users([odd[code] for code in codes[at].tolist()])
        return adopted

    @property
    def only_official_users(self) -> bool:
        return not self._odd_users


def _is_odd(codes: NDArray[np.bytes_]) -> NDArray[np.bool_]:
    first: NDArray[Any] = np.ascontiguousarray(codes).view(np.uint8)[::USER_WIDTH]
    return np.asarray(first == _MARK[0])


def words(users: NDArray[np.bytes_]) -> list[U64]:
    """The bytes of each code as four numbers that sort as the text does, the last overlapping."""
    raw = np.ascontiguousarray(users).view(np.uint8).reshape(-1, USER_WIDTH)
    return [word(raw, at) for at in (0, 8, 16, USER_WIDTH - 8)]


def mix(*columns: U64) -> U64:
    """One well-spread number of each row."""
    total = np.zeros(len(columns[0]), np.uint64)
    for column, prime in zip(columns, _PRIMES * 2, strict=False):
        total = finish((total ^ column) * prime)
    return total


def finish(value: U64) -> U64:
    value = (value ^ (value >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return value ^ (value >> np.uint64(32))


def hash_text(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
