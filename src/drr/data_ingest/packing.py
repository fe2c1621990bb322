"""Packs ids of products and users into codes of fixed width, and masks into 64-bit words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np
from drr.env.own_numbers import finish, hash_text
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
ITEM_WIDTH, USER_WIDTH = 10, 28


def repeat_byte(byte: int) -> np.uint64:
    """Return a 64-bit number with the byte in each of its eight places."""
    return np.uint64(byte * 0x0101010101010101)


def eight_bytes_of(rows: U8, at: int) -> U64:
    """Return eight bytes of each row as one number, the first byte highest."""
    part = np.ascontiguousarray(rows[:, at : at + 8])
    return part.view(">u8").ravel().astype(np.uint64)


def pack_items(ids: U8) -> tuple[I64, NDArray[np.bool_]]:
    """Pack ids given as rows of ten bytes; the second result tells which are of the official form."""
    return pack_words(eight_bytes_of(ids, 0), eight_bytes_of(ids, ITEM_WIDTH - 8))


def pack_words(first: U64, last: U64) -> tuple[I64, NDArray[np.bool_]]:
    """Pack ids, given as their first and last eight bytes, into numbers that sort as the text does.

    Six bits a character are enough; the second result tells which ids consist of the allowed characters.
    """
    fine = _capitals(first) & _capitals(last)
    two = (last ^ np.uint64(0x2020)) & np.uint64(0x3F3F)
    value = _six_bits(first) << np.uint64(12) | (two & np.uint64(0xFF)) | two >> np.uint64(8) << np.uint64(6)
    return value.view(np.int64), fine


def all_capitals(ids: U8) -> NDArray[np.bool_]:
    """Tell for each row whether every byte is one of 0-9 and A-Z."""
    width = ids.shape[1]
    fine = _capitals(eight_bytes_of(ids, width - 8))
    for at in range(0, width - 8, 8):
        fine &= _capitals(eight_bytes_of(ids, at))
    return fine


def _capitals(eight: U64) -> NDArray[np.bool_]:
    digit = (eight + repeat_byte(0x80 - 0x30)) & ~(eight + repeat_byte(0x80 - 0x3A))
    letter = (eight + repeat_byte(0x80 - 0x41)) & ~(eight + repeat_byte(0x80 - 0x5B))
    result: NDArray[np.bool_] = ((digit | letter) & repeat_byte(0x80)) == repeat_byte(0x80)
    return result


def _six_bits(word: U64) -> U64:
    """Pack eight bytes into 48 bits; a flipped bit sorts digits before letters."""
    word = (word ^ repeat_byte(0x20)) & repeat_byte(0x3F)
    for shift, low in ((2, 0x003F003F003F003F), (4, 0x00000FFF00000FFF), (8, 0x0000000000FFFFFF)):
        word = word & np.uint64(low) | (word & ~np.uint64(low)) >> np.uint64(shift)
    return word


def pack_texts(texts: list[str]) -> tuple[I64, NDArray[np.bool_]]:
    """Return the packed ids, and a mask of the ids that have the official form."""
    fitting = np.array([len(text) == ITEM_WIDTH and text.isascii() for text in texts], np.bool_)
    if not fitting.all():
        texts = [text if fits else "0" * ITEM_WIDTH for text, fits in zip(texts, fitting, strict=True)]
    raw = np.frombuffer("".join(texts).encode("ascii"), np.uint8).reshape(-1, ITEM_WIDTH)
    packed, fine = pack_items(raw)
    return packed, fine & fitting


def unpack_items(packed: I64) -> NDArray[np.bytes_]:
    """Return the ids of packed numbers as text."""
    six = (packed[:, None] >> np.arange(54, -1, -6)) & 0x3F
    return (six + 0x20).astype(np.uint8).view(f"S{ITEM_WIDTH}").ravel()


_ONE = np.uint64(1)


class Bits:
    """A mask in 64-bit words, for counting and finding set bits without listing all."""

    def __init__(self, mask: NDArray[np.bool_]) -> None:
        self._words = np.packbits(mask, bitorder="little").view(np.uint64)

    def positions(self) -> I64:
        """Return the positions of set bits; fast if few are set."""
        at = np.flatnonzero(self._words != 0)
        set_ = np.flatnonzero(np.unpackbits(self._words[at].view(np.uint8), bitorder="little"))
        found: I64 = (at[set_ >> 6] << 6) + (set_ & 63)
        return found

    def scattered(self) -> I64:
        """Return the positions of set bits; fast if these are rarely near each other."""
        at = np.flatnonzero(self._words != 0)
        words = self._words[at]
        found = [(at << 6) + _lowest(words)]
        while len(more := np.flatnonzero(words & (words - _ONE))):
            at, words = at[more], words[more]
            words &= words - _ONE
            found.append((at << 6) + _lowest(words))
        return found[0] if len(found) == 1 else np.sort(np.concatenate(found))

    @cached_property
    def _sums(self) -> I64:
        """Return the number of set bits up to and including each word."""
        return np.cumsum(np.bitwise_count(self._words), dtype=np.int64)

    def rank(self, at: I64) -> I64:
        """Return the number of set bits before each position."""
        word = at >> 6
        from_here = self._words[word] >> (at & 63).astype(np.uint64)
        count: I64 = self._sums[word] - np.bitwise_count(from_here)
        return count

    def following(self, at: I64) -> I64:
        """Return the first set bit at or after each position; there must be one."""
        word = at >> 6
        left = self._words[word] >> (at & 63).astype(np.uint64)
        found = at + _lowest(left)
        open_ = np.flatnonzero(left == 0)
        if len(open_):
            sums = self._sums
            word = np.searchsorted(sums, sums[word[open_]], "right")
            found[open_] = (word << 6) + _lowest(self._words[word])
        return found


def _lowest(words: U64) -> NDArray[np.uint8]:
    """Return the place of the lowest set bit in each word."""
    lowest: NDArray[np.uint8] = np.bitwise_count(~words & (words - _ONE))
    return lowest


def overlapping_values(block: U8, kind: str, width: int) -> NDArray[Any]:
    """Return the block as overlapping values, one beginning at each byte."""
    return np.ndarray((len(block) - width + 1,), kind, block.data, 0, (1,))


def column(records: NDArray[np.void], at: int, kind: str = "<u8") -> NDArray[Any]:
    """Return a view of the same bytes in each record."""
    return np.ndarray(records.shape, kind, records.data, at, records.strides)


def records_with_literal(records: NDArray[np.void], at: int, literal: bytes) -> NDArray[np.bool_]:
    """Tell for each record whether the literal stands at this offset, compared in overlapping groups of eight bytes."""
    same: NDArray[np.bool_] = column(records, at) == literal_chunk(literal, 0)
    for place in (*range(8, len(literal) - 8, 8), len(literal) - 8):
        same &= column(records, at + place) == literal_chunk(literal, place)
    return same


def positions_of_literal(block: U8, at: I64, literal: bytes) -> NDArray[np.bool_]:
    """Tell for each position of the block whether the whole literal stands there."""
    width = len(literal)
    records = overlapping_values(block, f"V{width}", width)
    return records_with_literal(records[np.minimum(at, len(records) - 1)], 0, literal)


@cache
def literal_chunk(literal: bytes, at: int) -> np.uint64:
    word: np.uint64 = np.frombuffer(literal, np.uint64, 1, at)[0]
    return word


_MARK = b"\x01"
"""The first byte of a code for an id of unofficial form; official ids hold no control character."""
_PRIMES = [
    np.uint64(prime)
    for prime in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
]


class Ids:
    """The table of ids of one ingest. Equal ids have equal codes."""

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
        """Return a hash of each user that depends only on the user's id."""
        hashes = row_hashes(*words(codes))
        if self._odd_users:
            for at in np.flatnonzero(_is_odd(codes)).tolist():
                hashes[at] = hash_text(self._odd_users[int(codes[at][1:])])
        return hashes

    def item_hashes(self, codes: I64) -> U64:
        hashes = row_hashes(codes.astype(np.uint64))
        for at in np.flatnonzero(codes < 0).tolist():
            hashes[at] = hash_text(self._odd_items[-1 - int(codes[at])])
        return hashes

    @property
    def only_official_users(self) -> bool:
        return not self._odd_users


def _is_odd(codes: NDArray[np.bytes_]) -> NDArray[np.bool_]:
    first: NDArray[Any] = np.ascontiguousarray(codes).view(np.uint8)[::USER_WIDTH]
    return np.asarray(first == _MARK[0])


def words(users: NDArray[np.bytes_]) -> list[U64]:
    """Return the bytes of each code as four numbers that sort as the text does; the last overlaps."""
    raw = np.ascontiguousarray(users).view(np.uint8).reshape(-1, USER_WIDTH)
    return [eight_bytes_of(raw, at) for at in (0, 8, 16, USER_WIDTH - 8)]


def row_hashes(*columns: U64) -> U64:
    """Return one evenly distributed hash of each row."""
    total = np.zeros(len(columns[0]), np.uint64)
    for column, prime in zip(columns, _PRIMES * 2, strict=False):
        total = finish((total ^ column) * prime)
    return total
