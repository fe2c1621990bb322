"""Reads user, product, time and rating out of blocks of review lines without parsing most of them.

The files are `json.dumps` lines with one key order, so a line is known by its literal bytes and by its special bytes
(quotes, backslashes, control and non-ASCII characters): exactly 30 quotes, of which the literals account for every one,
mean that title, text and ids are plain strings and that the line is valid JSON. Every literal byte is compared. Of other
lines it is certain only what their ends would mean if they are JSON, or nothing: those are handed back for the parser.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from drr.data_ingest.packing import I64, ITEM_WIDTH, U8, U64, all_capitals, every, pack_words
from numpy.typing import NDArray

USER_WIDTH = 28
_START = b'{"rating": '
_TITLE = b'.0, "title": "'
_TEXT = b'", "text": "'
_IMAGES = b'", "images": [], "asin": "'
_ITEM = b'", "parent_asin": "'
_USER = b'", "user_id": "'
_TIME = b'", "timestamp": '
_VOTES = b', "helpful_vote": '
_END = b', "verified_purchase"'
_TRUE, _FALSE = b'": true}', b": false}"
_TIME_DIGITS = 13
_MOST_VOTE_DIGITS = 6
_QUOTES = 30
_HEAD_WIDTH = len(_START) + 1 + len(_TITLE)
# Where things stand before the last digit of the votes, counted from the start of the images.
_AT_ITEM = len(_IMAGES) + ITEM_WIDTH
_AT_USER = _AT_ITEM + len(_ITEM) + ITEM_WIDTH
_AT_TIME = _AT_USER + len(_USER) + USER_WIDTH
_AT_VOTES = _AT_TIME + len(_TIME) + _TIME_DIGITS
_AT_DIGIT = _AT_VOTES + len(_VOTES)
_TAIL_WIDTH = _AT_DIGIT + 1 + len(_END)
# A shorter line cannot hold all of these, and reading its ends would leave the line.
_SHORTEST = _HEAD_WIDTH + len(_TEXT) + _TAIL_WIDTH + len(_TRUE) + _MOST_VOTE_DIGITS


class Rows(NamedTuple):
    """Every line of a block; user to rating mean something where `sure` or `checked`."""

    starts: I64
    ends: I64
    """Where the newline is."""
    user: NDArray[np.bytes_]
    item: I64
    time: I64
    rating: U8
    sure: NDArray[np.bool_]
    checked: I64
    """Lines whose values are known if the line is JSON at all and has this rating: the parser has to say so."""
    others: I64
    """Lines that only the parser can read."""


class Scanner:
    """Keeps scratch memory between blocks."""

    def __init__(self) -> None:
        self._mask = np.empty(0, np.bool_)
        self._other = np.empty(0, np.bool_)

    def scan(self, data: memoryview) -> Rows:
        block = np.frombuffer(data, np.uint8)
        ends, strange, marks = self._marks(block)
        starts = np.empty_like(ends)
        starts[0] = 0
        np.add(ends[:-1], 1, out=starts[1:])
        before = marks.rank(ends)
        count = before.copy()
        count[1:] -= before[:-1]
        readable = ends - starts >= _SHORTEST
        readable[np.searchsorted(ends, strange)] = False
        if readable.all():
            return _read(block, starts, ends, count == _QUOTES, marks)
        at = np.flatnonzero(readable)
        rows = _read(block, starts[at], ends[at], count[at] == _QUOTES, marks) if len(at) else None
        return _spread(rows, at, starts, ends)

    def _marks(self, block: U8) -> tuple[I64, I64, Bits]:
        """Where lines end, where control or non-ASCII bytes stand, and the quotes and backslashes."""
        size, room = len(block), -(-len(block) // 64) * 64
        if room > len(self._mask):
            self._mask, self._other = np.empty(room, np.bool_), np.empty(room, np.bool_)
        mask, other = self._mask[:size], self._other[:size]
        self._mask[size:room] = False
        np.less(block.view(np.int8), 32, out=mask)
        ends = Bits(self._mask[:room]).positions()
        kind = block[ends]
        strange = ends[kind != 10]
        if len(strange):
            ends = ends[kind == 10]
        np.equal(block, 34, out=mask)
        np.equal(block, 92, out=other)
        np.logical_or(mask, other, out=mask)
        return ends, strange, Bits(self._mask[:room])


class Bits:
    """A mask as 64-bit words, for counting and finding what is set without listing it."""

    def __init__(self, mask: NDArray[np.bool_]) -> None:
        self._words = np.packbits(mask, bitorder="little").view(np.uint64)

    def positions(self) -> I64:
        """Good where few are set."""
        at = np.flatnonzero(self._words != 0)
        words = self._words[at]
        found = [(at << 6) + _lowest(words)]
        while len(more := np.flatnonzero(words & (words - _ONE))):
            at, words = at[more], words[more]
            words &= words - _ONE
            found.append((at << 6) + _lowest(words))
        return found[0] if len(found) == 1 else np.sort(np.concatenate(found))

    def rank(self, at: I64) -> I64:
        """How many are set before each position."""
        word = at >> 6
        sums = np.cumsum(np.bitwise_count(self._words), dtype=np.int64)
        from_here = self._words[word] >> (at & 63).astype(np.uint64)
        count: I64 = sums[word] - np.bitwise_count(from_here)
        return count

    def following(self, at: I64) -> I64:
        """The first that is set at or after each position; one is."""
        word = at >> 6
        left = self._words[word] >> (at & 63).astype(np.uint64)
        found = at + _lowest(left)
        open_ = np.flatnonzero(left == 0)
        word = word[open_]
        while len(open_):
            word = word + 1
            left = self._words[word]
            found[open_] = (word << 6) + _lowest(left)
            again = left == 0
            open_, word = open_[again], word[again]
        return found


_ONE = np.uint64(1)


def _lowest(words: U64) -> NDArray[np.uint8]:
    """The place of the lowest bit that is set."""
    lowest: NDArray[np.uint8] = np.bitwise_count(~words & (words - _ONE))
    return lowest


def _everywhere(block: U8, kind: str, width: int) -> NDArray[Any]:
    """The block as overlapping values, one beginning at each byte."""
    return np.ndarray((len(block) - width + 1,), kind, block.data, 0, (1,))


def _column(records: NDArray[np.void], at: int, kind: str = "<u8") -> NDArray[Any]:
    """The same bytes of each record, as they lie."""
    return np.ndarray(records.shape, kind, records.data, at, records.strides)


def _spells(records: NDArray[np.void], at: int, literal: bytes) -> NDArray[np.bool_]:
    """Where the literal stands at this place of the record, compared in overlapping eights."""
    same: NDArray[np.bool_] = _column(records, at) == _word(literal, 0)
    for place in (*range(8, len(literal) - 8, 8), len(literal) - 8):
        same &= _column(records, at + place) == _word(literal, place)
    return same


@cache
def _word(literal: bytes, at: int) -> np.uint64:
    word: np.uint64 = np.frombuffer(literal, np.uint64, 1, at)[0]
    return word


def _read(block: U8, starts: I64, ends: I64, plain: NDArray[np.bool_], marks: Bits) -> Rows:
    """`plain`: as many quotes as there should be and nothing else special.

    A line of JSON with the last bytes of a review has its last members: the brace closes the line's object, so before it
    no string is open, and so on back to the product. A member of the same name further left would be overruled. And ids
    of plain characters are what they look like.
    """
    close = _everywhere(block, "<u8", 8)[ends - 8]
    false = close == _word(_FALSE, 0)
    fine = (close == _word(_TRUE, 0)) | false
    votes_end = ends - (len(_END) + len(_TRUE) - 1)
    votes_end -= false
    digits, written = _vote_digits(block, votes_end)
    fine &= written
    place = votes_end - (_AT_DIGIT + 1)
    tails = _everywhere(block, f"V{_TAIL_WIDTH}", _TAIL_WIDTH)
    tail = tails[place]
    fine &= _spells(tail, _AT_DIGIT + 1, _END)
    long = np.flatnonzero(digits > 1)
    tail[long] = tails[place[long] - (digits[long] - 1)]
    for at, literal in ((_AT_VOTES, _VOTES), (_AT_TIME, _TIME), (_AT_USER, _USER), (_AT_ITEM, _ITEM)):
        fine &= _spells(tail, at, literal)
    at = _AT_TIME + len(_TIME)
    time, written = _time(_big(tail, at), _big(tail, at + _TIME_DIGITS - 8))
    fine &= written
    at = _AT_ITEM + len(_ITEM)
    item, written = pack_words(_big(tail, at), _big(tail, at + ITEM_WIDTH - 8))
    fine &= written
    user = _column(tail, _AT_USER + len(_USER), f"S{USER_WIDTH}").copy()

    head = _everywhere(block, f"V{_HEAD_WIDTH}", _HEAD_WIDTH)[starts]
    fine &= _spells(head, 0, _START)
    fine &= _spells(head, len(_START) + 1, _TITLE)
    rating: U8 = _column(head, len(_START), "u1") - np.uint8(48)
    fine &= rating < 10

    sure = fine & plain
    sure &= _spells(tail, 0, _IMAGES)
    certain = np.flatnonzero(sure)
    if len(certain):
        # The title ends at the next quote; it is that of another line only where this one does not match anyway.
        title_end = marks.following(starts[certain] + _HEAD_WIDTH)
        texts = _everywhere(block, f"V{len(_TEXT)}", len(_TEXT))
        sure[certain] = _spells(texts[np.minimum(title_end, len(texts) - 1)], 0, _TEXT)
    others = ~fine
    checked = np.flatnonzero(fine & ~sure)
    if len(checked):
        known = all_capitals(user[checked].view(np.uint8).reshape(-1, USER_WIDTH))
        others[checked[~known]] = True
        checked = checked[known]
    return Rows(starts, ends, user, item, time, rating, sure, checked, np.flatnonzero(others))


def _big(records: NDArray[np.void], at: int) -> U64:
    """Eight bytes of each record as one number, the first in the highest place."""
    return _column(records, at).byteswap()


def _spread(rows: Rows | None, at: I64, starts: I64, ends: I64) -> Rows:
    """What was read of the lines at these places, among all of them."""
    count = len(ends)
    wide = Rows(
        starts,
        ends,
        np.zeros(count, f"S{USER_WIDTH}"),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros(count, np.uint8),
        np.zeros(count, np.bool_),
        at[:0] if rows is None else at[rows.checked],
        np.arange(count) if rows is None else np.setdiff1d(np.arange(count), np.delete(at, rows.others)),
    )
    if rows is not None:
        for name in ("user", "item", "time", "rating", "sure"):
            getattr(wide, name)[at] = getattr(rows, name)
    return wide


def _vote_digits(block: U8, votes_end: I64) -> tuple[I64, NDArray[np.bool_]]:
    """How many digits the votes have, and whether they are a number as JSON writes it."""
    last = block[votes_end - 1]
    fine = (last - np.uint8(48)) < 10
    digits = np.ones(len(votes_end), np.int64)
    more = np.flatnonzero(block[votes_end - 2] != 32)
    for place in range(2, _MOST_VOTE_DIGITS + 2):
        byte = block[votes_end[more] - place]
        more = more[(byte - np.uint8(48)) < 10]
        if not len(more):
            break
        digits[more] = place
    long = np.flatnonzero(digits > 1)
    if len(long):
        leading = block[votes_end[long] - digits[long]]
        fine[long] &= (leading != 48) & (digits[long] <= _MOST_VOTE_DIGITS)
    return digits, fine


_TEN5 = np.uint64(10 ** (_TIME_DIGITS - 8))
_LAST5 = np.uint64((1 << 8 * (_TIME_DIGITS - 8)) - 1)


def _time(high: U64, low: U64) -> tuple[I64, NDArray[np.bool_]]:
    """Thirteen digits, the first not zero, as two overlapping eights."""
    fine = _all_digits(high) & _all_digits(low) & ((high >> np.uint64(56)) != 48)
    time = _eight_digits(high) * _TEN5 + _eight_digits(low & _LAST5)
    return time.view(np.int64), fine


def _all_digits(word: U64) -> NDArray[np.bool_]:
    nine = (word + every(0x46)) | (word - every(0x30))
    result: NDArray[np.bool_] = (nine & every(0x80)) == 0
    return result


def _eight_digits(word: U64) -> U64:
    word = word & every(0x0F)
    pair, four = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
    word = (word >> np.uint64(8) & pair) * np.uint64(10) + (word & pair)
    word = (word >> np.uint64(16) & four) * np.uint64(100) + (word & four)
    return (word >> np.uint64(32)) * np.uint64(10_000) + (word & np.uint64(0xFFFFFFFF))
