"""The pictures of a review, in the one form of the official files: each with three addresses, of which the last is longer by one.

The width of an address follows from the room between the text and the ids, so every quote has its place and is looked up
there. Pictures of any other form are for the parser.
"""

from __future__ import annotations

import numpy as np
from drr.data_ingest.bits import spelled
from drr.data_ingest.packing import I64, U8
from numpy.typing import NDArray

_FIRST = b'", "images": [{"small_image_url": "'
_NEXT = b', {"small_image_url": "'
_MEDIUM = b'", "medium_image_url": "'
_LARGE = b'", "large_image_url": "'
_TYPE = b'", "attachment_type": "IMAGE"}'
_LAST = b'], "asin": "'
QUOTES = 16
"""Of one picture, beside those of a row without one."""
_FIXED = len(_MEDIUM) + len(_LARGE) + len(_TYPE) + 1
"""Of one picture: all but three times the shorter address."""


def have_pictures(
    block: U8, quote: NDArray[np.bool_], text_end: I64, asin: I64, count: I64
) -> NDArray[np.bool_]:
    """Of rows with this many pictures, by where the text ends and the variant's id begins; `quote` tells of each byte
    whether it is a quote that opens or closes a string."""
    free = asin - text_end - (len(_FIRST) + len(_LAST)) - (count - 1) * len(_NEXT) - count * _FIXED
    width, rest = np.divmod(free, 3 * count)
    fine: NDArray[np.bool_] = (rest == 0) & (width >= 0)
    fine &= spelled(block, text_end, _FIRST) & spelled(block, asin - len(_LAST), _LAST)
    rows = np.flatnonzero(fine)
    if not len(rows):
        return fine
    many = count[rows]
    row = np.repeat(rows, many)
    nth = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many)
    wide = width[row]
    small = text_end[row] + len(_FIRST) + nth * (3 * wide + _FIXED + len(_NEXT))
    medium = small + wide
    large = medium + len(_MEDIUM) + wide
    kind = large + len(_LARGE) + wide + 1
    good = quote[medium] & quote[large] & quote[kind]
    for at, literal in ((medium, _MEDIUM), (large, _LARGE), (kind, _TYPE)):
        good &= spelled(block, at, literal)
    later = np.flatnonzero(nth)
    if len(later):
        good[later] &= spelled(block, small[later] - len(_NEXT), _NEXT)
    fine[row[~good]] = False
    return fine
