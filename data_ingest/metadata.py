"""The metadata of one category: read once, with the rows of the products that the recipe keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from drr.data_ingest.blocks import BLOCK, BlockReader
from drr.data_ingest.ids import Ids
from drr.data_ingest.lines import BadLine, Repairs
from drr.data_ingest.packing import I64
from drr.data_ingest.products import RawProduct, parse_block, parse_line
from drr.data_ingest.quarantine import Quarantine
from drr.data_ingest.recipe import Recipe
from drr.data_ingest.reviews import RowTally
from drr.env.progress import Stage
from drr.env.shop import Input


class Spot(NamedTuple):
    """Where a kept row lies in the spool."""

    offset: int
    size: int


@dataclass
class Metadata:
    input: Input
    rows: int
    duplicates: int
    not_selected: int
    quarantined: int
    repairs: Repairs
    kept: dict[int, Spot]
    """By product code."""
    every: I64
    """The product of each row, whatever became of it."""


class _Shelf:
    """The best `limit` products by rank, lowest first; the file's first row of a product is the one that stays."""

    def __init__(self, limit: int, spool: IO[bytes]) -> None:
        self._limit, self._spool = limit, spool
        self._held: dict[int, tuple[Any, Spot]] = {}
        self._worst: Any = None
        self.duplicates = 0
        self.refused = 0

    def offer(self, code: int, rank: Any, line: bytes) -> None:
        if code in self._held:
            self.duplicates += 1
        elif self._worst is not None and rank >= self._worst:
            self.refused += 1
        else:
            spot = Spot(self._spool.tell(), len(line))
            self._spool.write(line)
            self._held[code] = (rank, spot)
            if len(self._held) >= 2 * self._limit:
                self._prune()

    def _prune(self) -> None:
        ranked = sorted(self._held.items(), key=lambda held: held[1][0])
        self.refused += max(0, len(ranked) - self._limit)
        self._held = dict(ranked[: self._limit])
        if len(ranked) >= self._limit:
            self._worst = ranked[self._limit - 1][1][0]

    def result(self) -> dict[int, Spot]:
        self._prune()
        return {code: spot for code, (_, spot) in self._held.items()}


class _Ranks:
    """Which products qualify, and in which order the recipe prefers them."""

    def __init__(self, recipe: Recipe, tally: RowTally, taken: set[int]) -> None:
        self._recipe = recipe
        enough = tally.counts >= recipe.min_reviews
        self._items, self._counts = tally.items[enough], tally.counts[enough]
        self._first = None if tally.first is None else tally.first[enough]
        self._taken = taken

    def of_block(
        self, codes: I64, rows: list[RawProduct | None], first: int
    ) -> Iterator[tuple[int, int, Any]]:
        """Position in the block, code and rank of those that qualify."""
        at = np.searchsorted(self._items, codes)
        at[at == len(self._items)] = 0
        found = self._items[at] == codes if len(self._items) else np.zeros(len(codes), np.bool_)
        candidates = np.arange(len(codes)) if self._recipe.min_reviews == 0 else np.flatnonzero(found)
        for place in candidates.tolist():
            code, row = int(codes[place]), rows[place]
            if row is not None and code not in self._taken:
                known = int(at[place]) if found[place] else None
                yield place, code, self._rank(row.parent_asin, known, first + place)

    def _rank(self, product_id: str, known: int | None, row: int) -> Any:
        pick = self._recipe.pick
        if pick == "meta-prefix":
            return row
        if pick == "top":
            return (-int(self._counts[known]) if known is not None else 0, product_id)
        if pick == "random":
            key = f"{self._recipe.seed}/{product_id}".encode()
            return (blake2b(key, digest_size=8).digest(), product_id)
        if self._first is None or known is None:
            return (1, row)
        return (0, int(self._first[known]))


def _singly(
    lines: Sequence[bytes], first: int, repairs: Repairs, quarantine: Quarantine
) -> list[RawProduct | None]:
    """`None` for a blank line and for one that is put into quarantine; `first` is the number of the first."""
    rows: list[RawProduct | None] = []
    for number, line in enumerate(lines, first):
        row = None
        if line.strip():
            try:
                row = parse_line(line, repairs)
            except BadLine as error:
                quarantine.put(number, error.reason, line)
        rows.append(row)
    return rows


def read_metadata(
    path: Path,
    recipe: Recipe,
    ids: Ids,
    quarantine: Quarantine,
    tally: RowTally,
    taken: set[int],
    spool: IO[bytes],
    stage: Stage,
    block: int = BLOCK,
) -> Metadata:
    """`taken`: products of earlier categories, which this one may not have again."""
    ranks = _Ranks(recipe, tally, taken)
    shelf = _Shelf(recipe.max_products, spool)
    repairs = Repairs()
    lines = total = qualified = blank = 0
    duplicates = 0
    every: list[I64] = []
    quarantine.begin(path.name)
    with BlockReader(path, size=block) as reader:
        for piece in reader:
            data = bytes(piece.data)
            ends = np.flatnonzero(np.frombuffer(data, np.uint8) == 10).tolist()
            starts = [0, *(end + 1 for end in ends[:-1])]
            rows: list[RawProduct | None] = list(parse_block(data, len(ends)) or ())
            if not rows:
                single = [data[start:end] for start, end in zip(starts, ends, strict=True)]
                blank += sum(not line.strip() for line in single)
                rows = _singly(single, lines + 1, repairs, quarantine)
            good = [row.parent_asin if row is not None else "" for row in rows]
            codes = ids.items(good)
            every.append(codes)
            if taken:
                duplicates += sum(code in taken for code in codes.tolist())
            for place, code, rank in ranks.of_block(codes, rows, lines):
                qualified += 1
                shelf.offer(code, rank, data[starts[place] : ends[place]])
            lines += len(ends)
            total = lines - blank
            quarantine.check(total, final=False)
            stage.advance(piece.read, len(ends))
        source = reader.finish()
    quarantine.check(total, final=True)
    kept = shelf.result()
    return Metadata(
        source,
        total,
        shelf.duplicates + duplicates,
        total - quarantine.bad - qualified - duplicates + shelf.refused,
        quarantine.bad,
        repairs,
        kept,
        np.concatenate([*every, np.empty(0, np.int64)]),
    )
