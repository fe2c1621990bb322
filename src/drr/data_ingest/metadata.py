"""Reads the metadata of one category once, and keeps the rows of the products that the recipe selects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from drr.data_ingest.blocks import BLOCK, Block, BlockReader
from drr.data_ingest.packing import I64, Ids
from drr.data_ingest.products import BadLine, RawProduct, Repairs, parse_block, parse_line
from drr.data_ingest.quarantine import Quarantine
from drr.data_ingest.recipe import Recipe
from drr.data_ingest.reviews import RowTally
from drr.env.progress import Stage
from drr.env.shop import Input


class Spot(NamedTuple):
    """The offset and the size of a kept row in the temporary file."""

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
    """The place of each kept row, by product code."""


class _Shelf:
    """A selection of the `limit` products with the lowest ranks. Of a product's rows, the first in the file is kept."""

    def __init__(self, limit: int, spool: IO[bytes]) -> None:
        self._limit, self._spool = limit, spool
        self._held: dict[int, tuple[Any, Spot]] = {}
        self._worst: Any = None
        self.duplicates = 0
        self.refused = 0

    def offer(self, code: int, rank: Any, line_of: Callable[[], bytes]) -> None:
        if code in self._held:
            self.duplicates += 1
        elif self._worst is not None and rank >= self._worst:
            self.refused += 1
        else:
            line = line_of()
            spot = Spot(self._spool.tell(), len(line))
            self._spool.write(line)
            self._held[code] = (rank, spot)
            if len(self._held) >= 2 * self._limit:
                self._prune()

    def _prune(self) -> None:
        ranked = sorted(self._held.items(), key=lambda entry: entry[1][0])
        self.refused += max(0, len(ranked) - self._limit)
        self._held = dict(ranked[: self._limit])
        if len(ranked) >= self._limit:
            self._worst = ranked[self._limit - 1][1][0]

    def result(self) -> dict[int, Spot]:
        self._prune()
        return {code: spot for code, (_, spot) in self._held.items()}


class _Ranks:
    """The ranks of qualified products, in the recipe's order of preference."""

    def __init__(self, recipe: Recipe, tally: RowTally, taken: Set[int]) -> None:
        self._recipe = recipe
        enough = tally.counts >= recipe.min_reviews
        self._items = tally.items[enough]
        self._first = None if tally.first is None else tally.first[enough]
        self._taken = taken

    def of_block(self, codes: I64, names: Sequence[str], first: int) -> Iterator[tuple[int, int, Any]]:
        """Yield position in the block, code and rank of each qualified product."""
        at = np.searchsorted(self._items, codes)
        at[at == len(self._items)] = 0
        found = self._items[at] == codes if len(self._items) else np.zeros(len(codes), np.bool_)
        candidates = np.arange(len(codes)) if self._recipe.min_reviews == 0 else np.flatnonzero(found)
        for place in candidates.tolist():
            code, name = int(codes[place]), names[place]
            if name and code not in self._taken:
                known = int(at[place]) if found[place] else None
                yield place, code, self._rank(known, first + place)

    def _rank(self, known: int | None, row: int) -> Any:
        if self._recipe.pick == "meta-prefix":
            return row
        if self._first is None or known is None:
            return (1, row)
        return (0, int(self._first[known]))


class ProductChoice:
    """A selection of products that is offered all rows of a category in file order. `taken`: products of earlier
    categories, which it may not select again."""

    def __init__(self, recipe: Recipe, tally: RowTally, taken: Set[int], spool: IO[bytes]) -> None:
        self._ranks = _Ranks(recipe, tally, taken)
        self._shelf = _Shelf(recipe.max_products, spool)
        self._taken = taken
        self._lines = self._qualified = self._duplicates = 0

    def offer(self, codes: I64, names: Sequence[str], line: Callable[[int], bytes]) -> None:
        """Offer the products of a block. Ids come as codes and as text, which is empty for a line that is no row."""
        if self._taken:
            self._duplicates += sum(code in self._taken for code in codes.tolist())
        for place, code, rank in self._ranks.of_block(codes, names, self._lines):
            self._qualified += 1
            self._shelf.offer(code, rank, partial(line, place))
        self._lines += len(codes)

    def result(self, source: Input, rows: int, bad: int, repairs: Repairs) -> Metadata:
        kept = self._shelf.result()
        return Metadata(
            source,
            rows,
            self._shelf.duplicates + self._duplicates,
            rows - bad - self._qualified - self._duplicates + self._shelf.refused,
            bad,
            repairs,
            kept,
        )


class MetaRows(NamedTuple):
    """The metadata rows of a block, every line included."""

    block: Block
    names: list[str]
    """The product ids as text; empty for a line that is no row."""
    starts: list[int]
    ends: list[int]
    data: bytes
    blank: int

    def line(self, place: int) -> bytes:
        return self.data[self.starts[place] : self.ends[place]]


def metadata_rows(reader: BlockReader, repairs: Repairs, quarantine: Quarantine) -> Iterator[MetaRows]:
    lines = 0
    for block in reader:
        data = bytes(block.data)
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == 10).tolist()
        starts = [0, *(end + 1 for end in ends[:-1])]
        rows: list[RawProduct | None] = list(parse_block(data, len(ends)) or ())
        blank = 0
        if not rows:
            single = [data[start:end] for start, end in zip(starts, ends, strict=True)]
            blank = sum(not line.strip() for line in single)
            rows = _parse_one_by_one(single, lines + 1, repairs, quarantine)
        names = [row.parent_asin if row is not None else "" for row in rows]
        lines += len(ends)
        yield MetaRows(block, names, starts, ends, data, blank)


def _parse_one_by_one(
    lines: Sequence[bytes], first: int, repairs: Repairs, quarantine: Quarantine
) -> list[RawProduct | None]:
    """Parse lines one by one; `first` is the first line's number. Blank and quarantined lines become `None`."""
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
    taken: Set[int],
    spool: IO[bytes],
    stage: Stage,
    block: int = BLOCK,
) -> Metadata:
    choice = ProductChoice(recipe, tally, taken, spool)
    repairs = Repairs()
    total = 0
    quarantine.begin(path.name)
    with BlockReader(path, size=block) as reader:
        for rows in metadata_rows(reader, repairs, quarantine):
            choice.offer(ids.items(rows.names), rows.names, rows.line)
            total += len(rows.names) - rows.blank
            quarantine.check(total, final=False)
            stage.advance(rows.block.read, len(rows.names))
        source = reader.finish()
    quarantine.check(total, final=True)
    return choice.result(source, total, quarantine.bad, repairs)
