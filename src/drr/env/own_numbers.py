"""Finds a shop's people and orders by the numbers of its own files. The shop has keyed hashes of them, and who has the key can ask.

An order's id is a hash of its user, product, number and time, so the number is tried against the orders that it may name.
"""

from __future__ import annotations

import os
from base64 import b32decode, b32encode
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import numpy as np
from drr.env.entities import Order, ms_from_iso
from drr.env.errors import DrrError
from drr.env.small_files import read_within
from drr.env.trust import config_folder
from numpy.typing import NDArray

U64 = NDArray[np.uint64]
KEY = "people.key"
ID_SPACE = 10**16
"""Number of ids that orders may have."""
ID_BYTES, NUMBER_BYTES = 15, 8
"""Length of the hash of a person, and of that of an order's number."""
_KEY_BYTES = 32
_AT_ONCE = 1 << 20
"""Most pairs of an order and a number that are tried together."""
_ID_DIGITS = 16
_SHARED, _MASKS = 3, 24
"""Fewest numbers that show the letters that they share, and most masks of a shop."""


def people_key(folder: Path | None = None) -> bytes:
    """Return this user's secret key for the hashes of people, made at the first call. Whoever has the key can tell whether a
    person is in a shop, so it lies in the settings folder, for its owner's eyes alone, and never in a shop."""
    folder = folder or config_folder()
    if folder is None:
        raise DrrError("people are replaced by means of a secret key; set HOME, where it is kept")
    path = folder / KEY
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(FileExistsError):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(os.urandom(_KEY_BYTES))
        key = read_within(path, 1024)
    except OSError as error:
        raise DrrError(f"{path}: the key for people's ids cannot be kept ({error.strerror})") from error
    if len(key) != _KEY_BYTES:
        raise DrrError(f"{path}: is no key; restore it, or remove it to begin with other invented people")
    return key


def own_numbers(*, are_invented: bool) -> OwnNumbers | None:
    """Return the numbers of a shop whose people are invented or not; `None` where the key is not."""
    folder = config_folder()
    if folder is None:
        return None
    try:
        key = read_within(folder / KEY, 1024)
    except (OSError, ValueError):
        return None
    return OwnNumbers(key, are_invented) if len(key) == _KEY_BYTES else None


class OwnNumbers:
    """The numbers of a shop's own files, by the key that hashed them."""

    def __init__(self, key: bytes, are_invented: bool) -> None:
        self._key, self._are_invented = key, are_invented

    def user(self, number: str) -> str:
        """Return the id that the person of a number has, if the shop has one of it."""
        return id_of(hashed(self._key, number, ID_BYTES)) if self._are_invented else number

    def orders(self, orders: Sequence[Order], numbers: Iterable[str]) -> dict[str, list[Order]]:
        """Return those of the orders that each number names: one for each product. A number that names none is left out."""
        named: dict[str, list[Order]] = {}
        asked = list(dict.fromkeys(numbers))
        hashes = np.array([_whole(hashed(self._key, one, NUMBER_BYTES)) for one in asked], np.uint64)
        step = max(1, _AT_ONCE // max(1, len(asked)))
        for first in range(0, len(orders), step):
            some = orders[first : first + step]
            users = {one.user_id: self._hash_of(one.user_id) for one in some}
            user = np.array([users[one.user_id] for one in some], np.uint64)[:, None]
            item = np.array([hash_text(one.product_id) for one in some], np.uint64)[:, None]
            time = np.array([ms_from_iso(one.order_date) for one in some], np.uint64)[:, None]
            ids = np.array([int(one.order_id) for one in some], np.uint64)[:, None]
            same = drawn_from(user, item ^ hashes, time) % np.uint64(ID_SPACE) == ids
            for row, column in np.argwhere(same).tolist():
                named.setdefault(asked[column], []).append(some[row])
        return named

    def _hash_of(self, user_id: str) -> int:
        if not self._are_invented:
            return _whole(hashed(self._key, user_id, ID_BYTES)[:8])
        try:
            return _whole(b32decode(user_id[1:])[:8])
        except ValueError:  # somebody whom no file named
            return 0


def masks(numbers: Iterable[str]) -> list[str]:
    """Return the forms of numbers, as `BKC-9999`. Letters of fewer than three numbers become `A`, as they may be a name.
    Of digits alone only those count that are as long as an order's id."""
    some = [one for one in dict.fromkeys(numbers) if not one.isdecimal() or len(one) == _ID_DIGITS]
    shared = Counter(map(_mask, some))
    counted = Counter(form if shared[form := _mask(one)] >= _SHARED else _bare_mask(one) for one in some)
    return sorted(form for form, _ in counted.most_common(_MASKS))


def is_masked(token: str, forms: Collection[str]) -> bool:
    """Tell whether a token has one of these forms."""
    return _mask(token) in forms or _bare_mask(token) in forms


def _mask(number: str) -> str:
    return "".join("9" if one.isdecimal() else one for one in number)


def _bare_mask(number: str) -> str:
    return "".join(("A" if one.isupper() else "a") if one.isalpha() else one for one in _mask(number))


def hashed(key: bytes, number: str, length: int) -> bytes:
    return blake2b(number.encode("utf-8", "surrogatepass"), key=key, digest_size=length).digest()


def id_of(digest: bytes) -> str:
    """Return the id of an invented person."""
    return f"U{b32encode(digest).decode()}"


def hash_text(text: str) -> int:
    return _whole(blake2b(text.encode(), digest_size=8).digest())


def _whole(digest: bytes) -> int:
    return int.from_bytes(digest, "big")


def drawn_from(user: U64, item: U64, time: U64) -> U64:
    """Return the number from which an order's id is drawn."""
    base = finish(finish(user + np.uint64(0x9E3779B97F4A7C15)) ^ item)
    return finish(base ^ finish(time + np.uint64(0xC2B2AE3D27D4EB4F)))


def finish(value: U64) -> U64:
    value = (value ^ (value >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return value ^ (value >> np.uint64(32))
