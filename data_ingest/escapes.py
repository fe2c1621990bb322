"""Backslashes in JSON strings, many at once: which quotes they take, and which escapes only the parser may judge."""

from __future__ import annotations

import numpy as np
from drr.data_ingest.packing import I64, U8
from numpy.typing import NDArray

_QUOTE, _U = 34, 117
_NO_DIGIT = 1 << 20
_KNOWN = np.zeros(256, np.bool_)
_KNOWN[list(b'"\\/bfnrtu')] = True
_DIGIT = np.full(256, _NO_DIGIT, np.int64)
for _value, _letters in enumerate(zip(b"0123456789abcdef", b"0123456789ABCDEF", strict=True)):
    _DIGIT[list(_letters)] = _value


def read_escapes(block: U8, slashes: I64) -> tuple[I64, I64]:
    """Of all the backslashes of whole lines: the quotes that they escape, and the escapes that are none of JSON's, stand
    for NUL (which is mended) or for half of a surrogate pair (which is mended as well)."""
    begins = _escaping(slashes)
    after = block[begins + 1]
    doubtful = begins[~_KNOWN[after]]
    points = begins[after == _U]
    if len(points):
        doubtful = np.concatenate([doubtful, points[_odd(block, points)]])
    return begins[after == _QUOTE] + 1, doubtful


def _escaping(slashes: I64) -> I64:
    """Each first of two: in a run of them every other is escaped itself."""
    joined = np.diff(slashes) == 1
    if not joined.any():
        return slashes
    place = np.arange(len(slashes))
    first = place.copy()
    first[1:][joined] = 0
    escaping: I64 = slashes[(place - np.maximum.accumulate(first)) & 1 == 0]
    return escaping


def _odd(block: U8, points: I64) -> NDArray[np.bool_]:
    """Of escapes `\\uXXXX`."""
    value = np.zeros(len(points), np.int64)
    last = len(block) - 1
    for place in range(2, 6):
        value = (value << 4) | _DIGIT[block[np.minimum(points + place, last)]]
    odd: NDArray[np.bool_] = (value >= _NO_DIGIT) | (value == 0)
    half = value & 0xFC00
    high, low = half == 0xD800, half == 0xDC00
    if high.any() or low.any():
        pairs = np.flatnonzero(high[:-1] & low[1:] & (np.diff(points) == 6))
        high[pairs] = False
        low[pairs + 1] = False
        odd |= high | low
    return odd
