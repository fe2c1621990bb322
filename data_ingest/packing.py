"""Product ids as numbers: ten characters of 0-9 and A-Z in 60 bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
ITEM_WIDTH = 10


def every(byte: int) -> np.uint64:
    """The byte in each of eight places."""
    return np.uint64(byte * 0x0101010101010101)


def word(rows: U8, at: int) -> U64:
    """Eight bytes of each row as one number, the first in the highest place."""
    part = np.ascontiguousarray(rows[:, at : at + 8])
    return part.view(">u8").ravel().astype(np.uint64)


def pack_items(ids: U8) -> tuple[I64, NDArray[np.bool_]]:
    """Ids as rows of ten bytes."""
    return pack_words(word(ids, 0), word(ids, ITEM_WIDTH - 8))


def pack_words(first: U64, last: U64) -> tuple[I64, NDArray[np.bool_]]:
    """Ids, given as their first and last eight bytes, in numbers that sort as the text does.

    Six bits a character lose nothing; the second answer says where other characters occur.
    """
    fine = _capitals(first) & _capitals(last)
    two = (last ^ np.uint64(0x2020)) & np.uint64(0x3F3F)
    value = _six_bits(first) << np.uint64(12) | (two & np.uint64(0xFF)) | two >> np.uint64(8) << np.uint64(6)
    return value.view(np.int64), fine


def all_capitals(ids: U8) -> NDArray[np.bool_]:
    """Tell where every byte is one of 0-9 and A-Z."""
    width = ids.shape[1]
    fine = _capitals(word(ids, width - 8))
    for at in range(0, width - 8, 8):
        fine &= _capitals(word(ids, at))
    return fine


def _capitals(eight: U64) -> NDArray[np.bool_]:
    digit = (eight + every(0x80 - 0x30)) & ~(eight + every(0x80 - 0x3A))
    letter = (eight + every(0x80 - 0x41)) & ~(eight + every(0x80 - 0x5B))
    result: NDArray[np.bool_] = ((digit | letter) & every(0x80)) == every(0x80)
    return result


def _six_bits(word: U64) -> U64:
    """Eight bytes to 48 bits; the flipped bit puts digits before letters."""
    word = (word ^ every(0x20)) & every(0x3F)
    for shift, low in ((2, 0x003F003F003F003F), (4, 0x00000FFF00000FFF), (8, 0x0000000000FFFFFF)):
        word = word & np.uint64(low) | (word & ~np.uint64(low)) >> np.uint64(shift)
    return word


def pack_texts(texts: list[str]) -> tuple[I64, NDArray[np.bool_]]:
    """The packed ids, and where they are ids of that form."""
    fitting = np.array([len(text) == ITEM_WIDTH and text.isascii() for text in texts], np.bool_)
    if not fitting.all():
        texts = [text if fits else "0" * ITEM_WIDTH for text, fits in zip(texts, fitting, strict=True)]
    raw = np.frombuffer("".join(texts).encode("ascii"), np.uint8).reshape(-1, ITEM_WIDTH)
    packed, fine = pack_items(raw)
    return packed, fine & fitting


def unpack_items(packed: I64) -> NDArray[np.bytes_]:
    """The ids again."""
    six = (packed[:, None] >> np.arange(54, -1, -6)) & 0x3F
    return (six + 0x20).astype(np.uint8).view(f"S{ITEM_WIDTH}").ravel()
