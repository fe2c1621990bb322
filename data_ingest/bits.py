"""Masks as words of 64 bits, and literals compared in eights. The parts of a scan of a block of bytes."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

import numpy as np
from drr.data_ingest.packing import I64, U8, U64
from numpy.typing import NDArray

_ONE = np.uint64(1)


class Bits:
    """A mask as 64-bit words, for counting and finding what is set without listing it."""

    def __init__(self, mask: NDArray[np.bool_]) -> None:
        self._words = np.packbits(mask, bitorder="little").view(np.uint64)

    def positions(self) -> I64:
        """Good where few are set."""
        at = np.flatnonzero(self._words != 0)
        set_ = np.flatnonzero(np.unpackbits(self._words[at].view(np.uint8), bitorder="little"))
        found: I64 = (at[set_ >> 6] << 6) + (set_ & 63)
        return found

    def scattered(self) -> I64:
        """The same, good where hardly ever two are near each other."""
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
        """Count how many are set up to each word, the word itself included."""
        return np.cumsum(np.bitwise_count(self._words), dtype=np.int64)

    def rank(self, at: I64) -> I64:
        """Count how many are set before each position."""
        word = at >> 6
        from_here = self._words[word] >> (at & 63).astype(np.uint64)
        count: I64 = self._sums[word] - np.bitwise_count(from_here)
        return count

    def following(self, at: I64) -> I64:
        """The first that is set at or after each position; one is."""
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
    """The place of the lowest bit that is set."""
    lowest: NDArray[np.uint8] = np.bitwise_count(~words & (words - _ONE))
    return lowest


def everywhere(block: U8, kind: str, width: int) -> NDArray[Any]:
    """The block as overlapping values, one beginning at each byte."""
    return np.ndarray((len(block) - width + 1,), kind, block.data, 0, (1,))


def column(records: NDArray[np.void], at: int, kind: str = "<u8") -> NDArray[Any]:
    """The same bytes of each record, as they lie."""
    return np.ndarray(records.shape, kind, records.data, at, records.strides)


def spells(records: NDArray[np.void], at: int, literal: bytes) -> NDArray[np.bool_]:
    """Tell where the literal stands at this place of the record, compared in overlapping eights."""
    same: NDArray[np.bool_] = column(records, at) == eight(literal, 0)
    for place in (*range(8, len(literal) - 8, 8), len(literal) - 8):
        same &= column(records, at + place) == eight(literal, place)
    return same


def spelled(block: U8, at: I64, literal: bytes) -> NDArray[np.bool_]:
    """Tell where the literal stands at these places of the block; what would leave the block does not."""
    width = len(literal)
    records = everywhere(block, f"V{width}", width)
    return spells(records[np.minimum(at, len(records) - 1)], 0, literal)


@cache
def eight(literal: bytes, at: int) -> np.uint64:
    word: np.uint64 = np.frombuffer(literal, np.uint64, 1, at)[0]
    return word
